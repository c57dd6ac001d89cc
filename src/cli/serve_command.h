// `bennu serve`: the store, for HBase's clients.
#ifndef BENNU_SRC_CLI_SERVE_COMMAND_H_
#define BENNU_SRC_CLI_SERVE_COMMAND_H_

#include <optional>
#include <string>

namespace bennu::cli {

// What is not set is as the file of properties says, or else as HBase has it.
struct ServeOptions {
  std::optional<std::string> directory;
  std::string cluster;      // in place of a directory; empty: none
  std::string config_file;  // empty: none
  bool check_config = false;
  std::optional<std::string> address;
  // A number, 0 for any that is free, or "none".
  std::optional<std::string> zookeeper_port;
  std::optional<std::string> master_port;
  std::optional<std::string> region_server_port;
  std::optional<std::string> http_port;
  std::optional<std::string> phoenix_port;
  std::string ready_file;
  std::optional<std::string> users_file;
  bool allow_unauthenticated = false;
  std::optional<std::string> log_format;
  bool verbose = false;
};

// Serves until SIGTERM or SIGINT; returns the exit code.
int RunServe(const ServeOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SERVE_COMMAND_H_
