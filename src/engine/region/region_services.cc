#include "src/engine/region/region_services.h"

#include "src/base/no_wait.h"

#include <algorithm>

#include <chrono>

namespace bennu::engine {

int64_t StoreClock::AheadOfTheSystem() {
  constexpr uint64_t kNanosOfAMilli = 2'000'000;  // at half the pace
  const uint64_t nanos = env_->MonotonicNanos();
  MutexLock lock(&mu_);
  const int64_t last = last_.load();
  if (last != came_to_millis_) {  // it was moved on by others
    came_to_millis_ = last;
    came_at_nanos_ = nanos;
  } else if (nanos > came_at_nanos_) {
    const uint64_t millis = (nanos - came_at_nanos_) / kNanosOfAMilli;
    came_to_millis_ += static_cast<int64_t>(millis);
    came_at_nanos_ += millis * kNanosOfAMilli;
    NotBefore(came_to_millis_);
  }
  return std::max(came_to_millis_, last_.load());
}

void WriteGate::Close(const std::string& reason, bool for_good) {
  MutexLock lock(&mu_);
  if (for_good_) return;  // the first cause is the one to tell
  reason_ = reason;
  for_good_ = for_good;
  open_.store(false, std::memory_order_release);
}

void WriteGate::Reopen() {
  MutexLock lock(&mu_);
  if (for_good_) return;
  reason_.clear();
  open_.store(true, std::memory_order_release);
}

std::string WriteGate::reason() const {
  MutexLock lock(&mu_);
  return reason_;
}

Status WriteGate::WhyClosed() const {
  MutexLock lock(&mu_);
  const std::string message = "the store is read-only: " + reason_;
  // What may be over soon is worth another try.
  return for_good_ ? FailedPrecondition(message) : Status(StatusCode::kNoSpace, message);
}

void MemoryBudget::Release(uint64_t bytes) {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  MutexLock lock(&mu_);
  released_.SignalAll();
}

Status MemoryBudget::WaitSlow() {
  // Counted in waits rather than by the clock, so that a jump of the clock changes nothing.
  constexpr int64_t kStepMillis = 10;
  if (NoWaitScope::Refuses()) return WouldWait();
  MutexLock lock(&mu_);
  for (int64_t waited = 0; used() > stall_above_; waited += kStepMillis) {
    if (waited >= stall_millis_max_) {
      return ResourceExhausted("memstores hold " + std::to_string(used()) + " bytes, more than " +
                               std::to_string(stall_above_) + ", and flushing them took longer " +
                               "than " + std::to_string(stall_millis_max_) +
                               " ms; write more slowly or raise the limit");
    }
    released_.WaitFor(&mu_, std::chrono::milliseconds(kStepMillis));
  }
  return Status::Ok();
}

}  // namespace bennu::engine
