#include "src/sql/index/phased_write.h"

#include <algorithm>
#include <set>

#include "bennu/filter.h"
#include "src/api/store_tools.h"
#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/parallel_work.h"
#include "src/base/status_macros.h"
#include "src/sql/index/index_maintainer.h"
#include "src/sql/index/row_after.h"
#include "src/sql/index/row_reads.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

// Each time another writer got through, so that the bound is only met when something is wrong.
constexpr uint64_t kAttemptsMax = 1000;
constexpr int kDoubtsMax = 20;
constexpr uint64_t kPauseMicrosMax = 20'000;

std::set<int64_t> TimesOf(std::span<const Cell> cells) {
  std::set<int64_t> times;
  for (const Cell& cell : cells) times.insert(cell.timestamp());
  return times;
}

// Passes a row of which all cells have one of the times.
FilterPtr HasOnlyTimes(std::span<const Cell> cells) {
  const std::set<int64_t> times = TimesOf(cells);
  auto filter = NewTimestampsFilter(std::vector<int64_t>(times.begin(), times.end()));
  return NewSkipFilter(std::move(filter).value());  // there is at least one
}

// A condition on one column as a filter of the row.
FilterPtr FilterOf(const Table::Condition& condition) {
  if (condition.filter != nullptr) return condition.filter->Clone();
  const bool absent = condition.expect_absent || condition.value.empty();
  ColumnTest test;
  test.family = condition.family;
  test.qualifier = condition.qualifier;
  test.filter_if_missing = !absent;
  test.comparator = absent ? NewNullComparator() : NewBinaryComparator(condition.value);
  return NewSingleColumnValueFilter(std::move(test));
}

}  // namespace

struct PhasedWrite::RowWrite {
  enum class State : uint8_t { kPending, kWritten, kDone };

  Bytes key;
  const MutationBatch::Row* mutation = nullptr;
  State state = State::kPending;  // kWritten: the table has it, the indexes are to be told
  bool needless = false;          // it is done without having been written
  Row stored;
  std::vector<Cell> before, after;
  bool is_hidden = false;  // it was written, and delete markers hide it
  int64_t earliest = 0;    // what its time must not be before
  int64_t timestamp = 0;
  Status doubt;  // why it is not known whether it was written
  int doubts = 0;
  // The empty column's value, which nobody else writes; empty: that of the mutation.
  Bytes own_value;
  std::vector<exec::IndexEntry> entries_before, entries_after;  // by index
  // Index rows that earlier attempts have marked: which index, and the key.
  std::set<std::pair<size_t, Bytes>> marked;

  bool was_there() const { return !stored.cells.empty(); }
  ByteView Key() const { return key; }
};

PhasedWrite::PhasedWrite(Connection* connection, Table* table, const catalog::TableMeta& meta,
                         const IndexTargets& indexes, const Bytes& description,
                         std::function<bool()> may_verify)
    : connection_(connection),
      table_(table),
      meta_(meta),
      indexes_(indexes),
      description_(description),
      may_verify_(std::move(may_verify)) {
  for (const auto& definition : indexes.definitions) {
    encoders_.push_back(std::make_unique<exec::IndexEncoder>(definition, /*builds=*/false));
  }
}

PhasedWrite::~PhasedWrite() = default;

Status PhasedWrite::Run(const MutationBatch& batch, size_t begin, size_t end) {
  RETURN_IF_ERROR(Prepare(batch, begin, end));
  return AttemptAll();
}

Result<bool> PhasedWrite::Touch(const MutationBatch& batch) {
  touches_ = true;
  RETURN_IF_ERROR(Prepare(batch, 0, batch.row_count()));
  RETURN_IF_ERROR(AttemptAll());
  return !rows_[0]->needless;
}

Status PhasedWrite::AttemptAll() {
  for (uint64_t attempt = 1;; ++attempt) {
    RETURN_IF_ERROR(Attempt(nullptr));
    if (std::all_of(rows_.begin(), rows_.end(),
                    [](const auto& row) { return row->state == RowWrite::State::kDone; })) {
      return Status::Ok();
    }
    if (attempt == kAttemptsMax) {
      return Status(StatusCode::kAborted,
                    "table " + meta_.FullName() +
                        ": other writers changed a row before each attempt to write it with its "
                        "indexes");
    }
    // Not in step with who came before.
    const uint64_t most_micros = std::min<uint64_t>(kPauseMicrosMax, 500 * attempt);
    Env::Default()->SleepMicros(Env::Default()->RandomU64() % most_micros);
  }
}

Result<bool> PhasedWrite::RunIf(const Table::Condition& condition, const MutationBatch& batch) {
  RETURN_IF_ERROR(Prepare(batch, 0, batch.row_count()));
  if (rows_.size() != 1 || rows_[0]->key != condition.row) {
    return InvalidArgument("a condition and its mutation must be of the same row");
  }
  RowWrite* const row = rows_[0].get();
  row->own_value = meta_.empty_value + std::to_string(Env::Default()->RandomU64());
  do {
    row->is_hidden = false;
    RETURN_IF_ERROR(Attempt(&condition));
  } while (row->is_hidden);
  // Whether it was written decides what the caller does next.
  if (!row->doubt.ok()) return ClearDoubt(row, condition);
  return row->state == RowWrite::State::kDone;
}

Result<bool> PhasedWrite::ClearDoubt(RowWrite* row, const Table::Condition& condition) {
  const Status doubt = row->doubt;
  const std::span<RowWrite*> one(&row, 1);
  for (bool refused = false;;) {
    std::vector<Row> found;
    RETURN_IF_ERROR(ReadRowsByKey(table_, std::span<const Bytes>(&row->key, 1), {}, &found));
    const bool unchanged = TimesOf(found[0].cells) == TimesOf(row->stored.cells);
    // After the row itself, so that what came between the two is seen here.
    ASSIGN_OR_RETURN(const Row stored, ReadStored(table_, row->key, row->timestamp));
    if (HasWritten(*row, stored.cells)) {
      row->state = RowWrite::State::kWritten;
      break;
    }
    // Who came after it may have left no trace of it.
    if (!unchanged) return doubt;
    if (refused) return false;
    // With the time and the condition of before: if that one still comes, it is refused.
    RETURN_IF_ERROR(WriteRows(one, &condition));
    if (row->state == RowWrite::State::kWritten) break;
    refused = row->doubt.ok();
  }
  RETURN_IF_ERROR(LookAgain(one));
  if (row->is_hidden) return doubt;
  Verify(one);
  return true;
}

Status PhasedWrite::Prepare(const MutationBatch& batch, size_t begin, size_t end) {
  batch_ = &batch;
  rows_.clear();
  for (size_t i = begin; i < end; ++i) {
    const MutationBatch::Row& mutation = batch.rows()[i];
    if (mutation.kind != MutationKind::kPutDelete && mutation.kind != MutationKind::kDeleteRow) {
      return InvalidArgument("table " + meta_.FullName() +
                             ": rows with indexes take puts and deletes alone");
    }
    Cell cell;
    for (uint64_t offset = mutation.cells_begin; offset < mutation.cells_end;) {
      offset = CellAt(batch.buffer(), offset, &cell);
      if (cell.timestamp() == kLatestTimestamp) continue;
      return MakeSqlError(
          903, "table " + meta_.FullName() +
                   " has indexes, which a write with a time of its own (CurrentSCN) could not keep "
                   "in step over a cluster");
    }
    auto row = std::make_unique<RowWrite>();
    row->key = Bytes(batch.row_key(mutation));
    row->mutation = &mutation;
    rows_.push_back(std::move(row));
  }
  return Status::Ok();
}

Status PhasedWrite::Attempt(const Table::Condition* condition) {
  std::vector<RowWrite*> pending;
  for (const auto& row : rows_) {
    if (row->state == RowWrite::State::kPending) pending.push_back(row.get());
  }
  RETURN_IF_ERROR(ReadRows(pending));
  std::erase_if(pending, [&](RowWrite* row) {
    if (!IsNeedless(*row)) return false;
    row->state = RowWrite::State::kDone;
    row->needless = true;
    return true;
  });
  // Known before anything is marked: what the condition asks for is not there.
  if (condition != nullptr && !condition->expect_absent) {
    std::erase_if(pending, [](const RowWrite* row) { return !row->was_there(); });
  }
  if (pending.empty()) return Status::Ok();
  RETURN_IF_ERROR(SetTimes(pending));
  RETURN_IF_ERROR(EncodeRows(pending));
  RETURN_IF_ERROR(Mark(pending));
  // What was written is verified, whatever became of the others.
  Status status = WriteRows(pending, condition);
  const Status looked = LookAgain(pending);
  if (status.ok()) status = looked;
  Verify(pending);
  return status;
}

bool PhasedWrite::IsNeedless(const RowWrite& row) const {
  // Nothing is there, and nothing comes to be.
  if (!row.was_there() && row.after.empty()) return true;
  return touches_ && row.stored.Find(meta_.empty_family, meta_.empty_qualifier) == nullptr;
}

Status PhasedWrite::ReadRows(std::span<RowWrite*> rows) {
  std::vector<Bytes> keys;
  for (const RowWrite* row : rows) keys.push_back(row->key);
  std::vector<Row> found;
  RETURN_IF_ERROR(ReadRowsByKey(table_, keys, {}, &found));
  for (size_t i = 0; i < rows.size(); ++i) {
    RowWrite* const row = rows[i];
    row->stored = std::move(found[i]);
    row->before = NewestCells(row->stored.cells);
    row->after = CellsAfter(row->before, *batch_, *row->mutation);
  }
  return Status::Ok();
}

Status PhasedWrite::SetTimes(std::span<RowWrite*> rows) {
  const int64_t now = connection_->NowMillis();
  for (RowWrite* row : rows) {
    int64_t time = std::max({now, row->earliest, row->timestamp + 1});
    for (const Cell& cell : row->stored.cells) {
      if (cell.timestamp() >= kLatestTimestamp - 1) {
        return FailedPrecondition("table " + meta_.FullName() +
                                  ": the row has a cell of the latest time that there is, and no "
                                  "write can be later");
      }
      time = std::max(time, cell.timestamp() + 1);
    }
    row->timestamp = time;
  }
  return Status::Ok();
}

Status PhasedWrite::EncodeRows(std::span<RowWrite*> rows) {
  for (RowWrite* row : rows) {
    row->entries_before.resize(encoders_.size());
    row->entries_after.resize(encoders_.size());
  }
  std::vector<exec::TableRow> before, after;
  for (const RowWrite* row : rows) {
    before.push_back({row->Key(), row->before});
    after.push_back({row->Key(), row->after});
  }
  std::vector<exec::IndexEntry> entries;
  for (size_t index = 0; index < encoders_.size(); ++index) {
    // A touched row has what it had, and the indexes may have anything.
    if (!touches_) {
      RETURN_IF_ERROR(encoders_[index]->Encode(before, &entries, exec::RowState::kStored));
      for (size_t i = 0; i < rows.size(); ++i) rows[i]->entries_before[index] = entries[i];
    }
    RETURN_IF_ERROR(encoders_[index]->Encode(after, &entries));
    for (size_t i = 0; i < rows.size(); ++i) rows[i]->entries_after[index] = entries[i];
  }
  return Status::Ok();
}

Status PhasedWrite::Mark(std::span<RowWrite*> rows) {
  std::map<TableName, MutationBatch> batches;
  for (size_t index = 0; index < encoders_.size(); ++index) {
    MutationBatch& batch = batches[encoders_[index]->definition().index->physical];
    for (RowWrite* row : rows) {
      const size_t already = batch.row_count();
      encoders_[index]->AppendMarks(row->entries_before[index], row->entries_after[index],
                                    row->timestamp, &batch);
      for (size_t i = already; i < batch.row_count(); ++i) {
        row->marked.emplace(index, Bytes(batch.row_key(batch.rows()[i])));
      }
    }
  }
  return WriteIndexes(&batches);
}

Status PhasedWrite::WriteRows(std::span<RowWrite*> rows, const Table::Condition* condition) {
  return ParallelForAll(StoreTools::QueryPool(connection_), rows.size(), [&](size_t i) {
    RowWrite* const row = rows[i];
    const Result<bool> written = WriteRow(row, condition);
    row->doubt = Status::Ok();
    if (written.ok()) {
      if (*written) row->state = RowWrite::State::kWritten;
      return Status::Ok();
    }
    // A server has died, and may have written the row. To write it once more does no harm.
    if (written.status().code() == StatusCode::kIoError && ++row->doubts < kDoubtsMax) {
      row->doubt = written.status();
      return Status::Ok();
    }
    return written.status();
  });
}

Result<bool> PhasedWrite::WriteRow(RowWrite* row, const Table::Condition* condition) {
  Table::Condition unchanged;
  unchanged.row = row->key;
  if (!row->was_there()) {
    unchanged.family = meta_.empty_family;
    unchanged.qualifier = meta_.empty_qualifier;
    unchanged.expect_absent = true;
  } else {
    FilterPtr filter = HasOnlyTimes(row->stored.cells);
    if (condition != nullptr) {
      std::vector<FilterPtr> both;
      both.push_back(FilterOf(*condition));
      both.push_back(std::move(filter));
      filter = NewFilterList(FilterListOp::kMustPassAll, std::move(both));
    }
    unchanged.filter = std::move(filter);
  }
  MutationBatch batch;
  batch.durability = batch_->durability;
  if (row->mutation->kind == MutationKind::kDeleteRow) {
    batch.DeleteRow(row->key, row->timestamp);
  } else {
    batch.StartRow(row->key);
    Cell cell;
    for (uint64_t offset = row->mutation->cells_begin; offset < row->mutation->cells_end;) {
      offset = CellAt(batch_->buffer(), offset, &cell);
      batch.AddCell(cell.family(), cell.qualifier(), row->timestamp, cell.type(),
                    ValueOf(*row, cell), cell.tags_view());
    }
  }
  if (!description_.empty()) SetDescription(description_, &batch);
  return table_->CheckAndWrite(unchanged, &batch);
}

ByteView PhasedWrite::ValueOf(const RowWrite& row, const Cell& cell) const {
  const bool is_own = !row.own_value.empty() && cell.type() == CellType::kPut &&
                      cell.family() == meta_.empty_family &&
                      cell.qualifier() == meta_.empty_qualifier;
  return is_own ? ByteView(row.own_value) : cell.value_view();
}

bool PhasedWrite::HasWritten(const RowWrite& row, std::span<const Cell> stored) const {
  const auto has = [&](const auto& is) {
    return std::any_of(stored.begin(), stored.end(), [&](const Cell& cell) {
      return cell.timestamp() == row.timestamp && is(cell);
    });
  };
  bool any = false;
  Cell wanted;
  for (uint64_t offset = row.mutation->cells_begin; offset < row.mutation->cells_end;) {
    offset = CellAt(batch_->buffer(), offset, &wanted);
    const ByteView value = ValueOf(row, wanted);
    any = has([&](const Cell& cell) {
      return cell.type() == wanted.type() && cell.family() == wanted.family() &&
             cell.qualifier() == wanted.qualifier() && cell.value_view() == value;
    });
    if (!any) return false;
  }
  return any;
}

// Rows that were not there before: delete markers that nobody has seen may hide them.
Status PhasedWrite::LookAgain(std::span<RowWrite*> rows) {
  std::vector<RowWrite*> made;
  std::vector<Bytes> keys;
  for (RowWrite* row : rows) {
    if (row->state != RowWrite::State::kWritten || row->was_there()) continue;
    made.push_back(row);
    keys.push_back(row->key);
  }
  if (made.empty()) return Status::Ok();
  std::vector<Row> found;
  const Status status = ReadRowsByKey(table_, keys, {}, &found);
  for (size_t i = 0; i < made.size(); ++i) {
    RowWrite* const row = made[i];
    // Whether it is seen is not known, or it is so no longer: its index rows stay as they are, and
    // later writers have seen to theirs.
    row->state = RowWrite::State::kDone;
    if (!status.ok()) continue;
    const std::vector<Cell>& cells = found[i].cells;
    const auto has = [&](const auto& is) { return std::any_of(cells.begin(), cells.end(), is); };
    if (has([&](const Cell& cell) { return cell.timestamp() == row->timestamp; })) {
      row->state = RowWrite::State::kWritten;
    } else if (!has([&](const Cell& cell) { return cell.timestamp() > row->timestamp; })) {
      row->state = RowWrite::State::kPending;
      row->is_hidden = true;
      ASSIGN_OR_RETURN(row->earliest, LatestTimeOf(table_, row->key));
      ++row->earliest;
    }
  }
  return status;
}

void PhasedWrite::Verify(std::span<RowWrite*> rows) {
  std::map<TableName, MutationBatch> batches;
  for (size_t index = 0; index < encoders_.size(); ++index) {
    exec::IndexEncoder& encoder = *encoders_[index];
    MutationBatch& batch = batches[encoder.definition().index->physical];
    for (RowWrite* row : rows) {
      if (row->state != RowWrite::State::kWritten) continue;
      const exec::IndexEntry& before = row->entries_before[index];
      const exec::IndexEntry& after = row->entries_after[index];
      encoder.AppendVerified(before, after, row->timestamp, &batch);
      for (const auto& [marked_index, key] : row->marked) {
        const bool is_new = after.present && after.key == key;
        const bool is_old = before.present && before.key == key;
        if (marked_index != index || is_new || is_old) continue;
        encoder.AppendRemoval(key, row->timestamp, &batch);
      }
    }
  }
  for (RowWrite* row : rows) {
    if (row->state == RowWrite::State::kWritten) row->state = RowWrite::State::kDone;
  }
  if (!may_verify_()) return;
  const Status status = WriteIndexes(&batches);
  if (status.ok()) return;
  LogWarning("indexes of table {}: rows stay unverified, and cost a look at the table: {}",
             meta_.FullName(), status.ToString());
}

Status PhasedWrite::WriteIndexes(std::map<TableName, MutationBatch>* batches) {
  Status first_error;
  for (auto& [name, batch] : *batches) {
    if (batch.empty()) continue;
    batch.durability = batch_->durability;
    const Status status = indexes_.tables.at(name)->Write(&batch);
    if (first_error.ok()) first_error = status;
  }
  return first_error;
}

}  // namespace bennu::sql::index
