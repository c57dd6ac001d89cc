// HBase's OrderedBytes: values as bytes whose byte order is the order of the values.
//
// Every encoded value begins with a byte that tells what it is; in descending order all bytes of
// the encoding are inverted, so each form is recognised by its first byte. Values follow one
// another without separators; Skip finds where one ends. Formats: docs/formats/ordered_bytes.md.
// Pure functions. Source: HBase 2.5 OrderedBytes (the class, which differs from its documentation).
//
// Encode functions append to *out. Decode functions take one value from the front of *in, which is
// left alone on an error. Errors of decoding are Corruption; a null where the C++ type has none is
// InvalidArgument.
#ifndef BENNU_SRC_ENCODING_ORDERED_BYTES_H_
#define BENNU_SRC_ENCODING_ORDERED_BYTES_H_

#include <cstdint>
#include <optional>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/encoding/big_decimal.h"

namespace bennu::encoding::ordered {

enum class Order : uint8_t { kAscending, kDescending };

// Digits that an encoded number keeps.
inline constexpr int32_t kNumericDigitsMax = 31;

// ---- null: sorts before every other value (after, when descending)
void EncodeNull(Bytes* out, Order order);

// ---- numbers of any size in one order: NaN after all, infinities at the ends
void EncodeNumeric(Bytes* out, int64_t value, Order order);
void EncodeNumeric(Bytes* out, double value, Order order);
// Rounds to 31 significant digits, halves up.
void EncodeNumeric(Bytes* out, const BigDecimal& value, Order order);

// Empty for a null. Corruption also for NaN and infinities. The result has no trailing zeros.
Result<std::optional<BigDecimal>> DecodeNumericAsBigDecimal(ByteView* in);
Result<double> DecodeNumericAsDouble(ByteView* in);
// The integer part's lowest 64 bits, as Java narrows. Corruption also for NaN and infinities.
Result<int64_t> DecodeNumericAsInt64(ByteView* in);

// ---- fixed width: one byte of header, then the value
void EncodeInt8(Bytes* out, int8_t value, Order order);
void EncodeInt16(Bytes* out, int16_t value, Order order);
void EncodeInt32(Bytes* out, int32_t value, Order order);
void EncodeInt64(Bytes* out, int64_t value, Order order);
void EncodeFloat32(Bytes* out, float value, Order order);  // all NaNs are one, the greatest
void EncodeFloat64(Bytes* out, double value, Order order);
Result<int8_t> DecodeInt8(ByteView* in);
Result<int16_t> DecodeInt16(ByteView* in);
Result<int32_t> DecodeInt32(ByteView* in);
Result<int64_t> DecodeInt64(ByteView* in);
Result<float> DecodeFloat32(ByteView* in);
Result<double> DecodeFloat64(ByteView* in);

// ---- bytes. Decoding gives an empty optional for a null.
// UTF-8 text, not checked to be such. InvalidArgument: it holds a zero byte.
Status EncodeText(Bytes* out, ByteView value, Order order);
Result<std::optional<Bytes>> DecodeText(ByteView* in);

// Any bytes, 8 for each 7.
void EncodeBlobVar(Bytes* out, ByteView value, Order order);
Result<std::optional<Bytes>> DecodeBlobVar(ByteView* in);

// Bytes as they are, for the last value of a key. In ascending order the value ends where the bytes
// end. InvalidArgument: a zero byte in descending order, which uses it to end the value.
Status EncodeBlobCopy(Bytes* out, ByteView value, Order order);
// A null of this kind: in descending order it has a byte more than EncodeNull's.
void EncodeNullBlobCopy(Bytes* out, Order order);
Result<std::optional<Bytes>> DecodeBlobCopy(ByteView* in);

// ---- inspection
enum class Kind : uint8_t {
  kNull,
  kNegativeInfinity,
  kNegativeNumber,
  kZero,
  kPositiveNumber,
  kPositiveInfinity,
  kNaN,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64,
  kText,
  kBlobVar,
  kBlobCopy,
};
struct Header {
  Kind kind;
  Order order;
};
// What stands at the front of 'in', by its first byte alone; empty when no value begins so.
std::optional<Header> Inspect(ByteView in);
inline bool IsEncodedValue(ByteView in) { return Inspect(in).has_value(); }
inline constexpr bool IsNumeric(Kind kind) {
  return kind >= Kind::kNegativeInfinity && kind <= Kind::kNaN;
}

// Drops one value from the front of *in and returns the bytes it had. Corruption: no value begins
// here, or it is cut short. Note: of a null BlobCopy in descending order only the first byte is
// dropped, as in HBase.
Result<size_t> Skip(ByteView* in);

// Returns how many values follow one another in 'in' (OrderedBytes.length).
Result<size_t> CountValues(ByteView in);

}  // namespace bennu::encoding::ordered

#endif  // BENNU_SRC_ENCODING_ORDERED_BYTES_H_
