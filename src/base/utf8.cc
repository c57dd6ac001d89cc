#include "src/base/utf8.h"

namespace bennu {

namespace {

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

}  // namespace

// Table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing past U+10FFFF.
size_t Utf8CharacterSize(std::string_view text) {
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

void AppendValidUtf8(std::string_view text, std::string* out) {
  while (!text.empty()) {
    const size_t size = Utf8CharacterSize(text);
    out->append(size == 0 ? kUtf8Replacement : text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
}

}  // namespace bennu
