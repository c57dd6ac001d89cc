#include "src/cli/server_target.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "src/base/status_macros.h"
#include "src/base/user_name.h"
#include "src/bennu/opened_cluster.h"
#include "src/cli/load_tools.h"
#include "src/client/cluster_config.h"
#include "src/client/connect.h"

namespace bennu::cli {

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

Status CheckServerArguments(const StoreArguments& arguments) {
  for (const auto& [given, option] : {std::pair(arguments.memory_bytes != 0, "--memory"),
                                      std::pair(arguments.map_files, "--mmap")}) {
    if (!given) continue;
    return InvalidArgument(std::string(option) +
                           " applies to a directory only; a server has a configuration of its own "
                           "(bennu serve --config)");
  }
  return Status::Ok();
}

Status ReadConfiguration(const std::vector<std::string>& texts,
                         std::map<std::string, std::string>* configuration) {
  for (const std::string& text : texts) {
    if (!AddAssignment(text, configuration)) {
      return InvalidArgument("-D wants KEY=VALUE, not " + text);
    }
  }
  return Status::Ok();
}

Result<client::ClientOptions> ServerOptionsOf(
    const std::string& target, const std::string& config_file,
    const std::map<std::string, std::string>& properties) {
  ASSIGN_OR_RETURN(client::ClientOptions options,
                   client::ReadClusterOptions({target, config_file, properties}));
  options.user = EffectiveUserName();
  options.load_tools = MakeLoadTools();
  return options;
}

Result<std::unique_ptr<Connection>> ConnectToServer(const std::string& target,
                                                    const StoreArguments& arguments,
                                                    ExitCode* failure) {
  *failure = kExitUsage;
  RETURN_IF_ERROR(CheckServerArguments(arguments));
  std::map<std::string, std::string> configuration;
  RETURN_IF_ERROR(ReadConfiguration(arguments.conf, &configuration));
  ASSIGN_OR_RETURN(const client::ClientOptions options,
                   ServerOptionsOf(target, arguments.config_file, configuration));
  *failure = kExitStore;
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, client::Connect(options));
  return connection;
}

Result<DatabaseOptions> ClusterDatabaseOptionsOf(const std::string& target,
                                                 const StoreArguments& arguments) {
  if (arguments.map_files) {
    return InvalidArgument(
        "--mmap applies to a directory only; a cluster's servers read its files");
  }
  DatabaseOptions options;
  options.memory_bytes = arguments.memory_bytes;
  options.site_file = arguments.config_file;
  RETURN_IF_ERROR(ReadConfiguration(arguments.conf, &options.configuration));
  std::map<std::string, std::string> others;
  RETURN_IF_ERROR(
      client::ReadClusterOptions({target, options.site_file, options.configuration}, &others)
          .status());
  RETURN_IF_ERROR(front::CheckSqlProperties(target, options.configuration, others));
  return options;
}

}  // namespace bennu::cli
