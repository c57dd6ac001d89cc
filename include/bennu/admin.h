// The data API's Admin, as HBase's: what is done to tables as a whole, to namespaces and to
// regions.
//
// Every method is pure virtual, so that the compiler shows what an implementation lacks. A store
// that cannot do something implements the method as a refusal: NotSupported, with what to do
// instead.
//
// Thread-safe.
#ifndef BENNU_ADMIN_H_
#define BENNU_ADMIN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bulk_load.h"
#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu {

// Which compactions of a region are running. Source: HBase's CompactionState.
enum class CompactionState { kNone, kMinor, kMajor, kMajorAndMinor };

// The state of two regions together.
inline CompactionState Together(CompactionState left, CompactionState right) {
  return static_cast<CompactionState>(static_cast<int>(left) | static_cast<int>(right));
}

// A region as it is at the moment.
struct RegionStatus {
  RegionInfo info;
  // A region is opened at its first use, and closed when its table is disabled. The other fields
  // are known for open regions, and for regions that were open when their table was disabled.
  bool open = false;
  size_t stores = 0;  // families
  size_t store_files = 0;
  uint64_t file_bytes = 0;
  uint64_t memstore_bytes = 0;
  uint64_t uncompressed_bytes = 0;  // of the files' blocks
  uint64_t index_bytes = 0;         // of all levels of their indexes of data, uncompressed
  uint64_t bloom_bytes = 0;         // of their filters of rows or columns
  uint64_t root_index_bytes = 0;    // the part of the indexes that is always in memory
  size_t largest_store_files = 0;   // of the family with the most files
  size_t reference_files = 0;       // to the files of regions that were split or merged
  int64_t oldest_file_millis = 0;   // when the first of its files was written; 0: unknown
  int64_t newest_file_millis = 0;
  int64_t file_millis_sum = 0;  // of the files whose time is known
  size_t dated_files = 0;       // the number of these files
  // When the oldest of its files that come from major compactions was written; 0: there is none.
  int64_t last_major_compaction_millis = 0;
  bool has_references = false;  // to files that a split or merge has not rewritten yet
  CompactionState compaction = CompactionState::kNone;
};

// A namespace. HBase's hbase.namespace.quota.maxtables and .maxregions must be positive numbers.
// They are kept and limit nothing, as in an HBase without quotas.
struct NamespaceDescriptor {
  std::string name;
  std::map<std::string, std::string> properties;  // kept verbatim

  friend bool operator==(const NamespaceDescriptor&, const NamespaceDescriptor&) = default;
};

// A snapshot of a table: its descriptor, its regions and the names of its files at one moment, by
// reference. Nothing is copied; the files stay as long as a snapshot names them. (bennu::Snapshot
// is something else: a moment to read at.)
struct SnapshotDescription {
  enum class Type { kDisabled, kFlush, kSkipFlush };  // how it was taken

  std::string name;
  TableName table;
  int64_t creation_millis = 0;
  Type type = Type::kFlush;
  int64_t ttl_seconds = 0;  // deleted when older; 0: it stays until it is deleted
  std::string owner;        // may be empty
  size_t region_count = 0;
  size_t file_count = 0;
  uint64_t file_bytes = 0;
};

// A file that a snapshot names.
struct SnapshotFile {
  Bytes family;
  std::string name;  // as it is called in the table: an HFile's, a link's or a reference's
  uint64_t size_bytes = 0;
};

// A region as it was when its table's snapshot was taken.
struct SnapshotRegion {
  RegionInfo info;
  std::vector<SnapshotFile> files;
};

// All that a snapshot names.
struct SnapshotContents {
  SnapshotDescription description;
  TableDescriptor descriptor;
  std::vector<SnapshotRegion> regions;  // in key order; parents of splits, whose files count, too
};

// How Admin::SnapshotTable takes one.
struct SnapshotOptions {
  bool skip_flush = false;  // leaves out data that is only in memory
  int64_t ttl_seconds = 0;
  std::string owner;
};

// What is done to tables as a whole, to namespaces, regions and snapshots. HBase's Admin.
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

  // Empties a disabled table and its indexes, and enables it: one region, or with 'preserve_splits'
  // regions as they were, under new names. Durable and all-or-nothing: after a crash it is the old
  // table, disabled, or the new one. FailedPrecondition: it is enabled.
  virtual Status TruncateTable(const TableName& name, bool preserve_splits) = 0;

  virtual Status CreateNamespace(const std::string& name) = 0;  // AlreadyExists
  virtual Status DropNamespace(const std::string& name) = 0;    // FailedPrecondition: not empty
  virtual Result<std::vector<std::string>> ListNamespaces() = 0;
  // AlreadyExists. InvalidArgument: an invalid property (see NamespaceDescriptor).
  virtual Status CreateNamespaceWith(const NamespaceDescriptor& descriptor) = 0;
  // Replaces all properties. NotFound; InvalidArgument as above.
  virtual Status AlterNamespace(const NamespaceDescriptor& descriptor) = 0;
  virtual Result<NamespaceDescriptor> DescribeNamespace(const std::string& name) = 0;  // NotFound

  // Each returns when the work is done.
  virtual Status Flush(const TableName& name) = 0;
  virtual Status Compact(const TableName& name, bool major) = 0;
  // The same for one family. NotFound: the table has no such family.
  virtual Status FlushFamily(const TableName& name, const Bytes& family) = 0;
  virtual Status CompactFamily(const TableName& name, const Bytes& family, bool major) = 0;

  // ---- regions. A region is named by its encoded name (RegionInfo::EncodedName). Tables stay in
  // use while their regions change; writers of the rows concerned wait for a moment. Durable and
  // all-or-nothing. Return when the change is done; the files are rewritten later, by a compaction.

  virtual Result<std::vector<RegionStatus>> ListRegions(const TableName& name) = 0;
  // Flush and Compact of one region; of one family of it unless 'family' is empty. NotFound: there
  // is no such region or family.
  virtual Status FlushRegion(const std::string& encoded_name, const Bytes& family) = 0;
  virtual Status CompactRegion(const std::string& encoded_name, const Bytes& family,
                               bool major) = 0;
  // The state of the region's running compaction, also of one that the store began by itself.
  // NotFound: there is no such region.
  virtual Result<CompactionState> GetCompactionState(const std::string& encoded_name) = 0;
  // The state of all regions of the table together; kNone for a disabled table. NotFound: there is
  // no such table.
  virtual Result<CompactionState> GetTableCompactionState(const TableName& name) = 0;
  // With a row: splits the region that holds the row, which becomes the first row of the upper
  // part. Without a row: splits every region that has a middle (a single block of data has none).
  // FailedPrecondition: the table's SPLIT_POLICY or SPLIT_ENABLED forbids it, or no region could be
  // split.
  virtual Status SplitTable(const TableName& name, const std::optional<Bytes>& row) = 0;
  virtual Status SplitRegion(const std::string& encoded_name, const std::optional<Bytes>& row) = 0;
  // Two regions or more that follow each other, in any order, become one. FailedPrecondition: the
  // table's MERGE_ENABLED forbids it.
  virtual Status MergeRegions(const std::vector<std::string>& encoded_names) = 0;

  // ---- HFiles in and out. Folders are paths of this machine. Each call returns when everything is
  // done and durable.

  // Takes the HFiles of 'folder' into the table. They lie as HBase's LoadIncrementalHFiles wants
  // them, FOLDER/FAMILY/FILE; names that begin with '.' or '_' are left alone. All files are read
  // and checked before anything is changed; one that crosses a region's border is written anew, cut
  // there. All files of one region appear at once, in every family, or, after an error or crash,
  // not at all; regions are loaded one after another. Loading the same files again does no harm.
  // The cells win over cells with equal keys that were written before. InvalidArgument: the folder
  // is laid out differently, cells are not sorted or of another family. Corruption: a damaged file.
  // NotFound: no table or folder. Errors name the file and offset.
  virtual Result<BulkLoadResult> BulkLoad(const TableName& name, const std::string& folder,
                                          const BulkLoadOptions& options) = 0;
  // Writes the table as of this moment to 'folder', which must be empty or missing: its descriptor
  // as FOLDER/.tabledesc, in HBase's form, its cells as FOLDER/FAMILY/FILE. The files of a family
  // do not overlap. BulkLoad, ImportTable and HBase's LoadIncrementalHFiles take such a folder.
  virtual Result<ExportResult> ExportTable(const TableName& name, const std::string& folder,
                                           const ExportOptions& options) = 0;
  // Loads a folder that ExportTable wrote. A missing table is made, as .tabledesc describes it.
  // Without .tabledesc it gets the families of the folder, with the options that its files were
  // written with. It is split where the files suggest.
  virtual Result<BulkLoadResult> ImportTable(const std::string& folder,
                                             const ImportOptions& options) = 0;

  // ---- snapshots. In HBase's format, below .hbase-snapshot. Each change is durable and
  // all-or-nothing.

  // The snapshot has all writes that were acknowledged before the call (but see skip_flush), and
  // some of the writes that come during the call. Writers are not held up. InvalidArgument: an
  // invalid name. AlreadyExists.
  virtual Status SnapshotTable(const std::string& name, const TableName& table,
                               const SnapshotOptions& options) = 0;
  virtual Result<std::vector<SnapshotDescription>> ListSnapshots() = 0;  // by name
  virtual Result<SnapshotContents> DescribeSnapshot(const std::string& name) = 0;
  // Makes a table of the snapshot. Its stores link to the snapshot's files. AlreadyExists: there is
  // a table of this name. Corruption: a file that the snapshot names is gone.
  virtual Status CloneSnapshot(const std::string& name, const TableName& table) = 0;
  // Puts the table back to what it was: rows, regions and descriptor; its indexes are built anew. A
  // table that is gone is made again. FailedPrecondition: it is not disabled, or an index is being
  // built. A snapshot "hbase-failsafe-NAME-TIME" is taken first, and deleted when all went well.
  virtual Status RestoreSnapshot(const std::string& name) = 0;
  virtual Status DeleteSnapshot(const std::string& name) = 0;
  // Copies the snapshot with its files into the root directory of another store, where it can be
  // cloned. HBase's ExportSnapshot. The target is made if it is missing, and must not be open.
  virtual Status ExportSnapshot(const std::string& name, const std::string& target) = 0;

  // ---- backup

  // Makes 'target', which must be missing or empty, a store with all writes that were acknowledged
  // before the call. Writers go on. Files are shared by hard links where that is possible. After an
  // error or a crash the target has no hbase.version and is not a store.
  virtual Status Backup(const std::string& target) = 0;
};

}  // namespace bennu

#endif  // BENNU_ADMIN_H_
