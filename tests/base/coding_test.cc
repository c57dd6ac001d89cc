#include "src/base/coding.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "src/base/hex.h"

namespace bennu {
namespace {

// The most significant byte comes first, whatever the machine.
TEST(CodingTest, BigEndian) {
  Bytes out;
  AppendBE16(&out, 0x0102);
  AppendBE32(&out, 0x03040506);
  AppendBE64(&out, 0x0708090a0b0c0d0e);
  EXPECT_EQ(HexEncode(out), "0102030405060708090a0b0c0d0e");

  ByteView in = out;
  uint16_t a;
  uint32_t b;
  uint64_t c;
  ASSERT_TRUE(ConsumeBE16(&in, &a) && ConsumeBE32(&in, &b) && ConsumeBE64(&in, &c));
  EXPECT_EQ(a, 0x0102);
  EXPECT_EQ(b, 0x03040506u);
  EXPECT_EQ(c, 0x0708090a0b0c0d0eu);
  EXPECT_TRUE(in.empty());
}

// A cut input is refused and stays as it was.
TEST(CodingTest, BigEndianTruncated) {
  ByteView in("\x01\x02\x03", 3);
  uint32_t value;
  uint64_t wide;
  ByteView bytes;
  EXPECT_FALSE(ConsumeBE32(&in, &value));
  EXPECT_FALSE(ConsumeBE64(&in, &wide));
  EXPECT_FALSE(ConsumeBytes(&in, 4, &bytes));
  EXPECT_EQ(in.size(), 3u);
  EXPECT_TRUE(ConsumeBytes(&in, 3, &bytes));
  EXPECT_EQ(bytes, ByteView("\x01\x02\x03", 3));
}

// Worked out by hand from the rules of WritableUtils.writeVLong.
const std::vector<std::pair<int64_t, std::string>> kVLongs = {
    {0, "00"},
    {127, "7f"},
    {-1, "ff"},
    {-112, "90"},
    {128, "8f80"},
    {255, "8fff"},
    {256, "8e0100"},
    {-113, "8770"},
    {-129, "8780"},
    {-256, "87ff"},
    {-257, "860100"},
    {65536, "8d010000"},
    {std::numeric_limits<int32_t>::max(), "8c7fffffff"},
    {std::numeric_limits<int32_t>::min(), "847fffffff"},
    {std::numeric_limits<int64_t>::max(), "887fffffffffffffff"},
    {std::numeric_limits<int64_t>::min(), "807fffffffffffffff"},
};

TEST(CodingTest, VLongKnownForms) {
  for (const auto& [value, hex] : kVLongs) {
    Bytes out;
    AppendVLong(&out, value);
    EXPECT_EQ(HexEncode(out), hex) << value;
    EXPECT_EQ(VLongSize(value), out.size()) << value;
    int64_t back = 0;
    EXPECT_EQ(DecodeVLong(out, &back), out.size());
    EXPECT_EQ(back, value);
  }
}

// Every proper prefix of a number is refused.
TEST(CodingTest, VLongTruncated) {
  for (const auto& [value, hex] : kVLongs) {
    Bytes out;
    AppendVLong(&out, value);
    for (size_t length = 0; length < out.size(); ++length) {
      int64_t back;
      ByteView in = ByteView(out).substr(0, length);
      EXPECT_EQ(DecodeVLong(in, &back), 0u) << value;
      EXPECT_FALSE(ConsumeVLong(&in, &back));
      EXPECT_EQ(in.size(), length);
    }
  }
}

// Hadoop's readVInt throws where the number needs more than 32 bits.
TEST(CodingTest, VIntRefusesWiderNumbers) {
  for (const int64_t value : {int64_t{1} << 31, -(int64_t{1} << 31) - 1}) {
    Bytes out;
    AppendVLong(&out, value);
    int32_t back;
    EXPECT_EQ(DecodeVInt(out, &back), 0u) << value;
  }
  Bytes out;
  AppendVInt(&out, std::numeric_limits<int32_t>::min());
  int32_t back = 0;
  ByteView in = out;
  ASSERT_TRUE(ConsumeVInt(&in, &back));
  EXPECT_EQ(back, std::numeric_limits<int32_t>::min());
  EXPECT_TRUE(in.empty());
}

// 1, 150 and 300 are the examples of protobuf's own documentation of the wire format.
TEST(CodingTest, VarintKnownForms) {
  const std::vector<std::pair<uint64_t, std::string>> cases = {
      {0, "00"},
      {1, "01"},
      {127, "7f"},
      {128, "8001"},
      {150, "9601"},
      {300, "ac02"},
      {std::numeric_limits<uint32_t>::max(), "ffffffff0f"},
      {std::numeric_limits<uint64_t>::max(), "ffffffffffffffffff01"},
  };
  for (const auto& [value, hex] : cases) {
    Bytes out;
    AppendVarint(&out, value);
    EXPECT_EQ(HexEncode(out), hex) << value;
    EXPECT_EQ(VarintSize(value), out.size()) << value;
    uint64_t back = 0;
    EXPECT_EQ(DecodeVarint64(out, &back), out.size());
    EXPECT_EQ(back, value);
    for (size_t length = 0; length < out.size(); ++length) {
      EXPECT_EQ(DecodeVarint64(ByteView(out).substr(0, length), &back), 0u) << value;
    }
  }
}

// A varint that never ends, or carries more bits than its type, is damage and not a number.
TEST(CodingTest, VarintTooLong) {
  uint64_t wide;
  uint32_t narrow;
  EXPECT_EQ(DecodeVarint64(Bytes(11, '\x80'), &wide), 0u);
  EXPECT_EQ(DecodeVarint64(Bytes(9, '\xff') + "\x02", &wide), 0u);
  Bytes out;
  AppendVarint(&out, uint64_t{1} << 32);
  EXPECT_EQ(DecodeVarint32(out, &narrow), 0u);
  ByteView in = out;
  EXPECT_FALSE(ConsumeVarint32(&in, &narrow));
  EXPECT_TRUE(ConsumeVarint64(&in, &wide));
  EXPECT_EQ(wide, uint64_t{1} << 32);
}

TEST(CodingTest, ZigZag) {
  EXPECT_EQ(ZigZagEncode(0), 0u);
  EXPECT_EQ(ZigZagEncode(-1), 1u);
  EXPECT_EQ(ZigZagEncode(1), 2u);
  EXPECT_EQ(ZigZagEncode(-2), 3u);
  for (const int64_t value :
       {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(ZigZagDecode(ZigZagEncode(value)), value);
  }
}

}  // namespace
}  // namespace bennu
