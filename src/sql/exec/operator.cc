#include "src/sql/exec/operator.h"

#include <algorithm>

#include <fmt/format.h>
#include "src/api/store_tools.h"
#include "src/base/status_macros.h"
#include "src/base/thread_pool.h"
#include "src/sql/exec/memory_pool.h"
#include "src/sql/exec/run_control.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {

ExecContext::ExecContext(Connection* connection, const RunOptions& options,
                         std::span<const Value> params)
    : connection_(connection),
      options_(options),
      params_(params.begin(), params.end()),
      snapshot_(options.snapshot),
      snapshot_taken_(options.snapshot != nullptr) {}

const std::shared_ptr<const Snapshot>& ExecContext::snapshot() {
  MutexLock lock(&mu_);
  if (!snapshot_taken_) {
    snapshot_ = connection_->TakeSnapshot();
    snapshot_taken_ = true;
  }
  return snapshot_;
}

Status ExecContext::CheckCancelled() const {
  return options_.control == nullptr ? Status::Ok() : options_.control->Check();
}

bool ExecContext::Charge(int64_t bytes) {
  if (options_.control != nullptr) options_.control->AddMemory(bytes);
  const int64_t now = memory_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t peak = memory_peak_.load(std::memory_order_relaxed);
  while (now > peak && !memory_peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  const bool all_fit = options_.memory_pool == nullptr || options_.memory_pool->Add(bytes);
  return bytes <= 0 || (all_fit && now <= static_cast<int64_t>(options_.memory_bytes_max));
}

Status ExecContext::OutOfMemory(std::string_view what) const {
  const int64_t own = memory_bytes_.load(std::memory_order_relaxed);
  const bool of_query = own > static_cast<int64_t>(options_.memory_bytes_max);
  if (of_query || options_.memory_pool == nullptr) {
    return MakeSqlError(999,
                        fmt::format("{} needs more than a query may use: {} of {} bytes.", what,
                                    own, options_.memory_bytes_max),
                        -1,
                        "filter more rows out, add a LIMIT, or raise query_memory_bytes "
                        "(--memory)");
  }
  return MakeSqlError(
      999,
      fmt::format("{} needs more than all queries may use together: {} of {} bytes.", what,
                  options_.memory_pool->used(), options_.memory_pool->bytes_max()),
      -1, "run fewer queries at a time, or raise memory_bytes (--memory)");
}

bool ExecContext::crowded() const {
  return memory_bytes_.load(std::memory_order_relaxed) >
         static_cast<int64_t>(options_.memory_bytes_max / 2);
}

size_t ExecContext::worker_count() const { return ThreadCount(StoreTools::QueryPool(connection_)); }

void ExecContext::CountScan(const Scanner::Metrics& metrics) {
  MutexLock lock(&mu_);
  metrics_.rows_scanned += metrics.rows;
  metrics_.cells_scanned += metrics.cells_seen;
  metrics_.blocks_read += metrics.blocks_read;
  metrics_.blocks_cached += metrics.blocks_cached;
  metrics_.files_opened += metrics.files_opened;
  metrics_.files_skipped +=
      metrics.files_skipped_by_time + metrics.files_skipped_by_bloom + metrics.files_skipped_by_key;
  metrics_.seeks += metrics.seeks;
}

void ExecContext::CountRowsRead(size_t rows) {
  if (options_.control != nullptr) options_.control->AddRowsRead(rows);
}

void ExecContext::CountMorselDone() {
  if (options_.control != nullptr) options_.control->AddMorselDone();
}

void ExecContext::CountMorsels(size_t morsels, size_t threads) {
  if (options_.control != nullptr) options_.control->AddMorsels(morsels);
  MutexLock lock(&mu_);
  metrics_.morsels += morsels;
  metrics_.threads = std::max(metrics_.threads, threads);
}

RowStream::Metrics ExecContext::metrics() const {
  RowStream::Metrics metrics;
  {
    MutexLock lock(&mu_);
    metrics = metrics_;
  }
  metrics.memory_peak_bytes = static_cast<uint64_t>(memory_peak_.load());
  metrics.spilled_bytes = spilled_bytes_;
  return metrics;
}

Status RunMorsels(
    ExecContext* context, Morsels* morsels, size_t workers,
    const std::function<Status(size_t worker, size_t morsel, Operator* source)>& use) {
  const size_t count = morsels->count();
  workers = std::max<size_t>(1, std::min(workers, count));
  context->CountMorsels(count, workers);
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};  // stale reads cost one more morsel
  Mutex mu;
  Status first_error;
  auto work = [&](size_t worker) {
    for (;;) {
      const size_t index = next.fetch_add(1);
      if (index >= count || failed.load(std::memory_order_relaxed)) return;
      auto run = [&]() -> Status {
        ASSIGN_OR_RETURN(std::unique_ptr<Operator> source, morsels->Open(index));
        return use(worker, index, source.get());
      };
      if (Status status = run(); !status.ok()) {
        failed.store(true, std::memory_order_relaxed);
        MutexLock lock(&mu);
        if (first_error.ok()) first_error = std::move(status);
        return;
      }
      context->CountMorselDone();
    }
  };
  if (workers == 1) {
    work(0);
  } else {
    ParallelFor(StoreTools::QueryPool(context->connection()), workers, work);
  }
  return first_error;
}

}  // namespace bennu::sql::exec
