#include "src/shell/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace bennu::shell {

namespace {

// The next piece of at most 'width' bytes (0: all), taken off *text.
std::string_view TakePiece(std::string_view* text, size_t width) {
  const std::string_view piece = width == 0 ? *text : text->substr(0, width);
  text->remove_prefix(piece.size());
  return piece;
}

}  // namespace

void Printer::Line(std::string_view text) {
  write_(text);
  write_("\n");
}

void Printer::Header(std::string_view title) {
  width_ = width_of_terminal_();
  Line(title);
}

void Printer::Header(std::string_view first, std::string_view second) {
  width_ = width_of_terminal_();
  Columns(first, second, false);
}

void Printer::Row(std::string_view text) {
  do {
    Line(TakePiece(&text, width_));
  } while (!text.empty());
}

void Printer::Row(std::string_view first, std::string_view second) { Columns(first, second, true); }

void Printer::Columns(std::string_view first, std::string_view second, bool indented) {
  // Two columns and the blanks around them must fit, however narrow the terminal is.
  const size_t first_width = width_ == 0 ? 0 : std::max<size_t>(width_ / 4, 1);
  const size_t second_width = width_ == 0 ? 0 : std::max(width_, first_width + 3) - first_width - 2;
  do {
    std::string line =
        fmt::format("{}{:<{}}{}", indented ? " " : "", TakePiece(&first, first_width), first_width,
                    indented ? " " : "  ");
    line += TakePiece(&second, second_width);
    line.erase(line.find_last_not_of(' ') + 1);
    Line(line);
  } while (!first.empty() || !second.empty());
}

void Printer::Columns(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) line += " " + text;
  Line(line);
}

void Printer::Footer(size_t row_count, bool stale) {
  Line(fmt::format("{} row(s)", row_count));
  if (stale) Line(" (possible stale results) ");
}

}  // namespace bennu::shell
