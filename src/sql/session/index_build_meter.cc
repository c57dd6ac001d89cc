#include "src/sql/session/index_build_meter.h"

#include <utility>

namespace bennu::sql::session {

IndexBuildMeter::Build::Build(IndexBuildMeter* meter, RunningIndexBuild what)
    : meter_(meter), what_(std::move(what)) {
  MutexLock lock(&meter_->mu_);
  number_ = ++meter_->begun_;
  meter_->running_.insert(this);
}

IndexBuildMeter::Build::~Build() {
  if (!ended_) End(Status(StatusCode::kInternal, "it ended in between"));
}

void IndexBuildMeter::Build::End(const Status& status) {
  ended_ = true;
  MutexLock lock(&meter_->mu_);
  meter_->running_.erase(this);
  IndexBuildCounts& counts = meter_->ended_;
  counts.rows += rows_.load(std::memory_order_relaxed);
  const bool cancelled = status.code() == StatusCode::kCancelled;
  ++(status.ok() ? counts.completed : cancelled ? counts.cancelled : counts.failed);
}

IndexBuildCounts IndexBuildMeter::Read() const {
  MutexLock lock(&mu_);
  IndexBuildCounts counts = ended_;
  for (const Build* const build : running_) {
    RunningIndexBuild running = build->what_;
    running.rows = build->rows_.load(std::memory_order_relaxed);
    counts.rows += running.rows;
    counts.running.push_back(std::move(running));
  }
  return counts;
}

}  // namespace bennu::sql::session
