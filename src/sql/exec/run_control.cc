#include "src/sql/exec/run_control.h"

#include <fmt/format.h>
#include "src/base/env.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

constexpr uint64_t kNanosPerMilli = 1'000'000;
// Longer than anything runs, and far from overflowing nanoseconds.
constexpr int64_t kTimeoutMillisMax = int64_t{1000} * 60 * 60 * 24 * 365;

}  // namespace

void RunControl::Begin(int64_t timeout_millis) {
  constexpr auto kRelaxed = std::memory_order_relaxed;  // threads of the run begin later
  paused_at_ = 0;
  timeout_millis_.store(timeout_millis, kRelaxed);
  const bool bounded = timeout_millis > 0 && timeout_millis < kTimeoutMillisMax;
  const uint64_t deadline = bounded ? Env::Default()->MonotonicNanos() +
                                          static_cast<uint64_t>(timeout_millis) * kNanosPerMilli
                                    : 0;
  deadline_nanos_.store(deadline, kRelaxed);
  rows_read_.store(0, kRelaxed);
  rows_returned_.store(0, kRelaxed);
  morsels_.store(0, kRelaxed);
  morsels_done_.store(0, kRelaxed);
  memory_bytes_.store(0, kRelaxed);
  cancelled_.store(false, kRelaxed);
}

void RunControl::Pause() {
  if (deadline_nanos_ != 0) paused_at_ = Env::Default()->MonotonicNanos();
}

void RunControl::Resume() {
  if (paused_at_ == 0) return;
  deadline_nanos_ += Env::Default()->MonotonicNanos() - paused_at_;
  paused_at_ = 0;
}

Status RunControl::Check() const {
  if (cancelled_.load(std::memory_order_relaxed)) return Cancelled("the statement was cancelled");
  const uint64_t deadline = deadline_nanos_.load(std::memory_order_relaxed);
  if (deadline == 0 || Env::Default()->MonotonicNanos() < deadline) return Status::Ok();
  return MakeSqlError(6000,
                      fmt::format("The statement took longer than phoenix.query.timeoutMs, {} ms.",
                                  timeout_millis_.load()),
                      -1, "raise the timeout, or read less: EXPLAIN ANALYZE shows where time goes");
}

RunControl::Progress RunControl::progress() const {
  Progress progress;
  progress.rows_read = rows_read_;
  progress.rows_returned = rows_returned_;
  progress.morsels = morsels_;
  progress.morsels_done = morsels_done_;
  progress.memory_bytes = memory_bytes_;
  return progress;
}

}  // namespace bennu::sql::exec
