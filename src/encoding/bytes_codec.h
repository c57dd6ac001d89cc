// HBase's class Bytes for use inside: what bennu/bytes_codec.h has, and the forms that take bytes
// which are known to be there. Pure functions.
// Integers are base/coding.h's BE forms; decimals are in big_decimal.h, printing in base/hex.h.
#ifndef BENNU_SRC_ENCODING_BYTES_CODEC_H_
#define BENNU_SRC_ENCODING_BYTES_CODEC_H_

#include <bit>
#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/bytes_codec.h"
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

using bytes_codec::FromStringBinary;
using bytes_codec::IncrementBytes;
using bytes_codec::UnsignedIncrement;

}  // namespace bennu::encoding

#endif  // BENNU_SRC_ENCODING_BYTES_CODEC_H_
