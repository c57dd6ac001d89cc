#include "src/client/table_scanner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/base/status_macros.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

namespace {

// A scan for at most so many rows has them with its first answer, as a rule.
constexpr int64_t kSmallRowLimit = 1000;
// What a scan that a navigator steers asks for at once: it may jump after any row.
constexpr int64_t kSteeredRows = 1000;

CallOutcome Ok() { return {}; }

CallOutcome Refused(Status status) {
  CallOutcome outcome;
  outcome.status = std::move(status);
  return outcome;
}

void CloseAtServer(Channel* channel, uint64_t scanner_id, std::chrono::milliseconds timeout) {
  pb::ScanRequest request;
  request.set_scanner_id(scanner_id);
  request.set_close_scanner(true);
  request.set_number_of_rows(0);
  // Nothing hangs on it: a lease ends what stays open.
  channel->Start("Scan", request, {}, timeout, [](const CallOutcome&) {});
}

// Whether the answer leaves a scanner open at its server; 'known': its id, if it was open before.
std::optional<uint64_t> OpenAfter(const Answer& answer, std::optional<uint64_t> known) {
  pb::ScanResponse response;
  if (!answer.Parse(&response).ok()) return {};
  const bool ended = (response.has_more_results() && !response.more_results()) ||
                     (response.has_more_results_in_region() && !response.more_results_in_region());
  if (ended) return {};
  return response.has_scanner_id() ? response.scanner_id() : known;
}

}  // namespace

TableScanner::TableScanner(Cluster* cluster, const TableName& table, const Scan& scan)
    : cluster_(cluster),
      table_(table),
      scan_(scan),
      rows_left_(scan.row_limit < 0 ? std::numeric_limits<int64_t>::max() : scan.row_limit),
      navigator_(scan.navigator == nullptr ? nullptr : scan.navigator->Clone()),
      reads_ahead_(navigator_ == nullptr && rows_left_ > kSmallRowLimit),
      assembler_(scan) {}

TableScanner::~TableScanner() { LeaveRegion(); }

Status TableScanner::Open() {
  if (rows_left_ == 0) return Status::Ok();
  const Bytes row = scan_.range.start;
  Operation operation(cluster_->options(), table_, row);
  return Cluster::Retry(&operation, [&] { return FetchOnce(&operation); });
}

void TableScanner::LeaveRegion() {
  const auto timeout = cluster_->options().call_timeout;
  if (under_way_ != nullptr) {
    // Not the channel itself: it would stay open for the sake of a call that nobody waits for.
    under_way_->Leave([channel = std::weak_ptr<Channel>(channel_), known = scanner_id_,
                       timeout](const CallOutcome& outcome) {
      const auto id = outcome.status.ok() ? OpenAfter(outcome.answer, known) : std::nullopt;
      const std::shared_ptr<Channel> still_there = channel.lock();
      if (id.has_value() && still_there != nullptr) CloseAtServer(still_there.get(), *id, timeout);
    });
    under_way_.reset();
  } else if (scanner_id_.has_value()) {
    CloseAtServer(channel_.get(), *scanner_id_, timeout);
  }
  scanner_id_.reset();
  region_ = nullptr;
}

bool TableScanner::CountsRows() const {
  return scan_.row_limit > 0 && navigator_ == nullptr && assembler_.hands_out_whole_rows();
}

int64_t TableScanner::RowsToAsk() const {
  const auto here = static_cast<int64_t>(rows_.row_count() - next_row_);
  // Of parts of rows nobody knows how many rows they will be.
  const int64_t wanted = assembler_.hands_out_whole_rows() ? rows_left_ - here : rows_left_;
  return std::min<int64_t>(
      wanted, navigator_ == nullptr ? std::numeric_limits<int32_t>::max() : kSteeredRows);
}

CallOutcome TableScanner::FindRegion(Operation* operation) {
  const RowRange& range = scan_.range;
  // A reversed scan begins at the end, or just before a row that it does not include.
  const bool before = scan_.reversed && (range.start.empty() || !range.start_inclusive);
  auto found = before ? cluster_->FindBefore(table_, range.start, *operation)
                      : cluster_->Find(table_, range.start, *operation);
  if (!found.ok()) return OutcomeOf(std::move(found).status());
  region_ = *std::move(found);
  return Ok();
}

Status TableScanner::WriteOpening(pb::ScanRequest* request) const {
  SetRegion(*region_, request->mutable_region());
  pb::Scan* const scan = request->mutable_scan();
  RETURN_IF_ERROR(rpc::WriteScan(scan_, scan));
  uint64_t bytes = cluster_->options().scan_bytes_max;
  if (scan_.max_result_bytes > 0) {
    bytes = std::min(bytes, static_cast<uint64_t>(scan_.max_result_bytes));
  }
  scan->set_max_result_size(bytes);
  scan->set_allow_partial_results(scan_.allow_partial_results);
  // The rest of a row is read as of the same moment as its begin.
  if (assembler_.in_a_row() && read_point_region_ == region_->name) {
    scan->set_mvcc_read_point(read_point_);
  }
  return Status::Ok();
}

Status TableScanner::StartCall(std::chrono::milliseconds timeout) {
  pb::ScanRequest request;
  if (scanner_id_.has_value()) {
    request.set_scanner_id(*scanner_id_);
    request.set_next_call_seq(next_call_);
  } else {
    RETURN_IF_ERROR(WriteOpening(&request));
  }
  const int64_t rows = RowsToAsk();
  request.set_number_of_rows(static_cast<uint32_t>(rows));
  request.set_client_handles_partials(true);
  request.set_client_handles_heartbeats(true);
  request.set_track_scan_metrics(scan_.track_metrics);
  // So that the server looks at no row behind the last one, and closes its scanner there.
  if (CountsRows()) request.set_limit_of_rows(static_cast<uint32_t>(rows));
  ++metrics_.calls;
  channel_ = cluster_->ChannelTo(*region_);
  under_way_ = std::make_unique<PendingCall>();
  channel_->Start("Scan", request, {}, timeout, under_way_->done());
  return Status::Ok();
}

void TableScanner::ReadAhead() {
  if (!reads_ahead_ || ended_ || under_way_ != nullptr || RowsToAsk() <= 0) return;
  if (region_ == nullptr) {
    region_ = cluster_->FindKnown(table_, scan_.range.start, scan_.reversed);
    if (region_ == nullptr) return;
  }
  // What cannot be asked was refused when the scan was opened.
  static_cast<void>(StartCall(cluster_->options().call_timeout));
}

CallOutcome TableScanner::FetchOnce(Operation* operation) {
  if (under_way_ == nullptr) {
    if (region_ == nullptr) {
      CallOutcome found = FindRegion(operation);
      if (!found.status.ok()) return found;
    }
    Status started = StartCall(operation->CallTimeout());
    if (!started.ok()) return Refused(std::move(started));
  }
  operation->SetPlace(region_->name, *region_->server);
  CallOutcome outcome = under_way_->Wait();
  under_way_.reset();
  if (outcome.status.ok()) return Take(std::move(outcome.answer));
  Recover(&outcome);
  return outcome;
}

void TableScanner::Recover(CallOutcome* outcome) {
  cluster_->Correct(region_, *outcome);
  const bool lost =
      outcome->remedy == rpc::Remedy::kRelocate || outcome->remedy == rpc::Remedy::kReopen;
  if (!lost) return;
  scanner_id_.reset();
  region_ = nullptr;
  RowRange* const range = &scan_.range;
  if (!assembler_.GoOn(range)) return;
  // Behind the last row that was asked for there is nothing.
  if (!range->start_inclusive && !range->stop.empty() && range->start == range->stop) ended_ = true;
  if (ended_) *outcome = Ok();
}

void TableScanner::CountMetrics(const pb::ScanResponse& response) {
  for (const auto& metric : response.scan_metrics().metrics()) {
    const auto count = static_cast<uint64_t>(std::max<int64_t>(metric.value(), 0));
    if (metric.name() == "ROWS_SCANNED") metrics_.rows_touched += count;
    if (metric.name() == "ROWS_FILTERED") metrics_.rows_filtered += count;
  }
}

CallOutcome TableScanner::Take(Answer answer) {
  pb::ScanResponse response;
  if (Status parsed = answer.Parse(&response); !parsed.ok()) return Refused(std::move(parsed));
  if (scanner_id_.has_value()) {
    ++next_call_;
  } else {
    scanner_id_ = response.scanner_id();
    next_call_ = 0;
    read_point_ = response.mvcc_read_point();
    read_point_region_ = region_->name;
  }
  CountMetrics(response);
  chunks_.push_back(std::make_unique<Chunk>(std::move(answer)));
  ResultReader& reader = chunks_.back()->reader;
  const int in_block = response.cells_per_result_size();
  const int count = in_block > 0 ? in_block : response.results_size();
  for (int i = 0; i < count; ++i) {
    const size_t begin = rows_.cells.size();
    Status read = in_block > 0 ? reader.ReadBlock(response.cells_per_result(i), &rows_.cells)
                               : reader.Read(response.results(i), &rows_.cells);
    if (!read.ok()) return Refused(std::move(read));
    metrics_.cells_seen += rows_.cells.size() - begin;
    const bool goes_on = i < response.partial_flag_per_result_size()
                             ? response.partial_flag_per_result(i)
                             : in_block == 0 && response.results(i).partial();
    assembler_.Add(begin, goes_on, &rows_);
  }
  assembler_.EndAnswer();
  if (response.has_more_results() && !response.more_results()) {
    assembler_.EndRow(&rows_);
    scanner_id_.reset();  // the server closed it
    ended_ = true;
  } else if (response.has_more_results_in_region() && !response.more_results_in_region()) {
    assembler_.EndRow(&rows_);
    scanner_id_.reset();  // likewise
    MoveToNextRegion();
  }
  return Ok();
}

void TableScanner::MoveToNextRegion() {
  const RowRange& range = scan_.range;
  const Bytes border = scan_.reversed ? region_->info.start_key : region_->info.end_key;
  region_ = nullptr;
  bool over = border.empty();
  if (!over && !range.stop.empty()) {
    // The border itself is not in what is left of a reversed scan.
    over = scan_.reversed ? border <= range.stop
                          : border > range.stop || (border == range.stop && !range.stop_inclusive);
  }
  if (over) {
    ended_ = true;
    return;
  }
  scan_.range.start = border;
  scan_.range.start_inclusive = !scan_.reversed;
  assembler_.Leave();
}

Status TableScanner::Fetch() {
  while (!ended_ && rows_.row_count() == 0) {
    const Bytes row = scan_.range.start;
    Operation operation(cluster_->options(), table_, row);
    RETURN_IF_ERROR(Cluster::Retry(&operation, [&] { return FetchOnce(&operation); }));
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
        LeaveRegion();
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
          assembler_.Leave();
          LeaveRegion();
          scan_.range.start = seek_row;
          scan_.range.start_inclusive = true;
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

bool TableScanner::HandOutAll(size_t row_limit, CellBatch* batch) {
  const size_t count = rows_.row_count();
  if (navigator_ != nullptr || next_row_ > 0 || count > row_limit ||
      static_cast<int64_t>(count) > rows_left_) {
    return false;
  }
  std::swap(*batch, rows_);
  rows_.Clear();
  const size_t whole = count - batch->partial_rows.size();
  rows_left_ -= static_cast<int64_t>(whole);
  metrics_.rows += whole;
  return true;
}

Status TableScanner::Next(size_t row_limit, CellBatch* batch) {
  batch->Clear();
  while (batch->row_count() == 0 && rows_left_ > 0) {
    if (next_row_ >= rows_.row_count()) {
      rows_.Clear();
      next_row_ = 0;
      // What was handed out before may go; the begin of a row points into what came.
      if (!assembler_.has_open_row()) chunks_.clear();
      if (ended_) break;
      RETURN_IF_ERROR(Fetch());
      if (rows_.row_count() == 0) break;
    }
    if (under_way_ == nullptr) ReadAhead();
    if (HandOutAll(row_limit, batch)) break;
    while (next_row_ < rows_.row_count() && batch->row_count() < row_limit && rows_left_ > 0) {
      HandOut(batch);
    }
  }
  if (rows_left_ <= 0) LeaveRegion();
  return Status::Ok();
}

}  // namespace bennu::client
