// How every command ends: a contract that scripts rely on.
#ifndef BENNU_SRC_CLI_EXIT_CODE_H_
#define BENNU_SRC_CLI_EXIT_CODE_H_

#include "bennu/status.h"

namespace bennu::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitStatementFailed = 1,
  kExitUsage = 2,
  kExitStore = 3,  // could not be opened, is held, is damaged, or an I/O fault
};

// What a failed statement, or a failed opening, ends with.
ExitCode ExitCodeOf(const Status& status);
// An opening that failed is the store's fault whatever the code, but for wrong usage.
inline ExitCode ExitCodeOfOpening(const Status& status) {
  return status.ok() ? kExitOk : kExitStore;
}

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_EXIT_CODE_H_
