// How a scan runs:
//   1. every memstore and every file that may matter becomes a CellSource at its first row;
//   2. live_ keeps the sources sorted by the row they stand on;
//   3. while one file alone has the next rows, they are taken straight from its block, found by the
//      block's row index (EmitFromBlock: the usual case, no merging and no comparison per cell);
//   4. otherwise the row's cells are gathered from all sources that have it and merged;
//   5. RowRules decides which of the row's cells pass;
//   6. a row that is not at hand (it goes on in further blocks, or has many cells in a memstore) is
//      taken in parts. A part ends where the first source has no more at hand, so
//      that it is complete; the rules keep what they know from part to part, and say which column
//      comes next. What lies in the current block is passed by a binary search, what lies beyond by
//      a search through the index.
#include "src/engine/store/store_scanner.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"
#include "src/cell/heap_size.h"
#include "src/engine/store/file_selection.h"
#include "src/engine/store/merge_runs.h"

namespace bennu::engine {

namespace {

// Columns that a scan names are looked up one by one when there are more cells than so many to
// each; otherwise all that is at hand is gone through.
constexpr uint64_t kCellsPerColumnMax = 16;

// Room for so many in a new batch, so that few rows do not make it grow step by step.
constexpr size_t kFirstCells = 16;

RowRules::Options RulesOptions(const StoreView& view, const StoreScanner::Options& options) {
  RowRules::Options rules;
  rules.read_point = options.read_point;
  rules.now_millis = options.now_millis;
  rules.rewriting = options.purpose != StoreScanner::Purpose::kRead;
  rules.drop_markers = options.purpose == StoreScanner::Purpose::kMajorCompaction;
  if (rules.drop_markers && options.family->purge_deletes_millis > 0) {
    rules.keep_markers_from_millis = options.now_millis - options.family->purge_deletes_millis;
  }
  if (rules.rewriting && options.family->max_lookback_millis > 0) {
    rules.now_millis -= options.family->max_lookback_millis;
    rules.keep_from_millis = rules.now_millis;
  }
  rules.earliest_put_timestamp = kLatestTimestamp;
  for (const auto& file : view.files) {
    rules.earliest_put_timestamp =
        std::min(rules.earliest_put_timestamp, file->reader()->earliest_put_timestamp());
  }
  return rules;
}

// With a filter, or a batch, FilteredRows says how much of a row it takes.
uint64_t PartBytes(const Scan& scan) {
  const bool in_parts = scan.allow_partial_results && scan.max_result_bytes > 0 &&
                        scan.batch <= 0 && scan.filter == nullptr;
  return in_parts ? static_cast<uint64_t>(scan.max_result_bytes) : 0;
}

// The part of the scan's range that lies in the region.
RowRange Clip(const Scan& scan, const RowRange& region) {
  RowRange range = scan.range;
  Bytes& low = scan.reversed ? range.stop : range.start;
  Bytes& high = scan.reversed ? range.start : range.stop;
  bool& low_inclusive = scan.reversed ? range.stop_inclusive : range.start_inclusive;
  bool& high_inclusive = scan.reversed ? range.start_inclusive : range.stop_inclusive;
  if (region.start > low) {
    low = region.start;
    low_inclusive = true;
  }
  if (!region.stop.empty() && (high.empty() || high >= region.stop)) {
    high = region.stop;
    high_inclusive = false;
  }
  return range;
}

}  // namespace

StoreScanner::StoreScanner(std::shared_ptr<const StoreView> view, const Scan& scan,
                           const Options& options)
    : view_(std::move(view)),
      options_(options),
      range_(view_->has_references && options.region_rows != nullptr
                 ? Clip(scan, *options.region_rows)
                 : scan.range),
      time_range_(TimeRangeOf(scan, options.family->name)),
      reversed_(scan.reversed),
      cache_blocks_(scan.cache_blocks && options.family->block_cache),
      part_bytes_(PartBytes(scan)),
      rules_(*options.family, scan, RulesOptions(*view_, options)) {
  columns_wanted_ = options.purpose == Purpose::kRead && !reversed_ && !options.meta_order &&
                    cache_blocks_ && part_bytes_ == 0 && scan.filter == nullptr && rules_.by_cell();
  makes_columns_ = scan.row_limit < 0;
  pauses_in_rows_ = part_bytes_ > 0;
}

StoreScanner::~StoreScanner() = default;

Result<std::unique_ptr<StoreScanner>> StoreScanner::Open(std::shared_ptr<const StoreView> view,
                                                         const Scan& scan, const Options& options) {
  std::unique_ptr<StoreScanner> scanner(new StoreScanner(std::move(view), scan, options));
  RETURN_IF_ERROR(scanner->AddSources(scan));
  return scanner;
}

Status StoreScanner::AddSources(const Scan& scan) {
  for (const auto& memstore : view_->memstores) {
    if (memstore->empty()) continue;
    sources_.push_back(std::make_unique<CellSource>(memstore.get(), NextPriority()));
  }
  const FileSelection selection = {*options_.family,
                                   scan,
                                   range_,
                                   time_range_,
                                   options_.read_point,
                                   options_.now_millis,
                                   options_.purpose == Purpose::kRead,
                                   options_.meta_order};
  for (const auto& file : view_->files) {
    ASSIGN_OR_RETURN(const bool matters, selection.MayMatter(*file, &metrics_));
    if (matters) RETURN_IF_ERROR(AddFile(*file));
  }
  return Status();
}

Status StoreScanner::AddFile(const StoreFile& file) {
  hfile::CursorOptions cursor_options;
  cursor_options.cache_blocks = cache_blocks_ && options_.purpose == Purpose::kRead;
  cursor_options.sequential = options_.purpose != Purpose::kRead;
  sources_.push_back(std::make_unique<CellSource>(file.reader(), cursor_options, NextPriority(),
                                                  file.cell_sequence_id()));
  ++metrics_.files_opened;
  return Status();
}

int StoreScanner::CompareRows(ByteView left, ByteView right) const {
  const int order =
      options_.meta_order ? cell::CompareMetaRows(left, right) : cell::CompareRows(left, right);
  return reversed_ ? -order : order;
}

bool StoreScanner::ComesBefore(const CellSource& left, const CellSource& right) const {
  const int order = CompareRows(left.row(), right.row());
  return order != 0 ? order < 0 : left.priority() < right.priority();
}

bool StoreScanner::PastStop(ByteView row) const {
  if (range_.stop.empty()) return false;
  if (RowsInOrder(row, range_.stop)) return false;
  return !(range_.stop_inclusive && row == ByteView(range_.stop));
}

Status StoreScanner::SeekSource(CellSource* source) {
  if (reversed_) {
    if (range_.start.empty()) return source->SeekToLastRow();
    row_scratch_ = range_.start;
    if (range_.start_inclusive) row_scratch_.push_back('\0');  // the row right after it
    return source->SeekToRowBefore(row_scratch_);
  }
  if (range_.start.empty()) return source->SeekToFirst();
  row_scratch_ = range_.start;
  if (!range_.start_inclusive) row_scratch_.push_back('\0');
  return source->SeekToRow(row_scratch_);
}

Status StoreScanner::Start() {
  started_ = true;
  for (const auto& source : sources_) {
    RETURN_IF_ERROR(SeekSource(source.get()));
    if (source->Valid()) live_.push_back(source.get());
  }
  std::sort(live_.begin(), live_.end(), [this](const CellSource* left, const CellSource* right) {
    return ComesBefore(*left, *right);
  });
  return Status();
}

void StoreScanner::Resettle() {
  if (!live_.front()->Valid()) {
    live_.erase(live_.begin());
    return;
  }
  for (size_t i = 0; i + 1 < live_.size() && ComesBefore(*live_[i + 1], *live_[i]); ++i) {
    std::swap(live_[i], live_[i + 1]);
  }
}

// ---- rows at hand, and rows in parts

size_t StoreScanner::CountFirst() const {
  size_t count = 1;
  while (count < live_.size() && live_[count]->row() == live_.front()->row()) ++count;
  return count;
}

Result<bool> StoreScanner::TakeRowAtHand() {
  const size_t count = CountFirst();
  row_cells_.clear();
  if (count == 1 && !reversed_) {
    ASSIGN_OR_RETURN(const bool taken, live_.front()->TakeRowAtHand(&row_cells_, &pins_));
    if (taken) Resettle();
    return taken;
  }
  ASSIGN_OR_RETURN(const bool gathered, GatherRow(count));
  if (!gathered) return false;
  for (size_t i = 0; reversed_ && i < count; ++i) {
    RETURN_IF_ERROR(live_[i]->SeekToRowBefore(row_scratch_));
  }
  ResettleFirst(count);
  return true;
}

Result<bool> StoreScanner::GatherRow(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (live_[i]->RowLeavesBlock()) return false;
  }
  row_scratch_.assign(live_.front()->row());
  row_cells_.clear();
  for (size_t i = 0; i < count; ++i) {
    const size_t before = row_cells_.size();
    ASSIGN_OR_RETURN(const bool taken, live_[i]->TakeRowAtHand(&row_cells_, &pins_));
    if (!taken) {  // a memstore; files come behind all of them
      while (i > 0) live_[--i]->GoBack();
      row_cells_.clear();
      return false;
    }
    if (before > 0) MergeRuns(&row_cells_, before, &merge_scratch_);
  }
  return true;
}

void StoreScanner::ResettleFirst(size_t count) {
  while (count-- > 0) {
    if (!live_[count]->Valid()) {
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(count));
      continue;
    }
    for (size_t i = count; i + 1 < live_.size() && ComesBefore(*live_[i + 1], *live_[i]); ++i) {
      std::swap(live_[i], live_[i + 1]);
    }
  }
}

void StoreScanner::BeginParts() {
  const auto count = static_cast<std::ptrdiff_t>(CountFirst());
  part_row_.assign(live_.front()->row());
  part_sources_.assign(live_.begin(), live_.begin() + count);
  live_.erase(live_.begin(), live_.begin() + count);
  part_active_ = part_sources_;
  rules_.Begin(&progress_);
  in_parts_ = true;
}

Status StoreScanner::EndRow() {
  if (!in_parts_) return Status();
  in_parts_ = false;
  if (IsSingleRow(range_)) return Status();  // there is no next row to look for
  for (CellSource* const source : part_sources_) {
    if (reversed_) {
      RETURN_IF_ERROR(source->SeekToRowBefore(part_row_));
    } else {
      ASSIGN_OR_RETURN(const bool in_row, source->IsIn(part_row_));
      if (in_row) RETURN_IF_ERROR(source->SkipRow());
    }
    if (!source->Valid()) continue;
    live_.insert(live_.begin(), source);
    Resettle();
  }
  return Status();
}

void StoreScanner::SkipToColumn(ByteView qualifier) {
  if (in_parts_) progress_.SkipTo(qualifier);
}

Status StoreScanner::JumpTo(ByteView qualifier) {
  part_key_.clear();
  cell::AppendFirstOnColumn(&part_key_, part_row_, options_.family->name, qualifier);
  for (CellSource* const source : part_active_) RETURN_IF_ERROR(source->SeekForward(part_key_));
  progress_.Jumped();
  return Status();
}

uint64_t StoreScanner::CellsAtHand() const {
  uint64_t cells = 0;
  for (CellSource* const source : part_active_) cells += source->cells_at_hand();
  return cells;
}

// Leaves row_cells_ empty and part_active_ too when the row has no more cells.
Status StoreScanner::TakePart(const Bytes** ended) {
  *ended = nullptr;
  row_cells_.clear();
  part_pins_ = pins_.count();
  if (const Bytes* const column = progress_.next_column()) RETURN_IF_ERROR(JumpTo(*column));
  size_t left = 0;
  for (CellSource* const source : part_active_) {
    ASSIGN_OR_RETURN(const bool in_row, source->IsIn(part_row_));
    if (in_row) part_active_[left++] = source;
  }
  part_active_.resize(left);
  RowBound bound;
  const Bytes* const only = progress_.only_column();
  if (only != nullptr && CellsAtHand() > kCellsPerColumnMax * progress_.columns_left()) {
    part_key_.clear();
    cell::AppendLastOnColumn(&part_key_, part_row_, options_.family->name, *only);
    bound.key = part_key_;
  }
  for (const bool files : {true, false}) {
    for (CellSource* const source : part_active_) {
      if (source->is_file() == files) source->LookAhead(&bound);
    }
  }
  for (CellSource* const source : part_active_) {
    const size_t before = row_cells_.size();
    RETURN_IF_ERROR(source->TakeUpTo(bound, &row_cells_, &pins_));
    if (before > 0 && row_cells_.size() > before) MergeRuns(&row_cells_, before, &merge_scratch_);
  }
  if (bound.set() && bound.key.data() == part_key_.data()) *ended = only;
  metrics_.cells_seen += row_cells_.size();
  return Status();
}

Status StoreScanner::NextPart(std::vector<Cell>* cells, bool* row_done) {
  *row_done = false;
  paused_ = false;
  const size_t before = cells->size();
  handed_out_ = true;
  if (!in_parts_) {
    ASSIGN_OR_RETURN(*row_done, TakeRowAtHand());
    if (*row_done) {
      metrics_.cells_seen += row_cells_.size();
      rules_.Apply(row_cells_.data(), row_cells_.size(), cells);
      return Status();
    }
    BeginParts();
  }
  while (!progress_.done()) {
    const Bytes* ended = nullptr;
    RETURN_IF_ERROR(TakePart(&ended));
    if (part_active_.empty()) break;
    rules_.ApplyPart(row_cells_.data(), row_cells_.size(), &progress_, cells);
    if (ended != nullptr) progress_.EndColumn(*ended);
    if (cells->size() > before) return Status();
    DropPart();
    if (pauses_in_rows_ && pause_ != nullptr && pause_->IsDue(part_row_)) {
      paused_ = true;
      return Status();
    }
  }
  *row_done = true;
  return EndRow();
}

Result<bool> StoreScanner::RowHasMore(const Cell& cell, bool next_column) const {
  const Cell& last = row_cells_.back();
  if (next_column ? last.qualifier() != cell.qualifier() : last.key != cell.key) return true;
  if (!in_parts_) return false;
  Bytes behind;
  cell::AppendLastOnColumn(&behind, part_row_, options_.family->name, cell.qualifier());
  for (const CellSource* const source : part_active_) {
    CellSource probe(*source);  // the row is to be read on from where it is
    if (next_column) {
      RETURN_IF_ERROR(probe.SeekForward(behind));
    }
    ASSIGN_OR_RETURN(const bool in_row, probe.IsIn(part_row_));
    if (in_row) return true;
  }
  return false;
}

bool StoreScanner::ShowsRowCells() const {
  return std::any_of(row_cells_.begin(), row_cells_.end(),
                     [this](const Cell& cell) { return cell.sequence_id <= options_.read_point; });
}

// The whole row, or what is wanted at a time.
Status StoreScanner::TakeRow(std::vector<Cell>* cells, uint64_t* entry_bytes, bool* row_done) {
  const bool handed_out = handed_out_;
  const size_t before = cells->size();
  *row_done = false;
  paused_ = false;
  bool shown = true;
  if (!in_parts_) {
    RETURN_IF_ERROR(NextPart(cells, row_done));
    if (*row_done) {
      shown = cells->size() > before || ShowsRowCells();
      for (size_t i = before; part_bytes_ > 0 && i < cells->size(); ++i) {
        // As the entry will be cut.
        if (*entry_bytes >= part_bytes_) *entry_bytes = 0;
        *entry_bytes += static_cast<uint64_t>(HeapSize((*cells)[i]));
      }
    } else {
      ahead_.assign(cells->begin() + static_cast<std::ptrdiff_t>(before), cells->end());
      ahead_taken_ = 0;
      cells->resize(before);
    }
  }
  while (!*row_done && !paused_) {
    if (ahead_taken_ == ahead_.size()) {
      ahead_.clear();
      ahead_taken_ = 0;
      RETURN_IF_ERROR(NextPart(&ahead_, row_done));
      continue;
    }
    if (part_bytes_ > 0 && *entry_bytes >= part_bytes_) break;
    const Cell& cell = ahead_[ahead_taken_++];
    *entry_bytes += static_cast<uint64_t>(HeapSize(cell));
    cells->push_back(cell);
  }
  handed_out_ = handed_out || cells->size() > before;
  metrics_.rows_touched += *row_done && shown;
  if (options_.purpose != Purpose::kRead) return Status();
  RowSize size(options_.family->row_bytes_max);
  for (size_t i = before; i < cells->size(); ++i) RETURN_IF_ERROR(size.Add((*cells)[i]));
  return Status();
}

Result<bool> StoreScanner::EmitFromBlock(size_t row_limit, CellBatch* batch) {
  CellSource* source = live_.front();
  if (!source->is_file() || reversed_) return false;
  const hfile::Block& block = *source->block();
  // A loaded file that takes part is visible whole; that is how its block looks only without ids.
  if (source->overrides_sequence_ids() &&
      (options_.purpose != Purpose::kRead || block.sequence_ids() != nullptr)) {
    return false;
  }
  // Its rows may be larger than rows may be.
  if (options_.purpose == Purpose::kRead && options_.family->row_bytes_max > 0 &&
      block.memory_bytes() > options_.family->row_bytes_max) {
    return false;
  }
  const uint32_t* starts = block.row_starts();
  uint32_t row = block.RowOf(source->block_index());
  // The block's last row may go on in the next block: it takes the general way.
  const uint32_t last = block.row_count() - 1;
  if (row >= last || source->block_index() != starts[row]) return false;

  const ByteView rival = live_.size() > 1 ? live_[1]->row() : ByteView();
  const ByteView last_row = block.RowAt(starts[last]);
  const bool check_rival = live_.size() > 1 && !RowsInOrder(last_row, rival);
  const bool check_stop = PastStop(last_row);

  pins_.Add(source->block());
  if (batch->cells.capacity() == 0) {
    batch->cells.reserve(kFirstCells);
    batch->row_starts.reserve(kFirstCells);
  }
  const uint32_t first = row;
  while (row < last && batch->row_starts.size() < row_limit) {
    const uint32_t begin = starts[row];
    if (check_rival && !RowsInOrder(block.RowAt(begin), rival)) break;
    if (check_stop && PastStop(block.RowAt(begin))) break;
    const size_t before = batch->cells.size();
    rules_.ApplyBlock(block, begin, starts[row + 1], &batch->cells);
    if (batch->cells.size() > before) batch->row_starts.push_back(static_cast<uint32_t>(before));
    ++row;
  }
  metrics_.cells_seen += starts[row] - starts[first];
  metrics_.rows_touched += row - first;
  if (row == first) return false;
  source->SetBlockIndex(starts[row]);
  Resettle();
  return true;
}

Result<bool> StoreScanner::AddRows(size_t rows_before, size_t rows_wanted, CellBatch* batch) {
  if (!in_parts_) {
    if (pins_.bytes() >= kPinnedBytesMax) {
      if (handed_out_ || batch->row_starts.size() > rows_before) return true;
      pins_.Clear();  // nobody has a cell of the rows so far
    }
    RETURN_IF_ERROR(LeaveColumns());
    ASSIGN_OR_RETURN(const bool emitted, EmitFromBlock(rows_wanted, batch));
    if (emitted) return false;
  }
  const size_t before = batch->cells.size();
  bool row_done = true;
  uint64_t entry_bytes = 0;
  RETURN_IF_ERROR(TakeRow(&batch->cells, &entry_bytes, &row_done));
  if (batch->cells.size() > before) batch->row_starts.push_back(static_cast<uint32_t>(before));
  if (!row_done && batch->cells.size() > before) {
    batch->partial_rows.push_back(static_cast<uint32_t>(batch->row_starts.size() - 1));
  }
  return !row_done;
}

Status StoreScanner::NextRows(size_t row_limit, CellBatch* batch, bool* done) {
  *done = false;
  paused_ = false;
  if (!started_) RETURN_IF_ERROR(Start());
  const size_t rows_before = batch->row_starts.size();
  const size_t rows_wanted = rows_before + row_limit;
  for (bool first = true; batch->row_starts.size() < rows_wanted; first = false) {
    if (!in_parts_ && (live_.empty() || PastStop(live_.front()->row()))) {
      *done = true;
      break;
    }
    if (!first && pause_ != nullptr && pause_->IsDue(live_.front()->row())) {
      paused_ = true;
      break;
    }
    ASSIGN_OR_RETURN(const bool enough, AddRows(rows_before, rows_wanted, batch));
    if (enough) break;
  }
  handed_out_ |= batch->row_starts.size() > rows_before;
  return Status();
}

Result<ByteView> StoreScanner::PeekRow() {
  if (!started_) RETURN_IF_ERROR(Start());
  if (live_.empty() || PastStop(live_.front()->row())) return ByteView();
  return live_.front()->row();
}

Status StoreScanner::AppendRow(std::vector<Cell>* cells) {
  for (bool row_done = false; !row_done;) {
    uint64_t entry_bytes = 0;
    RETURN_IF_ERROR(AppendRowPart(cells, &entry_bytes, &row_done));
  }
  return Status();
}

Status StoreScanner::AppendRowPart(std::vector<Cell>* cells, uint64_t* entry_bytes,
                                   bool* row_done) {
  RETURN_IF_ERROR(TakeRow(cells, entry_bytes, row_done));
  handed_out_ = true;
  return Status();
}

Status StoreScanner::SkipRow() {
  if (live_.size() == 1 && !reversed_) {
    RETURN_IF_ERROR(live_.front()->SkipRow());
    Resettle();
    return Status();
  }
  row_scratch_.assign(live_.front()->row());
  while (!live_.empty() && live_.front()->row() == ByteView(row_scratch_)) {
    CellSource* source = live_.front();
    RETURN_IF_ERROR(reversed_ ? source->SeekToRowBefore(row_scratch_) : source->SkipRow());
    Resettle();
  }
  return Status();
}

Status StoreScanner::SeekToRow(ByteView row) {
  if (!started_) RETURN_IF_ERROR(Start());
  RETURN_IF_ERROR(EndRow());
  ++metrics_.seeks;
  if (reversed_) {
    row_scratch_.assign(row);
    row_scratch_.push_back('\0');  // the row right after it
  }
  while (!live_.empty() && RowsInOrder(live_.front()->row(), row)) {
    RETURN_IF_ERROR(reversed_ ? live_.front()->SeekToRowBefore(row_scratch_)
                              : live_.front()->SeekToRow(row));
    Resettle();
  }
  return Status();
}

bool StoreScanner::ShowsRow() const {
  if (live_.empty()) return false;
  const ByteView row = live_.front()->row();
  for (const CellSource* source : live_) {
    if (source->row() != row) break;
    if (source->ShowsRow(options_.read_point)) return true;
  }
  return false;
}

void StoreScanner::Unpin() {
  if (in_parts_) {
    // The part's first block may have been pinned for the part before it.
    const size_t unneeded = part_pins_ - std::min<size_t>(part_pins_, 1);
    pins_.DropFirst(unneeded);
    part_pins_ -= unneeded;
  } else {
    pins_.Clear();
  }
  handed_out_ = false;
}

void StoreScanner::AddMetrics(Scanner::Metrics* metrics) const {
  metrics->cells_seen += metrics_.cells_seen;
  metrics->files_opened += metrics_.files_opened;
  metrics->files_skipped_by_time += metrics_.files_skipped_by_time;
  metrics->files_skipped_by_bloom += metrics_.files_skipped_by_bloom;
  metrics->files_skipped_by_key += metrics_.files_skipped_by_key;
  metrics->seeks += metrics_.seeks;
  for (const auto& source : sources_) source->AddMetrics(metrics);
}

}  // namespace bennu::engine
