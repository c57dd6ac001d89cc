#include "src/base/parallel_work.h"

#include <utility>

#include "src/base/mutex.h"

namespace bennu {

Status ParallelForAll(ThreadPool* pool, size_t count, const std::function<Status(size_t)>& body) {
  Mutex mu;
  Status first_error;
  ParallelFor(pool, count, [&](size_t i) {
    Status status = body(i);
    MutexLock lock(&mu);
    if (first_error.ok()) first_error = std::move(status);
  });
  return first_error;
}

}  // namespace bennu
