// Runs statements one after the other on one connection and prints what they give. Shared by the
// script and the interactive forms of `bennu sql`.
#ifndef BENNU_SRC_CLI_STATEMENT_RUNNER_H_
#define BENNU_SRC_CLI_STATEMENT_RUNNER_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bennu/database.h"
#include "src/cli/exit_code.h"
#include "src/cli/result_printer.h"

namespace bennu::cli {

class StatementRunner {
 public:
  // Both must outlive this.
  StatementRunner(SqlConnection* connection, ResultPrinter* printer)
      : connection_(connection), printer_(printer) {}

  // 'first_line': of the statement in its script, 0 when it has none. A statement that takes over a
  // second shows progress on a terminal; Ctrl-C cancels it.
  Status Run(std::string_view statement, int first_line);

  // What is not a statement has failed.
  void Fail(ExitCode code) { exit_code_ = std::max(exit_code_, code); }

  bool timing = false;
  bool echo = false;  // print each statement before its answer
  // The connection's CurrentSCN. The first rows that are written at it bring a notice.
  std::optional<int64_t> scn;
  // How the worst statement so far failed.
  ExitCode exit_code() const { return exit_code_; }

 private:
  Status Execute(std::string_view statement);
  void NoteWritten(int64_t rows);

  SqlConnection* const connection_;
  ResultPrinter* const printer_;
  ExitCode exit_code_ = kExitOk;
  bool scn_was_noted_ = false;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_STATEMENT_RUNNER_H_
