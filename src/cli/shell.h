// The interactive shell of `bennu sql`: lines are edited with history and completion, statements
// may span lines, and commands that start with '!' or '\' are for the shell itself.
#ifndef BENNU_SRC_CLI_SHELL_H_
#define BENNU_SRC_CLI_SHELL_H_

#include <string>

#include "bennu/database.h"
#include "src/cli/exit_code.h"
#include "src/cli/shell_commands.h"
#include "src/cli/statement_runner.h"

namespace bennu::cli {

// Reads from the terminal until !quit or the end of input. Runs ~/.bennurc first and keeps history
// in ~/.bennu_history. Always ends well: failed statements were told as they happened.
ExitCode RunShell(const std::string& directory, SqlConnection* connection, ShellCommands* commands,
                  StatementRunner* runner);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SHELL_H_
