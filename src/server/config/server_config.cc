#include "src/server/config/server_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>

#include "src/api/store_configuration.h"
#include "src/base/env.h"
#include "src/base/machine_memory.h"
#include "src/server/config/values.h"

namespace bennu::server::config {

namespace {

constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kLongMax = std::numeric_limits<int64_t>::max();
// Of the memory that the process may have, as the rest of the program takes it.
constexpr uint64_t kMemoryDivisor = 4;
// Writers wait at one and a half times the engine's bound of memstores; HBase's is where they wait.
constexpr double kStallFactor = 1.5;

// Properties that only together have a meaning.
struct Gathered {
  ServerConfig* config = nullptr;
  std::optional<uint64_t> memory;
  std::optional<double> cache_share, memstore_share;
  std::optional<uint64_t> log_block_bytes;
  std::optional<double> log_roll_share;
  std::optional<std::string> master_address;
  bool tls_enabled = false;
  TlsOptions tls;
};

struct Property {
  std::string_view name;
  bool live;  // counts at SIGHUP too
  Status (*apply)(const std::string& text, Gathered* gathered);
};

template <typename T>
Status Store(const Result<T>& parsed, auto* target) {
  if (!parsed.ok()) return parsed.status();
  *target = static_cast<std::remove_pointer_t<decltype(target)>>(*parsed);
  return Status::Ok();
}

Status RefuseUnless(const std::string& text, std::string_view wanted, std::string_view what) {
  if (text == wanted) return Status::Ok();
  return InvalidArgument(
      fmt::format("'{}' asks for {}, which this server does not have; only '{}' can be had", text,
                  what, wanted));
}

Result<TlsOptions::ClientAuth> ParseClientAuth(const std::string& text) {
  if (text == "NONE") return TlsOptions::ClientAuth::kNone;
  if (text == "WANT") return TlsOptions::ClientAuth::kWant;
  if (text == "NEED") return TlsOptions::ClientAuth::kNeed;
  return InvalidArgument(fmt::format("'{}' is not NONE, WANT or NEED", text));
}

engine::EngineOptions* Engine(Gathered* gathered) { return &gathered->config->options.engine; }
ServerOptions* Options(Gathered* gathered) { return &gathered->config->options; }
LiveOptions* Live(Gathered* gathered) { return &gathered->config->options.live; }

// Sorted by name.
constexpr Property kProperties[] = {
    {"bennu.allow.unauthenticated", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBool(text), &Options(gathered)->allow_unauthenticated);
     }},
    {"bennu.log.format", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseLogFormat(text), &gathered->config->log_format);
     }},
    {"bennu.log.level", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseLogLevel(text), &gathered->config->log_level);
     }},
    {"bennu.memory", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBytes(text), &gathered->memory);
     }},
    {"hbase.client.scanner.timeout.period", true,
     [](const std::string& text, Gathered* gathered) {
       int64_t millis = 0;
       RETURN_IF_ERROR(Store(ParseInteger(text, 1, kIntMax), &millis));
       Live(gathered)->scanner_lease = std::chrono::milliseconds(millis);
       return Status::Ok();
     }},
    {"hbase.hregion.max.filesize", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBytes(text), &Engine(gathered)->region_max_bytes);
     }},
    {"hbase.hregion.memstore.flush.size", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBytes(text), &Engine(gathered)->memstore_flush_bytes);
     }},
    {"hbase.ipc.max.request.size", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, 1, kIntMax), &Live(gathered)->request_bytes_max);
     }},
    {"hbase.ipc.server.max.callqueue.length", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, 1, kIntMax), &Live(gathered)->queued_calls_max);
     }},
    {"hbase.ipc.server.max.callqueue.size", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBytes(text), &Live(gathered)->queued_bytes_max);
     }},
    {"hbase.ipc.warn.response.size", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, -1, kLongMax), &Live(gathered)->slow.bytes);
     }},
    {"hbase.ipc.warn.response.time", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, -1, kLongMax), &Live(gathered)->slow.millis);
     }},
    {"hbase.master.hfilecleaner.ttl", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, 0, kLongMax), &Engine(gathered)->archive_keep_millis);
     }},
    {"hbase.master.hostname", false,
     [](const std::string& text, Gathered* gathered) {
       Options(gathered)->host = text;
       return Status::Ok();
     }},
    {"hbase.master.info.bindAddress", false,
     [](const std::string& text, Gathered* gathered) {
       Options(gathered)->http_address = text;
       return Status::Ok();
     }},
    {"hbase.master.info.port", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParsePort(text), &Options(gathered)->http_port);
     }},
    {"hbase.master.ipc.address", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->master_address = text;
       return Status::Ok();
     }},
    {"hbase.master.logcleaner.ttl", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, 0, kLongMax), &Engine(gathered)->old_wal_keep_millis);
     }},
    {"hbase.master.port", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParsePort(text), &Options(gathered)->master_port);
     }},
    {"hbase.quota.enabled", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBool(text), &Options(gathered)->quotas);
     }},
    {"hbase.regionserver.global.memstore.size", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseShare(text), &gathered->memstore_share);
     }},
    {"hbase.regionserver.handler.count", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, 1, 10'000), &Options(gathered)->handler_threads);
     }},
    {"hbase.regionserver.hlog.blocksize", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBytes(text), &gathered->log_block_bytes);
     }},
    {"hbase.regionserver.hostname", false,
     [](const std::string& text, Gathered* gathered) {
       Options(gathered)->host = text;
       return Status::Ok();
     }},
    {"hbase.regionserver.ipc.address", false,
     [](const std::string& text, Gathered* gathered) {
       Options(gathered)->address = text;
       return Status::Ok();
     }},
    {"hbase.regionserver.logroll.multiplier", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseShare(text), &gathered->log_roll_share);
     }},
    {"hbase.regionserver.maxlogs", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, 1, kIntMax), &Engine(gathered)->wal_files_max);
     }},
    {"hbase.regionserver.port", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParsePort(text), &Options(gathered)->region_server_port);
     }},
    {"hbase.regionserver.slowlog.buffer.enabled", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBool(text), &Live(gathered)->slow.keep);
     }},
    {"hbase.regionserver.slowlog.ringbuffer.size", true,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseInteger(text, 0, 1'000'000), &Live(gathered)->slow.kept_max);
     }},
    {"hbase.rootdir", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseDirectory(text), &Options(gathered)->directory);
     }},
    {"hbase.rpc.protection", false,
     [](const std::string& text, Gathered*) {
       return RefuseUnless(text, "authentication", "protected connections");
     }},
    {"hbase.rpc.tls.ciphersuites", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.cipher_suites = text;
       return Status::Ok();
     }},
    {"hbase.rpc.tls.enabledProtocols", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.protocols = text;
       return Status::Ok();
     }},
    {"hbase.rpc.tls.keystore.location", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.keystore.location = text;
       return Status::Ok();
     }},
    {"hbase.rpc.tls.keystore.password", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.keystore.password = text;
       return Status::Ok();
     }},
    {"hbase.rpc.tls.keystore.type", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.keystore.type = text;
       return Status::Ok();
     }},
    {"hbase.rpc.tls.truststore.location", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.truststore.location = text;
       return Status::Ok();
     }},
    {"hbase.rpc.tls.truststore.password", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.truststore.password = text;
       return Status::Ok();
     }},
    {"hbase.rpc.tls.truststore.type", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->tls.truststore.type = text;
       return Status::Ok();
     }},
    {"hbase.security.authentication", false,
     [](const std::string& text, Gathered*) {
       return RefuseUnless(text, "simple", "authentication");
     }},
    {"hbase.security.authorization", false,
     [](const std::string& text, Gathered*) {
       return RefuseUnless(text, "false", "authorization");
     }},
    {"hbase.server.netty.tls.client.auth.mode", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseClientAuth(text), &gathered->tls.client_auth);
     }},
    {"hbase.server.netty.tls.enabled", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBool(text), &gathered->tls_enabled);
     }},
    {"hbase.server.netty.tls.supportplaintext", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBool(text), &Options(gathered)->tls_plaintext_too);
     }},
    {"hbase.server.netty.tls.verify.client.hostname", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseBool(text), &Options(gathered)->tls_verify_address);
     }},
    {"hbase.wal.hsync", false,
     [](const std::string& text, Gathered* gathered) {
       bool sync = false;
       RETURN_IF_ERROR(Store(ParseBool(text), &sync));
       Engine(gathered)->wal_sync = sync ? engine::WalSync::kFsync : engine::WalSync::kOs;
       return Status::Ok();
     }},
    {"hbase.zookeeper.property.clientPort", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParsePort(text), &Options(gathered)->zookeeper_port);
     }},
    {"hfile.block.cache.size", false,
     [](const std::string& text, Gathered* gathered) {
       return Store(ParseShare(text), &gathered->cache_share);
     }},
};

// What the engine looks up by name (docs/compaction.md), sorted.
constexpr std::string_view kEngineProperties[] = {
    "hbase.hregion.compacting.memstore.type",
    "hbase.hregion.compacting.pipeline.segments.limit",
    "hbase.hregion.majorcompaction",
    "hbase.hregion.majorcompaction.jitter",
    "hbase.hregion.max.filesize.limit",
    "hbase.hregion.memstore.block.multiplier",
    "hbase.hregion.memstore.flush.size.limit",
    "hbase.hstore.blockingStoreFiles",
    "hbase.hstore.blockingWaitTime",
    "hbase.hstore.compaction.date.tiered.base.window.millis",
    "hbase.hstore.compaction.date.tiered.incoming.window.min",
    "hbase.hstore.compaction.date.tiered.max.storefile.age.millis",
    "hbase.hstore.compaction.date.tiered.max.tier.age.millis",
    "hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction",
    "hbase.hstore.compaction.date.tiered.window.factory.class",
    "hbase.hstore.compaction.date.tiered.window.policy.class",
    "hbase.hstore.compaction.date.tiered.windows.per.tier",
    "hbase.hstore.compaction.max",
    "hbase.hstore.compaction.max.size",
    "hbase.hstore.compaction.max.size.offpeak",
    "hbase.hstore.compaction.min",
    "hbase.hstore.compaction.min.size",
    "hbase.hstore.compaction.ratio",
    "hbase.hstore.compaction.ratio.offpeak",
    "hbase.hstore.compaction.throughput.higher.bound",
    "hbase.hstore.compaction.throughput.lower.bound",
    "hbase.hstore.compaction.throughput.offpeak",
    "hbase.hstore.compactionThreshold",
    "hbase.hstore.defaultengine.compactionpolicy.class",
    "hbase.hstore.engine.class",
    "hbase.memstore.inmemoryflush.threshold.factor",
    "hbase.offpeak.end.hour",
    "hbase.offpeak.start.hour",
    "hbase.server.compactchecker.interval.multiplier",
    "hbase.server.thread.wakefrequency",
    "hbase.store.stripe.compaction.flushToL0",
    "hbase.store.stripe.compaction.maxFiles",
    "hbase.store.stripe.compaction.minFiles",
    "hbase.store.stripe.compaction.minFilesL0",
    "hbase.store.stripe.initialStripeCount",
    "hbase.store.stripe.region.split.max.imbalance",
    "hbase.store.stripe.sizeToSplit",
    "hbase.store.stripe.splitPartCount",
    "hbase.table.sanity.checks",
};

const Property* FindProperty(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kProperties), std::end(kProperties), name,
      [](const Property& property, std::string_view wanted) { return property.name < wanted; });
  return found != std::end(kProperties) && found->name == name ? found : nullptr;
}

bool IsEngineProperty(std::string_view name) {
  return std::binary_search(std::begin(kEngineProperties), std::end(kEngineProperties), name);
}

// HBase's shares of its heap are shares of the memory that the program gives itself.
void ShareMemory(const Gathered& gathered, engine::EngineOptions* engine) {
  if (!gathered.memory && !gathered.cache_share && !gathered.memstore_share) return;
  constexpr double kShare = 0.4;  // HBase's default of both
  const auto memory = static_cast<double>(
      gathered.memory.value_or(UsableMemoryBytes(Env::Default()) / kMemoryDivisor));
  engine->block_cache_bytes = static_cast<uint64_t>(memory * gathered.cache_share.value_or(kShare));
  engine->memstore_total_bytes =
      static_cast<uint64_t>(memory * gathered.memstore_share.value_or(kShare) / kStallFactor);
  engine->memstore_flush_bytes = std::min(engine->memstore_flush_bytes,
                                          std::max<uint64_t>(engine->memstore_total_bytes, 2) / 2);
}

Status ApplyGathered(const Gathered& gathered) {
  ServerOptions& options = gathered.config->options;
  ShareMemory(gathered, &options.engine);
  if (gathered.tls_enabled) {
    RETURN_IF_ERROR(MakeServerTls(gathered.tls).status());
    options.tls = gathered.tls;
  }
  if (gathered.log_block_bytes.has_value() || gathered.log_roll_share.has_value()) {
    constexpr uint64_t kBlock = 256u << 20;  // HBase's: twice a block of its file system
    constexpr double kRoll = 0.5;
    options.engine.wal_roll_bytes =
        static_cast<uint64_t>(static_cast<double>(gathered.log_block_bytes.value_or(kBlock)) *
                              gathered.log_roll_share.value_or(kRoll));
  }
  if (gathered.master_address.has_value() && *gathered.master_address != options.address) {
    return InvalidArgument(fmt::format(
        "hbase.master.ipc.address is {}, but hbase.regionserver.ipc.address {}: both are one "
        "server, which listens on one address",
        *gathered.master_address, options.address));
  }
  const double shares = gathered.cache_share.value_or(0.4) + gathered.memstore_share.value_or(0.4);
  if (shares > 0.8 + 1e-9) {
    return InvalidArgument(fmt::format(
        "hfile.block.cache.size and hbase.regionserver.global.memstore.size are {} together; at "
        "most 0.8, as in HBase, so that something is left for the rest",
        shares));
  }
  return Status::Ok();
}

}  // namespace

Result<LogFormat> ParseLogFormat(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  return InvalidArgument(fmt::format("'{}' is not text or json", text));
}

Result<LogLevel> ParseLogLevel(std::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "info") return LogLevel::kInfo;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "error") return LogLevel::kError;
  if (text == "off") return LogLevel::kOff;
  return InvalidArgument(fmt::format("'{}' is not debug, info, warning, error or off", text));
}

Status Apply(std::string_view path, const SiteProperties& properties, ServerConfig* config,
             std::vector<std::string>* unread) {
  std::string problems;
  const auto complain = [&problems](const std::string& problem) {
    problems += (problems.empty() ? "" : "\n") + problem;
  };
  Gathered gathered;
  gathered.config = config;
  // A server that is both takes its one address from either property.
  if (!properties.contains("hbase.regionserver.ipc.address")) {
    const auto master = properties.find("hbase.master.ipc.address");
    if (master != properties.end()) config->options.address = master->second.value;
  }
  for (const auto& [name, property] : properties) {
    Status status;
    if (const Property* const known = FindProperty(name); known != nullptr) {
      status = known->apply(property.value, &gathered);
    } else if (IsEngineProperty(name)) {
      config->options.engine.configuration[name] = property.value;
      status = api::CheckStoreProperties(path, {{name, property.value}});
    } else {
      unread->push_back(name);
    }
    if (!status.ok()) {
      complain(fmt::format("{}:{}: {}: {}", path, property.line, name, status.message()));
    }
  }
  if (const Status status = ApplyGathered(gathered); !status.ok()) {
    complain(fmt::format("{}: {}", path, status.message()));
  }
  return problems.empty() ? Status::Ok() : InvalidArgument(problems);
}

std::vector<std::string> NeedRestart(const SiteProperties& before, const SiteProperties& after) {
  std::vector<std::string> names;
  const auto look = [&names](const SiteProperties& from, const SiteProperties& other, bool gone) {
    for (const auto& [name, property] : from) {
      const Property* const known = FindProperty(name);
      if (known == nullptr ? !IsEngineProperty(name) : known->live) continue;
      const auto found = other.find(name);
      const bool differs = gone ? found == other.end()
                                : found == other.end() || found->second.value != property.value;
      if (differs) names.push_back(name);
    }
  };
  look(after, before, /*gone=*/false);
  look(before, after, /*gone=*/true);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string_view> PropertyNames() {
  std::vector<std::string_view> names;
  for (const Property& property : kProperties) names.push_back(property.name);
  return names;
}

}  // namespace bennu::server::config
