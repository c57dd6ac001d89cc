// The half of StoreScanner that hands out rows as columns: whole blocks of a file where no rule has
// to look at a cell, as they are where no other source has rows among them. Else runs of its rows
// and the rows that others have, too, are put together (ColumnMerger): of those rows only what the
// others have is looked at by cells, unless that does not decide alone.
#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "src/base/status_macros.h"
#include "src/engine/store/merge_runs.h"
#include "src/engine/store/store_scanner.h"

namespace bennu::engine {

namespace {

// Shorter runs of rows between those of other sources are copied rather than handed out by
// themselves.
constexpr uint32_t kRunMin = 64;

// Whether each of the rows has a cell that is asked for, as rows that are seen must.
bool AllSeen(const ColumnRows& rows, ByteView family, const std::vector<Bytes>& qualifiers,
             uint32_t begin, uint32_t end) {
  for (const Bytes& qualifier : qualifiers) {
    const ColumnRows::Column* const column = rows.Find(family, qualifier);
    if (column != nullptr && column->HasAll(begin, end)) return true;
  }
  return qualifiers.empty();
}

// Whether the row has a cell that is asked for and not hidden.
bool AnySeen(const ColumnRows& rows, const std::vector<Bytes>& qualifiers,
             const RowRules::Hidden& hidden, uint32_t row) {
  for (const ColumnRows::Column& column : rows.columns) {
    const bool wanted =
        qualifiers.empty() ||
        std::binary_search(qualifiers.begin(), qualifiers.end(), column.qualifier, std::less<>());
    if (!wanted || !column.Has(row)) continue;
    if (std::find(hidden.columns.begin(), hidden.columns.end(), column.qualifier) ==
        hidden.columns.end()) {
      return true;
    }
  }
  return false;
}

}  // namespace

uint64_t StoreScanner::blocks_as_columns() const {
  uint64_t blocks = 0;
  for (const auto& source : sources_) blocks += source->blocks_as_columns();
  return blocks;
}

Status StoreScanner::LeaveColumns() {
  for (size_t i = 0, count = CountFirst(); i < count; ++i) {
    if (live_[i]->is_file()) RETURN_IF_ERROR(live_[i]->LeaveColumns());
  }
  return Status();
}

Result<bool> StoreScanner::StandsOnColumns(CellSource* source) {
  const auto usable = [&](const hfile::ColumnBlock& columns) {
    // A loaded file that takes part is visible whole; that is how its block looks only without ids.
    const bool ids_fit = !source->overrides_sequence_ids() || columns.max_sequence_id() == 0;
    // Its rows may be larger than rows may be.
    const uint64_t bytes_max = options_.family->row_bytes_max;
    const bool size_fits = bytes_max == 0 || columns.cell_bytes() <= bytes_max;
    return ids_fit && size_fits &&
           rules_.PassesAll(columns.min_timestamp(), columns.max_timestamp(),
                            columns.max_sequence_id());
  };
  return source->StandOnColumns(makes_columns_, usable,
                                [this](ByteView row) { return !PastStop(row); });
}

Result<bool> StoreScanner::ColumnsAhead() {
  const ByteView row = live_.front()->row();
  for (CellSource* const source : live_) {
    if (!source->is_file()) continue;
    // Rows of others before those of the file are worth a merge only in the midst of it.
    if (source->blocks_as_columns() == 0 && source->row() != row) continue;
    ASSIGN_OR_RETURN(const bool stands, StandsOnColumns(source));
    if (stands) return true;
  }
  return false;
}

StoreScanner::ColumnRun StoreScanner::RunAhead(size_t row_limit) const {
  const CellSource& source = *live_.front();
  const hfile::ColumnBlock& columns = *source.columns();
  ColumnRun run = {source.column_row(), columns.row_count(), false};
  if (PastStop(columns.last_row())) {
    run.end = columns.RowLowerBound(range_.stop);
    run.end += range_.stop_inclusive && columns.RowAt(run.end) == ByteView(range_.stop) ? 1 : 0;
  }
  if (live_.size() > 1 && run.begin < run.end &&
      !RowsInOrder(columns.RowAt(run.end - 1), live_[1]->row())) {
    run.end = columns.RowLowerBound(live_[1]->row(), run.begin);
    run.cut_short = true;
  }
  if (run.end - run.begin > row_limit) {
    run.end = run.begin + static_cast<uint32_t>(row_limit);
    run.cut_short = false;
  }
  return run;
}

Status StoreScanner::PassRun(const ColumnRun& run) {
  CellSource* const source = live_.front();
  metrics_.cells_seen += source->columns()->CellsIn(run.begin, run.end);
  RETURN_IF_ERROR(source->SetColumnRow(run.end));
  Resettle();
  return Status();
}

Result<bool> StoreScanner::EmitColumns(size_t row_limit, ColumnSlice* slice) {
  CellSource* const source = live_.front();
  if (source->is_file() && CountFirst() == 1) {
    ASSIGN_OR_RETURN(const bool stands, StandsOnColumns(source));
    if (stands) {
      // A slice costs the same however many rows it has, and is used up bit by bit.
      const ColumnRun run = RunAhead(keeps_unseen_ ? SIZE_MAX : row_limit);
      const std::shared_ptr<const hfile::ColumnBlock> columns = source->columns();
      if (!keeps_unseen_ && !AllSeen(columns->rows(), options_.family->name, rules_.qualifiers(),
                                     run.begin, run.end)) {
        source->WalkByCells();
        return false;
      }
      if (!run.cut_short || run.end - run.begin >= kRunMin || !rules_.one_version()) {
        slice->rows = std::shared_ptr<const ColumnRows>(columns, &columns->rows());
        slice->begin = run.begin;
        slice->end = run.end;
        RETURN_IF_ERROR(PassRun(run));
        return true;
      }
    }
  }
  // Of a column there is one place in a row.
  return rules_.one_version() ? MergeRows(row_limit, slice) : Result<bool>(false);
}

ColumnMerger& StoreScanner::merger() {
  if (!merger_.has_value()) merger_.emplace(&options_.family->name, &rules_.qualifiers());
  return *merger_;
}

Result<bool> StoreScanner::MergeRows(size_t row_limit, ColumnSlice* slice) {
  bool moved = false;
  while (merger().row_count() < row_limit && pins_.bytes() < kPinnedBytesMax) {
    if (live_.empty() || PastStop(live_.front()->row())) break;
    CellSource* const source = live_.front();
    bool stands = false;
    if (source->is_file() && CountFirst() == 1) {
      ASSIGN_OR_RETURN(stands, StandsOnColumns(source));
    }
    if (!stands) {
      ASSIGN_OR_RETURN(const bool merged, MergeRow());
      if (!merged) break;
      moved = true;
      continue;
    }
    const ColumnRun run = RunAhead(row_limit - merger_->row_count());
    // Long runs are handed out as they are.
    if (merger_->row_count() > 0 && run.end - run.begin >= kRunMin) break;
    const std::shared_ptr<const hfile::ColumnBlock> columns = source->columns();
    if (!keeps_unseen_ &&
        !AllSeen(columns->rows(), options_.family->name, rules_.qualifiers(), run.begin, run.end)) {
      source->WalkByCells();
      break;
    }
    merger_->AddRun(std::shared_ptr<const ColumnRows>(columns, &columns->rows()), run.begin,
                    run.end);
    RETURN_IF_ERROR(PassRun(run));
    moved = true;
  }
  slice->begin = 0;
  slice->end = merger_->row_count();
  slice->rows = merger_->Finish();
  if (!handed_out_) pins_.Clear();  // all of them were copied
  return moved;
}

Result<bool> StoreScanner::MergeRow() {
  size_t count = CountFirst();
  CellSource* base = nullptr;
  if (count > 1 && live_[count - 1]->is_file()) {
    ASSIGN_OR_RETURN(const bool stands, StandsOnColumns(live_[count - 1]));
    if (stands) base = live_[--count];
  }
  for (size_t i = 0; i < count; ++i) {
    if (live_[i]->is_file()) RETURN_IF_ERROR(live_[i]->LeaveColumns());
  }
  ASSIGN_OR_RETURN(const bool gathered, GatherRow(count));
  if (!gathered) return false;
  metrics_.cells_seen += row_cells_.size();
  visible_.clear();
  if (base != nullptr) {
    RETURN_IF_ERROR(MergeOverColumns(base));
    ++count;
  } else {
    rules_.Apply(row_cells_.data(), row_cells_.size(), &visible_);
    if (!visible_.empty()) merger_->AddRow(visible_.data(), visible_.size());
  }
  ResettleFirst(count);
  RowSize size(options_.family->row_bytes_max);
  for (const Cell& cell : visible_) RETURN_IF_ERROR(size.Add(cell));
  return true;
}

Status StoreScanner::MergeOverColumns(CellSource* base) {
  const std::shared_ptr<const hfile::ColumnBlock> columns = base->columns();
  const uint32_t row = base->column_row();
  // Together they may be more than a row may have.
  RowSize size(/*limit=*/0);
  for (const Cell& cell : row_cells_) RETURN_IF_ERROR(size.Add(cell));
  const uint64_t bytes_max = options_.family->row_bytes_max;
  if ((bytes_max > 0 && columns->cell_bytes() + size.bytes() > bytes_max) ||
      !rules_.AppliesAlone(row_cells_, columns->max_timestamp(), base->newest_sequence_id(),
                           &hidden_)) {
    RETURN_IF_ERROR(base->LeaveColumns());
    const size_t before = row_cells_.size();
    RETURN_IF_ERROR(base->TakeRow(&row_cells_, &pins_));
    metrics_.cells_seen += row_cells_.size() - before;
    MergeRuns(&row_cells_, before, &merge_scratch_);
    rules_.Apply(row_cells_.data(), row_cells_.size(), &visible_);
    if (!visible_.empty()) merger_->AddRow(visible_.data(), visible_.size());
    return Status();
  }
  rules_.Apply(row_cells_.data(), row_cells_.size(), &visible_);
  metrics_.cells_seen += columns->CellsIn(row, row + 1);
  if (hidden_.all) {
    if (!visible_.empty()) merger_->AddRow(visible_.data(), visible_.size());
  } else if (!visible_.empty() || AnySeen(columns->rows(), rules_.qualifiers(), hidden_, row)) {
    merger_->AddRowUnder(std::shared_ptr<const ColumnRows>(columns, &columns->rows()), row,
                         hidden_.columns, visible_.data(), visible_.size());
  }
  return base->SetColumnRow(row + 1);
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
      ASSIGN_OR_RETURN(const bool moved, EmitColumns(row_limit, slice));
      if (slice->rows != nullptr) return Status();
      if (moved) continue;
    }
    ASSIGN_OR_RETURN(const bool enough, AddRows(rows_before, rows_wanted, batch));
    if (enough) break;
  }
  handed_out_ |= batch->row_starts.size() > rows_before;
  return Status();
}

bool StoreScanner::gives_slices() const {
  return columns_wanted_ && rules_.one_version() &&
         std::any_of(sources_.begin(), sources_.end(),
                     [](const auto& source) { return source->is_file(); });
}

Status StoreScanner::NextSlice(size_t row_limit, ColumnSlice* slice, bool* done) {
  keeps_unseen_ = true;
  slice_cells_.Clear();
  RETURN_IF_ERROR(NextColumns(row_limit, &slice_cells_, slice, done));
  for (size_t i = 0; i < slice_cells_.row_count(); ++i) {
    const uint32_t begin = slice_cells_.row_starts[i];
    merger().AddRow(slice_cells_.cells.data() + begin, slice_cells_.row_end(i) - begin);
  }
  if (slice_cells_.row_count() > 0) {
    *slice = {merger_->Finish(), 0, static_cast<uint32_t>(slice_cells_.row_count())};
  }
  Unpin();  // all of them were copied
  return Status();
}

}  // namespace bennu::engine
