#include "src/engine/store/row_reader.h"

#include <limits>
#include <utility>

#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/file_selection.h"
#include "src/engine/store/merge_runs.h"
#include "src/engine/store/row_size.h"
#include "src/hfile/cursor.h"

namespace bennu::engine {

namespace {

constexpr uint64_t kNewestSequence = std::numeric_limits<uint64_t>::max();
// A row of more cells than this in a memstore is not at hand.
constexpr size_t kCellsInMemoryMax = 128;

}  // namespace

bool RowReader::AsksForColumn(ByteView family, ByteView qualifier) const {
  if (scan_.columns.size() != 1) return false;
  const auto& [asked_family, qualifiers] = *scan_.columns.begin();
  return asked_family == family && qualifiers.size() == 1 && *qualifiers.begin() == qualifier;
}

void RowReader::AskColumn(ByteView row, ByteView family, ByteView qualifier,
                          const TimeRange& time_range, int32_t max_versions) {
  const Get all;
  scan_.range.start = row;
  scan_.range.stop = row;
  scan_.range.stop_inclusive = true;
  scan_.time_range = time_range;
  scan_.family_time_ranges.clear();
  // Mostly the column of the read before: counters, conditions.
  if (!AsksForColumn(family, qualifier)) {
    scan_.columns.clear();
    scan_.columns[Bytes(family)].emplace(qualifier);
  }
  scan_.max_versions = max_versions;
  scan_.max_results_per_family = all.max_results_per_family;
  scan_.row_offset_per_family = all.row_offset_per_family;
  scan_.cache_blocks = all.cache_blocks;
}

RowReader::Lease::Lease() {
  thread_local RowReader mine;
  reader_ = &mine;
  if (mine.busy_) {
    own_ = std::make_unique<RowReader>();
    reader_ = own_.get();
  }
  reader_->busy_ = true;
}

RowReader::Lease::~Lease() {
  reader_->Clear();
  reader_->busy_ = false;
}

Status RowReader::Read(const Store& store, uint64_t read_point, int64_t now_millis,
                       const std::shared_ptr<MemStore>& overlay) {
  Store::Reading reading = store.StartReading();
  if (overlay != nullptr) {
    StoreView view = *reading.view;
    view.memstores.insert(view.memstores.begin(), overlay);
    reading.view = std::make_shared<const StoreView>(std::move(view));
  }
  if (reading.meta_order) return ReadByScanner(store, std::move(reading), read_point, now_millis);
  const FamilyRules& family = *reading.family;
  const FileSelection selection = {
      family, scan_, scan_.range, TimeRangeOf(scan_, family.name), read_point, now_millis};
  const size_t first_block_row = block_rows_.size();
  const Bytes* const newest = NewestColumnOf(family);
  ASSIGN_OR_RETURN(bool at_hand, Find(*reading.view, selection, first_block_row, newest));
  if (at_hand && newest != nullptr && !found_.empty() && FoundMarkers(first_block_row)) {
    // They may hide the versions that were found, and not those behind them.
    block_rows_.resize(first_block_row);
    ASSIGN_OR_RETURN(at_hand, Find(*reading.view, selection, first_block_row, nullptr));
  }
  if (!at_hand) return ReadByScanner(store, std::move(reading), read_point, now_millis);
  const size_t block_rows = block_rows_.size() - first_block_row;
  if (found_.empty() && block_rows == 0) return Status();

  RowRules::Options options;
  options.read_point = read_point;
  options.now_millis = now_millis;
  const RowRules rules(family, scan_, options);
  views_.push_back(std::move(reading.view));
  if (found_.empty() && block_rows == 1 && !block_rows_.back().sequence_id.has_value()) {
    const BlockRow& row = block_rows_.back();
    rules.ApplyBlock(*row.block, row.begin, row.end, &cells_);
    return Status();
  }
  for (size_t i = first_block_row; i < block_rows_.size(); ++i) AddBlockRow(block_rows_[i]);
  const size_t before = cells_.size();
  rules.Apply(found_.data(), found_.size(), &cells_);
  RowSize size(family.row_bytes_max);
  for (size_t i = before; i < cells_.size(); ++i) RETURN_IF_ERROR(size.Add(cells_[i]));
  return Status();
}

Result<bool> RowReader::Find(const StoreView& view, const FileSelection& selection,
                             size_t first_block_row, const Bytes* newest) {
  const ByteView row = selection.range.start;
  found_.clear();
  key_.clear();
  cell::AppendFirstOnRow(&key_, row);
  for (const auto& memstore : view.memstores) {
    if (memstore->empty()) continue;
    const bool found = newest != nullptr ? FindNewestInMemory(*memstore, selection, *newest)
                                         : FindInMemory(*memstore, row);
    if (!found) return false;
  }
  for (const auto& file : view.files) {
    ASSIGN_OR_RETURN(const bool at_hand, FindInFile(*file, selection));
    if (at_hand) continue;
    block_rows_.resize(first_block_row);
    return false;
  }
  return true;
}

bool RowReader::FindInMemory(const MemStore& memstore, ByteView row) {
  const size_t begin = found_.size();
  MemStore::Iterator iterator(&memstore);
  for (iterator.Seek(key_, kNewestSequence); iterator.Valid(); iterator.Next()) {
    const Cell& cell = iterator.cell();
    if (cell.row() != row) break;
    if (found_.size() - begin == kCellsInMemoryMax) return false;
    found_.push_back(cell);
  }
  MergeFrom(begin);
  return true;
}

const Bytes* RowReader::NewestColumnOf(const FamilyRules& family) const {
  if (scan_.max_versions != 1 || family.new_version_behavior) return nullptr;
  if (!TimeRangeOf(scan_, family.name).all()) return nullptr;
  const auto wanted = scan_.columns.find(family.name);
  if (wanted == scan_.columns.end() || wanted->second.size() != 1) return nullptr;
  return &*wanted->second.begin();
}

// A counter that is much incremented has many versions here.
bool RowReader::FindNewestInMemory(const MemStore& memstore, const FileSelection& selection,
                                   const Bytes& qualifier) {
  const size_t begin = found_.size();
  const ByteView row = selection.range.start;
  bool markers = false;
  MemStore::Iterator iterator(&memstore);
  // The markers of the family come before all columns, with those of the column without a name.
  iterator.Seek(key_, kNewestSequence);
  while (iterator.Valid()) {
    const Cell& cell = iterator.cell();
    if (cell.row() != row) break;
    const int order = cell.qualifier().compare(qualifier);
    if (order > 0) break;
    if (order < 0 && !cell.qualifier().empty()) {
      column_key_.clear();
      cell::AppendFirstOnColumn(&column_key_, row, selection.family.name, qualifier);
      iterator.Seek(column_key_, kNewestSequence);
      continue;
    }
    if (found_.size() - begin == kCellsInMemoryMax) return false;
    found_.push_back(cell);
    markers = markers || cell.type() != CellType::kPut;
    // Tags may hold a time to live of its own, after which an older version counts.
    const bool final = order == 0 && !markers && cell.tags_view().empty() &&
                       cell.sequence_id <= selection.read_point;
    if (final) break;
    iterator.Next();
  }
  MergeFrom(begin);
  return true;
}

bool RowReader::FoundMarkers(size_t first_block_row) const {
  for (const Cell& cell : found_) {
    if (cell.type() != CellType::kPut) return true;
  }
  for (size_t i = first_block_row; i < block_rows_.size(); ++i) {
    const BlockRow& row = block_rows_[i];
    for (uint32_t cell = row.begin; cell < row.end; ++cell) {
      if (row.block->CellAt(cell).type() != CellType::kPut) return true;
    }
  }
  return false;
}

Result<bool> RowReader::FindInFile(const StoreFile& file, const FileSelection& selection) {
  Scanner::Metrics metrics;
  ASSIGN_OR_RETURN(const bool matters, selection.MayMatter(file, &metrics));
  if (!matters) return true;
  hfile::CursorOptions options;
  options.cache_blocks = selection.scan.cache_blocks && selection.family.block_cache;
  hfile::Cursor cursor(file.reader(), options);
  RETURN_IF_ERROR(cursor.SeekTo(key_));
  if (!cursor.Valid() || cursor.block()->RowAt(cursor.index()) != selection.range.start)
    return true;
  const hfile::Block& block = *cursor.block();
  // Its rows may be larger than rows may be.
  const uint64_t row_bytes_max = selection.family.row_bytes_max;
  if (row_bytes_max > 0 && block.memory_bytes() > row_bytes_max) return false;
  const uint32_t end = block.NextRowStart(cursor.index());
  if (end == block.cell_count() && cursor.last_row_goes_on()) return false;
  block_rows_.push_back({cursor.block_pin(), cursor.index(), end, file.cell_sequence_id()});
  return true;
}

void RowReader::AddBlockRow(const BlockRow& row) {
  const size_t begin = found_.size();
  for (uint32_t i = row.begin; i < row.end; ++i) {
    found_.push_back(row.block->CellAt(i));
    if (row.sequence_id.has_value()) found_.back().sequence_id = *row.sequence_id;
  }
  MergeFrom(begin);
}

// Newer sources come first.
void RowReader::MergeFrom(size_t begin) {
  if (begin > 0 && begin < found_.size()) MergeRuns(&found_, begin, &merge_scratch_);
}

Status RowReader::ReadByScanner(const Store& store, Store::Reading reading, uint64_t read_point,
                                int64_t now_millis) {
  ASSIGN_OR_RETURN(auto scanner,
                   store.OpenScanner(std::move(reading), scan_, read_point, now_millis));
  batch_.Clear();
  for (bool done = false; !done && batch_.row_count() == 0;) {
    RETURN_IF_ERROR(scanner->NextRows(1, &batch_, &done));
  }
  cells_.insert(cells_.end(), batch_.cells.begin(), batch_.cells.end());
  scanners_.push_back(std::move(scanner));
  return Status();
}

void RowReader::MovePins(std::vector<std::shared_ptr<const void>>* pins) {
  for (auto& view : views_) pins->push_back(std::move(view));
  for (BlockRow& row : block_rows_) pins->push_back(std::move(row.block));
  for (auto& scanner : scanners_)
    pins->push_back(std::shared_ptr<StoreScanner>(std::move(scanner)));
}

void RowReader::Clear() {
  cells_.clear();
  scanners_.clear();
  block_rows_.clear();
  views_.clear();
}

}  // namespace bennu::engine
