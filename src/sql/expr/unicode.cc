#include "src/sql/expr/unicode.h"

#include <algorithm>

#include "src/base/unicode_case.h"

namespace bennu::sql {
namespace {

// 'text' with every 'from' as 'to'.
std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at; (at = text.find(from)) != std::string_view::npos;) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

}  // namespace

std::string UpperCase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendUpperCase(text, &out);
  return out;
}

std::string LowerCase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendLowerCase(text, &out);
  return out;
}

std::string UpperCaseTurkish(std::string_view text) {
  return UpperCase(Replaced(text, "i", "\xc4\xb0"));  // İ
}

std::string LowerCaseTurkish(std::string_view text) {
  return LowerCase(Replaced(Replaced(text, "I", "\xc4\xb1"), "\xc4\xb0", "i"));  // ı, İ
}

std::string LowerCaseAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 0x20);
  }
  return out;
}

size_t Utf16Length(std::string_view text) {
  size_t length = 0;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    length += (byte & 0xc0) != 0x80 ? 1 : 0;
    length += byte >= 0xf0 ? 1 : 0;
  }
  return length;
}

size_t Utf8Advance(std::string_view text, size_t count) {
  size_t i = 0;
  while (count > 0 && i < text.size()) {
    i += Utf8SequenceLength(text[i]);
    --count;
  }
  return std::min(i, text.size());
}

}  // namespace bennu::sql
