#include "src/cli/exit_code.h"

namespace bennu::cli {

ExitCode ExitCodeOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk: return kExitOk;
    case StatusCode::kCorruption:
    case StatusCode::kIoError:
    case StatusCode::kNoSpace:
    case StatusCode::kHeld: return kExitStore;
    default: return kExitStatementFailed;
  }
}

}  // namespace bennu::cli
