#include "src/cli/sql_command.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include "bennu/database.h"
#include "src/cli/error_report.h"
#include "src/cli/pager.h"
#include "src/cli/script.h"
#include "src/cli/shell.h"
#include "src/cli/shell_commands.h"
#include "src/cli/statement_runner.h"
#include "src/cli/store_conf.h"
#include "src/cli/store_place.h"
#include "src/cli/terminal.h"
#include "src/sql/types/text.h"

namespace bennu::cli {

namespace {

// False: it can not be read.
bool RunFile(const std::string& path, const ScriptOptions& options, StatementRunner* runner,
             ShellCommands* commands, ScriptEnd* end) {
  if (path == "-") {
    *end = RunScript(std::cin, options, runner, commands);
    return true;
  }
  std::ifstream file(path);
  if (!file.good()) {
    std::fprintf(stderr, "ERROR: %s: the script cannot be read\n", path.c_str());
    return false;
  }
  *end = RunScript(file, options, runner, commands);
  return true;
}

ExitCode RunInputs(const SqlOptions& options, StatementRunner* runner, ShellCommands* commands) {
  for (const auto& [is_file, text] : options.inputs) {
    ScriptEnd end = ScriptEnd::kDone;
    if (is_file) {
      const ScriptOptions script = {/*line_numbers=*/true, options.keep_going};
      if (!RunFile(text, script, runner, commands, &end)) return kExitUsage;
    } else {
      std::istringstream input(text);
      end = RunScript(input, {/*line_numbers=*/false, options.keep_going}, runner, commands);
    }
    if (end != ScriptEnd::kDone) break;
  }
  return runner->exit_code();
}

// What the connection's end gives up.
void TellUncommitted(const SqlConnection& connection) {
  if (!connection.HasUncommitted()) return;
  std::fputs("warning: uncommitted changes are discarded\n", stderr);
}

}  // namespace

Result<int64_t> ParseScn(const std::string& text) {
  int64_t millis = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, millis);
  const bool is_number = stop == end && error == std::errc();
  if (!is_number) {
    const auto moment = sql::ParseDateTime(text);
    if (!moment.ok()) {
      return InvalidArgument(
          "'" + text +
          "' is not a time; examples are 1714564800000 (milliseconds since 1970) and "
          "'2024-05-01 12:00:00' (UTC)");
    }
    millis = moment->millis;
  }
  if (millis >= 0) return millis;
  return InvalidArgument("'" + text + "' is before 1970, and no cell has such a time");
}

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
  connect_options.tenant = options.tenant;
  connect_options.query_timeout_millis = options.timeout_millis;
  Result<std::unique_ptr<SqlConnection>> connection = (*database)->Connect(connect_options);
  if (!connection.ok()) {
    std::fputs(FormatError(connection.status(), "", 0).c_str(), stderr);
    return ExitCodeOfOpening(connection.status());
  }
  ResultPrinter printer(options.format, stdout, stderr);
  if (IsTerminal(STDOUT_FILENO)) printer.SetOnTerminal();
  StatementRunner runner(database->get(), connection->get(), &printer);
  runner.timing = options.timing;
  runner.echo = options.echo;
  runner.scn = options.scn;

  ShellCommands commands(connection->get(), &printer, &runner);
  if (!options.inputs.empty()) {
    const ExitCode code = RunInputs(options, &runner, &commands);
    if (code == kExitUsage) return code;
  } else if (IsTerminal(STDIN_FILENO)) {
    printer.SetPager(PagerCommand());
    return RunShell(options.directory, connection->get(), &commands, &runner);
  } else {
    RunScript(std::cin, {/*line_numbers=*/true, options.keep_going}, &runner, &commands);
  }
  TellUncommitted(**connection);
  return runner.exit_code();
}

}  // namespace bennu::cli
