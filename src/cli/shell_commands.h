// Commands for the shell itself: !tables, !describe T … and their psql forms \dt, \d T.
#ifndef BENNU_SRC_CLI_SHELL_COMMANDS_H_
#define BENNU_SRC_CLI_SHELL_COMMANDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "bennu/database.h"
#include "src/cli/result_printer.h"
#include "src/cli/statement_runner.h"

namespace bennu::cli {

class ShellCommands {
 public:
  // All must outlive this.
  ShellCommands(SqlConnection* connection, ResultPrinter* printer, StatementRunner* runner)
      : connection_(connection), printer_(printer), runner_(runner) {}

  // Whether a line that begins a statement is for the shell: it begins with ! or \, or is one of
  // the words exit, quit and help.
  static bool IsCommand(std::string_view line);
  enum class Outcome { kDone, kFailed, kQuit };
  // Runs it. kFailed: it was told why, and the runner's exit code says so.
  Outcome Run(std::string_view line);
  // The names of commands without the ! and in lower case, sorted.
  static std::vector<std::string_view> Names();
  // Whether the command wants a table's name behind it. 'name': as in Names, or of psql.
  static bool WantsTable(std::string_view name);

 private:
  Outcome Fail(const std::string& message, std::string_view hint = "");
  Outcome Acknowledge(const Status& status);
  Outcome ListTables();
  Outcome ListIndexes(std::string_view table);  // empty: of all tables
  Outcome Describe(std::string_view table);
  Outcome SetFormat(std::string_view name);
  Outcome SetTiming(std::string_view value);
  Outcome SetAutocommit(std::string_view value);
  Outcome RunScriptFile(const std::string& path);

  SqlConnection* const connection_;
  ResultPrinter* const printer_;
  StatementRunner* const runner_;
  int script_depth_ = 0;  // scripts that run each other
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SHELL_COMMANDS_H_
