// A table behind a query server.
#ifndef BENNU_SRC_CLI_SERVER_LOAD_TARGET_H_
#define BENNU_SRC_CLI_SERVER_LOAD_TARGET_H_

#include <memory>

#include "src/cli/load_target.h"
#include "src/thin_client/thin_connection.h"

namespace bennu::cli {

// Rows go in messages of a batch, each with a commit of its own. IoError: no server answers.
Result<std::unique_ptr<LoadTarget>> ConnectLoadTarget(const thin_client::ThinOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SERVER_LOAD_TARGET_H_
