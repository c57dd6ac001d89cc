#include "src/base/hex.h"

#include <gtest/gtest.h>

namespace bennu {
namespace {

TEST(HexTest, EncodesAndDecodesAllBytes) {
  Bytes all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const std::string text = HexEncode(all);
  EXPECT_EQ(text.substr(0, 6), "000102");
  EXPECT_EQ(text.substr(506), "fdfeff");
  Result<Bytes> back = HexDecode(text);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, all);
  EXPECT_EQ(HexDecode("aBCd").value(), "\xab\xcd");
}

TEST(HexTest, RefusesWhatIsNotHex) {
  EXPECT_EQ(HexDecode("abc").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(HexDecode("0g").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(HexDecode("00 1").status().code(), StatusCode::kInvalidArgument);
}

// The borders of HBase's rule: 0x20 and 0x7E are printable, 0x1F, 0x7F and the backslash are not.
TEST(HexTest, ToStringBinary) {
  EXPECT_EQ(ToStringBinary(ByteView("a b~\x1f\x7f\\\0\xff\xab\"'", 12)),
            "a b~\\x1F\\x7F\\x5C\\x00\\xFF\\xAB\"'");
  EXPECT_EQ(ToStringBinary(""), "");
}

}  // namespace
}  // namespace bennu
