// A cluster in place of a store's directory: `bennu serve`, or a real HBase.
#ifndef BENNU_SRC_CLI_SERVER_TARGET_H_
#define BENNU_SRC_CLI_SERVER_TARGET_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/cli/exit_code.h"
#include "src/cli/store_conf.h"
#include "src/client/options.h"

namespace bennu::cli {

// A folder's path as a server, which has a working directory of its own, or a recovery finds it.
std::string AbsolutePath(const std::string& path);
// InvalidArgument: arguments that are about a directory only.
Status CheckServerArguments(const StoreArguments& arguments);
// "KEY=VALUE" of each -D. InvalidArgument: it is not.
Status ReadConfiguration(const std::vector<std::string>& texts,
                         std::map<std::string, std::string>* configuration);
// How to connect to 'target' (a form of client/cluster_url.h), ready for bulk loads. 'config_file':
// --config, or empty. Errors are those of client::ReadClusterOptions, which refuses a property that
// means nothing.
Result<client::ClientOptions> ServerOptionsOf(const std::string& target,
                                              const std::string& config_file,
                                              const std::map<std::string, std::string>& properties);

// Connects as a command's arguments say; *failure is the command's exit code when it fails.
Result<std::unique_ptr<Connection>> ConnectToServer(const std::string& target,
                                                    const StoreArguments& arguments,
                                                    ExitCode* failure);

// How SQL of this process over the cluster is opened. InvalidArgument: wrong usage; errors of
// client::ReadClusterOptions.
Result<DatabaseOptions> ClusterDatabaseOptionsOf(const std::string& target,
                                                 const StoreArguments& arguments);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SERVER_TARGET_H_
