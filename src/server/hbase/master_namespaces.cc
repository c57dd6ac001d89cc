// Namespaces.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

namespace exceptions = rpc::exceptions;

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
        return FromAdmin(store_->admin()->CreateNamespace(name));
      });
  AddProcedure<pb::ModifyNamespaceRequest, pb::ModifyNamespaceResponse>(
      "ModifyNamespace", [exists, missing](const pb::ModifyNamespaceRequest& request) -> CallError {
        const std::string& name = request.namespacedescriptor().name();
        if (!exists(name)) return missing(name);
        if (request.namespacedescriptor().configuration_size() == 0) return std::nullopt;
        return rpc::RemoteError(
            exceptions::kDoNotRetry,
            "properties of namespaces are not supported; only quotas would use them");
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
      [exists, missing](const auto& request, auto* response) -> CallError {
        if (!exists(request.namespacename())) return missing(request.namespacename());
        response->mutable_namespacedescriptor()->set_name(request.namespacename());
        return std::nullopt;
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
        for (const std::string& name : *all) response->add_namespacedescriptor()->set_name(name);
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
