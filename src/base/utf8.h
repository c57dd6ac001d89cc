// Characters as UTF-8. Pure; thread-safe.
#ifndef BENNU_SRC_BASE_UTF8_H_
#define BENNU_SRC_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bennu {

// Appends the bytes of 'c', which is at most U+10FFFF; half of a surrogate pair as three bytes.
inline void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
    return;
  }
  if (c < 0x800) {
    out->push_back(static_cast<char>(0xc0 | c >> 6));
  } else {
    if (c < 0x10000) {
      out->push_back(static_cast<char>(0xe0 | c >> 12));
    } else {
      out->push_back(static_cast<char>(0xf0 | c >> 18));
      out->push_back(static_cast<char>(0x80 | (c >> 12 & 0x3f)));
    }
    out->push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
  }
  out->push_back(static_cast<char>(0x80 | (c & 0x3f)));
}

// U+FFFD, which stands for what is no character.
inline constexpr std::string_view kUtf8Replacement = "\xef\xbf\xbd";

// The bytes of the character that 'text', which is not empty, begins with; 0: it begins with none.
size_t Utf8CharacterSize(std::string_view text);
// Appends 'text' with U+FFFD for each byte that belongs to no character.
void AppendValidUtf8(std::string_view text, std::string* out);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_UTF8_H_
