// Work on several threads that may fail.
#ifndef BENNU_SRC_BASE_PARALLEL_WORK_H_
#define BENNU_SRC_BASE_PARALLEL_WORK_H_

#include <cstddef>
#include <functional>

#include "bennu/status.h"
#include "src/base/thread_pool.h"

namespace bennu {

// As ParallelFor; 'pool' may be null. Returns an error that came first; all others are run as well.
Status ParallelForAll(ThreadPool* pool, size_t count, const std::function<Status(size_t)>& body);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_PARALLEL_WORK_H_
