#include "src/base/hex.h"

namespace bennu {

namespace {

constexpr char kLowerDigits[] = "0123456789abcdef";
constexpr char kUpperDigits[] = "0123456789ABCDEF";

// Returns -1 for what is not a digit.
int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string HexEncode(ByteView bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kLowerDigits[byte >> 4];
    text += kLowerDigits[byte & 15];
  }
  return text;
}

Result<Bytes> HexDecode(std::string_view text) {
  if (text.size() % 2 != 0) {
    return InvalidArgument("hex text of " + std::to_string(text.size()) +
                           " characters: expected two digits per byte");
  }
  Bytes bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = DigitValue(text[i]);
    const int low = DigitValue(text[i + 1]);
    if (high < 0 || low < 0) {
      return InvalidArgument("hex text: no hex digit in '" + ToStringBinary(text.substr(i, 2)) +
                             "' at character " + std::to_string(i));
    }
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::string ToStringBinary(ByteView bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte <= 0x7E && byte != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += kUpperDigits[byte >> 4];
      text += kUpperDigits[byte & 15];
    }
  }
  return text;
}

}  // namespace bennu
