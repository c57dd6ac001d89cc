// Command: a verb of the shell, and what its handler gets to work with.
//
// Handlers know the data API alone, so that they run over a client of a server as they run over a
// directory; those about a cluster's servers ask api::ClusterControl. Their messages are HBase's
// where scripts may look for them ("Unknown table t!").
#ifndef BENNU_SRC_SHELL_COMMAND_H_
#define BENNU_SRC_SHELL_COMMAND_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/admin.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/api/cluster_control.h"
#include "src/shell/printer.h"
#include "src/shell/value.h"

namespace bennu::shell {

// What the shell runs in. Everything pointed at must outlive the session.
struct Environment {
  Connection* connection = nullptr;
  api::ClusterControl* cluster = nullptr;  // null: a directory
  Printer* printer = nullptr;
  // The next line of input, for questions; nothing at its end.
  std::function<std::optional<std::string>()> read_line;
  std::function<uint64_t()> monotonic_nanos;
  std::function<bool()> cancelled;  // somebody wants the running command to stop
  std::string program = "bennu";    // in the prompt
  std::string version;              // of Bennu
  std::string user;                 // who runs it
  std::string groups;               // this one's, separated by commas; may be empty
  std::string target;               // the directory
  bool epoch_timestamps = false;    // milliseconds since 1970 in place of dates

  Admin* admin() const { return connection->admin(); }
};

using Arguments = std::vector<Value>;

struct Command {
  using Handler = Result<Value> (*)(const Environment&, const Arguments&);

  std::string_view name;
  std::string_view group;
  size_t arguments_min = 0;
  size_t arguments_max = 0;  // kAnyCount: no limit
  Handler handler = nullptr;
  // Its first argument is a table, so it can also be called as TABLE.name.
  bool of_table = false;

  static constexpr size_t kAnyCount = static_cast<size_t>(-1);
};

struct CommandGroup {
  std::string_view name;
  std::string_view title;
};

// In the order of help's listing.
const std::vector<CommandGroup>& CommandGroups();
// Sorted by name.
const std::vector<Command>& Commands();
// Also by another name (desc); null when there is none.
const Command* FindCommand(std::string_view name);

// The lists of the files *_commands.cc, which Commands() puts together.
std::vector<Command> GeneralCommands();
std::vector<Command> DataCommands();
std::vector<Command> ScanCommands();
std::vector<Command> TableCommands();
std::vector<Command> NamespaceCommands();
std::vector<Command> RegionCommands();
std::vector<Command> SnapshotCommands();
std::vector<Command> ClusterCommands();
std::vector<Command> QuotaCommands();

// ---- what handlers have in common

// The argument, or nil when it is not given.
inline const Value& ArgumentAt(const Arguments& arguments, size_t index) {
  static const Value kNil;
  return index < arguments.size() ? arguments[index] : kNil;
}

// InvalidArgument: not text, or no name that a table may have.
Result<TableName> ParseTableName(const Value& value);
// What operators ask of the cluster. NotSupported: it is a directory.
Result<api::ClusterControl*> ClusterOf(const Environment& environment);
// NotFound ("Unknown table t!"), FailedPrecondition ("Table t is disabled!").
Result<std::shared_ptr<Table>> OpenTable(const Environment& environment, const Value& name);
// NotFound("Table t does not exist.") unless it does.
Result<TableName> ExistingTable(const Environment& environment, const Value& name);
// The tables of users that the regular expression matches as a whole, in order. nil: all.
Result<std::vector<TableName>> MatchingTables(const Environment& environment, const Value& regex);
// Those of 'names' that the regular expression matches as a whole.
Result<std::vector<std::string>> MatchingNames(const std::vector<std::string>& names,
                                               const Value& regex);
// "2026-11-23 15:00:00 +0000", as Ruby shows local times.
std::string TimeText(int64_t millis);
// "Drop the above 2 tables (y/n)?", and whether the answer begins with y.
bool Confirmed(const Environment& environment, const std::string& question);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_COMMAND_H_
