// Integers as bytes, in the forms that HBase's formats are made of:
//
//   BE       fixed width, big-endian, as java.io.DataOutput writes it
//   vlong    Hadoop's WritableUtils: -112..127 is one byte; otherwise a byte tells sign and count
//            (-113..-120: 1..8 bytes follow; -121..-128: the same of a negative number's
//            complement), then that many bytes, big-endian
//   varint   protobuf: seven bits per byte, least significant first, high bit means more follows
//
// Load and Store trust the caller for the width. Decode returns the bytes it used, 0 when the input
// is cut short or is no such number; Consume also drops these bytes from the front of 'in' and
// returns false where Decode returns 0, leaving 'in' alone. Pure functions.
#ifndef BENNU_SRC_BASE_CODING_H_
#define BENNU_SRC_BASE_CODING_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bennu/bytes.h"

namespace bennu {

static_assert(std::endian::native == std::endian::little, "bennu needs a little-endian machine");

// ---- big-endian, fixed width

inline uint16_t LoadBE16(const char* bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return __builtin_bswap16(value);
}
inline uint32_t LoadBE32(const char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return __builtin_bswap32(value);
}
inline uint64_t LoadBE64(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return __builtin_bswap64(value);
}

inline void StoreBE16(char* bytes, uint16_t value) {
  value = __builtin_bswap16(value);
  std::memcpy(bytes, &value, sizeof(value));
}
inline void StoreBE32(char* bytes, uint32_t value) {
  value = __builtin_bswap32(value);
  std::memcpy(bytes, &value, sizeof(value));
}
inline void StoreBE64(char* bytes, uint64_t value) {
  value = __builtin_bswap64(value);
  std::memcpy(bytes, &value, sizeof(value));
}

inline void AppendBE16(Bytes* out, uint16_t value) {
  char bytes[sizeof(value)];
  StoreBE16(bytes, value);
  out->append(bytes, sizeof(bytes));
}
inline void AppendBE32(Bytes* out, uint32_t value) {
  char bytes[sizeof(value)];
  StoreBE32(bytes, value);
  out->append(bytes, sizeof(bytes));
}
inline void AppendBE64(Bytes* out, uint64_t value) {
  char bytes[sizeof(value)];
  StoreBE64(bytes, value);
  out->append(bytes, sizeof(bytes));
}

inline bool ConsumeByte(ByteView* in, uint8_t* value) {
  if (in->empty()) return false;
  *value = static_cast<uint8_t>(in->front());
  in->remove_prefix(1);
  return true;
}
inline bool ConsumeBE16(ByteView* in, uint16_t* value) {
  if (in->size() < sizeof(*value)) return false;
  *value = LoadBE16(in->data());
  in->remove_prefix(sizeof(*value));
  return true;
}
inline bool ConsumeBE32(ByteView* in, uint32_t* value) {
  if (in->size() < sizeof(*value)) return false;
  *value = LoadBE32(in->data());
  in->remove_prefix(sizeof(*value));
  return true;
}
inline bool ConsumeBE64(ByteView* in, uint64_t* value) {
  if (in->size() < sizeof(*value)) return false;
  *value = LoadBE64(in->data());
  in->remove_prefix(sizeof(*value));
  return true;
}
// Drops 'length' bytes from the front into 'bytes', which points into what 'in' points into.
inline bool ConsumeBytes(ByteView* in, size_t length, ByteView* bytes) {
  if (in->size() < length) return false;
  *bytes = in->substr(0, length);
  in->remove_prefix(length);
  return true;
}

// ---- Hadoop's WritableUtils

inline constexpr size_t kVLongSizeMax = 9;

// Returns the count of bytes that AppendVLong appends, 1 to 9.
size_t VLongSize(int64_t value);
void AppendVLong(Bytes* out, int64_t value);
// A vint is a vlong whose value fits 32 bits.
inline void AppendVInt(Bytes* out, int32_t value) { AppendVLong(out, value); }

size_t DecodeVLong(ByteView in, int64_t* value);
size_t DecodeVInt(ByteView in, int32_t* value);  // 0 also for a value beyond 32 bits
bool ConsumeVLong(ByteView* in, int64_t* value);
bool ConsumeVInt(ByteView* in, int32_t* value);

// ---- protobuf

inline constexpr size_t kVarint64SizeMax = 10;

size_t VarintSize(uint64_t value);
void AppendVarint(Bytes* out, uint64_t value);

size_t DecodeVarint64(ByteView in, uint64_t* value);  // 0 also past 64 bits
size_t DecodeVarint32(ByteView in, uint32_t* value);  // 0 also past 32 bits
bool ConsumeVarint64(ByteView* in, uint64_t* value);
bool ConsumeVarint32(ByteView* in, uint32_t* value);

// Maps small numbers of either sign to small unsigned ones (protobuf's sint types).
inline uint64_t ZigZagEncode(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t ZigZagDecode(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace bennu

#endif  // BENNU_SRC_BASE_CODING_H_
