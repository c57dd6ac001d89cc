// What `bennu serve` is to do, from its file of properties and its options.
#ifndef BENNU_SRC_CLI_SERVE_CONFIG_H_
#define BENNU_SRC_CLI_SERVE_CONFIG_H_

#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/cli/serve_command.h"
#include "src/server/config/server_config.h"

namespace bennu::cli {

struct ServeConfig {
  server::config::ServerConfig server;
  SiteProperties properties;        // of the file
  std::vector<std::string> unread;  // of them
};

// Options win over the file. InvalidArgument, NotFound, IoError.
Result<ServeConfig> ReadServeConfig(const ServeOptions& options);

// For people: "name = value" in lines.
std::string DescribeServeConfig(const ServeConfig& config);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SERVE_CONFIG_H_
