// How much memory the process may use.
#ifndef BENNU_SRC_BASE_MACHINE_MEMORY_H_
#define BENNU_SRC_BASE_MACHINE_MEMORY_H_

#include <cstdint>

#include "src/base/env.h"

namespace bennu {

// The machine's memory in bytes, or the limit of the process's control group (version 2 or 1) where
// that is smaller. 1 GiB when nothing can be learned. 'env' reads the system's files.
uint64_t UsableMemoryBytes(Env* env);

// The memory that the process has in use, in bytes: its resident pages. 0 when that cannot be
// learned.
uint64_t ResidentMemoryBytes(Env* env);

// The part of the resident memory that is not mapped from files, in bytes. 0 when that cannot be
// learned.
uint64_t ResidentAnonymousBytes(Env* env);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_MACHINE_MEMORY_H_
