// ordered_bytes.tsv and ordered_bytes_seed_table.tsv: what HBase's OrderedBytes makes of values.
#include <gtest/gtest.h>

#include "bennu/types.h"

#include "tests/golden/golden_tsv.h"
#include "tests/golden/ordered_values.h"

namespace bennu::golden {
namespace {

// Checks that 'encoded' is one whole value by inspection and by Skip.
void ExpectOneValue(const std::string& type, const std::string& input, const Bytes& encoded) {
  namespace ordered = encoding::ordered;
  ASSERT_TRUE(ordered::IsEncodedValue(encoded));
  EXPECT_EQ(type.starts_with("numeric") && input != "null",
            ordered::IsNumeric(ordered::Inspect(encoded)->kind));
  ByteView rest = encoded;
  const Result<size_t> size = ordered::Skip(&rest);
  ASSERT_TRUE(size.ok()) << size.status().ToString();
  // A null BlobCopy in descending order has a second byte, which Skip leaves (as HBase's does).
  const bool null_copy = type == "blob_copy" && input == "null" && encoded.size() == 2;
  EXPECT_EQ(null_copy ? 1u : encoded.size(), *size);
}

TEST(Golden, OrderedBytes) {
  for (const auto& row : ReadTsv("ordered_bytes.tsv", 4)) {
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2]);
    const Result<Bytes> encoded = EncodeRecorded(row[0], row[1], row[2]);
    if (row[3].starts_with("ERROR:")) {
      EXPECT_EQ(StatusCode::kInvalidArgument, encoded.status().code());
      continue;
    }
    ASSERT_TRUE(encoded.ok()) << encoded.status().ToString();
    EXPECT_EQ(row[3], HexEncode(*encoded));
    ExpectOneValue(row[0], row[2], *encoded);
  }
}

types::DataTypePtr TypeOf(const std::string& name, types::Order order) {
  if (name == "int8") return types::OrderedInt8(order);
  if (name == "int16") return types::OrderedInt16(order);
  if (name == "int32") return types::OrderedInt32(order);
  if (name == "int64") return types::OrderedInt64(order);
  if (name == "float32") return types::OrderedFloat32(order);
  if (name == "float64") return types::OrderedFloat64(order);
  if (name == "string") return types::OrderedString(order);
  if (name == "blob_var") return types::OrderedBlobVar(order);
  if (name == "blob_copy") return types::OrderedBlob(order);
  return types::OrderedNumeric(order);
}

types::Value ValueOf(const std::string& name, const std::string& input) {
  if (input == "null") return types::Value();
  if (name == "numeric_bigdecimal") return types::Value::Decimal{input};
  if (name == "numeric_double" || name == "float64") return ParseJavaDouble(input);
  if (name == "float32") return double{ParseJavaFloat(input)};
  if (name.starts_with("int") || name == "numeric_long") {
    return int64_t{std::strtoll(input.c_str(), nullptr, 10)};
  }
  return FromHexField(input);
}

// The public types make the same bytes, and numbers of one encoding read back alike.
TEST(Golden, OrderedTypes) {
  for (const auto& row : ReadTsv("ordered_bytes.tsv", 4)) {
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2]);
    const types::DataTypePtr type =
        TypeOf(row[0], row[1] == "ASC" ? types::Order::kAscending : types::Order::kDescending);
    const types::Value value = ValueOf(row[0], row[2]);
    Bytes encoded = "before";
    const Status status = type->Encode(&encoded, value);
    if (row[3].starts_with("ERROR:")) {
      EXPECT_EQ(StatusCode::kInvalidArgument, status.code());
      EXPECT_EQ("before", encoded);
      continue;
    }
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(row[3], HexEncode(encoded.substr(6)));
    ByteView in = ByteView(encoded).substr(6);
    const Result<types::Value> back = type->Decode(&in);
    ASSERT_TRUE(back.ok()) << back.status().ToString();
    if (!row[0].starts_with("numeric") && row[2] != "NaN") {
      EXPECT_TRUE(*back == value) << back->ToString();
    }
    Bytes again;
    ASSERT_TRUE(type->Encode(&again, *back).ok());
    // Rounded to 1, such a number reads back as 1 (docs/formats/ordered_bytes.md).
    if (again != encoded.substr(6)) {
      EXPECT_EQ("1", back->ToString());
    }
  }
}

// Values other than numbers read back as they were.
TEST(Golden, OrderedBytesReadBack) {
  namespace ordered = encoding::ordered;
  for (const auto& row : ReadTsv("ordered_bytes.tsv", 4)) {
    if (row[3].starts_with("ERROR:") || row[2] == "null") continue;
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2]);
    const Bytes encoded = HexDecode(row[3]).value();
    ByteView in = encoded;
    if (row[0] == "int8") {
      EXPECT_EQ(row[2], std::to_string(ordered::DecodeInt8(&in).value()));
    } else if (row[0] == "int16") {
      EXPECT_EQ(row[2], std::to_string(ordered::DecodeInt16(&in).value()));
    } else if (row[0] == "int32") {
      EXPECT_EQ(row[2], std::to_string(ordered::DecodeInt32(&in).value()));
    } else if (row[0] == "int64") {
      EXPECT_EQ(row[2], std::to_string(ordered::DecodeInt64(&in).value()));
    } else if (row[0] == "float32") {
      const float value = ParseJavaFloat(row[2]);
      const float back = ordered::DecodeFloat32(&in).value();
      EXPECT_TRUE(std::isnan(value) ? std::isnan(back) : value == back);
    } else if (row[0] == "float64") {
      const double value = ParseJavaDouble(row[2]);
      const double back = ordered::DecodeFloat64(&in).value();
      EXPECT_TRUE(std::isnan(value) ? std::isnan(back) : value == back);
    } else if (row[0] == "string") {
      EXPECT_EQ(FromHexField(row[2]), ordered::DecodeText(&in).value());
    } else if (row[0] == "blob_var") {
      EXPECT_EQ(FromHexField(row[2]), ordered::DecodeBlobVar(&in).value());
    } else if (row[0] == "blob_copy") {
      EXPECT_EQ(FromHexField(row[2]), ordered::DecodeBlobCopy(&in).value());
    } else {
      continue;
    }
    EXPECT_TRUE(in.empty());
  }
}

// The type that the seed table's line speaks of, by the header byte that the class writes.
std::string TypeOfHeader(uint8_t header) {
  switch (header) {
    case 0x05: return "null";
    case 0x29: return "int8";
    case 0x2a: return "int16";
    case 0x2b: return "int32";
    case 0x2c: return "int64";
    case 0x30: return "float32";
    case 0x31: return "float64";
    case 0x34: return "string";
    case 0x37: return "blob_var";
    case 0x38: return "blob_copy";
    case 0x07:
    case 0x23:
    case 0x26: return "numeric_double";
    default: return "numeric_bigdecimal";
  }
}

// The examples of the document's table, with the bytes of the class.
TEST(Golden, OrderedBytesSeedTable) {
  for (const auto& row : ReadTsv("ordered_bytes_seed_table.tsv", 6)) {
    SCOPED_TRACE(row[0]);
    const Bytes real = HexDecode(row[5]).value();
    ASSERT_FALSE(real.empty());
    EXPECT_EQ(row[2], "0x" + row[5].substr(0, 2));
    const std::string type = TypeOfHeader(static_cast<uint8_t>(real[0]));
    const std::string input = type == "string" ? "hex:" + HexEncode(row[4]) : row[4];
    const Result<Bytes> encoded = EncodeRecorded(type, "ASC", input);
    ASSERT_TRUE(encoded.ok()) << encoded.status().ToString();
    EXPECT_EQ(row[5], HexEncode(*encoded));
  }
}

}  // namespace
}  // namespace bennu::golden
