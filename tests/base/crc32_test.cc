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

// Long enough to be summed in several lanes at once, whatever their length.
TEST(Crc32Test, LongStretches) {
  std::mt19937 random(11);
  Bytes data;
  for (int i = 0; i < 70'000; ++i) data += static_cast<char>(random());
  for (const size_t length : {3071, 3072, 3073, 3080, 6143, 6144, 6145, 9999, 16384, 65'636}) {
    for (size_t begin = 0; begin < 9; ++begin) {
      const ByteView view = ByteView(data).substr(begin, length);
      for (const uint32_t seed : {0u, 1u, 0xdeadbeefu}) {
        ASSERT_EQ(Crc32c(view, seed), internal::Crc32cPortable(view, seed)) << length;
      }
    }
  }
}

}  // namespace
}  // namespace bennu
