#include "src/cli/load_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/cli/identifier.h"

namespace bennu::cli {

namespace {

// A point outside double quotes.
size_t FindDot(std::string_view text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '.' && !quoted) return i;
  }
  return std::string_view::npos;
}

std::string QuotedName(const LoadColumn& column) {
  const std::string name = "\"" + column.name + "\"";
  return column.family.empty() ? name : "\"" + column.family + "\"." + name;
}

// Columns that 'name' may mean, by a comparison of names.
template <typename Same>
std::vector<uint32_t> Candidates(const LoadTable& table, std::string_view name, const Same& same) {
  const size_t dot = FindDot(name);
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    const LoadColumn& column = table.columns[i];
    const bool whole = same(column.name, name);
    const bool parts = dot != std::string_view::npos && same(column.family, name.substr(0, dot)) &&
                       same(column.name, name.substr(dot + 1));
    if (whole || parts) found.push_back(i);
  }
  return found;
}

// As the file has it, else as SQL reads it, with its quotes, else in any case.
std::vector<uint32_t> FindColumns(const LoadTable& table, const std::string& name) {
  std::vector<uint32_t> found = Candidates(
      table, name, [](std::string_view left, std::string_view right) { return left == right; });
  if (found.empty()) {
    found = Candidates(table, name, [](std::string_view left, std::string_view right) {
      return right.starts_with('"') && left == Identifier(right);
    });
  }
  if (found.empty()) {
    found = Candidates(table, name, [](std::string_view left, std::string_view right) {
      return Upper(left) == Identifier(right) || Upper(left) == Upper(right);
    });
  }
  return found;
}

// A name of a file for a message: a file that is no text may hold what a terminal would obey.
std::string Printable(const std::string& name) {
  std::string shown;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02X}", byte);
    } else {
      shown.push_back(c);
    }
  }
  return shown;
}

Result<uint32_t> MatchColumn(const LoadTable& table, const std::string& name) {
  const std::vector<uint32_t> found = FindColumns(table, name);
  if (found.size() == 1) return found.front();
  std::vector<std::string> names;
  if (found.empty()) {
    for (const LoadColumn& column : table.columns) names.push_back(column.name);
    return InvalidArgument(fmt::format("the table {} has no column '{}'; it has {}",
                                       table.FullName(), Printable(name), fmt::join(names, ", ")));
  }
  for (const uint32_t index : found) names.push_back(QuotedName(table.columns[index]));
  return InvalidArgument(fmt::format("the column name '{}' is ambiguous; it may be {}",
                                     Printable(name), fmt::join(names, ", ")));
}

}  // namespace

bool HasColumn(const LoadTable& table, const std::string& name) {
  return !FindColumns(table, name).empty();
}

namespace {

template <typename Read>
SqlName ParseName(std::string_view text, const Read& read) {
  const size_t dot = FindDot(text);
  if (dot == std::string_view::npos) return {"", read(text)};
  return {read(text.substr(0, dot)), read(text.substr(dot + 1))};
}

}  // namespace

SqlName ParseSqlName(std::string_view text) { return ParseName(text, Identifier); }

SqlName ParseExactName(std::string_view text) {
  return ParseName(text, [](std::string_view part) {
    return part.starts_with('"') ? Identifier(part) : std::string(part);
  });
}

Result<std::vector<uint32_t>> MatchColumns(const LoadTable& table,
                                           const std::vector<std::string>& names) {
  std::vector<uint32_t> columns;
  std::set<uint32_t> seen;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const uint32_t column, MatchColumn(table, name));
    if (!seen.insert(column).second) {
      return InvalidArgument("the column '" + Printable(name) + "' is named twice");
    }
    columns.push_back(column);
  }
  return columns;
}

std::string UpsertText(const LoadTable& table, const std::vector<uint32_t>& columns) {
  std::string names;
  std::string values;
  for (const uint32_t column : columns) {
    if (!names.empty()) {
      names += ", ";
      values += ", ";
    }
    names += QuotedName(table.columns[column]);
    values += "?";
  }
  const std::string schema = table.schema.empty() ? "" : "\"" + table.schema + "\".";
  return fmt::format("UPSERT INTO {}\"{}\" ({}) VALUES ({})", schema, table.name, names, values);
}

}  // namespace bennu::cli
