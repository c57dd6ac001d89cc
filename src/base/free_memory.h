// FreeMemoryKeeper: gives the kernel back what was freed and is not used again.
//
// malloc keeps freed memory in its arenas (several for each processor), and the pool of chunks of
// memstores keeps some. That is quicker while a load goes on; behind it the process would stay at
// its largest.
#ifndef BENNU_SRC_BASE_FREE_MEMORY_H_
#define BENNU_SRC_BASE_FREE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "src/base/env.h"

namespace bennu {

// One thread at a time.
class FreeMemoryKeeper {
 public:
  // 'env' reads the system's files.
  explicit FreeMemoryKeeper(Env* env) : env_(env) {}

  // To be called now and then, every few seconds. What is kept in the pool and was not wanted since
  // the call before goes back, and so does malloc's when there is enough of it.
  void Look();

 private:
  Env* const env_;
  // What malloc had free and in memory after it last gave back all it could.
  uint64_t left_bytes_ = 0;
};

// What Look() counts for nothing: less of it is not worth the calls.
inline constexpr uint64_t kFreeBytesMin = 16 << 20;

}  // namespace bennu

#endif  // BENNU_SRC_BASE_FREE_MEMORY_H_
