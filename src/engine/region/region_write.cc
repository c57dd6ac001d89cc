// How a batch gets into a region. The steps are those of region.h; what is worth knowing:
//
// - A cell's key and sequence id must be unique in a memstore. Two cells of one batch may have the
//   same key (the same column put twice); the later one counts. Since the first insert of a key
//   wins, a batch whose cells do not ascend strictly in each store is inserted back to front, and
//   so is its replay.
// - Reads under a row lock (conditions, counters, deletes of the newest version) see writes of that
//   row that are not published yet. That is right: what depends on them has a later id, so it can
//   not be published unless they are; and when the log gives them up, what depends on them is given
//   up as well or not taken any more (AppendRequest::generation), and is made anew.
#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/base/no_wait.h"
#include "src/base/status_macros.h"
#include "src/cell/batch_cell.h"
#include "src/cell/comparator.h"
#include "src/cell/tags.h"
#include "src/engine/region/region.h"
#include "src/engine/region/region_internal.h"
#include "src/engine/region/region_observe.h"
#include "src/engine/store/row_reader.h"

namespace bennu::engine {

namespace {

// Of cells of one row.
bool IsBefore(const Cell& left, const Cell& right) {
  return cell::CompareFlatKeysWithinRow(left.flat_key(), right.flat_key()) < 0;
}

}  // namespace

Region::Scratch* Region::ThreadScratch() {
  thread_local Scratch scratch;
  return &scratch;
}

// ---- checking

Status Region::ValidateCell(const Cell& cell, ByteView row, const StoreSet& stores,
                            int* store) const {
  const ByteView family = cell.family();
  if (*store < 0 || ByteView(stores.entries[static_cast<size_t>(*store)].family) != family) {
    *store = stores.Find(family);
    if (*store < 0) {
      return InvalidArgument("table " + table_text_ + " has no family '" + ToStringBinary(family) +
                             "' (row '" + ToStringBinary(row) + "')");
    }
  }
  // As HBase's codecs write it, its length before it.
  const int64_t bytes = int64_t{12} + cell.key_length + cell.value_length +
                        (cell.tags_length > 0 ? 2 + cell.tags_length : 0);
  const int64_t limit = cell_bytes_max_.load(std::memory_order_relaxed);
  if (limit > 0 && bytes > limit) {
    return InvalidArgument("table " + table_text_ + ", row '" + ToStringBinary(row) +
                           "', column '" + ToStringBinary(family) + ":" +
                           ToStringBinary(cell.qualifier()) + "': a cell of " +
                           std::to_string(bytes) + " bytes; at most " + std::to_string(limit) +
                           " are possible (hbase.server.keyvalue.maxsize)");
  }
  if (cell.timestamp() < 0) {
    return InvalidArgument("table " + table_text_ + ", row '" + ToStringBinary(row) +
                           "': timestamp " + std::to_string(cell.timestamp()) + " is negative");
  }
  if (cell.type() != CellType::kPut && !IsDelete(cell.type())) {
    return InvalidArgument("table " + table_text_ + ", row '" + ToStringBinary(row) +
                           "': cell type " + std::to_string(static_cast<int>(cell.type())) +
                           " cannot be stored");
  }
  return Status::Ok();
}

Status Region::Validate(const MutationBatch& batch, std::span<const uint32_t> rows,
                        Scratch* scratch) {
  Status sound = batch.Check();  // cells that could not be made are not in the batch
  if (!sound.ok()) return sound.Annotate("table " + table_text_);
  std::shared_ptr<const StoreSet> set = stores();
  scratch->cells.clear();
  scratch->ascending = true;
  scratch->latest = false;
  scratch->bytes = 0;
  scratch->stores_left.clear();
  const char* const buffer = batch.buffer().data();
  const int64_t limit = cell_bytes_max_.load(std::memory_order_relaxed);
  int store = -1;
  ByteView family;  // of 'store'
  ByteView previous_row;
  for (const uint32_t index : rows) {
    const MutationBatch::Row& row = batch.rows()[index];
    const ByteView key = batch.row_key(row);
    if (key.empty() || key.size() > kMaxRowLength) {
      return InvalidArgument("table " + table_text_ + ": a row key of " +
                             std::to_string(key.size()) + " bytes; 1 to " +
                             std::to_string(kMaxRowLength) + " are possible");
    }
    if (row.cell_count == 0) {
      return InvalidArgument("table " + table_text_ + ", row '" + ToStringBinary(key) +
                             "': a mutation without columns");
    }
    if (key == previous_row) scratch->ascending = false;
    previous_row = key;
    Cell cell;
    Cell previous;
    int previous_store = -1;  // there is none
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      const uint64_t next = cell::ReadBatchCell(buffer, offset, &cell);
      const bool is_plain = store >= 0 && cell.type() == CellType::kPut && cell.timestamp() >= 0 &&
                            (limit <= 0 || next - offset <= static_cast<uint64_t>(limit)) &&
                            cell::IsSameName(cell.family(), family);
      if (!is_plain) {
        RETURN_IF_ERROR(ValidateCell(cell, key, *set, &store));
        family = set->entries[static_cast<size_t>(store)].family;
      }
      const bool latest = cell.timestamp() == kLatestTimestamp;
      bool follows = false;
      if (store == previous_store) {
        const int order = cell::CompareRows(previous.qualifier(), cell.qualifier());
        follows = order < 0;
        // Of one column those that get the clock's time may come to be the same.
        const bool known = order == 0 && !latest && !scratch->cells.back().latest;
        scratch->ascending &= follows || (known && IsBefore(previous, cell));
      } else if (previous_store >= 0) {
        // Whether a store that comes again goes on ascending is not looked at.
        scratch->stores_left.resize(set->entries.size());
        scratch->stores_left[static_cast<size_t>(previous_store)] = true;
        if (scratch->stores_left[static_cast<size_t>(store)]) scratch->ascending = false;
      }
      scratch->cells.push_back({offset, static_cast<uint32_t>(store), latest, follows});
      scratch->latest |= latest;
      previous = cell;
      previous_store = store;
      offset = next;
    }
    scratch->stores_left.clear();
    scratch->bytes += row.cells_end - row.cells_begin;
  }
  scratch->stores = std::move(set);
  return Status::Ok();
}

// ---- writing

Status Region::Write(MutationBatch* batch, std::span<const uint32_t> rows, RegionWrite* write,
                     std::vector<Row>* results) {
  RETURN_IF_ERROR(EnsureOpen());
  writes_.fetch_add(rows.size(), std::memory_order_relaxed);
  if (!batch->plain()) return Mutate(*batch, rows, write, results);
  for (;;) {
    RETURN_IF_ERROR(KnowObserver());
    RETURN_IF_ERROR(Validate(*batch, rows, ThreadScratch()));
    RowLockGuard locks(*this, batch, rows);
    RETURN_IF_ERROR(locks.status());
    Status status = WriteLocked(batch, rows, 0, &locks, write);
    if (!MayTryAgain(status)) return status;
  }
}

// Whether the families changed while a write was on its way; else the caller has to look again.
bool Region::MayTryAgain(const Status& status) const {
  return status.code() == StatusCode::kAborted && accepts_writes();
}

Durability Region::EffectiveDurability(Durability asked) const {
  if (asked == Durability::kUseDefault) asked = table_durability_.load(std::memory_order_relaxed);
  if (asked != Durability::kUseDefault) return asked;
  return services_->default_sync == wal::SyncLevel::kFdatasync ? Durability::kFsyncWal
                                                               : Durability::kSyncWal;
}

Durability Region::DurabilityOf(const MutationBatch& batch, uint32_t index) const {
  const Durability own = batch.options(index).durability;
  return EffectiveDurability(own == Durability::kUseDefault ? batch.durability : own);
}

// The safest that any of the mutations asks for.
Durability Region::DurabilityOf(const MutationBatch& batch, std::span<const uint32_t> rows) const {
  if (batch.plain()) return EffectiveDurability(batch.durability);
  Durability safest = Durability::kSkipWal;
  for (const uint32_t index : rows) safest = std::max(safest, DurabilityOf(batch, index));
  return safest;
}

Status Region::WriteLocked(MutationBatch* batch, std::span<const uint32_t> rows, int64_t not_before,
                           RowLockGuard* locks, RegionWrite* write) {
  Scratch* const scratch = ThreadScratch();
  // The thread may live longer than the store, whose files must be gone before its block cache.
  const std::unique_ptr<Scratch, void (*)(Scratch*)> release(
      scratch, [](Scratch* used) { used->stores.reset(); });
  if (table_read_only_.load(std::memory_order_relaxed)) {
    return FailedPrecondition("table " + table_text_ + " is read-only (attribute READONLY)");
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
    return ObservedWrite(this, batch, rows, scratch).Run(not_before, locks, write);
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
  Account(bytes);
  return Status::Ok();
}

Status Region::CheckUnchanged(const Scratch& scratch) const {
  if (state() == State::kClosed) return NotFound("table " + table_text_ + " was dropped or closed");
  if (!accepts_writes()) return Status(StatusCode::kAborted, "the region is being changed");
  if (stores_ != scratch.stores) {
    return Status(StatusCode::kAborted, "the families or the observer changed");
  }
  if (loads_.load() != scratch.loads) return Status(StatusCode::kAborted, "files were loaded");
  return Status::Ok();
}

bool Region::LevelOf(Durability durability, wal::SyncLevel* level) const {
  switch (durability) {
    case Durability::kSkipWal: return false;
    case Durability::kAsyncWal: *level = wal::SyncLevel::kNone; break;
    case Durability::kSyncWal: *level = wal::SyncLevel::kWrite; break;
    case Durability::kFsyncWal: *level = wal::SyncLevel::kFdatasync; break;
    case Durability::kUseDefault: break;
  }
  return true;
}

// All but what is to happen with the id. Points into the batch and *scratch.
wal::AppendRequest Region::RequestOf(const MutationBatch& batch, std::span<const uint32_t> rows,
                                     bool with_skipped, int64_t now, Scratch* scratch) const {
  wal::AppendRequest request;
  request.region = wal_region_;
  request.cell_count = GatherPieces(batch, rows, with_skipped, scratch);
  request.cells = scratch->pieces;
  request.write_time_ms = static_cast<uint64_t>(now);
  return request;
}

// Everything between two states of the memstores that a flush may see.
Status Region::StampAndLog(MutationBatch* batch, std::span<const uint32_t> rows, int64_t not_before,
                           Scratch* scratch, RegionWrite* write, wal::Ticket* ticket,
                           wal::SyncLevel* level, bool* logged) {
  std::shared_lock update(update_mu_);
  RETURN_IF_ERROR(CheckUnchanged(*scratch));
  const int64_t now = std::max(services_->clock->NowMillis(), not_before);
  if (scratch->latest) RETURN_IF_ERROR(Stamp(batch, now, scratch));

  uint64_t sequence_id = 0;
  *logged = LevelOf(DurabilityOf(*batch, rows), level);
  if (*logged) {
    wal::AppendRequest request = RequestOf(*batch, rows, /*with_skipped=*/false, now, scratch);
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

Status Region::Stamp(MutationBatch* batch, int64_t now, Scratch* scratch) {
  char* const buffer = batch->mutable_buffer()->data();
  std::vector<Cell> resolved;  // deletes of a newest version so far; rare
  for (const Scratch::CellRef& ref : scratch->cells) {
    if (!ref.latest) continue;
    Cell cell;
    CellAt(batch->buffer(), ref.offset, &cell);
    int64_t timestamp = now;
    if (cell.type() == CellType::kDelete) {
      const auto same_column = [&](const Cell& other) {
        return other.row() == cell.row() && other.family() == cell.family() &&
               other.qualifier() == cell.qualifier();
      };
      const auto before = std::count_if(resolved.begin(), resolved.end(), same_column);
      ASSIGN_OR_RETURN(timestamp,
                       ResolveDelete(cell, *scratch->stores, static_cast<size_t>(before), now));
      resolved.push_back(cell);
    }
    char* const place = buffer + (cell.key - buffer) + cell.key_length - 9;
    StoreBE64(place, static_cast<uint64_t>(timestamp));
  }
  return Status::Ok();
}

// The timestamp of the column's newest version but 'nth'; now when there are no more.
Result<int64_t> Region::ResolveDelete(const Cell& marker, const StoreSet& stores, size_t nth,
                                      int64_t now) const {
  const int index = stores.Find(marker.family());
  RowReader::Lease reader;
  reader->AskColumn(marker.row(), marker.family(), marker.qualifier(), TimeRange(),
                    static_cast<int32_t>(nth) + 1);
  RETURN_IF_ERROR(
      reader->Read(*stores.entries[static_cast<size_t>(index)].store, kNewestReadPoint, now));
  return reader->cells().size() > nth ? reader->cells()[nth].timestamp() : now;
}

// What of the batch goes into the log, as runs of its buffer. Returns the number of cells.
uint32_t Region::GatherPieces(const MutationBatch& batch, std::span<const uint32_t> rows,
                              bool with_skipped, Scratch* scratch) const {
  scratch->pieces.clear();
  const ByteView buffer = batch.buffer();
  uint32_t cell_count = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  for (const uint32_t index : rows) {
    const bool may_skip = !with_skipped && !batch.plain();
    if (may_skip && DurabilityOf(batch, index) == Durability::kSkipWal) continue;
    const MutationBatch::Row& row = batch.rows()[index];
    cell_count += row.cell_count;
    if (row.cells_begin != end) {
      if (end > begin) scratch->pieces.push_back(buffer.substr(begin, end - begin));
      begin = row.cells_begin;
    }
    end = row.cells_end;
  }
  if (end > begin) scratch->pieces.push_back(buffer.substr(begin, end - begin));
  return cell_count;
}

void Region::AddToMemstores(ByteView buffer, uint64_t sequence_id, Scratch* scratch) {
  scratch->memstores.clear();
  for (const auto& entry : scratch->stores->entries) {
    scratch->memstores.push_back(entry.store->active_memstore());
  }
  scratch->hints.resize(scratch->memstores.size());
  for (size_t i = 0; i < scratch->hints.size(); ++i)
    scratch->hints[i].Start(*scratch->memstores[i]);
  Cell cell;
  const auto add = [&](const Scratch::CellRef& ref) {
    cell::ReadBatchCell(buffer.data(), ref.offset, &cell);
    MemStore::InsertHint* const hint = &scratch->hints[ref.store].hint;
    if (ref.follows && scratch->ascending) {
      scratch->memstores[ref.store]->AddNext(cell, sequence_id, hint);
    } else {
      scratch->memstores[ref.store]->Add(cell, sequence_id, hint);
    }
  };
  if (scratch->ascending) {
    for (const Scratch::CellRef& ref : scratch->cells) add(ref);
  } else {
    for (auto ref = scratch->cells.rbegin(); ref != scratch->cells.rend(); ++ref) add(*ref);
  }
}

Status Region::WaitForFlush() {
  if (NoWaitScope::Refuses()) return WouldWait();
  // Counted in waits rather than by the clock, so that a jump of the clock changes nothing.
  constexpr int64_t kStepMillis = 10;
  held_up_writes_.fetch_add(1, std::memory_order_relaxed);
  if (services_->host != nullptr) services_->host->WantFlush(this);
  MutexLock lock(&room_mu_);
  for (int64_t waited = 0; is_overfull(); waited += kStepMillis) {
    RETURN_IF_ERROR(services_->gate->Check());
    if (state() == State::kClosed || state() == State::kMoved) break;  // the write finds out
    if (waited >= services_->write_stall_millis_max) {
      return ResourceExhausted("region " + encoded_name_ + " of table " + table_text_ +
                               " is too busy: its memstores " + "hold " +
                               std::to_string(accounted_bytes()) + " bytes, more than " +
                               std::to_string(block_bytes_.load()) + " (MEMSTORE_FLUSHSIZE times " +
                               "hbase.hregion.memstore.block.multiplier), and no flush came in " +
                               std::to_string(services_->write_stall_millis_max) +
                               " ms; write more slowly, or raise " + "one of them");
    }
    room_made_.WaitFor(&room_mu_, std::chrono::milliseconds(kStepMillis));
  }
  return Status::Ok();
}

Region::Pressure Region::MeasurePressure(int64_t window_millis) {
  const int64_t now = services_->clock->NowMillis();
  MutexLock lock(&pressure_mu_);
  if (!pressure_.has_value()) return {};
  const WritePressure::Requests all = {writes_.load(std::memory_order_relaxed),
                                       held_up_writes_.load(std::memory_order_relaxed)};
  return {pressure_->Age(now), pressure_->Share(now, all, window_millis)};
}

void Region::Account(uint64_t bytes) {
  services_->memory->Add(bytes);
  const uint64_t mine = accounted_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (services_->host == nullptr) return;
  if (mine >= flush_bytes_.load(std::memory_order_relaxed)) services_->host->WantFlush(this);
  if (const uint64_t step = in_memory_flush_bytes_.load(std::memory_order_relaxed); step != 0) {
    const uint64_t since =
        bytes_since_in_memory_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (since >= step) services_->host->WantInMemoryCompaction(this);
  }
  if (services_->memory->wants_flush()) services_->host->MemoryIsShort();
}

// ---- recovery

Result<size_t> Region::Replay(ByteView cells, size_t cell_count, uint64_t sequence_id) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoreSet> set, OpenedStores());
  std::vector<uint64_t> flushed;
  for (const auto& entry : set->entries) {
    flushed.push_back(std::max(entry.store->max_flushed_sequence_id(), entry.replay_floor));
  }
  Scratch scratch;
  scratch.stores = set;
  Cell cell;
  Bytes previous_key;
  uint64_t offset = 0;
  for (size_t i = 0; i < cell_count; ++i) {
    const uint64_t next = CellAt(cells, offset, &cell);
    const int store = cell.family() == wal::kMetaFamily ? -1 : set->Find(cell.family());
    if (store >= 0 && sequence_id > flushed[static_cast<size_t>(store)] &&
        info_.Contains(cell.row())) {
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
  services_->memory->Add(bytes);
  accounted_bytes_.fetch_add(bytes);
  return scratch.cells.size();
}

}  // namespace bennu::engine
