#include "src/cli/sql_command.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>

#include "bennu/database.h"
#include "src/cli/error_report.h"
#include "src/cli/shell.h"
#include "src/cli/statement_runner.h"
#include "src/cli/store_conf.h"
#include "src/cli/store_place.h"
#include "src/cli/terminal.h"
#include "src/cli/utf8_input.h"
#include "src/sql/parse/splitter.h"

namespace bennu::cli {

namespace {

using sql::parse::ScriptStatement;
using sql::parse::StatementSplitter;

// Runs every statement as soon as it is complete. Returns false when the script has to stop.
bool RunScript(std::istream& input, bool with_line_numbers, bool keep_going,
               StatementRunner* runner) {
  StatementSplitter splitter;
  const auto run = [&](const ScriptStatement& statement) {
    const Status status = runner->Run(statement.text, with_line_numbers ? statement.line : 0);
    // On a full disk readers go on, and writers once there is space again.
    const bool store_lost =
        ExitCodeOf(status) == kExitStore && status.code() != StatusCode::kNoSpace;
    return status.ok() || (keep_going && !store_lost);
  };
  std::string read;
  while (std::getline(input, read)) {
    std::string_view line = read;
    if (splitter.line() == 0) DropByteOrderMark(&line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    for (const ScriptStatement& statement : splitter.AddLine(line)) {
      if (!run(statement)) return false;
    }
  }
  const std::optional<ScriptStatement> last = splitter.Finish();
  return !last.has_value() || run(*last);
}

bool RunFile(const std::string& path, bool keep_going, StatementRunner* runner, bool* readable) {
  if (path == "-") return RunScript(std::cin, true, keep_going, runner);
  std::ifstream file(path);
  *readable = file.good();
  if (!file.good()) {
    std::fprintf(stderr, "ERROR: %s: the script can not be read\n", path.c_str());
    return false;
  }
  return RunScript(file, true, keep_going, runner);
}

ExitCode RunInputs(const SqlOptions& options, StatementRunner* runner) {
  for (const auto& [is_file, text] : options.inputs) {
    bool readable = true;
    bool go_on = true;
    if (is_file) {
      go_on = RunFile(text, options.keep_going, runner, &readable);
    } else {
      std::istringstream script(text);
      go_on = RunScript(script, false, options.keep_going, runner);
    }
    if (!readable) return kExitUsage;
    if (!go_on) break;
  }
  return runner->exit_code();
}

}  // namespace

ExitCode RunSql(const SqlOptions& options) {
  Result<DatabaseOptions> database_options = DatabaseOptionsOf(options.store);
  if (!database_options.ok()) {
    std::fputs(FormatError(database_options.status(), "", 0).c_str(), stderr);
    return kExitUsage;
  }
  if (!options.read_only) {
    if (const Status place = CheckStorePlace(options.directory); !place.ok()) {
      std::fputs(FormatError(place, "", 0).c_str(), stderr);
      return ExitCodeOfPlace(place);
    }
  }
  const bool is_new = !IsMemoryStore(options.directory) && !StoreExists(options.directory);
  database_options->read_only = options.read_only;
  database_options->create_if_missing = !options.read_only;
  Result<std::unique_ptr<Database>> database = Database::Open(options.directory, *database_options);
  if (!database.ok()) {
    std::fputs(FormatError(database.status(), "", 0).c_str(), stderr);
    return ExitCodeOfOpening(database.status());
  }
  if (is_new && IsTerminal(STDERR_FILENO)) {
    std::fprintf(stderr, "Created a new store in %s.\n", options.directory.c_str());
  }
  ConnectOptions connect_options;
  connect_options.current_scn = options.scn;
  connect_options.query_timeout_millis = options.timeout_millis;
  Result<std::unique_ptr<SqlConnection>> connection = (*database)->Connect(connect_options);
  if (!connection.ok()) {
    std::fputs(FormatError(connection.status(), "", 0).c_str(), stderr);
    return ExitCodeOfOpening(connection.status());
  }
  ResultPrinter printer(options.format, stdout, stderr);
  StatementRunner runner(database->get(), connection->get(), &printer);
  runner.timing = options.timing;
  runner.echo = options.echo;

  if (!options.inputs.empty()) return RunInputs(options, &runner);
  if (IsTerminal(STDIN_FILENO)) {
    return RunShell(options.directory, connection->get(), &printer, &runner);
  }
  RunScript(std::cin, true, options.keep_going, &runner);
  return runner.exit_code();
}

}  // namespace bennu::cli
