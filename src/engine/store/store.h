// Store: one column family of one region — a memstore and HFiles in one directory.
//
//   write:  Add() into the active memstore (any number of threads at once)
//   flush:  PrepareFlush() sets the active memstore aside and starts an empty one;
//           WriteFlush() writes the set-aside cells to a file below the region's .tmp;
//           CommitFlush() moves it into the store's directory and lets go of the memory
//   read:   OpenScanner() over an immutable StoreView, so a scanner survives flushes and
//   compactions merge:  SelectCompaction() / WriteCompaction() / CommitCompaction()
//
// Thread rule: thread-safe. One flush and one compaction at a time per store (the region sees to
// it); PrepareFlush must not run beside Add (the region's update lock).
#ifndef BENNU_SRC_ENGINE_STORE_STORE_H_
#define BENNU_SRC_ENGINE_STORE_STORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/api/attributes.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/engine/memstore/memstore.h"
#include "src/engine/store/cache_warmth.h"
#include "src/engine/store/compaction_config.h"
#include "src/engine/store/compaction_request.h"
#include "src/engine/store/compaction_throttle.h"
#include "src/engine/store/in_memory_compaction.h"
#include "src/engine/store/store_file.h"
#include "src/engine/store/store_file_writer.h"
#include "src/engine/store/store_scanner.h"
#include "src/hfile/writer.h"

namespace bennu::engine {

class CompactionWatch;

struct StoreOptions {
  Env* env = nullptr;                        // must outlive the store
  hfile::BlockCache* block_cache = nullptr;  // must outlive the store; shared by all stores
  std::string store_directory;               // <root>/data/<ns>/<table>/<encoded region>/<family>
  std::string temp_directory;                // <region>/.tmp/<family>; files under construction
  std::string archive_directory;  // <root>/archive/data/<ns>/<table>/<encoded region>/<family>
  bool read_only = false;         // opened beside a holder: creates and removes nothing
  bool meta_order = false;        // hbase:meta's comparator (search keys and trailer)
  bool bounds_rows = true;        // readers are held to hbase.table.max.rowsize
  std::set<std::string> excluded_files;  // in the directory and not (yet) of the store
  RowRange rows;  // of the region; files that are references hold others as well
  uint64_t memstore_flush_bytes = 128ull << 20;    // unless the table's MEMSTORE_FLUSHSIZE says
  const api::Attributes* configuration = nullptr;  // of all stores; must outlive it; may be null
  const GivenUpIds* given_up = nullptr;            // writes that no reader sees; likewise
};

class Store {
 public:
  // Opens every file of the directory (trailer and index only), which is created when missing.
  // Files and directories starting with '.' or '_' are ignored. Corruption names the file: it is
  // damaged, or missing though the store's list has it (store_file_list.h).
  // 'table': the attributes of its descriptor.
  static Result<std::unique_ptr<Store>> Open(const StoreOptions& options,
                                             const ColumnFamilyDescriptor& family,
                                             const api::Attributes& table = {});
  ~Store();

  // New options hold for scanners and files from now on.
  void SetFamily(const ColumnFamilyDescriptor& family, const api::Attributes& table = {});
  ColumnFamilyDescriptor family() const;
  // The family's name, which stays. Valid as long as the store.
  const Bytes& name() const { return name_; }

  // ---- writing

  // Copies the cell into the active memstore under 'sequence_id'. 'hint' makes runs of ascending
  // cells cheap; one per batch and store.
  void Add(const Cell& cell, uint64_t sequence_id, MemStore::InsertHint* hint) {
    active_memstore()->Add(cell, sequence_id, hint);
  }
  // The memstore that Add writes to. Stable while the region's update lock is held shared.
  MemStore* active_memstore() const { return active_.load(std::memory_order_acquire); }
  uint64_t memstore_bytes() const;  // active and set aside

  // ---- in-memory compaction, as IN_MEMORY_COMPACTION asks for it (in_memory_compaction.cc)

  // Past so many bytes the active memstore is set aside into the pipeline; 0: it never is.
  uint64_t in_memory_flush_bytes() const;
  // Sets the active memstore aside if it is due. Not beside Add (the region's update lock).
  bool PrepareInMemoryFlush();
  // Makes what was set aside flat, and one if there are many parts. Not beside a flush. Returns the
  // bytes that this freed.
  Result<uint64_t> CompactInMemory(uint64_t smallest_read_point, int64_t now_millis);

  // ---- flush

  // Returns whether there is anything to flush. 'flush_sequence_id' becomes the file's
  // MAX_SEQ_ID_KEY: no cell in it has a larger one. If an earlier flush failed, its cells are still
  // set aside and are part of this one.
  bool PrepareFlush(uint64_t flush_sequence_id);
  // Cells that no reader at or after 'smallest_read_point' can see are left out. Several files when
  // the store is striped; none when nothing is left.
  Result<PendingFiles> WriteFlush(uint64_t smallest_read_point, int64_t now_millis);
  Status CommitFlush(const PendingFiles& files);

  // ---- compaction

  // What to merge next by the store's engine and policy, or no inputs when nothing needs it;
  // 'major' takes every file.
  CompactionRequest SelectCompaction(bool major) const;
  // Cancelled: '*cancelled' became true; nothing of the result is left. 'throttle' and 'watch' may
  // be null.
  Result<PendingFiles> WriteCompaction(const CompactionRequest& request,
                                       uint64_t smallest_read_point, int64_t now_millis,
                                       const std::atomic<bool>* cancelled,
                                       CompactionThrottle* throttle = nullptr,
                                       CompactionWatch* watch = nullptr);
  // Moves the result in and the inputs to the archive. Durable: after a crash either the inputs or
  // the result are there (the region writes its COMPACTION marker to the WAL before).
  Status CommitCompaction(const CompactionRequest& request, const PendingFiles& files);
  // Whether this round over all regions looks what is due here; see CompactionConfig.
  bool is_checked_in(uint64_t round) const { return round % config().check_rounds == 0; }
  // More than hbase.hstore.blockingStoreFiles. In stripes one file each but for one is not counted,
  // or the flushes of a store that was divided often would wait for merges that nothing is worth
  // (HBase counts them and tells users to raise the limit).
  bool has_too_many_files() const;
  // How near the store is to having too many files; above 1: past it.
  double compaction_pressure() const;
  // Tries again to get out of the way what failed flushes and compactions left in the directory.
  void RemoveStrays();
  // Writes what a minor compaction of 'file' alone would leave of it as a file in 'directory', of
  // another region's store, with the keys that 'move' gives to rows; rows for which it gives none
  // are left out. 'move' keeps the order of rows. None when nothing is left.
  using MoveRow = std::function<Result<bool>(ByteView row, Bytes* moved)>;
  Result<PendingFiles> WriteMoved(const std::shared_ptr<const StoreFile>& file,
                                  const std::string& directory, uint64_t smallest_read_point,
                                  int64_t now_millis, const MoveRow& move) const;
  // Recovery of a compaction whose marker was logged but whose inputs are still there.
  Status ArchiveFiles(const std::vector<std::string>& names);

  // ---- bulk load (region_bulk_load.h)

  // Opens a file that was moved into the directory. It is not part of the store yet.
  Result<std::shared_ptr<const StoreFile>> OpenFile(const std::string& name) const;
  // Makes them part of the store, with this id for their cells. Readers of earlier moments do not
  // see them.
  void AddLoadedFiles(const std::vector<std::shared_ptr<const StoreFile>>& files,
                      uint64_t cell_sequence_id);
  // Writes the list anew, after AddLoadedFiles.
  Status SaveFileList();

  // ---- reading

  // What a reader of the moment reads, and by which rules.
  struct Reading {
    std::shared_ptr<const FamilyRules> family;
    std::shared_ptr<const StoreView> view;
    bool meta_order = false;  // rows in the order of hbase:meta
  };
  Reading StartReading() const;
  // Scans this family alone. 'read_point': cells with larger sequence ids are not seen.
  Result<std::unique_ptr<StoreScanner>> OpenScanner(const Scan& scan, uint64_t read_point,
                                                    int64_t now_millis) const;
  // The same of what StartReading gave, or a view that was made of it.
  Result<std::unique_ptr<StoreScanner>> OpenScanner(Reading reading, const Scan& scan,
                                                    uint64_t read_point, int64_t now_millis) const;
  std::shared_ptr<const StoreView> view() const;
  // The newest timestamp of the row's cells and markers, whoever sees them, if it is 'at_least' or
  // later. Sources that hold nothing so late are not looked into.
  Result<std::optional<int64_t>> NewestTimestamp(ByteView row, int64_t at_least) const {
    return NewestTimestamp(StartReading(), row, at_least);
  }
  // The same of what 'reading' reads, for many rows that nobody else writes.
  Result<std::optional<int64_t>> NewestTimestamp(const Reading& reading, ByteView row,
                                                 int64_t at_least) const;

  // ---- facts
  uint64_t max_flushed_sequence_id() const;  // edits up to it are in files; 0 without files
  uint64_t max_sequence_id() const;          // over files and memstores
  int64_t max_timestamp() const;             // likewise; -1 when there are no cells
  std::vector<std::string> file_names() const;
  uint64_t size_bytes() const;  // of all files
  bool has_references() const;  // to files of a region that this one came from
  // A row that halves the store, from its largest file; nothing when there is none (no file, a
  // reference, or too few rows). Source: HBase's StoreUtils.getSplitPoint.
  Result<std::optional<Bytes>> SplitPoint() const;
  // At most 'count' - 1 rows that cut the range into parts of about equal size (for morsels).
  Result<std::vector<Bytes>> SplitRows(const RowRange& range, size_t count) const;

  // Of a store that is only read: the bulk loaded files that were in the directory when it was
  // opened, without the excluded ones.
  const std::set<std::string>& loaded_when_opened() const { return loaded_when_opened_; }

 private:
  Store(const StoreOptions& options, Bytes name);
  Status OpenFiles();
  Result<std::vector<std::shared_ptr<const StoreFile>>> OpenPresentFiles();
  // The same, or an error when a file is missing that the store's list has. '*list_is_right': the
  // list names just these files.
  Result<std::vector<std::shared_ptr<const StoreFile>>> OpenListedFiles(bool* list_is_right);
  // Makes 'files' the store's. An error: the list does not know of it yet.
  Status ReplaceFiles(std::vector<std::shared_ptr<const StoreFile>> files) REQUIRES(files_mu_);
  std::shared_ptr<const FamilyRules> rules() const;
  CompactionConfig config() const;
  void SetActiveAside() REQUIRES(mu_);
  Result<std::shared_ptr<MemStore>> WithoutSurplus(
      const std::vector<std::shared_ptr<MemStore>>& parts, uint64_t smallest_read_point,
      int64_t now_millis) const;
  hfile::WriterOptions MakeWriterOptions(bool tags) const;
  hfile::ReaderOptions MakeReaderOptions() const;
  std::unique_ptr<StoreFileWriter> MakeFileWriter(const std::string& directory,
                                                  hfile::WriterOptions file,
                                                  hfile::StoreFileFacts facts, uint64_t flushed,
                                                  uint64_t flushed_before) const;
  Result<std::shared_ptr<const StoreFile>> MoveIntoStore(const PendingFile& file);
  Result<std::vector<std::shared_ptr<const StoreFile>>> MoveIntoStore(const PendingFiles& files,
                                                                      const CacheWarmth& warmth);
  Status MoveFlushIn(const PendingFiles& files);
  // '*replaced': the results have taken the inputs' place, whatever happened then.
  Status ReplaceInputs(const CompactionRequest& request, const PendingFiles& files, bool* replaced);
  void NoteStrays(const std::vector<std::string>& names);
  Status ArchiveStrays() REQUIRES(files_mu_);
  Status Archive(const std::string& name);

  const StoreOptions options_;
  const Bytes name_;
  std::set<std::string> loaded_when_opened_;  // changes while it is opened alone
  Mutex files_mu_;  // held while the files change on disk and in view_; taken before mu_
  // Names that a flush or compaction that failed may have left in the directory: its results, which
  // are not used, or its inputs, which are replaced. An opening would take them for files of the
  // store, and what later compactions drop would come back. As long as there are some, no
  // compaction takes place: the results that name them as inputs must stay.
  std::vector<std::string> strays_ GUARDED_BY(files_mu_);
  mutable Mutex mu_;
  ColumnFamilyDescriptor family_ GUARDED_BY(mu_);
  std::shared_ptr<const FamilyRules> rules_ GUARDED_BY(mu_);  // of family_
  CompactionConfig config_ GUARDED_BY(mu_);
  InMemoryCompactionConfig in_memory_ GUARDED_BY(mu_);
  hfile::ReaderOptions reader_options_ GUARDED_BY(mu_);
  std::shared_ptr<const StoreView> view_ GUARDED_BY(mu_);
  uint64_t flush_sequence_id_ GUARDED_BY(mu_) = 0;
  // Owned by view_; written under mu_ while the region's update lock keeps writers out.
  std::atomic<MemStore*> active_{nullptr};
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_STORE_H_
