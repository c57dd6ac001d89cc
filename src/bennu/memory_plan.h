// MemoryPlan: how a database divides its memory among its parts.
#ifndef BENNU_SRC_BENNU_MEMORY_PLAN_H_
#define BENNU_SRC_BENNU_MEMORY_PLAN_H_

#include <cstdint>

#include "bennu/database.h"

namespace bennu::front {

struct MemoryPlan {
  uint64_t block_cache_bytes = 0;
  uint64_t memstore_bytes = 0;  // where writers wait
  uint64_t query_bytes = 0;     // of one query
  uint64_t queries_bytes = 0;   // of all queries together

  // 'usable_bytes': what the process may have.
  static MemoryPlan Of(const DatabaseOptions& options, uint64_t usable_bytes);
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_MEMORY_PLAN_H_
