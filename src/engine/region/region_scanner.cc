#include "src/engine/region/region_scanner.h"

#include <algorithm>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"

namespace bennu::engine {

namespace {

// What a batch may keep from being evicted before it is handed out short.
constexpr size_t kPinnedBytesMax = 16 << 20;

}  // namespace

Result<std::unique_ptr<RegionScanner>> RegionScanner::Open(const RegionState& region,
                                                           const Scan* scan,
                                                           RowNavigator* navigator,
                                                           uint64_t read_point,
                                                           int64_t now_millis) {
  std::unique_ptr<RegionScanner> scanner(new RegionScanner(region, scan, navigator));
  for (const auto& [family, qualifiers] : scan->columns) {
    if (scanner->stores_->Find(family) < 0) {
      return InvalidArgument("table " + region.table_text + " has no family '" +
                             ToStringBinary(family) + "'");
    }
  }
  RETURN_IF_ERROR(scanner->OpenStores(read_point, now_millis));
  return scanner;
}

Status RegionScanner::OpenStores(uint64_t read_point, int64_t now_millis) {
  for (const auto& entry : stores_->entries) {
    if (!scan_->columns.empty() && !scan_->columns.contains(entry.family)) continue;
    ASSIGN_OR_RETURN(auto scanner, entry.store->OpenScanner(*scan_, read_point, now_millis));
    scanners_.push_back(std::move(scanner));
    if (!FilteredRows::Needed(*scan_)) continue;
    if (filtered_ == nullptr) {
      filtered_ = std::make_unique<FilteredRows>(*scan_, meta_order_);
    }
    filtered_->AddStore(entry.family, scanners_.back().get());
  }
  return Status::Ok();
}

void RegionScanner::SetPause(ScanPause* pause) {
  pause_ = pause;
  for (const auto& scanner : scanners_) scanner->SetPause(pause);
  if (filtered_ != nullptr) filtered_->SetPause(pause);
}

Status RegionScanner::NextRows(size_t row_limit, CellBatch* batch, bool* done) {
  *done = false;
  paused_ = false;
  if (in_one_store()) {
    RETURN_IF_ERROR(scanners_.front()->NextRows(row_limit, batch, done));
    paused_ = scanners_.front()->paused();
    return Status::Ok();
  }
  if (in_row()) {
    bool taken = false;
    RETURN_IF_ERROR(TakeRow(row_, batch, &taken));
    *done = filtered_ != nullptr && filtered_->done();
    return Status::Ok();
  }
  for (size_t rows = 0; rows < row_limit;) {
    ByteView row;
    RETURN_IF_ERROR(NextCandidate(&row));
    if (row.empty()) {
      *done = true;
      return Status::Ok();
    }
    if (pause_ != nullptr && pause_->IsDue(row)) {
      paused_ = true;
      return Status::Ok();
    }
    bool wanted = true;
    if (navigator_ != nullptr) RETURN_IF_ERROR(Navigate(row, &wanted));
    if (navigator_done_) {
      *done = true;
      return Status::Ok();
    }
    if (!wanted) continue;
    row_.assign(row);
    bool taken = false;
    RETURN_IF_ERROR(TakeRow(row_, batch, &taken));
    if (taken) ++rows;
    gave_rows_ |= taken;
    if (filtered_ != nullptr && filtered_->done()) {
      *done = true;
      return Status::Ok();
    }
    if (in_row() || pinned_bytes() > kPinnedBytesMax) return Status::Ok();
  }
  return Status::Ok();
}

Status RegionScanner::NextColumns(size_t row_limit, CellBatch* batch, ColumnSlice* slice,
                                  bool* done) {
  slice->Clear();
  if (in_one_store()) {
    return scanners_.front()->NextColumns(row_limit, batch, slice, done);
  }
  if (families_ == nullptr) {
    if (!GivesSlices()) return NextRows(row_limit, batch, done);
    families_ = std::make_unique<FamilyColumns>(scanners_);
  }
  return families_->Next(row_limit, slice, done);
}

Status RegionScanner::SkipTo(ByteView row) {
  if (families_ != nullptr) return families_->SkipTo(row);
  if (filtered_ != nullptr || in_row()) return Status::Ok();
  for (auto& scanner : scanners_) RETURN_IF_ERROR(scanner->SeekToRow(row));
  return Status::Ok();
}

bool RegionScanner::GivesSlices() const {
  if (scanners_.size() < 2 || navigator_ != nullptr || filtered_ != nullptr) return false;
  return std::all_of(scanners_.begin(), scanners_.end(),
                     [](const auto& scanner) { return scanner->gives_slices(); });
}

Status RegionScanner::TakeRow(ByteView row, CellBatch* batch, bool* taken) {
  if (filtered_ != nullptr) {
    RETURN_IF_ERROR(filtered_->TakeRow(row, batch, taken));
    paused_ = filtered_->paused();
    return Status::Ok();
  }
  const size_t begin = batch->cells.size();
  bool row_done = true;
  uint64_t bytes = 0;
  size_t family = in_row() ? in_family_ : 0;
  for (; row_done && family < scanners_.size(); ++family) {
    StoreScanner* const scanner = scanners_[family].get();
    if (!scanner->in_row()) {
      ASSIGN_OR_RETURN(const ByteView next, scanner->PeekRow());
      if (next != row) continue;
    }
    in_family_ = family;
    const uint64_t touched = scanner->rows_touched();
    RETURN_IF_ERROR(scanner->AppendRowPart(&batch->cells, &bytes, &row_done));
    row_touched_ |= scanner->rows_touched() > touched;
    paused_ = scanner->paused();
  }
  if (row_done) rows_touched_ += std::exchange(row_touched_, false);
  *taken = batch->cells.size() > begin;
  if (*taken) batch->row_starts.push_back(static_cast<uint32_t>(begin));
  if (!row_done && *taken)
    batch->partial_rows.push_back(static_cast<uint32_t>(batch->row_count() - 1));
  return Status::Ok();
}

bool RegionScanner::in_row() const {
  if (filtered_ != nullptr) return filtered_->in_row();
  return !scanners_.empty() && scanners_[in_family_]->in_row();
}

bool RegionScanner::Before(ByteView left, ByteView right) const {
  const int order =
      meta_order_ ? cell::CompareMetaRows(left, right) : cell::CompareRows(left, right);
  return scan_->reversed ? order > 0 : order < 0;
}

// The next row of any family; empty at the end.
Status RegionScanner::NextCandidate(ByteView* row) {
  if (filtered_ != nullptr) return filtered_->NextCandidate(row);
  *row = ByteView();
  for (auto& scanner : scanners_) {
    ASSIGN_OR_RETURN(const ByteView next, scanner->PeekRow());
    if (!next.empty() && (row->empty() || Before(next, *row))) *row = next;
  }
  return Status::Ok();
}

Status RegionScanner::Navigate(ByteView row, bool* wanted) {
  seek_row_.clear();
  switch (navigator_->Navigate(row, &seek_row_)) {
    case RowNavigator::Decision::kInclude: *wanted = true; break;
    case RowNavigator::Decision::kDone:
      *wanted = false;
      navigator_done_ = true;
      break;
    case RowNavigator::Decision::kSeek: {
      *wanted = false;
      if (!Before(row, seek_row_)) {
        return Internal("a row navigator asked to seek from '" + ToStringBinary(row) +
                        "' back to '" + ToStringBinary(seek_row_) + "'");
      }
      for (auto& scanner : scanners_) RETURN_IF_ERROR(scanner->SeekToRow(seek_row_));
      break;
    }
  }
  return Status::Ok();
}

void RegionScanner::Unpin() {
  for (auto& scanner : scanners_) scanner->Unpin();
  if (filtered_ != nullptr) filtered_->Unpin();
}

size_t RegionScanner::pinned_bytes() const {
  size_t bytes = 0;
  for (const auto& scanner : scanners_) bytes += scanner->pinned_bytes();
  return bytes;
}

uint64_t RegionScanner::blocks_as_columns() const {
  uint64_t blocks = 0;
  for (const auto& scanner : scanners_) blocks += scanner->blocks_as_columns();
  return blocks;
}

void RegionScanner::AddMetrics(Scanner::Metrics* metrics) const {
  for (const auto& scanner : scanners_) scanner->AddMetrics(metrics);
  if (filtered_ != nullptr) {
    filtered_->AddMetrics(metrics);
  } else {
    metrics->rows_touched += in_one_store() ? scanners_.front()->rows_touched() : rows_touched_;
  }
}

}  // namespace bennu::engine
