// Namespaces.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/engine/meta_rows.h"
#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

namespace exceptions = rpc::exceptions;

namespace {

// Where hbase:namespace has a namespace's descriptor.
constexpr char kInfo[] = "info";
constexpr char kDescriptor[] = "d";

}  // namespace

CallError MasterService::ReadNamespace(const std::string& name,
                                       pb::NamespaceDescriptor* descriptor) const {
  const auto table = store_->OpenTable(engine::NamespaceTableName());
  if (!table.ok()) return rpc::RemoteError(table.status());
  Get get;
  get.row = name;
  get.columns[kInfo].insert(kDescriptor);
  const auto row = (*table)->GetRow(get);
  if (!row.ok()) return rpc::RemoteError(row.status());
  if (row->empty()) return rpc::RemoteError(exceptions::kNamespaceNotFound, name);
  if (!descriptor->ParseFromString(Bytes(row->cells.front().value_view()))) {
    return rpc::RemoteError(exceptions::kIo,
                            fmt::format("the row of {} in hbase:namespace is damaged", name));
  }
  return std::nullopt;
}

CallError MasterService::WriteNamespace(const pb::NamespaceDescriptor& descriptor) {
  const auto table = store_->OpenTable(engine::NamespaceTableName());
  if (!table.ok()) return rpc::RemoteError(table.status());
  MutationBatch batch;
  batch.StartRow(descriptor.name());
  batch.Put(kInfo, kDescriptor, descriptor.SerializeAsString());
  return FromAdmin((*table)->Write(&batch));
}

void MasterService::AddNamespaces() {
  const auto exists = [this](const std::string& name) {
    const auto all = store_->admin()->ListNamespaces();
    return all.ok() && std::find(all->begin(), all->end(), name) != all->end();
  };
  const auto missing = [](const std::string& name) -> CallError {
    return rpc::RemoteError(exceptions::kNamespaceNotFound, name);
  };
  AddProcedure<pb::CreateNamespaceRequest, pb::CreateNamespaceResponse>(
      "CreateNamespace", [this, exists](const pb::CreateNamespaceRequest& request) -> CallError {
        const std::string& name = request.namespacedescriptor().name();
        if (exists(name)) {
          return rpc::RemoteError(exceptions::kNamespaceExists,
                                  fmt::format("Namespace {} already exists", name));
        }
        if (CallError error = FromAdmin(store_->admin()->CreateNamespace(name)); error) {
          return error;
        }
        if (request.namespacedescriptor().configuration().empty()) return std::nullopt;
        return WriteNamespace(request.namespacedescriptor());
      });
  AddProcedure<pb::ModifyNamespaceRequest, pb::ModifyNamespaceResponse>(
      "ModifyNamespace",
      [this, exists, missing](const pb::ModifyNamespaceRequest& request) -> CallError {
        const std::string& name = request.namespacedescriptor().name();
        if (!exists(name)) return missing(name);
        return WriteNamespace(request.namespacedescriptor());
      });
  AddProcedure<pb::DeleteNamespaceRequest, pb::DeleteNamespaceResponse>(
      "DeleteNamespace",
      [this, exists, missing](const pb::DeleteNamespaceRequest& request) -> CallError {
        const std::string& name = request.namespacename();
        if (!exists(name)) return missing(name);
        const auto tables = store_->admin()->ListTables();
        if (!tables.ok()) return rpc::RemoteError(tables.status());
        const auto count =
            std::count_if(tables->begin(), tables->end(),
                          [&name](const TableName& table) { return table.name_space == name; });
        if (count > 0) {
          return rpc::RemoteError(
              exceptions::kConstraint,
              fmt::format("Only empty namespaces can be removed. Namespace {} has {} tables", name,
                          count));
        }
        return FromAdmin(store_->admin()->DropNamespace(name));
      });
  AddUnary<pb::GetNamespaceDescriptorRequest, pb::GetNamespaceDescriptorResponse>(
      "GetNamespaceDescriptor", RunOn::kHandler,
      [this](const auto& request, auto* response) -> CallError {
        return ReadNamespace(request.namespacename(), response->mutable_namespacedescriptor());
      });
  AddUnary<pb::ListNamespacesRequest, pb::ListNamespacesResponse>(
      "ListNamespaces", RunOn::kHandler, [this](const auto&, auto* response) -> CallError {
        const auto all = store_->admin()->ListNamespaces();
        if (!all.ok()) return rpc::RemoteError(all.status());
        for (const std::string& name : *all) response->add_namespacename(name);
        return std::nullopt;
      });
  AddUnary<pb::ListNamespaceDescriptorsRequest, pb::ListNamespaceDescriptorsResponse>(
      "ListNamespaceDescriptors", RunOn::kHandler,
      [this](const auto&, auto* response) -> CallError {
        const auto all = store_->admin()->ListNamespaces();
        if (!all.ok()) return rpc::RemoteError(all.status());
        for (const std::string& name : *all) {
          if (CallError error = ReadNamespace(name, response->add_namespacedescriptor()); error) {
            return error;
          }
        }
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
