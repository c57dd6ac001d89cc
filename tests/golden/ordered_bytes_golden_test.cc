// ordered_bytes.tsv and ordered_bytes_seed_table.tsv: what HBase's OrderedBytes makes of values.
#include <gtest/gtest.h>

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
