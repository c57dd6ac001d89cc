// What the file of `bennu serve --config` means: HBase's properties, and a few of our own.
#ifndef BENNU_SRC_SERVER_CONFIG_SERVER_CONFIG_H_
#define BENNU_SRC_SERVER_CONFIG_SERVER_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/log.h"
#include "src/base/site_file.h"
#include "src/server/server.h"

namespace bennu::server::config {

enum class LogFormat { kText, kJson };

struct ServerConfig {
  ServerOptions options;  // directory is empty when the file does not name one
  LogFormat log_format = LogFormat::kText;
  std::optional<LogLevel> log_level;  // unset: as BENNU_LOG says, or warnings
};

// Changes 'config' as the properties say; properties that are not read are appended to 'unread',
// sorted. InvalidArgument: values that have no meaning, or ask for what the server does not have
// (all of them, one in a line, each with file and line). 'path' is the file's, for messages.
Status Apply(std::string_view path, const SiteProperties& properties, ServerConfig* config,
             std::vector<std::string>* unread);

// The names of properties in which the two differ and which count only from the next start on.
std::vector<std::string> NeedRestart(const SiteProperties& before, const SiteProperties& after);

// The properties that are read, sorted; but for those of the engine (engine_properties.h).
std::vector<std::string_view> PropertyNames();

// "text", "json"; "debug", "info", "warning", "error", "off". InvalidArgument.
Result<LogFormat> ParseLogFormat(std::string_view text);
Result<LogLevel> ParseLogLevel(std::string_view text);

}  // namespace bennu::server::config

#endif  // BENNU_SRC_SERVER_CONFIG_SERVER_CONFIG_H_
