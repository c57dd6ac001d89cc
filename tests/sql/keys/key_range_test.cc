#include "src/sql/keys/key_range.h"

#include <gtest/gtest.h>

#include <random>

#include "src/base/hex.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/text.h"
#include "tests/sql/keys/key_columns.h"

namespace bennu::sql {
namespace {

constexpr DataType kVarcharType = {TypeId::kVarchar};

KeyRange One(CompareOp op, const char* text, const DataType& type, SortOrder order) {
  const std::vector<KeyRange> ranges = *RangesFor(op, *ParseValue(text, type), type, order);
  return ranges.size() == 1 ? ranges[0] : KeyRange::Empty();
}

TEST(KeyRange, SpecialRanges) {
  EXPECT_TRUE(KeyRange::Empty().IsEmpty());
  EXPECT_FALSE(KeyRange::Everything().IsEmpty());
  EXPECT_TRUE(KeyRange::Everything().Contains(""));
  EXPECT_TRUE(KeyRange::IsNull().Contains(""));
  EXPECT_TRUE(KeyRange::IsNull().IsSingle());
  EXPECT_TRUE(KeyRange::IsNull().IsNullOnly());
  EXPECT_FALSE(KeyRange::IsNotNull().Contains(""));
  EXPECT_TRUE(KeyRange::IsNotNull().Contains(ByteView("\0", 1)));
  EXPECT_TRUE(Intersect(KeyRange::IsNull(), KeyRange::IsNotNull()).IsEmpty());
}

TEST(KeyRange, Comparisons) {
  EXPECT_EQ(ToString(One(CompareOp::kGreater, "5", {TypeId::kInteger}, kAsc)),
            "['\\x80\\x00\\x00\\x06' - *)");
  EXPECT_EQ(ToString(One(CompareOp::kLessOrEqual, "5", {TypeId::kInteger}, kAsc)),
            "(* - '\\x80\\x00\\x00\\x05']");
  EXPECT_EQ(ToString(One(CompareOp::kGreater, "5", {TypeId::kInteger}, kDesc)),
            "(* - '\\x7F\\xFF\\xFF\\xFA')");
  EXPECT_EQ(ToString(One(CompareOp::kLess, "5", {TypeId::kInteger}, kDesc)),
            "['\\x7F\\xFF\\xFF\\xFB' - *)");
  EXPECT_EQ(ToString(One(CompareOp::kGreater, "a", kVarcharType, kAsc)), "('a' - *)");
  EXPECT_EQ(ToString(One(CompareOp::kLess, "a", kVarcharType, kAsc)), "('' - 'a')");
  EXPECT_EQ(ToString(One(CompareOp::kLess, "a", kVarcharType, kDesc)), "('\\x9E\\xFF' - *)");
  EXPECT_TRUE(One(CompareOp::kGreater, "127", {TypeId::kTinyint}, kAsc).IsEmpty());
  EXPECT_TRUE(RangesFor(CompareOp::kEqual, Value::Null(kVarcharType), kVarcharType, kAsc)->empty());
  EXPECT_EQ(RangesFor(CompareOp::kNotEqual, Value::Varchar("a"), kVarcharType, kAsc)->size(), 2u);
}

// They are as long as the column, with zeros behind them, whatever its order.
TEST(KeyRange, ComparandsShorterThanADescendingBinary) {
  const DataType type = {TypeId::kBinary, 3};
  const Bytes stored = *HexDecode("fffeff");  // x'000100'
  const auto contains = [&](CompareOp op, const char* hex) {
    const Value comparand = Value::String(type, *HexDecode(hex));
    return (*RangesFor(op, comparand, type, kDesc))[0].Contains(stored);
  };
  EXPECT_TRUE(contains(CompareOp::kGreaterOrEqual, "0001"));
  EXPECT_FALSE(contains(CompareOp::kGreater, "0001"));
  EXPECT_TRUE(contains(CompareOp::kEqual, "0001"));
  EXPECT_TRUE(contains(CompareOp::kGreaterOrEqual, "000100"));
  EXPECT_TRUE(contains(CompareOp::kGreater, "00"));
  EXPECT_TRUE(contains(CompareOp::kGreater, "000000"));
}

TEST(KeyRange, ComparandsLongerThanTheColumn) {
  const DataType type = {TypeId::kChar, 4};
  const Value longer = Value::Varchar("abcde");
  EXPECT_TRUE(RangesFor(CompareOp::kEqual, longer, type, kAsc)->empty());
  const auto contains = [&](CompareOp op, const char* text) {
    return (*RangesFor(op, longer, type, kAsc))[0].Contains(text);
  };
  EXPECT_FALSE(contains(CompareOp::kGreater, "abcd"));
  EXPECT_TRUE(contains(CompareOp::kGreater, "abce"));
  EXPECT_TRUE(contains(CompareOp::kLess, "abcd"));
  EXPECT_FALSE(contains(CompareOp::kLess, "abce"));
  const auto text = [&](CompareOp op, SortOrder order) {
    return ToString((*RangesFor(op, longer, type, order))[0]);
  };
  EXPECT_EQ(text(CompareOp::kGreaterOrEqual, kAsc), "['abce' - *)");
  EXPECT_EQ(text(CompareOp::kGreater, kAsc), "['abce' - *)");
  EXPECT_EQ(text(CompareOp::kLess, kAsc), "(* - 'abcd']");
  EXPECT_EQ(text(CompareOp::kLess, kDesc), "['\\x9E\\x9D\\x9C\\x9B' - *)");
}

TEST(KeyRange, LikePrefix) {
  EXPECT_EQ(ToString(LikePrefixRange("ab", kVarcharType, kAsc)), "['ab' - 'ac')");
  const KeyRange desc = LikePrefixRange("ab", kVarcharType, kDesc);
  for (const char* text : {"ab", "abc", "ab~"}) {
    EXPECT_TRUE(desc.Contains(*EncodeBound(Value::Varchar(text), kVarcharType, kDesc))) << text;
  }
  for (const char* text : {"a", "aa", "ac", "b"}) {
    EXPECT_FALSE(desc.Contains(*EncodeBound(Value::Varchar(text), kVarcharType, kDesc))) << text;
  }
  const KeyRange padded = LikePrefixRange("a", {TypeId::kChar, 3}, kAsc);
  EXPECT_EQ(padded.lower, Bytes("a\0\0", 3));
  EXPECT_TRUE(padded.Contains("a  "));
  EXPECT_EQ(LikePrefixRange("", kVarcharType, kAsc), KeyRange::IsNotNull());
}

TEST(KeyRange, NextKeyCarries) {
  EXPECT_EQ(NextKey("a"), "b");
  EXPECT_EQ(NextKey("a\xff"), Bytes("b\0", 2));
  EXPECT_EQ(NextKey("\xff\xff"), std::nullopt);
  EXPECT_EQ(NextKey(""), std::nullopt);
}

KeyRange RandomRange(std::mt19937* random) {
  const auto bytes = [random] {
    Bytes b;
    for (size_t i = 0; i < (*random)() % 3; ++i) b += static_cast<char>('a' + (*random)() % 3);
    return b;
  };
  KeyRange range;
  if ((*random)() % 4 != 0) {
    range = KeyRange::AtLeast(bytes(), (*random)() % 2 == 0);
  }
  if ((*random)() % 4 != 0) {
    range.upper = bytes();
    range.upper_bounded = true;
    range.upper_inclusive = (*random)() % 2 == 0;
  }
  return range;
}

TEST(KeyRange, SetOperationsMatchMembership) {
  std::mt19937 random(23);
  std::vector<Bytes> values = {""};
  for (int i = 0; i < 40; ++i) {  // all strings of up to three letters
    if (values[i].size() == 3) continue;
    for (char c = 'a'; c <= 'd'; ++c) values.push_back(values[i] + c);
  }
  const auto any = [](const std::vector<KeyRange>& ranges, ByteView value) {
    for (const KeyRange& range : ranges) {
      if (range.Contains(value)) return true;
    }
    return false;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<KeyRange> a;
    std::vector<KeyRange> b;
    for (size_t i = 0; i < random() % 4; ++i) a.push_back(RandomRange(&random));
    for (size_t i = 0; i < random() % 4; ++i) b.push_back(RandomRange(&random));
    const std::vector<KeyRange> x = Coalesce(a);
    const std::vector<KeyRange> y = Coalesce(b);
    for (size_t i = 0; i + 1 < x.size(); ++i) {
      ASSERT_TRUE(Intersect(x[i], x[i + 1]).IsEmpty());
      ASSERT_LE(x[i].upper, x[i + 1].lower);
    }
    const std::vector<KeyRange> both = IntersectAll(x, y);
    const std::vector<KeyRange> either = UnionAll(x, y);
    for (const Bytes& value : values) {
      ASSERT_EQ(any(x, value), any(a, value));
      ASSERT_EQ(any(both, value), any(a, value) && any(b, value));
      ASSERT_EQ(any(either, value), any(a, value) || any(b, value));
    }
  }
}

}  // namespace
}  // namespace bennu::sql
