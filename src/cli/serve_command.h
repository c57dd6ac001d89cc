// `bennu serve`: the store, for HBase's clients.
#ifndef BENNU_SRC_CLI_SERVE_COMMAND_H_
#define BENNU_SRC_CLI_SERVE_COMMAND_H_

#include <string>

namespace bennu::cli {

struct ServeOptions {
  std::string directory = "./bennu-data";
  std::string address = "127.0.0.1";
  // A number, 0 for any that is free, or "none".
  std::string zookeeper_port = "2181";
  std::string master_port = "16000";
  std::string region_server_port = "16020";
  std::string ready_file;
  bool allow_unauthenticated = false;
  bool verbose = false;
};

// Serves until SIGTERM or SIGINT; returns the exit code.
int RunServe(const ServeOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SERVE_COMMAND_H_
