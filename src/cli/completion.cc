#include "src/cli/completion.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "src/base/ascii.h"
#include "src/cli/result_printer.h"
#include "src/cli/shell_commands.h"

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
  } else if (std::binary_search(sql::parse::SqlKeywords().begin(), sql::parse::SqlKeywords().end(),
                                word)) {
    *colour = kKeyword;
  }
  return end;
}

}  // namespace

void Completion::Load() {
  loaded_ = true;
  tables_.clear();
  Result<std::unique_ptr<ResultSet>> result =
      connection_->Execute(std::string(sql::parse::kTableColumnsQuery));
  if (!result.ok()) return;  // no table yet: keywords alone
  sql::parse::CatalogColumns catalog;
  while (true) {
    const Result<bool> more = (*result)->Next();
    if (!more.ok() || !*more) break;
    const ResultSet& row = **result;
    const auto text = [&row](size_t column) {
      return row.IsNull(column) ? std::string() : row.GetText(column);
    };
    const Result<int64_t> link = row.GetInt64(4);  // an error where it is NULL
    catalog.Add(text(0), text(1), text(2), text(3), link.ok() ? *link : 0);
  }
  tables_ = std::move(catalog).Take();
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
  if (ShellCommands::WantsTable(name)) {
    std::vector<std::string> names;
    for (const auto& [table, columns] : tables_) names.push_back(table);
    return names;
  }
  if (name == "outputformat" || name == "f") return OutputFormatNames();
  if (name == "autocommit" || name == "timing") return {"on", "off"};
  return {};
}

std::vector<std::string> Completion::Candidates(std::string_view before, std::string_view word,
                                                std::string_view after) {
  if (!loaded_) Load();
  const size_t begin = std::min(before.find_first_not_of(" \t\n"), before.size());
  before.remove_prefix(begin);
  const bool is_command = !before.empty() && (before[0] == '!' || before[0] == '\\');
  if (is_command) return sql::parse::WordsWithPrefix(CommandCandidates(before), word);
  if (!before.empty() || !word.starts_with('!')) {
    return sql::parse::CompleteStatement(tables_, before, word, after);
  }
  std::vector<std::string> commands;  // "!de": the mark is a part of the word
  for (const std::string_view name : ShellCommands::Names()) {
    commands.push_back("!" + std::string(name));
  }
  return sql::parse::WordsWithPrefix(std::move(commands), word);
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
