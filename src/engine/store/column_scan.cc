// The half of StoreScanner that hands out rows as columns: whole blocks of one file, where no other
// source has rows among them and no rule has to look at a cell.
#include <cstring>
#include <utility>

#include "src/engine/store/store_scanner.h"

namespace bennu::engine {

namespace {

bool AllHave(const ColumnRows::Column& column, uint32_t begin, uint32_t end) {
  return column.present == nullptr ||
         std::memchr(column.present + begin, 0, end - begin) == nullptr;
}

// Whether each of the rows has a cell that is asked for, as rows that are seen must.
bool AllSeen(const ColumnRows& rows, const std::vector<Bytes>& qualifiers, uint32_t begin,
             uint32_t end) {
  for (const Bytes& qualifier : qualifiers) {
    const ColumnRows::Column* const column = rows.Find(qualifier);
    if (column != nullptr && AllHave(*column, begin, end)) return true;
  }
  return qualifiers.empty();
}

uint64_t CountCells(const ColumnRows& rows, uint32_t begin, uint32_t end) {
  uint64_t cells = 0;
  for (const ColumnRows::Column& column : rows.columns) {
    if (column.present == nullptr) {
      cells += end - begin;
      continue;
    }
    for (uint32_t row = begin; row < end; ++row) cells += column.present[row];
  }
  return cells;
}

}  // namespace

uint64_t StoreScanner::blocks_as_columns() const {
  uint64_t blocks = 0;
  for (const auto& source : sources_) blocks += source->blocks_as_columns();
  return blocks;
}

bool StoreScanner::BeforeRivals(ByteView row) const {
  return live_.size() == 1 || RowsInOrder(row, live_[1]->row());
}

Status StoreScanner::LeaveColumns() {
  for (size_t i = 0, count = CountFirst(); i < count; ++i) {
    if (live_[i]->is_file()) RETURN_IF_ERROR(live_[i]->LeaveColumns());
  }
  return Status();
}

Result<bool> StoreScanner::ColumnsAhead() {
  CellSource* const source = live_.front();
  if (!source->is_file()) return false;
  return source->StandOnColumns(
      makes_columns_, [this](ByteView row) { return BeforeRivals(row) && !PastStop(row); });
}

Result<bool> StoreScanner::EmitColumns(size_t row_limit, ColumnSlice* slice) {
  CellSource* const source = live_.front();
  const std::shared_ptr<const hfile::ColumnBlock> columns = source->columns();
  const uint32_t begin = source->column_row();
  uint32_t end = columns->row_count();
  if (PastStop(columns->last_row())) {
    end = columns->RowLowerBound(range_.stop);
    end += range_.stop_inclusive && columns->RowAt(end) == ByteView(range_.stop) ? 1 : 0;
  }
  // A loaded file that takes part is visible whole; that is how its block looks only without ids.
  const bool ids_fit = !source->overrides_sequence_ids() || columns->max_sequence_id() == 0;
  // Its rows may be larger than rows may be.
  const uint64_t bytes_max = options_.family->row_bytes_max;
  const bool size_fits = bytes_max == 0 || columns->cell_bytes() <= bytes_max;
  if (begin >= end || !ids_fit || !size_fits || !BeforeRivals(columns->RowAt(end - 1)) ||
      !rules_.PassesAll(columns->min_timestamp(), columns->max_timestamp(),
                        columns->max_sequence_id()) ||
      !AllSeen(columns->rows(), rules_.qualifiers(), begin, end)) {
    source->WalkByCells();
    return false;
  }
  if (end - begin > row_limit) end = begin + static_cast<uint32_t>(row_limit);
  slice->rows = std::shared_ptr<const ColumnRows>(columns, &columns->rows());
  slice->begin = begin;
  slice->end = end;
  metrics_.cells_seen += CountCells(columns->rows(), begin, end);
  RETURN_IF_ERROR(source->SetColumnRow(end));
  Resettle();
  return true;
}

Status StoreScanner::NextColumns(size_t row_limit, CellBatch* batch, ColumnSlice* slice,
                                 bool* done) {
  slice->Clear();
  if (!columns_wanted_) return NextRows(row_limit, batch, done);
  *done = false;
  if (!started_) RETURN_IF_ERROR(Start());
  const size_t rows_before = batch->row_starts.size();
  const size_t rows_wanted = rows_before + row_limit;
  while (batch->row_starts.size() < rows_wanted) {
    if (live_.empty() || PastStop(live_.front()->row())) {
      *done = true;
      break;
    }
    ASSIGN_OR_RETURN(const bool columns, ColumnsAhead());
    if (columns) {
      if (batch->row_starts.size() > rows_before) break;
      ASSIGN_OR_RETURN(const bool emitted, EmitColumns(row_limit, slice));
      if (emitted) return Status();
    }
    ASSIGN_OR_RETURN(const bool enough, AddRows(rows_before, rows_wanted, batch));
    if (enough) break;
  }
  handed_out_ |= batch->row_starts.size() > rows_before;
  return Status();
}

}  // namespace bennu::engine
