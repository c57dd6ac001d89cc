#include "src/cli/sql_command.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

#include "bennu/database.h"
#include "bennu/sql_client.h"
#include "src/base/status_macros.h"
#include "src/cli/error_report.h"
#include "src/cli/pager.h"
#include "src/cli/password_prompt.h"
#include "src/cli/script.h"
#include "src/cli/server_target.h"
#include "src/cli/shell.h"
#include "src/cli/shell_commands.h"
#include "src/cli/statement_runner.h"
#include "src/cli/store_conf.h"
#include "src/cli/store_place.h"
#include "src/cli/terminal.h"
#include "src/sql/types/text.h"
#include "src/thin_client/url.h"

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

// Moves the property's value out of the properties, if it is there. The names are Avatica's.
void TakeProperty(const char* name, SqlClientOptions* client, std::string* value) {
  const auto found = client->properties.find(name);
  if (found == client->properties.end()) return;
  *value = found->second;
  client->properties.erase(found);
}

// Who asks: as the properties or the URL say. The password of a user without one comes from
// BENNU_PASSWORD, or from whoever sits at the terminal.
Status TakeCredentials(const std::string& url, SqlClientOptions* client) {
  ASSIGN_OR_RETURN(const thin_client::Url parsed, thin_client::ParseUrl(url));
  client->user = parsed.user;
  client->password = parsed.password;
  TakeProperty("avatica_user", client, &client->user);
  TakeProperty("avatica_password", client, &client->password);
  TakeProperty("truststore", client, &client->truststore);
  TakeProperty("truststore_password", client, &client->truststore_password);
  if (client->user.empty() || !client->password.empty()) return Status();
  if (const char* const given = std::getenv("BENNU_PASSWORD"); given != nullptr) {
    client->password = given;
    return Status();
  }
  auto asked = AskPassword("Password for " + client->user + ": ");
  if (!asked.ok()) {
    return InvalidArgument("the user " + client->user +
                           " needs a password: set the variable BENNU_PASSWORD");
  }
  client->password = std::move(asked).value();
  return Status();
}

ExitCode ConnectToServer(const SqlOptions& options, SqlTarget* target) {
  if (const Status fit = CheckServerArguments(options.store); !fit.ok()) {
    return ReportError(fit, kExitUsage);
  }
  SqlClientOptions client;
  client.connection = ConnectOptionsOf(options);
  client.connection.read_only = options.read_only;
  for (const std::string& text : options.store.conf) {
    if (AddAssignment(text, &client.properties)) continue;
    return ReportError(InvalidArgument("--conf wants NAME=VALUE, not " + text), kExitUsage);
  }
  if (const Status known = TakeCredentials(options.directory, &client); !known.ok()) {
    return ReportError(known, kExitUsage);
  }
  auto connection = SqlClient::Connect(options.directory, client);
  if (!connection.ok()) {
    const bool usage = connection.status().code() == StatusCode::kInvalidArgument;
    return ReportError(connection.status(), usage ? kExitUsage : kExitStore);
  }
  target->connection = std::move(connection).value();
  return kExitOk;
}

ExitCode OpenStore(const SqlOptions& options, SqlTarget* target) {
  Result<DatabaseOptions> database_options = DatabaseOptionsOf(options.store);
  if (!database_options.ok()) return ReportError(database_options.status(), kExitUsage);
  if (!options.read_only) {
    if (const Status place = CheckStorePlace(options.directory); !place.ok()) {
      return ReportError(place, ExitCodeOfPlace(place));
    }
  }
  const bool is_new = !IsMemoryStore(options.directory) && !StoreExists(options.directory);
  database_options->read_only = options.read_only;
  database_options->create_if_missing = !options.read_only;
  Result<std::unique_ptr<Database>> database = Database::Open(options.directory, *database_options);
  if (!database.ok()) return ReportError(database.status(), ExitCodeOfOpening(database.status()));
  if (is_new && IsTerminal(STDERR_FILENO)) {
    std::fprintf(stderr, "Created a new store in %s.\n", options.directory.c_str());
  }
  auto connection = (*database)->Connect(ConnectOptionsOf(options));
  if (!connection.ok())
    return ReportError(connection.status(), ExitCodeOfOpening(connection.status()));
  target->database = std::move(database).value();
  target->connection = std::move(connection).value();
  return kExitOk;
}

ExitCode Connect(const SqlOptions& options, SqlTarget* target) {
  return thin_client::IsUrl(options.directory) ? ConnectToServer(options, target)
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
  StatementRunner runner(target.database.get(), connection, &printer);
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
