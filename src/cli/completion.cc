#include "src/cli/completion.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "src/base/ascii.h"
#include "src/cli/result_printer.h"
#include "src/cli/shell_commands.h"
#include "src/sql/parse/token.h"

namespace bennu::cli {

namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

constexpr std::string_view kKeyword = "\x1b[1;34m";
constexpr std::string_view kString = "\x1b[32m";
constexpr std::string_view kNumber = "\x1b[36m";
constexpr std::string_view kComment = "\x1b[90m";
constexpr std::string_view kPlain = "\x1b[0m";

// End of the token that begins at 'start', and its colour.
size_t TokenEnd(std::string_view line, size_t start, std::string_view* colour) {
  const char c = line[start];
  *colour = "";
  if (c == '\'') {
    *colour = kString;
    const size_t end = line.find('\'', start + 1);
    return end == std::string_view::npos ? line.size() : end + 1;
  }
  if (line.substr(start, 2) == "--" || line.substr(start, 2) == "//") {
    *colour = kComment;
    return line.size();
  }
  if (!IsWordCharacter(c)) return start + 1;
  size_t end = start;
  const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
  while (end < line.size() && (IsWordCharacter(line[end]) || (number && line[end] == '.'))) ++end;
  const std::string word = Upper(line.substr(start, end - start));
  if (number) {
    *colour = kNumber;
  } else if (std::binary_search(SqlKeywords().begin(), SqlKeywords().end(), word)) {
    *colour = kKeyword;
  }
  return end;
}

using sql::parse::Keyword;
using sql::parse::Token;
using sql::parse::TokenType;

// The words in front of the place; none when they can not be told apart.
std::vector<Token> TokensOf(std::string_view before) {
  auto tokens = sql::parse::Tokenize(before);
  if (!tokens.ok()) return {};
  tokens->pop_back();  // the end
  return std::move(tokens).value();
}

bool IsName(const Token& token) {
  return token.type == TokenType::kName || token.type == TokenType::kQuotedName;
}

enum class Wanted { kKeyword, kTable, kColumn };

// By the last word that begins a clause, and what stands between it and the place.
Wanted WantedAt(std::string_view before) {
  const std::vector<Token> tokens = TokensOf(before);
  if (tokens.empty()) return Wanted::kKeyword;
  const Token& last = tokens.back();
  for (size_t i = tokens.size(); i-- > 0;) {
    switch (tokens[i].keyword) {
      case Keyword::kFROM:
      case Keyword::kJOIN:
      case Keyword::kINTO:
      case Keyword::kTABLE:
      case Keyword::kVIEW:
      case Keyword::kSTATISTICS:
      case Keyword::kEXISTS:
        // Behind a table comes an alias or the next clause.
        if (last.type == TokenType::kLeftParen) return Wanted::kColumn;
        return IsName(last) ? Wanted::kKeyword : Wanted::kTable;
      case Keyword::kSELECT:
      case Keyword::kWHERE:
      case Keyword::kBY:
      case Keyword::kHAVING:
      case Keyword::kON:
      case Keyword::kSET:
      case Keyword::kVALUES: return Wanted::kColumn;
      default: break;
    }
  }
  return Wanted::kKeyword;
}

// (alias, table) for each table that stands behind FROM, JOIN, INTO or a comma between such.
std::vector<std::pair<std::string, std::string>> AliasesIn(std::string_view before) {
  const std::vector<Token> tokens = TokensOf(before);
  std::vector<std::pair<std::string, std::string>> aliases;
  bool in_list = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Keyword keyword = tokens[i].keyword;
    const bool begins =
        keyword == Keyword::kFROM || keyword == Keyword::kJOIN || keyword == Keyword::kINTO;
    if (begins) in_list = true;
    if (keyword == Keyword::kWHERE || keyword == Keyword::kON) in_list = false;
    const bool comma = in_list && tokens[i].type == TokenType::kComma;
    if ((!begins && !comma) || i + 1 >= tokens.size() || !IsName(tokens[i + 1])) continue;
    std::string table = tokens[++i].text;
    if (i + 2 < tokens.size() && tokens[i + 1].type == TokenType::kDot && IsName(tokens[i + 2])) {
      table += "." + tokens[i + 2].text;
      i += 2;
    }
    if (i + 1 < tokens.size() && tokens[i + 1].keyword == Keyword::kAS) ++i;
    const bool named = i + 1 < tokens.size() && IsName(tokens[i + 1]);
    aliases.emplace_back(named ? tokens[++i].text : table, table);
  }
  return aliases;
}

}  // namespace

const std::vector<std::string_view>& SqlKeywords() {
  static const std::vector<std::string_view> keywords = [] {
    std::vector<std::string_view> words = {"ADD",          "ALL",          "ALTER",
                                           "AND",          "ANY",          "ARRAY",
                                           "AS",           "ASC",          "AVG",
                                           "BETWEEN",      "BIGINT",       "BINARY",
                                           "BOOLEAN",      "BY",           "CASE",
                                           "CAST",         "CHAR",         "COALESCE",
                                           "COLUMN",       "CONSTRAINT",   "COUNT",
                                           "CREATE",       "DATE",         "DECIMAL",
                                           "DEFAULT",      "DELETE",       "DESC",
                                           "DISTINCT",     "DOUBLE",       "DROP",
                                           "ELSE",         "END",          "EXISTS",
                                           "EXPLAIN",      "FALSE",        "FIRST",
                                           "FLOAT",        "FROM",         "FULL",
                                           "GROUP",        "HAVING",       "IF",
                                           "ILIKE",        "IMMUTABLE",    "IN",
                                           "INDEX",        "INNER",        "INTEGER",
                                           "INTO",         "IS",           "JOIN",
                                           "KEY",          "LAST",         "LEFT",
                                           "LIKE",         "LIMIT",        "MAX",
                                           "MIN",          "NOT",          "NULL",
                                           "NULLS",        "OFFSET",       "ON",
                                           "OR",           "ORDER",        "OUTER",
                                           "PRIMARY",      "RIGHT",        "ROW_TIMESTAMP",
                                           "SALT_BUCKETS", "SCHEMA",       "SELECT",
                                           "SEQUENCE",     "SET",          "SHOW",
                                           "SMALLINT",     "SPLIT",        "SUBSTR",
                                           "SUM",          "TABLE",        "TABLES",
                                           "THEN",         "TIME",         "TIMESTAMP",
                                           "TINYINT",      "TO_CHAR",      "TO_DATE",
                                           "TO_NUMBER",    "TRUE",         "TRUNC",
                                           "UNION",        "UNSIGNED_INT", "UNSIGNED_LONG",
                                           "UPDATE",       "UPSERT",       "USE",
                                           "VALUES",       "VARBINARY",    "VARBINARY_ENCODED",
                                           "VARCHAR",      "VIEW",         "WHEN",
                                           "WHERE"};
    std::sort(words.begin(), words.end());
    return words;
  }();
  return keywords;
}

void Completion::Load() {
  loaded_ = true;
  tables_.clear();
  Result<std::unique_ptr<ResultSet>> result = connection_->Execute(
      "SELECT TABLE_SCHEM, TABLE_NAME, COLUMN_NAME FROM SYSTEM.CATALOG "
      "WHERE TABLE_SCHEM IS NULL OR TABLE_SCHEM <> 'SYSTEM'");
  if (!result.ok()) return;  // no table yet: keywords alone
  while (true) {
    const Result<bool> more = (*result)->Next();
    if (!more.ok() || !*more) break;
    const ResultSet& row = **result;
    auto& columns = tables_[row.IsNull(0) ? row.GetText(1) : row.GetText(0) + "." + row.GetText(1)];
    if (!row.IsNull(2)) columns.push_back(row.GetText(2));
  }
}

std::vector<std::string> Completion::Tables() const {
  std::vector<std::string> names;
  for (const auto& [name, columns] : tables_) names.push_back(name);
  return names;
}

std::vector<std::string> Completion::Columns(const std::vector<std::string>& named) const {
  std::vector<std::string> names;
  for (const auto& [name, columns] : tables_) {
    if (!named.empty() && std::find(named.begin(), named.end(), name) == named.end()) continue;
    names.insert(names.end(), columns.begin(), columns.end());
  }
  return names;
}

std::vector<std::string> Completion::ColumnsOf(std::string_view before,
                                               std::string_view qualifier) const {
  const std::string wanted = Upper(qualifier);
  std::vector<std::string> names;
  const auto add = [&](const std::string& table) {
    const auto found = tables_.find(table);
    if (found == tables_.end()) return;
    for (const std::string& column : found->second) {
      names.push_back(std::string(qualifier) + "." + column);
    }
  };
  for (const auto& [alias, table] : AliasesIn(before)) {
    if (alias == wanted) add(table);
  }
  if (names.empty()) add(wanted);
  for (const auto& [table, columns] : tables_) {  // a schema's
    if (table.starts_with(wanted + ".")) names.push_back(table);
  }
  return names;
}

std::vector<std::string> Completion::CommandCandidates(std::string_view before) const {
  const size_t blank = before.find_first_of(" \t");
  const std::string_view command = before.substr(0, blank);
  if (blank == std::string_view::npos) {
    std::vector<std::string> names;
    for (const std::string_view name : ShellCommands::Names()) names.emplace_back(name);
    return names;
  }
  const std::string_view name = command.substr(1);
  if (ShellCommands::WantsTable(name)) return Tables();
  if (name == "outputformat" || name == "f") return OutputFormatNames();
  if (name == "autocommit" || name == "timing") return {"on", "off"};
  return {};
}

std::vector<std::string> Completion::Candidates(std::string_view before, std::string_view word) {
  if (!loaded_) Load();
  const size_t begin = std::min(before.find_first_not_of(" \t\n"), before.size());
  before.remove_prefix(begin);
  std::vector<std::string> offered;
  const bool is_command = !before.empty() && (before[0] == '!' || before[0] == '\\');
  if (is_command || (before.empty() && word.starts_with('!'))) {
    if (before.empty()) {  // "!de": the mark is a part of the word
      for (const std::string_view name : ShellCommands::Names()) {
        offered.push_back("!" + std::string(name));
      }
    } else {
      offered = CommandCandidates(before);
    }
  } else if (const size_t dot = word.rfind('.'); dot != std::string_view::npos) {
    offered = ColumnsOf(before, word.substr(0, dot));
  } else {
    switch (WantedAt(before)) {
      case Wanted::kTable: offered = Tables(); break;
      case Wanted::kColumn: {
        std::vector<std::string> named;
        for (const auto& [alias, table] : AliasesIn(before)) named.push_back(table);
        offered = Columns(named);
        [[fallthrough]];
      }
      case Wanted::kKeyword:
        for (const std::string_view keyword : SqlKeywords()) offered.emplace_back(keyword);
    }
  }
  const std::string wanted = Upper(word);
  const bool lower =
      std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
  std::vector<std::string> found;
  for (std::string& name : offered) {
    if (Upper(name).compare(0, wanted.size(), wanted) != 0) continue;
    // Who types in lower case wants lower case; names that need quotes stay as they are.
    if (lower && name == Upper(name)) name = Lower(name);
    found.push_back(std::move(name));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string Completion::CommonPrefix(const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  std::string prefix = candidates.front();
  for (const std::string& candidate : candidates) {
    const auto end =
        std::mismatch(prefix.begin(), prefix.end(), candidate.begin(), candidate.end());
    prefix.erase(end.first, prefix.end());
  }
  return prefix;
}

std::string ColourSql(std::string_view line) {
  std::string coloured;
  for (size_t start = 0; start < line.size();) {
    std::string_view colour;
    const size_t end = TokenEnd(line, start, &colour);
    coloured.append(colour);
    coloured.append(line.substr(start, end - start));
    if (!colour.empty()) coloured.append(kPlain);
    start = end;
  }
  return coloured;
}

}  // namespace bennu::cli
