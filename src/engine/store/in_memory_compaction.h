// What HBase's properties say of the compaction of one store in memory: its active memstore becomes
// a part of a pipeline of flat, sorted parts, which readers merge and a flush writes as one.
// Source: HBase 2.5 CompactingMemStore, CompactionPipeline, MemStoreCompactionStrategy.
#ifndef BENNU_SRC_ENGINE_STORE_IN_MEMORY_COMPACTION_H_
#define BENNU_SRC_ENGINE_STORE_IN_MEMORY_COMPACTION_H_

#include <cstddef>
#include <cstdint>

#include "src/api/store_configuration.h"

namespace bennu::engine {

enum class InMemoryCompaction {
  kNone,
  kBasic,  // flat parts, merged when there are many
  kEager,  // one flat part, without what a flush would leave out
};

struct InMemoryCompactionConfig {
  InMemoryCompaction policy = InMemoryCompaction::kNone;
  uint64_t flush_bytes = 2 << 20;  // of the active memstore
  size_t parts_max = 2;            // more are merged

  // ADAPTIVE is taken for BASIC. 'memstore_flush_bytes': of the table.
  static InMemoryCompactionConfig Of(const api::StoreConfiguration& properties,
                                     uint64_t memstore_flush_bytes);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_IN_MEMORY_COMPACTION_H_
