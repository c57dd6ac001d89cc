#include "src/cli/sql_command.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

#include "bennu/database.h"
#include "bennu/sql_client.h"
#include "src/cli/error_report.h"
#include "src/cli/pager.h"
#include "src/cli/query_server.h"
#include "src/cli/script.h"
#include "src/cli/server_target.h"
#include "src/cli/shell.h"
#include "src/cli/shell_commands.h"
#include "src/cli/statement_runner.h"
#include "src/cli/store_conf.h"
#include "src/cli/store_place.h"
#include "src/cli/terminal.h"
#include "src/client/cluster_url.h"
#include "src/sql/types/text.h"
#include "src/thin_client/url.h"

namespace bennu::cli {

namespace {

// False: it cannot be read.
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

// Where statements go: a store of this process, or a query server.
struct SqlTarget {
  std::unique_ptr<Database> database;  // null: a server
  std::unique_ptr<SqlConnection> connection;
};

ConnectOptions ConnectOptionsOf(const SqlOptions& options) {
  ConnectOptions connect;
  connect.current_scn = options.scn;
  connect.tenant = options.tenant;
  connect.query_timeout_millis = options.timeout_millis;
  return connect;
}

ExitCode ConnectToServer(const SqlOptions& options, SqlTarget* target) {
  SqlClientOptions client;
  client.connection = ConnectOptionsOf(options);
  client.connection.read_only = options.read_only;
  const Status read = ReadQueryServerOptions(options.directory, options.store, &client);
  if (!read.ok()) return ReportError(read, kExitUsage);
  auto connection = SqlClient::Connect(options.directory, client);
  if (!connection.ok()) {
    return ReportError(connection.status(), ExitCodeOfConnecting(connection.status()));
  }
  target->connection = std::move(connection).value();
  return kExitOk;
}

ExitCode OpenStore(const SqlOptions& options, SqlTarget* target) {
  Result<DatabaseOptions> database_options = DatabaseOptionsOf(options.store);
  if (!database_options.ok()) return ReportError(database_options.status(), kExitUsage);
  const Status place =
      options.read_only ? CheckStoreName(options.directory) : CheckStorePlace(options.directory);
  if (!place.ok()) return ReportError(place, ExitCodeOfPlace(place));
  const bool is_new = !IsMemoryStore(options.directory) && !StoreExists(options.directory);
  database_options->read_only = options.read_only;
  database_options->create_if_missing = !options.read_only;
  Result<std::unique_ptr<Database>> database = Database::Open(options.directory, *database_options);
  if (!database.ok()) return ReportError(database.status(), ExitCodeOfOpening(database.status()));
  if (is_new) TellOfNewStore(options.directory);
  auto connection = (*database)->Connect(ConnectOptionsOf(options));
  if (!connection.ok())
    return ReportError(connection.status(), ExitCodeOfOpening(connection.status()));
  target->database = std::move(database).value();
  target->connection = std::move(connection).value();
  return kExitOk;
}

// SQL of this process over a cluster.
ExitCode OpenCluster(const SqlOptions& options, SqlTarget* target) {
  const Result<DatabaseOptions> database_options =
      ClusterDatabaseOptionsOf(options.directory, options.store);
  if (!database_options.ok()) return ReportError(database_options.status(), kExitUsage);
  auto database = Database::Open(options.directory, *database_options);
  if (!database.ok()) return ReportError(database.status(), ExitCodeOfOpening(database.status()));
  ConnectOptions connect = ConnectOptionsOf(options);
  connect.read_only = options.read_only;
  auto connection = (*database)->Connect(connect);
  if (!connection.ok()) {
    return ReportError(connection.status(), ExitCodeOfOpening(connection.status()));
  }
  target->database = std::move(database).value();
  target->connection = std::move(connection).value();
  return kExitOk;
}

ExitCode Connect(const SqlOptions& options, SqlTarget* target) {
  if (thin_client::IsUrl(options.directory)) return ConnectToServer(options, target);
  return client::LooksLikeCluster(options.directory) ? OpenCluster(options, target)
                                                     : OpenStore(options, target);
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
  SqlTarget target;
  if (const ExitCode code = Connect(options, &target); code != kExitOk) return code;
  ResultPrinter printer(options.format, stdout, stderr);
  if (IsTerminal(STDOUT_FILENO)) printer.SetOnTerminal();
  SqlConnection* const connection = target.connection.get();
  StatementRunner runner(connection, &printer);
  runner.timing = options.timing;
  runner.echo = options.echo;
  runner.scn = options.scn;

  ShellCommands commands(connection, &printer, &runner);
  if (!options.inputs.empty()) {
    const ExitCode code = RunInputs(options, &runner, &commands);
    if (code == kExitUsage) return code;
  } else if (IsTerminal(STDIN_FILENO)) {
    printer.SetPager(PagerCommand());
    return RunShell(options.directory, connection, &commands, &runner);
  } else {
    RunScript(std::cin, {/*line_numbers=*/true, options.keep_going}, &runner, &commands);
  }
  TellUncommitted(*connection);
  return runner.exit_code();
}

}  // namespace bennu::cli
