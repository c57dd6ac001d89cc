#include "src/sql/parse/completion.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "src/base/ascii.h"
#include "src/sql/parse/token.h"

namespace bennu::sql::parse {

namespace {

// The words in front of the place; none when they can not be told apart.
std::vector<Token> TokensOf(std::string_view before) {
  auto tokens = Tokenize(before);
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

// Of the tables that the statement names, or of all where it names none.
std::vector<std::string> ColumnsOfAll(const TableColumns& tables,
                                      const std::vector<std::string>& named) {
  std::vector<std::string> names;
  for (const auto& [name, columns] : tables) {
    if (!named.empty() && std::find(named.begin(), named.end(), name) == named.end()) continue;
    names.insert(names.end(), columns.begin(), columns.end());
  }
  return names;
}

// Of the table that a word of the form QUALIFIER.NAME means, each with the qualifier.
std::vector<std::string> ColumnsOfOne(const TableColumns& tables, std::string_view before,
                                      std::string_view qualifier) {
  const std::string wanted = Upper(qualifier);
  std::vector<std::string> names;
  const auto add = [&](const std::string& table) {
    const auto found = tables.find(table);
    if (found == tables.end()) return;
    for (const std::string& column : found->second) {
      names.push_back(std::string(qualifier) + "." + column);
    }
  };
  for (const auto& [alias, table] : AliasesIn(before)) {
    if (alias == wanted) add(table);
  }
  if (names.empty()) add(wanted);
  for (const auto& [table, columns] : tables) {  // a schema's
    if (table.starts_with(wanted + ".")) names.push_back(table);
  }
  return names;
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

std::vector<std::string> CompleteStatement(const TableColumns& tables, std::string_view before,
                                           std::string_view word) {
  if (const size_t dot = word.rfind('.'); dot != std::string_view::npos) {
    return WordsWithPrefix(ColumnsOfOne(tables, before, word.substr(0, dot)), word);
  }
  std::vector<std::string> offered;
  switch (WantedAt(before)) {
    case Wanted::kTable:
      for (const auto& [name, columns] : tables) offered.push_back(name);
      break;
    case Wanted::kColumn: {
      std::vector<std::string> named;
      for (const auto& [alias, table] : AliasesIn(before)) named.push_back(table);
      offered = ColumnsOfAll(tables, named);
      [[fallthrough]];
    }
    case Wanted::kKeyword:
      for (const std::string_view keyword : SqlKeywords()) offered.emplace_back(keyword);
  }
  return WordsWithPrefix(std::move(offered), word);
}

std::vector<std::string> WordsWithPrefix(std::vector<std::string> offered, std::string_view word) {
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

}  // namespace bennu::sql::parse
