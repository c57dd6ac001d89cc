#include "src/engine/region/read_modify_write.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/batch_cell.h"
#include "src/cell/comparator.h"
#include "src/cell/row_copy.h"
#include "src/cell/tags.h"
#include "src/engine/region/region_scanner.h"
#include "src/engine/region/write_scratch.h"
#include "src/engine/store/row_reader.h"

namespace bennu::engine {

namespace {

bool Compares(int order, CompareOperator op) {
  switch (op) {
    case CompareOperator::kLess: return order < 0;
    case CompareOperator::kLessOrEqual: return order <= 0;
    case CompareOperator::kEqual: return order == 0;
    case CompareOperator::kNotEqual: return order != 0;
    case CompareOperator::kGreaterOrEqual: return order >= 0;
    case CompareOperator::kGreater: return order > 0;
  }
  return false;
}

// HBase compares the given value with the stored one, in this order.
bool Matches(const Table::Condition& condition, const Cell* current) {
  const bool without_value = condition.expect_absent || condition.value.empty();
  const bool negated = condition.op == CompareOperator::kNotEqual;
  if (current == nullptr) return without_value && !negated;
  if (without_value) return (current->value_length == 0) != negated;
  return Compares(condition.value.compare(current->value_view()), condition.op);
}

bool HasTag(ByteView tags, const cell::Tag& wanted) {
  cell::Tag tag;
  for (cell::TagIterator it(tags); it.Next(&tag);) {
    if (tag.type == wanted.type && tag.value == wanted.value) return true;
  }
  return false;
}

// The delta's own tags, and those of the old cell but its time to live.
Bytes CarryTags(ByteView delta, ByteView old) {
  Bytes tags(delta);
  cell::Tag tag;
  for (cell::TagIterator it(old); it.Next(&tag);) {
    if (tag.type != cell::kTagTtl && !HasTag(delta, tag))
      cell::AppendTag(&tags, tag.type, tag.value);
  }
  return tags;
}

// The cells of a mutation in HBase's order, which is that of its results.
std::vector<Cell> SortedCells(const MutationBatch& batch, const MutationBatch::Row& row) {
  std::vector<Cell> cells;
  Cell cell;
  for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
    offset = CellAt(batch.buffer(), offset, &cell);
    cells.push_back(cell);
  }
  if (cells.size() < 2) return cells;  // as most counters have it; sorting would allocate
  std::stable_sort(cells.begin(), cells.end(), [](const Cell& left, const Cell& right) {
    return cell::CompareFlatKeys(left.flat_key(), right.flat_key()) < 0;
  });
  return cells;
}

// ---- what is there

template <typename Use>
Status ReadNewest(const RegionState& region, ByteView row, ByteView family, ByteView qualifier,
                  const TimeRange& time_range, Use use) {
  const std::shared_ptr<const StoreSet> set = region.stores();
  const int index = set->Find(family);
  if (index < 0) {
    return InvalidArgument("table " + region.table_text + " has no family '" +
                           ToStringBinary(family) + "'");
  }
  RowReader::Lease reader;
  reader->AskColumn(row, family, qualifier, time_range, 1);
  RETURN_IF_ERROR(reader->Read(*set->entries[static_cast<size_t>(index)].store, kNewestReadPoint,
                               region.services->clock->NowMillis()));
  return use(reader->cells().empty() ? nullptr : &reader->cells().front());
}

// Looks at the column's newest value, or the first cell that its filter passes. Lifts *newest to
// its timestamp.
Result<bool> Holds(const RegionState& region, const Table::Condition& condition, int64_t* newest) {
  bool holds = false;
  if (condition.filter == nullptr) {
    RETURN_IF_ERROR(ReadNewest(region, condition.row, condition.family, condition.qualifier,
                               condition.time_range, [&](const Cell* current) {
                                 holds = Matches(condition, current);
                                 if (current != nullptr) {
                                   *newest = std::max(*newest, current->timestamp());
                                 }
                                 return Status::Ok();
                               }));
    return holds;
  }
  Scan scan;
  scan.range = {condition.row, true, condition.row, true};
  scan.time_range = condition.time_range;
  scan.filter = condition.filter;
  ASSIGN_OR_RETURN(auto scanner, RegionScanner::Open(region, &scan, nullptr, kNewestReadPoint,
                                                     region.services->clock->NowMillis()));
  CellBatch found;
  bool done = false;
  while (!done && found.cells.empty()) RETURN_IF_ERROR(scanner->NextRows(1, &found, &done));
  holds = !found.cells.empty();
  if (holds) *newest = std::max(*newest, found.cells.front().timestamp());
  return holds;
}

// ---- what becomes of it

// Adds the new cell for one of an Increment or Append. 'current': the old one; null: there is none.
Status AddDelta(const RegionState& region, const Cell& delta, MutationKind kind, int64_t now,
                const Cell* current, MutationBatch* resolved) {
  Bytes value;
  if (kind == MutationKind::kAppend) {
    if (current != nullptr) value = current->value_view();
    value.append(delta.value_view());
  } else {
    if (delta.value_length != sizeof(int64_t)) {
      return InvalidArgument("table " + region.table_text + ", row '" +
                             ToStringBinary(delta.row()) + "': an increment by a value of " +
                             std::to_string(delta.value_length) + " bytes; it must have 8");
    }
    if (current != nullptr && current->value_length != sizeof(int64_t)) {
      return InvalidArgument(
          "table " + region.table_text + ", row '" + ToStringBinary(delta.row()) + "', column '" +
          ToStringBinary(delta.family()) + ":" + ToStringBinary(delta.qualifier()) +
          "': the field is not a long, it is " + std::to_string(current->value_length) +
          " bytes wide");
    }
    // Wraps around, as Java's addition does.
    uint64_t sum = LoadBE64(delta.value);
    if (current != nullptr) sum += LoadBE64(current->value);
    AppendBE64(&value, sum);
  }
  int64_t timestamp = delta.timestamp() == kLatestTimestamp ? now : delta.timestamp();
  if (current != nullptr) timestamp = std::max(now, current->timestamp() + 1);
  resolved->AddCell(
      delta.family(), delta.qualifier(), timestamp, CellType::kPut, value,
      CarryTags(delta.tags_view(), current == nullptr ? ByteView() : current->tags_view()));
  return Status::Ok();
}

Status ResolveMutation(const RegionState& region, const MutationBatch& batch, uint32_t index,
                       const StoreSet& stores, int64_t now, MutationBatch* resolved) {
  const MutationBatch::Row& row = batch.rows()[index];
  const MutationBatch::RowOptions& options = batch.options(index);
  if (row.kind == MutationKind::kPutDelete) {
    resolved->AddMutation(batch, index);
    return Status::Ok();
  }
  resolved->StartRow(batch.row_key(row));
  if (options.durability != Durability::kUseDefault) resolved->SetDurability(options.durability);
  if (row.kind == MutationKind::kDeleteRow) {
    for (const auto& entry : stores.entries) {
      if (stores.observer != nullptr && stores.observer->IsDerived(entry.family)) continue;
      resolved->DeleteFamily(entry.family, options.delete_row_timestamp);
    }
    return Status::Ok();
  }
  const TimeRange time_range{options.read_time_min, options.read_time_max};
  for (const Cell& delta : SortedCells(batch, row)) {
    RETURN_IF_ERROR(ReadNewest(region, delta.row(), delta.family(), delta.qualifier(), time_range,
                               [&](const Cell* current) {
                                 return AddDelta(region, delta, row.kind, now, current, resolved);
                               }));
  }
  return Status::Ok();
}

// Gives the puts the moment of the counters beside them: of one column they are one version, as in
// HBase. Markers are left, as they may have to find out what is newest.
void StampPuts(int64_t now, MutationBatch* batch) {
  char* const buffer = batch->mutable_buffer()->data();
  Cell cell;
  for (const MutationBatch::Row& row : batch->rows()) {
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      offset = CellAt(batch->buffer(), offset, &cell);
      if (cell.type() != CellType::kPut || cell.timestamp() != kLatestTimestamp) continue;
      cell::SetTimestampIn(buffer, cell, now);
    }
  }
}

}  // namespace

Status ResolveMutations(const RegionState& region, const MutationBatch& batch,
                        std::span<const uint32_t> rows, int64_t not_before,
                        MutationBatch* resolved) {
  RETURN_IF_ERROR(batch.Check().Annotate("table " + region.table_text));
  const std::shared_ptr<const StoreSet> set = region.stores();
  const int64_t now = std::max(region.services->clock->NowMillis(), not_before);
  resolved->Clear();
  resolved->durability = batch.durability;
  for (const uint32_t index : rows) {
    RETURN_IF_ERROR(ResolveMutation(region, batch, index, *set, now, resolved));
  }
  StampPuts(now, resolved);
  return Status::Ok();
}

std::vector<Row> ResultsOf(const MutationBatch& batch, std::span<const uint32_t> rows,
                           const MutationBatch& resolved) {
  std::vector<Row> results;
  results.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const MutationKind kind = batch.rows()[rows[i]].kind;
    const bool reads = kind == MutationKind::kIncrement || kind == MutationKind::kAppend;
    std::vector<Cell> cells;
    if (reads && batch.options(rows[i]).return_results) {
      cells = SortedCells(resolved, resolved.rows()[i]);
    }
    results.push_back(cell::CopyRow(cells.data(), cells.size()));
  }
  return results;
}

Result<bool> Hold(const RegionState& region, std::span<const Table::Condition> conditions,
                  int64_t* newest) {
  *newest = 0;
  for (const Table::Condition& condition : conditions) {
    ASSIGN_OR_RETURN(const bool holds, Holds(region, condition, newest));
    if (!holds) return false;
  }
  return true;
}

}  // namespace bennu::engine
