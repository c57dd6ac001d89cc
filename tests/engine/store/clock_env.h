// An Env with a wall clock that stands where a test puts it. All else is the target's.
#ifndef BENNU_TESTS_ENGINE_STORE_CLOCK_ENV_H_
#define BENNU_TESTS_ENGINE_STORE_CLOCK_ENV_H_

#include <atomic>
#include <cstdint>

#include "src/base/forwarding_env.h"

namespace bennu::engine {

class ClockEnv final : public ForwardingEnv {
 public:
  explicit ClockEnv(Env* target) : ForwardingEnv(target), millis_(target->NowMillis()) {}

  void SetMillis(int64_t millis) { millis_.store(millis); }
  // Goes on by so much whenever somebody looks at it.
  void SetStep(int64_t millis) { step_.store(millis); }

  int64_t NowMillis() override { return millis_.fetch_add(step_.load()); }

 private:
  std::atomic<int64_t> millis_;
  std::atomic<int64_t> step_{0};
};

}  // namespace bennu::engine

#endif  // BENNU_TESTS_ENGINE_STORE_CLOCK_ENV_H_
