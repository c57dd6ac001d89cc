#include "src/cli/store_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include "src/api/store_configuration.h"
#include "src/bennu/phoenix_properties.h"
#include "src/server/config/server_config.h"

namespace bennu::cli {

namespace {

constexpr char kMemory[] = "bennu.memory";
constexpr char kCacheShare[] = "hfile.block.cache.size";
constexpr char kMemstoreShare[] = "hbase.regionserver.global.memstore.size";
constexpr char kSyncLog[] = "hbase.wal.hsync";

// Writers wait at one and a half times what the engine calls its bound (src/bennu/memory_plan.h).
uint64_t MemstoreBytes(const engine::EngineOptions& engine) {
  return engine.memstore_total_bytes / 2 * 3;
}

bool IsOneOf(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Those that a database has an option of its own for.
bool HasOption(std::string_view name) {
  return name == kMemory || name == kCacheShare || name == kMemstoreShare || name == kSyncLog;
}

// 'engine' is what `bennu serve` would make of the same property.
std::string PlainValue(const std::string& name, const std::string& value,
                       const engine::EngineOptions& engine) {
  if (name == "hbase.hregion.max.filesize") return std::to_string(engine.region_max_bytes);
  if (name == "hbase.hregion.memstore.flush.size") {
    return std::to_string(engine.memstore_flush_bytes);
  }
  return value;
}

void SetOption(const std::string& name, const engine::EngineOptions& engine,
               DatabaseOptions* options) {
  if (name == kSyncLog) {
    const bool sync = engine.wal_sync == engine::WalSync::kFsync;
    options->write_sync = sync ? WriteSync::kFsync : WriteSync::kOs;
    return;
  }
  // --memory says it all.
  if (options->memory_bytes != 0) return;
  options->block_cache_bytes = engine.block_cache_bytes;
  options->memstore_bytes = MemstoreBytes(engine);
}

}  // namespace

bool AddAssignment(const std::string& text, std::map<std::string, std::string>* values) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return false;
  (*values)[text.substr(0, equals)] = text.substr(equals + 1);
  return true;
}

Status ApplyConf(const std::vector<std::string>& properties, DatabaseOptions* options) {
  std::map<std::string, std::string> values;
  for (const std::string& property : properties) {
    if (!AddAssignment(property, &values)) {
      return InvalidArgument(fmt::format("--conf {}: this is not NAME=VALUE", property));
    }
  }
  // What is HBase's is read as the server reads it; the shares of memory count together.
  server::config::SiteProperties site;
  for (const auto& [name, value] : values) {
    if (!IsOneOf(name, front::PhoenixPropertyNames())) site[name] = {value, 1};
  }
  server::config::ServerConfig server;
  std::vector<std::string> unread;
  RETURN_IF_ERROR(server::config::Apply("--conf", site, &server, &unread));
  const engine::EngineOptions& engine = server.options.engine;
  for (const auto& [name, value] : values) {
    if (HasOption(name)) {
      SetOption(name, engine, options);
    } else if (name == api::kMapFilesKey || engine.configuration.contains(name) ||
               IsOneOf(name, front::PhoenixPropertyNames()) ||
               IsOneOf(name, front::EnginePropertyNames())) {
      options->configuration[name] = PlainValue(name, value, engine);
    } else if (IsOneOf(name, unread)) {
      return InvalidArgument(fmt::format("--conf {}: there is no such property here", name));
    } else {
      return InvalidArgument(fmt::format("--conf {}: only `bennu serve` has a use for it", name));
    }
  }
  // Wrong values are told before the store is opened.
  RETURN_IF_ERROR(front::SessionOptionsOf(options->configuration).status());
  return front::FeaturesOf(options->configuration).status();
}

}  // namespace bennu::cli
