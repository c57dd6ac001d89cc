// HBase's class Bytes: values as bytes, and a few operations on byte strings. Pure functions.
// Integers are base/coding.h's BE forms; decimals are in big_decimal.h, printing in base/hex.h.
#ifndef BENNU_SRC_ENCODING_BYTES_CODEC_H_
#define BENNU_SRC_ENCODING_BYTES_CODEC_H_

#include <bit>
#include <cstdint>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/base/coding.h"

namespace bennu::encoding {

// IEEE 754 bits, big-endian. Not ordered: see ordered_bytes.h for that.
inline void AppendFloat(Bytes* out, float value) {
  AppendBE32(out, std::bit_cast<uint32_t>(value));
}
inline void AppendDouble(Bytes* out, double value) {
  AppendBE64(out, std::bit_cast<uint64_t>(value));
}
inline float LoadFloat(const char* bytes) { return std::bit_cast<float>(LoadBE32(bytes)); }
inline double LoadDouble(const char* bytes) { return std::bit_cast<double>(LoadBE64(bytes)); }

// 0xff and 0x00; every byte but 0x00 reads as true.
inline void AppendBoolean(Bytes* out, bool value) { out->push_back(value ? '\xff' : '\0'); }

// Reads the form that ToStringBinary writes. As in HBase an escape is \x and two digits, 0-9 and
// A-F; of an escape that is none the backslash is dropped. Bytes above 0x7f stand for themselves.
// InvalidArgument: the text ends within an escape.
Result<Bytes> FromStringBinary(std::string_view text);

// Adds 'amount' to a two's complement integer of 1 to 8 bytes and returns it in 8 bytes; wraps.
// InvalidArgument: no bytes, or more than 8. (Bytes.incrementBytes)
Result<Bytes> IncrementBytes(ByteView value, int64_t amount);

// The next byte string of the same length as an unsigned number; one byte longer, with a leading
// 01, when all bytes are ff. (Bytes.unsignedCopyAndIncrement)
Bytes UnsignedIncrement(ByteView value);

}  // namespace bennu::encoding

#endif  // BENNU_SRC_ENCODING_BYTES_CODEC_H_
