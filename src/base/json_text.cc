#include "src/base/json_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace bennu {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr uint8_t kControlEnd = 0x20;

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

// The bytes of the character that 'text' begins with; 0: it begins with none. Table 3-7 of the
// Unicode standard: no overlong forms, no surrogates, nothing past U+10FFFF.
size_t CharacterSize(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return 1;
  size_t size = 0;
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    size = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    size = 3;
    if (first == 0xe0) second_min = 0xa0;
    if (first == 0xed) second_max = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    size = 4;
    if (first == 0xf0) second_min = 0x90;
    if (first == 0xf4) second_max = 0x8f;
  }
  if (size == 0 || text.size() < size) return 0;
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < second_min || second > second_max) return 0;
  for (size_t i = 2; i < size; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  return size;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const char c = text[0];
    const size_t size = CharacterSize(text);
    if (size == 0) {
      out->append(kReplacement);
    } else if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (c == '\n') {
      out->append("\\n");
    } else if (static_cast<uint8_t>(c) < kControlEnd) {
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out->append(text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  out->push_back('"');
}

}  // namespace bennu
