// EngineAdmin: changes of the catalog. Each has one step that decides it, a durable row of
// hbase:meta or hbase:namespace (or, for AlterTable, a renamed file); what is done before is
// cleaned away and what comes after is completed when the store is opened after a crash.
// Thread-safe; changes run one at a time.
#ifndef BENNU_SRC_ENGINE_ADMIN_ADMIN_H_
#define BENNU_SRC_ENGINE_ADMIN_ADMIN_H_

#include <set>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "src/api/table_changes.h"
#include "src/engine/admin/derived_rows.h"
#include "src/engine/admin/table_replacement.h"
#include "src/engine/admin/table_snapshots.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/transfer/load_files.h"

namespace bennu::engine {

class EngineAdmin final : public Admin {
 public:
  explicit EngineAdmin(EngineCore* core) : core_(core), snapshots_(core) {}  // must outlive this

  Status CreateTable(const TableDescriptor& descriptor,
                     const std::vector<Bytes>& split_keys) override;
  Status DropTable(const TableName& name) override;
  // As api::TableChanges says, and so the next two.
  Status DropTables(const std::vector<TableName>& names, const api::TableRows& rows);
  Status DropNamespaceWith(const std::string& name, const api::TableRows& rows);
  Status EmptyTable(const TableName& name);
  Status AlterTable(const TableDescriptor& descriptor) override;
  Status DisableTable(const TableName& name) override;
  Status EnableTable(const TableName& name) override;
  Result<bool> IsTableEnabled(const TableName& name) override;
  Result<bool> TableExists(const TableName& name) override;
  Result<std::vector<TableName>> ListTables() override;  // without those of namespace hbase

  Status TruncateTable(const TableName& name, bool preserve_splits) override;

  Status CreateNamespace(const std::string& name) override {
    return CreateNamespaceWith({name, {}});
  }
  Status DropNamespace(const std::string& name) override { return DropNamespaceWith(name, {}); }
  Result<std::vector<std::string>> ListNamespaces() override;
  Status CreateNamespaceWith(const NamespaceDescriptor& descriptor) override;
  Status AlterNamespace(const NamespaceDescriptor& descriptor) override;
  Result<NamespaceDescriptor> DescribeNamespace(const std::string& name) override;

  Status Flush(const TableName& name) override { return FlushFamily(name, ""); }
  Status Compact(const TableName& name, bool major) override {
    return CompactFamily(name, "", major);
  }
  Status FlushFamily(const TableName& name, const Bytes& family) override;
  Status CompactFamily(const TableName& name, const Bytes& family, bool major) override;
  Status FlushRegion(const std::string& encoded_name, const Bytes& family) override;
  Status CompactRegion(const std::string& encoded_name, const Bytes& family, bool major) override;
  Result<CompactionState> GetCompactionState(const std::string& encoded_name) override;
  Result<CompactionState> GetTableCompactionState(const TableName& name) override;

  Result<std::vector<RegionStatus>> ListRegions(const TableName& name) override;
  Status SplitTable(const TableName& name, const std::optional<Bytes>& row) override;
  Status SplitRegion(const std::string& encoded_name, const std::optional<Bytes>& row) override;
  Status MergeRegions(const std::vector<std::string>& encoded_names) override;

  Status SnapshotTable(const std::string& name, const TableName& table,
                       const SnapshotOptions& options) override;
  Result<std::vector<SnapshotDescription>> ListSnapshots() override;
  Result<SnapshotContents> DescribeSnapshot(const std::string& name) override;
  Status CloneSnapshot(const std::string& name, const TableName& table) override;
  Status RestoreSnapshot(const std::string& name) override;
  Status DeleteSnapshot(const std::string& name) override;
  Status ExportSnapshot(const std::string& name, const std::string& target) override;
  Status Backup(const std::string& target) override;

  Result<BulkLoadResult> BulkLoad(const TableName& name, const std::string& folder,
                                  const BulkLoadOptions& options) override;
  Result<ExportResult> ExportTable(const TableName& name, const std::string& folder,
                                   const ExportOptions& options) override;
  Result<BulkLoadResult> ImportTable(const std::string& folder,
                                     const ImportOptions& options) override;

  // Makes hbase:namespace and its first rows if they are not there.
  Status EnsureNamespaces();

 private:
  Status SetEnabled(const TableName& name, bool enabled);
  Status MakeNew(const TableName& name, const ReplaceRows& make);
  struct Place {
    std::shared_ptr<TableEntry> table;
    std::shared_ptr<Region> region;
  };
  Result<Place> FindRegionByName(const std::string& encoded_name) const;
  Status CreateForImport(const TableDescriptor& descriptor, std::vector<LoadFile> files);
  // Once nothing speaks against it, 'derived' are emptied.
  Status CreateTableLocked(const TableDescriptor& descriptor, const std::vector<Bytes>& split_keys,
                           const std::vector<TableName>& derived) REQUIRES(core_->ddl_mu);
  // AlreadyExists, or NotFound: there is no such namespace.
  Status CheckNewTable(const TableName& name);
  Result<bool> NamespaceExists(const std::string& name);
  Status FlushOne(Region* region, const Bytes& family);
  // Those that are not in *done yet.
  Status CompactRegions(const RegionList& regions, bool major, const Bytes& family,
                        std::set<std::string>* done);
  Status AwaitChange(const Status& cancelled);
  CompactionThrottle* ThrottleOfAsked() const;  // may be null
  using TableList = std::vector<std::shared_ptr<TableEntry>>;
  // Of tables that are there.
  Status DropLocked(const TableList& tables, const api::TableRows& rows) REQUIRES(core_->ddl_mu);
  // Until hbase:meta has it; after an error the tables are as they were.
  Status DecideDrop(const TableList& tables, const api::TableRows& rows) REQUIRES(core_->ddl_mu);
  Status ArchiveDropped(const TableName& name);
  Status Alter(const TableDescriptor& given);
  Status CheckRemovedFamilies(const TableDescriptor& given);
  Status DecideAlteration(const TableDescriptor& old_descriptor, const TableDescriptor& descriptor);
  Status ApplyDescriptor(const TableDescriptor& descriptor, const RegionList& regions);
  Status AddFamilies(const TableDescriptor& old_descriptor, const TableDescriptor& descriptor,
                     const RegionList& regions);
  void RemoveFamilies(const TableDescriptor& descriptor, const RegionList& regions);

  EngineCore* const core_;
  TableSnapshots snapshots_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_ADMIN_H_
