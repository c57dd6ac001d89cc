#include "src/server/config/server_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>

#include "src/api/property_values.h"
#include "src/base/status_macros.h"
#include "src/engine/core/engine_properties.h"
#include "src/server/config/values.h"

namespace bennu::server::config {

namespace {

constexpr int64_t kLongMax = std::numeric_limits<int64_t>::max();

// Properties that only together have a meaning.
struct Gathered {
  ServerConfig* config = nullptr;
  std::optional<std::string> master_address;
  bool tls_enabled = false;
  TlsOptions tls;
  std::optional<bool> tls_plaintext_too;
};

struct Property {
  std::string_view name;
  bool live;  // counts at SIGHUP too
  Status (*apply)(const std::string& text, Gathered* gathered);
};

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

Result<http::Compress> ParseCompress(const std::string& text) {
  if (text == "never") return http::Compress::kNever;
  if (text == "remote") return http::Compress::kForOtherMachines;
  if (text == "always") return http::Compress::kAlways;
  return InvalidArgument(fmt::format("'{}' is not never, remote or always", text));
}

ServerOptions* Options(Gathered* gathered) { return &gathered->config->options; }
LiveOptions* Live(Gathered* gathered) { return &gathered->config->options.live; }

// Sorted by name.
constexpr Property kProperties[] = {
    {"bennu.allow.unauthenticated", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &Options(gathered)->allow_unauthenticated);
     }},
    {"bennu.backup.root", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParseDirectory(text), &Options(gathered)->backup_root);
     }},
    {"bennu.http.compression", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParseCompress(text), &Options(gathered)->http_compress);
     }},
    {"bennu.http.users", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParseFile(text), &Options(gathered)->users_file);
     }},
    {"bennu.load.root", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParseDirectory(text), &Options(gathered)->load_root);
     }},
    {"bennu.log.format", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParseLogFormat(text), &gathered->config->log_format);
     }},
    {"bennu.log.level", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParseLogLevel(text), &gathered->config->log_level);
     }},
    {"bennu.wire.memory", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::BytesValue(text), &Options(gathered)->wire_bytes_max);
     }},
    {"hbase.client.scanner.timeout.period", true,
     [](const std::string& text, Gathered* gathered) {
       int64_t millis = 0;
       RETURN_IF_ERROR(api::StoreValue(api::IntegerValue(text, 1, api::kIntPropertyMax), &millis));
       Live(gathered)->scanner_lease = std::chrono::milliseconds(millis);
       return Status::Ok();
     }},
    {"hbase.ipc.max.request.size", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, 1, api::kIntPropertyMax),
                              &Live(gathered)->request_bytes_max);
     }},
    {"hbase.ipc.server.max.callqueue.length", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, 1, api::kIntPropertyMax),
                              &Live(gathered)->queued_calls_max);
     }},
    {"hbase.ipc.server.max.callqueue.size", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::BytesValue(text), &Live(gathered)->queued_bytes_max);
     }},
    {"hbase.ipc.warn.response.size", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, -1, kLongMax), &Live(gathered)->slow.bytes);
     }},
    {"hbase.ipc.warn.response.time", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, -1, kLongMax), &Live(gathered)->slow.millis);
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
       return api::StoreValue(ParsePort(text), &Options(gathered)->http_port);
     }},
    {"hbase.master.ipc.address", false,
     [](const std::string& text, Gathered* gathered) {
       gathered->master_address = text;
       return Status::Ok();
     }},
    {"hbase.master.port", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParsePort(text), &Options(gathered)->master_port);
     }},
    {"hbase.master.quotas.observer.chore.period", false,
     [](const std::string& text, Gathered* gathered) {
       int64_t millis = 0;
       RETURN_IF_ERROR(api::StoreValue(api::IntegerValue(text, 1, api::kIntPropertyMax), &millis));
       Options(gathered)->space_look_period = std::chrono::milliseconds(millis);
       return Status::Ok();
     }},
    {"hbase.quota.enabled", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &Options(gathered)->quotas);
     }},
    {"hbase.regionserver.handler.count", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, 1, 10'000),
                              &Options(gathered)->handler_threads);
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
    {"hbase.regionserver.port", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParsePort(text), &Options(gathered)->region_server_port);
     }},
    {"hbase.regionserver.slowlog.buffer.enabled", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &Live(gathered)->slow.keep);
     }},
    {"hbase.regionserver.slowlog.ringbuffer.size", true,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::IntegerValue(text, 0, 1'000'000),
                              &Live(gathered)->slow.kept_max);
     }},
    {"hbase.rootdir", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParseDirectory(text), &Options(gathered)->directory);
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
       return api::StoreValue(ParseClientAuth(text), &gathered->tls.client_auth);
     }},
    {"hbase.server.netty.tls.enabled", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &gathered->tls_enabled);
     }},
    {"hbase.server.netty.tls.supportplaintext", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &gathered->tls_plaintext_too);
     }},
    {"hbase.server.netty.tls.verify.client.hostname", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &Options(gathered)->tls_verify_address);
     }},
    {"hbase.ssl.enabled", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(api::FlagValue(text), &Options(gathered)->http_tls);
     }},
    {"hbase.zookeeper.property.clientPort", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParsePort(text), &Options(gathered)->zookeeper_port);
     }},
    {"phoenix.queryserver.http.port", false,
     [](const std::string& text, Gathered* gathered) {
       return api::StoreValue(ParsePort(text), &Options(gathered)->phoenix_port);
     }},
};

Status ApplyGathered(const Gathered& gathered) {
  ServerOptions& options = gathered.config->options;
  if (gathered.tls_enabled) {
    RETURN_IF_ERROR(MakeServerTls(gathered.tls).status());
    options.tls = gathered.tls;
    // Who must show a certificate does not get past it by speaking without TLS, unless that was
    // said.
    const bool needed = gathered.tls.client_auth == TlsOptions::ClientAuth::kNeed;
    options.tls_plaintext_too = gathered.tls_plaintext_too.value_or(!needed);
  }
  if (options.http_tls && !gathered.tls_enabled) {
    return InvalidArgument(
        "hbase.ssl.enabled asks for TLS on the pages, which have the certificate of the other "
        "ports: set hbase.server.netty.tls.enabled and the keystore, too");
  }
  if (gathered.master_address.has_value() && *gathered.master_address != options.address) {
    return InvalidArgument(fmt::format(
        "hbase.master.ipc.address is {}, but hbase.regionserver.ipc.address {}: both are one "
        "server, which listens on one address",
        *gathered.master_address, options.address));
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
  engine::EngineProperties engine;
  for (const auto& [name, property] : properties) {
    Status status;
    if (const Property* const known = api::FindByName(kProperties, name); known != nullptr) {
      status = known->apply(property.value, &gathered);
      if (!status.ok()) status = Status(status.code(), name + ": " + status.message());
    } else if (engine::EngineProperties::Reads(name)) {
      status = engine.Add(name, property.value);
    } else {
      unread->push_back(name);
    }
    if (!status.ok()) complain(fmt::format("{}:{}: {}", path, property.line, status.message()));
  }
  for (const Status& status : {engine.ApplyTo(&config->options.engine), ApplyGathered(gathered)}) {
    if (!status.ok()) complain(fmt::format("{}: {}", path, status.message()));
  }
  return problems.empty() ? Status::Ok() : InvalidArgument(problems);
}

std::vector<std::string> NeedRestart(const SiteProperties& before, const SiteProperties& after) {
  std::vector<std::string> names;
  const auto look = [&names](const SiteProperties& from, const SiteProperties& other, bool gone) {
    for (const auto& [name, property] : from) {
      const Property* const known = api::FindByName(kProperties, name);
      if (known == nullptr ? !engine::EngineProperties::Reads(name) : known->live) continue;
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
