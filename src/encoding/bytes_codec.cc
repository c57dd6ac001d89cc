#include "src/encoding/bytes_codec.h"

#include <fmt/format.h>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/encoding/big_decimal.h"

namespace bennu::bytes_codec {

namespace {

// Upper case only, as HBase has it; -1 for anything else.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Status TooFew(const char* what, size_t wanted, size_t found) {
  return InvalidArgument(
      fmt::format("Bytes: {} takes {} bytes, and {} are left", what, wanted, found));
}

}  // namespace

void EncodeInt8(Bytes* out, int8_t value) { out->push_back(static_cast<char>(value)); }
void EncodeInt16(Bytes* out, int16_t value) { AppendBE16(out, static_cast<uint16_t>(value)); }
void EncodeInt32(Bytes* out, int32_t value) { AppendBE32(out, static_cast<uint32_t>(value)); }
void EncodeInt64(Bytes* out, int64_t value) { AppendBE64(out, static_cast<uint64_t>(value)); }

Result<int8_t> DecodeInt8(ByteView* in) {
  uint8_t bits = 0;
  if (!ConsumeByte(in, &bits)) return TooFew("an int8", 1, in->size());
  return static_cast<int8_t>(bits);
}
Result<int16_t> DecodeInt16(ByteView* in) {
  uint16_t bits = 0;
  if (!ConsumeBE16(in, &bits)) return TooFew("an int16", 2, in->size());
  return static_cast<int16_t>(bits);
}
Result<int32_t> DecodeInt32(ByteView* in) {
  uint32_t bits = 0;
  if (!ConsumeBE32(in, &bits)) return TooFew("an int32", 4, in->size());
  return static_cast<int32_t>(bits);
}
Result<int64_t> DecodeInt64(ByteView* in) {
  uint64_t bits = 0;
  if (!ConsumeBE64(in, &bits)) return TooFew("an int64", 8, in->size());
  return static_cast<int64_t>(bits);
}

void EncodeFloat32(Bytes* out, float value) { encoding::AppendFloat(out, value); }
void EncodeFloat64(Bytes* out, double value) { encoding::AppendDouble(out, value); }
Result<float> DecodeFloat32(ByteView* in) {
  uint32_t bits = 0;
  if (!ConsumeBE32(in, &bits)) return TooFew("a float", 4, in->size());
  return std::bit_cast<float>(bits);
}
Result<double> DecodeFloat64(ByteView* in) {
  uint64_t bits = 0;
  if (!ConsumeBE64(in, &bits)) return TooFew("a double", 8, in->size());
  return std::bit_cast<double>(bits);
}

void EncodeBoolean(Bytes* out, bool value) { encoding::AppendBoolean(out, value); }
Result<bool> DecodeBoolean(ByteView* in) {
  uint8_t byte = 0;
  if (!ConsumeByte(in, &byte)) return TooFew("a boolean", 1, in->size());
  return byte != 0;
}

void EncodeVLong(Bytes* out, int64_t value) { AppendVLong(out, value); }
Result<int64_t> DecodeVLong(ByteView* in) {
  int64_t value = 0;
  if (!ConsumeVLong(in, &value)) {
    return InvalidArgument(fmt::format(
        "Bytes: a number of variable length does not end in the {} bytes left", in->size()));
  }
  return value;
}

Status EncodeDecimal(Bytes* out, std::string_view digits) {
  ASSIGN_OR_RETURN(const encoding::BigDecimal value, encoding::BigDecimal::Parse(digits));
  encoding::AppendBigDecimal(out, value);
  return Status::Ok();
}
Result<std::string> DecodeDecimal(ByteView bytes) {
  ASSIGN_OR_RETURN(const encoding::BigDecimal value, encoding::DecodeBigDecimal(bytes));
  return value.ToString();
}

std::string ToStringBinary(ByteView bytes) { return bennu::ToStringBinary(bytes); }

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
        "an integer of {} bytes cannot be incremented; it must have 1 to 8 bytes", value.size()));
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

Bytes PrefixEnd(ByteView prefix) {
  Bytes end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  return end;
}

}  // namespace bennu::bytes_codec
