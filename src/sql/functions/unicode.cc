#include "src/sql/functions/unicode.h"

#include <algorithm>

namespace bennu::sql {
namespace {

void AppendCodePoint(uint32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else {
    out->push_back(static_cast<char>(0xc0 | c >> 6));
    out->push_back(static_cast<char>(0x80 | (c & 0x3f)));
  }
}

uint32_t UpperOf(uint32_t c) {
  if (c == 0xb5) return 0x39c;
  if (c >= 0xe0 && c <= 0xfe && c != 0xf7) return c - 0x20;
  if (c == 0xff) return 0x178;
  if (c == 0x131) return 'I';
  if ((c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177)) return c & ~1u;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e)) return (c & 1) != 0 ? c : c - 1;
  if (c == 0x3ac) return 0x386;
  if (c >= 0x3ad && c <= 0x3af) return c - 0x25;
  if (c == 0x3c2) return 0x3a3;
  if (c >= 0x3b1 && c <= 0x3cb) return c - 0x20;
  if (c >= 0x430 && c <= 0x44f) return c - 0x20;
  if (c >= 0x450 && c <= 0x45f) return c - 0x50;
  if (c >= 0x460 && c <= 0x481) return c & ~1u;
  if (c >= 0x561 && c <= 0x586) return c - 0x30;
  return c;
}

uint32_t LowerOf(uint32_t c) {
  if (c >= 0xc0 && c <= 0xde && c != 0xd7) return c + 0x20;
  if (c == 0x178) return 0xff;
  if (c == 0x130) return c;  // two characters: see LowerCase
  if ((c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177)) return c | 1u;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e)) return (c & 1) != 0 ? c + 1 : c;
  if (c == 0x386) return 0x3ac;
  if (c >= 0x388 && c <= 0x38a) return c + 0x25;
  if (c >= 0x391 && c <= 0x3ab && c != 0x3a2) return c + 0x20;
  if (c >= 0x410 && c <= 0x42f) return c + 0x20;
  if (c >= 0x400 && c <= 0x40f) return c + 0x50;
  if (c >= 0x460 && c <= 0x481) return c | 1u;
  if (c >= 0x531 && c <= 0x556) return c + 0x30;
  return c;
}

// Calls 'map'(code point, out) for characters of one or two bytes and copies longer ones.
template <typename F>
std::string MapText(std::string_view text, F map) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = std::min(Utf8SequenceLength(text[i]), text.size() - i);
    const auto first = static_cast<uint8_t>(text[i]);
    if (length == 1 && first < 0x80) {
      map(first, &out);
    } else if (length == 2 && first >= 0xc2) {
      map((first & 0x1fu) << 6 | (static_cast<uint8_t>(text[i + 1]) & 0x3fu), &out);
    } else {
      out.append(text.substr(i, length));
    }
    i += length;
  }
  return out;
}

void AppendUpper(uint32_t c, std::string* out) {
  if (c >= 'a' && c <= 'z') {
    out->push_back(static_cast<char>(c - 0x20));
  } else if (c == 0xdf) {
    out->append("SS");
  } else {
    AppendCodePoint(c < 0x80 ? c : UpperOf(c), out);
  }
}

void AppendLower(uint32_t c, std::string* out) {
  if (c >= 'A' && c <= 'Z') {
    out->push_back(static_cast<char>(c + 0x20));
  } else if (c == 0x130) {
    out->append("i\xcc\x87");  // i with a combining dot above
  } else {
    AppendCodePoint(c < 0x80 ? c : LowerOf(c), out);
  }
}

}  // namespace

std::string UpperCase(std::string_view text) { return MapText(text, AppendUpper); }
std::string LowerCase(std::string_view text) { return MapText(text, AppendLower); }

std::string UpperCaseTurkish(std::string_view text) {
  return MapText(text, [](uint32_t c, std::string* out) {
    if (c == 'i') return AppendCodePoint(0x130, out);
    AppendUpper(c, out);
  });
}

std::string LowerCaseTurkish(std::string_view text) {
  return MapText(text, [](uint32_t c, std::string* out) {
    if (c == 'I') return AppendCodePoint(0x131, out);
    if (c == 0x130) return AppendCodePoint('i', out);
    AppendLower(c, out);
  });
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
