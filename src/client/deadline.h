// Deadline: a moment after which nobody waits any longer.
#ifndef BENNU_SRC_CLIENT_DEADLINE_H_
#define BENNU_SRC_CLIENT_DEADLINE_H_

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "src/base/env.h"

namespace bennu::client {

// A value.
class Deadline {
 public:
  explicit Deadline(std::chrono::microseconds from_now)
      : nanos_(Env::Default()->MonotonicNanos() +
               static_cast<uint64_t>(std::chrono::nanoseconds(from_now).count())) {}

  // At such a time of Env's monotonic clock.
  static Deadline At(uint64_t nanos) {
    Deadline deadline(std::chrono::microseconds(0));
    deadline.nanos_ = nanos;
    return deadline;
  }

  bool Passed() const { return Left().count() == 0; }
  uint64_t nanos() const { return nanos_; }  // on Env's monotonic clock

  // Rounded up; nothing once it has passed.
  std::chrono::microseconds Left() const {
    const uint64_t now = Env::Default()->MonotonicNanos();
    return std::chrono::microseconds(now >= nanos_ ? 0 : (nanos_ - now) / 1000 + 1);
  }

 private:
  uint64_t nanos_;
};

inline void Pause(std::chrono::milliseconds time) {
  Env::Default()->SleepMicros(static_cast<uint64_t>(std::chrono::microseconds(time).count()));
}

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_DEADLINE_H_
