#include "src/encoding/ordered_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/base/hex.h"

namespace bennu::ordered_bytes {
namespace {

using encoding::BigDecimal;

constexpr Order kOrders[] = {Order::kAscending, Order::kDescending};

// Every blob of up to 2 bytes, and long ones of each length, come back and keep their order.
TEST(OrderedBytesTest, BlobVarRoundTrip) {
  std::vector<Bytes> values = {""};
  for (int i = 0; i < 65536; i += 37) {
    values.push_back({static_cast<char>(i >> 8), static_cast<char>(i)});
  }
  for (size_t length = 0; length < 40; ++length) values.push_back(Bytes(length, '\xff'));
  for (const Order order : kOrders) {
    for (const Bytes& value : values) {
      Bytes encoded;
      EncodeBlobVar(&encoded, value, order);
      ByteView in = encoded;
      EXPECT_EQ(value, DecodeBlobVar(&in).value().value());
      EXPECT_TRUE(in.empty());
    }
  }
}

// Any prefix of a value is refused as cut short by decoding and by skipping, and is left alone.
TEST(OrderedBytesTest, CutValuesAreRefused) {
  for (const Order order : kOrders) {
    std::vector<Bytes> values(7);
    EncodeNumeric(&values[0], BigDecimal::Parse("-1234567.891e500").value(), order);
    EncodeNumeric(&values[1], BigDecimal::Parse("1e-3000").value(), order);
    EncodeInt32(&values[2], 7, order);
    EncodeFloat64(&values[3], 7, order);
    ASSERT_TRUE(EncodeText(&values[4], "text", order).ok());
    EncodeBlobVar(&values[5], "blob", order);
    EncodeInt8(&values[6], 1, order);
    for (const Bytes& value : values) {
      for (size_t n = 0; n < value.size(); ++n) {
        ByteView in = ByteView(value).substr(0, n);
        EXPECT_EQ(StatusCode::kCorruption, Skip(&in).status().code()) << HexEncode(value) << n;
        EXPECT_EQ(n, in.size());
        EXPECT_FALSE(DecodeNumericAsBigDecimal(&in).ok());
        EXPECT_FALSE(DecodeInt32(&in).ok());
        EXPECT_FALSE(DecodeFloat64(&in).ok());
        EXPECT_FALSE(DecodeText(&in).ok());
        EXPECT_FALSE(DecodeBlobVar(&in).ok());
        EXPECT_EQ(n, in.size());
      }
    }
  }
}

// All 256 first bytes: what can be skipped is what inspection knows.
TEST(OrderedBytesTest, FirstBytes) {
  int known = 0;
  for (int first = 0; first < 256; ++first) {
    Bytes bytes(1, static_cast<char>(first));
    for (int i = 0; i < 20; ++i) bytes.push_back(i % 2 == 0 ? '\0' : '\xff');
    ByteView in = bytes;
    EXPECT_EQ(IsEncodedValue(bytes), Skip(&in).ok()) << first;
    if (IsEncodedValue(bytes)) ++known;
  }
  // Null; 30 for numbers, of which 13 of either sign; 4 integers, 2 floats, text, 2 blobs; each
  // twice.
  EXPECT_EQ(2 * (1 + 30 + 4 + 2 + 3), known);
}

// A number below 1 that rounds up to 1 keeps the small form, with HBase's exponent of -1.
TEST(OrderedBytesTest, RoundsTo31Digits) {
  Bytes encoded;
  EncodeNumeric(&encoded, BigDecimal::Parse("1.00000000000000000000000000000049").value(),
                Order::kAscending);
  EXPECT_EQ("1802", HexEncode(encoded));
  encoded.clear();
  EncodeNumeric(&encoded, BigDecimal::Parse("99.99999999999999999999999999999999").value(),
                Order::kAscending);
  EXPECT_EQ("1902", HexEncode(encoded));
}

TEST(OrderedBytesTest, NullsAndSpecialNumbers) {
  for (const Order order : kOrders) {
    Bytes encoded;
    EncodeNull(&encoded, order);
    ByteView in = encoded;
    EXPECT_FALSE(DecodeText(&in).value().has_value());
    in = encoded;
    EXPECT_FALSE(DecodeNumericAsBigDecimal(&in).value().has_value());
    in = encoded;
    EXPECT_EQ(StatusCode::kInvalidArgument, DecodeNumericAsDouble(&in).status().code());
    encoded.clear();
    EncodeNumeric(&encoded, std::nan(""), order);
    in = encoded;
    EXPECT_TRUE(std::isnan(DecodeNumericAsDouble(&in).value()));
    in = encoded;
    EXPECT_EQ(StatusCode::kCorruption, DecodeNumericAsInt64(&in).status().code());
    encoded.clear();
    EncodeNullBlobCopy(&encoded, order);
    EXPECT_EQ(order == Order::kAscending ? "05" : "faff", HexEncode(encoded));
  }
}

// A key of several values is counted, and a stray byte in it is refused.
TEST(OrderedBytesTest, CountsValues) {
  Bytes key;
  EncodeInt16(&key, 5, Order::kAscending);
  ASSERT_TRUE(EncodeText(&key, "abc", Order::kDescending).ok());
  EncodeNumeric(&key, 12.5, Order::kAscending);
  EncodeNull(&key, Order::kAscending);
  EXPECT_EQ(4u, CountValues(key).value());
  key.push_back('\x01');
  EXPECT_EQ(StatusCode::kCorruption, CountValues(key).status().code());
}

}  // namespace
}  // namespace bennu::ordered_bytes
