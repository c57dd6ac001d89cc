#include "src/cli/table_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "src/base/ascii.h"
#include "src/base/status_macros.h"

namespace bennu::cli {

namespace {

constexpr size_t kCloseNamesMax = 3;

// Letters to insert, leave out or replace (Levenshtein's distance).
size_t Distance(std::string_view left, std::string_view right) {
  std::vector<size_t> row(right.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= left.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> CloseNames(std::string_view text, const std::vector<std::string>& names) {
  const std::string wanted = Upper(text);
  // A third of the letters may be wrong, and one of the shortest names.
  const size_t distance_max = std::max<size_t>(1, wanted.size() / 3);
  std::vector<std::pair<size_t, std::string>> close;
  for (const std::string& name : names) {
    const size_t distance = Distance(wanted, Upper(name));
    if (distance <= distance_max) close.emplace_back(distance, name);
  }
  std::sort(close.begin(), close.end());
  if (close.size() > kCloseNamesMax) close.resize(kCloseNamesMax);
  std::vector<std::string> found;
  for (auto& [distance, name] : close) found.push_back(std::move(name));
  return found;
}

std::string DidYouMean(const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("did you mean {}?", fmt::join(names, " or "));
}

Result<TableName> FindTable(Admin* admin, const std::string& text) {
  ASSIGN_OR_RETURN(const TableName exact, TableName::Parse(text));
  ASSIGN_OR_RETURN(const bool exists, admin->TableExists(exact));
  if (exists) return exact;
  if (const auto upper = TableName::Parse(Upper(text)); upper.ok()) {
    ASSIGN_OR_RETURN(const bool upper_exists, admin->TableExists(*upper));
    if (upper_exists) return *upper;
  }
  std::vector<std::string> names;
  // The tables are listed for the message alone: it can do without them.
  if (const auto tables = admin->ListTables(); tables.ok()) {
    for (const TableName& table : *tables) names.push_back(table.ToString());
  }
  const std::string hint = DidYouMean(CloseNames(text, names));
  return NotFound("there is no table " + text + (hint.empty() ? "" : "; " + hint));
}

}  // namespace bennu::cli
