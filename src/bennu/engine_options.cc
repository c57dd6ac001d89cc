#include "src/bennu/engine_options.h"

#include <algorithm>
#include <string>

#include "src/api/property_values.h"
#include "src/base/env.h"
#include "src/base/machine_memory.h"
#include "src/base/status_macros.h"
#include "src/engine/core/engine_properties.h"

namespace bennu::front {

namespace {

bool IsOfMemory(const std::string& name) {
  return name == engine::kMemoryProperty || name == engine::kCacheShareProperty ||
         name == engine::kMemstoreShareProperty;
}

// What 'options' say of memory in so many words wins over properties.
Status ApplyProperties(const DatabaseOptions& options, engine::EngineOptions* engine_options) {
  engine::EngineProperties properties;
  for (const auto& [name, value] : options.configuration) {
    if (IsOfMemory(name) && options.memory_bytes != 0) continue;
    if (engine::EngineProperties::Reads(name)) RETURN_IF_ERROR(properties.Add(name, value));
  }
  const engine::EngineOptions planned = *engine_options;
  RETURN_IF_ERROR(properties.ApplyTo(engine_options));
  if (options.block_cache_bytes != 0) engine_options->block_cache_bytes = planned.block_cache_bytes;
  if (options.memstore_bytes != 0) {
    engine_options->memstore_total_bytes = planned.memstore_total_bytes;
  }
  return Status::Ok();
}

}  // namespace

Result<engine::EngineOptions> EngineOptionsOf(const DatabaseOptions& options,
                                              const MemoryPlan& memory) {
  if (options.memory_bytes != 0 && options.memory_bytes < engine::kMemoryMin) {
    return InvalidArgument(std::to_string(options.memory_bytes) +
                           " bytes of memory are too little; the least that works is " +
                           std::to_string(engine::kMemoryMin) + " (1m)");
  }
  engine::EngineOptions engine_options;
  engine_options.read_only = options.read_only;
  engine_options.create_if_missing = options.create_if_missing;
  engine_options.block_cache_bytes = memory.block_cache_bytes;
  // Flushes begin early enough that writers seldom meet the bound (one and a half times this).
  engine_options.memstore_total_bytes = memory.memstore_bytes / 3 * 2;
  engine_options.memstore_flush_bytes =
      std::min(engine_options.memstore_flush_bytes,
               std::max<uint64_t>(1, engine_options.memstore_total_bytes / 2));
  engine_options.query_threads = options.threads;
  engine_options.background_compaction = options.background_compaction;
  engine_options.wal_sync =
      options.write_sync == WriteSync::kFsync ? engine::WalSync::kFsync : engine::WalSync::kOs;
  RETURN_IF_ERROR(ApplyProperties(options, &engine_options));
  return engine_options;
}

MemoryPlan PlanMemory(const DatabaseOptions& options) {
  DatabaseOptions planned = options;
  const auto memory = options.configuration.find(engine::kMemoryProperty);
  if (options.memory_bytes == 0 && memory != options.configuration.end()) {
    const Result<uint64_t> bytes = api::BytesValue(memory->second);
    if (bytes.ok()) planned.memory_bytes = *bytes;
  }
  return MemoryPlan::Of(planned, UsableMemoryBytes(Env::Default()));
}

}  // namespace bennu::front
