// The threads that calls wait on, and a bound on how many wait for them.
#ifndef BENNU_SRC_SERVER_NET_HANDLERS_H_
#define BENNU_SRC_SERVER_NET_HANDLERS_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "src/base/thread_pool.h"

namespace bennu::server::net {

// Thread-safe.
class Handlers {
 public:
  Handlers(size_t thread_count, size_t queue_max,
           size_t bytes_max = std::numeric_limits<size_t>::max(), std::string name = "handler")
      : queue_max_(queue_max),
        bytes_max_(bytes_max),
        pool_(std::move(name), thread_count, std::numeric_limits<size_t>::max()) {}

  // For tasks from now on.
  void SetBounds(size_t queue_max, size_t bytes_max) {
    queue_max_.store(queue_max, std::memory_order_relaxed);
    bytes_max_.store(bytes_max, std::memory_order_relaxed);
  }

  // False, and nothing is done, when too many tasks wait or run already, or hold too many bytes
  // with the 'bytes' of this one. A single one may be larger.
  bool TrySubmit(std::function<void()> task, size_t bytes = 0) {
    const size_t held = bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (waiting_.fetch_add(1, std::memory_order_relaxed) >=
            queue_max_.load(std::memory_order_relaxed) ||
        (held > 0 && held + bytes > bytes_max_.load(std::memory_order_relaxed))) {
      Leave(bytes);
      return false;
    }
    pool_.Submit([this, bytes, task = std::move(task)] {
      task();
      Leave(bytes);
    });
    return true;
  }

  size_t thread_count() const { return pool_.thread_count(); }
  // Tasks that wait or run. What a task did that does not count any longer is seen.
  size_t pending() const { return waiting_.load(std::memory_order_acquire); }

 private:
  void Leave(size_t bytes) {
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    waiting_.fetch_sub(1, std::memory_order_release);
  }

  std::atomic<size_t> queue_max_;
  std::atomic<size_t> bytes_max_;
  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> waiting_{0};
  ThreadPool pool_;
};

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_HANDLERS_H_
