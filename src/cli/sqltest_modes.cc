#include "src/cli/sqltest_modes.h"

#include "src/base/ascii.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

namespace bennu::cli {

namespace {

using Kind = SqlTestRecord::Kind;
using Expect = SqlTestRecord::Expect;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Calls 'visit' with each place outside of quotes and its depth of parentheses, until it says true.
template <typename Visit>
void WalkSql(std::string_view sql, const Visit& visit) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < sql.size(); ++i) {
    if (quote != 0) {
      if (sql[i] == quote) quote = 0;
      continue;
    }
    if (sql[i] == '\'' || sql[i] == '"') quote = sql[i];
    if (sql[i] == '(') ++depth;
    if (sql[i] == ')') --depth;
    if (visit(i, depth)) return;
  }
}

// The end of the first parenthesis that opens, or npos.
size_t EndOfColumns(std::string_view sql) {
  size_t end = std::string_view::npos;
  WalkSql(sql, [&](size_t at, int depth) {
    if (sql[at] == ')' && depth == 0) end = at + 1;
    return end != std::string_view::npos;
  });
  return end;
}

// The items of the last ORDER BY that is in no parentheses, upper case; none: nothing.
std::optional<std::vector<std::string>> OrderItems(std::string_view sql) {
  const std::string upper = Upper(sql);
  size_t begin = std::string::npos;
  WalkSql(upper, [&](size_t at, int depth) {
    if (depth == 0 && upper.compare(at, 9, "ORDER BY ") == 0) begin = at + 9;
    return false;
  });
  if (begin == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(upper).substr(begin);
  for (const char* end : {" LIMIT ", " OFFSET ", " FETCH ", "\nLIMIT ", "\nOFFSET "}) {
    rest = rest.substr(0, rest.find(end));
  }
  std::vector<std::string> items(1);
  WalkSql(rest, [&](size_t at, int depth) {
    if (depth == 0 && rest[at] == ',') {
      items.emplace_back();
    } else {
      items.back() += rest[at];
    }
    return false;
  });
  return items;
}

// The column of the answer that an item of ORDER BY names, or nothing.
std::optional<size_t> ColumnOf(std::string item, const std::vector<std::string>& labels) {
  for (const char* ending : {" NULLS FIRST", " NULLS LAST", " ASC", " DESC"}) {
    const std::string_view end = ending;
    if (item.size() > end.size() && item.substr(item.size() - end.size()) == end) {
      item.resize(item.size() - end.size());
    }
  }
  std::erase(item, ' ');
  if (!item.empty() && item.size() < 4 &&
      std::all_of(item.begin(), item.end(), [](unsigned char c) { return std::isdigit(c); })) {
    const size_t position = std::stoul(item);
    if (position >= 1 && position <= labels.size()) return position - 1;
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    std::string label = Upper(labels[i]);
    std::erase(label, ' ');
    if (label == item) return i;
  }
  return std::nullopt;
}

std::string Field(const std::string& row, size_t column) {
  size_t begin = 0;
  for (size_t i = 0; i < column; ++i) begin = row.find('\t', begin) + 1;
  return row.substr(begin, row.find('\t', begin) - begin);
}

// Sums round, so that their last digits follow the order of the rows: FLOAT and DOUBLE keep nine
// digits here, DECIMAL 36 of its 38.
std::string WithoutLastDigits(const std::string& row) {
  std::string result;
  for (std::string_view rest = row;;) {
    const std::string_view field = rest.substr(0, rest.find('\t'));
    const bool digits = !field.empty() && field.find_first_not_of("-+.E0123456789") == field.npos;
    const bool real = digits && field.find('E') != field.npos;
    const size_t end = real ? field.find('E') : field.size();
    const size_t kept = digits ? std::min<size_t>(end, real ? 10 : 37) : end;
    result.append(field.substr(0, kept)).append(field.substr(end));
    if (field.size() == rest.size()) return result;
    result += '\t';
    rest.remove_prefix(field.size() + 1);
  }
}

std::vector<std::string> Project(const std::vector<std::string>& rows,
                                 const std::vector<size_t>& columns) {
  std::vector<std::string> projected;
  for (const std::string& row : rows) {
    std::string text;
    for (const size_t column : columns) text += Field(row, column) + "\t";
    projected.push_back(std::move(text));
  }
  return projected;
}

}  // namespace

Status AddSqlTestMode(std::string_view name, SqlTestModes* modes) {
  const std::map<std::string_view, bool*> known = {
      {"split", &modes->split},         {"salted", &modes->salted},
      {"flushed", &modes->flushed},     {"compacted", &modes->compacted},
      {"reopened", &modes->reopened},   {"killed", &modes->killed},
      {"writers", &modes->writers},     {"served", &modes->served},
      {"clustered", &modes->clustered}, {"indexed", &modes->indexed},
  };
  const auto found = known.find(name);
  if (found != known.end()) {
    *found->second = true;
    return Status::Ok();
  }
  std::string names;
  for (const auto& [other, unused] : known)
    names += (names.empty() ? "" : ", ") + std::string(other);
  return InvalidArgument("no mode '" + std::string(name) + "'; there are " + names);
}

// ---- statements

bool StartsWithWords(std::string_view sql, std::string_view words) {
  size_t at = 0;
  const auto skip_spaces = [&] {
    while (at < sql.size() && std::isspace(static_cast<unsigned char>(sql[at])) != 0) ++at;
  };
  skip_spaces();
  for (const char c : words) {
    if (c == ' ') {
      skip_spaces();
    } else if (at >= sql.size() || std::toupper(static_cast<unsigned char>(sql[at++])) != c) {
      return false;
    }
  }
  return true;
}

std::string WithSaltBuckets(const SqlTestRecord& record) {
  const std::string& sql = record.text;
  const std::string upper = Upper(sql);
  const bool plain = record.kind == Kind::kStatement && record.expect == Expect::kOk &&
                     StartsWithWords(sql, "CREATE TABLE") && !Contains(upper, "SALT_BUCKETS") &&
                     !Contains(upper, "SPLIT ON") && !Contains(upper, "NOVERIFY") &&
                     !Contains(upper, "COLUMN_QUALIFIER_COUNTER");
  const size_t end = plain ? EndOfColumns(sql) : std::string::npos;
  if (end == std::string::npos) return sql;
  const bool options = sql.find_first_not_of(" \n", end) != std::string::npos;
  return sql.substr(0, end) + " SALT_BUCKETS=4" + (options ? ", " : "") + sql.substr(end);
}

bool IsRepeatable(const SqlTestRecord& record) {
  const bool succeeds = record.expect == Expect::kOk || record.expect == Expect::kCount;
  if (record.kind != Kind::kStatement || !succeeds) return false;
  if (!StartsWithWords(record.text, "UPSERT INTO")) return false;
  const std::string upper = Upper(record.text);
  for (const char* word :
       {"SELECT", "DUPLICATE", "RETURNING", "NEXT ", "CURRENT", "NOW()", "RAND"}) {
    if (Contains(upper, word)) return false;
  }
  return true;
}

bool MayWrite(const SqlTestRecord& record) {
  if (record.kind == Kind::kCommit) return true;
  if (record.kind != Kind::kStatement && record.kind != Kind::kQuery) return false;
  // A cursor goes with its connection, so nothing restarts because of one.
  for (const char* words :
       {"SELECT", "EXPLAIN", "SHOW", "DECLARE", "OPEN", "FETCH", "CLOSE", "("}) {
    if (StartsWithWords(record.text, words)) return false;
  }
  return true;
}

// ---- answers

SqlTestTraits TraitsOf(const std::vector<SqlTestRecord>& records) {
  SqlTestTraits traits;
  for (const SqlTestRecord& record : records) {
    const std::string upper = Upper(record.text);
    if (record.kind == Kind::kRawCells || record.properties.contains("CurrentSCN") ||
        Contains(upper, "VERSIONS") || Contains(upper, "KEEP_DELETED")) {
      traits.old_versions = true;
    }
    if (record.properties.contains("CurrentSCN")) traits.pinned_times = true;
    if (Contains(upper, "ROW_TIMESTAMP")) traits.row_timestamp = true;
    if (Contains(upper, "CREATE SEQUENCE")) traits.sequences = true;
  }
  return traits;
}

// Sums of numbers of which some are so much larger than others that they cancel out depend on the
// order of the additions altogether.
bool SumsCancelOut(const SqlTestRecord& record, const std::string& upper) {
  if (!Contains(upper, "SUM(") && !Contains(upper, "AVG(") && !Contains(upper, "STDDEV")) {
    return false;
  }
  constexpr int kLargeExponent = 30;
  for (const std::string& row : record.rows) {
    for (size_t at = row.find('E'); at != std::string::npos; at = row.find('E', at + 1)) {
      if (std::atoi(row.c_str() + at + 1) >= kLargeExponent) return true;
    }
  }
  return false;
}

// What a cluster cannot do: local indexes are kept up, and cursors have a snapshot, where the store
// is; and plans say which servers check what.
static bool NeedsOneStore(std::string_view upper) {
  return StartsWithWords(upper, "EXPLAIN") || Contains(upper, " LOCAL INDEX ") ||
         Contains(upper, " ASYNC") || StartsWithWords(upper, "OPEN") ||
         StartsWithWords(upper, "FETCH") || StartsWithWords(upper, "CLOSE");
}

bool IsApplicable(const SqlTestRecord& record, const SqlTestModes& modes) {
  if (record.kind == Kind::kRawCells && (modes.writers || modes.compacted || modes.indexed))
    return false;
  // What a marker hides does not outlive a flush.
  const bool flushes = modes.flushed || modes.reopened || modes.killed;
  if (record.kind == Kind::kRawCells && flushes &&
      std::any_of(record.rows.begin(), record.rows.end(),
                  [](const std::string& cell) { return Contains(cell, " Delete"); })) {
    return false;
  }
  // The rows of all indexes of views over a table lie together.
  if (record.kind == Kind::kCells && modes.indexed && Contains(record.text, "_IDX_")) return false;
  if (record.kind != Kind::kQuery && record.kind != Kind::kStatement) return true;
  const std::string upper = Upper(record.text);
  if (modes.clustered && NeedsOneStore(upper)) return false;
  const bool any_order = modes.salted || modes.split || modes.writers || modes.indexed;
  if (any_order && Contains(upper, "WITHIN GROUP") && !Contains(upper, "GROUP BY")) return false;
  // The order of a Java HashMap, where collisions follow the order in which values came.
  if (any_order && Contains(upper, "COLLECTDISTINCT")) return false;
  if (modes.sums_in_any_order() && record.kind == Kind::kQuery && SumsCancelOut(record, upper)) {
    return false;
  }
  // It counts what others wrote over, and what compactions leave out.
  if ((modes.writers || modes.compacted) && Contains(upper, "RAW_ROW_SIZE")) return false;
  // What was reserved and not used is given back by then.
  if (modes.reopened && Contains(upper, "LIMIT_REACHED_FLAG")) return false;
  // Queries should read indexes there however many rows they find, and so nothing is counted.
  if (modes.indexed && Contains(upper, "SYSTEM.STATS")) return false;
  if (!modes.salted && !modes.indexed) return true;
  if (StartsWithWords(upper, "EXPLAIN") || StartsWithWords(upper, "SHOW")) return false;
  if (record.kind == Kind::kQuery && Contains(upper, "SYSTEM.CATALOG")) return false;
  if (!modes.salted) return true;
  // The salt byte is a part of the key that these show.
  return !Contains(upper, "ROW_SIZE") && !Contains(upper, "ROWKEY_BYTES");
}

bool TakesAnyRows(const SqlTestRecord& record) {
  const std::string upper = Upper(record.text);
  return MayWrite(record) && Contains(upper, " LIMIT ") && !Contains(upper, "ORDER BY");
}

std::string CompareSalted(const SqlTestRecord& record, const std::vector<std::string>& labels,
                          std::vector<std::string> expected, std::vector<std::string> actual) {
  if (expected == actual) return "";
  const std::string upper = Upper(record.text);
  const std::optional<std::vector<std::string>> items = OrderItems(upper);
  const bool cut =
      Contains(upper, "LIMIT ") || Contains(upper, "OFFSET ") || Contains(upper, "FETCH ");
  if (!items.has_value() && cut) {
    if (expected.size() == actual.size()) return "";
    return "  another number of rows: " + std::to_string(actual.size()) + "\n";
  }
  for (std::string& row : expected) row = WithoutLastDigits(row);
  for (std::string& row : actual) row = WithoutLastDigits(row);
  std::vector<size_t> columns;  // the first columns of the order, as far as the answer shows them
  for (size_t i = 0; record.sorted && items.has_value() && i < items->size(); ++i) {
    const std::optional<size_t> column = ColumnOf((*items)[i], labels);
    if (!column.has_value()) break;
    columns.push_back(*column);
  }
  const bool in_order = Project(expected, columns) == Project(actual, columns);
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  if (expected != actual) return "  other rows\n";
  return in_order ? "" : "  another order\n";
}

std::string CompareParallel(const SqlTestRecord& record, const std::vector<std::string>& labels,
                            std::vector<std::string> expected, std::vector<std::string> actual) {
  if (!record.sorted || OrderItems(record.text).has_value()) {
    return CompareSalted(record, labels, std::move(expected), std::move(actual));
  }
  for (std::string& row : expected) row = WithoutLastDigits(row);
  for (std::string& row : actual) row = WithoutLastDigits(row);
  return expected == actual ? "" : "  other rows, or another order\n";
}

std::string WithoutWays(const std::string& line) {
  const size_t end = line.find("-WAY");
  if (end == std::string::npos) return line;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  return line.substr(0, begin) + "*" + line.substr(end);
}

std::vector<std::string> WithoutPlaces(const std::vector<std::string>& lines) {
  constexpr std::string_view kServer = "SERVER ";
  constexpr std::string_view kBlank = "\\u0020";
  constexpr std::string_view kOfEither[] = {"AGGREGATE ", "TOP ",    "SORTED BY ",
                                            "OFFSET ",    "MERGE [", "ARRAY ELEMENT"};
  constexpr std::pair<std::string_view, std::string_view> kPlaced[] = {
      {"AFTER-JOIN SERVER ", "AFTER-JOIN CLIENT "}, {"DELETE ROWS SERVER ", "DELETE ROWS CLIENT "}};
  std::vector<std::string> kept;
  for (std::string line : lines) {
    std::string_view step = line;
    // Records write a blank at the beginning so.
    if (step.starts_with(kBlank)) step.remove_prefix(kBlank.size());
    step.remove_prefix(std::min(step.find_first_not_of(' '), step.size()));
    const bool of_server = step.starts_with(kServer);
    if (of_server || step.starts_with("CLIENT ")) {
      const std::string_view what = step.substr(kServer.size());
      const bool limit = std::isdigit(static_cast<unsigned char>(what[0])) != 0 &&
                         what.find(" ROW LIMIT") != std::string_view::npos;
      if (of_server && (limit || what.starts_with("DISTINCT PREFIX FILTER"))) continue;
      if (std::ranges::any_of(kOfEither, [&](auto word) { return what.starts_with(word); })) {
        line = "* " + std::string(what);
      }
    }
    for (const auto& [of_servers, of_client] : kPlaced) {
      const size_t found = line.find(of_servers);
      if (found != std::string::npos) line.replace(found, of_servers.size(), of_client);
    }
    kept.push_back(std::move(line));
  }
  return kept;
}

}  // namespace bennu::cli
