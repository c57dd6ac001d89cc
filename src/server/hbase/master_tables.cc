// Changes of tables.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/api/descriptor_pb.h"
#include "src/api/table_checks.h"
#include "src/engine/directory/meta_rows.h"
#include "src/server/hbase/master_service.h"
#include "src/server/hbase/namespace_quota.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// HBase notes in each new table how its files are kept track of.
constexpr char kFileTracker[] = "hbase.store.file-tracker.impl";

CallError NoSuchFamily(ByteView family) {
  return rpc::RemoteError(exceptions::kInvalidFamilyOperation,
                          fmt::format("Column family '{}' does not exist", family));
}

std::vector<ColumnFamilyDescriptor>::iterator FindFamily(TableDescriptor* table, ByteView name) {
  return std::find_if(table->families.begin(), table->families.end(),
                      [name](const ColumnFamilyDescriptor& family) { return family.name == name; });
}

// HBase's change_sft: files are kept track of in one way here, and a table that has it already
// stays as it is.
// The lock of a change of the table that the request names.
constexpr auto kLockNamed = [](const auto& request) {
  return TableLocks(api::TableNameFromPb(request.table_name()), true);
};

// As an HBase answers where Phoenix's classes are not installed.
CallError CheckKnownClasses(const TableDescriptor& descriptor) {
  for (const auto& [name, value] : descriptor.attributes) {
    if (value.find("org.apache.phoenix") == Bytes::npos) continue;
    return rpc::RemoteError(exceptions::kDoNotRetry,
                            fmt::format("Class {} cannot be loaded; set hbase.table.sanity.checks "
                                        "to false to bypass sanity checks",
                                        value));
  }
  return std::nullopt;
}

}  // namespace

CallError CheckFileTracker(const std::string& wanted) {
  if (wanted == kDefaultTracker) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kDoNotRetry,
      fmt::format("store file tracker {} is not there; there is {}", wanted, kDefaultTracker));
}

void MasterService::AddTableChanges() {
  AddProcedure<pb::CreateTableRequest, pb::CreateTableResponse>(
      "CreateTable", "procedure.CreateTableProcedure",
      [](const pb::CreateTableRequest& request) {
        return TableLocks(api::TableNameFromPb(request.table_schema().table_name()), true);
      },
      [this](const pb::CreateTableRequest& request) -> CallError {
        TableDescriptor descriptor = api::DescriptorFromPb(request.table_schema());
        descriptor.attributes.try_emplace(kFileTracker, kDefaultTracker);
        Admin* const admin = store_->admin();
        const auto namespaces = admin->ListNamespaces();
        if (!namespaces.ok()) return rpc::RemoteError(namespaces.status());
        if (std::find(namespaces->begin(), namespaces->end(), descriptor.name.name_space) ==
            namespaces->end()) {
          return rpc::RemoteError(exceptions::kNamespaceNotFound, descriptor.name.name_space);
        }
        // Without sanity checks HBase goes on, and finds out behind the next check.
        const bool has_families = !descriptor.families.empty();
        if (!has_families && api::HasSanityChecks(descriptor, regions_->configuration())) {
          return rpc::RemoteError(exceptions::kDoNotRetry,
                                  "Table should have at least one column family. Set "
                                  "hbase.table.sanity.checks to false at conf or table descriptor "
                                  "if you want to bypass sanity checks");
        }
        if (identity_->without_phoenix) {
          if (CallError error = CheckKnownClasses(descriptor); error) return error;
        }
        if (admin->TableExists(descriptor.name).ok() && *admin->TableExists(descriptor.name)) {
          return rpc::RemoteError(exceptions::kTableExists, descriptor.name.ToString());
        }
        if (!has_families) {
          return rpc::RemoteError(exceptions::kDoNotRetry,
                                  fmt::format("Table {} should have at least one column family.",
                                              descriptor.name.ToString()));
        }
        const std::vector<Bytes> split_keys(request.split_keys().begin(),
                                            request.split_keys().end());
        if (quotas_ != nullptr) {
          CallError error = CheckQuotaForTable(store_, descriptor.name, split_keys.size() + 1);
          if (error) return error;
        }
        return FromAdmin(admin->CreateTable(descriptor, split_keys));
      });
  AddProcedure<pb::DeleteTableRequest, pb::DeleteTableResponse>(
      "DeleteTable", "procedure.DeleteTableProcedure", kLockNamed,
      [this](const pb::DeleteTableRequest& request) -> CallError {
        const TableName name = api::TableNameFromPb(request.table_name());
        if (name == engine::MetaTableName()) {
          return rpc::RemoteError(exceptions::kIo, "Can't modify catalog tables");
        }
        if (CallError error = CheckDisabled(name); error) return error;
        if (CallError error = FromAdmin(store_->admin()->DropTable(name)); error) return error;
        return quotas_ == nullptr ? std::nullopt : quotas_->ForgetTable(name);
      });
  AddProcedure<pb::TruncateTableRequest, pb::TruncateTableResponse>(
      "truncateTable", "procedure.TruncateTableProcedure",
      [](const pb::TruncateTableRequest& request) {
        return TableLocks(api::TableNameFromPb(request.tablename()), true);
      },
      [this](const pb::TruncateTableRequest& request) -> CallError {
        const TableName name = api::TableNameFromPb(request.tablename());
        if (CallError error = CheckDisabled(name); error) return error;
        return FromAdmin(store_->admin()->TruncateTable(name, request.preservesplits()));
      });
  AddProcedure<pb::EnableTableRequest, pb::EnableTableResponse>(
      "EnableTable", "procedure.EnableTableProcedure", kLockNamed,
      [this](const pb::EnableTableRequest& request) -> CallError {
        const TableName name = api::TableNameFromPb(request.table_name());
        if (CallError error = CheckExists(name); error) return error;
        if (quotas_ != nullptr) {
          if (CallError error = quotas_->space()->CheckEnable(name.ToString()); error) return error;
        }
        if (!CheckDisabled(name)) return FromAdmin(store_->admin()->EnableTable(name));
        return rpc::RemoteError(exceptions::kTableNotDisabled, name.ToString());
      });
  AddProcedure<pb::DisableTableRequest, pb::DisableTableResponse>(
      "DisableTable", "procedure.DisableTableProcedure", kLockNamed,
      [this](const pb::DisableTableRequest& request) -> CallError {
        const TableName name = api::TableNameFromPb(request.table_name());
        if (CallError error = CheckExists(name); error) return error;
        if (name == engine::MetaTableName()) {
          return rpc::RemoteError(exceptions::kConstraint, "hbase:meta cannot be disabled");
        }
        if (CheckDisabled(name)) return FromAdmin(store_->admin()->DisableTable(name));
        return rpc::RemoteError(exceptions::kTableNotEnabled, name.ToString());
      });
  AddProcedure<pb::ModifyTableRequest, pb::ModifyTableResponse>(
      "ModifyTable", "procedure.ModifyTableProcedure", kLockNamed,
      [this](const pb::ModifyTableRequest& request) -> CallError {
        const TableDescriptor descriptor = api::DescriptorFromPb(request.table_schema());
        if (CallError error = CheckExists(descriptor.name); error) return error;
        return Alter(descriptor);
      });
  AddProcedure<pb::AddColumnRequest, pb::AddColumnResponse>(
      "AddColumn", "procedure.ModifyTableProcedure", kLockNamed,
      [this](const pb::AddColumnRequest& request) -> CallError {
        TableDescriptor table;
        if (CallError error = ReadDescriptor(api::TableNameFromPb(request.table_name()), &table);
            error) {
          return error;
        }
        const ColumnFamilyDescriptor family = api::DescriptorFromPb(request.column_families());
        if (FindFamily(&table, family.name) != table.families.end()) {
          return rpc::RemoteError(
              exceptions::kInvalidFamilyOperation,
              fmt::format("Column family '{}' in table '{}' already exists so cannot be added",
                          family.name, table.name.ToString()));
        }
        table.families.push_back(family);
        return Alter(table);
      });
  AddProcedure<pb::ModifyColumnRequest, pb::ModifyColumnResponse>(
      "ModifyColumn", "procedure.ModifyTableProcedure", kLockNamed,
      [this](const pb::ModifyColumnRequest& request) -> CallError {
        TableDescriptor table;
        if (CallError error = ReadDescriptor(api::TableNameFromPb(request.table_name()), &table);
            error) {
          return error;
        }
        const ColumnFamilyDescriptor family = api::DescriptorFromPb(request.column_families());
        const auto found = FindFamily(&table, family.name);
        if (found == table.families.end()) return NoSuchFamily(family.name);
        *found = family;
        return Alter(table);
      });
  AddProcedure<pb::DeleteColumnRequest, pb::DeleteColumnResponse>(
      "DeleteColumn", "procedure.ModifyTableProcedure", kLockNamed,
      [this](const pb::DeleteColumnRequest& request) -> CallError {
        TableDescriptor table;
        if (CallError error = ReadDescriptor(api::TableNameFromPb(request.table_name()), &table);
            error) {
          return error;
        }
        const auto found = FindFamily(&table, request.column_name());
        if (found == table.families.end()) return NoSuchFamily(request.column_name());
        if (table.families.size() == 1) {
          return rpc::RemoteError(
              exceptions::kInvalidFamilyOperation,
              fmt::format("Family '{}' is the only column family in the table, so it cannot be "
                          "deleted",
                          request.column_name()));
        }
        table.families.erase(found);
        return Alter(table);
      });
  AddProcedure<pb::ModifyTableStoreFileTrackerRequest, pb::ModifyTableStoreFileTrackerResponse>(
      "ModifyTableStoreFileTracker", "procedure.ModifyTableStoreFileTrackerProcedure", kLockNamed,
      [this](const pb::ModifyTableStoreFileTrackerRequest& request) -> CallError {
        if (CallError error = CheckExists(api::TableNameFromPb(request.table_name())); error) {
          return error;
        }
        return CheckFileTracker(request.dst_sft());
      });
  AddProcedure<pb::ModifyColumnStoreFileTrackerRequest, pb::ModifyColumnStoreFileTrackerResponse>(
      "ModifyColumnStoreFileTracker", "procedure.ModifyColumnFamilyStoreFileTrackerProcedure",
      kLockNamed, [this](const pb::ModifyColumnStoreFileTrackerRequest& request) -> CallError {
        TableDescriptor table;
        if (CallError error = ReadDescriptor(api::TableNameFromPb(request.table_name()), &table);
            error) {
          return error;
        }
        if (FindFamily(&table, request.family()) == table.families.end()) {
          return rpc::RemoteError(exceptions::kNoSuchColumnFamily,
                                  fmt::format("{} does not exist for table {}", request.family(),
                                              table.name.ToString()));
        }
        return CheckFileTracker(request.dst_sft());
      });
}

}  // namespace bennu::server::hbase
