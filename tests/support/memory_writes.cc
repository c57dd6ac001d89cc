// How the model writes: everything under one lock, one sequence number per batch.
#include <algorithm>
#include <functional>
#include <map>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/tags.h"
#include "tests/support/memory_store.h"

namespace bennu::testing {
namespace {

constexpr size_t kCellBytesMax = 10 << 20;

void ForEachCell(const MutationBatch& batch, const MutationBatch::Row& row,
                 const std::function<void(const Cell&)>& use) {
  for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
    Cell cell;
    offset = CellAt(batch.buffer(), offset, &cell);
    use(cell);
  }
}

std::vector<Cell> SortedCells(const MutationBatch& batch, size_t index) {
  std::vector<Cell> cells;
  ForEachCell(batch, batch.rows()[index], [&](const Cell& cell) { cells.push_back(cell); });
  std::stable_sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return cell::CompareFlatKeys(a.flat_key(), b.flat_key()) < 0;
  });
  return cells;
}

Row OwnedRow(const std::vector<Cell>& cells) {
  Row row;
  row.cells = cells;
  size_t size = 0;
  for (const Cell& cell : cells) size += cell.key_length + cell.value_length + cell.tags_length;
  row.memory = std::make_unique<char[]>(size);
  char* to = row.memory.get();
  for (Cell& cell : row.cells) {
    const Cell from = cell;
    cell.key = to;
    to = std::copy_n(from.key, from.key_length, to);
    cell.value = to;
    to = std::copy_n(from.value, from.value_length, to);
    cell.tags = to;
    to = std::copy_n(from.tags, from.tags_length, to);
  }
  return row;
}

bool Reads(MutationKind kind) {
  return kind == MutationKind::kIncrement || kind == MutationKind::kAppend;
}

bool Matches(const Table::Condition& condition, const Bytes* current) {
  const bool negated = condition.op == CompareOperator::kNotEqual;
  if (condition.expect_absent || condition.value.empty()) {
    const bool nothing = current == nullptr || current->empty();
    if (current == nullptr) return !negated;
    return nothing != negated;
  }
  if (current == nullptr) return false;
  const int order = condition.value.compare(*current);
  switch (condition.op) {
    case CompareOperator::kLess: return order < 0;
    case CompareOperator::kLessOrEqual: return order <= 0;
    case CompareOperator::kEqual: return order == 0;
    case CompareOperator::kNotEqual: return order != 0;
    case CompareOperator::kGreaterOrEqual: return order >= 0;
    case CompareOperator::kGreater: return order > 0;
  }
  return false;
}

}  // namespace

// ---------------------------------------------------------------- checks

Status MemoryTable::CheckCell(const Cell& cell) const {
  if (descriptor_.FindFamily(cell.family()) == nullptr) {
    return InvalidArgument("table " + name_.ToString() + " has no family '" +
                           std::string(cell.family()) + "'");
  }
  if (size_t{cell.key_length} + cell.value_length > kCellBytesMax) {
    return InvalidArgument("a cell of " + std::to_string(cell.key_length + cell.value_length) +
                           " bytes; at most " + std::to_string(kCellBytesMax));
  }
  if (cell.timestamp() < 0) {
    return InvalidArgument("timestamp " + std::to_string(cell.timestamp()) + " is negative");
  }
  return Status::Ok();
}

Status MemoryTable::CheckBatch(const MutationBatch& batch) const {
  RETURN_IF_ERROR(CheckOpen());
  RETURN_IF_ERROR(batch.Check());
  for (const MutationBatch::Row& row : batch.rows()) {
    if (row.cell_count == 0 && row.kind != MutationKind::kDeleteRow) {
      return InvalidArgument("row '" + Bytes(batch.row_key(row)) + "': a mutation without columns");
    }
    Status status;
    ForEachCell(batch, row, [&](const Cell& cell) {
      if (status.ok()) status = CheckCell(cell);
    });
    RETURN_IF_ERROR(status);
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- what becomes of mutations

std::vector<const MemoryCell*> MemoryTable::Newest(const Cell& column, const TimeRange& range,
                                                   int32_t count) {
  VisibilityRequest request;
  request.time_range = range;
  request.columns[Bytes(column.family())] = {Bytes(column.qualifier())};
  request.max_versions = count;
  request.now_ms = store_->NowLocked();
  return VisibleCells(descriptor_, CellsOfRow(column.row(), store_->sequence_), request);
}

Status MemoryTable::ResolveDelta(const Cell& delta, MutationKind kind, const TimeRange& range,
                                 MutationBatch* plain) {
  const auto found = Newest(delta, range, 1);
  const MemoryCell* const current = found.empty() ? nullptr : found[0];
  Bytes value;
  if (kind == MutationKind::kAppend) {
    if (current != nullptr) value = current->value;
    value.append(delta.value_view());
  } else {
    if (delta.value_length != 8 || (current != nullptr && current->value.size() != 8)) {
      return InvalidArgument("a counter has 8 bytes, this cell or its increment has not");
    }
    const uint64_t before = current == nullptr ? 0 : LoadBE64(current->value.data());
    AppendBE64(&value, before + LoadBE64(delta.value));
  }
  const int64_t now_ms = store_->NowLocked();
  int64_t timestamp = delta.timestamp() == kLatestTimestamp ? now_ms : delta.timestamp();
  Bytes tags(delta.tags_view());
  if (current != nullptr) {
    timestamp = std::max(now_ms, current->timestamp + 1);
    cell::Tag tag;
    for (cell::TagIterator it(current->tags); it.Next(&tag);) {
      if (tag.type != cell::kTagTtl) cell::AppendTag(&tags, tag.type, tag.value);
    }
  }
  plain->AddCell(delta.family(), delta.qualifier(), timestamp, CellType::kPut, value, tags);
  return Status::Ok();
}

Status MemoryTable::Resolve(const MutationBatch& batch, size_t index, MutationBatch* plain) {
  const MutationBatch::Row& row = batch.rows()[index];
  if (row.kind == MutationKind::kPutDelete) {
    plain->AddMutation(batch, index);
    return Status::Ok();
  }
  const MutationBatch::RowOptions& options = batch.options(index);
  plain->StartRow(batch.row_key(row));
  if (row.kind == MutationKind::kDeleteRow) {
    for (const auto& family : descriptor_.families) {
      plain->DeleteFamily(family.name, options.delete_row_timestamp);
    }
  }
  const TimeRange range{options.read_time_min, options.read_time_max};
  for (const Cell& delta : SortedCells(batch, index)) {
    RETURN_IF_ERROR(ResolveDelta(delta, row.kind, range, plain));
  }
  return Status::Ok();
}

// DeleteVersion without a timestamp means the newest version that is there, the second of a column
// the one below it.
void MemoryTable::Stamp(MutationBatch* batch, int64_t now_ms) {
  std::map<std::pair<Bytes, std::pair<Bytes, Bytes>>, int32_t> deleted;
  for (const MutationBatch::Row& row : batch->rows()) {
    ForEachCell(*batch, row, [&](const Cell& cell) {
      if (cell.timestamp() != kLatestTimestamp) return;
      int64_t timestamp = now_ms;
      if (cell.type() == CellType::kDelete) {
        const int32_t nth =
            ++deleted[{Bytes(cell.row()), {Bytes(cell.family()), Bytes(cell.qualifier())}}];
        const auto found = Newest(cell, TimeRange(), nth);
        if (found.size() == static_cast<size_t>(nth)) timestamp = found.back()->timestamp;
      }
      StoreBE64(batch->mutable_buffer()->data() +
                    (cell.key + cell.key_length - 9 - batch->buffer().data()),
                static_cast<uint64_t>(timestamp));
    });
  }
}

void MemoryTable::Apply(MutationBatch* batch, int64_t not_before) {
  Stamp(batch, std::max(store_->NowLocked(), not_before));
  ++store_->write_count_;
  const uint64_t sequence = ++store_->sequence_;
  for (const MutationBatch::Row& row : batch->rows()) {
    ForEachCell(*batch, row, [&](const Cell& cell) {
      MemoryCell made{Bytes(cell.row()),
                      Bytes(cell.family()),
                      Bytes(cell.qualifier()),
                      cell.timestamp(),
                      cell.type(),
                      sequence,
                      Bytes(cell.value_view()),
                      Bytes(cell.tags_view())};
      cells_.erase(made);  // put twice by one batch: the later one counts
      cells_.insert(std::move(made));
    });
  }
}

Status MemoryTable::MutateLocked(MutationBatch* batch, int64_t not_before,
                                 std::vector<Row>* results) {
  RETURN_IF_ERROR(CheckBatch(*batch));
  if (results != nullptr) results->clear();
  if (results != nullptr) results->resize(batch->row_count());
  if (batch->plain()) {
    Apply(batch, not_before);
    return Status::Ok();
  }
  MutationBatch plain;
  for (size_t i = 0; i < batch->row_count(); ++i) RETURN_IF_ERROR(Resolve(*batch, i, &plain));
  RETURN_IF_ERROR(CheckBatch(plain));
  Apply(&plain, not_before);
  for (size_t i = 0; results != nullptr && i < batch->row_count(); ++i) {
    if (!Reads(batch->rows()[i].kind) || !batch->options(i).return_results) continue;
    (*results)[i] = OwnedRow(SortedCells(plain, i));
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- the Table's face

Status MemoryTable::Write(MutationBatch* batch) { return Mutate(batch, nullptr); }

void MemoryTable::WriteAsync(MutationBatch* batch, std::function<void(Status)> done) {
  done(Write(batch));
}

Status MemoryTable::Mutate(MutationBatch* batch, std::vector<Row>* results) {
  std::lock_guard lock(store_->mu_);
  return MutateLocked(batch, 0, results);
}

Status MemoryTable::MutateAtomically(MutationBatch* batch, std::vector<Row>* results) {
  std::lock_guard lock(store_->mu_);
  for (const MutationBatch::Row& row : batch->rows()) {
    for (const RegionInfo& region : regions_) {
      if (!region.Contains(batch->row_key(batch->rows().front()))) continue;
      if (region.Contains(batch->row_key(row))) continue;
      return InvalidArgument("rows of an atomic batch are in several regions");
    }
  }
  return MutateLocked(batch, 0, results);
}

Status MemoryTable::MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) {
  std::lock_guard lock(store_->mu_);
  RETURN_IF_ERROR(CheckOpen());
  outcomes->clear();
  for (size_t i = 0; i < batch->row_count(); ++i) {
    MutationBatch one;
    one.AddMutation(*batch, i);
    std::vector<Row> results;
    Outcome outcome;
    outcome.status = MutateLocked(&one, 0, &results);
    if (outcome.status.ok()) outcome.result = std::move(results[0]);
    outcomes->push_back(std::move(outcome));
  }
  return Status::Ok();
}

Result<bool> MemoryTable::Check(const Condition& condition, MutationBatch* batch,
                                std::vector<Row>* results) {
  RETURN_IF_ERROR(CheckBatch(*batch));
  if (condition.filter != nullptr) return NotSupported("filters in the model");
  if (batch->empty()) return InvalidArgument("a check with an empty batch");
  for (const MutationBatch::Row& row : batch->rows()) {
    if (batch->row_key(row) != ByteView(condition.row)) {
      return InvalidArgument("the batch of a check writes another row");
    }
  }
  MutationBatch column;
  column.StartRow(condition.row);
  column.Put(condition.family, condition.qualifier, "");
  RETURN_IF_ERROR(CheckBatch(column));
  const auto found = Newest(SortedCells(column, 0)[0], condition.time_range, 1);
  if (!Matches(condition, found.empty() ? nullptr : &found[0]->value)) return false;
  RETURN_IF_ERROR(MutateLocked(batch, found.empty() ? 0 : found[0]->timestamp, results));
  return true;
}

Result<bool> MemoryTable::CheckAndWrite(const Condition& condition, MutationBatch* batch) {
  std::lock_guard lock(store_->mu_);
  return Check(condition, batch, nullptr);
}

Result<Table::CheckedResult> MemoryTable::CheckAndMutate(const Condition& condition,
                                                         MutationBatch* batch) {
  std::lock_guard lock(store_->mu_);
  CheckedResult checked;
  std::vector<Row> rows;
  ASSIGN_OR_RETURN(checked.success, Check(condition, batch, &rows));
  std::vector<Cell> cells;
  for (const Row& row : rows) cells.insert(cells.end(), row.cells.begin(), row.cells.end());
  checked.result = OwnedRow(cells);
  return checked;
}

}  // namespace bennu::testing
