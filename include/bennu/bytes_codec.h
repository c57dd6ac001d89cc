// HBase's class Bytes: values as the bytes that HBase's clients and shell make of them, and a few
// operations on byte strings. Big-endian. The bytes sort as the values do only for unsigned
// numbers, texts and booleans; bennu/ordered_bytes.h has encodings that sort for all values.
//
// Encode functions append to *out, which the caller owns. Decode functions take a value of that
// width from the front of *in, a view of bytes that the caller keeps; after an error *in is as it
// was. InvalidArgument: fewer bytes are there (HBase: IllegalArgumentException).
//
// Pure functions: any number of threads at once. Source: HBase 2.5, class
// org.apache.hadoop.hbase.util.Bytes.
#ifndef BENNU_BYTES_CODEC_H_
#define BENNU_BYTES_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::bytes_codec {

// ---- numbers: two's complement in 1, 2, 4 and 8 bytes (toBytes of byte, short, int, long)
void EncodeInt8(Bytes* out, int8_t value);
void EncodeInt16(Bytes* out, int16_t value);
void EncodeInt32(Bytes* out, int32_t value);
void EncodeInt64(Bytes* out, int64_t value);
Result<int8_t> DecodeInt8(ByteView* in);
Result<int16_t> DecodeInt16(ByteView* in);
Result<int32_t> DecodeInt32(ByteView* in);
Result<int64_t> DecodeInt64(ByteView* in);

// IEEE 754 bits in 4 and 8 bytes; NaNs keep theirs.
void EncodeFloat32(Bytes* out, float value);
void EncodeFloat64(Bytes* out, double value);
Result<float> DecodeFloat32(ByteView* in);
Result<double> DecodeFloat64(ByteView* in);

// ff and 00; every byte but 00 reads as true.
void EncodeBoolean(Bytes* out, bool value);
Result<bool> DecodeBoolean(ByteView* in);

// A number in 1 to 9 bytes, small ones in few (writeVLong, vintToBytes).
void EncodeVLong(Bytes* out, int64_t value);
Result<int64_t> DecodeVLong(ByteView* in);

// The scale in 4 bytes, then the digits as an integer in as few bytes as possible (toBytes of
// BigDecimal). 'digits' is what Java's BigDecimal takes, such as "-12.50"; the scale is kept.
// InvalidArgument: no number.
Status EncodeDecimal(Bytes* out, std::string_view digits);
// Takes all of 'bytes'; as Java's BigDecimal.toString prints it. Corruption: fewer than 5 bytes.
Result<std::string> DecodeDecimal(ByteView bytes);

// ---- text for people
// Bytes 0x20 to 0x7e stand for themselves but for the backslash; others are \xHH, upper case.
std::string ToStringBinary(ByteView bytes);
// Reads that form. As in HBase an escape is \x and two digits, 0-9 and A-F; of an escape that is
// none the backslash is dropped. Bytes above 0x7f stand for themselves. (toBytesBinary)
// InvalidArgument: the text ends within an escape.
Result<Bytes> FromStringBinary(std::string_view text);

// ---- arithmetic on byte strings
// Adds 'amount' to a two's complement integer of 1 to 8 bytes and returns it in 8 bytes; wraps.
// InvalidArgument: no bytes, or more than 8. (incrementBytes)
Result<Bytes> IncrementBytes(ByteView value, int64_t amount);

// The next byte string of the same length as an unsigned number; one byte longer, with a leading
// 01, when all bytes are ff. (unsignedCopyAndIncrement)
Bytes UnsignedIncrement(ByteView value);

// The first byte string behind all byte strings that begin with 'prefix': the stop row of a scan of
// such rows. Empty,
// which means the table's end, when all bytes are ff. (ClientUtil.calculateTheClosestNextRowKey-
// ForPrefix)
Bytes PrefixEnd(ByteView prefix);

}  // namespace bennu::bytes_codec

#endif  // BENNU_BYTES_CODEC_H_
