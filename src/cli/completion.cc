#include "src/cli/completion.h"

#include <algorithm>
#include <cctype>

#include "src/cli/identifier.h"

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
  names_.clear();
  Result<std::unique_ptr<ResultSet>> result = connection_->Execute(
      "SELECT TABLE_SCHEM, TABLE_NAME, COLUMN_NAME FROM SYSTEM.CATALOG "
      "WHERE TABLE_SCHEM IS NULL OR TABLE_SCHEM <> 'SYSTEM'");
  if (!result.ok()) return;  // no table yet: keywords alone
  while (true) {
    const Result<bool> more = (*result)->Next();
    if (!more.ok() || !*more) break;
    const ResultSet& row = **result;
    names_.push_back(row.IsNull(0) ? row.GetText(1) : row.GetText(0) + "." + row.GetText(1));
    if (!row.IsNull(2)) names_.push_back(row.GetText(2));
  }
}

std::vector<std::string> Completion::Candidates(std::string_view prefix) {
  if (!loaded_) Load();
  const std::string wanted = Upper(prefix);
  const bool lower = !prefix.empty() && std::islower(static_cast<unsigned char>(prefix[0])) != 0;
  std::vector<std::string> found;
  const auto offer = [&](std::string name) {
    if (Upper(name).compare(0, wanted.size(), wanted) != 0) return;
    // Who types in lower case wants lower case; names that need quotes stay as they are.
    if (lower && name == Upper(name)) {
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    found.push_back(std::move(name));
  };
  for (const std::string_view keyword : SqlKeywords()) offer(std::string(keyword));
  for (const std::string& name : names_) offer(name);
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
