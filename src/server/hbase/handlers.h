// The threads that calls wait on, and a bound on how many wait for them.
#ifndef BENNU_SRC_SERVER_HBASE_HANDLERS_H_
#define BENNU_SRC_SERVER_HBASE_HANDLERS_H_

#include <atomic>
#include <cstddef>
#include <functional>

#include "src/base/thread_pool.h"

namespace bennu::server::hbase {

// Thread-safe.
class Handlers {
 public:
  Handlers(size_t thread_count, size_t queue_max)
      : queue_max_(queue_max), pool_("handler", thread_count, queue_max + thread_count) {}

  // False, and nothing is done, when too many tasks wait already.
  bool TrySubmit(std::function<void()> task) {
    if (waiting_.fetch_add(1, std::memory_order_relaxed) >= queue_max_) {
      waiting_.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    pool_.Submit([this, task = std::move(task)] {
      task();
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    });
    return true;
  }

  // Tasks that wait or run.
  size_t pending() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  const size_t queue_max_;
  std::atomic<size_t> waiting_{0};
  ThreadPool pool_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_HANDLERS_H_
