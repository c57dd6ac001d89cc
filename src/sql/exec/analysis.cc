#include "src/sql/exec/analysis.h"

#include <algorithm>

#include <fmt/format.h>
#include "src/base/env.h"
#include "src/sql/exec/operator.h"

namespace bennu::sql::exec {
namespace {

// What the measured operators inside the one that runs on this thread have taken so far.
thread_local uint64_t t_inner_nanos = 0;

class MeasuredOperator : public Operator {
 public:
  MeasuredOperator(std::unique_ptr<Operator> child, Step* step)
      : child_(std::move(child)), step_(step) {}

  Status Next(DataChunk* chunk) override {
    const StepTimer timer(step_);
    const Status status = child_->Next(chunk);
    if (status.ok()) step_->AddRows(chunk->size);
    return status;
  }

 private:
  const std::unique_ptr<Operator> child_;
  Step* const step_;
};

}  // namespace

void Step::AddScanner(const Scanner::Metrics& metrics) {
  MutexLock lock(&mu_);
  ++scanners_;
  scanned_.rows += metrics.rows;
  scanned_.cells_seen += metrics.cells_seen;
  scanned_.blocks_read += metrics.blocks_read;
  scanned_.blocks_cached += metrics.blocks_cached;
  scanned_.files_opened += metrics.files_opened;
  scanned_.files_skipped_by_time += metrics.files_skipped_by_time;
  scanned_.files_skipped_by_bloom += metrics.files_skipped_by_bloom;
  scanned_.files_skipped_by_key += metrics.files_skipped_by_key;
  scanned_.seeks += metrics.seeks;
}

void Step::SetJoinKeys(uint64_t points, uint64_t ranges) {
  MutexLock lock(&mu_);
  join_points_ = points;
  join_ranges_ = ranges;
}

void Step::NoteMemory(uint64_t bytes) {
  uint64_t most = memory_.load(std::memory_order_relaxed);
  while (bytes > most && !memory_.compare_exchange_weak(most, bytes, std::memory_order_relaxed)) {
  }
}

std::string Step::Text() const {
  std::string text = fmt::format("(rows={}, time={:.3f} ms", rows_.load(),
                                 static_cast<double>(nanos_.load()) / 1e6);
  if (memory_ > 0) text += fmt::format(", memory={} bytes", memory_.load());
  return text + ")";
}

std::vector<std::string> Step::ScanTexts() const {
  MutexLock lock(&mu_);
  std::vector<std::string> lines;
  if (join_points_ + join_ranges_ > 0) {
    lines.push_back(
        fmt::format("KEYS FROM JOINS: {} POINTS, {} RANGES", join_points_, join_ranges_));
  }
  lines.push_back(fmt::format("READ {} ROWS, {} CELLS, {} BYTES BY {} SCANNERS", scanned_.rows,
                              scanned_.cells_seen, bytes_.load(), scanners_));
  lines.push_back(
      fmt::format("FILES {} READ, {} SKIPPED BY TIME RANGE, {} BY BLOOM FILTER, {} BY KEY RANGE",
                  scanned_.files_opened, scanned_.files_skipped_by_time,
                  scanned_.files_skipped_by_bloom, scanned_.files_skipped_by_key));
  lines.push_back(fmt::format("BLOCKS {} FROM DISK, {} FROM CACHE, {} AS COLUMNS; SEEKS {} BY HINT",
                              scanned_.blocks_read, scanned_.blocks_cached, column_blocks_.load(),
                              scanned_.seeks));
  return lines;
}

Step* Analysis::At(const void* node, StepKind kind) {
  MutexLock lock(&mu_);
  std::unique_ptr<Step>& step = steps_[{node, kind}];
  if (step == nullptr) step = std::make_unique<Step>();
  return step.get();
}

const Step* Analysis::Find(const void* node, StepKind kind) const {
  MutexLock lock(&mu_);
  const auto found = steps_.find({node, kind});
  return found == steps_.end() ? nullptr : found->second.get();
}

StepTimer::StepTimer(Step* step) : step_(step) {
  if (step_ == nullptr) return;
  outer_ = t_inner_nanos;
  t_inner_nanos = 0;
  start_ = Env::Default()->MonotonicNanos();
}

StepTimer::~StepTimer() {
  if (step_ == nullptr) return;
  const uint64_t took = Env::Default()->MonotonicNanos() - start_;
  step_->AddNanos(took - std::min(took, t_inner_nanos));
  t_inner_nanos = outer_ + took;
}

std::unique_ptr<Operator> Measure(std::unique_ptr<Operator> child, Step* step) {
  if (step == nullptr || child == nullptr) return child;
  return std::make_unique<MeasuredOperator>(std::move(child), step);
}

std::string StepSuffix(const Step* step) { return step == nullptr ? "" : " " + step->Text(); }

}  // namespace bennu::sql::exec
