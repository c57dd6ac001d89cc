#include "src/engine/region/region_writer.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <utility>

#include "src/base/hex.h"
#include "src/base/no_wait.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/engine/region/observed_write.h"
#include "src/engine/region/read_modify_write.h"
#include "src/engine/region/write_steps.h"

namespace bennu::engine {

namespace {

WriteScratch* ThreadScratch() {
  thread_local WriteScratch scratch;
  return &scratch;
}

}  // namespace

// ---- who observes

Status RegionWriter::AskForObserver() {
  uint64_t changes = 0;
  {
    MutexLock lock(&state_->stores_mu);
    changes = state_->observer_changes;
  }
  api::WriteObserverSource* const source = services_->write_observers.load();
  std::shared_ptr<api::WriteObserver> observer;
  if (source != nullptr) {
    if (NoWaitScope::Refuses()) return WouldWait();
    ASSIGN_OR_RETURN(observer, source->ObserverOf(state_->info.table));
  }
  std::unique_lock update(state_->update_mu);
  MutexLock lock(&state_->stores_mu);
  if (state_->observer_changes != changes)
    return Status::Ok();  // the write finds out and asks again
  state_->SetObserver(std::move(observer), /*known=*/true);
  return Status::Ok();
}

void RegionWriter::ForgetObserver() {
  if (state_->IsOfSystem()) return;
  std::unique_lock update(state_->update_mu);
  MutexLock lock(&state_->stores_mu);
  ++state_->observer_changes;
  if (state_->current_stores->observer_known) state_->SetObserver(nullptr, /*known=*/false);
}

// ---- writing

Status RegionWriter::Write(MutationBatch* batch, std::span<const uint32_t> rows, RegionWrite* write,
                           std::vector<Row>* results) {
  RETURN_IF_ERROR(opener_->EnsureOpen());
  writes_.fetch_add(rows.size(), std::memory_order_relaxed);
  if (!batch->plain()) return Mutate(*batch, rows, write, results);
  for (;;) {
    RETURN_IF_ERROR(KnowObserver());
    RETURN_IF_ERROR(CheckBatch(*state_, *batch, rows, ThreadScratch()));
    RowLockGuard locks(*state_, batch, rows);
    RETURN_IF_ERROR(locks.status());
    Status status = WriteLocked(batch, rows, 0, &locks, write);
    if (!MayTryAgain(status)) return status;
  }
}

// Whether the families changed while a write was on its way; else the caller has to look again.
bool RegionWriter::MayTryAgain(const Status& status) const {
  return status.code() == StatusCode::kAborted && state_->accepts_writes();
}

Status RegionWriter::WriteLocked(MutationBatch* batch, std::span<const uint32_t> rows,
                                 int64_t not_before, RowLockGuard* locks, RegionWrite* write) {
  WriteScratch* const scratch = ThreadScratch();
  // The thread may live longer than the store, whose files must be gone before its block cache.
  const std::unique_ptr<WriteScratch, void (*)(WriteScratch*)> release(
      scratch, [](WriteScratch* used) { used->stores.reset(); });
  if (state_->settings.read_only.load(std::memory_order_relaxed)) {
    return FailedPrecondition("table " + state_->table_text + " is read-only (attribute READONLY)");
  }
  if (scratch->cells.empty()) {
    locks->Unlock();
    write->OnPublished(Status::Ok());
    return Status::Ok();
  }
  scratch->loads = locks->loads();
  scratch->generation = locks->generation();
  if (!scratch->stores->observer_known) return Status(StatusCode::kAborted, "the observer changed");
  if (scratch->stores->observer != nullptr) {
    return ObservedWrite(state_, batch, rows, scratch).Run(not_before, locks, write);
  }
  wal::Ticket ticket = 0;
  wal::SyncLevel level = services_->default_sync;
  bool logged = true;
  RETURN_IF_ERROR(StampAndLog(batch, rows, not_before, scratch, write, &ticket, &level, &logged));
  locks->Unlock();
  const uint64_t bytes = scratch->memstore_bytes();
  // 'write' may be gone once it was handed over.
  if (logged) {
    services_->wal->WhenSynced(ticket, level, write);
  } else {
    services_->mvcc->Complete(write, Status::Ok());
  }
  state_->memstores.Add(bytes);
  return Status::Ok();
}

// Everything between two states of the memstores that a flush may see.
Status RegionWriter::StampAndLog(MutationBatch* batch, std::span<const uint32_t> rows,
                                 int64_t not_before, WriteScratch* scratch, RegionWrite* write,
                                 wal::Ticket* ticket, wal::SyncLevel* level, bool* logged) {
  std::shared_lock update(state_->update_mu);
  RETURN_IF_ERROR(CheckUnchanged(*state_, *scratch));
  const int64_t now = std::max(services_->clock->NowMillis(), not_before);
  if (scratch->latest) RETURN_IF_ERROR(StampBatch(now, batch, scratch));

  uint64_t sequence_id = 0;
  *logged = LevelOf(DurabilityOf(*state_, *batch, rows), level);
  if (*logged) {
    wal::AppendRequest request =
        RequestOf(*state_, *batch, rows, /*with_skipped=*/false, now, scratch);
    request.on_sequence_id = &RegionWrite::Begin;
    request.context = write;
    request.generation = scratch->generation;
    CrashPoint("region.write.before_append");
    ASSIGN_OR_RETURN(*ticket, services_->wal->Append(request, &sequence_id));
    CrashPoint("region.write.after_append");
  } else {
    ASSIGN_OR_RETURN(sequence_id, services_->wal->TakeSequenceIdIn(scratch->generation,
                                                                   &RegionWrite::Begin, write));
  }
  AddToMemstores(batch->buffer(), sequence_id, scratch);
  CrashPoint("region.write.after_memstore");
  return Status::Ok();
}

// ---- writes that read first

Status RegionWriter::Mutate(const MutationBatch& batch, std::span<const uint32_t> rows,
                            RegionWrite* write, std::vector<Row>* results) {
  for (;;) {
    RETURN_IF_ERROR(KnowObserver());
    RowLockGuard locks(*state_, &batch, rows);
    RETURN_IF_ERROR(locks.status());
    // What is read must be the newest; only a region that takes writes knows it.
    if (!state_->accepts_writes())
      return Status(StatusCode::kAborted, "the region is being changed");
    MutationBatch resolved;
    RETURN_IF_ERROR(ResolveMutations(*state_, batch, rows, 0, &resolved));
    Status status = WriteResolved(batch, rows, &resolved, 0, &locks, write, results);
    if (!MayTryAgain(status)) return status;
  }
}

Status RegionWriter::WriteResolved(const MutationBatch& batch, std::span<const uint32_t> rows,
                                   MutationBatch* resolved, int64_t not_before, RowLockGuard* locks,
                                   RegionWrite* write, std::vector<Row>* results) {
  std::vector<uint32_t> all(resolved->rows().size());
  std::iota(all.begin(), all.end(), 0);
  RETURN_IF_ERROR(CheckBatch(*state_, *resolved, all, ThreadScratch()));
  std::vector<Row> made;
  if (results != nullptr) made = ResultsOf(batch, rows, *resolved);
  RETURN_IF_ERROR(WriteLocked(resolved, all, not_before, locks, write));
  for (size_t i = 0; i < made.size(); ++i) (*results)[rows[i]] = std::move(made[i]);
  return Status::Ok();
}

Result<bool> RegionWriter::CheckAndWrite(const Table::Condition& condition, MutationBatch* batch,
                                         RegionWrite* write, std::vector<Row>* results) {
  std::vector<uint32_t> rows(batch->rows().size());
  for (uint32_t i = 0; i < rows.size(); ++i) {
    rows[i] = i;
    if (batch->row_key(batch->rows()[i]) != ByteView(condition.row)) {
      return InvalidArgument("the batch of a check writes row '" +
                             ToStringBinary(batch->row_key(batch->rows()[i])) + "', not the row '" +
                             ToStringBinary(condition.row) + "' that is checked");
    }
  }
  if (rows.empty()) return InvalidArgument("a check with an empty batch");
  return CheckHeldAndWrite({&condition, 1}, {batch, rows}, batch, rows, write, results);
}

Result<bool> RegionWriter::CheckRowsAndWrite(std::span<const Table::Condition> conditions,
                                             MutationBatch* batch, RegionWrite* write,
                                             std::vector<Row>* results) {
  MutationBatch held;  // rows alone
  for (const MutationBatch::Row& row : batch->rows()) held.StartRow(batch->row_key(row));
  for (const Table::Condition& condition : conditions) held.StartRow(condition.row);
  for (const MutationBatch::Row& row : held.rows()) {
    if (state_->info.Contains(held.row_key(row))) continue;
    return InvalidArgument("table " + state_->table_text + ": row '" +
                           ToStringBinary(held.row_key(row)) +
                           "' of a check is not in the region of its first row");
  }
  const std::vector<uint32_t> order = RowsInKeyOrder(held);
  const std::vector<uint32_t> rows = RowsInKeyOrder(*batch);
  return CheckHeldAndWrite(conditions, {&held, order}, batch, rows, write, results);
}

Result<bool> RegionWriter::CheckHeldAndWrite(std::span<const Table::Condition> conditions,
                                             const HeldRows& held, MutationBatch* batch,
                                             std::span<const uint32_t> rows, RegionWrite* write,
                                             std::vector<Row>* results) {
  RETURN_IF_ERROR(opener_->EnsureOpen());
  writes_.fetch_add(1, std::memory_order_relaxed);
  for (;;) {
    RETURN_IF_ERROR(KnowObserver());
    RETURN_IF_ERROR(batch->Check().Annotate("table " + state_->table_text));
    RowLockGuard locks(*state_, held.batch, held.order);
    RETURN_IF_ERROR(locks.status());
    if (!state_->accepts_writes())
      return Status(StatusCode::kAborted, "the region is being changed");
    int64_t newest = 0;
    ASSIGN_OR_RETURN(const bool hold, Hold(*state_, conditions, &newest));
    if (!hold || rows.empty()) {
      // A bulk load may have been seen in part.
      if (!state_->accepts_writes() || state_->loads.load() != locks.loads()) {
        locks.Unlock();
        if (state_->accepts_writes()) continue;
        return Status(StatusCode::kAborted, "the region is being changed");
      }
      // What was seen may not be acknowledged yet; the answer must not be ahead of it.
      const auto taken =
          services_->wal->TakeSequenceIdIn(locks.generation(), &RegionWrite::Begin, write);
      if (!taken.ok()) continue;
      locks.Unlock();
      services_->mvcc->Complete(write, Status::Ok());
      return hold;
    }
    // What is written in the row that was checked is no older than what was seen. Of several rows
    // HBase does not look.
    const int64_t not_before = held.batch == batch ? newest : 0;
    Status status;
    if (batch->plain()) {
      RETURN_IF_ERROR(CheckBatch(*state_, *batch, rows, ThreadScratch()));
      status = WriteLocked(batch, rows, not_before, &locks, write);
    } else {
      MutationBatch resolved;
      RETURN_IF_ERROR(ResolveMutations(*state_, *batch, rows, not_before, &resolved));
      status = WriteResolved(*batch, rows, &resolved, not_before, &locks, write, results);
    }
    if (status.ok()) return true;
    if (!MayTryAgain(status)) return status;
  }
}

// ---- with rows of other tables

Status RegionWriter::WriteWith(MutationBatch* batch, std::span<const uint32_t> rows,
                               const api::TableRows& others, RegionWrite* write) {
  RETURN_IF_ERROR(opener_->EnsureOpen());
  for (;;) {
    WriteScratch scratch;
    scratch.stores = state_->stores();
    RETURN_IF_ERROR(CheckBatch(*state_, *batch, rows, &scratch));
    RowLockGuard locks(*state_, batch, rows);
    RETURN_IF_ERROR(locks.status());
    scratch.loads = locks.loads();
    scratch.generation = locks.generation();
    if (!state_->accepts_writes())
      return Status(StatusCode::kAborted, "the region is being changed");
    const Status status =
        ObservedWrite(state_, batch, rows, &scratch).RunWith(others, &locks, write);
    if (!MayTryAgain(status)) return status;
  }
}

// ---- of rows as they are

Status RegionWriter::DeriveFromRows(std::span<const api::ReadRow> rows,
                                    std::span<const uint32_t> chosen, api::RowDeriver* deriver,
                                    RegionWrite* write) {
  RETURN_IF_ERROR(opener_->EnsureOpen());
  MutationBatch keys;
  keys.durability = Durability::kAsyncWal;
  for (const uint32_t i : chosen) keys.StartRow(rows[i].row);
  const std::vector<uint32_t> order = RowsInKeyOrder(keys);
  for (;;) {
    WriteScratch scratch;
    scratch.stores = state_->stores();
    RowLockGuard locks(*state_, &keys, order);
    RETURN_IF_ERROR(locks.status());
    scratch.loads = locks.loads();
    scratch.generation = locks.generation();
    if (!state_->accepts_writes())
      return Status(StatusCode::kAborted, "the region is being changed");
    const Status status = ObservedWrite(state_, &keys, order, &scratch)
                              .RunOverRows(rows, chosen, deriver, &locks, write);
    if (!MayTryAgain(status)) return status;
  }
}

// ---- full memstores

Status RegionWriter::WaitForFlush() {
  if (NoWaitScope::Refuses()) return WouldWait();
  // Counted in waits rather than by the clock, so that a jump of the clock changes nothing.
  constexpr int64_t kStepMillis = 10;
  held_up_writes_.fetch_add(1, std::memory_order_relaxed);
  if (services_->host != nullptr) services_->host->WantFlush(state_->region);
  for (int64_t waited = 0; is_overfull(); waited += kStepMillis) {
    RETURN_IF_ERROR(services_->gate->Check());
    if (state_->is_gone()) break;  // the write finds out
    if (waited >= services_->write_stall_millis_max) {
      return ResourceExhausted("region " + state_->encoded_name + " of table " +
                               state_->table_text + " is too busy: its memstores hold " +
                               std::to_string(state_->memstores.bytes()) + " bytes, more than " +
                               std::to_string(state_->memstores.block_bytes()) +
                               " (MEMSTORE_FLUSHSIZE times " +
                               "hbase.hregion.memstore.block.multiplier), and no flush came in " +
                               std::to_string(services_->write_stall_millis_max) +
                               " ms; write more slowly, or raise one of them");
    }
    state_->memstores.WaitForRoom(kStepMillis);
  }
  return Status::Ok();
}

RegionWriter::Pressure RegionWriter::MeasurePressure(int64_t window_millis) {
  const int64_t now = services_->clock->NowMillis();
  MutexLock lock(&pressure_mu_);
  if (!state_->opened.load(std::memory_order_acquire)) return {};
  if (!pressure_.has_value()) pressure_.emplace(state_->opened_at_millis);
  const WritePressure::Requests all = {writes_.load(std::memory_order_relaxed),
                                       held_up_writes_.load(std::memory_order_relaxed)};
  return {pressure_->Age(now), pressure_->Share(now, all, window_millis)};
}

// ---- recovery

Result<size_t> RegionWriter::Replay(ByteView cells, size_t cell_count, uint64_t sequence_id) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoreSet> set, opener_->OpenedStores());
  std::vector<uint64_t> flushed;
  for (const auto& entry : set->entries) {
    flushed.push_back(std::max(entry.store->max_flushed_sequence_id(), entry.replay_floor));
  }
  WriteScratch scratch;
  scratch.stores = set;
  Cell cell;
  Bytes previous_key;
  uint64_t offset = 0;
  for (size_t i = 0; i < cell_count; ++i) {
    const uint64_t next = CellAt(cells, offset, &cell);
    const int store = cell.family() == wal::kMetaFamily ? -1 : set->Find(cell.family());
    if (store >= 0 && sequence_id > flushed[static_cast<size_t>(store)] &&
        state_->info.Contains(cell.row())) {
      scratch.cells.push_back({offset, static_cast<uint32_t>(store), false, false});
      if (!previous_key.empty() && cell::CompareFlatKeys(previous_key, cell.flat_key()) >= 0) {
        scratch.ascending = false;
      }
      previous_key.assign(cell.flat_key());
    }
    offset = next;
  }
  if (scratch.cells.empty()) return size_t{0};
  AddToMemstores(cells, sequence_id, &scratch);
  const uint64_t bytes = cells.size() + scratch.cells.size() * kMemstoreCellOverheadBytes;
  state_->memstores.AddReplayed(bytes);
  return scratch.cells.size();
}

}  // namespace bennu::engine
