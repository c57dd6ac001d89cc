#include "src/sql/parse/one_line.h"

#include <algorithm>

namespace bennu::sql::parse {
namespace {

// The offset behind the text or quoted name that begins at 'start', or the end of 'text'.
size_t EndOfQuoted(std::string_view text, size_t start) {
  const char quote = text[start];
  for (size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '\'') {
      ++i;  // the next character belongs to the text
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return text.size();
}

std::string WithoutLineEnds(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// A comment that runs to the end of its line, without its -- or //. One that would end early
// between /* and */ is left out.
std::string BlockComment(std::string_view comment) {
  if (comment.find("*/") != std::string_view::npos) return "";
  // Right behind /* a plus sign would begin a hint.
  const std::string_view gap = comment.starts_with(' ') ? "" : " ";
  return "/*" + std::string(gap) + std::string(comment) + " */";
}

}  // namespace

std::string OneLine(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  std::string line;
  for (size_t i = 0; i < text.size();) {
    const std::string_view two = text.substr(i, 2);
    size_t end = i + 1;
    if (text[i] == '\'' || text[i] == '"') {
      end = EndOfQuoted(text, i);
      line += text.substr(i, end - i);
    } else if (two == "--" || two == "//") {
      end = std::min(text.find('\n', i), text.size());
      line += BlockComment(text.substr(i + 2, end - i - 2));
    } else if (two == "/*") {
      const size_t close = text.find("*/", i + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
      line += WithoutLineEnds(text.substr(i, end - i));
    } else {
      line += text[i] == '\n' ? ' ' : text[i];
    }
    i = end;
  }
  return line;
}

}  // namespace bennu::sql::parse
