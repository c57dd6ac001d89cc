#include "src/engine/table_scanner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/heap_size.h"

namespace bennu::engine {

namespace {

// Cuts rows whose cells have more bytes than the scan wants at a time.
void CutBySize(const Scan& scan, CellBatch* batch) {
  if (!scan.allow_partial_results || scan.max_result_bytes <= 0 || scan.batch > 0) return;
  std::vector<uint32_t> starts;
  std::vector<uint32_t> partial;
  for (size_t row = 0; row < batch->row_count(); ++row) {
    starts.push_back(batch->row_starts[row]);
    int64_t bytes = 0;
    for (uint32_t i = batch->row_starts[row]; i + 1 < batch->row_end(row); ++i) {
      bytes += HeapSize(batch->cells[i]);
      if (bytes < scan.max_result_bytes) continue;
      partial.push_back(static_cast<uint32_t>(starts.size() - 1));
      starts.push_back(i + 1);
      bytes = 0;
    }
    if (batch->row_goes_on(row)) partial.push_back(static_cast<uint32_t>(starts.size() - 1));
  }
  batch->row_starts.swap(starts);
  batch->partial_rows.swap(partial);
}

// Rows that begin in the batch; 'open_row' is the one that the entry before it left open.
size_t CountRows(const CellBatch& batch, ByteView open_row) {
  if (batch.partial_rows.empty() && open_row.empty()) return batch.row_count();
  size_t rows = 0;
  ByteView before = open_row;
  for (const uint32_t start : batch.row_starts) {
    const ByteView row = batch.cells[start].row();
    rows += row != before;
    before = row;
  }
  return rows;
}

}  // namespace

TableScanner::TableScanner(std::shared_ptr<EngineCore> core, std::shared_ptr<TableEntry> table,
                           const Scan& scan)
    : core_(std::move(core)),
      table_(std::move(table)),
      scan_(scan),
      navigator_(scan.navigator != nullptr ? scan.navigator->Clone() : nullptr),
      now_millis_(core_->clock.NowMillis()),
      read_point_(0),
      rows_left_(scan.row_limit < 0 ? INT64_MAX : scan.row_limit) {}

TableScanner::~TableScanner() {
  current_.reset();
  if (registered_) core_->read_points.Unregister(read_point_);
}

Result<std::unique_ptr<TableScanner>> TableScanner::Open(std::shared_ptr<EngineCore> core,
                                                         std::shared_ptr<TableEntry> table,
                                                         const Scan& scan) {
  RETURN_IF_ERROR(table->CheckUsable());
  if (scan.reversed && scan.navigator != nullptr) {
    return InvalidArgument("a reversed scan cannot have a navigator");
  }
  std::unique_ptr<TableScanner> scanner(new TableScanner(std::move(core), std::move(table), scan));
  RETURN_IF_ERROR(scanner->CheckColumns());
  RETURN_IF_ERROR(scanner->CheckFilter());
  if (scan.snapshot != nullptr) {
    const auto* snapshot = dynamic_cast<const EngineSnapshot*>(scan.snapshot.get());
    if (snapshot == nullptr) return InvalidArgument("the snapshot is of another store");
    scanner->read_point_ = snapshot->read_point();  // registered as long as the scan's copy lives
  } else {
    scanner->read_point_ = scanner->core_->read_points.Register();
    scanner->registered_ = true;
  }
  // After the read point: then all that it shows is in these regions.
  scanner->regions_ = scanner->table_->regions();
  if (!scanner->FirstRegion()) scanner->done_ = true;
  return scanner;
}

// Also when no region is ever opened.
Status TableScanner::CheckColumns() const {
  for (const auto& [family, qualifiers] : scan_.columns) {
    if (!table_->HasFamily(family)) {
      return InvalidArgument("table " + table_->name().ToString() + " has no family '" +
                             ToStringBinary(family) + "'");
    }
    if (scan_.raw && !qualifiers.empty()) {
      return InvalidArgument("a raw scan reads whole families; it asks for columns of '" +
                             ToStringBinary(family) + "'");
    }
  }
  return Status::Ok();
}

Status TableScanner::CheckFilter() const {
  if (scan_.filter == nullptr) return Status::Ok();
  std::vector<Bytes> families;
  for (const auto& [family, qualifiers] : scan_.columns) families.push_back(family);
  if (families.empty()) {
    for (const auto& family : table_->descriptor().families) families.push_back(family.name);
  }
  return CheckFilteredScan(scan_, families);
}

bool TableScanner::FirstRegion() {
  const RegionList& regions = *regions_;
  if (scan_.range.start.empty()) {
    region_ = scan_.reversed ? regions.size() - 1 : 0;
  } else {
    region_ = FindRegion(regions, scan_.range.start);
  }
  return InRange(regions[region_]->info());
}

bool TableScanner::InRange(const RegionInfo& info) const {
  const Bytes& stop = scan_.range.stop;
  if (stop.empty()) return true;
  if (scan_.reversed) return info.end_key.empty() || info.end_key > stop;
  return scan_.range.stop_inclusive ? info.start_key <= stop : info.start_key < stop;
}

// Leaves the present region behind; false when there is no further one in the range.
bool TableScanner::NextRegion() {
  const RegionList& regions = *regions_;
  const Bytes seek = std::max(current_->pending_seek(), skip_row_);
  filter_done_ = current_->filter_done();
  if (current_->ends_scan()) return false;
  current_->AddMetrics(&finished_);
  finished_column_blocks_ += current_->blocks_as_columns();
  current_.reset();
  region_done_ = false;
  for (;;) {
    if (scan_.reversed ? region_ == 0 : region_ + 1 == regions.size()) return false;
    region_ += scan_.reversed ? static_cast<size_t>(-1) : 1;
    const RegionInfo& info = regions[region_]->info();
    if (!InRange(info)) return false;
    // Nothing before 'seek' is wanted.
    if (seek.empty() || info.end_key.empty() || info.end_key > seek) return true;
  }
}

Status TableScanner::OpenRegion() {
  ASSIGN_OR_RETURN(current_, (*regions_)[region_]->OpenScanner(&scan_, navigator_.get(),
                                                               ReadPoint(), now_millis_));
  current_->SetPause(pause_);
  if (skip_row_ > (*regions_)[region_]->info().start_key) return current_->SkipTo(skip_row_);
  return Status::Ok();
}

Status TableScanner::FillFromRegion(size_t row_limit, CellBatch* batch) {
  if (scan_.max_result_bytes < 0) {
    RETURN_IF_ERROR(current_->NextRows(row_limit, batch, &region_done_));
  }
  int64_t bytes = 0;
  size_t counted = 0;  // cells
  while (scan_.max_result_bytes >= 0 && !region_done_ && row_limit > 0) {
    if (rows_left_ == 0 && !current_->in_row()) break;
    const size_t rows_before = batch->row_count();
    RETURN_IF_ERROR(current_->NextRows(1, batch, &region_done_));
    if (current_->paused()) break;
    if (batch->row_count() == rows_before) {
      // Rows that a filter refused have filled the memory that may be pinned.
      if (rows_before > 0) break;
      current_->Unpin();
    }
    for (; counted < batch->cells.size(); ++counted) bytes += HeapSize(batch->cells[counted]);
    if (bytes >= scan_.max_result_bytes || batch->row_count() >= row_limit) break;
  }
  CutBySize(scan_, batch);
  return Status::Ok();
}

Status TableScanner::Next(size_t row_limit, CellBatch* batch) {
  return Fill(row_limit, batch, /*slice=*/nullptr);
}

Status TableScanner::NextColumns(size_t row_limit, CellBatch* batch, ColumnSlice* slice) {
  slice->Clear();
  const bool by_cells = scan_.batch > 0 || scan_.max_result_bytes >= 0;
  return Fill(row_limit, batch, by_cells ? nullptr : slice);
}

Status TableScanner::SkipTo(ByteView row) {
  if (scan_.reversed) return Status::Ok();
  skip_row_.assign(row);
  if (current_ == nullptr || region_done_) return Status::Ok();
  return current_->SkipTo(row);
}

Status TableScanner::Fill(size_t row_limit, CellBatch* batch, ColumnSlice* slice) {
  batch->Clear();
  if (row_limit == 0) return InvalidArgument("a scanner was asked for 0 rows");
  if (current_ != nullptr) current_->Unpin();
  // The last row of the limit may be under way.
  while (!done_ && (rows_left_ > 0 || (current_ != nullptr && current_->in_row()))) {
    if (region_done_) {
      if (!NextRegion()) break;
    }
    if (current_ == nullptr) RETURN_IF_ERROR(OpenRegion());
    const size_t wanted =
        std::min<uint64_t>(row_limit, static_cast<uint64_t>(std::max<int64_t>(rows_left_, 1)));
    if (slice == nullptr) {
      RETURN_IF_ERROR(FillFromRegion(wanted, batch));
    } else {
      RETURN_IF_ERROR(current_->NextColumns(wanted, batch, slice, &region_done_));
    }
    if (slice != nullptr && slice->rows != nullptr) {
      rows_left_ -= slice->size();
      finished_.rows += slice->size();
      return Status::Ok();
    }
    if (batch->row_count() > 0) {
      const size_t rows = CountRows(*batch, open_row_);
      const size_t last = batch->row_count() - 1;
      open_row_.clear();
      if (batch->row_goes_on(last)) open_row_ = batch->cells[batch->row_starts[last]].row();
      rows_left_ -= static_cast<int64_t>(rows);
      finished_.rows += rows;
      return Status::Ok();
    }
    current_->Unpin();
    if (current_->paused()) return Status::Ok();
  }
  done_ = true;
  return Status::Ok();
}

uint64_t TableScanner::blocks_as_columns() const {
  return finished_column_blocks_ + (current_ != nullptr ? current_->blocks_as_columns() : 0);
}

Scanner::Metrics TableScanner::metrics() const {
  Metrics metrics = finished_;
  if (current_ != nullptr) current_->AddMetrics(&metrics);
  return metrics;
}

}  // namespace bennu::engine
