// Commands for the shell itself: !tables, !describe T … and their psql forms \dt, \d T.
#ifndef BENNU_SRC_CLI_SHELL_COMMANDS_H_
#define BENNU_SRC_CLI_SHELL_COMMANDS_H_

#include <string>
#include <string_view>

#include "bennu/database.h"
#include "src/cli/result_printer.h"
#include "src/cli/statement_runner.h"

namespace bennu::cli {

class ShellCommands {
 public:
  // All must outlive this.
  ShellCommands(SqlConnection* connection, ResultPrinter* printer, StatementRunner* runner)
      : connection_(connection), printer_(printer), runner_(runner) {}

  // Whether a line that begins a statement is for the shell.
  static bool IsCommand(std::string_view line);
  // Runs it; returns false when the shell is to end.
  bool Run(std::string_view line);

 private:
  void Describe(std::string_view table);
  void SetFormat(std::string_view name);
  void SetTiming(std::string_view value);
  void SetAutocommit(std::string_view value);
  void RunScriptFile(const std::string& path);

  SqlConnection* const connection_;
  ResultPrinter* const printer_;
  StatementRunner* const runner_;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SHELL_COMMANDS_H_
