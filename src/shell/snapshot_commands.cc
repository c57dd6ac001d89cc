// Snapshots of tables.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/shell/command.h"
#include "src/shell/options.h"

namespace bennu::shell {

namespace {

// The one way in which a store keeps track of a family's files.
constexpr char kDefaultTracker[] = "DEFAULT";

Status NameSnapshot(const Status& status, const std::string& name) {
  if (status.code() != StatusCode::kNotFound) return status;
  return NotFound(fmt::format("Unknown snapshot {}!", name));
}

Result<Value> RunSnapshot(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName table, ParseTableName(arguments[0]));
  SnapshotOptions snapshot;
  snapshot.owner = environment.user;
  ASSIGN_OR_RETURN(Options options, Options::Of(ArgumentAt(arguments, 2)));
  ASSIGN_OR_RETURN(snapshot.skip_flush, options.Boolean("SKIP_FLUSH", false));
  ASSIGN_OR_RETURN(snapshot.ttl_seconds, options.Integer("TTL", 0));
  if (snapshot.ttl_seconds < 0) return InvalidArgument("TTL must not be negative");
  RETURN_IF_ERROR(options.CheckAllKnown());
  ASSIGN_OR_RETURN(const bool exists, environment.admin()->TableExists(table));
  if (!exists) {
    return NotFound(
        fmt::format("Table '{}' doesn't exist, can't take snapshot.", table.ToString()));
  }
  RETURN_IF_ERROR(environment.admin()->SnapshotTable(arguments[1].ToText(), table, snapshot));
  return Value();
}

// Shows those that 'wanted' accepts and returns their names.
template <typename Wanted>
Result<std::vector<std::string>> Show(const Environment& environment, const Wanted& wanted) {
  environment.printer->Header("SNAPSHOT", "TABLE + CREATION TIME");
  ASSIGN_OR_RETURN(const auto snapshots, environment.admin()->ListSnapshots());
  std::vector<std::string> names;
  for (const SnapshotDescription& snapshot : snapshots) {
    ASSIGN_OR_RETURN(const bool is_wanted, wanted(snapshot));
    if (!is_wanted) continue;
    environment.printer->Row(snapshot.name, fmt::format("{} ({})", snapshot.table.ToString(),
                                                        TimeText(snapshot.creation_millis)));
    names.push_back(snapshot.name);
  }
  return names;
}

Result<bool> Matches(const std::string& name, const Value& regex) {
  ASSIGN_OR_RETURN(const auto matching, MatchingNames({name}, regex));
  return !matching.empty();
}

Result<Value> RunListSnapshots(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto names, Show(environment, [&](const SnapshotDescription& snapshot) {
                     return Matches(snapshot.name, ArgumentAt(arguments, 0));
                   }));
  environment.printer->Footer(names.size());
  return Value::Strings(names);
}

// Of tables, and of snapshots, whose names match.
Result<std::vector<std::string>> ShowOfTables(const Environment& environment,
                                              const Arguments& arguments) {
  return Show(environment, [&](const SnapshotDescription& snapshot) -> Result<bool> {
    ASSIGN_OR_RETURN(const bool table, Matches(snapshot.table.ToString(), arguments[0]));
    ASSIGN_OR_RETURN(const bool name, Matches(snapshot.name, ArgumentAt(arguments, 1)));
    return table && name;
  });
}

Result<Value> RunListTableSnapshots(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto names, ShowOfTables(environment, arguments));
  environment.printer->Footer(names.size());
  return Value::Strings(names);
}

Result<Value> RunCloneSnapshot(const Environment& environment, const Arguments& arguments) {
  const std::string snapshot = arguments[0].ToText();
  ASSIGN_OR_RETURN(const TableName table, ParseTableName(arguments[1]));
  ASSIGN_OR_RETURN(const bool exists, environment.admin()->TableExists(table));
  if (exists) return AlreadyExists(fmt::format("Table already exists: {}!", table.ToString()));
  ASSIGN_OR_RETURN(Options options, Options::Of(ArgumentAt(arguments, 2)));
  // There are no rights to restore.
  RETURN_IF_ERROR(options.Boolean("RESTORE_ACL", false).status());
  const std::string tracker = options.Text("CLONE_SFT").value_or(kDefaultTracker);
  if (tracker != kDefaultTracker) {
    return NotSupported(
        fmt::format("store file tracker {} is not there; there is {}", tracker, kDefaultTracker));
  }
  RETURN_IF_ERROR(options.CheckAllKnown());
  RETURN_IF_ERROR(NameSnapshot(environment.admin()->CloneSnapshot(snapshot, table), snapshot));
  return Value();
}

Result<Value> RunRestoreSnapshot(const Environment& environment, const Arguments& arguments) {
  Admin* const admin = environment.admin();
  const std::string name = arguments[0].ToText();
  ASSIGN_OR_RETURN(const auto snapshots, admin->ListSnapshots());
  const auto found =
      std::find_if(snapshots.begin(), snapshots.end(),
                   [&](const SnapshotDescription& snapshot) { return snapshot.name == name; });
  if (found == snapshots.end()) {
    return NotFound("Unable to find the table name for snapshot=" + name);
  }
  ASSIGN_OR_RETURN(Options options, Options::Of(ArgumentAt(arguments, 1)));
  RETURN_IF_ERROR(options.Boolean("RESTORE_ACL", false).status());
  RETURN_IF_ERROR(options.CheckAllKnown());
  const TableName& table = found->table;
  ASSIGN_OR_RETURN(const bool exists, admin->TableExists(table));
  if (exists) {
    ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(table));
    if (enabled) {
      return FailedPrecondition(fmt::format("Table {} should be disabled!", table.ToString()));
    }
  }
  RETURN_IF_ERROR(admin->RestoreSnapshot(name));
  return Value();
}

Result<Value> RunDeleteSnapshot(const Environment& environment, const Arguments& arguments) {
  const std::string name = arguments[0].ToText();
  RETURN_IF_ERROR(NameSnapshot(environment.admin()->DeleteSnapshot(name), name));
  return Value();
}

Result<Value> DeleteThem(const Environment& environment, const std::vector<std::string>& names,
                         const std::string& none) {
  Printer* const printer = environment.printer;
  if (names.empty()) {
    printer->Line(none);
    return Value();
  }
  if (!Confirmed(environment, fmt::format("Delete the above {} snapshots", names.size()))) {
    return Value();
  }
  size_t deleted = 0;
  std::string failed;
  for (const std::string& name : names) {
    const Status status = environment.admin()->DeleteSnapshot(name);
    deleted += status.ok() ? 1 : 0;
    if (!status.ok()) failed += (failed.empty() ? "" : ",") + name;
  }
  printer->Line(fmt::format("{} snapshots successfully deleted.", deleted));
  if (!failed.empty()) {
    printer->Line(fmt::format("{} snapshots not deleted due to an exception: {}",
                              names.size() - deleted, failed));
  }
  return Value();
}

Result<Value> RunDeleteAllSnapshot(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto names, Show(environment, [&](const SnapshotDescription& snapshot) {
                     return Matches(snapshot.name, arguments[0]);
                   }));
  return DeleteThem(environment, names, "No snapshots matched the regex " + arguments[0].ToText());
}

Result<Value> RunDeleteTableSnapshots(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto names, ShowOfTables(environment, arguments));
  return DeleteThem(
      environment, names,
      fmt::format("No snapshots matched the table name regex {} and the snapshot "
                  "name regex {}",
                  arguments[0].ToText(), arguments.size() > 1 ? arguments[1].ToText() : ".*"));
}

}  // namespace

std::vector<Command> SnapshotCommands() {
  return {
      {"snapshot", "snapshots", 2, 3, RunSnapshot, true},
      {"list_snapshots", "snapshots", 0, 1, RunListSnapshots, false},
      {"list_table_snapshots", "snapshots", 1, 2, RunListTableSnapshots, true},
      {"clone_snapshot", "snapshots", 2, 3, RunCloneSnapshot, false},
      {"restore_snapshot", "snapshots", 1, 2, RunRestoreSnapshot, false},
      {"delete_snapshot", "snapshots", 1, 1, RunDeleteSnapshot, false},
      {"delete_all_snapshot", "snapshots", 1, 1, RunDeleteAllSnapshot, false},
      {"delete_table_snapshots", "snapshots", 1, 2, RunDeleteTableSnapshots, true},
  };
}

}  // namespace bennu::shell
