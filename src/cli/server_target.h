// HOST:PORT in place of a store's directory: a running server.
#ifndef BENNU_SRC_CLI_SERVER_TARGET_H_
#define BENNU_SRC_CLI_SERVER_TARGET_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/cli/exit_code.h"
#include "src/cli/store_conf.h"
#include "src/client/options.h"

namespace bennu::cli {

// Whether it names a server (or several, with commas); a directory of such a name is "./HOST:PORT".
bool LooksLikeServer(const std::string& target);
// A folder's path as a server, which has a working directory of its own, or a recovery finds it.
std::string AbsolutePath(const std::string& path);
// Who runs this.
std::string UserName();
// InvalidArgument: arguments that are about a directory only.
Status CheckServerArguments(const StoreArguments& arguments);
// "KEY=VALUE" of each -D. InvalidArgument: it is not.
Status ReadConfiguration(const std::vector<std::string>& texts,
                         std::map<std::string, std::string>* configuration);
// How to connect to it, ready for bulk loads. InvalidArgument: not an address, or a property that
// means nothing.
Result<client::ClientOptions> ServerOptionsOf(
    const std::string& target, const std::map<std::string, std::string>& configuration);

// Connects as a command's arguments say; *failure is the command's exit code when it fails.
Result<std::unique_ptr<Connection>> ConnectToServer(const std::string& target,
                                                    const StoreArguments& arguments,
                                                    ExitCode* failure);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SERVER_TARGET_H_
