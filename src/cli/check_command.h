// `bennu check`.
#ifndef BENNU_SRC_CLI_CHECK_COMMAND_H_
#define BENNU_SRC_CLI_CHECK_COMMAND_H_

#include <string>

#include "src/cli/exit_code.h"

namespace bennu::cli {

struct CheckCommandOptions {
  std::string directory;
  bool repair = false;
  bool json = false;
  bool indexes = false;  // each index against its table, too
};

// A line per finding on standard output, after a repair a line per action, then the totals.
ExitCode RunCheck(const CheckCommandOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_CHECK_COMMAND_H_
