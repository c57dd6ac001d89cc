#include "src/shell/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <regex>

#include "src/api/namespace_name.h"
#include "src/base/status_macros.h"

namespace bennu::shell {

namespace {

// std::regex throws on bad patterns, and deep ones cost stack: names are short, patterns bounded.
constexpr size_t kPatternMax = 1000;

Result<std::regex> CompileRegex(const Value& value) {
  const Bytes* const pattern = value.As<Bytes>();
  if (value.is_nil()) return std::regex(".*");
  if (pattern == nullptr) {
    return InvalidArgument("a regular expression in quotes is wanted, not " + value.Inspect());
  }
  if (pattern->size() > kPatternMax) return InvalidArgument("the regular expression is too long");
  try {
    return std::regex(*pattern);
  } catch (const std::regex_error&) {
    return InvalidArgument("'" + *pattern + "' is no regular expression");
  }
}

}  // namespace

const std::vector<CommandGroup>& CommandGroups() {
  static const std::vector<CommandGroup> groups = {
      {"general", "The shell and the store"},
      {"ddl", "Tables and their families"},
      {"namespace", "Namespaces"},
      {"dml", "Rows and cells"},
      {"tools", "Regions and files"},
      {"snapshots", "Snapshots of tables"},
      {"configuration", "What a running server reads anew"},
      {"quotas", "Throttles of a running server"},
      {"procedures", "Changes of tables that a master has under way"},
  };
  return groups;
}

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all;
    for (const auto& list :
         {GeneralCommands(), DataCommands(), ScanCommands(), TableCommands(), NamespaceCommands(),
          RegionCommands(), SnapshotCommands(), ClusterCommands(), QuotaCommands()}) {
      all.insert(all.end(), list.begin(), list.end());
    }
    std::sort(all.begin(), all.end(),
              [](const Command& a, const Command& b) { return a.name < b.name; });
    return all;
  }();
  return commands;
}

const Command* FindCommand(std::string_view name) {
  if (name == "desc") name = "describe";
  if (name == "hlog_roll") name = "wal_roll";
  const std::vector<Command>& all = Commands();
  const auto at =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const Command& command, std::string_view n) { return command.name < n; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

Result<TableName> ParseTableName(const Value& value) {
  if (const auto* reference = value.As<Value::TableReference>()) {
    return TableName::Parse(reference->name);
  }
  const Bytes* const text = value.As<Bytes>();
  if (text == nullptr) {
    return InvalidArgument("a table's name in quotes is wanted, not " + value.Inspect());
  }
  return TableName::Parse(*text);
}

Result<api::ClusterControl*> ClusterOf(const Environment& environment) {
  if (environment.cluster != nullptr) return environment.cluster;
  return NotSupported(
      "this is about a running server: give the shell its address (bennu shell HOST:PORT, or "
      "hbase://HOST)");
}

Result<std::shared_ptr<Table>> OpenTable(const Environment& environment, const Value& value) {
  ASSIGN_OR_RETURN(const TableName name, ParseTableName(value));
  auto table = environment.connection->OpenTable(name);
  if (!table.ok()) {
    if (table.status().code() != StatusCode::kNotFound) return table;
    return NotFound(fmt::format("Unknown table {}!", name.ToString()));
  }
  const auto enabled = environment.admin()->IsTableEnabled(name);
  if (enabled.ok() && !*enabled) {
    return FailedPrecondition(fmt::format("Table {} is disabled!", name.ToString()));
  }
  return table;
}

Result<TableName> ExistingTable(const Environment& environment, const Value& value) {
  ASSIGN_OR_RETURN(TableName name, ParseTableName(value));
  ASSIGN_OR_RETURN(const bool exists, environment.admin()->TableExists(name));
  if (!exists) return NotFound(fmt::format("Table {} does not exist.", name.ToString()));
  return name;
}

Result<std::vector<TableName>> MatchingTables(const Environment& environment, const Value& value) {
  ASSIGN_OR_RETURN(const std::regex regex, CompileRegex(value));
  ASSIGN_OR_RETURN(std::vector<TableName> tables, environment.admin()->ListTables());
  std::erase_if(tables, [&](const TableName& name) {
    return name.name_space == api::kSystemNamespace || !std::regex_match(name.ToString(), regex);
  });
  std::sort(tables.begin(), tables.end(),
            [](const TableName& a, const TableName& b) { return a.ToString() < b.ToString(); });
  return tables;
}

Result<std::vector<std::string>> MatchingNames(const std::vector<std::string>& names,
                                               const Value& value) {
  ASSIGN_OR_RETURN(const std::regex regex, CompileRegex(value));
  std::vector<std::string> matching;
  for (const std::string& name : names) {
    if (std::regex_match(name, regex)) matching.push_back(name);
  }
  return matching;
}

std::string TimeText(int64_t millis) {
  const auto time = static_cast<std::time_t>(millis / 1000);
  std::tm parts{};
  char text[40] = "";
  if (::localtime_r(&time, &parts) != nullptr) {
    std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &parts);
  }
  return text;
}

bool Confirmed(const Environment& environment, const std::string& question) {
  environment.printer->Line("\n" + question + " (y/n)?");
  const std::optional<std::string> answer = environment.read_line();
  return answer.has_value() && !answer->empty() &&
         (answer->front() == 'y' || answer->front() == 'Y');
}

}  // namespace bennu::shell
