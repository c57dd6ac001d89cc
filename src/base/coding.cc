#include "src/base/coding.h"

#include <limits>

namespace bennu {

namespace {

// First bytes below these tell the count of bytes that follow: kPositiveBase - count for a number
// that is not negative, kNegativeBase - count for the complement of a negative one.
constexpr int kPositiveBase = -112;
constexpr int kNegativeBase = -120;
constexpr int64_t kOneByteMax = 127;

// Returns the bytes needed for 'magnitude', 1 to 8.
size_t MagnitudeSize(uint64_t magnitude) {
  return magnitude == 0 ? 1 : (static_cast<size_t>(std::bit_width(magnitude)) + 7) / 8;
}

uint64_t Magnitude(int64_t value) { return static_cast<uint64_t>(value < 0 ? ~value : value); }

bool FitsOneByte(int64_t value) { return value >= kPositiveBase && value <= kOneByteMax; }

// Drops 'size' bytes if there was a number.
bool Advance(ByteView* in, size_t size) {
  in->remove_prefix(size);
  return size != 0;
}

}  // namespace

size_t VLongSize(int64_t value) {
  return FitsOneByte(value) ? 1 : 1 + MagnitudeSize(Magnitude(value));
}

void AppendVLong(Bytes* out, int64_t value) {
  if (FitsOneByte(value)) {
    out->push_back(static_cast<char>(value));
    return;
  }
  const uint64_t magnitude = Magnitude(value);
  const size_t count = MagnitudeSize(magnitude);
  const int base = value < 0 ? kNegativeBase : kPositiveBase;
  out->push_back(static_cast<char>(base - static_cast<int>(count)));
  char bytes[sizeof(magnitude)];
  StoreBE64(bytes, magnitude);
  out->append(bytes + sizeof(bytes) - count, count);
}

size_t DecodeVLong(ByteView in, int64_t* value) {
  if (in.empty()) return 0;
  const int first = static_cast<signed char>(in.front());
  if (first >= kPositiveBase) {
    *value = first;
    return 1;
  }
  const bool negative = first < kNegativeBase;
  const auto count = static_cast<size_t>((negative ? kNegativeBase : kPositiveBase) - first);
  if (in.size() < 1 + count) return 0;
  uint64_t magnitude = 0;
  for (const char byte : in.substr(1, count)) {
    magnitude = magnitude << 8 | static_cast<unsigned char>(byte);
  }
  *value = static_cast<int64_t>(negative ? ~magnitude : magnitude);
  return 1 + count;
}

size_t DecodeVInt(ByteView in, int32_t* value) {
  int64_t wide;
  const size_t size = DecodeVLong(in, &wide);
  if (size == 0 || wide < std::numeric_limits<int32_t>::min() ||
      wide > std::numeric_limits<int32_t>::max()) {
    return 0;
  }
  *value = static_cast<int32_t>(wide);
  return size;
}

bool ConsumeVLong(ByteView* in, int64_t* value) { return Advance(in, DecodeVLong(*in, value)); }
bool ConsumeVInt(ByteView* in, int32_t* value) { return Advance(in, DecodeVInt(*in, value)); }

size_t VarintSize(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

void AppendVarint(Bytes* out, uint64_t value) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

size_t DecodeVarint64(ByteView in, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < in.size() && i < kVarint64SizeMax; ++i) {
    const auto byte = static_cast<unsigned char>(in[i]);
    if (i + 1 == kVarint64SizeMax && byte > 1) return 0;  // bit 64 and beyond
    result |= uint64_t{byte & 0x7Fu} << (7 * i);
    if (byte < 0x80) {
      *value = result;
      return i + 1;
    }
  }
  return 0;
}

size_t DecodeVarint32(ByteView in, uint32_t* value) {
  uint64_t wide;
  const size_t size = DecodeVarint64(in, &wide);
  if (size == 0 || wide > std::numeric_limits<uint32_t>::max()) return 0;
  *value = static_cast<uint32_t>(wide);
  return size;
}

bool ConsumeVarint64(ByteView* in, uint64_t* value) {
  return Advance(in, DecodeVarint64(*in, value));
}
bool ConsumeVarint32(ByteView* in, uint32_t* value) {
  return Advance(in, DecodeVarint32(*in, value));
}

}  // namespace bennu
