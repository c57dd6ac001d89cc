// HBase's OrderedBytes: values as bytes whose byte order is the order of the values. For row keys
// and qualifiers that must sort as their values do.
//
//   bennu::Bytes row;
//   BENNU_RETURN_IF_ERROR(ordered_bytes::EncodeText(&row, "sensor-7", Order::kAscending));
//   ordered_bytes::EncodeInt64(&row, millis, Order::kDescending);   // the newest first
//
// Every encoded value begins with a byte that tells what it is; in descending order all bytes of
// the encoding are inverted, so each form is recognised by its first byte. Values follow one
// another without separators; Skip finds where one ends. Keys of several fields, with a description
// of them: bennu/types.h. The formats: docs/formats/ordered_bytes.md.
//
// Encode functions append to *out, which the caller owns; after an error it is as it was. Decode
// functions take one value from the front of *in, a view of bytes that the caller keeps; what they
// return owns its bytes, and after an error *in is as it was. Errors of decoding are Corruption (no
// such value begins here, or it is cut short); a null where the C++ type has none is
// InvalidArgument.
//
// Pure functions: any number of threads at once. Source: HBase 2.5, class
// org.apache.hadoop.hbase.util.OrderedBytes, which differs from its documentation.
#ifndef BENNU_ORDERED_BYTES_H_
#define BENNU_ORDERED_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::ordered_bytes {

// HBase's org.apache.hadoop.hbase.util.Order.
enum class Order : uint8_t { kAscending, kDescending };

// Decimal digits that an encoded number keeps; further ones are rounded away.
inline constexpr int32_t kNumericDigitsMax = 31;

// ---- null: sorts before every other value (after, when descending)
void EncodeNull(Bytes* out, Order order);

// ---- numbers of any size in one order: NaN after all, infinities at the ends
void EncodeNumeric(Bytes* out, int64_t value, Order order);
// The decimal that Java's Double.toString prints of the value.
void EncodeNumeric(Bytes* out, double value, Order order);
// 'digits': what Java's BigDecimal takes, such as "-12.50" or "1E+9". Rounds to 31 significant
// digits, halves away from zero. InvalidArgument: no number.
Status EncodeDecimal(Bytes* out, std::string_view digits, Order order);

// As Java's BigDecimal.toString has it, without trailing zeros: "0.5", "1E+2". Empty for a null.
// Corruption also for NaN and infinities.
Result<std::optional<std::string>> DecodeDecimal(ByteView* in);
// The nearest double.
Result<double> DecodeNumericAsDouble(ByteView* in);
// The integer part's lowest 64 bits, as Java narrows. Corruption also for NaN and infinities.
Result<int64_t> DecodeNumericAsInt64(ByteView* in);

// ---- fixed width: one byte of header, then 1, 2, 4 or 8 bytes
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

// Any bytes, 8 for each 7. They do not always sort as the values do: 01 comes before 00 01, since
// HBase's encoding marks a value's last byte by a clear top bit. Text and BlobCopy do sort.
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
// What a value's first byte says of it.
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

}  // namespace bennu::ordered_bytes

#endif  // BENNU_ORDERED_BYTES_H_
