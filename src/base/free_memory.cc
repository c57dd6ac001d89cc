#include "src/base/free_memory.h"

#include <malloc.h>

#include <algorithm>

#include "src/base/arena.h"
#include "src/base/machine_memory.h"

namespace bennu {

namespace {

// What malloc holds in memory that nobody uses. It counts as free what it gave back, too, so that
// only the kernel knows.
uint64_t IdleBytes(Env* env) {
  const struct mallinfo2 info = mallinfo2();
  const uint64_t used = info.uordblks + info.hblkhd + ChunkPoolBytes();
  const uint64_t resident = ResidentAnonymousBytes(env);
  return resident - std::min(used, resident);
}

}  // namespace

void FreeMemoryKeeper::Look() {
  ReturnUnwantedChunks();
  // Threads' stacks, and free pieces smaller than a page, are in it as well: they stay.
  const uint64_t idle = IdleBytes(env_);
  left_bytes_ = std::min(left_bytes_, idle);
  if (idle < left_bytes_ + kFreeBytesMin) return;
  malloc_trim(0);
  left_bytes_ = IdleBytes(env_);
}

}  // namespace bennu
