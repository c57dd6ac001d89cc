#include "src/server/hbase/scanners.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cell/heap_size.h"
#include "src/server/net/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// Rows asked of the store at a time, so that the clock is looked at in between.
constexpr size_t kRowsAtATime = 1024;

void AddMetric(pb::ScanMetrics* metrics, const char* name, uint64_t value) {
  pb::NameInt64Pair* const pair = metrics->add_metrics();
  pair->set_name(name);
  pair->set_value(static_cast<int64_t>(value));
}

// A last row that was to go on has not: the region's end came, and a filter took the rest.
void EndLastRow(pb::ScanResponse* response) {
  if (const int results = response->results_size(); results > 0) {
    response->mutable_results(results - 1)->set_partial(false);
  } else {
    response->set_partial_flag_per_result(response->partial_flag_per_result_size() - 1, false);
  }
}

}  // namespace

RegionScan::RegionScan(ServedRegionPtr region, ReadMoment moment,
                       std::unique_ptr<engine::PausableScanner> scanner, uint64_t result_bytes_max)
    : region_(std::move(region)),
      moment_(std::move(moment)),
      scanner_(std::move(scanner)),
      result_bytes_max_(result_bytes_max) {
  if (scanner_ != nullptr) scanner_->SetPause(&deadline_);
}

Status RegionScan::FetchMore(size_t row_limit, bool* any, bool* paused) {
  *any = true;
  if (next_row_ < rows_.row_count()) return Status::Ok();
  next_row_ = 0;
  deadline_.Continue();
  RETURN_IF_ERROR(scanner_->Next(row_limit, &rows_));
  *any = rows_.row_count() > 0;
  if (*any || !deadline_.stopped().has_value()) return Status::Ok();
  *any = true;
  *paused = true;
  return Status::Ok();
}

Status RegionScan::Fill(const Limits& limits, const rpc::ResultWriter& writer,
                        pb::ScanResponse* response) {
  uint64_t bytes = 0;
  uint32_t rows = 0;
  uint32_t whole_rows = 0;
  bool more_in_region = true;
  bool all_rows_sent = false;
  bool late = false;
  bool no_memory = false;  // for the next row; it is kept for the next call
  bool paused = false;
  bool goes_on = false;  // the row of the last result, as that tells
  deadline_.Arm(limits.heartbeats ? std::optional(limits.deadline) : std::nullopt);
  while (rows < limits.rows && bytes < result_bytes_max_ && !all_rows_sent && !no_memory) {
    size_t wanted = std::min<size_t>(limits.rows - rows, kRowsAtATime);
    if (limits.whole_rows > 0) wanted = std::min<size_t>(wanted, limits.whole_rows - whole_rows);
    RETURN_IF_ERROR(FetchMore(wanted, &more_in_region, &paused));
    late = paused;
    if (!more_in_region || late) break;
    for (; next_row_ < rows_.row_count() && rows < limits.rows && bytes < result_bytes_max_ &&
           !all_rows_sent;
         ++next_row_, ++rows) {
      const uint32_t begin = rows_.row_starts[next_row_];
      // A row that was to go on has not: a filter took what was left.
      if (!open_row_.empty() && ByteView(open_row_) != rows_.cells[begin].row()) {
        open_row_.clear();
        ++whole_rows;
        all_rows_sent = limits.whole_rows > 0 && whole_rows >= limits.whole_rows;
        if (all_rows_sent) break;
      }
      const uint32_t count = rows_.row_end(next_row_) - begin;
      goes_on = rows_.row_goes_on(next_row_);
      const Cell* const cells = &rows_.cells[begin];
      if (limits.reserve && !limits.reserve(cells, count)) {
        no_memory = true;
        break;
      }
      if (writer.in_block()) {
        writer.AddToBlock(cells, count);
        response->add_cells_per_result(count);
        response->add_partial_flag_per_result(goes_on);
      } else {
        pb::Result* const result = response->add_results();
        writer.Add(cells, count, result);
        result->set_partial(goes_on);
      }
      for (uint32_t i = 0; i < count; ++i) bytes += static_cast<uint64_t>(HeapSize(cells[i]));
      open_row_.clear();
      if (!goes_on) {
        ++whole_rows;
      } else if (limits.whole_rows > 0) {
        open_row_.assign(cells[0].row());
      }
      if (limits.cursor) last_row_.assign(cells[0].row());
      all_rows_sent = limits.whole_rows > 0 && whole_rows >= limits.whole_rows;
    }
    if (net::MonotonicNow() > limits.deadline) {
      late = limits.heartbeats;
      if (late) break;
    }
  }
  if (!more_in_region && rows > 0) EndLastRow(response);
  // Whether the region is done is known only when it was asked for one row more. That a row which
  // was to go on has not is told by an answer of its own, as in HBase: clients count rows by it.
  if (more_in_region && rows > 0 && rows == limits.rows && !all_rows_sent && !goes_on) {
    const bool filter_was_done = filter_done();
    RETURN_IF_ERROR(FetchMore(1, &more_in_region, &paused));
    // A filter that ends the scan at a row behind is to be met by the next call, as below.
    if (!more_in_region) more_in_region = filter_done() && !filter_was_done;
  }
  region_->counters->reads.fetch_add(rows, std::memory_order_relaxed);
  // As HBase: a filter that is done ends the whole scan, but not when rows come with the news.
  const bool ended = rows == 0 && !more_in_region && filter_done();
  response->set_more_results(!all_rows_sent && !ended);
  response->set_more_results_in_region(more_in_region);
  if (late && more_in_region && rows < limits.rows) {
    response->set_heartbeat_message(true);
    if (limits.cursor) {
      response->mutable_cursor()->set_row(paused ? *deadline_.stopped() : last_row_);
    }
  }
  if (limits.metrics) {
    const Scanner::Metrics now = scanner_->metrics();
    pb::ScanMetrics* const metrics = response->mutable_scan_metrics();
    AddMetric(metrics, "ROWS_SCANNED", now.RowsScanned() - told_.RowsScanned());
    AddMetric(metrics, "ROWS_FILTERED", now.RowsFiltered() - told_.RowsFiltered());
    AddMetric(metrics, "BLOCK_READ_OPS_COUNT", now.blocks_read - told_.blocks_read);
    told_ = now;
  }
  return Status::Ok();
}

ReadMoment Scanners::Remember(std::shared_ptr<const Snapshot> snapshot) {
  MutexLock lock(&mu_);
  const uint64_t number = ++last_moment_;
  moments_[number] = snapshot;
  return {number, std::move(snapshot)};
}

ReadMoment Scanners::Recall(uint64_t number) {
  MutexLock lock(&mu_);
  const auto found = moments_.find(number);
  return found == moments_.end() ? ReadMoment() : ReadMoment{number, found->second.lock()};
}

uint64_t Scanners::Add(std::unique_ptr<RegionScan> scan, std::string owner) {
  const auto now = net::MonotonicNow();
  MutexLock lock(&mu_);
  while (true) {
    const uint64_t id = Env::Default()->RandomU64();
    const auto [entry, added] = entries_.try_emplace(id);
    if (!added || id == 0) continue;
    entry->second.scan = std::move(scan);
    entry->second.owner = std::move(owner);
    entry->second.expires = now + lease();
    return id;
  }
}

CallError Scanners::Take(uint64_t id, std::string_view user, std::optional<uint64_t> sequence,
                         Use* use) {
  MutexLock lock(&mu_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) {
    return rpc::RemoteError(
        exceptions::kUnknownScanner,
        fmt::format("Unknown scanner '{}'. This can happen due to any of the following reasons: a) "
                    "Scanner id given is wrong, b) Scanner lease expired because of long wait "
                    "between consecutive client checkins, c) Server may be closing down, d) "
                    "RegionServer restart during upgrade.",
                    id));
  }
  Entry& entry = found->second;
  // In the words of HBase's AccessController.
  if (entry.owner != user) {
    return rpc::RemoteError(exceptions::kAccessDenied,
                            fmt::format("User '{}' is not the scanner owner!", user));
  }
  if (sequence.has_value() && *sequence != entry.next_sequence) {
    return rpc::RemoteError(
        exceptions::kOutOfOrderScannerNext,
        fmt::format("Expected nextCallSeq: {} But the nextCallSeq got from client: {}; request=",
                    entry.next_sequence, *sequence));
  }
  if (entry.over) return std::nullopt;
  if (entry.scan == nullptr) {
    return rpc::RemoteError(exceptions::kOutOfOrderScannerNext,
                            fmt::format("scanner {} is in use by another call", id));
  }
  if (sequence.has_value()) ++entry.next_sequence;
  use->counted_ = sequence.has_value();
  use->scan_ = std::move(entry.scan);
  use->id_ = id;
  return std::nullopt;
}

ServedRegionPtr Scanners::RegionOf(uint64_t id) const {
  MutexLock lock(&mu_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.scan == nullptr) return nullptr;
  return found->second.scan->region();
}

void Scanners::Return(Use use) {
  const auto now = net::MonotonicNow();
  MutexLock lock(&mu_);
  const auto found = entries_.find(use.id_);
  if (found == entries_.end()) return;
  found->second.scan = std::move(use.scan_);
  found->second.expires = now + lease();
}

void Scanners::ReturnUnanswered(Use use) {
  {
    MutexLock lock(&mu_);
    const auto found = entries_.find(use.id_);
    if (found != entries_.end() && use.counted_) --found->second.next_sequence;
  }
  Return(std::move(use));
}

void Scanners::Finish(Use use) {
  const auto now = net::MonotonicNow();
  MutexLock lock(&mu_);
  const auto found = entries_.find(use.id_);
  if (found == entries_.end()) return;
  if (!std::exchange(found->second.over, true)) ++over_count_;
  found->second.expires = now + lease();
}

void Scanners::ExpireLeases() {
  const auto now = net::MonotonicNow();
  std::vector<std::unique_ptr<RegionScan>> expired;  // closed without the lock
  MutexLock lock(&mu_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const bool in_use = !entry->second.over && entry->second.scan == nullptr;
    if (in_use || now < entry->second.expires) {
      ++entry;
      continue;
    }
    if (entry->second.over) --over_count_;
    expired.push_back(std::move(entry->second.scan));
    entry = entries_.erase(entry);
  }
  std::erase_if(moments_, [](const auto& moment) { return moment.second.expired(); });
}

size_t Scanners::size() const {
  MutexLock lock(&mu_);
  return entries_.size() - over_count_;
}

}  // namespace bennu::server::hbase
