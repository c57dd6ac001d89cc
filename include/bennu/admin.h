// The data API's Admin, as HBase's: what is done to tables as a whole, to namespaces and to
// regions.
//
// Thread-safe.
#ifndef BENNU_ADMIN_H_
#define BENNU_ADMIN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu {

// A region as it is at the moment.
struct RegionStatus {
  RegionInfo info;
  bool open = false;  // a region is opened by its first use; the rest is known of open ones only
  size_t store_files = 0;
  uint64_t file_bytes = 0;
  uint64_t memstore_bytes = 0;
  bool has_references = false;  // of a split or merge whose rewriting is still to come
};

class Admin {
 public:
  virtual ~Admin() = default;

  // 'split_keys': first rows of all regions but the first; may be unsorted, must be distinct.
  // Durable and all-or-nothing: after a crash the table is there or it is not.
  virtual Status CreateTable(const TableDescriptor& descriptor,
                             const std::vector<Bytes>& split_keys) = 0;
  virtual Status DropTable(const TableName& name) = 0;
  // Replaces the descriptor while the table is in use. New families get a store; the data of
  // removed families is deleted. Old files follow new options at their next compaction.
  virtual Status AlterTable(const TableDescriptor& descriptor) = 0;
  // A disabled table keeps its data and its descriptor may change; reads and writes of it fail with
  // FailedPrecondition. Survives a restart. FailedPrecondition: it is disabled (enabled) already.
  virtual Status DisableTable(const TableName& name) = 0;
  virtual Status EnableTable(const TableName& name) = 0;
  virtual Result<bool> IsTableEnabled(const TableName& name) = 0;
  virtual Result<bool> TableExists(const TableName& name) = 0;
  virtual Result<std::vector<TableName>> ListTables() = 0;

  virtual Status CreateNamespace(const std::string& name) = 0;  // AlreadyExists
  virtual Status DropNamespace(const std::string& name) = 0;    // FailedPrecondition: not empty
  virtual Result<std::vector<std::string>> ListNamespaces() = 0;

  // Each returns when the work is done.
  virtual Status Flush(const TableName& name) = 0;
  virtual Status Compact(const TableName& name, bool major) = 0;

  // ---- regions; NotSupported where a store has none. A region is named by its encoded name
  // (RegionInfo::EncodedName). Tables stay in use while their regions change; writers of the rows
  // concerned wait for a moment. Durable and all-or-nothing. Return when the change is done; the
  // files are rewritten later, by a compaction.

  virtual Result<std::vector<RegionStatus>> ListRegions(const TableName& /*name*/) {
    return NotSupported("this store has no regions");
  }
  // With a row: splits the region that holds it there, so that the row is the first of the upper
  // one. Without: splits every region that has a middle (a single block of data has none).
  // FailedPrecondition: the table's SPLIT_POLICY or SPLIT_ENABLED forbids it, or no region could be
  // split.
  virtual Status SplitTable(const TableName& /*name*/, const std::optional<Bytes>& /*row*/) {
    return NotSupported("this store has no regions");
  }
  virtual Status SplitRegion(const std::string& /*encoded_name*/,
                             const std::optional<Bytes>& /*row*/) {
    return NotSupported("this store has no regions");
  }
  // Two regions or more that follow each other, in any order, become one. FailedPrecondition: the
  // table's MERGE_ENABLED forbids it.
  virtual Status MergeRegions(const std::vector<std::string>& /*encoded_names*/) {
    return NotSupported("this store has no regions");
  }
};

}  // namespace bennu

#endif  // BENNU_ADMIN_H_
