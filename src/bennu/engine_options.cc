#include "src/bennu/engine_options.h"

#include <algorithm>
#include <memory>

#include "src/base/env.h"
#include "src/base/machine_memory.h"
#include "src/bennu/phoenix_properties.h"
#include "src/bennu/statistics_observer.h"

namespace bennu::front {

Result<engine::EngineOptions> EngineOptionsOf(const DatabaseOptions& options,
                                              const MemoryPlan& memory) {
  engine::EngineOptions engine_options;
  engine_options.read_only = options.read_only;
  engine_options.create_if_missing = options.create_if_missing;
  engine_options.block_cache_bytes = memory.block_cache_bytes;
  // Flushes begin early enough that writers seldom meet the bound (one and a half times this).
  engine_options.memstore_total_bytes = memory.memstore_bytes / 3 * 2;
  engine_options.memstore_flush_bytes =
      std::min(engine_options.memstore_flush_bytes,
               std::max<uint64_t>(1, engine_options.memstore_total_bytes / 2));
  engine_options.configuration = options.configuration;
  engine_options.query_threads = options.threads;
  engine_options.background_compaction = options.background_compaction;
  engine_options.wal_sync =
      options.write_sync == WriteSync::kFsync ? engine::WalSync::kFsync : engine::WalSync::kOs;
  RETURN_IF_ERROR(ApplyEngineProperties(options.configuration, &engine_options));
  ASSIGN_OR_RETURN(const sql::catalog::StatisticsOptions statistics,
                   StatisticsOptionsOf(options.configuration));
  engine_options.compaction_observer = std::make_shared<StatisticsObserver>(statistics);
  return engine_options;
}

MemoryPlan PlanMemory(const DatabaseOptions& options) {
  return MemoryPlan::Of(options, UsableMemoryBytes(Env::Default()));
}

}  // namespace bennu::front
