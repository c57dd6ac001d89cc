// Which tables there are, and what they are like.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/api/descriptor_pb.h"
#include "src/api/namespace_name.h"
#include "src/server/hbase/java_pattern.h"
#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

namespace {

// Which names are asked for. An empty namespace is none.
struct Question {
  std::optional<std::string> pattern;  // a Java regular expression for the whole name
  std::string name_space;
  bool system = false;
};

// Of a request that may hold all three. An empty pattern matches nothing, as in HBase.
template <typename Request>
Question QuestionOf(const Request& request) {
  Question question;
  if (request.has_regex()) question.pattern = request.regex();
  question.name_space = request.namespace_();
  question.system = request.include_sys_tables();
  return question;
}

CallError ListMatching(Connection* store, const Question& question, std::vector<TableName>* names) {
  auto pattern = JavaPattern::Make(question.pattern.has_value() ? &*question.pattern : nullptr);
  if (!pattern.ok()) return rpc::RemoteError(pattern.status());
  if (const std::string& name = question.name_space; !name.empty()) {
    const auto known = store->admin()->DescribeNamespace(name);
    if (known.status().code() == StatusCode::kNotFound) {
      return rpc::RemoteError(rpc::exceptions::kNamespaceNotFound, name);
    }
    if (!known.ok()) return rpc::RemoteError(known.status());
  }
  auto all = store->admin()->ListTables();
  if (!all.ok()) return rpc::RemoteError(all.status());
  for (const char* catalog : {"meta", "namespace"}) {  // not among the store's tables
    TableName name;
    name.name_space = api::kSystemNamespace;
    name.qualifier = catalog;
    if (std::find(all->begin(), all->end(), name) != all->end()) continue;
    if (store->OpenTable(name).ok()) all->push_back(std::move(name));
  }
  for (const TableName& name : *all) {
    if (!question.system && name.name_space == api::kSystemNamespace) continue;
    if (!question.name_space.empty() && name.name_space != question.name_space) continue;
    if (pattern->Matches(name.ToString())) names->push_back(name);
  }
  return std::nullopt;
}

CallError ListByState(Connection* store, bool wanted, std::vector<TableName>* names) {
  const auto all = store->admin()->ListTables();
  if (!all.ok()) return rpc::RemoteError(all.status());
  for (const TableName& name : *all) {
    const auto enabled = store->admin()->IsTableEnabled(name);
    if (enabled.ok() && *enabled == wanted) names->push_back(name);
  }
  return std::nullopt;
}

// A table that is dropped meanwhile is left out.
template <typename Schemas>
void AddDescriptors(Connection* store, const std::vector<TableName>& names, Schemas* schemas) {
  for (const TableName& name : names) {
    const auto table = store->OpenTable(name);
    if (table.ok()) api::DescriptorToPb((*table)->descriptor(), schemas->Add());
  }
}

template <typename Messages>
void AddNames(const std::vector<TableName>& names, Messages* messages) {
  for (const TableName& name : names) api::TableNameToPb(name, messages->Add());
}

}  // namespace

void MasterService::AddTableQuestions() {
  AddUnary<pb::GetTableDescriptorsRequest, pb::GetTableDescriptorsResponse>(
      "GetTableDescriptors", RunOn::kHandler,
      [this](const pb::GetTableDescriptorsRequest& request,
             pb::GetTableDescriptorsResponse* response) -> CallError {
        std::vector<TableName> names;
        if (request.table_names_size() > 0) {
          for (const auto& name : request.table_names()) {
            names.push_back(api::TableNameFromPb(name));
          }
        } else if (CallError error = ListMatching(store_, QuestionOf(request), &names); error) {
          return error;
        }
        AddDescriptors(store_, names, response->mutable_table_schema());
        return std::nullopt;
      });
  AddUnary<pb::GetTableNamesRequest, pb::GetTableNamesResponse>(
      "GetTableNames", RunOn::kHandler,
      [this](const pb::GetTableNamesRequest& request,
             pb::GetTableNamesResponse* response) -> CallError {
        std::vector<TableName> names;
        CallError error = ListMatching(store_, QuestionOf(request), &names);
        AddNames(names, response->mutable_table_names());
        return error;
      });
  AddUnary<pb::ListTableDescriptorsByNamespaceRequest, pb::ListTableDescriptorsByNamespaceResponse>(
      "ListTableDescriptorsByNamespace", RunOn::kHandler,
      [this](const auto& request, auto* response) -> CallError {
        std::vector<TableName> names;
        CallError error =
            ListMatching(store_, {std::nullopt, request.namespacename(), true}, &names);
        AddDescriptors(store_, names, response->mutable_tableschema());
        return error;
      });
  AddUnary<pb::ListTableNamesByNamespaceRequest, pb::ListTableNamesByNamespaceResponse>(
      "ListTableNamesByNamespace", RunOn::kHandler,
      [this](const auto& request, auto* response) -> CallError {
        std::vector<TableName> names;
        CallError error =
            ListMatching(store_, {std::nullopt, request.namespacename(), true}, &names);
        AddNames(names, response->mutable_tablename());
        return error;
      });
  AddUnary<pb::ListTableDescriptorsByStateRequest, pb::ListTableDescriptorsByStateResponse>(
      "ListTableDescriptorsByState", RunOn::kHandler,
      [this](const auto& request, auto* response) -> CallError {
        std::vector<TableName> names;
        CallError error = ListByState(store_, request.is_enabled(), &names);
        AddDescriptors(store_, names, response->mutable_table_schema());
        return error;
      });
  AddUnary<pb::ListTableNamesByStateRequest, pb::ListTableNamesByStateResponse>(
      "ListTableNamesByState", RunOn::kHandler,
      [this](const auto& request, auto* response) -> CallError {
        std::vector<TableName> names;
        CallError error = ListByState(store_, request.is_enabled(), &names);
        AddNames(names, response->mutable_table_names());
        return error;
      });
  AddUnary<pb::GetTableStateRequest, pb::GetTableStateResponse>(
      "GetTableState", RunOn::kHandler,
      [this](const pb::GetTableStateRequest& request,
             pb::GetTableStateResponse* response) -> CallError {
        const TableName name = api::TableNameFromPb(request.table_name());
        if (CallError error = CheckExists(name); error) return error;
        response->mutable_table_state()->set_state(CheckDisabled(name) ? pb::TableState::ENABLED
                                                                       : pb::TableState::DISABLED);
        return std::nullopt;
      });
  AddUnary<pb::GetSchemaAlterStatusRequest, pb::GetSchemaAlterStatusResponse>(
      "GetSchemaAlterStatus", RunOn::kHandler,
      [this](const pb::GetSchemaAlterStatusRequest& request,
             pb::GetSchemaAlterStatusResponse* response) -> CallError {
        const auto table = store_->OpenTable(api::TableNameFromPb(request.table_name()));
        response->set_yet_to_update_regions(0);
        response->set_total_regions(table.ok() ? static_cast<uint32_t>((*table)->regions().size())
                                               : 0);
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
