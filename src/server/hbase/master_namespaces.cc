// Namespaces.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/api/descriptor_pb.h"
#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

namespace exceptions = rpc::exceptions;

namespace {

CallError NoSuchNamespace(const std::string& name) {
  return rpc::RemoteError(exceptions::kNamespaceNotFound, name);
}

// What a creation or alteration ended with.
CallError FromChange(const std::string& name, const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk: return std::nullopt;
    case StatusCode::kNotFound: return NoSuchNamespace(name);
    case StatusCode::kAlreadyExists:
      return rpc::RemoteError(exceptions::kNamespaceExists,
                              fmt::format("Namespace {} already exists", name));
    case StatusCode::kInvalidArgument:
      return rpc::RemoteError(exceptions::kConstraint, status.message());
    default: return FromAdmin(status);
  }
}

// The locks of a change of the namespace that is described.
constexpr auto kLockDescribed = [](const auto& request) {
  return NamespaceLocks(request.namespacedescriptor().name());
};

}  // namespace

CallError MasterService::ReadNamespace(const std::string& name,
                                       pb::NamespaceDescriptor* message) const {
  const auto descriptor = store_->admin()->DescribeNamespace(name);
  if (descriptor.status().code() == StatusCode::kNotFound) return NoSuchNamespace(name);
  if (!descriptor.ok()) return rpc::RemoteError(descriptor.status());
  api::DescriptorToPb(*descriptor, message);
  return std::nullopt;
}

void MasterService::AddNamespaces() {
  const auto exists = [this](const std::string& name) {
    const auto all = store_->admin()->ListNamespaces();
    return all.ok() && std::find(all->begin(), all->end(), name) != all->end();
  };
  AddProcedure<pb::CreateNamespaceRequest, pb::CreateNamespaceResponse>(
      "CreateNamespace", "procedure.CreateNamespaceProcedure", kLockDescribed,
      [this](const pb::CreateNamespaceRequest& request) -> CallError {
        const NamespaceDescriptor descriptor = api::DescriptorFromPb(request.namespacedescriptor());
        return FromChange(descriptor.name, store_->admin()->CreateNamespaceWith(descriptor));
      });
  AddProcedure<pb::ModifyNamespaceRequest, pb::ModifyNamespaceResponse>(
      "ModifyNamespace", "procedure.ModifyNamespaceProcedure", kLockDescribed,
      [this](const pb::ModifyNamespaceRequest& request) -> CallError {
        const NamespaceDescriptor descriptor = api::DescriptorFromPb(request.namespacedescriptor());
        return FromChange(descriptor.name, store_->admin()->AlterNamespace(descriptor));
      });
  AddProcedure<pb::DeleteNamespaceRequest, pb::DeleteNamespaceResponse>(
      "DeleteNamespace", "procedure.DeleteNamespaceProcedure",
      [](const pb::DeleteNamespaceRequest& request) {
        return NamespaceLocks(request.namespacename());
      },
      [this, exists](const pb::DeleteNamespaceRequest& request) -> CallError {
        const std::string& name = request.namespacename();
        if (!exists(name)) return NoSuchNamespace(name);
        if (name == "default" || name == "hbase") {
          return rpc::RemoteError(exceptions::kConstraint,
                                  fmt::format("namespace {} is reserved, and stays", name));
        }
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
        if (CallError error = FromAdmin(store_->admin()->DropNamespace(name)); error) return error;
        return quotas_ == nullptr ? std::nullopt : quotas_->ForgetNamespace(name);
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
