#include "src/engine/region/write_steps.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/batch_cell.h"
#include "src/cell/comparator.h"
#include "src/engine/store/row_reader.h"

namespace bennu::engine {

namespace {

// Of cells of one row.
bool IsBefore(const Cell& left, const Cell& right) {
  return cell::CompareFlatKeysWithinRow(left.flat_key(), right.flat_key()) < 0;
}

Status CheckCell(const RegionState& region, const Cell& cell, ByteView row, const StoreSet& stores,
                 int* store) {
  const ByteView family = cell.family();
  if (*store < 0 || ByteView(stores.entries[static_cast<size_t>(*store)].family) != family) {
    *store = stores.Find(family);
    if (*store < 0) {
      return InvalidArgument("table " + region.table_text + " has no family '" +
                             ToStringBinary(family) + "' (row '" + ToStringBinary(row) + "')");
    }
  }
  // As HBase's codecs write it, its length before it.
  const int64_t bytes = int64_t{12} + cell.key_length + cell.value_length +
                        (cell.tags_length > 0 ? 2 + cell.tags_length : 0);
  const int64_t limit = region.settings.cell_bytes_max.load(std::memory_order_relaxed);
  if (limit > 0 && bytes > limit) {
    return InvalidArgument("table " + region.table_text + ", row '" + ToStringBinary(row) +
                           "', column '" + ToStringBinary(family) + ":" +
                           ToStringBinary(cell.qualifier()) + "': a cell of " +
                           std::to_string(bytes) + " bytes; at most " + std::to_string(limit) +
                           " are possible (hbase.server.keyvalue.maxsize)");
  }
  if (cell.timestamp() < 0) {
    return InvalidArgument("table " + region.table_text + ", row '" + ToStringBinary(row) +
                           "': timestamp " + std::to_string(cell.timestamp()) + " is negative");
  }
  if (cell.type() != CellType::kPut && !IsDelete(cell.type())) {
    return InvalidArgument("table " + region.table_text + ", row '" + ToStringBinary(row) +
                           "': cell type " + std::to_string(static_cast<int>(cell.type())) +
                           " cannot be stored");
  }
  return Status::Ok();
}

Durability EffectiveDurability(const RegionState& region, Durability asked) {
  if (asked == Durability::kUseDefault)
    asked = region.settings.durability.load(std::memory_order_relaxed);
  if (asked != Durability::kUseDefault) return asked;
  return region.services->default_sync == wal::SyncLevel::kFdatasync ? Durability::kFsyncWal
                                                                     : Durability::kSyncWal;
}

Durability DurabilityOf(const RegionState& region, const MutationBatch& batch, uint32_t index) {
  const Durability own = batch.options(index).durability;
  return EffectiveDurability(region, own == Durability::kUseDefault ? batch.durability : own);
}

// The timestamp of the column's newest version but 'nth'; now when there are no more.
Result<int64_t> ResolveDelete(const Cell& marker, const StoreSet& stores, size_t nth, int64_t now) {
  const int index = stores.Find(marker.family());
  RowReader::Lease reader;
  reader->AskColumn(marker.row(), marker.family(), marker.qualifier(), TimeRange(),
                    static_cast<int32_t>(nth) + 1);
  RETURN_IF_ERROR(
      reader->Read(*stores.entries[static_cast<size_t>(index)].store, kNewestReadPoint, now));
  return reader->cells().size() > nth ? reader->cells()[nth].timestamp() : now;
}

// What of the batch goes into the log, as runs of its buffer. Returns the number of cells.
uint32_t GatherPieces(const RegionState& region, const MutationBatch& batch,
                      std::span<const uint32_t> rows, bool with_skipped, WriteScratch* scratch) {
  scratch->pieces.clear();
  const ByteView buffer = batch.buffer();
  uint32_t cell_count = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  for (const uint32_t index : rows) {
    const bool may_skip = !with_skipped && !batch.plain();
    if (may_skip && DurabilityOf(region, batch, index) == Durability::kSkipWal) continue;
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

// The places of a store's next rows, from the cell 'first' on, are looked up together. Not inlined,
// for the sake of the many writes that have no use for it.
[[gnu::noinline]] void PrefetchRows(ByteView buffer, size_t first, WriteScratch* scratch) {
  const uint32_t store = scratch->cells[first].store;
  std::array<ByteView, MemStore::kPrefetchMax> keys;
  size_t count = 0;
  size_t index = first;
  Cell cell;
  for (; index < scratch->cells.size() && count < keys.size(); ++index) {
    const WriteScratch::CellRef& ref = scratch->cells[index];
    if (ref.store != store || ref.follows) continue;
    cell::ReadBatchCell(buffer.data(), ref.offset, &cell);
    keys[count++] = cell.flat_key();
  }
  WriteScratch::KeptHint& kept = scratch->hints[store];
  kept.prefetched = index;
  if (count > 1) scratch->memstores[store]->Prefetch(std::span(keys.data(), count), kept.hint);
}

}  // namespace

std::vector<uint32_t> RowsInKeyOrder(const MutationBatch& batch) {
  std::vector<uint32_t> rows(batch.rows().size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto is_before = [&](uint32_t left, uint32_t right) {
    return batch.row_key(batch.rows()[left]) < batch.row_key(batch.rows()[right]);
  };
  if (!std::is_sorted(rows.begin(), rows.end(), is_before)) {
    std::stable_sort(rows.begin(), rows.end(), is_before);
  }
  return rows;
}

Status CheckBatch(const RegionState& region, const MutationBatch& batch,
                  std::span<const uint32_t> rows, WriteScratch* scratch) {
  Status sound = batch.Check();  // cells that could not be made are not in the batch
  if (!sound.ok()) return sound.Annotate("table " + region.table_text);
  std::shared_ptr<const StoreSet> set = region.stores();
  scratch->cells.clear();
  scratch->ascending = true;
  scratch->latest = false;
  scratch->bytes = 0;
  scratch->stores_left.clear();
  const char* const buffer = batch.buffer().data();
  const int64_t limit = region.settings.cell_bytes_max.load(std::memory_order_relaxed);
  int store = -1;
  ByteView family;  // of 'store'
  ByteView previous_row;
  for (const uint32_t index : rows) {
    const MutationBatch::Row& row = batch.rows()[index];
    const ByteView key = batch.row_key(row);
    if (key.empty() || key.size() > kMaxRowLength) {
      return InvalidArgument("table " + region.table_text + ": a row key of " +
                             std::to_string(key.size()) + " bytes; 1 to " +
                             std::to_string(kMaxRowLength) + " are possible");
    }
    if (row.cell_count == 0) {
      return InvalidArgument("table " + region.table_text + ", row '" + ToStringBinary(key) +
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
        RETURN_IF_ERROR(CheckCell(region, cell, key, *set, &store));
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

Status CheckUnchanged(const RegionState& region, const WriteScratch& scratch) {
  if (region.phase() == RegionPhase::kClosed)
    return NotFound("table " + region.table_text + " was dropped or closed");
  if (!region.accepts_writes()) return Status(StatusCode::kAborted, "the region is being changed");
  if (!region.HasStores(scratch.stores)) {
    return Status(StatusCode::kAborted, "the families or the observer changed");
  }
  if (region.loads.load() != scratch.loads)
    return Status(StatusCode::kAborted, "files were loaded");
  return Status::Ok();
}

Status StampBatch(int64_t now, MutationBatch* batch, WriteScratch* scratch) {
  char* const buffer = batch->mutable_buffer()->data();
  std::vector<Cell> resolved;  // deletes of a newest version so far; rare
  for (const WriteScratch::CellRef& ref : scratch->cells) {
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
    cell::SetTimestampIn(buffer, cell, timestamp);
  }
  return Status::Ok();
}

Durability DurabilityOf(const RegionState& region, const MutationBatch& batch,
                        std::span<const uint32_t> rows) {
  if (batch.plain()) return EffectiveDurability(region, batch.durability);
  Durability safest = Durability::kSkipWal;
  for (const uint32_t index : rows) safest = std::max(safest, DurabilityOf(region, batch, index));
  return safest;
}

bool LevelOf(Durability durability, wal::SyncLevel* level) {
  switch (durability) {
    case Durability::kSkipWal: return false;
    case Durability::kAsyncWal: *level = wal::SyncLevel::kNone; break;
    case Durability::kSyncWal: *level = wal::SyncLevel::kWrite; break;
    case Durability::kFsyncWal: *level = wal::SyncLevel::kFdatasync; break;
    case Durability::kUseDefault: break;
  }
  return true;
}

wal::AppendRequest RequestOf(const RegionState& region, const MutationBatch& batch,
                             std::span<const uint32_t> rows, bool with_skipped, int64_t now,
                             WriteScratch* scratch) {
  wal::AppendRequest request;
  request.region = region.wal_region;
  request.cell_count = GatherPieces(region, batch, rows, with_skipped, scratch);
  request.cells = scratch->pieces;
  request.write_time_ms = static_cast<uint64_t>(now);
  return request;
}

void AddToMemstores(ByteView buffer, uint64_t sequence_id, WriteScratch* scratch) {
  scratch->memstores.clear();
  for (const auto& entry : scratch->stores->entries) {
    scratch->memstores.push_back(entry.store->active_memstore());
  }
  scratch->hints.resize(scratch->memstores.size());
  for (size_t i = 0; i < scratch->hints.size(); ++i)
    scratch->hints[i].Start(*scratch->memstores[i]);
  Cell cell;
  const auto add = [&](const WriteScratch::CellRef& ref) {
    cell::ReadBatchCell(buffer.data(), ref.offset, &cell);
    MemStore::InsertHint* const hint = &scratch->hints[ref.store].hint;
    if (ref.follows && scratch->ascending) {
      scratch->memstores[ref.store]->AddNext(cell, sequence_id, hint);
    } else {
      scratch->memstores[ref.store]->Add(cell, sequence_id, hint);
    }
  };
  if (scratch->ascending) {
    for (size_t i = 0; i < scratch->cells.size(); ++i) {
      const WriteScratch::CellRef& ref = scratch->cells[i];
      const WriteScratch::KeptHint& kept = scratch->hints[ref.store];
      if (!ref.follows && i >= kept.prefetched && MemStore::IsFarApart(kept.hint)) {
        PrefetchRows(buffer, i, scratch);
      }
      add(ref);
    }
  } else {
    for (auto ref = scratch->cells.rbegin(); ref != scratch->cells.rend(); ++ref) add(*ref);
  }
}

}  // namespace bennu::engine
