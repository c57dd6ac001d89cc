#include "src/cli/shell_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "src/cli/error_report.h"
#include "src/cli/identifier.h"
#include "src/sql/parse/splitter.h"
#include "src/sql/types/type.h"

namespace bennu::cli {

namespace {

constexpr std::string_view kHelp =
    R"(Statements end with ';' and may span lines. Ctrl-C gives up the line or cancels the statement.

  !tables           \dt       tables and views
  !describe TABLE   \d TABLE  columns of a table
  !indexes          \di       secondary indexes
  !outputformat F   \f F      table, vertical, csv, tsv, json, jsonl, markdown
  !timing           \timing   tell how long each statement took, or stop telling
  !autocommit on|off          commit after each statement, or at !commit
  !commit, !rollback
  !run FILE         \i FILE   run the statements of a file
  !help             \?        this text
  !quit             \q        leave (Ctrl-D does too)
)";

constexpr std::string_view kTablesQuery =
    "SELECT TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, SALT_BUCKETS, IMMUTABLE_ROWS FROM SYSTEM.CATALOG "
    "WHERE COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL AND TABLE_TYPE IS NOT NULL";
constexpr std::string_view kIndexesQuery =
    "SELECT TABLE_SCHEM, DATA_TABLE_NAME, TABLE_NAME, INDEX_STATE FROM SYSTEM.CATALOG "
    "WHERE COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL AND TABLE_TYPE = 'i'";

// "name rest of the line" without blanks around either.
std::pair<std::string_view, std::string_view> SplitWord(std::string_view line) {
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  std::string_view rest = line.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  while (!rest.empty() && std::string_view(" \t;").find(rest.back()) != std::string_view::npos) {
    rest.remove_suffix(1);
  }
  return {line.substr(0, end), rest};
}

std::string Quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// Nothing, and an error told, unless the text is one of the two.
std::optional<bool> OnOrOff(std::string_view text) {
  const std::string word = Upper(text);
  if (word == "ON" || word == "OFF") return word == "ON";
  fmt::print(stderr, "ERROR: '{}' is neither on nor off\n", text);
  return std::nullopt;
}

void Acknowledge(const Status& status) {
  std::fputs(status.ok() ? "ok\n" : FormatError(status, "", 0).c_str(),
             status.ok() ? stdout : stderr);
}

std::string TypeText(const ResultSet& row) {
  const auto id = sql::TypeBySqlTypeId(static_cast<int32_t>(row.GetInt64(2)));
  if (!id.has_value()) return row.GetText(2);
  sql::DataType type{*id};
  if (!row.IsNull(3)) type.max_length = static_cast<int32_t>(row.GetInt64(3));
  if (!row.IsNull(4)) type.scale = static_cast<int32_t>(row.GetInt64(4));
  return sql::TypeToString(type);
}

}  // namespace

bool ShellCommands::IsCommand(std::string_view line) {
  const size_t start = line.find_first_not_of(" \t");
  return start != std::string_view::npos && (line[start] == '!' || line[start] == '\\');
}

bool ShellCommands::Run(std::string_view line) {
  line.remove_prefix(line.find_first_not_of(" \t"));
  const auto [word, argument] = SplitWord(line);
  std::string command = Upper(word.substr(1));
  if (command == "QUIT" || command == "EXIT" || command == "Q") return false;
  if (command == "HELP" || command == "?" || command == "H") {
    fmt::print("{}", kHelp);
  } else if (command == "TABLES" || command == "DT" || (command == "D" && argument.empty())) {
    (void)runner_->Run(kTablesQuery, 0);
  } else if (command == "INDEXES" || command == "DI") {
    (void)runner_->Run(kIndexesQuery, 0);
  } else if (command == "DESCRIBE" || command == "D") {
    Describe(argument);
  } else if (command == "OUTPUTFORMAT" || command == "F") {
    SetFormat(argument);
  } else if (command == "TIMING") {
    SetTiming(argument);
  } else if (command == "RUN" || command == "I") {
    RunScriptFile(std::string(argument));
  } else if (command == "COMMIT") {
    Acknowledge(connection_->Commit());
  } else if (command == "ROLLBACK") {
    Acknowledge(connection_->Rollback());
  } else if (command == "AUTOCOMMIT") {
    SetAutocommit(argument);
  } else {
    fmt::print(stderr, "ERROR: unknown command {}\nHINT: !help lists what there is\n", word);
  }
  std::fflush(stdout);
  return true;
}

void ShellCommands::SetFormat(std::string_view name) {
  const auto format = OutputFormatByName(name);
  if (!format.has_value()) {
    fmt::print(
        stderr,
        "ERROR: no output format '{}'\nHINT: table, vertical, csv, tsv, json, jsonl or markdown\n",
        name);
    return;
  }
  printer_->set_format(*format);
}

void ShellCommands::SetTiming(std::string_view value) {
  const std::optional<bool> timing = value.empty() ? !runner_->timing : OnOrOff(value);
  if (!timing.has_value()) return;
  runner_->timing = *timing;
  fmt::print("timing is {}\n", *timing ? "on" : "off");
}

void ShellCommands::SetAutocommit(std::string_view value) {
  if (const auto autocommit = OnOrOff(value); autocommit.has_value()) {
    Acknowledge(connection_->SetAutocommit(*autocommit));
  }
}

void ShellCommands::RunScriptFile(const std::string& path) {
  std::ifstream file(path);
  if (!file.good()) {
    fmt::print(stderr, "ERROR: {}: the script can not be read\n", path);
    return;
  }
  sql::parse::StatementSplitter splitter;
  std::string line;
  while (std::getline(file, line)) {
    for (const auto& statement : splitter.AddLine(line)) {
      if (!runner_->Run(statement.text, statement.line).ok()) return;
    }
  }
  if (const auto last = splitter.Finish(); last.has_value()) {
    (void)runner_->Run(last->text, last->line);
  }
}

void ShellCommands::Describe(std::string_view table) {
  if (table.empty()) {
    fmt::print(stderr, "ERROR: which table?\nHINT: !describe NAME, or !tables for all\n");
    return;
  }
  std::string schema_condition = "TABLE_SCHEM IS NULL";
  std::string name = Identifier(table);
  if (const size_t dot = table.find('.'); dot != std::string_view::npos) {
    schema_condition = "TABLE_SCHEM = " + Quote(Identifier(table.substr(0, dot)));
    name = Identifier(table.substr(dot + 1));
  }
  const std::string query =
      "SELECT COLUMN_FAMILY, COLUMN_NAME, DATA_TYPE, COLUMN_SIZE, DECIMAL_DIGITS, NULLABLE, "
      "KEY_SEQ, SORT_ORDER, ORDINAL_POSITION FROM SYSTEM.CATALOG WHERE TENANT_ID IS NULL AND " +
      schema_condition + " AND TABLE_NAME = " + Quote(name) +
      " AND COLUMN_NAME IS NOT NULL ORDER BY ORDINAL_POSITION";
  Result<std::unique_ptr<ResultSet>> result = connection_->Execute(query);
  if (!result.ok()) {
    std::fputs(FormatError(result.status(), "", 0).c_str(), stderr);
    return;
  }
  size_t columns = 0;
  while (true) {
    const Result<bool> more = (*result)->Next();
    if (!more.ok()) {
      std::fputs(FormatError(more.status(), "", 0).c_str(), stderr);
      return;
    }
    if (!*more) break;
    const ResultSet& row = **result;
    if (columns++ == 0) fmt::print("{}\n", name);
    std::string notes;
    if (!row.IsNull(6)) {
      notes = fmt::format("  key {}{}", row.GetInt64(6), row.GetInt64(7) == 1 ? " DESC" : "");
    }
    if (row.GetInt64(5) == 0) notes += "  not null";
    const std::string family = row.IsNull(0) ? "" : row.GetText(0) + ".";
    fmt::print("  {:<32} {}{}\n", family + row.GetText(1), TypeText(row), notes);
  }
  if (columns == 0) fmt::print(stderr, "ERROR: there is no table {}\n", name);
}

}  // namespace bennu::cli
