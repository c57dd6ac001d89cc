#include "src/engine/core/work_log.h"

#include <utility>

namespace bennu::engine {

uint64_t WorkLog::Begin(WorkItem item) {
  item.start_millis = env_->NowMillis();
  const uint64_t now = env_->MonotonicNanos();
  MutexLock lock(&mu_);
  running_[next_] = {std::move(item), now};
  return next_++;
}

void WorkLog::End(uint64_t number, std::string error) {
  const uint64_t now = env_->MonotonicNanos();
  MutexLock lock(&mu_);
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  WorkItem item = std::move(found->second.item);
  item.nanos = now - found->second.at_nanos;
  item.error = std::move(error);
  running_.erase(found);
  const bool idle = item.kind != WorkItem::Kind::kFlush && item.nanos < kWorthTelling;
  if (idle && item.error.empty()) return;
  ended_.push_front(std::move(item));
  if (ended_.size() > kEndedMax) ended_.pop_back();
}

std::vector<WorkItem> WorkLog::Running() const {
  const uint64_t now = env_->MonotonicNanos();
  std::vector<WorkItem> items;
  MutexLock lock(&mu_);
  for (const auto& [number, begun] : running_) {
    WorkItem& item = items.emplace_back(begun.item);
    item.nanos = now > begun.at_nanos ? now - begun.at_nanos : 0;
  }
  return items;
}

std::vector<WorkItem> WorkLog::Ended() const {
  MutexLock lock(&mu_);
  return {ended_.begin(), ended_.end()};
}

}  // namespace bennu::engine
