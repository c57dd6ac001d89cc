#include "src/client/table_scanner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/base/status_macros.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

namespace {}  // namespace

TableScanner::TableScanner(Cluster* cluster, const TableName& table, const Scan& scan)
    : cluster_(cluster),
      table_(table),
      scan_(scan),
      rows_left_(scan.row_limit < 0 ? std::numeric_limits<int64_t>::max() : scan.row_limit),
      navigator_(scan.navigator == nullptr ? nullptr : scan.navigator->Clone()) {}

TableScanner::~TableScanner() { CloseRegion(); }

Status TableScanner::Open() {
  return cluster_->Retry(table_, [this] { return OpenRegion(0); });
}

void TableScanner::CloseRegion() {
  if (!scanner_id_.has_value()) return;
  pb::ScanRequest request;
  request.set_scanner_id(*scanner_id_);
  request.set_close_scanner(true);
  request.set_number_of_rows(0);
  scanner_id_.reset();
  // Nothing hangs on it.
  static_cast<void>(cluster_->CallRegion(*region_, "Scan", request, {}));
}

void TableScanner::RestartAt(ByteView row, bool inclusive) {
  CloseRegion();
  scan_.range.start = row;
  scan_.range.start_inclusive = inclusive;
  region_ = nullptr;
}

CallOutcome TableScanner::OpenRegion(size_t row_limit) {
  if (region_ == nullptr) {
    auto regions = cluster_->Regions(table_);
    if (!regions.ok()) return OutcomeOf(std::move(regions).status());
    regions_ = *std::move(regions);
    const bool from_end = scan_.reversed && scan_.range.start.empty();
    if (from_end && !regions_->all().empty()) {
      region_ = &regions_->all().back();
    } else {
      region_ = regions_->Find(scan_.range.start);
      // A reversed scan from before a region's first row begins in the region before it.
      if (scan_.reversed && region_ != nullptr && !scan_.range.start_inclusive &&
          region_->info.start_key == scan_.range.start && regions_->IndexOf(region_) > 0) {
        --region_;
      }
    }
    if (region_ == nullptr) return OutcomeOf(HoleIn(table_));
  }
  pb::ScanRequest request;
  SetRegion(*region_, request.mutable_region());
  CallOutcome outcome;
  outcome.status = rpc::WriteScan(scan_, request.mutable_scan());
  if (!outcome.status.ok()) return outcome;
  uint64_t bytes = cluster_->options().scan_bytes_max;
  if (scan_.max_result_bytes > 0) {
    bytes = std::min(bytes, static_cast<uint64_t>(scan_.max_result_bytes));
  }
  request.mutable_scan()->set_max_result_size(bytes);
  request.mutable_scan()->set_allow_partial_results(scan_.allow_partial_results);
  request.set_number_of_rows(static_cast<uint32_t>(row_limit));
  request.set_client_handles_partials(true);
  request.set_client_handles_heartbeats(true);
  request.set_track_scan_metrics(scan_.track_metrics);
  LimitRows(&request);
  ++metrics_.calls;
  outcome = cluster_->CallRegion(*region_, "Scan", request, {});
  if (!outcome.status.ok()) {
    if (outcome.remedy == rpc::Remedy::kRelocate) region_ = nullptr;
    return outcome;
  }
  pb::ScanResponse response;
  outcome.status = outcome.answer.Parse(&response);
  if (!outcome.status.ok()) return outcome;
  scanner_id_ = response.scanner_id();
  next_call_ = 0;
  if (row_limit == 0) return outcome;
  return Take(std::move(outcome.answer), &response);
}

void TableScanner::LimitRows(pb::ScanRequest* request) const {
  const bool counts = scan_.row_limit > 0 && navigator_ == nullptr && TakesWholeRows();
  if (!counts || rows_left_ <= 0 || rows_left_ > std::numeric_limits<int32_t>::max()) return;
  request->set_limit_of_rows(static_cast<uint32_t>(rows_left_));
}

CallOutcome TableScanner::FetchOnce(size_t row_limit) {
  if (!scanner_id_.has_value()) return OpenRegion(row_limit);
  pb::ScanRequest request;
  request.set_scanner_id(*scanner_id_);
  request.set_number_of_rows(static_cast<uint32_t>(row_limit));
  request.set_next_call_seq(next_call_);
  request.set_client_handles_partials(true);
  request.set_client_handles_heartbeats(true);
  request.set_track_scan_metrics(scan_.track_metrics);
  LimitRows(&request);
  ++metrics_.calls;
  CallOutcome outcome = cluster_->CallRegion(*region_, "Scan", request, {});
  if (outcome.status.ok()) {
    ++next_call_;
    pb::ScanResponse response;
    outcome.status = outcome.answer.Parse(&response);
    if (!outcome.status.ok()) return outcome;
    return Take(std::move(outcome.answer), &response);
  }
  // The scanner's lease ran out, its region moved or its server died: on behind the last row.
  const bool lost =
      outcome.remedy == rpc::Remedy::kRelocate || outcome.status.code() == StatusCode::kNotFound;
  if (!lost) return outcome;
  scanner_id_.reset();
  outcome.remedy = rpc::Remedy::kRelocate;
  open_row_.clear();
  if (last_row_.empty()) {
    region_ = nullptr;
  } else {
    cells_to_skip_ = last_row_whole_ || TakesWholeRows() ? 0 : cells_of_last_row_;
    RestartAt(last_row_, !last_row_whole_);
  }
  cells_of_last_row_ = 0;
  return outcome;
}

CallOutcome TableScanner::Take(Answer answer, pb::ScanResponse* response) {
  CallOutcome outcome;
  chunks_.push_back(std::make_unique<Chunk>(std::move(answer)));
  ResultReader& reader = chunks_.back()->reader;
  for (const auto& metric : response->scan_metrics().metrics()) {
    const auto count = static_cast<uint64_t>(std::max<int64_t>(metric.value(), 0));
    if (metric.name() == "ROWS_SCANNED") metrics_.rows_touched += count;
    if (metric.name() == "ROWS_FILTERED") metrics_.rows_filtered += count;
  }
  std::vector<Cell> cells;
  const int in_block = response->cells_per_result_size();
  const int count = in_block > 0 ? in_block : response->results_size();
  for (int i = 0; i < count; ++i) {
    cells.clear();
    outcome.status = in_block > 0 ? reader.ReadBlock(response->cells_per_result(i), &cells)
                                  : reader.Read(response->results(i), &cells);
    if (!outcome.status.ok()) return outcome;
    const bool goes_on = i < response->partial_flag_per_result_size()
                             ? response->partial_flag_per_result(i)
                             : in_block == 0 && response->results(i).partial();
    if (!cells.empty()) AddPart(cells.data(), cells.size(), goes_on);
  }
  if (response->has_more_results() && !response->more_results()) {
    FinishRow();
    scanner_id_.reset();
    ended_ = true;
  } else if (response->has_more_results_in_region() && !response->more_results_in_region()) {
    FinishRow();
    scanner_id_.reset();  // the server closed it
    MoveToNextRegion();
  }
  return outcome;
}

void TableScanner::AddPart(const Cell* cells, size_t count, bool goes_on) {
  metrics_.cells_seen += count;
  const ByteView row = cells[0].row();
  if (row != last_row_) {
    FinishRow();
    last_row_ = row;
    cells_of_last_row_ = 0;
    cells_to_skip_ = 0;
  }
  last_row_whole_ = !goes_on;
  cells_of_last_row_ += count;
  if (cells_to_skip_ > 0) {
    const size_t skipped = std::min<uint64_t>(cells_to_skip_, count);
    cells_to_skip_ -= skipped;
    cells += skipped;
    count -= skipped;
    if (count == 0) return;
  }
  if (TakesWholeRows()) {
    open_row_.insert(open_row_.end(), cells, cells + count);
    if (!goes_on) FinishRow();
    return;
  }
  rows_.row_starts.push_back(static_cast<uint32_t>(rows_.cells.size()));
  rows_.cells.insert(rows_.cells.end(), cells, cells + count);
  if (goes_on) rows_.partial_rows.push_back(static_cast<uint32_t>(rows_.row_starts.size() - 1));
}

void TableScanner::FinishRow() {
  last_row_whole_ = true;
  if (open_row_.empty()) return;
  rows_.row_starts.push_back(static_cast<uint32_t>(rows_.cells.size()));
  rows_.cells.insert(rows_.cells.end(), open_row_.begin(), open_row_.end());
  open_row_.clear();
}

void TableScanner::MoveToNextRegion() {
  const RowRange& range = scan_.range;
  const Bytes border = scan_.reversed ? region_->info.start_key : region_->info.end_key;
  bool over = border.empty();
  if (!over && !range.stop.empty()) {
    over = scan_.reversed ? border < range.stop || (border == range.stop && !range.stop_inclusive)
                          : border > range.stop || (border == range.stop && !range.stop_inclusive);
    // The border itself is not in what is left of a reversed scan.
    if (scan_.reversed && border == range.stop) over = true;
  }
  if (over) {
    ended_ = true;
    return;
  }
  scan_.range.start = border;
  scan_.range.start_inclusive = !scan_.reversed;
  const size_t index = regions_->IndexOf(region_);
  const auto& all = regions_->all();
  // The neighbour, if the list has no hole there; else it is looked up.
  if (scan_.reversed) {
    region_ = index > 0 && all[index - 1].info.end_key == border ? &all[index - 1] : nullptr;
  } else {
    const bool follows = index + 1 < all.size() && all[index + 1].info.start_key == border;
    region_ = follows ? &all[index + 1] : nullptr;
  }
}

Status TableScanner::Fetch(size_t row_limit) {
  while (!ended_ && rows_.row_count() == 0) {
    RETURN_IF_ERROR(cluster_->Retry(table_, [&] { return FetchOnce(row_limit); }));
  }
  return Status::Ok();
}

void TableScanner::HandOut(CellBatch* batch) {
  const uint32_t begin = rows_.row_starts[next_row_];
  const uint32_t end = rows_.row_end(next_row_);
  const bool goes_on = rows_.row_goes_on(next_row_);
  ++next_row_;
  if (navigator_ != nullptr) {
    const ByteView row = rows_.cells[begin].row();
    Bytes seek_row;
    switch (navigator_->Navigate(row, &seek_row)) {
      case RowNavigator::Decision::kInclude: break;
      case RowNavigator::Decision::kDone:
        CloseRegion();
        ended_ = true;
        next_row_ = rows_.row_count();
        return;
      case RowNavigator::Decision::kSeek:
        ++metrics_.seeks;
        while (next_row_ < rows_.row_count() &&
               rows_.cells[rows_.row_starts[next_row_]].row() < seek_row) {
          ++next_row_;
        }
        if (next_row_ == rows_.row_count() && !ended_ && seek_row > scan_.range.start) {
          open_row_.clear();
          last_row_.clear();
          RestartAt(seek_row, true);
        }
        return;
    }
  }
  batch->row_starts.push_back(static_cast<uint32_t>(batch->cells.size()));
  batch->cells.insert(batch->cells.end(), &rows_.cells[begin], &rows_.cells[begin] + (end - begin));
  if (goes_on) {
    batch->partial_rows.push_back(static_cast<uint32_t>(batch->row_starts.size() - 1));
  } else {
    --rows_left_;
    ++metrics_.rows;
  }
}

Status TableScanner::Next(size_t row_limit, CellBatch* batch) {
  batch->Clear();
  while (batch->row_count() == 0 && rows_left_ > 0) {
    if (next_row_ >= rows_.row_count()) {
      rows_.Clear();
      next_row_ = 0;
      // What was handed out before may go; the begin of a row points into what came.
      if (open_row_.empty()) chunks_.clear();
      if (ended_) break;
      const auto most = std::min<uint64_t>(
          {row_limit, static_cast<uint64_t>(rows_left_), std::numeric_limits<int32_t>::max()});
      RETURN_IF_ERROR(Fetch(static_cast<size_t>(std::max<uint64_t>(most, 1))));
      if (rows_.row_count() == 0) break;
    }
    while (next_row_ < rows_.row_count() && batch->row_count() < row_limit && rows_left_ > 0) {
      HandOut(batch);
    }
  }
  if (rows_left_ <= 0) CloseRegion();
  return Status::Ok();
}

}  // namespace bennu::client
