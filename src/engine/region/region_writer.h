// RegionWriter: what makes a write of several families and rows one.
//
//   check -> lock rows -> stamp -> log (id) -> memstores -> unlock -> [sync] -> publish
//
// Thread-safe.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_WRITER_H_
#define BENNU_SRC_ENGINE_REGION_REGION_WRITER_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bennu/mutation.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/api/table_changes.h"
#include "src/engine/region/region_opener.h"
#include "src/engine/region/region_state.h"
#include "src/engine/region/region_write.h"
#include "src/engine/region/write_pressure.h"
#include "src/engine/region/write_scratch.h"

namespace bennu::engine {

class RegionWriter {
 public:
  // Both must outlive this.
  RegionWriter(RegionState* state, RegionOpener* opener)
      : state_(state), services_(state->services), opener_(opener) {}

  // Whether the memstores hold more than the table's MEMSTORE_FLUSHSIZE times
  // hbase.hregion.memstore.block.multiplier. Writers are to wait then, those of other regions not.
  bool is_overfull() const { return state_->memstores.is_overfull(); }
  // Before a write, while nothing is held that a flush waits for: returns when it is no longer
  // overfull. ResourceExhausted (HBase's RegionTooBusyException): no flush made room in time.
  Status WaitForRoom() { return is_overfull() ? WaitForFlush() : Status::Ok(); }

  // Applies the rows of 'batch' whose indexes are given in the order of their keys (repeats
  // allowed). OK: 'write' is told later; an error: nothing happened and it is not told. Aborted:
  // the region is frozen or has moved away (see WaitWhileFrozen); so the next ones.
  // '*results', unless null, has a place for every mutation of the batch; those of 'rows' are set
  // as Table::Mutate says, and count once 'write' is told.
  Status Write(MutationBatch* batch, std::span<const uint32_t> rows, RegionWrite* write,
               std::vector<Row>* results);

  // api::ObservedStore::DeriveFromRows, of the 'chosen' ones of the rows, which are of this region.
  Status DeriveFromRows(std::span<const api::ReadRow> rows, std::span<const uint32_t> chosen,
                        api::RowDeriver* deriver, RegionWrite* write);

  // Write, without a look for an observer, that is one unit with the rows of other tables
  // (api::TableChanges says which these may be). 'batch' may be empty, and is without options.
  Status WriteWith(MutationBatch* batch, std::span<const uint32_t> rows,
                   const api::TableRows& others, RegionWrite* write);

  // Table::CheckAndMutate; whether the condition held. 'write' is told later, in any case once what
  // was seen is published. 'results' as above.
  Result<bool> CheckAndWrite(const Table::Condition& condition, MutationBatch* batch,
                             RegionWrite* write, std::vector<Row>* results);
  // The same if all conditions hold. Their rows, and those of the batch, which may be empty, are
  // any of the region; else InvalidArgument.
  Result<bool> CheckRowsAndWrite(std::span<const Table::Condition> conditions, MutationBatch* batch,
                                 RegionWrite* write, std::vector<Row>* results);

  // After one of them gave Aborted: returns when the region is not frozen any more. Then the table
  // must be asked again whose the row is. An error only in a NoWaitScope.
  Status WaitWhileFrozen() { return state_->WaitWhileFrozen(); }

  // The observer of the table's writes changed: the next write asks for it. When this returns no
  // write that the old one saw, or that none saw, is between its locks and its memstores: all that
  // come later are observed by the new one.
  void ForgetObserver();

  // Puts the cells of a replayed log entry into the memstores. Cells that are in a file already are
  // left out. Returns how many were taken.
  Result<size_t> Replay(ByteView cells, size_t cell_count, uint64_t sequence_id);

  // Of the writes since the region was opened, as BusyRegionSplitPolicy looks at them: how old it
  // is, and which share of the last 'window_millis' met full memstores (write_pressure.h).
  struct Pressure {
    int64_t age_millis = 0;
    double held_up_share = 0;
  };
  Pressure MeasurePressure(int64_t window_millis);

 private:
  // Whose rows are locked while conditions are looked at: indexes of the batch in key order.
  struct HeldRows {
    const MutationBatch* batch;
    std::span<const uint32_t> order;
  };

  Status WaitForFlush();
  // Before a write takes its locks.
  Status KnowObserver() {
    return state_->observer_known.load(std::memory_order_acquire) ? Status::Ok() : AskForObserver();
  }
  Status AskForObserver();
  bool MayTryAgain(const Status& status) const;

  // Of checked mutations, what is known of them in the thread's scratch. Unlocks after success.
  Status WriteLocked(MutationBatch* batch, std::span<const uint32_t> rows, int64_t not_before,
                     RowLockGuard* locks, RegionWrite* write);
  Status StampAndLog(MutationBatch* batch, std::span<const uint32_t> rows, int64_t not_before,
                     WriteScratch* scratch, RegionWrite* write, wal::Ticket* ticket,
                     wal::SyncLevel* level, bool* logged);
  // Of mutations that read first.
  Status Mutate(const MutationBatch& batch, std::span<const uint32_t> rows, RegionWrite* write,
                std::vector<Row>* results);
  // '*resolved': what ResolveMutations made of them.
  Status WriteResolved(const MutationBatch& batch, std::span<const uint32_t> rows,
                       MutationBatch* resolved, int64_t not_before, RowLockGuard* locks,
                       RegionWrite* write, std::vector<Row>* results);
  Result<bool> CheckHeldAndWrite(std::span<const Table::Condition> conditions, const HeldRows& held,
                                 MutationBatch* batch, std::span<const uint32_t> rows,
                                 RegionWrite* write, std::vector<Row>* results);

  RegionState* const state_;
  const RegionServices* const services_;
  RegionOpener* const opener_;
  // Counted by writers; a stale value changes a share by little.
  std::atomic<uint64_t> writes_{0};
  std::atomic<uint64_t> held_up_writes_{0};
  Mutex pressure_mu_;
  std::optional<WritePressure> pressure_ GUARDED_BY(pressure_mu_);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_WRITER_H_
