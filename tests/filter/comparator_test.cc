#include <gtest/gtest.h>

#include <string>

#include "bennu/filter.h"
#include "src/filter/text.h"

namespace bennu {
namespace {

// The sign that the comparator gives, or 99 for an error.
int Order(ByteComparator* comparator, ByteView bytes) {
  Status error;
  const int order = comparator->Compare(bytes, &error);
  return error.ok() ? order : 99;
}

int Order(const ComparatorPtr& comparator, ByteView bytes) {
  // A clone, and one that crossed the wire, must do the same.
  const int order = Order(comparator.get(), bytes);
  EXPECT_EQ(order, Order(comparator->Clone().get(), bytes));
  auto decoded = DecodeComparator(EncodeComparator(*comparator));
  EXPECT_TRUE(decoded.ok()) << decoded.status().ToString();
  if (decoded.ok()) {
    EXPECT_EQ(order, Order(decoded->get(), bytes));
  }
  return order;
}

TEST(ComparatorTest, Binary) {
  EXPECT_EQ(0, Order(NewBinaryComparator("b"), "b"));
  EXPECT_EQ(-1, Order(NewBinaryComparator("b"), "ba"));
  EXPECT_EQ(1, Order(NewBinaryComparator("\xff"), "\x01"));
}

TEST(ComparatorTest, BinaryPrefixLooksAtAsManyBytes) {
  EXPECT_EQ(0, Order(NewBinaryPrefixComparator("ab"), "abc"));
  EXPECT_EQ(1, Order(NewBinaryPrefixComparator("ab"), "a"));
  EXPECT_EQ(-1, Order(NewBinaryPrefixComparator("ab"), "ac"));
}

TEST(ComparatorTest, BinaryComponentNeedsBytesOnlyWhileTheyAgree) {
  EXPECT_EQ(0, Order(NewBinaryComponentComparator("cd", 2), "abcdef"));
  EXPECT_EQ(1, Order(NewBinaryComponentComparator("cd", 2), "abb"));
  EXPECT_EQ(99, Order(NewBinaryComponentComparator("cd", 2), "abc"));
  EXPECT_EQ(99, Order(NewBinaryComponentComparator("cd", 2), "a"));
}

TEST(ComparatorTest, LongIsSigned) {
  const std::string minus_one(8, '\xff');
  EXPECT_EQ(1, Order(NewLongComparator(0), minus_one));
  EXPECT_EQ(0, Order(NewLongComparator(-1), minus_one));
  EXPECT_EQ(99, Order(NewLongComparator(0), "short"));
}

TEST(ComparatorTest, BigDecimalComparesNumbers) {
  const std::string one_point_zero("\0\0\0\1\x0a", 5);
  const std::string one("\0\0\0\0\x01", 5);
  EXPECT_EQ(0, Order(NewBigDecimalComparator(one), one_point_zero));
  EXPECT_EQ(99, Order(NewBigDecimalComparator(one), "x"));
}

TEST(ComparatorTest, Bits) {
  EXPECT_EQ(0, Order(NewBitComparator("\x0f", BitwiseOp::kAnd), "\x18"));
  EXPECT_EQ(1, Order(NewBitComparator("\x0f", BitwiseOp::kAnd), "\x10"));
  EXPECT_EQ(1, Order(NewBitComparator("\x0f", BitwiseOp::kXor), "\x0f"));
  EXPECT_EQ(0, Order(NewBitComparator("\x0f", BitwiseOp::kOr), std::string(1, '\0')));
  EXPECT_EQ(1, Order(NewBitComparator("\x0f", BitwiseOp::kOr), "ab"));
}

TEST(ComparatorTest, NullIsNeverEqual) { EXPECT_EQ(1, Order(NewNullComparator(), "")); }

TEST(ComparatorTest, SubstringIgnoresCase) {
  EXPECT_EQ(0, Order(NewSubstringComparator("BcD"), "abCDe"));
  EXPECT_EQ(1, Order(NewSubstringComparator("bd"), "abCDe"));
  EXPECT_EQ(0, Order(NewSubstringComparator("\xc3\x89t"), "caf\xc3\xa9T"));  // É and é
  EXPECT_EQ(0, Order(NewSubstringComparator("\xd0\x96"), "\xd0\xb6"));       // Ж and ж
}

TEST(ComparatorTest, UnknownClassesAreRefused) {
  const auto unknown =
      DecodeComparator(Bytes("\x0a\x03"
                             "a.b"));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.status().message().find("a.b"), std::string::npos);
  EXPECT_FALSE(DecodeComparator("\xff").ok());
}

TEST(TextTest, MalformedBytesBecomeReplacements) {
  Bytes out;
  filter::AppendDecoded("a\x80\xe2\x82z\xf0\x9f\x98\x80", filter::Charset::kUtf8, &out);
  EXPECT_EQ("a\xef\xbf\xbd\xef\xbf\xbdz\xf0\x9f\x98\x80", out);
  EXPECT_TRUE(filter::IsUtf8(out));
  EXPECT_FALSE(filter::IsUtf8("\xed\xa0\x80"));  // half of a pair of surrogates
  out.clear();
  filter::AppendDecoded("\xe9", filter::Charset::kLatin1, &out);
  EXPECT_EQ("\xc3\xa9", out);
}

}  // namespace
}  // namespace bennu
