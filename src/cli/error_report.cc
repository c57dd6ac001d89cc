#include "src/cli/error_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "src/engine/open.h"

namespace bennu::cli {

namespace {

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Blanks that move the caret under byte 'column' of 'line': one per character, tabs kept.
std::string Indent(std::string_view line, size_t column) {
  std::string indent;
  for (const char c : line.substr(0, column)) {
    if (c == '\t') {
      indent.push_back('\t');
    } else if (!IsContinuationByte(c)) {
      indent.push_back(' ');
    }
  }
  return indent;
}

// A store that another process has can be read beside it, and a server can be asked.
std::string HeldHint(std::string_view message) {
  std::string hint =
      "HINT: `bennu sql --read-only` and `bennu shell --read-only` read what is on disk beside it";
  if (const size_t at = message.find(engine::kServedAt); at != std::string_view::npos) {
    // "HOST:PORT" of the master, and behind a comma the URL for SQL, where it has them. A command
    // may have added to the message behind a semicolon.
    std::string_view places = message.substr(at + engine::kServedAt.size());
    places = places.substr(0, places.find(';'));
    const size_t comma = places.find(", ");
    const std::string_view first = places.substr(0, comma);
    const std::string_view url = first.starts_with("http")         ? first
                                 : comma == std::string_view::npos ? std::string_view()
                                                                   : places.substr(comma + 2);
    if (!first.starts_with("http")) hint += fmt::format("; `bennu shell {}`", first);
    if (!url.empty()) hint += fmt::format("; `bennu sql {}`", url);
    hint += " goes through the server";
  }
  return hint + "\n";
}

}  // namespace

std::string FormatError(const Status& status, std::string_view statement, int first_line) {
  std::string text =
      status.sql_error() != nullptr && status.sql_error()->code == 0
          ? "ERROR: " + status.message()
          : (status.sql_error() != nullptr ? status.ToString() : "ERROR: " + status.ToString());
  text.push_back('\n');
  if (status.code() == StatusCode::kHeld) text += HeldHint(status.message());
  const SqlError* error = status.sql_error();
  if (error == nullptr) return text;
  if (error->position >= 0 && !statement.empty()) {
    const size_t position = std::min<size_t>(error->position, statement.size());
    const size_t previous_end =
        position == 0 ? std::string_view::npos : statement.rfind('\n', position - 1);
    const size_t begin = previous_end == std::string_view::npos ? 0 : previous_end + 1;
    const std::string_view line = statement.substr(begin, statement.find('\n', begin) - begin);
    const auto lines_before = std::count(statement.begin(), statement.begin() + begin, '\n');
    const std::string prefix =
        first_line > 0 ? fmt::format("LINE {}: ", first_line + lines_before) : std::string();
    text += prefix + std::string(line) + "\n";
    text += std::string(prefix.size(), ' ') + Indent(line, position - begin) + "^\n";
  }
  if (!error->hint.empty()) text += "HINT: " + error->hint + "\n";
  return text;
}

ExitCode ReportError(const Status& status, ExitCode code) {
  std::fputs(FormatError(status, "", 0).c_str(), stderr);
  return code;
}

}  // namespace bennu::cli
