// Region: the rows of a table between two keys; a Store for each family, and what makes a write of
// several families one: row locks, one log entry, one sequence id.
//
//   write    validate -> lock rows -> stamp -> log (id) -> memstores -> unlock -> [sync] -> publish
//   flush    all stores at one sequence id; writers stop for the switch of pointers only
//   read     see region_scanner.h
//
// Thread-safe. Locks, in the order in which they are taken: open_mu_, flush_mu_ or a compaction's,
// row locks, update_mu_, then those of log, Mvcc and stores.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_H_
#define BENNU_SRC_ENGINE_REGION_REGION_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/status_macros.h"
#include "src/engine/region/bulk_load_journal.h"
#include "src/engine/region/region_services.h"
#include "src/engine/region/region_write.h"
#include "src/engine/region/row_locks.h"
#include "src/engine/region/write_pressure.h"
#include "src/engine/store/store.h"

namespace bennu::engine {

class CompactionWatch;

// An empty file in a family's directory, named with the last sequence id before the family came.
inline constexpr std::string_view kReplayFloorPrefix = ".floor.";

// The stores of a region, by family name. Immutable; replaced when the table is altered.
struct StoreSet {
  struct Entry {
    Bytes family;
    std::shared_ptr<Store> store;
    // Log entries up to this id are not for this store: they were for an earlier family of the
    // same name (see AlterTable).
    uint64_t replay_floor = 0;
  };
  std::vector<Entry> entries;
  // Who observes writes. It stands here because every write looks, before it takes effect, whether
  // the stores are still those that it was checked against.
  std::shared_ptr<api::WriteObserver> observer;
  bool observer_known = false;  // 'observer' was asked for

  // Index of the family, -1 when there is none.
  int Find(ByteView family) const {
    for (size_t i = 0; i < entries.size(); ++i) {
      if (ByteView(entries[i].family) == family) return static_cast<int>(i);
    }
    return -1;
  }
};

class Region : public std::enable_shared_from_this<Region> {
 public:
  struct Paths {
    std::string directory;          // <root>/data/<ns>/<table>/<encoded>
    std::string archive_directory;  // <root>/archive/data/<ns>/<table>/<encoded>
  };

  // Touches no file: the stores are opened by the first who needs them (EnsureOpen). 'services'
  // must outlive the region.
  static std::shared_ptr<Region> Make(const RegionServices* services, const Paths& paths,
                                      const RegionInfo& info,
                                      std::shared_ptr<const TableDescriptor> descriptor,
                                      bool read_only);
  ~Region();

  // From now on the region does not open, with this error; before it has been opened. What its
  // files hold stays as it is.
  void Refuse(const Status& why);

  // Opens every store and, when there is a log, registers with it. Cheap once it is done. After an
  // error it may be tried again. NotFound: the table was dropped meanwhile. Corruption: the region
  // has lost its directory.
  Status EnsureOpen() { return opened_.load(std::memory_order_acquire) ? Status::Ok() : OpenNow(); }
  bool opened() const { return opened_.load(std::memory_order_acquire); }

  const RegionInfo& info() const { return info_; }
  const std::string& encoded_name() const { return encoded_name_; }
  const std::string& directory() const { return paths_.directory; }
  bool is_meta() const { return is_meta_; }
  // One of the tables that the store itself keeps, which no limit of sizes may stop.
  bool IsOfSystem() const { return info_.table.name_space == "hbase"; }
  // Without a store while the region is not open.
  std::shared_ptr<const StoreSet> stores() const;
  Result<std::shared_ptr<const StoreSet>> OpenedStores() {
    RETURN_IF_ERROR(EnsureOpen());
    return stores();
  }

  // Registers with the log and writes the REGION_OPEN marker, unsynced. For regions that were open
  // before the log was.
  Status StartLogging();
  // New options, and the stores of families that come; those that go are left to the caller.
  Status SetDescriptor(const TableDescriptor& descriptor);
  // The observer of the table's writes changed: the next write asks for it. When this returns no
  // write that the old one saw, or that none saw, is between its locks and its memstores: all that
  // come later are observed by the new one.
  void ForgetObserver();
  // Further writes and flushes are refused; returns when none is under way. Idempotent.
  void Close();
  // The same with a REGION_CLOSE marker. An error is the marker's: the region is closed all the
  // same.
  Status CloseAndMark();

  // ---- a split or merge: Settle, Freeze, Flush, then Thaw or MoveAway

  // Stops the compaction under way and lets no further one in: no file goes any more.
  void Settle();
  // Lets no write in. Reads go on.
  void Freeze();
  void Thaw();      // the change was given up: all goes on here
  void MoveAway();  // the rows are other regions' from now on
  // After Write, CheckAndWrite or Increment gave Aborted: returns when the region is not frozen any
  // more. Then the table must be asked again whose the row is. An error only in a NoWaitScope.
  Status WaitWhileFrozen();
  // Any store refers to files of the region that this one came from.
  bool has_references() const;
  uint64_t size_bytes() const;  // of all store files
  // What Admin::ListRegions tells of it. While the region is not open: what it was told to recall.
  RegionStatus Describe() const;
  // Of a region that was closed with its table, for as long as it stays so.
  void Recall(RegionStatus status);

  // ---- writing (region_write.cc)

  // Whether the memstores hold more than the table's MEMSTORE_FLUSHSIZE times
  // hbase.hregion.memstore.block.multiplier. Writers are to wait then, those of other regions not.
  bool is_overfull() const {
    return accounted_bytes() > block_bytes_.load(std::memory_order_relaxed);
  }
  // Before a write, while nothing is held that a flush waits for: returns when it is no longer
  // overfull. ResourceExhausted (HBase's RegionTooBusyException): no flush made room in time.
  Status WaitForRoom() { return is_overfull() ? WaitForFlush() : Status::Ok(); }

  // Applies the rows of 'batch' whose indexes are given in the order of their keys (repeats
  // allowed). OK: 'write' is told later; an error: nothing happened and it is not told. Aborted:
  // the region is frozen or has moved away (see WaitWhileFrozen); so the next one.
  // '*results', unless null, has a place for every mutation of the batch; those of 'rows' are set
  // as Table::Mutate says, and count once 'write' is told.
  Status Write(MutationBatch* batch, std::span<const uint32_t> rows, RegionWrite* write,
               std::vector<Row>* results);

  // api::ObservedStore::DeriveFromRows, of the 'chosen' ones of the rows, which are of this region.
  // As Write.
  Status DeriveFromRows(std::span<const api::ReadRow> rows, std::span<const uint32_t> chosen,
                        api::RowDeriver* deriver, RegionWrite* write);

  // Table::CheckAndMutate; whether the condition held. 'write' is told later, in any case once what
  // was seen is published. 'results' as above.
  Result<bool> CheckAndWrite(const Table::Condition& condition, MutationBatch* batch,
                             RegionWrite* write, std::vector<Row>* results);
  // The same if all conditions hold. Their rows, and those of the batch, which may be empty, are
  // any of the region; else InvalidArgument.
  Result<bool> CheckRowsAndWrite(std::span<const Table::Condition> conditions, MutationBatch* batch,
                                 RegionWrite* write, std::vector<Row>* results);

  // Puts the cells of a replayed log entry into the memstores, but for those that files hold.
  // Returns how many were taken.
  Result<size_t> Replay(ByteView cells, size_t cell_count, uint64_t sequence_id);

  // ---- flush and compaction (region_flush.cc)

  // Writes all memstores to files, or the one of 'family' unless it is empty. Returns when done;
  // nothing to do is fine.
  Status Flush(ByteView family = {});
  // Hands 'use' the stores while no flush is under way, so that their files are of one moment: what
  // was written to several families is in the files of all of them or of none. 'flush': after a
  // flush. 'use' must not flush or change the region.
  Status UseFiles(bool flush, const std::function<void(const StoreSet&)>& use);
  // The same as Flush during recovery: everything replayed has an id up to 'sequence_id'.
  Status FlushReplayed(uint64_t sequence_id);
  // Merges files of each store that needs it ('major': every file of every store) until none does.
  // 'throttle' may be null. Cancelled: a change of the region, which is under way, ended it.
  // 'family', unless empty: in its store alone.
  Status Compact(bool major, CompactionThrottle* throttle = nullptr, ByteView family = {});
  // Compact(false) would do something, in a store that this round over all regions looks at; false
  // while not open.
  bool NeedsCompaction(uint64_t round) const;
  // Of the compaction that is at work, whoever asked for it.
  CompactionState compaction_state() const { return compaction_state_.load(); }
  // The greatest of its stores; 0 while not open.
  double compaction_pressure() const;
  // Finishes a compaction found in the log: moves away inputs whose outputs are in place.
  Status FinishCompaction(ByteView family, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);
  // ---- bulk load (region_bulk_load.cc)

  // Takes the files into the stores, all at once: for readers, and whatever happens to the process.
  // They must hold cells of this region's rows and of their families only, and lie on the store's
  // file system, where they are moved from; each is given its 'name'. Writers of the region wait
  // meanwhile. To be called under the lock that keeps the region from being replaced. After an
  // error nothing was loaded and the files are where they were; or the store takes no more writes,
  // and opening it again completes the load.
  Status BulkLoad(std::vector<BulkLoadFile> files);

  // Sets active memstores aside that are due by their families' IN_MEMORY_COMPACTION, and compacts
  // what was set aside. (region_flush.cc)
  Status CompactInMemory();
  // A store has more files than hbase.hstore.blockingStoreFiles, and may be compacted.
  bool HasTooManyFiles() const;

  void CancelCompactions() { cancelled_.store(true); }
  // Of a disabled table, whose regions HBase closes: from now on no compaction begins. One that is
  // under way goes on.
  void SetAtRest(bool at_rest) { at_rest_.store(at_rest); }
  // Returns when the compaction under way has ended without a result, or with one that was nearly
  // done. Later ones may run.
  void StopCompaction();

  // Of the writes since it was opened, as BusyRegionSplitPolicy looks at them: how old it is, and
  // which share of the last 'window_millis' met full memstores (write_pressure.h).
  struct Pressure {
    int64_t age_millis = 0;
    double held_up_share = 0;
  };
  Pressure MeasurePressure(int64_t window_millis);
  uint64_t accounted_bytes() const { return accounted_bytes_.load(std::memory_order_relaxed); }
  uint64_t max_sequence_id() const;

  // What a flush is writing counts until it has ended.
  bool is_due_for_flush() const {
    return accepts_writes() && accounted_bytes() >= flush_bytes_.load();
  }

  // For the background: whether a task of this region is queued or runs already, so that no second
  // thread waits for the one that does the work. Compactions are counted, since one that was asked
  // for while another ran may have new files to look at.
  std::atomic<bool> flush_asked{false};
  std::atomic<uint32_t> compactions_asked{0};
  std::atomic<bool> in_memory_compaction_queued{false};

 private:
  struct Scratch;
  class ObservedWrite;
  class RowLockGuard;
  struct LoadedStores;
  enum class State { kOpen, kSettled, kFrozen, kMoved, kClosed };
  Region(const RegionServices* services, const Paths& paths, const RegionInfo& info,
         std::shared_ptr<const TableDescriptor> descriptor, bool read_only);
  // Neither the table nor the store's switch forbids compactions.
  bool may_compact() const {
    const std::atomic<bool>* const on = services_->compactions_on;
    return compaction_enabled_.load() && (on == nullptr || on->load());
  }

  Status OpenNow() EXCLUDES(open_mu_);
  Status PrepareDirectory(const TableDescriptor& descriptor) const;
  // The directories of families that have none yet, each of which is told to 'on_missing' first.
  Status MakeFamilies(
      const TableDescriptor& descriptor,
      const std::function<void(const std::string& family)>& on_missing = nullptr) const;
  void SetState(State state);
  Status Close(bool mark);
  State state() const { return state_.load(std::memory_order_acquire); }
  bool accepts_writes() const { return state() <= State::kSettled; }
  Result<StoreSet::Entry> OpenStore(const ColumnFamilyDescriptor& family,
                                    const TableDescriptor& table) const;
  void ReadAttributes(const TableDescriptor& descriptor);
  Status WaitForFlush();
  void Unaccount(uint64_t bytes);
  Status FlushLocked(ByteView family) REQUIRES(flush_mu_);
  // From the first on until the second is called, holding compaction_mu_, none goes on or begins.
  void AskCompactionsToStop();
  void LetCompactionsRun() REQUIRES(compaction_mu_);
  static Scratch* ThreadScratch();

  Status Validate(const MutationBatch& batch, std::span<const uint32_t> rows, Scratch* scratch);
  Status ValidateCell(const Cell& cell, ByteView row, const StoreSet& stores, int* store) const;
  Status WriteLocked(MutationBatch* batch, std::span<const uint32_t> rows, int64_t not_before,
                     RowLockGuard* locks, RegionWrite* write);
  Status StampAndLog(MutationBatch* batch, std::span<const uint32_t> rows, int64_t not_before,
                     Scratch* scratch, RegionWrite* write, wal::Ticket* ticket,
                     wal::SyncLevel* level, bool* logged);
  Status Stamp(MutationBatch* batch, int64_t now, Scratch* scratch);
  Result<int64_t> ResolveDelete(const Cell& marker, const StoreSet& stores, size_t nth,
                                int64_t now) const;
  // Under update_mu_: whether the region is still what the write was checked against.
  Status CheckUnchanged(const Scratch& scratch) const;
  wal::AppendRequest RequestOf(const MutationBatch& batch, std::span<const uint32_t> rows,
                               bool with_skipped, int64_t now, Scratch* scratch) const;
  // False: it does not go into the log.
  bool LevelOf(Durability durability, wal::SyncLevel* level) const;
  // 'with_skipped': SKIP_WAL mutations among others as well.
  uint32_t GatherPieces(const MutationBatch& batch, std::span<const uint32_t> rows,
                        bool with_skipped, Scratch* scratch) const;
  void AddToMemstores(ByteView buffer, uint64_t sequence_id, Scratch* scratch);
  void Account(uint64_t bytes);
  void NoteInMemoryFlushBytes(const StoreSet& stores);
  bool MayTryAgain(const Status& status) const;
  Durability EffectiveDurability(Durability asked) const;
  Durability DurabilityOf(const MutationBatch& batch, uint32_t index) const;
  Durability DurabilityOf(const MutationBatch& batch, std::span<const uint32_t> rows) const;

  // ---- region_observe.cc
  // Before a write takes its locks.
  Status KnowObserver() {
    return observer_known_.load(std::memory_order_acquire) ? Status::Ok() : AskForObserver();
  }
  Status AskForObserver();

  // ---- region_mutate.cc
  Status Mutate(const MutationBatch& batch, std::span<const uint32_t> rows, RegionWrite* write,
                std::vector<Row>* results);
  Status Resolve(const MutationBatch& batch, std::span<const uint32_t> rows, int64_t not_before,
                 MutationBatch* resolved) const;
  static void StampPuts(int64_t now, MutationBatch* batch);
  Status ResolveMutation(const MutationBatch& batch, uint32_t index, const StoreSet& stores,
                         int64_t now, MutationBatch* resolved) const;
  Status AddDelta(const Cell& delta, MutationKind kind, int64_t now, const Cell* current,
                  MutationBatch* resolved) const;
  Status WriteResolved(const MutationBatch& batch, std::span<const uint32_t> rows,
                       MutationBatch* resolved, int64_t not_before, RowLockGuard* locks,
                       RegionWrite* write, std::vector<Row>* results);

  // Reads one column's newest put as if everything in flight were done; under the row's lock.
  // Returns what 'use', a Status(const Cell*), says of it; null: there is none. The cell is valid
  // during the call, which must not read rows itself.
  template <typename Use>
  Status ReadNewest(ByteView row, ByteView family, ByteView qualifier, const TimeRange& time_range,
                    Use use) const;
  Result<bool> Holds(const Table::Condition& condition, int64_t* newest);
  Result<bool> Hold(std::span<const Table::Condition> conditions, int64_t* newest);
  struct HeldRows;
  Result<bool> CheckHeldAndWrite(std::span<const Table::Condition> conditions, const HeldRows& held,
                                 MutationBatch* batch, std::span<const uint32_t> rows,
                                 RegionWrite* write, std::vector<Row>* results);

  // 'is_whole': no other store holds anything, so that the log need not be kept any longer.
  Status WriteStores(const std::vector<StoreSet::Entry>& flushing, uint64_t sequence_id,
                     bool logged, bool is_whole);
  // '*watch' is who saw a compaction that was committed.
  Status CompactStore(const StoreSet::Entry& entry, bool major, CompactionThrottle* throttle,
                      bool* did, std::unique_ptr<CompactionWatch>* watch);
  Status LogMarker(const Bytes& cells, bool sync);
  void ReleaseLog(uint64_t sequence_id);
  Status LoadFrozen(std::vector<BulkLoadFile>* files);
  Status MoveLoaded(const std::vector<BulkLoadFile>& files, LoadedStores* loaded);
  Status UndoLoad(const std::vector<BulkLoadFile>& files, const Status& reason);
  Status PublishLoaded(const LoadedStores& loaded);
  Status AwaitReadPoint();

  const RegionServices* const services_;
  const Paths paths_;
  const RegionInfo info_;
  const std::string encoded_name_;
  const std::string table_text_;  // "ns:table" as the log names it
  const bool is_meta_;
  const bool read_only_;
  wal::WalRegion* wal_region_ = nullptr;

  std::atomic<bool> opened_{false};  // set once, after everything that opening sets
  Mutex open_mu_;
  // What the region is to be opened with; null once it is.
  std::shared_ptr<const TableDescriptor> descriptor_ GUARDED_BY(open_mu_);
  Status refusal_ GUARDED_BY(open_mu_);

  std::unique_ptr<RowLocks> row_locks_;  // null until opened
  // Shared: a write between its log entry and its last memstore cell. Exclusive: the switch of
  // memstores, a change of the stores, closing.
  mutable std::shared_mutex update_mu_;
  // Written under update_mu_ (exclusive) and state_mu_.
  std::atomic<State> state_{State::kOpen};
  mutable Mutex state_mu_;
  CondVar state_changed_;
  std::shared_ptr<const StoreSet> stores_;  // written under update_mu_ and stores_mu_
  mutable Mutex stores_mu_;
  std::optional<RegionStatus> recalled_ GUARDED_BY(stores_mu_);
  // stores_ says who observes writes. Written under update_mu_ (exclusive); a stale value is found
  // out about when the write looks at stores_.
  std::atomic<bool> observer_known_{false};
  uint64_t observer_changes_ GUARDED_BY(stores_mu_) = 0;
  // Bulk loads so far. Written under update_mu_ (exclusive): what a write read before one it must
  // read again.
  std::atomic<uint64_t> loads_{0};

  // Read by writers, set when the table is altered; one write under the old value is fine.
  std::atomic<uint64_t> flush_bytes_{0};
  std::atomic<int64_t> cell_bytes_max_{0};  // hbase.server.keyvalue.maxsize; 0 or less: no limit
  std::atomic<uint64_t> block_bytes_{std::numeric_limits<uint64_t>::max()};
  std::atomic<Durability> table_durability_{Durability::kUseDefault};
  std::atomic<bool> table_read_only_{false};
  std::atomic<bool> compaction_enabled_{true};  // COMPACTION_ENABLED of the table

  Mutex flush_mu_;       // one flush at a time
  Mutex compaction_mu_;  // one compaction at a time
  std::atomic<CompactionState> compaction_state_{CompactionState::kNone};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> at_rest_{false};
  int stops_asked_ GUARDED_BY(state_mu_) = 0;
  // About what the memstores hold; a hint for flushing. Writers add, a flush takes away.
  std::atomic<uint64_t> accounted_bytes_{0};
  // Counted by writers; a stale value changes a share by little.
  std::atomic<uint64_t> writes_{0};
  std::atomic<uint64_t> held_up_writes_{0};
  Mutex pressure_mu_;
  std::optional<WritePressure> pressure_ GUARDED_BY(pressure_mu_);
  // Written to memstores since the last compaction in memory; at the second it is time for one. 0:
  // no family asks for it.
  std::atomic<uint64_t> bytes_since_in_memory_{0};
  std::atomic<uint64_t> in_memory_flush_bytes_{0};
  uint64_t set_aside_bytes_ = 0;  // of the flush under way; guarded by flush_mu_
  Mutex room_mu_;
  CondVar room_made_;  // accounted_bytes_ became less
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_H_
