// Kept: an answer that takes a while to get, kept for those who ask soon after.
#ifndef BENNU_SRC_SERVER_CONSOLE_KEPT_H_
#define BENNU_SRC_SERVER_CONSOLE_KEPT_H_

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/server/net/clock.h"

namespace bennu::server::console {

// Thread-safe. Who comes while somebody asks waits for that answer.
template <typename T>
class Kept {
 public:
  // An answer, an error too, is kept for 'kept_min', and for longer when it took long: so that
  // asking takes at most a tenth of the time, however many look.
  explicit Kept(std::chrono::nanoseconds kept_min) : kept_min_(kept_min) {}

  Result<std::shared_ptr<const T>> Get(const std::function<Result<T>()>& ask) {
    MutexLock lock(&mu_);
    const auto begin = net::MonotonicNow();
    if (last_.has_value() && begin < kept_until_) return *last_;
    Result<T> answer = ask();
    if (answer.ok()) {
      last_.emplace(std::make_shared<const T>(std::move(answer).value()));
    } else {
      last_.emplace(std::move(answer).status());
    }
    const auto end = net::MonotonicNow();
    kept_until_ = end + std::max(kept_min_, (end - begin) * kShare);
    return *last_;
  }

 private:
  static constexpr int kShare = 9;

  const std::chrono::nanoseconds kept_min_;
  Mutex mu_;  // held while somebody asks
  std::optional<Result<std::shared_ptr<const T>>> last_ GUARDED_BY(mu_);
  std::chrono::nanoseconds kept_until_ GUARDED_BY(mu_){0};
};

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_KEPT_H_
