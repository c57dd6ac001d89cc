// ClusterAdmin: what is done to tables, namespaces and regions of a cluster, by asking its master.
// Source: hbase-rpc spec sections 5.8 and 5.9; HBaseAdmin of HBase.
#ifndef BENNU_SRC_CLIENT_ADMIN_H_
#define BENNU_SRC_CLIENT_ADMIN_H_

#include <optional>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "src/client/cluster.h"

namespace bennu::client {

// As Admin says; but that Compact returns when the servers have been asked, as HBase's does, that
// tables are not exported, and that backups and snapshots are written by the server, which must be
// Bennu's, to absolute paths of its machine.
class ClusterAdmin final : public Admin {
 public:
  explicit ClusterAdmin(Cluster* cluster) : cluster_(cluster) {}

  Status CreateTable(const TableDescriptor& descriptor,
                     const std::vector<Bytes>& split_keys) override;
  Status DropTable(const TableName& name) override;
  Status AlterTable(const TableDescriptor& descriptor) override;
  Status DisableTable(const TableName& name) override;
  Status EnableTable(const TableName& name) override;
  Result<bool> IsTableEnabled(const TableName& name) override;
  Result<bool> TableExists(const TableName& name) override;
  Result<std::vector<TableName>> ListTables() override;

  Status TruncateTable(const TableName& name, bool preserve_splits) override;

  Status CreateNamespace(const std::string& name) override;
  Status CreateNamespaceWith(const NamespaceDescriptor& descriptor) override;
  Status AlterNamespace(const NamespaceDescriptor& descriptor) override;
  Result<NamespaceDescriptor> DescribeNamespace(const std::string& name) override;
  Status DropNamespace(const std::string& name) override;
  Result<std::vector<std::string>> ListNamespaces() override;

  Status Flush(const TableName& name) override;
  Status FlushFamily(const TableName& name, const Bytes& family) override;
  Status FlushRegion(const std::string& encoded_name, const Bytes& family) override;
  Status Compact(const TableName& name, bool major) override;
  Status CompactFamily(const TableName& name, const Bytes& family, bool major) override;
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

  Result<BulkLoadResult> BulkLoad(const TableName& name, const std::string& folder,
                                  const BulkLoadOptions& options) override;
  Result<ExportResult> ExportTable(const TableName& name, const std::string& folder,
                                   const ExportOptions& options) override;
  Result<BulkLoadResult> ImportTable(const std::string& folder,
                                     const ImportOptions& options) override;
  Status Backup(const std::string& target) override;

 private:
  // Asks the master for a change and waits until its procedure has ended.
  template <typename Response, typename Request>
  Status Run(const std::string& method, Request* request);
  // The same of what only Bennu's masters do (bennu.StoreService). NotSupported: this one is not.
  template <typename Request>
  Status RunInStore(const std::string& method, Request* request);
  Status AwaitProcedure(uint64_t id);
  // Regions of an enabled table, as hbase:meta has them.
  Result<std::vector<RegionLocation>> EnabledRegions(const TableName& name);
  // Of any table. NotFound.
  Result<RegionLocation> FindRegion(const std::string& encoded_name);
  Status FlushOne(const RegionLocation& region, const Bytes& family);
  Status CompactOne(const RegionLocation& region, const Bytes& family, bool major);
  Result<CompactionState> AskCompactionState(const RegionLocation& region);
  Status Split(const RegionLocation& region, const std::optional<Bytes>& row);

  Cluster* const cluster_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ADMIN_H_
