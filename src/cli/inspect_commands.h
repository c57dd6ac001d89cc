// bennu hfile, bennu wal: what is in a file, as text.
#ifndef BENNU_SRC_CLI_INSPECT_COMMANDS_H_
#define BENNU_SRC_CLI_INSPECT_COMMANDS_H_

#include <string>

#include "src/cli/exit_code.h"

namespace bennu::cli {

// Prints the cells of an HFile, or its trailer, file info, indexes and bloom filters.
ExitCode RunHFile(const std::string& path, bool cells);

// Prints the entries of a write-ahead log. A torn tail is told on standard error and is no failure;
// damage in the middle is one, unless it is to be skipped.
ExitCode RunWal(const std::string& path, bool skip_damage);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_INSPECT_COMMANDS_H_
