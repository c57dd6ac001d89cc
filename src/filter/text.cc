#include "src/filter/text.h"

#include "src/base/unicode_case.h"
#include "src/base/utf8.h"

namespace bennu::filter {

uint32_t NextCharacter(ByteView bytes, size_t* position) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint32_t first = at((*position)++);
  if (first < 0x80) return first;
  size_t more = 0;
  uint32_t low = 0x80;  // bounds of the second byte
  uint32_t high = 0xbf;
  uint32_t character = 0;
  if (first >= 0xc2 && first <= 0xdf) {
    more = 1;
    character = first & 0x1f;
  } else if (first >= 0xe0 && first <= 0xef) {
    more = 2;
    character = first & 0x0f;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    more = 3;
    character = first & 0x07;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return kReplacement;
  }
  for (; more > 0; --more) {
    if (*position >= bytes.size() || at(*position) < low || at(*position) > high) {
      return kReplacement;
    }
    character = character << 6 | (at((*position)++) & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  return character;
}

bool IsUtf8(ByteView bytes) {
  for (size_t i = 0; i < bytes.size();) {
    if (static_cast<uint8_t>(bytes[i]) < 0x80) {
      ++i;
      continue;
    }
    const size_t begin = i;
    // U+FFFD itself is three bytes long and well formed.
    if (NextCharacter(bytes, &i) == kReplacement &&
        bytes.substr(begin, i - begin) != "\xef\xbf\xbd") {
      return false;
    }
  }
  return true;
}

void AppendDecoded(ByteView bytes, Charset charset, Bytes* out) {
  if (charset == Charset::kUtf8) {
    for (size_t i = 0; i < bytes.size();) AppendUtf8(NextCharacter(bytes, &i), out);
    return;
  }
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    AppendUtf8(byte >= 0x80 && charset == Charset::kAscii ? kReplacement : byte, out);
  }
}

void AppendLowerCase(ByteView text, Bytes* out) {
  Bytes decoded;
  AppendDecoded(text, Charset::kUtf8, &decoded);
  bennu::AppendLowerCase(decoded, out);
}

}  // namespace bennu::filter
