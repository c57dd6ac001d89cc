// http://HOST:PORT in place of a store's directory: a query server.
#ifndef BENNU_SRC_CLI_QUERY_SERVER_H_
#define BENNU_SRC_CLI_QUERY_SERVER_H_

#include <string>

#include "bennu/sql_client.h"
#include "bennu/status.h"
#include "src/cli/exit_code.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

// Adds to 'options' what the URL and the command's arguments say: the user, properties of the
// connection, whom to trust. The password of a user without one comes from BENNU_PASSWORD, or from
// whoever sits at the terminal. InvalidArgument: arguments that are about a directory or a cluster
// only, that nobody reads, or that cannot be read.
Status ReadQueryServerOptions(const std::string& url, const StoreArguments& arguments,
                              SqlClientOptions* options);

// What a connection that failed ends with.
ExitCode ExitCodeOfConnecting(const Status& status);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_QUERY_SERVER_H_
