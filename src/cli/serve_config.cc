#include "src/cli/serve_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "src/api/property_values.h"
#include "src/base/status_macros.h"
#include "src/bennu/engine_options.h"
#include "src/bennu/phoenix_properties.h"
#include "src/cli/store_place.h"
#include "src/engine/core/engine_properties.h"
#include "src/server/config/values.h"

namespace bennu::cli {

namespace {

constexpr char kDirectory[] = "./bennu-data";

Status ApplyPort(const std::optional<std::string>& text, const char* option,
                 std::optional<uint16_t>* port) {
  if (!text.has_value()) return Status::Ok();
  const auto parsed = server::config::ParsePort(*text);
  if (!parsed.ok()) {
    return InvalidArgument(fmt::format("{}: {}", option, parsed.status().message()));
  }
  *port = *parsed;
  return Status::Ok();
}

Status ApplyOptions(const ServeOptions& options, server::config::ServerConfig* config) {
  server::ServerOptions& server = config->options;
  if (options.directory.has_value()) server.directory = *options.directory;
  if (server.directory.empty()) server.directory = kDirectory;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(server.directory, error);
  if (!error && !IsMemoryStore(server.directory))
    server.directory = absolute.lexically_normal().string();
  if (options.address.has_value()) server.address = *options.address;
  if (options.users_file.has_value()) server.users_file = *options.users_file;
  if (options.allow_unauthenticated) server.allow_unauthenticated = true;
  RETURN_IF_ERROR(ApplyPort(options.zookeeper_port, "--zk-port", &server.zookeeper_port));
  RETURN_IF_ERROR(ApplyPort(options.master_port, "--master-port", &server.master_port));
  RETURN_IF_ERROR(ApplyPort(options.region_server_port, "--rs-port", &server.region_server_port));
  RETURN_IF_ERROR(ApplyPort(options.http_port, "--http-port", &server.http_port));
  RETURN_IF_ERROR(ApplyPort(options.phoenix_port, "--phoenix-port", &server.phoenix_port));
  if (options.verbose) config->log_level = LogLevel::kInfo;
  if (options.log_format.has_value()) {
    const auto format = server::config::ParseLogFormat(*options.log_format);
    if (!format.ok()) {
      return InvalidArgument(fmt::format("--log-format: {}", format.status().message()));
    }
    config->log_format = *format;
  }
  return server::CheckAddress(server);
}

std::string PortText(const std::optional<uint16_t>& port) {
  return port.has_value() ? std::to_string(*port) : "none";
}

// Phoenix's properties of statistics, from among those that the server did not read itself. The
// others of Phoenix are for connections of SQL, which the server does not take.
Status ApplyStatistics(const std::string& path, ServeConfig* config) {
  front::Configuration statistics;
  for (const std::string_view name : front::StatisticsPropertyNames()) {
    const auto found = config->properties.find(std::string(name));
    if (found == config->properties.end()) continue;
    front::Configuration one = {{found->first, found->second.value}};
    if (const auto read = front::StatisticsOptionsOf(one); !read.ok()) {
      return InvalidArgument(
          fmt::format("{}:{}: {}", path, found->second.line, read.status().message()));
    }
    statistics.merge(one);
    std::erase(config->unread, name);
  }
  return api::StoreValue(front::StatisticsOptionsOf(statistics),
                         &config->server.options.sql.features.statistics);
}

// Queries get the share that they have of a database with the file's memory.
front::MemoryPlan PlanOf(const SiteProperties& properties) {
  DatabaseOptions options;
  const auto memory = properties.find(engine::kMemoryProperty);
  if (memory != properties.end()) options.configuration[memory->first] = memory->second.value;
  return front::PlanMemory(options);
}

}  // namespace

Result<ServeConfig> ReadServeConfig(const ServeOptions& options) {
  ServeConfig config;
  if (!options.config_file.empty()) {
    ASSIGN_OR_RETURN(config.properties, ReadSiteFile(options.config_file));
    RETURN_IF_ERROR(server::config::Apply(options.config_file, config.properties, &config.server,
                                          &config.unread));
  }
  RETURN_IF_ERROR(ApplyStatistics(options.config_file, &config));
  config.server.options.sql.memory = PlanOf(config.properties);
  RETURN_IF_ERROR(ApplyOptions(options, &config.server));
  return config;
}

std::string DescribeServeConfig(const ServeConfig& config) {
  const server::ServerOptions& options = config.server.options;
  std::string text;
  const auto add = [&text](std::string_view name, const auto& value) {
    text += fmt::format("{} = {}\n", name, value);
  };
  add("directory", options.directory);
  add("address", options.address);
  add("zookeeper port", PortText(options.zookeeper_port));
  add("master port", PortText(options.master_port));
  add("region server port", PortText(options.region_server_port));
  add("http address", options.http_address);
  add("http port", PortText(options.http_port));
  add("phoenix port", PortText(options.phoenix_port));
  add("authentication",
      options.allow_unauthenticated ? "none, allowed from other machines" : "none");
  add("block cache bytes", options.engine.block_cache_bytes);
  add("memstore bytes", options.engine.memstore_total_bytes);
  add("log sync", options.engine.wal_sync == engine::WalSync::kFsync ? "fdatasync" : "os");
  for (const auto& [name, value] : options.engine.configuration) add(name, value);
  if (!config.unread.empty()) add("not read", fmt::format("{}", fmt::join(config.unread, ", ")));
  return text;
}

}  // namespace bennu::cli
