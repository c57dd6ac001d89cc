#include "src/client/table_scanner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/base/status_macros.h"
#include "src/client/replica_get.h"
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

// Closes what those who were asked leave open, when their answers come.
RacedCall::Use TableScanner::CloseUnlessEnded(const std::vector<Asked>& asked,
                                              std::chrono::milliseconds timeout) {
  // Not the channels themselves: they would stay open for the sake of calls that nobody waits for.
  std::vector<std::pair<std::weak_ptr<Channel>, std::optional<uint64_t>>> places;
  places.reserve(asked.size());
  for (const Asked& one : asked) places.emplace_back(one.channel, one.scanner_id);
  return [places = std::move(places), timeout](size_t contender, const CallOutcome& outcome) {
    const auto& [channel, known] = places[contender];
    const auto id = outcome.status.ok() ? OpenAfter(outcome.answer, known) : std::nullopt;
    const std::shared_ptr<Channel> still_there = channel.lock();
    if (id.has_value() && still_there != nullptr) CloseAtServer(still_there.get(), *id, timeout);
  };
}

TableScanner::TableScanner(Cluster* cluster, const TableName& table, const Scan& scan,
                           std::map<std::string, Bytes> attributes)
    : cluster_(cluster),
      table_(table),
      scan_(scan),
      attributes_(std::move(attributes)),
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
    under_way_->Leave(CloseUnlessEnded(asked_, timeout));
    under_way_.reset();
  } else if (scanner_id_.has_value()) {
    CloseAtServer(channel_.get(), *scanner_id_, timeout);
  }
  scanner_id_.reset();
  region_ = nullptr;
  replica_ = nullptr;
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
  auto found = [&]() -> Result<LocationPtr> {
    if (!only_in_.empty()) {
      return cluster_->FindNamed(table_, range.start, before, only_in_, *operation);
    }
    return before ? cluster_->FindBefore(table_, range.start, *operation)
                  : cluster_->Find(table_, range.start, *operation);
  }();
  if (!found.ok()) return OutcomeOf(std::move(found).status());
  region_ = *std::move(found);
  return Ok();
}

Status TableScanner::WriteOpening(const RegionReplica* replica, pb::ScanRequest* request) const {
  const Bytes& name = NameOf(*region_, replica);
  SetRegion(name, request->mutable_region());
  pb::Scan* const scan = request->mutable_scan();
  RETURN_IF_ERROR(rpc::WriteScan(scan_, scan));
  for (const auto& [name, value] : attributes_) {
    auto* const attribute = scan->add_attribute();
    attribute->set_name(name);
    attribute->set_value(value);
  }
  uint64_t bytes = cluster_->options().scan_bytes_max;
  if (scan_.max_result_bytes > 0) {
    bytes = std::min(bytes, static_cast<uint64_t>(scan_.max_result_bytes));
  }
  scan->set_max_result_size(bytes);
  scan->set_allow_partial_results(scan_.allow_partial_results);
  // The rest of a row is read as of the same moment as its begin.
  if (assembler_.in_a_row() && read_point_region_ == name) {
    scan->set_mvcc_read_point(read_point_);
  }
  return Status::Ok();
}

Result<const RegionReplica*> TableScanner::FirstAsked() const {
  if (scanner_id_.has_value()) return replica_;
  if (scan_.replica_id <= 0) return static_cast<const RegionReplica*>(nullptr);
  const RegionReplica* const replica = FindReplica(*region_, scan_.replica_id);
  if (replica == nullptr) return NoReplica(*region_, scan_.replica_id);
  return replica;
}

bool TableScanner::MayAskOthers() const {
  return scan_.consistency == Consistency::kTimeline && scan_.replica_id < 0 &&
         !region_->replicas.empty();
}

Status TableScanner::StartCall(std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(const RegionReplica* const replica, FirstAsked());
  asked_.clear();
  under_way_ = std::make_unique<RacedCall>();
  Status asked = Ask(replica, timeout);
  if (!asked.ok()) under_way_.reset();
  return asked;
}

Status TableScanner::Ask(const RegionReplica* replica, std::chrono::milliseconds timeout) {
  pb::ScanRequest request;
  if (scanner_id_.has_value()) {
    request.set_scanner_id(*scanner_id_);
    request.set_next_call_seq(next_call_);
  } else {
    RETURN_IF_ERROR(WriteOpening(replica, &request));
  }
  const int64_t rows = RowsToAsk();
  request.set_number_of_rows(static_cast<uint32_t>(rows));
  request.set_client_handles_partials(true);
  request.set_client_handles_heartbeats(true);
  request.set_track_scan_metrics(scan_.track_metrics);
  // So that the server looks at no row behind the last one, and closes its scanner there.
  if (CountsRows()) request.set_limit_of_rows(static_cast<uint32_t>(rows));
  ++metrics_.calls;
  asked_.push_back({replica, cluster_->ChannelTo(ServerOf(*region_, replica)), scanner_id_});
  asked_.back().channel->Start("Scan", request, {}, timeout, under_way_->Add());
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
    if (!started.ok()) {
      // A replica that is on no server now may be on one later.
      CallOutcome outcome = OutcomeOf(std::move(started));
      cluster_->Correct(region_, outcome, true);
      Recover(&outcome);
      return outcome;
    }
  }
  operation->SetPlace(region_->name, *region_->server);
  CallOutcome outcome = WaitForAnswer(*operation);
  if (outcome.status.ok()) return ended_ ? std::move(outcome) : Take(std::move(outcome.answer));
  Recover(&outcome);
  return outcome;
}

CallOutcome TableScanner::WaitForAnswer(const Operation& operation) {
  const auto patience = cluster_->options().primary_patience_scan;
  if (MayAskOthers()) {
    if (scanner_id_.has_value() && !under_way_->WaitFor(patience)) {
      // The others do not know that scanner.
      const LocationPtr region = region_;
      LeaveRegion();
      if (!GoOn()) return Ok();
      region_ = region;
      if (Status started = StartCall(operation.CallTimeout()); !started.ok()) {
        return Refused(std::move(started));
      }
    }
    if (!scanner_id_.has_value() && under_way_->WantsOthers(patience)) {
      for (const RegionReplica& replica : region_->replicas) {
        // What can be put to the primary can be put to all.
        static_cast<void>(Ask(&replica, operation.CallTimeout()));
      }
    }
  }
  RacedCall::End end = under_way_->Wait([&](size_t contender, const CallOutcome& failed) {
    cluster_->Correct(region_, failed, asked_[contender].replica != nullptr);
  });
  if (asked_.size() > 1) {
    under_way_->Leave(CloseUnlessEnded(asked_, cluster_->options().call_timeout));
  }
  under_way_.reset();
  replica_ = asked_[end.contender].replica;
  channel_ = asked_[end.contender].channel;
  return std::move(end.outcome);
}

bool TableScanner::GoOn() {
  RowRange* const range = &scan_.range;
  // Behind the last row that was asked for there is nothing.
  ended_ = assembler_.GoOn(range) && !range->start_inclusive && !range->stop.empty() &&
           range->start == range->stop;
  return !ended_;
}

void TableScanner::Recover(CallOutcome* outcome) {
  const bool lost =
      outcome->remedy == rpc::Remedy::kRelocate || outcome->remedy == rpc::Remedy::kReopen;
  if (!lost) return;
  scanner_id_.reset();
  region_ = nullptr;
  replica_ = nullptr;
  if (!GoOn()) *outcome = Ok();
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
    read_point_region_ = NameOf(*region_, replica_);
  }
  CountMetrics(response);
  metrics_.stale |= replica_ != nullptr;
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
  replica_ = nullptr;
  bool over = border.empty() || !only_in_.empty();
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
