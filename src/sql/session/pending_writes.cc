#include "src/sql/session/pending_writes.h"

#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "bennu/cell.h"
#include "src/base/status_macros.h"
#include "src/sql/index/cluster_indexes.h"

namespace bennu::sql::session {
namespace {

struct RowChange {
  bool row_deleted = false;
  // The last word about each column; DeleteFamily has an empty qualifier.
  std::map<std::pair<ByteView, ByteView>, Cell> cells;
};

// By open addressing, at most half full: a set that allocates for each row took as long as the
// rest of looking through the batch.
bool HasRepeatedRows(const MutationBatch& batch) {
  const size_t mask = std::bit_ceil(2 * batch.rows().size()) - 1;
  std::vector<ByteView> seen(mask + 1);  // a row's key is never empty
  for (const MutationBatch::Row& row : batch.rows()) {
    const ByteView key = batch.row_key(row);
    size_t place = std::hash<ByteView>()(key) & mask;
    for (; !seen[place].empty(); place = (place + 1) & mask) {
      if (seen[place] == key) return true;
    }
    seen[place] = key;
  }
  return false;
}

template <typename Use>
void ForEachCell(const MutationBatch& batch, const MutationBatch::Row& row, const Use& use) {
  for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
    Cell cell;
    offset = CellAt(batch.buffer(), offset, &cell);
    use(cell);
  }
}

}  // namespace

void MergeRows(MutationBatch* batch) {
  std::map<ByteView, RowChange> rows;
  for (const MutationBatch::Row& row : batch->rows()) {
    RowChange& change = rows[batch->row_key(row)];
    bool deletes_row = false;
    ForEachCell(*batch, row, [&](const Cell& cell) {
      deletes_row = deletes_row || cell.type() == CellType::kDeleteFamily;
    });
    if (deletes_row || change.row_deleted) change.cells.clear();
    change.row_deleted = deletes_row;
    ForEachCell(*batch, row, [&](const Cell& cell) {
      change.cells[{cell.family(), cell.qualifier()}] = cell;
    });
  }
  MutationBatch merged;
  merged.durability = batch->durability;
  for (const auto& [row, change] : rows) {
    merged.StartRow(row);
    for (const auto& [column, cell] : change.cells) {
      merged.AddCell(cell.family(), cell.qualifier(), cell.timestamp(), cell.type(),
                     cell.value_view(), cell.tags_view());
    }
  }
  *batch = std::move(merged);
}

void TableWrites::Add(const TableWrites& other) {
  for (const MutationBatch::Row& row : other.batch.rows()) {
    batch.StartRow(other.batch.row_key(row));
    ForEachCell(other.batch, row, [&](const Cell& cell) {
      batch.AddCell(cell.family(), cell.qualifier(), cell.timestamp(), cell.type(),
                    cell.value_view(), cell.tags_view());
    });
  }
  batch.durability = other.batch.durability;
  has_puts = has_puts || other.has_puts;
  has_deletes = has_deletes || other.has_deletes;
}

TableWrites* PendingWrites::ForTable(const catalog::TableMeta& meta,
                                     const std::shared_ptr<Table>& table) {
  if (last_asked_ == nullptr || last_asked_->table != table) {
    last_asked_ = &tables_[meta.physical];
    last_asked_->table = table;
  }
  last_asked_->batch.durability = meta.disable_wal ? Durability::kSkipWal : Durability::kUseDefault;
  return last_asked_;
}

Status PendingWrites::Write(TableWrites* writes) {
  if (writes->batch.empty()) return Status::Ok();
  Status status = writes->batch.Check();
  if (!status.ok()) {
    writes->Clear();
    return status;
  }
  const bool once = writes->has_deletes || indexes_ != nullptr;
  if (once && writes->batch.row_count() > 1 && HasRepeatedRows(writes->batch)) {
    MergeRows(&writes->batch);
  }
  if (writes->has_puts) clock_->AwaitDeletes(writes->table->name(), writes->batch);
  status = indexes_ != nullptr ? indexes_->Write(writes->table.get(), &writes->batch)
                               : writes->table->Write(&writes->batch);
  if (status.ok() && writes->has_deletes) {
    clock_->NoteDeletes(writes->table->name(), writes->batch);
  }
  writes->Clear();
  return status;
}

Result<bool> PendingWrites::WriteIf(const Table::Condition& condition, TableWrites* writes) {
  const auto write = [&]() -> Result<bool> {
    RETURN_IF_ERROR(writes->batch.Check());
    if (writes->has_puts) clock_->AwaitDeletes(writes->table->name(), writes->batch);
    ASSIGN_OR_RETURN(const bool written,
                     indexes_ != nullptr
                         ? indexes_->WriteIf(writes->table.get(), condition, &writes->batch)
                         : writes->table->CheckAndWrite(condition, &writes->batch));
    if (written && writes->has_deletes) {
      clock_->NoteDeletes(writes->table->name(), writes->batch);
    }
    return written;
  };
  auto written = write();
  writes->Clear();
  return written;
}

void PendingWrites::Defer(size_t row_count, std::function<Status()> change) {
  Stage stage;
  bool any = false;
  for (const auto& [name, writes] : tables_) any = any || !writes.batch.empty();
  if (any) {
    std::swap(stage.before, tables_);
    last_asked_ = nullptr;
  }
  stage.row_count = row_count;
  stage.change = std::move(change);
  stages_.push_back(std::move(stage));
}

Status PendingWrites::WriteAll(Tables* tables) {
  for (auto& [name, writes] : *tables) RETURN_IF_ERROR(Write(&writes));
  return Status::Ok();
}

Status PendingWrites::Commit() {
  const auto write = [this]() -> Status {
    for (Stage& stage : stages_) {
      RETURN_IF_ERROR(WriteAll(&stage.before));
      RETURN_IF_ERROR(stage.change());
    }
    return WriteAll(&tables_);
  };
  Status status = write();
  if (!status.ok()) Rollback();
  stages_.clear();
  return status;
}

void PendingWrites::Rollback() {
  stages_.clear();
  for (auto& [name, writes] : tables_) writes.Clear();
}

bool PendingWrites::empty() const { return row_count() == 0; }

size_t PendingWrites::row_count() const {
  size_t rows = 0;
  for (const Stage& stage : stages_) {
    rows += stage.row_count;
    for (const auto& [name, writes] : stage.before) rows += writes.batch.row_count();
  }
  for (const auto& [name, writes] : tables_) rows += writes.batch.row_count();
  return rows;
}

size_t PendingWrites::size_bytes() const {
  size_t bytes = 0;
  for (const Stage& stage : stages_) {
    for (const auto& [name, writes] : stage.before) bytes += writes.batch.size_bytes();
  }
  for (const auto& [name, writes] : tables_) bytes += writes.batch.size_bytes();
  return bytes;
}

}  // namespace bennu::sql::session
