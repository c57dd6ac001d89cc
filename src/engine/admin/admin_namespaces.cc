// EngineAdmin: namespaces.
#include <algorithm>
#include <string_view>

#include "src/api/attributes.h"
#include "src/api/namespace_name.h"
#include "src/base/failpoint.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/admin.h"
#include "src/engine/directory/meta_rows.h"

namespace bennu::engine {

namespace {

// HBase refuses these where they are no positive numbers, with quotas or without.
Status CheckQuota(const NamespaceDescriptor& descriptor, const std::string& key,
                  std::string_view what) {
  const auto found = descriptor.properties.find(key);
  if (found == descriptor.properties.end() || found->second.empty()) return Status::Ok();
  std::string_view text = found->second;
  if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
  const auto count = api::ParseInteger(text);
  if (!count.has_value()) {
    return InvalidArgument("namespace " + descriptor.name + ": " + key + " is '" + found->second +
                           "'; expected is a positive number");
  }
  if (*count > 0) return Status::Ok();
  return InvalidArgument("The max " + std::string(what) + " quota for " + descriptor.name +
                         " is less than or equal to zero.");
}

Status CheckQuotas(const NamespaceDescriptor& descriptor) {
  RETURN_IF_ERROR(CheckQuota(descriptor, "hbase.namespace.quota.maxregions", "region"));
  return CheckQuota(descriptor, "hbase.namespace.quota.maxtables", "tables");
}

}  // namespace

Status EngineAdmin::EnsureNamespaces() {
  MutexLock lock(&core_->ddl_mu);
  const TableDescriptor descriptor = NamespaceDescriptorTable();
  if (!core_->FindTable(descriptor.name).ok()) {
    RETURN_IF_ERROR(CreateTableLocked(descriptor, {}, {}));
  }
  ASSIGN_OR_RETURN(const auto present, ListNamespaces());
  MutationBatch rows;
  for (const char* name : {"default", "hbase"}) {
    if (std::find(present.begin(), present.end(), name) == present.end()) {
      PutNamespace(&rows, {name, {}});
    }
  }
  if (rows.empty()) return Status::Ok();
  return core_->WriteCatalog(NamespaceTableName(), &rows);
}

Result<std::vector<std::string>> EngineAdmin::ListNamespaces() {
  const auto region = core_->CatalogRegion(NamespaceTableName());
  if (region == nullptr) return std::vector<std::string>{"default", "hbase"};
  const ReadPoints::Guard guard(&core_->read_points);
  return ReadNamespaces(region, guard.read_point(), core_->clock.NowMillis());
}

Result<bool> EngineAdmin::NamespaceExists(const std::string& name) {
  ASSIGN_OR_RETURN(const auto present, ListNamespaces());
  return std::find(present.begin(), present.end(), name) != present.end();
}

Result<NamespaceDescriptor> EngineAdmin::DescribeNamespace(const std::string& name) {
  const auto region = core_->CatalogRegion(NamespaceTableName());
  if (region == nullptr) {
    if (name == "default" || name == "hbase") return NamespaceDescriptor{name, {}};
    return NotFound("there is no namespace " + name);
  }
  const ReadPoints::Guard guard(&core_->read_points);
  return ReadNamespace(region, guard.read_point(), core_->clock.NowMillis(), name);
}

Status EngineAdmin::CreateNamespaceWith(const NamespaceDescriptor& descriptor) {
  const std::string& name = descriptor.name;
  RETURN_IF_ERROR(api::CheckNamespaceName(name));
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(name));
  if (exists) return AlreadyExists("namespace " + name + " is there already");
  RETURN_IF_ERROR(CheckQuotas(descriptor));
  RETURN_IF_ERROR(core_->env->CreateDirectories(core_->layout.NamespaceDirectory(name)));
  RETURN_IF_ERROR(core_->env->SyncDirectory(core_->layout.Data()));
  BENNU_FAILPOINT("admin.namespace.before_row");
  MutationBatch rows;
  PutNamespace(&rows, descriptor);
  return core_->WriteCatalog(NamespaceTableName(), &rows);
}

Status EngineAdmin::AlterNamespace(const NamespaceDescriptor& descriptor) {
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(descriptor.name));
  if (!exists) return NotFound("there is no namespace " + descriptor.name);
  RETURN_IF_ERROR(CheckQuotas(descriptor));
  MutationBatch rows;
  PutNamespace(&rows, descriptor);
  return core_->WriteCatalog(NamespaceTableName(), &rows);
}

Status EngineAdmin::DropNamespaceWith(const std::string& name, const api::TableRows& others) {
  if (name == "default" || name == "hbase") {
    return InvalidArgument("namespace " + name + " belongs to the store and cannot be dropped");
  }
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(name));
  if (!exists) return NotFound("there is no namespace " + name);
  for (const auto& table : core_->AllTables()) {
    if (table->name().name_space == name) {
      return FailedPrecondition("namespace " + name + " holds tables, such as " +
                                table->name().ToString() + "; drop them first");
    }
  }
  RETURN_IF_ERROR(core_->CheckHoldsNoData(name));
  MutationBatch rows;
  DeleteNamespace(&rows, name);
  RETURN_IF_ERROR(core_->WriteCatalogWith(NamespaceTableName(), &rows, others));
  BENNU_FAILPOINT("admin.namespace.after_row");
  RETURN_IF_ERROR(core_->env->RemoveTree(core_->layout.NamespaceDirectory(name)));
  return core_->env->SyncDirectory(core_->layout.Data());
}

}  // namespace bennu::engine
