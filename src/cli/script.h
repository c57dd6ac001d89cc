// Scripts of `bennu sql`: statements, and between them commands of the shell.
#ifndef BENNU_SRC_CLI_SCRIPT_H_
#define BENNU_SRC_CLI_SCRIPT_H_

#include <istream>

#include "src/cli/shell_commands.h"
#include "src/cli/statement_runner.h"

namespace bennu::cli {

struct ScriptOptions {
  bool line_numbers = true;  // errors tell the line in the script
  bool keep_going = false;   // after a statement or command that failed
};

enum class ScriptEnd {
  kDone,     // all of it was run
  kStopped,  // something failed
  kQuit,     // !quit
};

// Runs every statement as soon as it is complete.
ScriptEnd RunScript(std::istream& input, const ScriptOptions& options, StatementRunner* runner,
                    ShellCommands* commands);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SCRIPT_H_
