// Writes that read first: Increment, Append, conditions, and whatever else of a batch is not stored
// as it stands.
//
// Under the row locks the mutations are turned into plain puts and deletes in a batch of the
// region's own, which then goes the way of every batch (region_write.cc). Every mutation sees what
// was there before its batch, as in HBase.
#include <algorithm>
#include <numeric>
#include <utility>

#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/row_copy.h"
#include "src/cell/tags.h"
#include "src/engine/region/region.h"
#include "src/engine/region/region_internal.h"
#include "src/engine/region/region_scanner.h"
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

}  // namespace

// ---- what is there

template <typename Use>
Status Region::ReadNewest(ByteView row, ByteView family, ByteView qualifier,
                          const TimeRange& time_range, Use use) const {
  const std::shared_ptr<const StoreSet> set = stores();
  const int index = set->Find(family);
  if (index < 0) {
    return InvalidArgument("table " + table_text_ + " has no family '" + ToStringBinary(family) +
                           "'");
  }
  RowReader::Lease reader;
  reader->AskColumn(row, family, qualifier, time_range, 1);
  RETURN_IF_ERROR(reader->Read(*set->entries[static_cast<size_t>(index)].store, kNewestReadPoint,
                               services_->clock->NowMillis()));
  return use(reader->cells().empty() ? nullptr : &reader->cells().front());
}

// Looks at the column's newest value, or the first cell that its filter passes. Lifts *newest to
// its timestamp.
Result<bool> Region::Holds(const Table::Condition& condition, int64_t* newest) {
  bool holds = false;
  if (condition.filter == nullptr) {
    RETURN_IF_ERROR(ReadNewest(condition.row, condition.family, condition.qualifier,
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
  ASSIGN_OR_RETURN(auto scanner,
                   RegionScanner::Open(shared_from_this(), &scan, nullptr, kNewestReadPoint,
                                       services_->clock->NowMillis()));
  CellBatch found;
  bool done = false;
  while (!done && found.cells.empty()) RETURN_IF_ERROR(scanner->NextRows(1, &found, &done));
  holds = !found.cells.empty();
  if (holds) *newest = std::max(*newest, found.cells.front().timestamp());
  return holds;
}

// ---- what becomes of it

// Adds the new cell for one of an Increment or Append. 'current': the old one; null: there is none.
Status Region::AddDelta(const Cell& delta, MutationKind kind, int64_t now, const Cell* current,
                        MutationBatch* resolved) const {
  Bytes value;
  if (kind == MutationKind::kAppend) {
    if (current != nullptr) value = current->value_view();
    value.append(delta.value_view());
  } else {
    if (delta.value_length != sizeof(int64_t)) {
      return InvalidArgument("table " + table_text_ + ", row '" + ToStringBinary(delta.row()) +
                             "': an increment by a value of " + std::to_string(delta.value_length) +
                             " bytes; it must have 8");
    }
    if (current != nullptr && current->value_length != sizeof(int64_t)) {
      return InvalidArgument("table " + table_text_ + ", row '" + ToStringBinary(delta.row()) +
                             "', column '" + ToStringBinary(delta.family()) + ":" +
                             ToStringBinary(delta.qualifier()) +
                             "': the field is not a long, it is " +
                             std::to_string(current->value_length) + " bytes wide");
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

Status Region::ResolveMutation(const MutationBatch& batch, uint32_t index, const StoreSet& stores,
                               int64_t now, MutationBatch* resolved) const {
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
      resolved->DeleteFamily(entry.family, options.delete_row_timestamp);
    }
    return Status::Ok();
  }
  const TimeRange time_range{options.read_time_min, options.read_time_max};
  for (const Cell& delta : SortedCells(batch, row)) {
    RETURN_IF_ERROR(ReadNewest(
        delta.row(), delta.family(), delta.qualifier(), time_range,
        [&](const Cell* current) { return AddDelta(delta, row.kind, now, current, resolved); }));
  }
  return Status::Ok();
}

// Gives the puts the moment of the counters beside them: of one column they are one version, as in
// HBase. Markers are left, as they may have to find out what is newest.
void Region::StampPuts(int64_t now, MutationBatch* batch) {
  char* const buffer = batch->mutable_buffer()->data();
  Cell cell;
  for (const MutationBatch::Row& row : batch->rows()) {
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      offset = CellAt(batch->buffer(), offset, &cell);
      if (cell.type() != CellType::kPut || cell.timestamp() != kLatestTimestamp) continue;
      StoreBE64(buffer + (cell.key - buffer) + cell.key_length - 9, static_cast<uint64_t>(now));
    }
  }
}

// Makes *resolved of the mutations with the given indexes; its mutation i is made of rows[i].
Status Region::Resolve(const MutationBatch& batch, std::span<const uint32_t> rows,
                       int64_t not_before, MutationBatch* resolved) const {
  RETURN_IF_ERROR(batch.Check().Annotate("table " + table_text_));
  const std::shared_ptr<const StoreSet> set = stores();
  const int64_t now = std::max(services_->clock->NowMillis(), not_before);
  resolved->Clear();
  resolved->durability = batch.durability;
  for (const uint32_t index : rows) {
    RETURN_IF_ERROR(ResolveMutation(batch, index, *set, now, resolved));
  }
  StampPuts(now, resolved);
  return Status::Ok();
}

Status Region::Mutate(const MutationBatch& batch, std::span<const uint32_t> rows,
                      RegionWrite* write, std::vector<Row>* results) {
  for (;;) {
    RETURN_IF_ERROR(KnowObserver());
    RowLockGuard locks(*this, &batch, rows);
    RETURN_IF_ERROR(locks.status());
    // What is read must be the newest; only a region that takes writes knows it.
    if (!accepts_writes()) return Status(StatusCode::kAborted, "the region is being changed");
    MutationBatch resolved;
    RETURN_IF_ERROR(Resolve(batch, rows, 0, &resolved));
    Status status = WriteResolved(batch, rows, &resolved, 0, &locks, write, results);
    if (!MayTryAgain(status)) return status;
  }
}

Status Region::WriteResolved(const MutationBatch& batch, std::span<const uint32_t> rows,
                             MutationBatch* resolved, int64_t not_before, RowLockGuard* locks,
                             RegionWrite* write, std::vector<Row>* results) {
  std::vector<uint32_t> all(resolved->rows().size());
  std::iota(all.begin(), all.end(), 0);
  RETURN_IF_ERROR(Validate(*resolved, all, ThreadScratch()));
  std::vector<Row> made;
  for (size_t i = 0; results != nullptr && i < rows.size(); ++i) {
    const MutationKind kind = batch.rows()[rows[i]].kind;
    const bool wanted = kind == MutationKind::kIncrement || kind == MutationKind::kAppend;
    std::vector<Cell> cells;
    if (wanted && batch.options(rows[i]).return_results) {
      cells = SortedCells(*resolved, resolved->rows()[i]);
    }
    made.push_back(cell::CopyRow(cells.data(), cells.size()));
  }
  RETURN_IF_ERROR(WriteLocked(resolved, all, not_before, locks, write));
  for (size_t i = 0; i < made.size(); ++i) (*results)[rows[i]] = std::move(made[i]);
  return Status::Ok();
}

// ---- conditions and counters

// Whose rows are locked while conditions are looked at: indexes of the batch in key order.
struct Region::HeldRows {
  const MutationBatch* batch;
  std::span<const uint32_t> order;
};

namespace {

std::vector<uint32_t> InKeyOrder(const MutationBatch& batch) {
  std::vector<uint32_t> order(batch.rows().size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
    return batch.row_key(batch.rows()[left]) < batch.row_key(batch.rows()[right]);
  });
  return order;
}

}  // namespace

Result<bool> Region::CheckAndWrite(const Table::Condition& condition, MutationBatch* batch,
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

Result<bool> Region::CheckRowsAndWrite(std::span<const Table::Condition> conditions,
                                       MutationBatch* batch, RegionWrite* write,
                                       std::vector<Row>* results) {
  MutationBatch held;  // rows alone
  for (const MutationBatch::Row& row : batch->rows()) held.StartRow(batch->row_key(row));
  for (const Table::Condition& condition : conditions) held.StartRow(condition.row);
  for (const MutationBatch::Row& row : held.rows()) {
    if (info_.Contains(held.row_key(row))) continue;
    return InvalidArgument("table " + table_text_ + ": row '" + ToStringBinary(held.row_key(row)) +
                           "' of a check is not in the region of its first row");
  }
  const std::vector<uint32_t> order = InKeyOrder(held);
  const std::vector<uint32_t> rows = InKeyOrder(*batch);
  return CheckHeldAndWrite(conditions, {&held, order}, batch, rows, write, results);
}

// Whether all hold. '*newest': the timestamp of the newest cell that was seen.
Result<bool> Region::Hold(std::span<const Table::Condition> conditions, int64_t* newest) {
  *newest = 0;
  for (const Table::Condition& condition : conditions) {
    ASSIGN_OR_RETURN(const bool holds, Holds(condition, newest));
    if (!holds) return false;
  }
  return true;
}

Result<bool> Region::CheckHeldAndWrite(std::span<const Table::Condition> conditions,
                                       const HeldRows& held, MutationBatch* batch,
                                       std::span<const uint32_t> rows, RegionWrite* write,
                                       std::vector<Row>* results) {
  RETURN_IF_ERROR(EnsureOpen());
  writes_.fetch_add(1, std::memory_order_relaxed);
  for (;;) {
    RETURN_IF_ERROR(KnowObserver());
    RETURN_IF_ERROR(batch->Check().Annotate("table " + table_text_));
    RowLockGuard locks(*this, held.batch, held.order);
    RETURN_IF_ERROR(locks.status());
    if (!accepts_writes()) return Status(StatusCode::kAborted, "the region is being changed");
    int64_t newest = 0;
    ASSIGN_OR_RETURN(const bool hold, Hold(conditions, &newest));
    if (!hold || rows.empty()) {
      // A bulk load may have been seen in part.
      if (!accepts_writes() || loads_.load() != locks.loads()) {
        locks.Unlock();
        if (accepts_writes()) continue;
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
      RETURN_IF_ERROR(Validate(*batch, rows, ThreadScratch()));
      status = WriteLocked(batch, rows, not_before, &locks, write);
    } else {
      MutationBatch resolved;
      RETURN_IF_ERROR(Resolve(*batch, rows, not_before, &resolved));
      status = WriteResolved(*batch, rows, &resolved, not_before, &locks, write, results);
    }
    if (status.ok()) return true;
    if (!MayTryAgain(status)) return status;
  }
}

}  // namespace bennu::engine
