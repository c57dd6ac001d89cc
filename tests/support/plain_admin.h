// PlainAdmin: the Admin of a fake that has tables and namespaces and nothing else. It refuses what
// needs regions, files or snapshots, so that a fake says only what it has.
#ifndef BENNU_TESTS_SUPPORT_PLAIN_ADMIN_H_
#define BENNU_TESTS_SUPPORT_PLAIN_ADMIN_H_

#include <optional>
#include <string>
#include <vector>

#include "bennu/admin.h"

namespace bennu::testing {

class PlainAdmin : public Admin {
 public:
  Status TruncateTable(const TableName& /*name*/, bool /*preserve_splits*/) override {
    return Refuse("truncates no tables");
  }
  Status CreateNamespaceWith(const NamespaceDescriptor& /*descriptor*/) override {
    return Refuse("keeps no properties of namespaces");
  }
  Status AlterNamespace(const NamespaceDescriptor& /*descriptor*/) override {
    return Refuse("keeps no properties of namespaces");
  }
  Result<NamespaceDescriptor> DescribeNamespace(const std::string& /*name*/) override {
    return Refuse("keeps no properties of namespaces");
  }
  Status FlushFamily(const TableName& /*name*/, const Bytes& /*family*/) override {
    return Refuse("flushes tables as a whole");
  }
  Status CompactFamily(const TableName& /*name*/, const Bytes& /*family*/,
                       bool /*major*/) override {
    return Refuse("compacts tables as a whole");
  }

  Result<std::vector<RegionStatus>> ListRegions(const TableName& /*name*/) override {
    return Refuse(kNoRegions);
  }
  Status FlushRegion(const std::string& /*encoded_name*/, const Bytes& /*family*/) override {
    return Refuse(kNoRegions);
  }
  Status CompactRegion(const std::string& /*encoded_name*/, const Bytes& /*family*/,
                       bool /*major*/) override {
    return Refuse(kNoRegions);
  }
  Result<CompactionState> GetCompactionState(const std::string& /*encoded_name*/) override {
    return Refuse(kNoRegions);
  }
  Result<CompactionState> GetTableCompactionState(const TableName& /*name*/) override {
    return Refuse(kNoRegions);
  }
  Status SplitTable(const TableName& /*name*/, const std::optional<Bytes>& /*row*/) override {
    return Refuse(kNoRegions);
  }
  Status SplitRegion(const std::string& /*encoded_name*/,
                     const std::optional<Bytes>& /*row*/) override {
    return Refuse(kNoRegions);
  }
  Status MergeRegions(const std::vector<std::string>& /*encoded_names*/) override {
    return Refuse(kNoRegions);
  }

  Result<BulkLoadResult> BulkLoad(const TableName& /*name*/, const std::string& /*folder*/,
                                  const BulkLoadOptions& /*options*/) override {
    return Refuse(kNoFiles);
  }
  Result<ExportResult> ExportTable(const TableName& /*name*/, const std::string& /*folder*/,
                                   const ExportOptions& /*options*/) override {
    return Refuse(kNoFiles);
  }
  Result<BulkLoadResult> ImportTable(const std::string& /*folder*/,
                                     const ImportOptions& /*options*/) override {
    return Refuse(kNoFiles);
  }
  Status Backup(const std::string& /*target*/) override { return Refuse(kNoFiles); }

  Status SnapshotTable(const std::string& /*name*/, const TableName& /*table*/,
                       const SnapshotOptions& /*options*/) override {
    return Refuse(kNoSnapshots);
  }
  Result<std::vector<SnapshotDescription>> ListSnapshots() override { return Refuse(kNoSnapshots); }
  Result<SnapshotContents> DescribeSnapshot(const std::string& /*name*/) override {
    return Refuse(kNoSnapshots);
  }
  Status CloneSnapshot(const std::string& /*name*/, const TableName& /*table*/) override {
    return Refuse(kNoSnapshots);
  }
  Status RestoreSnapshot(const std::string& /*name*/) override { return Refuse(kNoSnapshots); }
  Status DeleteSnapshot(const std::string& /*name*/) override { return Refuse(kNoSnapshots); }
  Status ExportSnapshot(const std::string& /*name*/, const std::string& /*target*/) override {
    return Refuse(kNoSnapshots);
  }

 private:
  static constexpr const char* kNoRegions = "has no regions to list or change";
  static constexpr const char* kNoFiles = "has no files";
  static constexpr const char* kNoSnapshots = "has no snapshots";

  static Status Refuse(const std::string& what) {
    return NotSupported("the store in memory of the tests " + what +
                        "; use a store in a directory (engine::OpenEngine)");
  }
};

}  // namespace bennu::testing

#endif  // BENNU_TESTS_SUPPORT_PLAIN_ADMIN_H_
