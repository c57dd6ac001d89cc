// How a write of an observed table becomes a unit with what its observer adds:
//
//   1. stamp    under the row locks: the time of the write, later than all that its rows have
//   2. look     what each row is before and after (row_change.h), what keeps it so
//               (lasting_markers.h), and what the observer makes of it
//   3. route    the added rows to the regions of their tables, and stamp them
//   4. unit     under the update locks of all regions at once: one group of log entries, published
//               at one moment, and all memstores
//
// Why the added rows need no row locks: a derived row is written by writes of one row of the
// observed table alone, whose lock is held from 1 to 4 (src/api/write_observer.h).
//
// Why no deadlock: row locks come before update locks, which are taken in the order of the regions'
// addresses, shared. Whoever holds one exclusively takes no other, and no row lock. Nothing is
// waited for under them but the log's buffer, as in every write. A region that is full, frozen or
// not open is waited for when all locks are released; then the write begins anew.
//
// Invariants:
//   - The update locks of all regions are held over the append and all memstores: for a flush of
//     any of them the unit is before its id or after it. It waits for all before, so no file has a
//     part of a unit that was not acknowledged as a whole.
//   - Mvcc knows the last id of the group alone. Ids before it become visible with it, as no id
//     between can be published, and are given up with it: the log gives up whole rounds, and what
//     was answered before (Wal::Keep) ends at a published id.
//   - What a mutation that is SKIP_WAL adds to must not outlive it: if one mutation is logged all
//     are.
#include "src/engine/region/observed_write.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "src/base/hex.h"
#include "src/base/no_wait.h"
#include "src/base/status_macros.h"
#include "src/cell/batch_cell.h"
#include "src/engine/region/region.h"
#include "src/engine/region/write_steps.h"
#include "src/engine/store/lasting_markers.h"
#include "src/engine/store/later_rows.h"

namespace bennu::engine {

namespace {

// Cells so little ahead of the clock are those of writes in the same millisecond, or of counters;
// a write goes behind them. What is later was put there by a time of its own, and stays ahead.
constexpr int64_t kAheadMillisMax = 10'000;

void SetTimestamp(MutationBatch* batch, uint64_t offset, int64_t timestamp) {
  char* const buffer = batch->mutable_buffer()->data();
  Cell cell;
  cell::ReadBatchCell(buffer, offset, &cell);
  cell::SetTimestampIn(buffer, cell, timestamp);
}

bool HasPutWithTtl(const MutationBatch& batch, const MutationBatch::Row& mutation) {
  Cell cell;
  for (uint64_t offset = mutation.cells_begin; offset < mutation.cells_end;) {
    offset = CellAt(batch.buffer(), offset, &cell);
    if (cell::HasOwnTtl(cell)) return true;
  }
  return false;
}

int64_t NewestOf(std::span<const Cell> cells) {
  int64_t newest = 0;
  for (const Cell& cell : cells) newest = std::max(newest, cell.timestamp());
  return newest;
}

}  // namespace

// ---- the write

Status ObservedWrite::Run(int64_t not_before, RowLockGuard* locks, RegionWrite* write) {
  return Finish(Prepare(not_before), locks, write);
}

Status ObservedWrite::Finish(const Status& prepared, RowLockGuard* locks, RegionWrite* write) {
  Status status = prepared;
  if (status.ok()) status = LogAndAdd(write);
  if (!status.ok()) {
    Unstamp();
    if (blocking_ != nullptr) {
      locks->Unlock();
      status = WaitForBlocking(*write);
    }
    // What could not be written may not be asked for any more, as of an index that was dropped.
    if (region_->stores() == scratch_->stores) return status;
    return Status(StatusCode::kAborted, "the families or the observer changed");
  }
  locks->Unlock();
  // 'write' may be gone once it was handed over.
  const RegionServices& services = *region_->services;
  if (logged_) {
    services.wal->WhenSynced(ticket_, level_, write);
  } else {
    services.mvcc->Complete(write, Status::Ok());
  }
  region_->memstores.Add(scratch_->memstore_bytes());
  for (const auto& part : parts_) part->region->memstores.Add(part->scratch.memstore_bytes());
  return Status::Ok();
}

void ObservedWrite::StartReading(const api::WriteObserver& observer) {
  for (const auto& entry : scratch_->stores->entries) {
    stores_.push_back(entry.store);
  }
  readings_ = ReadingsOf(*scratch_->stores);
  for (const Store::Reading& reading : readings_) {
    rules_.push_back(reading.family.get());
    const FamilyRules& family = *rules_.back();
    ttls_.Add(family.name, cell::TtlMillisOf(family.ttl_seconds, family.min_versions));
  }
  observer_ = &observer;
  get_.columns = observer.columns();
}

Status ObservedWrite::Prepare(int64_t not_before) {
  StartReading(*scratch_->stores->observer);
  FindRows();
  RETURN_IF_ERROR(Stamp(not_before));
  RETURN_IF_ERROR(MakeItLast());
  RETURN_IF_ERROR(Observe());
  return Route();
}

// ---- rows that were made beforehand

Status ObservedWrite::RunWith(const api::TableRows& others, RowLockGuard* locks,
                              RegionWrite* write) {
  return Finish(PrepareWith(others), locks, write);
}

Status ObservedWrite::PrepareWith(const api::TableRows& others) {
  has_own_times_ = true;
  now_ = region_->services->clock->NowMillis();
  if (scratch_->latest) RETURN_IF_ERROR(StampBatch(now_, batch_, scratch_));
  // Copies, as a write that begins anew needs them as they are.
  for (const auto& [table, batch] : others) *derived_.Of(table) = batch;
  return Route();
}

// ---- rows as they are

Status ObservedWrite::RunOverRows(std::span<const api::ReadRow> rows,
                                  std::span<const uint32_t> chosen, api::RowDeriver* deriver,
                                  RowLockGuard* locks, RegionWrite* write) {
  StartReading(*deriver->observer());
  now_ = region_->services->clock->NowMillis();
  Status status = DeriveFrom(rows, chosen, deriver);
  if (status.ok()) status = Route();
  if (status.ok() && parts_.empty()) {
    locks->Unlock();
    write->OnPublished(Status::Ok());
    return Status::Ok();
  }
  return Finish(status, locks, write);
}

Status ObservedWrite::DeriveFrom(std::span<const api::ReadRow> rows,
                                 std::span<const uint32_t> chosen, api::RowDeriver* deriver) {
  std::vector<uint32_t> changed;
  for (uint32_t index = 0; index < chosen.size(); ++index) {
    const uint32_t i = chosen[index];
    if (!deriver->IsAsRead(i)) {
      changed.push_back(index);
      continue;
    }
    RETURN_IF_ERROR(deriver->Derive(region_->info, i, &derived_));
    SetBases({rows[i].newest, deriver->derives_new_rows()});
  }
  return ObserveAsTheyAre(changed, deriver->observer());
}

// Each row by itself, so that what is made of it gets the time of its own newest cell: it expires
// with the row.
Status ObservedWrite::ObserveAsTheyAre(std::span<const uint32_t> rows,
                                       api::WriteObserver* observer) {
  for (const uint32_t index : rows) {
    get_.row = Bytes(batch_->row_key(batch_->rows()[index]));
    BeforeAndAfter cells;
    RETURN_IF_ERROR(ReadNewestRow(stores_, get_, now_, {}, &cells.after, &pins_));
    if (cells.after.empty()) continue;
    RETURN_IF_ERROR(FindLaterRows(stores_, ttls_, *observer_, get_, {}, cells.after,
                                  &cells.after_later, &pins_));
    const api::RowChange change = cells.Of(get_.row);
    RETURN_IF_ERROR(observer->Observe(region_->info, {&change, 1}, &derived_));
    SetBases({NewestOf(cells.after), false});
  }
  return Status::Ok();
}

// Of what was derived since the last call.
void ObservedWrite::SetBases(const Base& base) {
  for (auto& [table, batch] : derived_.batches()) bases_[&batch].resize(batch.row_count(), base);
}

ObservedWrite::Base ObservedWrite::BaseOf(const Part& part, uint32_t index) const {
  return bases_.empty() ? Base{base_, false} : bases_.at(part.batch)[index];
}

// ---- 1. stamp

void ObservedWrite::FindRows() {
  size_t cell = 0;
  for (const uint32_t index : rows_) {
    const MutationBatch::Row& mutation = batch_->rows()[index];
    const ByteView row = batch_->row_key(mutation);
    if (row_cells_.empty() || row_cells_.back().row != row) {
      row_cells_.push_back({row, cell, cell, std::nullopt});
    }
    cell += mutation.cell_count;
    row_cells_.back().end = cell;
  }
}

std::vector<Store::Reading> ObservedWrite::ReadingsOf(const StoreSet& stores) {
  std::vector<Store::Reading> readings;
  readings.reserve(stores.entries.size());
  for (const auto& entry : stores.entries) readings.push_back(entry.store->StartReading());
  return readings;
}

Result<std::optional<int64_t>> ObservedWrite::NewestIn(const StoreSet& stores,
                                                       std::span<const Store::Reading> readings,
                                                       ByteView row, int64_t at_least) {
  std::optional<int64_t> newest;
  for (size_t i = 0; i < readings.size(); ++i) {
    ASSIGN_OR_RETURN(const auto own,
                     stores.entries[i].store->NewestTimestamp(readings[i], row, at_least));
    if (own.has_value()) newest = std::max(newest.value_or(*own), *own);
  }
  return newest;
}

Status ObservedWrite::Stamp(int64_t not_before) {
  const int64_t clock = std::max(region_->services->clock->NowMillis(), not_before);
  now_ = clock;
  if (scratch_->latest) {
    for (RowCells& row : row_cells_) {
      ASSIGN_OR_RETURN(row.newest, NewestIn(*scratch_->stores, readings_, row.row, clock));
      if (row.newest.has_value() && *row.newest < clock + kAheadMillisMax) {
        now_ = std::max(now_, *row.newest + 1);
      }
    }
    RETURN_IF_ERROR(StampBatch(now_, batch_, scratch_));
  }
  written_.resize(scratch_->cells.size());
  for (size_t i = 0; i < written_.size(); ++i) {
    const WriteScratch::CellRef& ref = scratch_->cells[i];
    CellAt(batch_->buffer(), ref.offset, &written_[i].cell);
    written_[i].store = ref.store;
  }
  return Status::Ok();
}

void ObservedWrite::Unstamp() {
  for (const WriteScratch::CellRef& ref : scratch_->cells) {
    if (ref.latest) SetTimestamp(batch_, ref.offset, kLatestTimestamp);
  }
}

// ---- 2. look

// Whether the cells of the write are later than all that the row has.
Result<bool> ObservedWrite::IsNewest(RowCells* row) const {
  const std::span<const WrittenCell> cells = CellsOf(*row);
  if (!MayAddNewest(cells, rules_, now_)) return false;
  const int64_t timestamp = cells.front().cell.timestamp();
  // Its newest was looked for from the clock's time on only.
  if (!scratch_->latest || timestamp != now_) {
    ASSIGN_OR_RETURN(row->newest, NewestIn(*scratch_->stores, readings_, row->row, timestamp));
  }
  return !row->newest.has_value() || *row->newest < timestamp;
}

// No flush or compaction is to change what is derived from the row now.
Status ObservedWrite::MakeItLast() {
  for (RowCells& row : row_cells_) {
    ASSIGN_OR_RETURN(row.is_newest, IsNewest(&row));
    if (!row.is_newest) RETURN_IF_ERROR(AddLastingMarkersOf(row));
  }
  if (lasting_.empty()) return Status::Ok();
  overlays_.clear();
  for (const MutationBatch::Row& row : lasting_.rows()) {
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      WrittenCell& added = written_.emplace_back();
      offset = cell::ReadBatchCell(lasting_.buffer().data(), offset, &added.cell);
      added.store = static_cast<uint32_t>(scratch_->stores->Find(added.cell.family()));
    }
  }
  return Status::Ok();
}

Status ObservedWrite::AddLastingMarkersOf(const RowCells& row) {
  if (overlays_.empty()) overlays_ = MakeOverlays(written_, stores_.size());
  const int64_t clock = region_->services->clock->NowMillis();
  std::vector<std::vector<const WrittenCell*>> by_store(stores_.size());
  for (const WrittenCell& written : CellsOf(row)) by_store[written.store].push_back(&written);
  for (size_t i = 0; i < by_store.size(); ++i) {
    if (by_store[i].empty()) continue;
    RETURN_IF_ERROR(AddLastingMarkers(*stores_[i], overlays_[i], by_store[i], clock, &lasting_));
  }
  return Status::Ok();
}

Status ObservedWrite::ReadChange(RowCells* row, int64_t clock, BeforeAndAfter* change) {
  const std::span<const WrittenCell> cells = CellsOf(*row);
  get_.row = Bytes(row->row);
  RETURN_IF_ERROR(ReadNewestRow(stores_, get_, clock, {}, &change->before, &pins_));
  RETURN_IF_ERROR(FindLaterRows(stores_, ttls_, *observer_, get_, {}, change->before,
                                &change->before_later, &pins_));
  if (row->is_newest) {
    base_ = std::max(base_, cells.front().cell.timestamp());
    AddNewest(change->before, cells, get_, &change->after);
  } else {
    if (overlays_.empty()) overlays_ = MakeOverlays(written_, stores_.size());
    RETURN_IF_ERROR(ReadNewestRow(stores_, get_, clock, overlays_, &change->after, &pins_));
  }
  return FindLaterAfter(change);
}

// With the overlays, should the row be read again.
Status ObservedWrite::FindLaterAfter(BeforeAndAfter* change) {
  const bool any = std::any_of(change->after.begin(), change->after.end(), cell::HasOwnTtl);
  if (any && overlays_.empty()) overlays_ = MakeOverlays(written_, stores_.size());
  return FindLaterRows(stores_, ttls_, *observer_, get_, overlays_, change->after,
                       &change->after_later, &pins_);
}

// What is made of a row that was written with times of its own gets the row's, so that it expires
// with the row.
Status ObservedWrite::Observe() {
  std::vector<BeforeAndAfter> cells(row_cells_.size());
  std::vector<api::RowChange> changes;
  std::vector<api::RowChange> others;
  changes.reserve(cells.size());
  const int64_t clock = region_->services->clock->NowMillis();
  for (size_t i = 0; i < cells.size(); ++i) {
    RETURN_IF_ERROR(ReadChange(&row_cells_[i], clock, &cells[i]));
    if (cells[i].before.empty() && cells[i].after.empty()) continue;
    std::vector<api::RowChange>& to = row_cells_[i].is_newest ? changes : others;
    to.push_back(cells[i].Of(row_cells_[i].row));
  }
  if (!changes.empty()) RETURN_IF_ERROR(Tell(changes));
  if (others.empty()) return Status::Ok();
  SetBases({base_, false});
  for (const api::RowChange& change : others) {
    RETURN_IF_ERROR(Tell({&change, 1}));
    SetBases({change.after.empty() ? now_ : NewestOf(change.after), false});
  }
  return Status::Ok();
}

Status ObservedWrite::Tell(std::span<const api::RowChange> changes) {
  const Status status = scratch_->stores->observer->Observe(region_->info, changes, &derived_);
  if (status.code() != StatusCode::kAborted) return status;
  return Internal("the observer of table " + region_->table_text +
                  " may not refuse writes by: " + status.ToString());
}

// ---- 3. route

Status ObservedWrite::Route() {
  if (!lasting_.empty()) RETURN_IF_ERROR(RouteTable(region_->info.table, &lasting_));
  for (auto& [table, batch] : derived_.batches()) {
    if (!batch.empty()) RETURN_IF_ERROR(RouteTable(table, &batch));
  }
  return Status::Ok();
}

Status ObservedWrite::RouteTable(const TableName& table, MutationBatch* batch) {
  RETURN_IF_ERROR(batch->Check().Annotate("table " + table.ToString() + ", which is derived from " +
                                          region_->table_text));
  if (!batch->plain()) {
    return InvalidArgument("table " + table.ToString() + ": what is derived from writes of " +
                           region_->table_text + " must be puts and deletes without options");
  }
  const size_t first = parts_.size();
  for (const uint32_t index : RowsInKeyOrder(*batch)) {
    const ByteView row = batch->row_key(batch->rows()[index]);
    if (parts_.size() == first || !parts_.back()->region->info.Contains(row)) {
      auto part = std::make_unique<Part>();
      ASSIGN_OR_RETURN(part->whole, RegionFor(table, row));
      part->region = &part->whole->state_;
      part->batch = batch;
      parts_.push_back(std::move(part));
    }
    parts_.back()->rows.push_back(index);
  }
  for (size_t i = first; i < parts_.size(); ++i) RETURN_IF_ERROR(PreparePart(parts_[i].get()));
  return Status::Ok();
}

Result<std::shared_ptr<Region>> ObservedWrite::RegionFor(const TableName& table,
                                                         ByteView row) const {
  if (table != region_->info.table) {
    auto region = region_->services->tables->RegionOf(table, row);
    if (region.ok()) return region;
    return region.status().Annotate("writing table " + region_->table_text + ", from which table " +
                                    table.ToString() + " is derived");
  }
  if (region_->info.Contains(row)) return region_->region->shared_from_this();
  return InvalidArgument("row '" + ToStringBinary(row) + "', which is derived from a write of " +
                         region_->table_text + ", is not of the same region " +
                         region_->encoded_name);
}

Status ObservedWrite::PreparePart(Part* part) {
  const RegionState& region = *part->region;
  if (!region.opened.load(std::memory_order_acquire) || region.memstores.is_overfull()) {
    NoteBlocking(*part);
    return Status(StatusCode::kAborted, "a region of a derived table takes no writes yet");
  }
  if (region.settings.read_only.load(std::memory_order_relaxed)) {
    return FailedPrecondition("table " + region.table_text + ", which is derived from " +
                              region_->table_text + ", is read-only (attribute READONLY)");
  }
  part->scratch.loads = region.loads.load();
  RETURN_IF_ERROR(CheckBatch(region, *part->batch, part->rows, &part->scratch));
  part->readings = ReadingsOf(*part->scratch.stores);
  return StampPart(part);
}

void ObservedWrite::NoteBlocking(const Part& part) {
  blocking_ = part.whole;
  blocked_row_ = part.batch->row_key(part.batch->rows()[part.rows.front()]);
}

// Each row by itself: later than all that it has, so that neither what was put there nor a marker
// hides the new cells. With a time of its own, a write of the observed table may be earlier.
Status ObservedWrite::StampPart(Part* part) {
  if (part->batch == &lasting_) return Status::Ok();  // it has timestamps of its own
  if (has_own_times_) return CheckTimes(*part);
  size_t cell = 0;
  ByteView previous;
  int64_t timestamp = base_;
  for (const uint32_t index : part->rows) {
    const Base base = BaseOf(*part, index);
    const MutationBatch::Row& mutation = part->batch->rows()[index];
    const ByteView row = part->batch->row_key(mutation);
    if (row != previous) {
      std::optional<int64_t> newest;
      if (!base.is_new_row) {
        ASSIGN_OR_RETURN(newest, NewestIn(*part->scratch.stores, part->readings, row, base.time));
      }
      // The greatest time is that of "now", which no cell can have.
      timestamp = newest.has_value() ? std::min(*newest + 1, kLatestTimestamp - 1) : base.time;
      previous = row;
    }
    for (const size_t end = cell + mutation.cell_count; cell < end; ++cell) {
      const WriteScratch::CellRef& ref = part->scratch.cells[cell];
      Cell derived;
      CellAt(part->batch->buffer(), ref.offset, &derived);
      if (!ref.latest || derived.type() == CellType::kDelete ||
          derived.type() == CellType::kDeleteFamilyVersion) {
        return InvalidArgument("table " + part->region->table_text + ", row '" +
                               ToStringBinary(row) + "': what is derived from writes of " +
                               region_->table_text +
                               " must be puts, or deletes of columns and families, without a "
                               "timestamp");
      }
      // All that the row has is earlier than 'timestamp'.
      const bool is_earlier =
          derived.type() != CellType::kPut && HasPutWithTtl(*part->batch, mutation);
      SetTimestamp(part->batch, ref.offset, is_earlier ? timestamp - 1 : timestamp);
    }
  }
  return Status::Ok();
}

Status ObservedWrite::CheckTimes(const Part& part) {
  const bool all = std::none_of(part.scratch.cells.begin(), part.scratch.cells.end(),
                                [](const WriteScratch::CellRef& ref) { return ref.latest; });
  return all ? Status::Ok()
             : InvalidArgument("table " + part.region->table_text + ": what is written together " +
                               "with " + region_->table_text + " must have times of its own");
}

// ---- 4. unit

Status ObservedWrite::CheckAllUnchanged() {
  RETURN_IF_ERROR(CheckUnchanged(*region_, *scratch_));
  for (const auto& part : parts_) {
    const Status status = CheckUnchanged(*part->region, part->scratch);
    if (status.ok()) continue;
    NoteBlocking(*part);
    return status;
  }
  return Status::Ok();
}

Result<uint64_t> ObservedWrite::Append(RegionWrite* write) {
  uint64_t last_sequence_id = 0;
  logged_ = LevelOf(DurabilityOf(*region_, *batch_, rows_), &level_);
  wal::Wal* const wal = region_->services->wal;
  if (!logged_) return wal->TakeSequenceIdIn(scratch_->generation, &RegionWrite::Begin, write);
  std::vector<wal::AppendRequest> requests;
  if (!scratch_->cells.empty()) {
    requests.push_back(RequestOf(*region_, *batch_, rows_, /*with_skipped=*/true, now_, scratch_));
  }
  for (const auto& part : parts_) {
    requests.push_back(RequestOf(*part->region, *part->batch, part->rows, /*with_skipped=*/true,
                                 now_, &part->scratch));
  }
  requests.front().generation = scratch_->generation;
  requests.back().on_sequence_id = &RegionWrite::Begin;
  requests.back().context = write;
  ASSIGN_OR_RETURN(ticket_, wal->AppendGroup(requests, &last_sequence_id));
  return last_sequence_id;
}

Status ObservedWrite::LogAndAdd(RegionWrite* write) {
  std::vector<const RegionState*> regions = {region_};
  for (const auto& part : parts_) regions.push_back(part->region);
  std::sort(regions.begin(), regions.end(), std::less<>());
  regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
  std::vector<std::shared_lock<std::shared_mutex>> updates;
  updates.reserve(regions.size());
  for (const RegionState* region : regions) updates.emplace_back(region->update_mu);

  RETURN_IF_ERROR(CheckAllUnchanged());
  CrashPoint("region.write.before_append");
  ASSIGN_OR_RETURN(const uint64_t last_sequence_id, Append(write));
  CrashPoint("region.write.after_append");
  uint64_t sequence_id = logged_ ? last_sequence_id - parts_.size() : last_sequence_id;
  AddToMemstores(batch_->buffer(), sequence_id, scratch_);
  for (const auto& part : parts_) {
    if (logged_) ++sequence_id;
    AddToMemstores(part->batch->buffer(), sequence_id, &part->scratch);
  }
  CrashPoint("region.write.after_memstore");
  return Status::Ok();
}

// Waits, with no lock held, until the region takes writes, or others have taken its place. Aborted:
// so it is.
Status ObservedWrite::WaitForBlocking(const RegionWrite& write) {
  // What is waited for may wait for what this thread has in the log already.
  if (write.attended && !NoWaitScope::Refuses()) region_->services->wal->Lead();
  const Status opened = blocking_->EnsureOpen();
  if (opened.code() != StatusCode::kNotFound) RETURN_IF_ERROR(opened);
  if (opened.ok()) {
    RETURN_IF_ERROR(blocking_->writer()->WaitForRoom());
    RETURN_IF_ERROR(blocking_->writer()->WaitWhileFrozen());
  }
  const Status again(StatusCode::kAborted, "a region of a derived table took no writes");
  if (blocking_->state_.phase() != RegionPhase::kClosed) return again;
  ASSIGN_OR_RETURN(const auto now,
                   region_->services->tables->RegionOf(blocking_->info().table, blocked_row_));
  if (now != blocking_) return again;
  return NotFound("table " + blocking_->info().table.ToString() + ", which is derived from " +
                  region_->table_text + ", was dropped or closed");
}

}  // namespace bennu::engine
