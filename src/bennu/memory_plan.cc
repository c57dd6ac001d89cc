#include "src/bennu/memory_plan.h"

#include <algorithm>

namespace bennu::front {

namespace {

constexpr uint64_t kBudgetMin = 64ull << 20;
constexpr uint64_t kBudgetMax = 6ull << 30;

uint64_t OrElse(uint64_t given, uint64_t share) { return given != 0 ? given : share; }

}  // namespace

MemoryPlan MemoryPlan::Of(const DatabaseOptions& options, uint64_t usable_bytes) {
  const uint64_t budget = options.memory_bytes != 0
                              ? options.memory_bytes
                              : std::clamp(usable_bytes / 4, kBudgetMin, kBudgetMax);
  const uint64_t share = std::max<uint64_t>(1, budget / 3);
  MemoryPlan plan;
  plan.block_cache_bytes = OrElse(options.block_cache_bytes, share);
  plan.memstore_bytes = OrElse(options.memstore_bytes, share);
  plan.query_bytes = OrElse(options.query_memory_bytes, share);
  plan.queries_bytes = std::max(plan.query_bytes, share);
  return plan;
}

}  // namespace bennu::front
