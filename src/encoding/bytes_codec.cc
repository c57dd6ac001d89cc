#include "src/encoding/bytes_codec.h"

#include <fmt/format.h>

namespace bennu::encoding {

namespace {

// Upper case only, as HBase has it; -1 for anything else.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<Bytes> FromStringBinary(std::string_view text) {
  Bytes out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size() || text[i + 1] != 'x') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 3 >= text.size()) {
      return InvalidArgument(fmt::format("'{}' ends within the escape at {}", text, i));
    }
    const int high = HexDigit(text[i + 2]);
    const int low = HexDigit(text[i + 3]);
    if (high < 0 || low < 0) continue;  // drops the backslash alone
    out.push_back(static_cast<char>(high * 16 + low));
    i += 3;
  }
  return out;
}

Result<Bytes> IncrementBytes(ByteView value, int64_t amount) {
  if (value.empty() || value.size() > 8) {
    return InvalidArgument(fmt::format(
        "an integer of {} bytes can not be incremented: 1 to 8 are possible", value.size()));
  }
  const bool negative = (static_cast<uint8_t>(value.front()) & 0x80) != 0;
  uint64_t number = negative ? ~uint64_t{0} : 0;
  for (const char byte : value) number = (number << 8) | static_cast<uint8_t>(byte);
  Bytes out;
  AppendBE64(&out, number + static_cast<uint64_t>(amount));
  return out;
}

Bytes UnsignedIncrement(ByteView value) {
  Bytes out(value);
  for (size_t i = out.size(); i > 0; --i) {
    out[i - 1] = static_cast<char>(static_cast<uint8_t>(out[i - 1]) + 1);
    if (out[i - 1] != 0) return out;
  }
  out.insert(out.begin(), '\x01');
  return out;
}

}  // namespace bennu::encoding
