#include "src/engine/core/engine_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "src/api/property_values.h"
#include "src/api/store_configuration.h"
#include "src/base/env.h"
#include "src/base/machine_memory.h"
#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

constexpr int64_t kLongMax = std::numeric_limits<int64_t>::max();
// Of the memory that the process may have, as the rest of the program takes it.
constexpr uint64_t kMemoryDivisor = 4;
// Writers wait at one and a half times the engine's bound of memstores; HBase's is where they wait.
constexpr double kStallFactor = 1.5;
// HBase's defaults of both shares, and of what they may be together.
constexpr double kShare = 0.4;
constexpr double kSharesMax = 0.8;

// Properties that only together have a meaning.
struct Gathered {
  EngineOptions* engine = nullptr;
  std::optional<uint64_t> memory;
  std::optional<double> cache_share, memstore_share;
  std::optional<uint64_t> log_block_bytes;
  std::optional<double> log_roll_share;
};

struct Property {
  std::string_view name;
  Status (*apply)(const std::string& text, Gathered* gathered);
};

Status StoreBytes(const std::string& text, uint64_t min, auto* target) {
  ASSIGN_OR_RETURN(const uint64_t bytes, api::BytesValue(text));
  if (bytes < min) {
    return InvalidArgument(fmt::format("'{}' is too little; the least that works is {} ({})", text,
                                       min, min == kMemoryMin ? "1m" : "bytes"));
  }
  *target = bytes;
  return Status::Ok();
}

// Sorted by name.
constexpr Property kProperties[] = {
    {kMemoryProperty,
     [](const std::string& text, Gathered* gathered) {
       return StoreBytes(text, kMemoryMin, &gathered->memory);
     }},
    {"hbase.hregion.max.filesize",
     [](const std::string& text, Gathered* gathered) {
       return StoreBytes(text, 1, &gathered->engine->region_max_bytes);
     }},
    {"hbase.hregion.memstore.flush.size",
     [](const std::string& text, Gathered* gathered) {
       return StoreBytes(text, 1, &gathered->engine->memstore_flush_bytes);
     }},
    {"hbase.master.hfilecleaner.ttl",
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, 0, kLongMax),
                              &gathered->engine->archive_keep_millis);
     }},
    {"hbase.master.logcleaner.ttl",
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, 0, kLongMax),
                              &gathered->engine->old_wal_keep_millis);
     }},
    {"hbase.regionserver.compaction.enabled",
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &gathered->engine->compactions_on);
     }},
    {kMemstoreShareProperty,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::ShareValue(text), &gathered->memstore_share);
     }},
    {"hbase.regionserver.hlog.blocksize",
     [](const std::string& text, Gathered* gathered) {
       return StoreBytes(text, 1, &gathered->log_block_bytes);
     }},
    {"hbase.regionserver.logroll.multiplier",
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::ShareValue(text), &gathered->log_roll_share);
     }},
    {"hbase.regionserver.maxlogs",
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, 1, api::kIntPropertyMax),
                              &gathered->engine->wal_files_max);
     }},
    {"hbase.wal.hsync",
     [](const std::string& text, Gathered* gathered) {
       ASSIGN_OR_RETURN(const bool sync, api::FlagValue(text));
       gathered->engine->wal_sync = sync ? WalSync::kFsync : WalSync::kOs;
       return Status::Ok();
     }},
    {kCacheShareProperty,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::ShareValue(text), &gathered->cache_share);
     }},
    // Bennu's own name for hbase.wal.hsync; of both this one counts.
    {"wal.sync",
     [](const std::string& text, Gathered* gathered) {
       if (text != "fsync" && text != "os") {
         return InvalidArgument(fmt::format("'{}' is not fsync or os", text));
       }
       gathered->engine->wal_sync = text == "fsync" ? WalSync::kFsync : WalSync::kOs;
       return Status::Ok();
     }},
};

// HBase's shares of its heap are shares of the memory that the program gives itself.
Status ShareMemory(const Gathered& gathered) {
  if (!gathered.memory && !gathered.cache_share && !gathered.memstore_share) return Status::Ok();
  const double cache = gathered.cache_share.value_or(kShare);
  const double memstores = gathered.memstore_share.value_or(kShare);
  if (cache + memstores > kSharesMax + 1e-9) {
    return InvalidArgument(
        fmt::format("{} and {} are {} together; at most {}, as in HBase, so that something is left "
                    "for the rest",
                    kCacheShareProperty, kMemstoreShareProperty, cache + memstores, kSharesMax));
  }
  const auto memory = static_cast<double>(
      gathered.memory.value_or(UsableMemoryBytes(Env::Default()) / kMemoryDivisor));
  EngineOptions* const engine = gathered.engine;
  engine->block_cache_bytes = static_cast<uint64_t>(memory * cache);
  engine->memstore_total_bytes = static_cast<uint64_t>(memory * memstores / kStallFactor);
  engine->memstore_flush_bytes = std::min(engine->memstore_flush_bytes,
                                          std::max<uint64_t>(engine->memstore_total_bytes, 2) / 2);
  return Status::Ok();
}

void SizeLogs(const Gathered& gathered) {
  if (!gathered.log_block_bytes && !gathered.log_roll_share) return;
  constexpr uint64_t kBlock = 256u << 20;  // HBase's: twice a block of its file system
  constexpr double kRoll = 0.5;
  gathered.engine->wal_roll_bytes = std::max<uint64_t>(
      1, static_cast<uint64_t>(static_cast<double>(gathered.log_block_bytes.value_or(kBlock)) *
                               gathered.log_roll_share.value_or(kRoll)));
}

}  // namespace

const std::vector<std::string_view>& EngineProperties::OptionNames() {
  static const auto* const names = [] {
    auto* const list = new std::vector<std::string_view>;
    for (const Property& property : kProperties) list->push_back(property.name);
    return list;
  }();
  return *names;
}

bool EngineProperties::Reads(std::string_view name) {
  return api::FindByName(kProperties, name) != nullptr || api::IsStoreProperty(name);
}

Status EngineProperties::Add(const std::string& name, const std::string& value) {
  if (const Property* const property = api::FindByName(kProperties, name); property != nullptr) {
    EngineOptions scratch;
    Gathered gathered;
    gathered.engine = &scratch;
    const Status status = property->apply(value, &gathered);
    if (!status.ok()) return Status(status.code(), name + ": " + status.message());
  } else {
    RETURN_IF_ERROR(api::CheckStoreProperties("", {{name, value}}));
  }
  values_[name] = value;
  return Status::Ok();
}

Status EngineProperties::ApplyTo(EngineOptions* options) const {
  Gathered gathered;
  gathered.engine = options;
  for (const auto& [name, value] : values_) {
    if (const Property* const property = api::FindByName(kProperties, name); property != nullptr) {
      RETURN_IF_ERROR(property->apply(value, &gathered));
    } else {
      options->configuration[name] = value;
    }
  }
  SizeLogs(gathered);
  return ShareMemory(gathered);
}

}  // namespace bennu::engine
