#include "src/encoding/bytes_codec.h"

#include <gtest/gtest.h>

#include "src/base/hex.h"

namespace bennu::encoding {
namespace {

TEST(BytesCodecTest, IncrementWrapsAndExtends) {
  const auto increment = [](std::string_view hex, int64_t amount) {
    return HexEncode(IncrementBytes(HexDecode(hex).value(), amount).value());
  };
  EXPECT_EQ("0000000000000002", increment("01", 1));
  EXPECT_EQ("0000000000000000", increment("ff", 1));  // -1, sign extended
  EXPECT_EQ("fffffffffffffffb", increment("0000000000000005", -10));
  EXPECT_EQ("8000000000000000", increment("7fffffffffffffff", 1));
  EXPECT_EQ("00000000000000ff", increment("0000000000000100", -1));
  EXPECT_EQ(StatusCode::kInvalidArgument, IncrementBytes("123456789", 1).status().code());
  EXPECT_EQ(StatusCode::kInvalidArgument, IncrementBytes("", 1).status().code());
}

TEST(BytesCodecTest, UnsignedIncrementCarries) {
  EXPECT_EQ("0100", HexEncode(UnsignedIncrement(HexDecode("00ff").value())));
  EXPECT_EQ("010000", HexEncode(UnsignedIncrement(HexDecode("ffff").value())));
  EXPECT_EQ("01", HexEncode(UnsignedIncrement("")));
}

// Lower-case digits and cut escapes are no escapes of HBase's.
TEST(BytesCodecTest, FromStringBinary) {
  EXPECT_EQ("xff", FromStringBinary("\\xff").value());
  EXPECT_EQ("\\", FromStringBinary("\\").value());
  EXPECT_EQ("\\n", FromStringBinary("\\n").value());
  EXPECT_EQ(StatusCode::kInvalidArgument, FromStringBinary("a\\x4").status().code());
}

// The stop row of a scan by prefix: the next byte string that does not begin so.
TEST(BytesCodecTest, PrefixEnd) {
  using bytes_codec::PrefixEnd;
  EXPECT_EQ(PrefixEnd("ab"), "ac");
  EXPECT_EQ(HexEncode(PrefixEnd("a\xff\xff")), "62");
  EXPECT_EQ(PrefixEnd("\xff"), "");
  EXPECT_EQ(PrefixEnd(""), "");
}

}  // namespace
}  // namespace bennu::encoding
