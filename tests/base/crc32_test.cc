#include "src/base/crc32.h"

#include <gtest/gtest.h>

#include <random>

namespace bennu {
namespace {

// The check values of both polynomials in every catalogue of CRCs, and the examples of RFC 3720,
// appendix B.4.
TEST(Crc32Test, KnownValues) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(Bytes(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(Bytes(32, '\xff')), 0x62A8AB43u);
  Bytes ascending;
  for (int i = 0; i < 32; ++i) ascending += static_cast<char>(i);
  EXPECT_EQ(Crc32c(ascending), 0x46DD794Eu);
  EXPECT_EQ(Crc32(""), 0u);
  EXPECT_EQ(Crc32c(""), 0u);
}

// The processor's way and the tables' agree at every length and alignment, piecewise too.
TEST(Crc32Test, FastAgainstPortable) {
  std::mt19937 random(7);
  Bytes data;
  for (int i = 0; i < 300; ++i) data += static_cast<char>(random());
  for (size_t begin = 0; begin < 9; ++begin) {
    for (size_t length = 0; begin + length <= data.size(); ++length) {
      const ByteView view = ByteView(data).substr(begin, length);
      const uint32_t whole = internal::Crc32cPortable(view, 0);
      ASSERT_EQ(Crc32c(view), whole);
      const ByteView head = view.substr(0, length / 3);
      ASSERT_EQ(Crc32c(view.substr(head.size()), Crc32c(head)), whole);
      ASSERT_EQ(Crc32(view.substr(head.size()), Crc32(head)), Crc32(view));
    }
  }
}

}  // namespace
}  // namespace bennu
