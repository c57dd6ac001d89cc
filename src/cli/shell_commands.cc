#include "src/cli/shell_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/cli/error_report.h"
#include "src/cli/identifier.h"
#include "src/cli/script.h"
#include "src/sql/types/type.h"

namespace bennu::cli {

namespace {

constexpr std::string_view kHelp =
    R"(Statements end with ';' and may span lines. Ctrl-C discards the line or cancels the statement.

  !tables           \dt       tables and views
  !describe TABLE   \d TABLE  columns of a table
  !indexes [TABLE]  \di       secondary indexes
  !outputformat F   \f F      auto, table, vertical, csv, tsv, json, jsonl, markdown
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
// A script that runs itself must not take the stack.
constexpr int kScriptDepthMax = 16;

enum class Command : uint8_t {
  kTables,
  kDescribe,
  kIndexes,
  kFormat,
  kTiming,
  kAutocommit,
  kCommit,
  kRollback,
  kRun,
  kHelp,
  kQuit,
};

struct CommandName {
  std::string_view name;
  Command command;
};
// Those that begin with ! and their short forms of psql's, each of which may stand for the other.
constexpr std::array kCommands = {CommandName{"autocommit", Command::kAutocommit},
                                  CommandName{"commit", Command::kCommit},
                                  CommandName{"describe", Command::kDescribe},
                                  CommandName{"exit", Command::kQuit},
                                  CommandName{"help", Command::kHelp},
                                  CommandName{"indexes", Command::kIndexes},
                                  CommandName{"outputformat", Command::kFormat},
                                  CommandName{"quit", Command::kQuit},
                                  CommandName{"rollback", Command::kRollback},
                                  CommandName{"run", Command::kRun},
                                  CommandName{"tables", Command::kTables},
                                  CommandName{"timing", Command::kTiming}};
constexpr std::array kShortCommands = {
    CommandName{"?", Command::kHelp},     CommandName{"d", Command::kDescribe},
    CommandName{"di", Command::kIndexes}, CommandName{"dt", Command::kTables},
    CommandName{"f", Command::kFormat},   CommandName{"h", Command::kHelp},
    CommandName{"i", Command::kRun},      CommandName{"q", Command::kQuit}};

std::optional<Command> FindCommand(std::string_view name) {
  for (const CommandName& known : kCommands) {
    if (known.name == name) return known.command;
  }
  for (const CommandName& known : kShortCommands) {
    if (known.name == name) return known.command;
  }
  return std::nullopt;
}

// Without blanks and ';' around it.
std::string_view Trim(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  while (!line.empty() && std::string_view(" \t;").find(line.back()) != std::string_view::npos) {
    line.remove_suffix(1);
  }
  return line;
}

// "name rest of the line" without blanks between them.
std::pair<std::string_view, std::string_view> SplitWord(std::string_view line) {
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  return {line.substr(0, end), Trim(line.substr(end))};
}

std::string Quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::optional<bool> OnOrOff(std::string_view text) {
  const std::string word = Upper(text);
  if (word == "ON" || word == "OFF") return word == "ON";
  return std::nullopt;
}

// A number of the catalog; nothing where it is NULL.
std::optional<int32_t> IntegerOf(const ResultSet& row, size_t column) {
  const Result<int64_t> number = row.GetInt64(column);
  if (!number.ok()) return std::nullopt;
  return static_cast<int32_t>(*number);
}

std::string TypeText(const ResultSet& row) {
  const auto id = sql::TypeBySqlTypeId(IntegerOf(row, 2).value_or(0));
  if (!id.has_value()) return row.GetText(2);
  sql::DataType type{*id};
  type.max_length = IntegerOf(row, 3);
  type.scale = IntegerOf(row, 4);
  return sql::TypeToString(type);
}

// The rows of a query that the shell needs itself.
class Rows {
 public:
  Rows(SqlConnection* connection, const std::string& query) : result_(connection->Execute(query)) {}

  Status status() const { return result_.ok() ? status_ : result_.status(); }
  // Null: there is no further one, or an error.
  const ResultSet* Next() {
    if (!result_.ok()) return nullptr;
    const Result<bool> more = (*result_)->Next();
    status_ = more.status();
    return more.ok() && *more ? result_->get() : nullptr;
  }

 private:
  Result<std::unique_ptr<ResultSet>> result_;
  Status status_;
};

// What the catalog says of a table as a whole.
std::string TableNotes(const ResultSet& row, const std::string& parent) {
  const std::string type = row.GetText(0);
  std::string notes = type == "v" ? "view" : type == "i" ? "index" : "table";
  if (!row.IsNull(1)) notes += fmt::format(", salted in {} buckets", row.GetText(1));
  if (!row.IsNull(2) && row.GetText(2) == "true") notes += ", immutable rows";
  if (!row.IsNull(3) && row.GetText(3) == "true") notes += ", multi-tenant";
  if (!row.IsNull(4)) notes += ", of " + row.GetText(4);
  if (!parent.empty()) notes += ", of " + parent;
  if (!row.IsNull(5)) notes += ": " + row.GetText(5);
  return notes;
}

std::string ColumnNotes(const ResultSet& row) {
  std::string notes;
  if (!row.IsNull(6)) {
    notes = fmt::format("  key {}{}", row.GetText(6), IntegerOf(row, 7) == 1 ? " DESC" : "");
  }
  if (IntegerOf(row, 5).value_or(0) == 0) notes += "  not null";
  if (!row.IsNull(9) && row.GetText(9) == "true") notes += "  ROW_TIMESTAMP";
  if (!row.IsNull(10)) notes += "  default " + row.GetText(10);
  return notes;
}

// A table's name as the catalog has it.
struct CatalogName {
  std::string schema;  // empty: none
  std::string table;

  // Of "S.T" or, with namespaces, "S:T".
  static CatalogName Parse(const std::string& full) {
    const size_t end = full.find_first_of(".:");
    if (end == std::string::npos) return {"", full};
    return {full.substr(0, end), full.substr(end + 1)};
  }
  // Of what a user wrote.
  static CatalogName Written(std::string_view name) {
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return {"", Identifier(name)};
    return {Identifier(name.substr(0, dot)), Identifier(name.substr(dot + 1))};
  }
  std::string SchemaCondition() const {
    return "TABLE_SCHEM " + (schema.empty() ? "IS NULL" : "= " + Quote(schema));
  }
  std::string Condition() const {
    return fmt::format("TENANT_ID IS NULL AND {} AND TABLE_NAME = {}", SchemaCondition(),
                       Quote(table));
  }
  bool operator==(const CatalogName&) const = default;
};

// The columns of a table. The catalog has a view's own columns only: those before them are its
// parent's, without the ones that the view has dropped.
class TableColumns {
 public:
  explicit TableColumns(SqlConnection* connection) : connection_(connection) {}

  Status ReadTable(const CatalogName& name) { return ReadOwn(name); }
  Status ReadView(const CatalogName& name) { return ReadInherited(name, 0); }

  // Names and what to print of them, in the table's order.
  const std::vector<std::pair<std::string, std::string>>& lines() const { return lines_; }
  // The full name of what the view is of; empty for a table.
  const std::string& parent() const { return parent_; }

 private:
  // LINK_TYPE, as Phoenix has it.
  enum class Link : uint8_t { kPhysicalTable = 2, kParentTable = 3, kExcludedColumn = 5 };
  // Views of views; the bound is there for a catalog that is damaged.
  static constexpr int kDepthMax = 64;

  Status ReadInherited(const CatalogName& name, int depth) {
    std::string parent;
    std::vector<std::string> excluded;
    Rows links(connection_,
               "SELECT LINK_TYPE, COLUMN_FAMILY, COLUMN_NAME FROM SYSTEM.CATALOG WHERE " +
                   name.Condition() + " AND LINK_TYPE IN (2, 3, 5) ORDER BY LINK_TYPE");
    while (const ResultSet* const row = links.Next()) {
      const auto link = static_cast<Link>(IntegerOf(*row, 0).value_or(0));
      if (link == Link::kExcludedColumn) {
        excluded.push_back(row->GetText(2));
      } else {  // the parent comes behind the table below all views
        parent = row->GetText(1);
      }
    }
    if (!links.status().ok()) return links.status();
    if (depth == 0) parent_ = parent;
    const CatalogName above = CatalogName::Parse(parent);
    // A view of an HBase table has the table's name.
    if (!parent.empty() && above != name && depth < kDepthMax) {
      const Status read = ReadInherited(above, depth + 1);
      if (!read.ok()) return read;
    }
    std::erase_if(lines_, [&](const auto& line) {
      return std::find(excluded.begin(), excluded.end(), line.first) != excluded.end();
    });
    return ReadOwn(name);
  }

  Status ReadOwn(const CatalogName& name) {
    Rows columns(connection_,
                 "SELECT COLUMN_FAMILY, COLUMN_NAME, DATA_TYPE, COLUMN_SIZE, DECIMAL_DIGITS, "
                 "NULLABLE, KEY_SEQ, SORT_ORDER, ORDINAL_POSITION, IS_ROW_TIMESTAMP, COLUMN_DEF "
                 "FROM SYSTEM.CATALOG WHERE " +
                     name.Condition() +
                     " AND COLUMN_NAME IS NOT NULL AND LINK_TYPE IS NULL ORDER BY "
                     "ORDINAL_POSITION");
    while (const ResultSet* const row = columns.Next()) {
      const std::string family = row->IsNull(0) ? "" : row->GetText(0) + ".";
      std::string text =
          fmt::format("  {:<32} {}{}", family + row->GetText(1), TypeText(*row), ColumnNotes(*row));
      std::erase_if(lines_, [&](const auto& line) { return line.first == row->GetText(1); });
      lines_.emplace_back(row->GetText(1), std::move(text));
    }
    return columns.status();
  }

  SqlConnection* const connection_;
  std::vector<std::pair<std::string, std::string>> lines_;
  std::string parent_;
};

}  // namespace

bool ShellCommands::IsCommand(std::string_view line) {
  line = Trim(line);
  if (line.empty()) return false;
  if (line[0] == '!' || line[0] == '\\') return true;
  if (line.size() != 4) return false;  // seen without a copy
  const std::string word = Upper(line);
  return word == "EXIT" || word == "QUIT" || word == "HELP";
}

std::vector<std::string_view> ShellCommands::Names() {
  std::vector<std::string_view> names;
  for (const CommandName& known : kCommands) names.push_back(known.name);
  return names;
}

bool ShellCommands::WantsTable(std::string_view name) {
  const std::optional<Command> command = FindCommand(Lower(name));
  return command == Command::kDescribe || command == Command::kIndexes;
}

ShellCommands::Outcome ShellCommands::Fail(const std::string& message, std::string_view hint) {
  fmt::print(stderr, "ERROR: {}\n", message);
  if (!hint.empty()) fmt::print(stderr, "HINT: {}\n", hint);
  runner_->Fail(kExitStatementFailed);
  return Outcome::kFailed;
}

ShellCommands::Outcome ShellCommands::Acknowledge(const Status& status) {
  if (status.ok()) {
    std::fputs("ok\n", stdout);
    return Outcome::kDone;
  }
  std::fputs(FormatError(status, "", 0).c_str(), stderr);
  runner_->Fail(ExitCodeOf(status));
  return Outcome::kFailed;
}

ShellCommands::Outcome ShellCommands::Run(std::string_view line) {
  line = Trim(line);
  const bool marked = line[0] == '!' || line[0] == '\\';
  const auto [word, argument] = SplitWord(marked ? line.substr(1) : line);
  const auto command = FindCommand(Lower(word));
  if (!command.has_value()) {
    return Fail(fmt::format("unknown command {}{}", line[0], word), "!help lists the commands");
  }
  Outcome outcome = Outcome::kDone;
  switch (*command) {
    case Command::kTables: outcome = ListTables(); break;
    case Command::kDescribe: outcome = argument.empty() ? ListTables() : Describe(argument); break;
    case Command::kIndexes: outcome = ListIndexes(argument); break;
    case Command::kFormat: outcome = SetFormat(argument); break;
    case Command::kTiming: outcome = SetTiming(argument); break;
    case Command::kAutocommit: outcome = SetAutocommit(argument); break;
    case Command::kCommit: outcome = Acknowledge(connection_->Commit()); break;
    case Command::kRollback: outcome = Acknowledge(connection_->Rollback()); break;
    case Command::kRun: outcome = RunScriptFile(std::string(argument)); break;
    case Command::kHelp: fmt::print("{}", kHelp); break;
    case Command::kQuit: return Outcome::kQuit;
  }
  std::fflush(stdout);
  return outcome;
}

ShellCommands::Outcome ShellCommands::ListTables() {
  return runner_->Run(kTablesQuery, 0).ok() ? Outcome::kDone : Outcome::kFailed;
}

ShellCommands::Outcome ShellCommands::ListIndexes(std::string_view table) {
  std::string query(kIndexesQuery);
  if (!table.empty()) {
    const CatalogName name = CatalogName::Written(table);
    Rows head(connection_, "SELECT TABLE_TYPE FROM SYSTEM.CATALOG WHERE " + name.Condition() +
                               " AND COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL");
    const bool is_there = head.Next() != nullptr;
    if (!head.status().ok()) return Acknowledge(head.status());
    if (!is_there) return Fail("there is no table " + name.table, "!tables lists them");
    query +=
        fmt::format(" AND {} AND DATA_TABLE_NAME = {}", name.SchemaCondition(), Quote(name.table));
  }
  return runner_->Run(query, 0).ok() ? Outcome::kDone : Outcome::kFailed;
}

ShellCommands::Outcome ShellCommands::SetFormat(std::string_view name) {
  const auto format = OutputFormatByName(name);
  if (!format.has_value()) {
    return Fail(fmt::format("no output format '{}'", name),
                fmt::to_string(fmt::join(OutputFormatNames(), ", ")));
  }
  printer_->set_format(*format);
  return Outcome::kDone;
}

ShellCommands::Outcome ShellCommands::SetTiming(std::string_view value) {
  const std::optional<bool> timing = value.empty() ? !runner_->timing : OnOrOff(value);
  if (!timing.has_value()) return Fail(fmt::format("'{}' is neither on nor off", value));
  runner_->timing = *timing;
  fmt::print("timing is {}\n", *timing ? "on" : "off");
  return Outcome::kDone;
}

ShellCommands::Outcome ShellCommands::SetAutocommit(std::string_view value) {
  const auto autocommit = OnOrOff(value);
  if (!autocommit.has_value()) return Fail(fmt::format("'{}' is neither on nor off", value));
  return Acknowledge(connection_->SetAutocommit(*autocommit));
}

ShellCommands::Outcome ShellCommands::RunScriptFile(const std::string& path) {
  std::ifstream file(path);
  if (!file.good()) return Fail(fmt::format("{}: the script cannot be read", path));
  if (script_depth_ >= kScriptDepthMax) {
    return Fail(
        fmt::format("{}: scripts call each other more than {} levels deep", path, script_depth_));
  }
  ++script_depth_;
  const ScriptEnd end = RunScript(file, {}, runner_, this);
  --script_depth_;
  return end == ScriptEnd::kStopped ? Outcome::kFailed : Outcome::kDone;
}

ShellCommands::Outcome ShellCommands::Describe(std::string_view table) {
  const CatalogName name = CatalogName::Written(table);
  Rows head(connection_,
            "SELECT TABLE_TYPE, SALT_BUCKETS, IMMUTABLE_ROWS, MULTI_TENANT, DATA_TABLE_NAME, "
            "VIEW_STATEMENT FROM SYSTEM.CATALOG WHERE " +
                name.Condition() + " AND COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL");
  const ResultSet* const found = head.Next();
  if (!head.status().ok()) return Acknowledge(head.status());
  if (found == nullptr) return Fail("there is no table " + name.table, "!tables lists them");
  TableColumns columns(connection_);
  const bool is_view = found->GetText(0) == "v";
  const Status read = is_view ? columns.ReadView(name) : columns.ReadTable(name);
  if (!read.ok()) return Acknowledge(read);
  fmt::print("{}  {}\n", name.table, TableNotes(*found, columns.parent()));
  for (const auto& [column, text] : columns.lines()) fmt::print("{}\n", text);
  return Outcome::kDone;
}

}  // namespace bennu::cli
