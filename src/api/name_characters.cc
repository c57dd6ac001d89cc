#include "src/api/name_characters.h"

#include <locale.h>
#include <wctype.h>

#include <cstdint>

#include "src/filter/text.h"

namespace bennu::api {

namespace {

bool IsAsciiAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Of a character beyond ASCII.
bool IsAlnum(uint32_t character) {
  // Kept while the process lives. Where the system lacks it, who named something so knew why.
  static const locale_t kUtf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kUtf8 == nullptr || ::iswalnum_l(static_cast<wint_t>(character), kUtf8) != 0;
}

}  // namespace

bool IsNameText(std::string_view text, std::string_view others) {
  if (!filter::IsUtf8(text)) return false;
  for (size_t i = 0; i < text.size();) {
    const auto at = [&](size_t place) { return static_cast<uint8_t>(text[place]); };
    const uint8_t first = at(i);
    if (first < 0x80) {
      const char c = text[i++];
      if (!IsAsciiAlnum(c) && c != '_' && others.find(c) == std::string_view::npos) return false;
      continue;
    }
    if (first >= 0xf0) return false;
    uint32_t character = 0;
    if (first < 0xe0) {
      character = (first & 0x1fu) << 6 | (at(i + 1) & 0x3fu);
      i += 2;
    } else {
      character = (first & 0x0fu) << 12 | (at(i + 1) & 0x3fu) << 6 | (at(i + 2) & 0x3fu);
      i += 3;
    }
    if (!IsAlnum(character)) return false;
  }
  return true;
}

}  // namespace bennu::api
