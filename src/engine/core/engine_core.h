// EngineCore: what the connection, its tables and its admin share; owned by the connection.
#ifndef BENNU_SRC_ENGINE_CORE_ENGINE_CORE_H_
#define BENNU_SRC_ENGINE_CORE_ENGINE_CORE_H_

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/api/table_changes.h"
#include "src/base/mutex.h"
#include "src/base/thread_pool.h"
#include "src/engine/core/archive_cleaner.h"
#include "src/engine/core/engine_options.h"
#include "src/engine/core/maintenance.h"
#include "src/engine/core/split_policy.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/directory/root_layout.h"
#include "src/engine/region/region.h"
#include "src/hfile/block_cache.h"
#include "src/wal/wal.h"

namespace bennu::engine {

class CatalogJanitor;
class DescriptorWatch;
class LogRecovery;
class RegionChanges;

using RegionList = std::vector<std::shared_ptr<Region>>;  // in key order, without gaps

// The region that holds 'row': an index into 'regions'.
size_t FindRegion(const RegionList& regions, ByteView row);

// A table as it is now. Thread-safe; outlives its drop for those who hold it.
class TableEntry {
 public:
  TableEntry(const TableDescriptor& descriptor, RegionList regions)
      : name_(descriptor.name),
        descriptor_(descriptor),
        regions_(std::make_shared<const RegionList>(std::move(regions))) {}

  const TableName& name() const { return name_; }
  TableDescriptor descriptor() const {
    MutexLock lock(&mu_);
    return descriptor_;
  }
  bool HasFamily(ByteView family) const {
    MutexLock lock(&mu_);
    return descriptor_.FindFamily(family) != nullptr;
  }
  void set_descriptor(const TableDescriptor& descriptor) {
    MutexLock lock(&mu_);
    descriptor_ = descriptor;
  }
  // As of now. A reader that takes it after its read point finds all that it may see there: what a
  // split or merge replaced stays readable, and holds everything up to the replacement.
  std::shared_ptr<const RegionList> regions() const {
    MutexLock lock(&mu_);
    return regions_;
  }
  // Puts 'children' in the place of 'parents', which follow each other.
  void ReplaceRegions(const RegionList& parents, const RegionList& children);
  bool dropped() const { return dropped_.load(std::memory_order_acquire); }
  void set_dropped() { dropped_.store(true, std::memory_order_release); }
  bool disabled() const { return disabled_.load(std::memory_order_acquire); }
  // Its regions, and those that come in their place, are at rest meanwhile.
  void SetDisabled(bool disabled);
  // OK, NotFound after a drop, FailedPrecondition while disabled.
  Status CheckUsable() const;

 private:
  const TableName name_;
  mutable Mutex mu_;
  TableDescriptor descriptor_ GUARDED_BY(mu_);
  std::shared_ptr<const RegionList> regions_ GUARDED_BY(mu_);
  std::atomic<bool> dropped_{false};
  std::atomic<bool> disabled_{false};
};

class EngineCore final : public TableRegions {
 public:
  EngineCore(const std::string& path, const EngineOptions& options);
  ~EngineCore() override;

  Status Open();
  Status Close();
  // Names this process in hbase:meta as the server of all regions of enabled tables.
  Status ClaimRegions();

  // FailedPrecondition when the namespace's directory holds data of a table that is not known.
  Status CheckHoldsNoData(const std::string& name_space) const;

  Result<std::shared_ptr<TableEntry>> FindTable(const TableName& name) const;
  Result<std::shared_ptr<Region>> RegionOf(const TableName& table, ByteView row) override;
  std::vector<std::shared_ptr<TableEntry>> AllTables() const;
  std::vector<std::shared_ptr<Region>> AllRegions() const;
  void AddTable(std::shared_ptr<TableEntry> table);
  void RemoveTable(const TableName& name);

  // Touches no file; see Region::Make.
  std::shared_ptr<Region> MakeRegion(const RegionInfo& info,
                                     std::shared_ptr<const TableDescriptor> descriptor);
  RegionList MakeRegions(const TableDescriptor& descriptor, const std::vector<RegionInfo>& infos);
  // Opens those that are not.
  Status OpenRegions(const RegionList& regions);
  // The same at the opening of the store: those that hold what is not supported stay closed.
  Status OpenSupportedRegions(const RegionList& regions);
  // The same with regions whose files may be of another store: ids that come are above theirs.
  Status OpenNewRegions(const RegionList& regions);
  SplitPolicy SplitPolicyOf(const TableDescriptor& descriptor) const;
  // Writes rows of hbase:meta or hbase:namespace; the clock moves on first, so that a new row is
  // not hidden by an earlier deletion in the same millisecond.
  Status WriteCatalog(const TableName& name, MutationBatch* batch) {
    return WriteCatalogWith(name, batch, {});
  }
  // The same, as one unit with rows of other tables.
  Status WriteCatalogWith(const TableName& name, MutationBatch* batch,
                          const api::TableRows& others);
  std::shared_ptr<Region> CatalogRegion(const TableName& name) const;

  // Goes on in a new file of the log. FailedPrecondition: the store is read-only.
  Status RollLog();

  // Notes durably that ids up to this one are used, before a file with such ids comes. Cheap when
  // it is noted already.
  Status NoteSequenceId(uint64_t sequence_id);
  Status NoteClock();

  // After a write ended with 'status': closes the gate if the log is lost.
  void NoteWriteOutcome(const Status& status);

  // Clears the place of a table that is not known, when a drop or creation that did not end left
  // what is there. False: it holds data.
  Result<bool> RemoveLeftover(const TableName& table);

  const EngineOptions options;
  const std::unique_ptr<Env> memory_env;  // of a store in memory; else null
  Env* const env;
  const RootLayout layout;
  ArchiveCleaner archive_cleaner;
  const SnapshotFiles snapshot_files;

  // In the order of construction: each needs those before it.
  hfile::BlockCache block_cache;
  StoreClock clock;
  Mvcc mvcc{0};
  ReadPoints read_points{&mvcc};
  WriteGate gate;
  MemoryBudget memory;
  CompactionThrottle compaction_throttle;
  std::atomic<bool> compactions_on;  // HBase's compaction_switch, read by the regions
  RegionServices services;
  std::unique_ptr<ThreadPool> query_pool;
  // These are null in a store opened to read.
  std::unique_ptr<CatalogJanitor> janitor;
  std::unique_ptr<RegionChanges> region_changes;
  std::unique_ptr<Maintenance> maintenance;
  Mutex ddl_mu;  // one change of the catalog at a time

  // As Engine's. A note that cannot be written is done without.
  void SetHolderNote(const std::string& note) {
    if (lock_ != nullptr) (void)lock_->SetNote(note);
  }

 private:
  Status OpenToRead();
  // Aborted (read-only): another process changed the store so that no one moment of it was read.
  Status OpenOnce();
  Status NameServers(const std::set<std::string>& servers);
  Status FlushAll();
  Status OpenCatalog();
  Result<TableDescriptor> ReadDescriptor(const TableName& name,
                                         const std::vector<RegionInfo>& infos);
  Status AddUserTables(const MetaContents& contents, DescriptorWatch* descriptors);
  Status RecoverRegions(LogRecovery* recovery, bool ids_are_known, uint64_t* max_sequence_id);
  Status OpenLog(uint64_t first_sequence_id);
  Status StartMaintenance(const MetaContents& contents);
  Status CleanOrphans();
  Status CleanNamespace(const std::string& name_space, bool is_known);
  Status CleanAlteration(const TableEntry& table);
  Status CleanTable(const TableEntry& table);
  Status CleanRegion(const TableEntry& table, const std::string& encoded);
  Status ArchiveOrphan(const TableEntry& table, const std::string& encoded);
  Result<MetaContents> ReadCatalog();
  Status NoteForNextStart(uint64_t sequence_id, uint64_t fingerprint);
  // How each of them opened; in parallel when there are many.
  std::vector<Status> TryOpen(const RegionList& regions);
  Status WriteNotesNow(uint64_t sequence_id) REQUIRES(notes_mu_);
  void Forget();

  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<wal::Wal> wal_;
  mutable Mutex tables_mu_;
  std::map<TableName, std::shared_ptr<TableEntry>> tables_ GUARDED_BY(tables_mu_);
  Mutex notes_mu_;
  StoreNotes notes_ GUARDED_BY(notes_mu_);  // as they stand on disk
  // Written by the opening alone. What ids their files use is not known.
  bool has_refused_regions_ = false;
  bool closed_ = false;
  uint64_t replayed_edits_ = 0;

 public:
  uint64_t replayed_edits() const { return replayed_edits_; }
  const wal::Wal* wal() const { return wal_.get(); }
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_ENGINE_CORE_H_
