#include "src/cli/store_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/api/store_configuration.h"
#include "src/base/status_macros.h"
#include "src/bennu/opened_store.h"
#include "src/bennu/phoenix_properties.h"
#include "src/engine/core/engine_properties.h"
#include "src/server/config/server_config.h"

namespace bennu::cli {

namespace {

bool IsOneOf(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool AddAssignment(const std::string& text, std::map<std::string, std::string>* values) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return false;
  (*values)[text.substr(0, equals)] = text.substr(equals + 1);
  return true;
}

Status ApplyProperties(const std::string& option,
                       const std::map<std::string, std::string>& properties,
                       DatabaseOptions* options) {
  DatabaseOptions alone;
  for (const auto& [name, value] : properties) {
    if (!engine::EngineProperties::Reads(name) && !IsOneOf(name, front::PhoenixPropertyNames())) {
      const bool serves = IsOneOf(name, server::config::PropertyNames());
      return InvalidArgument(fmt::format(
          "{} {}: {}", option, name,
          serves ? "only `bennu serve` reads this property" : "Bennu has no such property"));
    }
    options->configuration[name] = value;
    alone.configuration[name] = value;
  }
  if (const Status status = front::StoreOptionsOf(alone).status(); !status.ok()) {
    return Status(status.code(), option + " " + status.message());
  }
  return Status::Ok();
}

Status ApplyConf(const std::vector<std::string>& properties, DatabaseOptions* options) {
  std::map<std::string, std::string> values;
  for (const std::string& property : properties) {
    if (!AddAssignment(property, &values)) {
      return InvalidArgument(fmt::format("--conf {}: this is not NAME=VALUE", property));
    }
  }
  return ApplyProperties("--conf", values, options);
}

Result<DatabaseOptions> DatabaseOptionsOf(const StoreArguments& arguments) {
  if (!arguments.config_file.empty()) {
    return InvalidArgument(
        "--config applies to a cluster only; a directory takes properties by --conf NAME=VALUE");
  }
  DatabaseOptions options;
  options.memory_bytes = arguments.memory_bytes;
  RETURN_IF_ERROR(ApplyConf(arguments.conf, &options));
  if (arguments.map_files) options.configuration[api::kMapFilesKey] = "true";
  if (const Status status = front::StoreOptionsOf(options).status(); !status.ok()) {
    return InvalidArgument("--memory: " + status.message());
  }
  return options;
}

}  // namespace bennu::cli
