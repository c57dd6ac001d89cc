// What the files of the OrderedBytes implementation share.
#ifndef BENNU_SRC_ENCODING_ORDERED_BYTES_INTERNAL_H_
#define BENNU_SRC_ENCODING_ORDERED_BYTES_INTERNAL_H_

#include <fmt/format.h>

#include <cstdint>

#include "src/encoding/ordered_bytes.h"

namespace bennu::ordered_bytes::internal {

// First bytes, as the class has them (its documentation differs, see docs/formats).
inline constexpr uint8_t kNull = 0x05;
inline constexpr uint8_t kNegativeInfinity = 0x07;
inline constexpr uint8_t kNegativeLarge = 0x08;
inline constexpr uint8_t kNegativeMediumMin = 0x09;
inline constexpr uint8_t kNegativeMediumMax = 0x13;
inline constexpr uint8_t kNegativeSmall = 0x14;
inline constexpr uint8_t kZero = 0x15;
inline constexpr uint8_t kPositiveSmall = 0x16;
inline constexpr uint8_t kPositiveMediumMin = 0x17;
inline constexpr uint8_t kPositiveMediumMax = 0x21;
inline constexpr uint8_t kPositiveLarge = 0x22;
inline constexpr uint8_t kPositiveInfinity = 0x23;
inline constexpr uint8_t kNaN = 0x26;
inline constexpr uint8_t kInt8 = 0x29;
inline constexpr uint8_t kInt16 = 0x2a;
inline constexpr uint8_t kInt32 = 0x2b;
inline constexpr uint8_t kInt64 = 0x2c;
inline constexpr uint8_t kFloat32 = 0x30;
inline constexpr uint8_t kFloat64 = 0x31;
inline constexpr uint8_t kText = 0x34;
inline constexpr uint8_t kBlobVar = 0x37;
inline constexpr uint8_t kBlobCopy = 0x38;
inline constexpr uint8_t kTerminator = 0x00;

// Of a byte to be exclusive-ored onto each byte of an encoding.
inline constexpr uint8_t FlipOf(Order order) { return order == Order::kAscending ? 0 : 0xff; }

// Headers are below 0x80, so a first byte above is an inverted one.
inline constexpr Order OrderOf(char first) {
  return (static_cast<uint8_t>(first) & 0x80) != 0 ? Order::kDescending : Order::kAscending;
}

inline void FlipFrom(Bytes* bytes, size_t begin, uint8_t flip) {
  if (flip == 0) return;
  for (size_t i = begin; i < bytes->size(); ++i) {
    (*bytes)[i] = static_cast<char>(static_cast<uint8_t>((*bytes)[i]) ^ flip);
  }
}

inline Status UnexpectedHeader(uint8_t header, const char* wanted) {
  return Corruption(
      fmt::format("OrderedBytes: no {} begins with the byte 0x{:02x}", wanted, header));
}

inline Status CutShort(const char* what) {
  return Corruption(fmt::format("OrderedBytes: the bytes end within a {}", what));
}

// SQLite4's varint of 1 to 9 bytes, each exclusive-ored with 'flip'.
void AppendVaruint(Bytes* out, uint64_t value, uint8_t flip);
bool ConsumeVaruint(ByteView* in, uint8_t flip, uint64_t* value);

}  // namespace bennu::ordered_bytes::internal

#endif  // BENNU_SRC_ENCODING_ORDERED_BYTES_INTERNAL_H_
