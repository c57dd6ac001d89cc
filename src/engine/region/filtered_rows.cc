#include "src/engine/region/filtered_rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"
#include "src/cell/heap_size.h"

namespace bennu::engine {

namespace {

constexpr size_t kMemoryChunkBytes = 4096;
// Batches of one row are handed out once they have so much together.
constexpr size_t kResultBytesMax = 1 << 20;

// Without a value.
Cell CellOf(const Bytes& flat_key) {
  Cell cell;
  cell.key = flat_key.data();
  cell.key_length = static_cast<uint32_t>(flat_key.size());
  return cell;
}

FilterPtr FreshFilter(const Scan& scan) {
  // An empty list passes everything.
  FilterPtr filter =
      scan.filter != nullptr ? scan.filter->Clone() : NewFilterList(FilterListOp::kMustPassAll, {});
  filter->SetReversed(scan.reversed);
  return filter;
}

int64_t PartBytes(const Scan& scan, const Filter& filter) {
  const bool in_parts = scan.allow_partial_results && scan.batch <= 0 && !filter.HasFilterRow();
  return in_parts ? std::max<int64_t>(scan.max_result_bytes, 0) : 0;
}

bool ReadsOnDemand(const Scan& scan, const Filter& filter, ByteView family) {
  return scan.load_families_on_demand && !filter.IsFamilyEssential(family);
}

}  // namespace

Status CheckFilteredScan(const Scan& scan, const std::vector<Bytes>& families) {
  const FilterPtr filter = FreshFilter(scan);
  if (filter->HasFilterRow() && scan.batch > 0) {
    return InvalidArgument("a scan in batches of " + std::to_string(scan.batch) +
                           " cells cannot have a filter that decides by whole rows");
  }
  if (!scan.reversed) return Status::Ok();
  for (const Bytes& family : families) {
    if (!ReadsOnDemand(scan, *filter, family)) continue;
    return NotSupported(
        "a reversed scan cannot read families on demand, as its filter would have "
        "family '" +
        ToStringBinary(family) + "' read; switch load_families_on_demand off");
  }
  return Status::Ok();
}

FilteredRows::FilteredRows(const Scan& scan, bool meta_order)
    : scan_(scan),
      meta_order_(meta_order),
      filter_(FreshFilter(scan)),
      has_filter_row_(filter_->HasFilterRow()),
      // Backwards hints may be at fault, so they are asked for where HBase asks for them.
      asks_by_row_(filter_->LooksAtRowsOnly() && !scan.reversed),
      // Without a filter the store has kept to them.
      family_limit_(scan.filter != nullptr ? scan.max_results_per_family : -1),
      family_offset_(scan.filter != nullptr ? scan.row_offset_per_family : 0),
      // Likewise of the versions; markers, of which a raw scan shows all, do not count there.
      versions_after_(scan.filter != nullptr ? scan.max_versions
                                             : std::numeric_limits<int32_t>::max()),
      part_bytes_(PartBytes(scan, *filter_)) {}

void FilteredRows::AddStore(ByteView family, StoreScanner* scanner) {
  const auto columns = scan_.columns.find(Bytes(family));
  Store store;
  store.family = Bytes(family);
  store.scanner = scanner;
  store.explicit_columns = columns != scan_.columns.end() && !columns->second.empty();
  if (store.explicit_columns) store.last_column = *columns->second.rbegin();
  store.versions = scanner->family().max_versions;
  (ReadsOnDemand(scan_, *filter_, family) ? joined_ : essential_).push_back(std::move(store));
}

// Source: RegionScannerImpl of HBase 2.5, whose time limit holds between cells unless the filter
// has a row of its own (hasFilterRow).
void FilteredRows::SetPause(ScanPause* pause) {
  const bool in_rows =
      !has_filter_row_ && joined_.empty() && (scan_.allow_partial_results || scan_.batch > 0);
  pause_ = in_rows ? pause : nullptr;
  for (Store& store : essential_) store.scanner->SetPauseInRows(pause_ != nullptr);
}

bool FilteredRows::Before(ByteView left, ByteView right) const {
  const int order =
      meta_order_ ? cell::CompareMetaRows(left, right) : cell::CompareRows(left, right);
  return scan_.reversed ? order > 0 : order < 0;
}

char* FilteredRows::Allocate(size_t size) {
  if (!memory_.has_value()) memory_.emplace(kMemoryChunkBytes);
  return memory_->Allocate(size);
}

Status FilteredRows::CheckFilter() const {
  const Status* error = filter_->error();
  return error == nullptr ? Status::Ok() : error->Annotate("the scan's filter");
}

// ---- rows

Status FilteredRows::NextCandidate(ByteView* row) {
  *row = ByteView();
  for (Store& store : essential_) {
    if (store.closed) continue;
    ASSIGN_OR_RETURN(const ByteView next, store.scanner->PeekRow());
    if (!next.empty() && (row->empty() || Before(next, *row))) *row = next;
  }
  // The last row may have ended the scan unnoticed.
  if (row->empty()) done_ = filter_->FilterAllRemaining();
  return Status::Ok();
}

Status FilteredRows::SkipRow(ByteView row) {
  for (Store& store : essential_) {
    ASSIGN_OR_RETURN(const ByteView next, store.scanner->PeekRow());
    if (next == row) RETURN_IF_ERROR(store.scanner->SkipRow());
  }
  return Status::Ok();
}

Result<bool> FilteredRows::ShowsRow(ByteView row) {
  for (Store& store : essential_) {
    if (store.closed) continue;
    ASSIGN_OR_RETURN(const ByteView next, store.scanner->PeekRow());
    if (next == row && store.scanner->ShowsRow()) return true;
  }
  return false;
}

Status FilteredRows::TakeRow(ByteView row, CellBatch* batch, bool* taken) {
  *taken = false;
  paused_ = false;
  if (!in_row()) {
    bool read = false;
    RETURN_IF_ERROR(BeginRow(row, &read));
    if (!read) return Status::Ok();
  }
  ClearResults();
  RETURN_IF_ERROR(RunEssential(row));
  if (in_row()) {
    RETURN_IF_ERROR(CheckFilter());
    *taken = !results_.empty();
    if (*taken) Emit(batch);
    return Status::Ok();
  }
  const bool out = RowIsOut();
  RETURN_IF_ERROR(CheckFilter());
  if (!out && !joined_.empty()) RETURN_IF_ERROR(AddJoined(row));
  *taken = !out && !results_.empty();
  if (*taken) Emit(batch);
  filter_->Reset();
  RETURN_IF_ERROR(CheckFilter());
  if (*taken) done_ = filter_->FilterAllRemaining();
  return Status::Ok();
}

// *read: the cells of the row are to be put to the filter.
Status FilteredRows::BeginRow(ByteView row, bool* read) {
  // A row that is written but not there yet must not end a scan.
  ASSIGN_OR_RETURN(const bool shown, ShowsRow(row));
  if (!shown) return SkipRow(row);
  ClearResults();
  row_passes_ = false;
  const bool refused = filter_->FilterAllRemaining() || filter_->FilterRowKey(row);
  if (refused) {
    RETURN_IF_ERROR(CheckFilter());
    done_ = filter_->FilterAllRemaining();
    if (done_) {
      ++rows_ending_;
      return Status::Ok();
    }
  }
  ++rows_touched_;
  if (refused) {
    // The filter may still count the cells, or have a hint; backwards HBase jumps over them.
    const bool skip = scan_.reversed || filter_->DecidesByRowKey();
    row_refused_ = true;
    RETURN_IF_ERROR(skip ? SkipRow(row) : RunEssential(row));
    while (in_row()) {
      ClearResults();
      RETURN_IF_ERROR(RunEssential(row));
    }
    row_refused_ = false;
    filter_->Reset();
    return CheckFilter();
  }
  if (asks_by_row_) {
    ASSIGN_OR_RETURN(row_passes_, AskByRow(row));
    if (!row_passes_) {
      filter_->Reset();
      return CheckFilter();
    }
  }
  *read = true;
  return Status::Ok();
}

// Whether the cells of the row pass a filter that looks at rows only. When not, moves the families
// on, without having looked at a cell.
Result<bool> FilteredRows::AskByRow(ByteView row) {
  probe_.clear();
  cell::AppendFirstOnRow(&probe_, row);
  const Cell cell = CellOf(probe_);
  const Filter::Code code = filter_->FilterCell(cell);
  if (code == Filter::Code::kInclude) return true;
  ByteView target;
  if (code == Filter::Code::kSeekUsingHint && filter_->NextCellHint(cell, &hint_)) {
    target = CellOf(hint_).row();
  }
  if (target.empty() || !Before(row, target)) {
    RETURN_IF_ERROR(SkipRow(row));
    return false;
  }
  for (Store& store : essential_) RETURN_IF_ERROR(store.scanner->SeekToRow(target));
  return false;
}

Status FilteredRows::RunEssential(ByteView row) {
  size_t first = 0;
  if (run_.has_value()) {
    RETURN_IF_ERROR(RunParts(&*run_, row));
    if (run_->paused) return Status::Ok();
    first = run_->index + 1;
    run_.reset();
  }
  for (size_t i = first; i < essential_.size() && !run_.has_value(); ++i) {
    if (essential_[i].closed) continue;
    ASSIGN_OR_RETURN(const ByteView next, essential_[i].scanner->PeekRow());
    if (next == row) RETURN_IF_ERROR(RunStore(i, &essential_, row));
  }
  return Status::Ok();
}

// Whether the filter, having seen the row's cells, leaves it out. Rows of which nothing is left are
// not put to it.
bool FilteredRows::RowIsOut() {
  if (results_.empty()) return true;
  if (!has_filter_row_) return filter_->FilterRow();
  filter_->FilterRowCells(&results_);
  return !results_.empty() && filter_->FilterRow();
}

Status FilteredRows::AddJoined(ByteView row) {
  const size_t essential = results_.size();
  for (size_t i = 0; i < joined_.size(); ++i) {
    if (joined_[i].closed) continue;
    StoreScanner* const scanner = joined_[i].scanner;
    ASSIGN_OR_RETURN(ByteView next, scanner->PeekRow());
    if (!next.empty() && Before(next, row)) {
      RETURN_IF_ERROR(scanner->SeekToRow(row));
      ASSIGN_OR_RETURN(next, scanner->PeekRow());
    }
    if (next == row) RETURN_IF_ERROR(RunStore(i, &joined_, row));
  }
  if (results_.size() > essential) {
    std::stable_sort(results_.begin(), results_.end(), [](const Cell& left, const Cell& right) {
      return left.family() < right.family();
    });
  }
  return CheckFilter();
}

void FilteredRows::Emit(CellBatch* batch) {
  auto begin = static_cast<uint32_t>(batch->cells.size());
  batch->cells.insert(batch->cells.end(), results_.begin(), results_.end());
  batch->row_starts.push_back(begin);
  for (const Cut& cut : cuts_) {
    if (cut.goes_on) {
      batch->partial_rows.push_back(static_cast<uint32_t>(batch->row_starts.size() - 1));
    }
    if (cut.cells < results_.size()) {
      batch->row_starts.push_back(begin + static_cast<uint32_t>(cut.cells));
    }
  }
}

void FilteredRows::ClearResults() {
  results_.clear();
  cuts_.clear();
  result_bytes_ = 0;
  entry_bytes_ = 0;
}

// ---- the cells of one family

void FilteredRows::Run::KeepColumn() { SetColumn(Bytes(column)); }

void FilteredRows::Run::SetColumn(Bytes name) {
  column_name = std::move(name);
  column = column_name;
}

void FilteredRows::Run::EnterColumn(const Cell& cell) {
  if (in_column && column == cell.qualifier()) return;
  in_column = true;
  column = cell.qualifier();
  column_over = false;
  shown = included = 0;
}

Status FilteredRows::RunStore(size_t index, std::vector<Store>* stores, ByteView row) {
  Run run(&(*stores)[index], index);
  for (size_t i = index + 1; scan_.batch > 0 && i < stores->size(); ++i) {
    if ((*stores)[i].closed) continue;
    ASSIGN_OR_RETURN(const ByteView next, (*stores)[i].scanner->PeekRow());
    if (next == row) run.later_families_have_row = true;
  }
  cells_.clear();
  RETURN_IF_ERROR(RunParts(&run, row));
  if (!run.paused) return Status::Ok();
  Bytes column(run.column);  // which may point into 'run'
  run_.emplace(std::move(run));
  run_->SetColumn(std::move(column));
  return Status::Ok();
}

// Batches are not cut short.
bool FilteredRows::MayPause() const {
  return pause_ != nullptr && !row_refused_ &&
         (scan_.batch <= 0 || results_.size() % static_cast<size_t>(scan_.batch) == 0);
}

// What there is of the row so far is handed out.
Status FilteredRows::Pause(Run* run) {
  run->paused = true;
  paused_ = true;
  if (results_.empty()) return Status::Ok();
  if (cuts_.empty() || cuts_.back().cells < results_.size()) {
    cuts_.push_back({results_.size(), /*goes_on=*/true});
  }
  run->size.Clear();
  return Status::Ok();
}

// From the rest of the present part on, to the end of the family's row unless it is paused.
Status FilteredRows::RunParts(Run* run, ByteView row) {
  StoreScanner* const scanner = run->store->scanner;
  // What was kept of a part that is gone on with is handed out, and may be in use.
  size_t kept = run->paused ? std::numeric_limits<size_t>::max() : results_.size();
  for (bool row_done = false;;) {
    RETURN_IF_ERROR(RunPart(run));
    if (run->paused) return Status::Ok();
    if (row_done || !run->wants_more() || filter_->FilterAllRemaining()) break;
    EndPart(run);
    if (results_.size() == kept) scanner->DropPart();
    kept = results_.size();
    cells_.clear();
    run->position = 0;
    if (MayPause() && pause_->IsDue(row)) return Pause(run);
    RETURN_IF_ERROR(scanner->NextPart(&cells_, &row_done));
    if (scanner->paused() && MayPause()) return Pause(run);
  }
  RETURN_IF_ERROR(scanner->EndRow());
  // A family whose next cell comes when the filter wants nothing more is not read any further, even
  // if the filter changes its mind with the next row.
  if (!run->full && filter_->FilterAllRemaining()) run->store->closed = true;
  return Status::Ok();
}

// Puts the cells of a part to the filter.
Status FilteredRows::RunPart(Run* run) {
  if (run->hinted) SkipToHint(run);
  run->paused = false;
  if (std::exchange(run->held_back, false)) {
    RETURN_IF_ERROR(Keep(cells_[run->position - 1], run->ends_column, run));
  }
  while (run->wants_more() && run->position < cells_.size()) {
    if (run->column_over && cells_[run->position].qualifier() == run->column) {
      ++run->position;
      continue;
    }
    if (filter_->FilterAllRemaining()) return Status::Ok();
    RETURN_IF_ERROR(RunCell(run));
  }
  return Status::Ok();
}

// Before the next part comes: tells the store what is not wanted of it, and keeps what points into
// this one.
void FilteredRows::EndPart(Run* run) {
  run->KeepColumn();
  if (run->hinted) {
    run->store->scanner->SkipToColumn(CellOf(hint_).qualifier());
  } else if (run->column_over) {
    probe_.assign(run->column);
    probe_.push_back('\0');
    run->store->scanner->SkipToColumn(probe_);
  }
}

Status FilteredRows::RunCell(Run* run) {
  const Cell& cell = cells_[run->position];
  run->EnterColumn(cell);
  // A column that was asked for is done with its last version.
  bool next_column = run->store->explicit_columns && ++run->shown >= run->store->versions;
  bool include = true;
  switch (row_passes_ ? Filter::Code::kInclude : filter_->FilterCell(cell)) {
    case Filter::Code::kSeekUsingHint: return FollowHint(run);
    case Filter::Code::kNextRow: run->left_row = true; return Status::Ok();
    case Filter::Code::kSkip: include = false; break;
    case Filter::Code::kNextColumn:
      include = false;
      next_column = true;
      break;
    case Filter::Code::kInclude: break;
    case Filter::Code::kIncludeAndNextColumn: next_column = true; break;
    case Filter::Code::kIncludeAndSeekNextRow: run->left_row = true; break;
  }
  // The scan's own number of versions counts what the filter included.
  if (include && ++run->included > versions_after_) {
    include = false;
    next_column = true;
  }
  // Of a column without a name HBase goes on with the next version, as family markers may come
  // there.
  run->column_over = next_column && (run->store->explicit_columns || !cell.qualifier().empty());
  ++run->position;
  return include ? Include(cell, next_column, run) : Status::Ok();
}

// Whether the family's row has more cells, whatever becomes of them.
Result<bool> FilteredRows::GoesOnBehind(const Store& store, const Cell& cell, bool next_column) {
  if (next_column && store.explicit_columns && cell.qualifier() == ByteView(store.last_column)) {
    return false;
  }
  return store.scanner->RowHasMore(cell, next_column);
}

Status FilteredRows::Include(const Cell& cell, bool next_column, Run* run) {
  if (++run->counted <= family_offset_) return Status::Ok();
  // With its last cell the family's row is over: it does not go on behind, whatever lies there, and
  // the filter is not asked about it.
  run->full = family_limit_ >= 0 && run->counted >= family_limit_ + family_offset_;
  // Only now is it known that the row goes on behind the part.
  if (part_bytes_ > 0 && entry_bytes_ >= part_bytes_ && joined_.empty()) {
    cuts_.push_back({results_.size(), /*goes_on=*/true});
    entry_bytes_ = 0;
    run->size.Clear();
    run->paused = run->held_back = run->store->scanner->in_row();
    run->ends_column = next_column;
    if (run->paused) return Status::Ok();
  }
  return Keep(cell, next_column, run);
}

Status FilteredRows::Keep(const Cell& cell, bool next_column, Run* run) {
  RETURN_IF_ERROR(run->size.Add(cell));
  result_bytes_ += size_t{cell.key_length} + cell.value_length;
  results_.push_back(cell);
  filter_->TransformCell(&results_.back(), this);
  entry_bytes_ += HeapSize(results_.back());
  if (scan_.batch > 0 && results_.size() % static_cast<size_t>(scan_.batch) == 0) {
    bool goes_on = run->later_families_have_row;
    if (!goes_on && !run->left_row && !run->full) {
      ASSIGN_OR_RETURN(goes_on, GoesOnBehind(*run->store, cell, next_column));
    }
    cuts_.push_back({results_.size(), goes_on});
    run->size.Clear();
    // What of a family is read on demand comes between the others; such rows are not paused.
    run->paused = goes_on && joined_.empty() && run->store->scanner->in_row() &&
                  result_bytes_ >= kResultBytesMax;
  }
  return Status::Ok();
}

// Moves the family to where the filter's hint says: in the present row or, leaving it, to another.
// A hint that does not lie ahead is a step to the next cell.
Status FilteredRows::FollowHint(Run* run) {
  const Cell& cell = cells_[run->position++];
  if (!filter_->NextCellHint(cell, &hint_)) return Status::Ok();
  const int order = meta_order_ ? cell::CompareMetaFlatKeys(hint_, cell.flat_key())
                                : cell::CompareFlatKeys(hint_, cell.flat_key());
  if (scan_.reversed ? order >= 0 : order <= 0) return Status::Ok();
  const ByteView target = CellOf(hint_).row();
  if (target != cell.row()) {
    run->left_row = true;
    return run->store->scanner->SeekToRow(target);
  }
  if (scan_.reversed) return Status::Ok();  // within a row there is no way back
  if (CellOf(hint_).family() != cell.family()) {
    run->left_row = true;
    return Status::Ok();
  }
  run->hinted = true;
  SkipToHint(run);
  return Status::Ok();
}

void FilteredRows::SkipToHint(Run* run) {
  const auto from = cells_.begin() + static_cast<std::ptrdiff_t>(run->position);
  const auto to = std::partition_point(from, cells_.end(), [this](const Cell& other) {
    return cell::CompareFlatKeysWithinRow(other.flat_key(), hint_) < 0;
  });
  run->position = static_cast<size_t>(to - cells_.begin());
  if (to != cells_.end()) run->hinted = false;
}

}  // namespace bennu::engine
