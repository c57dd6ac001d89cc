// bytes.tsv: what HBase's Bytes, WritableUtils and hashes make of recorded values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/encoding/big_decimal.h"
#include "src/encoding/bytes_codec.h"
#include "src/encoding/hash.h"
#include "src/encoding/java_double.h"
#include "tests/golden/golden_tsv.h"
#include "tests/golden/ordered_values.h"

namespace bennu::golden {
namespace {

int64_t Integer(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }

// "hex:KEY seed N" or "hex:BYTES by N".
struct BytesAndNumber {
  Bytes bytes;
  int64_t number;
};
BytesAndNumber TakeApart(const std::string& input) {
  const std::vector<std::string> words = Split(input, ' ');
  EXPECT_EQ(3u, words.size()) << input;
  return {FromHexField(words[0]), Integer(words.back())};
}

Bytes BE32(uint32_t value) {
  Bytes out;
  AppendBE32(&out, value);
  return out;
}

// What the decoder makes of all of 'encoded', and that it takes no less.
template <typename T>
void ExpectBack(const Bytes& encoded, Result<T> (*decode)(ByteView*), T expected) {
  ByteView in = encoded;
  EXPECT_EQ(expected, decode(&in).value());
  EXPECT_TRUE(in.empty());
  ByteView cut = ByteView(encoded).substr(0, encoded.size() - 1);
  EXPECT_EQ(StatusCode::kInvalidArgument, decode(&cut).status().code());
}

Result<Bytes> Evaluate(const std::string& method, const std::string& input,
                       const std::string& expected) {
  Bytes out;
  if (method == "toBytes_long") {
    bytes_codec::EncodeInt64(&out, Integer(input));
    ExpectBack(out, bytes_codec::DecodeInt64, Integer(input));
  } else if (method == "toBytes_int") {
    bytes_codec::EncodeInt32(&out, static_cast<int32_t>(Integer(input)));
    ExpectBack(out, bytes_codec::DecodeInt32, static_cast<int32_t>(Integer(input)));
  } else if (method == "toBytes_short") {
    bytes_codec::EncodeInt16(&out, static_cast<int16_t>(Integer(input)));
    ExpectBack(out, bytes_codec::DecodeInt16, static_cast<int16_t>(Integer(input)));
  } else if (method == "toBytes_float") {
    bytes_codec::EncodeFloat32(&out, ParseJavaFloat(input));
  } else if (method == "toBytes_double") {
    bytes_codec::EncodeFloat64(&out, ParseJavaDouble(input));
  } else if (method == "toBytes_boolean") {
    bytes_codec::EncodeBoolean(&out, input == "true");
    ExpectBack(out, bytes_codec::DecodeBoolean, input == "true");
  } else if (method == "toBytes_BigDecimal") {
    ASSIGN_OR_RETURN(const auto value, encoding::BigDecimal::Parse(input));
    EXPECT_EQ(input, value.ToString());
    encoding::AppendBigDecimal(&out, value);
    ASSIGN_OR_RETURN(const auto back, encoding::DecodeBigDecimal(out));
    EXPECT_TRUE(value == back) << input;
    Bytes by_text;
    RETURN_IF_ERROR(bytes_codec::EncodeDecimal(&by_text, input));
    EXPECT_EQ(out, by_text);
    EXPECT_EQ(input, bytes_codec::DecodeDecimal(out).value());
  } else if (method == "vlongToBytes" || method == "writeVLong") {
    bytes_codec::EncodeVLong(&out, Integer(input));
    ExpectBack(out, bytes_codec::DecodeVLong, Integer(input));
  } else if (method == "writeVInt") {
    AppendVInt(&out, static_cast<int32_t>(Integer(input)));
  } else if (method == "writeRawVInt32") {
    AppendVarint(&out, static_cast<uint32_t>(Integer(input)));
  } else if (method == "toStringBinary") {
    out = ToStringBinary(FromHexField(input));
    EXPECT_EQ(FromHexField(input), encoding::FromStringBinary(out).value());
  } else if (method == "toBytesBinary") {
    return encoding::FromStringBinary(input.substr(5));  // "text:"
  } else if (method == "incrementBytes") {
    const BytesAndNumber given = TakeApart(input);
    if (HexEncode(given.bytes) != expected) {
      return encoding::IncrementBytes(given.bytes, given.number);
    }
    // The recorder printed its argument after the call, which changes 8 bytes in place: what stands
    // as input is the result, and the argument was that less the amount.
    AppendBE64(&out, LoadBE64(given.bytes.data()) - static_cast<uint64_t>(given.number));
    return encoding::IncrementBytes(out, given.number);
  } else if (method == "unsignedCopyAndIncrement") {
    return encoding::UnsignedIncrement(FromHexField(input));
  } else if (method == "hashBytes_31") {
    return BE32(encoding::JavaHashCode(FromHexField(input)));
  } else if (method == "hash_murmur") {
    const BytesAndNumber given = TakeApart(input);
    return BE32(encoding::MurmurHash(given.bytes, static_cast<uint32_t>(given.number)));
  } else if (method == "hash_murmur3") {
    const BytesAndNumber given = TakeApart(input);
    return BE32(encoding::Murmur3Hash(given.bytes, static_cast<uint32_t>(given.number)));
  } else if (method == "hash_jenkins") {
    const BytesAndNumber given = TakeApart(input);
    return BE32(encoding::JenkinsHash(given.bytes, static_cast<uint32_t>(given.number)));
  } else {
    return Internal("a method that this test does not know");
  }
  return out;
}

TEST(Golden, Bytes) {
  for (const auto& row : ReadTsv("bytes.tsv", 3)) {
    SCOPED_TRACE(row[0] + " " + row[1]);
    const Result<Bytes> result = Evaluate(row[0], row[1], row[2]);
    if (row[2].starts_with("ERROR:")) {
      EXPECT_FALSE(result.ok());
      continue;
    }
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(row[2], HexEncode(*result));
  }
}

// The recorded texts of floats and doubles are Java's own: ours must print the same digits.
TEST(Golden, JavaTextOfFloatingPoint) {
  for (const auto& row : ReadTsv("bytes.tsv", 3)) {
    if (row[0] == "toBytes_double" && row[1].find("nf") == std::string::npos) {
      EXPECT_EQ(row[1], encoding::JavaDoubleToString(ParseJavaDouble(row[1])));
    } else if (row[0] == "toBytes_float" && row[1].find("nf") == std::string::npos) {
      EXPECT_EQ(row[1], encoding::JavaFloatToString(ParseJavaFloat(row[1])));
    }
  }
}

}  // namespace
}  // namespace bennu::golden
