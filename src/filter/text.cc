#include "src/filter/text.h"

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

namespace {

void AppendCharacter(uint32_t c, Bytes* out) {
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

// Ranges of capitals and how far their small letters are; kAlternating: capitals are even (odd)
// and each is followed by its small letter.
struct CaseRange {
  enum class Kind : uint8_t { kShift, kEven, kOdd };
  uint32_t first;
  uint32_t last;
  Kind kind;
  int32_t shift;
};

constexpr CaseRange kCaseRanges[] = {
    {0xc0, 0xd6, CaseRange::Kind::kShift, 0x20},   {0xd8, 0xde, CaseRange::Kind::kShift, 0x20},
    {0x100, 0x12f, CaseRange::Kind::kEven, 0},     {0x132, 0x137, CaseRange::Kind::kEven, 0},
    {0x139, 0x148, CaseRange::Kind::kOdd, 0},      {0x14a, 0x177, CaseRange::Kind::kEven, 0},
    {0x178, 0x178, CaseRange::Kind::kShift, -121}, {0x179, 0x17e, CaseRange::Kind::kOdd, 0},
    {0x386, 0x386, CaseRange::Kind::kShift, 38},   {0x388, 0x38a, CaseRange::Kind::kShift, 37},
    {0x38c, 0x38c, CaseRange::Kind::kShift, 64},   {0x38e, 0x38f, CaseRange::Kind::kShift, 63},
    {0x391, 0x3a1, CaseRange::Kind::kShift, 0x20}, {0x3a3, 0x3ab, CaseRange::Kind::kShift, 0x20},
    {0x400, 0x40f, CaseRange::Kind::kShift, 0x50}, {0x410, 0x42f, CaseRange::Kind::kShift, 0x20},
    {0x460, 0x481, CaseRange::Kind::kEven, 0},     {0x48a, 0x4bf, CaseRange::Kind::kEven, 0},
    {0x4c1, 0x4ce, CaseRange::Kind::kOdd, 0},      {0x4d0, 0x52f, CaseRange::Kind::kEven, 0},
    {0x531, 0x556, CaseRange::Kind::kShift, 0x30},
};

uint32_t LowerOf(uint32_t c) {
  for (const CaseRange& range : kCaseRanges) {
    if (c < range.first) return c;
    if (c > range.last) continue;
    switch (range.kind) {
      case CaseRange::Kind::kShift:
        return static_cast<uint32_t>(static_cast<int32_t>(c) + range.shift);
      case CaseRange::Kind::kEven: return c | 1;
      case CaseRange::Kind::kOdd: return c + (c & 1);
    }
  }
  return c;
}

}  // namespace

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
    for (size_t i = 0; i < bytes.size();) AppendCharacter(NextCharacter(bytes, &i), out);
    return;
  }
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    AppendCharacter(byte >= 0x80 && charset == Charset::kAscii ? kReplacement : byte, out);
  }
}

void AppendLowerCase(ByteView text, Bytes* out) {
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (static_cast<uint8_t>(c) < 0x80) {
      out->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c);
      ++i;
      continue;
    }
    const uint32_t character = NextCharacter(text, &i);
    if (character == 0x130) {
      out->append("i\xcc\x87");  // i and a dot above
    } else {
      AppendCharacter(LowerOf(character), out);
    }
  }
}

}  // namespace bennu::filter
