#include "src/sql/parse/completion.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "src/base/ascii.h"
#include "src/sql/parse/token.h"

namespace bennu::sql::parse {

namespace {

// The words in front of the place; none when they cannot be told apart.
std::vector<Token> TokensOf(std::string_view before) {
  auto tokens = Tokenize(before);
  if (!tokens.ok()) return {};
  tokens->pop_back();  // the end
  return std::move(tokens).value();
}

bool IsName(const Token& token) {
  return token.type == TokenType::kName || token.type == TokenType::kQuotedName;
}

enum class Wanted { kKeyword, kTable, kIndex, kColumn, kWords };

using Words = std::vector<std::string_view>;

// CREATE [LOCAL | UNCOVERED] INDEX …
bool CreatesIndex(const std::vector<Token>& tokens) {
  if (tokens.empty() || tokens[0].keyword != Keyword::kCREATE) return false;
  for (size_t i = 1; i < std::min<size_t>(tokens.size(), 3); ++i) {
    if (tokens[i].keyword == Keyword::kINDEX) return true;
  }
  return false;
}

// DROP or ALTER INDEX [IF EXISTS] name ON table, CHECK INDEX name ON table
bool NamesIndex(const std::vector<Token>& tokens) {
  return tokens.size() > 1 && tokens[1].keyword == Keyword::kINDEX &&
         (tokens[0].keyword == Keyword::kDROP || tokens[0].keyword == Keyword::kALTER ||
          tokens[0].text == "CHECK");
}

// Behind "DROP INDEX", "ALTER INDEX" or "CHECK INDEX". '*words': what kWords means.
Wanted WantedOfIndex(const std::vector<Token>& tokens, Words* words) {
  const Token& last = tokens.back();
  if (last.keyword == Keyword::kINDEX || last.keyword == Keyword::kEXISTS) return Wanted::kIndex;
  if (last.keyword == Keyword::kON) return Wanted::kTable;
  const bool behind_on = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.keyword == Keyword::kON;
  });
  if (last.keyword == Keyword::kIF) {
    *words = {"EXISTS"};
  } else if (IsName(last) && !behind_on) {
    *words = {"ON"};
  } else if (IsName(last) && tokens[0].keyword == Keyword::kALTER) {
    *words = {"ACTIVE", "DISABLE", "REBUILD", "UNUSABLE", "USABLE"};
  } else if (IsName(last) && tokens[0].text == "CHECK" && last.text != "REPAIR") {
    *words = {"REPAIR"};
  }
  return Wanted::kWords;
}

// By the last word that begins a clause, and what stands between it and the place.
Wanted WantedAt(const std::vector<Token>& tokens, Words* words) {
  if (tokens.empty()) return Wanted::kKeyword;
  const Token& last = tokens.back();
  if (NamesIndex(tokens)) return WantedOfIndex(tokens, words);
  if (tokens.size() == 2 && tokens[0].keyword == Keyword::kCREATE &&
      (last.keyword == Keyword::kLOCAL || last.keyword == Keyword::kUNCOVERED)) {
    *words = {"INDEX"};
    return Wanted::kWords;
  }
  const bool creates_index = CreatesIndex(tokens);
  for (size_t i = tokens.size(); i-- > 0;) {
    switch (tokens[i].keyword) {
      case Keyword::kON:
        if (!creates_index || i + 1 < tokens.size()) {
          return creates_index && IsName(last) ? Wanted::kKeyword : Wanted::kColumn;
        }
        return Wanted::kTable;
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
      case Keyword::kSET:
      case Keyword::kVALUES: return Wanted::kColumn;
      default: break;
    }
  }
  return Wanted::kKeyword;
}

// (alias, table) for each table that stands behind FROM, JOIN, INTO or a comma between such, and
// for the table of an index.
std::vector<std::pair<std::string, std::string>> AliasesIn(const std::vector<Token>& tokens) {
  const bool creates_index = CreatesIndex(tokens);
  std::vector<std::pair<std::string, std::string>> aliases;
  bool in_list = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Keyword keyword = tokens[i].keyword;
    const bool begins = keyword == Keyword::kFROM || keyword == Keyword::kJOIN ||
                        keyword == Keyword::kINTO || (creates_index && keyword == Keyword::kON);
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

// The columns of an index have the names of the table's with their families, as in 0:HEAT.
bool IsIndex(const std::vector<std::string>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const std::string& column) {
    return column.find(':') != std::string::npos;
  });
}

// A name as a statement has to write it.
std::string Written(const std::string& name) {
  const auto tokens = Tokenize(name);
  const bool plain = tokens.ok() && tokens->size() == 2 && tokens->front().text == name &&
                     tokens->front().type == TokenType::kName;
  return plain ? name : '"' + name + '"';
}

// The same of "T" or "S.T".
std::string WrittenTable(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return Written(name);
  return Written(name.substr(0, dot)) + "." + Written(name.substr(dot + 1));
}

std::vector<std::string> TableNames(const TableColumns& tables, bool indexes) {
  std::vector<std::string> names;
  for (const auto& [name, columns] : tables) {
    if (IsIndex(columns) == indexes) names.push_back(WrittenTable(name));
  }
  return names;
}

// Of the tables that the statement names, or of all where it names none.
std::vector<std::string> ColumnsOfAll(const TableColumns& tables,
                                      const std::vector<std::string>& named) {
  std::vector<std::string> names;
  for (const auto& [name, columns] : tables) {
    const bool offered = named.empty() ? !name.starts_with("SYSTEM.")
                                       : std::find(named.begin(), named.end(), name) != named.end();
    if (!offered || IsIndex(columns)) continue;
    for (const std::string& column : columns) names.push_back(Written(column));
  }
  return names;
}

// Without the signs that quote its parts: who begins a name need not know that it is quoted.
std::string Unquoted(std::string name) {
  std::erase(name, '"');
  return name;
}

// Of the table that a word of the form QUALIFIER.NAME means, each with the qualifier.
std::vector<std::string> ColumnsOfOne(const TableColumns& tables, const std::vector<Token>& tokens,
                                      std::string_view qualifier) {
  const std::string wanted = Upper(qualifier);
  std::vector<std::string> names;
  const auto add = [&](const std::string& table) {
    const auto found = tables.find(table);
    if (found == tables.end()) return;
    for (const std::string& column : found->second) {
      names.push_back(std::string(qualifier) + "." + Written(column));
    }
  };
  for (const auto& [alias, table] : AliasesIn(tokens)) {
    if (alias == wanted) add(table);
  }
  if (names.empty()) add(wanted);
  for (const auto& [table, columns] : tables) {  // a schema's
    if (table.starts_with(wanted + ".") && !IsIndex(columns)) names.push_back(WrittenTable(table));
  }
  return names;
}

// A statement names an index without the schema, which is that of its table.
std::vector<std::string> IndexNames(const TableColumns& tables) {
  std::vector<std::string> names;
  for (const auto& [name, columns] : tables) {
    const size_t dot = name.find('.');
    if (IsIndex(columns)) names.push_back(Written(name.substr(dot == name.npos ? 0 : dot + 1)));
  }
  return names;
}

// What stands behind a hint's beginning that has no end yet; nothing: the place is in no hint.
std::optional<std::string_view> OpenHint(std::string_view before) {
  const size_t begin = before.rfind("/*+");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view hint = before.substr(begin + 3);
  if (hint.find("*/") != std::string_view::npos) return std::nullopt;
  return hint;
}

// At the end of 'hint': the names of hints, or what stands between the parentheses of INDEX: a
// table by its alias, then indexes. 'after': the rest of the statement, with the end of the hint or
// without.
std::vector<std::string> OfferedInHint(const TableColumns& tables, std::string_view hint,
                                       std::string_view after) {
  static constexpr std::string_view kHints[] = {"FORWARD_SCAN",
                                                "HASH_AGGREGATE",
                                                "INDEX",
                                                "NO_CACHE",
                                                "NO_CHILD_PARENT_JOIN_OPTIMIZATION",
                                                "NO_INDEX",
                                                "RANGE_SCAN",
                                                "SERIAL",
                                                "SKIP_SCAN",
                                                "SMALL",
                                                "USE_DATA_OVER_INDEX_TABLE",
                                                "USE_INDEX_OVER_DATA_TABLE",
                                                "USE_SORT_MERGE_JOIN"};
  const size_t open = hint.rfind('(');
  if (open == std::string_view::npos || hint.find(')', open) != std::string_view::npos) {
    return {std::begin(kHints), std::end(kHints)};
  }
  const std::vector<Token> name = TokensOf(hint.substr(0, open));
  if (name.empty() || name.back().text != "INDEX") return {};
  if (!TokensOf(hint.substr(open + 1)).empty()) return IndexNames(tables);
  const size_t end = after.find("*/");
  std::vector<std::string> names;
  const std::vector<Token> rest =
      TokensOf(end == std::string_view::npos ? after : after.substr(end + 2));
  for (const auto& [alias, table] : AliasesIn(rest)) names.push_back(WrittenTable(alias));
  return names.empty() ? TableNames(tables, /*indexes=*/false) : names;
}

// LINK_TYPE in Phoenix's catalog.
constexpr int64_t kLinkPhysicalTable = 2;
constexpr int64_t kLinkParentTable = 3;
constexpr int64_t kLinkExcludedColumn = 5;

}  // namespace

void CatalogColumns::Add(std::string_view schema, std::string_view table, std::string_view column,
                         std::string_view family, int64_t link_type) {
  std::string name(schema);
  if (!name.empty()) name += ".";
  Table& known = tables_[name.append(table)];
  switch (link_type) {
    case kLinkParentTable: known.parent = family; break;
    case kLinkPhysicalTable:
      known.base = family;
      // With namespaces the name is HBase's, S:T.
      std::replace(known.base.begin(), known.base.end(), ':', '.');
      break;
    case kLinkExcludedColumn: known.excluded.emplace_back(column); break;
    default:
      if (link_type == 0 && !column.empty()) known.columns.emplace_back(column);
  }
}

TableColumns CatalogColumns::Take() && {
  // Phoenix puts no bound on views over views; a damaged catalog could have a circle of them.
  constexpr int kDepthMax = 100;
  TableColumns all;
  for (const auto& [name, table] : tables_) {
    std::vector<std::string>& columns = all[name];
    columns = table.columns;
    if (IsIndex(columns)) continue;
    std::vector<std::string> excluded = table.excluded;
    const Table* view = &table;
    for (int depth = 0; depth < kDepthMax; ++depth) {
      const std::string& below = view->parent.empty() ? view->base : view->parent;
      const auto parent = tables_.find(below);
      if (parent == tables_.end() || &parent->second == view) break;
      view = &parent->second;
      for (const std::string& column : view->columns) {
        if (std::find(excluded.begin(), excluded.end(), column) == excluded.end()) {
          columns.push_back(column);
        }
      }
      excluded.insert(excluded.end(), view->excluded.begin(), view->excluded.end());
    }
  }
  return all;
}

const std::vector<std::string_view>& SqlKeywords() {
  static const std::vector<std::string_view> keywords = [] {
    std::vector<std::string_view> words = {"ADD",
                                           "ALL",
                                           "ALTER",
                                           "AND",
                                           "ANY",
                                           "ARRAY",
                                           "AS",
                                           "ASC",
                                           "ASYNC",
                                           "AVG",
                                           "BETWEEN",
                                           "BIGINT",
                                           "BINARY",
                                           "BOOLEAN",
                                           "BY",
                                           "CASE",
                                           "CAST",
                                           "CHAR",
                                           "CHECK",
                                           "COALESCE",
                                           "COLUMN",
                                           "CONSTRAINT",
                                           "COUNT",
                                           "CREATE",
                                           "DATE",
                                           "DECIMAL",
                                           "DEFAULT",
                                           "DELETE",
                                           "DESC",
                                           "DISTINCT",
                                           "DOUBLE",
                                           "DROP",
                                           "ELSE",
                                           "END",
                                           "EXISTS",
                                           "EXPLAIN",
                                           "FALSE",
                                           "FIRST",
                                           "FLOAT",
                                           "FROM",
                                           "FULL",
                                           "GROUP",
                                           "HAVING",
                                           "IF",
                                           "ILIKE",
                                           "IMMUTABLE",
                                           "IN",
                                           "INCLUDE",
                                           "INDEX",
                                           "INNER",
                                           "INTEGER",
                                           "INTO",
                                           "IS",
                                           "JOIN",
                                           "KEY",
                                           "LAST",
                                           "LEFT",
                                           "LIKE",
                                           "LIMIT",
                                           "LOCAL",
                                           "MAX",
                                           "MIN",
                                           "NOT",
                                           "NULL",
                                           "NULLS",
                                           "OFFSET",
                                           "ON",
                                           "OR",
                                           "ORDER",
                                           "OUTER",
                                           "PRIMARY",
                                           "RIGHT",
                                           "ROW_TIMESTAMP",
                                           "SALT_BUCKETS",
                                           "SCHEMA",
                                           "SELECT",
                                           "SEQUENCE",
                                           "SET",
                                           "SHOW",
                                           "SMALLINT",
                                           "SPLIT",
                                           "SUBSTR",
                                           "SUM",
                                           "TABLE",
                                           "TABLES",
                                           "THEN",
                                           "TIME",
                                           "TIMESTAMP",
                                           "TINYINT",
                                           "TO_CHAR",
                                           "TO_DATE",
                                           "TO_NUMBER",
                                           "TRUE",
                                           "TRUNC",
                                           "UNCOVERED",
                                           "UNION",
                                           "UNSIGNED_INT",
                                           "UNSIGNED_LONG",
                                           "UPDATE",
                                           "UPSERT",
                                           "USE",
                                           "VALUES",
                                           "VARBINARY",
                                           "VARBINARY_ENCODED",
                                           "VARCHAR",
                                           "VIEW",
                                           "WHEN",
                                           "WHERE"};
    std::sort(words.begin(), words.end());
    return words;
  }();
  return keywords;
}

std::vector<std::string> CompleteStatement(const TableColumns& tables, std::string_view before,
                                           std::string_view word, std::string_view after) {
  if (const auto hint = OpenHint(before); hint.has_value()) {
    return WordsWithPrefix(OfferedInHint(tables, *hint, after), word);
  }
  const std::vector<Token> tokens = TokensOf(before);
  // A select list stands in front of the tables that its columns are of.
  const std::vector<Token> all = TokensOf(std::string(before) + " " + std::string(after));
  if (const size_t dot = word.rfind('.'); dot != std::string_view::npos) {
    return WordsWithPrefix(ColumnsOfOne(tables, all, word.substr(0, dot)), word);
  }
  std::vector<std::string> offered;
  Words words;
  switch (WantedAt(tokens, &words)) {
    case Wanted::kWords: offered.assign(words.begin(), words.end()); break;
    case Wanted::kTable: offered = TableNames(tables, /*indexes=*/false); break;
    case Wanted::kIndex: offered = IndexNames(tables); break;
    case Wanted::kColumn: {
      std::vector<std::string> named;
      for (const auto& [alias, table] : AliasesIn(all)) named.push_back(table);
      offered = ColumnsOfAll(tables, named);
      [[fallthrough]];
    }
    case Wanted::kKeyword:
      if (word.starts_with('"')) break;
      for (const std::string_view keyword : SqlKeywords()) offered.emplace_back(keyword);
  }
  return WordsWithPrefix(std::move(offered), word);
}

std::vector<std::string> WordsWithPrefix(std::vector<std::string> offered, std::string_view word) {
  const std::string wanted = Unquoted(Upper(word));
  const bool quoted = word.starts_with('"');
  const bool lower = !quoted && std::any_of(word.begin(), word.end(),
                                            [](unsigned char c) { return std::islower(c) != 0; });
  std::vector<std::string> found;
  for (std::string& name : offered) {
    if (!Unquoted(Upper(name)).starts_with(wanted)) continue;
    if (quoted && name.find('"') == std::string::npos) {
      name.insert(0, 1, '"');
      name.push_back('"');
    }
    // Who types in lower case wants lower case; names that need quotes stay as they are.
    if (lower && name == Upper(name)) name = Lower(name);
    found.push_back(std::move(name));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace bennu::sql::parse
