// A fixed number of named threads over one bounded queue.
//
// Who uses it: the query pool (one thread per core), the maintenance pool (flush, compaction).
// Thread-safe. Destruction runs what is queued, then joins.
#ifndef BENNU_SRC_BASE_THREAD_POOL_H_
#define BENNU_SRC_BASE_THREAD_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "src/base/mutex.h"

namespace bennu {

class ThreadPool {
 public:
  // 'name' is shown by top and gdb (15 characters at most, an index is appended).
  ThreadPool(std::string name, size_t thread_count, size_t queue_size_max = 65536);
  ~ThreadPool();

  // Queues 'task'; waits while the queue is full, but for tasks of this pool, which would wait for
  // themselves: what they queue may go past the bound. Tasks must not throw.
  void Submit(std::function<void()> task);

  // Runs body(0) … body(count - 1) on the pool and on the calling thread, and returns when all are
  // done. Safe to call from a pool thread: the caller works through the indexes itself.
  void ParallelFor(size_t count, const std::function<void(size_t)>& body);

  size_t thread_count() const { return threads_.size(); }

 private:
  void Work(size_t index);

  const std::string name_;
  const size_t queue_size_max_;
  Mutex mu_;
  CondVar not_empty_;
  CondVar not_full_;
  std::deque<std::function<void()>> queue_ GUARDED_BY(mu_);
  bool stopping_ GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;
};

// For those to whom a pool may be given or not: without one (null) the calling thread does all.
size_t ThreadCount(const ThreadPool* pool);  // 1 without a pool
void ParallelFor(ThreadPool* pool, size_t count, const std::function<void(size_t)>& body);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_THREAD_POOL_H_
