// HBase's types over Bytes and OrderedBytes, and Struct.
//
// That the Ordered types make OrderedBytes is tests/golden's. What is expected here follows from
// the rules in the documentation of HBase 2.5's package org.apache.hadoop.hbase.types, which each
// test names.
#include "bennu/types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>

#include "src/base/hex.h"

namespace bennu::types {
namespace {

using ::testing::HasSubstr;
using Decimal = Value::Decimal;
using List = Value::List;
using StructPtr = std::shared_ptr<const Struct>;

constexpr Order kUp = Order::kAscending;
constexpr Order kDown = Order::kDescending;

std::string Hex(const DataType& type, const Value& value) {
  Bytes encoded;
  const Status status = type.Encode(&encoded, value);
  return status.ok() ? HexEncode(encoded) : status.ToString();
}

Value Back(const DataType& type, const std::string& hex) {
  const Bytes bytes = HexDecode(hex).value();
  ByteView in = bytes;
  auto value = type.Decode(&in);
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_TRUE(in.empty()) << HexEncode(in);
  ByteView skipped = bytes;
  EXPECT_EQ(type.Skip(&skipped).value(), bytes.size());
  return value.ok() ? *value : Value();
}

// An error, and that nothing was appended.
StatusCode Refusal(const DataType& type, const Value& value) {
  Bytes out = "x";
  const Status status = type.Encode(&out, value);
  EXPECT_EQ(out, "x");
  return status.code();
}

// RawX: "values encoded using Bytes.putX": two's complement and IEEE 754, big-endian.
// A character is no number, and a truth value has no type in HBase.
static_assert(!std::is_constructible_v<Value, char>);
static_assert(!std::is_constructible_v<Value, char16_t>);
static_assert(!std::is_constructible_v<Value, bool>);
static_assert(!std::is_constructible_v<Value, const int*>);

// Every integer type is taken with its value, and nothing makes a string from a null pointer.
TEST(TypesTest, ValuesOfEachKind) {
  const char* const nothing = nullptr;
  EXPECT_TRUE(Value(nullptr).is_null());
  EXPECT_TRUE(Value(nothing).is_null());
  EXPECT_EQ(Value(uint8_t{200}), Value(200));
  EXPECT_EQ(Value(uint32_t{4000000000}), Value(int64_t{4000000000}));
  EXPECT_EQ(Value(size_t{7}), Value(7));
  EXPECT_EQ(Value(-7LL), Value(-7));
  EXPECT_EQ(Value(std::numeric_limits<uint64_t>::max()), Value(Decimal{"18446744073709551615"}));
}

TEST(TypesTest, RawTypesAreThoseOfBytes) {
  EXPECT_EQ(Hex(*RawByte(), -1), "ff");
  EXPECT_EQ(Hex(*RawShort(), 258), "0102");
  EXPECT_EQ(Hex(*RawInteger(), 5), "00000005");
  EXPECT_EQ(Hex(*RawLong(), int64_t{-2}), "fffffffffffffffe");
  EXPECT_EQ(Hex(*RawFloat(), 1.5), "3fc00000");           // 1.1b * 2^0: exponent 127
  EXPECT_EQ(Hex(*RawDouble(), 7.0), "401c000000000000");  // 1.11b * 2^2: exponent 1025
  EXPECT_EQ(Hex(*RawBytes(), Bytes("a\0b", 3)), "610062");
  EXPECT_EQ(Back(*RawByte(), "ff"), Value(-1));
  EXPECT_EQ(Back(*RawShort(), "fffe"), Value(-2));
  EXPECT_EQ(Back(*RawInteger(), "00000005"), Value(5));
  EXPECT_EQ(Back(*RawLong(), "fffffffffffffffe"), Value(-2));
  EXPECT_EQ(Back(*RawFloat(), "3fc00000"), Value(1.5));
  EXPECT_EQ(Back(*RawDouble(), "401c000000000000"), Value(7.0));
  EXPECT_EQ(Back(*RawString(), "616263"), Value("abc"));
}

// RawString applies its order to the bytes; RawBytes only names it.
TEST(TypesTest, DescendingRawTypes) {
  EXPECT_EQ(Hex(*RawString(kDown), "ab"), "9e9d");
  EXPECT_EQ(Back(*RawString(kDown), "9e9d"), Value("ab"));
  EXPECT_EQ(Hex(*RawBytes(kDown), "ab"), "6162");
  EXPECT_EQ(RawBytes(kDown)->order(), kDown);
}

// isNullable, isSkippable, isOrderPreserving and getOrder of the classes.
TEST(TypesTest, WhatTheTypesSayOfThemselves) {
  for (const DataTypePtr& type :
       {RawByte(), RawShort(), RawInteger(), RawLong(), RawFloat(), RawDouble()}) {
    EXPECT_TRUE(type->is_skippable() && !type->is_nullable() && !type->is_order_preserving());
    EXPECT_EQ(type->order(), std::nullopt);
  }
  for (const DataTypePtr& type : {RawString(), RawBytes()}) {
    EXPECT_TRUE(!type->is_skippable() && !type->is_nullable() && type->is_order_preserving());
  }
  for (const Order order : {kUp, kDown}) {
    for (const DataTypePtr& type :
         {OrderedInt8(order), OrderedInt16(order), OrderedInt32(order), OrderedInt64(order),
          OrderedFloat32(order), OrderedFloat64(order)}) {
      EXPECT_TRUE(type->is_skippable() && !type->is_nullable() && type->is_order_preserving());
      EXPECT_EQ(type->order(), order);
      EXPECT_EQ(Refusal(*type, Value()), StatusCode::kInvalidArgument);
    }
    for (const DataTypePtr& type :
         {OrderedNumeric(order), OrderedString(order), OrderedBlobVar(order)}) {
      EXPECT_TRUE(type->is_skippable() && type->is_nullable() && type->is_order_preserving());
    }
    EXPECT_TRUE(OrderedBlob(order)->is_nullable());
    EXPECT_FALSE(OrderedBlob(order)->is_skippable());
  }
  EXPECT_EQ(OrderedInt64(kUp)->name(), "OrderedInt64");
}

TEST(TypesTest, ValuesThatDoNotFitAreRefused) {
  EXPECT_EQ(Refusal(*RawByte(), 128), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*RawByte(), -129), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedInt16(kUp), 32768), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedInt32(kUp), int64_t{1} << 31), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedInt64(kUp), 1.0), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedFloat64(kUp), 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedString(kUp), 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedString(kUp), Bytes("a\0b", 3)), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedNumeric(kUp), "1"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*OrderedNumeric(kUp), Decimal{"one"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*RawString(), Value()), StatusCode::kInvalidArgument);
  Bytes out;
  EXPECT_THAT(OrderedInt8(kUp)->Encode(&out, 300).message(),
              HasSubstr("OrderedInt8 takes -128 to 127, not 300"));
}

// OrderedNumeric.decode: a BigDecimal, but a Double for what no BigDecimal is.
TEST(TypesTest, NumericGivesDecimals) {
  for (const Order order : {kUp, kDown}) {
    const auto type = OrderedNumeric(order);
    const auto round = [&](const Value& value) { return Back(*type, Hex(*type, value)); };
    EXPECT_EQ(round(7), Value(Decimal{"7"}));
    EXPECT_EQ(round(-12.5), Value(Decimal{"-12.5"}));
    EXPECT_EQ(round(Decimal{"1.2300"}), Value(Decimal{"1.23"}));
    EXPECT_EQ(round(Value()), Value());
    EXPECT_EQ(round(std::numeric_limits<double>::infinity()),
              Value(std::numeric_limits<double>::infinity()));
    EXPECT_TRUE(std::isnan(*round(std::nan("")).real()));
  }
}

// TerminatedWrapper: the terminator follows the value, with the order applied; a value that holds
// it is refused.
TEST(TypesTest, Terminated) {
  const auto up = RawStringTerminated("/").value();
  EXPECT_TRUE(up->is_skippable());
  EXPECT_FALSE(up->is_nullable());
  EXPECT_EQ(Hex(*up, "foo"), "666f6f2f");
  EXPECT_EQ(Back(*up, "666f6f2f"), Value("foo"));
  EXPECT_EQ(Back(*up, "2f"), Value(""));
  EXPECT_EQ(Refusal(*up, "f/o"), StatusCode::kInvalidArgument);

  const auto down = RawStringTerminated("/", kDown).value();
  EXPECT_EQ(Hex(*down, "ab"), "9e9dd0");
  EXPECT_EQ(Back(*down, "9e9dd0"), Value("ab"));
  EXPECT_EQ(Refusal(*down, "a/"), StatusCode::kInvalidArgument);

  const auto ordered = TerminatedWrapper(OrderedString(kUp), "/").value();
  EXPECT_TRUE(ordered->is_nullable());
  EXPECT_EQ(Hex(*ordered, "foo"), "34666f6f002f");
  EXPECT_EQ(Back(*ordered, "34666f6f002f"), Value("foo"));
  EXPECT_EQ(Hex(*ordered, Value()), "052f");
  EXPECT_EQ(Back(*ordered, "052f"), Value());

  // Longer ones; the second would end one byte too early.
  const auto pair = RawBytesTerminated("||").value();
  EXPECT_EQ(Hex(*pair, "a|b"), "617c627c7c");
  EXPECT_EQ(Back(*pair, "617c627c7c"), Value("a|b"));
  EXPECT_EQ(Refusal(*pair, "a|"), StatusCode::kInvalidArgument);

  EXPECT_EQ(RawStringTerminated("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(TerminatedWrapper(RawInteger(), "/").status().code(), StatusCode::kInvalidArgument);
  for (const std::string cut : {"", "fo", "foo"}) {
    ByteView in = cut;
    EXPECT_EQ(up->Decode(&in).status().code(), StatusCode::kCorruption);
    EXPECT_EQ(up->Skip(&in).status().code(), StatusCode::kCorruption);
    EXPECT_EQ(in, cut);
  }
  const Bytes wrong = HexDecode("34666f6f0030").value();
  ByteView in = wrong;
  EXPECT_EQ(ordered->Decode(&in).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(in, wrong);
}

// FixedLengthWrapper: filled up with zero bytes, which the value keeps.
TEST(TypesTest, FixedLength) {
  const auto text = RawStringFixedLength(5);
  EXPECT_TRUE(text->is_skippable());
  EXPECT_EQ(Hex(*text, "foo"), "666f6f0000");
  EXPECT_EQ(Back(*text, "666f6f0000"), Value(Bytes("foo\0\0", 5)));
  EXPECT_EQ(Refusal(*text, "longer"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Hex(*RawStringFixedLength(3, kDown), "a"), "9e0000");
  EXPECT_EQ(Hex(*RawBytesFixedLength(3), "ab"), "616200");
  const auto ordered = FixedLengthWrapper(OrderedString(kUp), 6);
  EXPECT_EQ(Back(*ordered,
                 "34616200"
                 "0000"),
            Value("ab"));
  ByteView in = "four";
  EXPECT_EQ(text->Decode(&in).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(text->Skip(&in).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(in, "four");
}

// Struct: members one after another, as they were declared.
TEST(StructTest, MembersFollowEachOther) {
  const StructPtr key = StructBuilder()
                            .Add(RawStringTerminated("/"))
                            .Add(RawInteger())
                            .Add(RawDouble())
                            .Build()
                            .value();
  EXPECT_FALSE(key->is_order_preserving());  // as RawInteger is not
  EXPECT_TRUE(key->is_skippable());
  EXPECT_FALSE(key->is_nullable());
  EXPECT_EQ(Hex(*key, List{"foo", 5, 7.0}),
            "666f6f2f"
            "00000005"
            "401c000000000000");
  EXPECT_EQ(Back(*key, "666f6f2f00000005401c000000000000"), Value(List{"foo", 5, 7.0}));
  EXPECT_EQ(key->EncodedLength(List{"foo", 5, 7.0}).value(), 16u);
  const Bytes bytes = HexDecode("666f6f2f00000005401c000000000000").value();
  EXPECT_EQ(key->DecodeField(bytes, 1).value(), Value(5));
  EXPECT_EQ(key->DecodeField(bytes, 3).status().code(), StatusCode::kInvalidArgument);
}

// "Trailing Nulls": nullable members at the end are left out when they are null, and read back as
// null where the bytes end. 1 is 18 02: exponent 1, one digit.
TEST(StructTest, NullsAtTheEndAreLeftOut) {
  StructBuilder builder;
  builder.Add(OrderedNumeric(kUp)).Add(OrderedString(kUp));
  const StructPtr shorter = builder.Build().value();
  const StructPtr longer = builder.Add(TerminatedWrapper(OrderedString(kUp), "/"))
                               .Add(OrderedNumeric(kUp))
                               .Build()
                               .value();
  const Value one = Decimal{"1"};
  EXPECT_EQ(Hex(*shorter, List{one, "foo"}),
            "1802"
            "34666f6f00");
  EXPECT_EQ(Hex(*longer, List{one, "foo"}), "180234666f6f00");
  EXPECT_EQ(Hex(*longer, List{one, "foo", Value(), Value()}), "180234666f6f00");
  EXPECT_EQ(Back(*longer, "180234666f6f00"), Value(List{one, "foo", Value(), Value()}));
  EXPECT_EQ(Hex(*longer, List{one, Value(), "foo", Value()}),
            "1802"
            "05"
            "34666f6f002f");
  EXPECT_EQ(Back(*longer, "18020534666f6f002f"), Value(List{one, Value(), "foo", Value()}));
  EXPECT_EQ(Hex(*longer, List{}), "");
  EXPECT_EQ(Hex(*longer, List{Value(), Value(), Value(), Value()}), "");
  EXPECT_EQ(Back(*longer, ""), Value(List{Value(), Value(), Value(), Value()}));

  // Not so a member that is not nullable.
  const StructPtr number = StructBuilder().Add(OrderedInt8(kUp)).Build().value();
  EXPECT_EQ(Refusal(*number, List{Value()}), StatusCode::kInvalidArgument);
  ByteView in;
  EXPECT_EQ(number->Decode(&in).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(Refusal(*number, List{1, 2}), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(*number, 1), StatusCode::kInvalidArgument);
}

// isSkippable: "DataTypes that are not skippable can only be used as the right-most field".
TEST(StructTest, OnlyTheLastMayRunToTheEnd) {
  EXPECT_TRUE(StructBuilder().Add(RawInteger()).Add(RawString()).Build().ok());
  EXPECT_FALSE(StructBuilder().Add(RawInteger()).Add(RawString()).Build().value()->is_skippable());
  const Status status = StructBuilder().Add(OrderedBlob(kUp)).Add(RawInteger()).Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("field 0 (OrderedBlob) is not skippable"));
  EXPECT_EQ(Struct::Make({nullptr}).status().code(), StatusCode::kInvalidArgument);

  StructBuilder builder;
  builder.Add(RawInteger()).Add(RawStringTerminated(""));
  EXPECT_THAT(builder.Build().status().message(), HasSubstr("field 1: TerminatedWrapper"));
  builder.Reset();
  EXPECT_TRUE(builder.Add(RawInteger()).Build().ok());
}

// StructIterator reads or passes over one member after another, also of a key that has more.
TEST(StructTest, IteratorReadsAPrefix) {
  const StructPtr first =
      StructBuilder().Add(RawInteger()).Add(RawStringTerminated("/")).Build().value();
  const StructPtr all = StructBuilder()
                            .Add(RawInteger())
                            .Add(RawStringTerminated("/"))
                            .Add(RawBytes())
                            .Build()
                            .value();
  Bytes bytes;
  ASSERT_TRUE(all->Encode(&bytes, List{7, "seven", "rest"}).ok());
  StructIterator fields = first->Iterate(bytes);
  EXPECT_EQ(fields.Next().value(), Value(7));
  EXPECT_TRUE(fields.HasNext());
  EXPECT_EQ(fields.Skip().value(), 6u);
  EXPECT_FALSE(fields.HasNext());
  EXPECT_EQ(fields.rest(), "rest");
  EXPECT_EQ(fields.Next().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(fields.Skip().status().code(), StatusCode::kFailedPrecondition);

  const Bytes cut = bytes.substr(0, 6);
  StructIterator broken = first->Iterate(cut);
  ASSERT_TRUE(broken.Next().ok());
  const Status status = broken.Next().status();
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("field 1 (TerminatedWrapper of RawString)"));
}

// "A Struct may be used as a member of another Struct."
TEST(StructTest, MayBeAMember) {
  const StructPtr inner =
      StructBuilder().Add(OrderedInt8(kUp)).Add(OrderedString(kDown)).Build().value();
  const StructPtr outer = StructBuilder().Add(inner).Add(OrderedInt8(kUp)).Build().value();
  EXPECT_TRUE(outer->is_order_preserving());
  const Value value = List{List{1, "a"}, 2};
  EXPECT_EQ(Hex(*outer, value),
            "2981"
            "cb9eff"
            "2982");
  EXPECT_EQ(Back(*outer, "2981cb9eff2982"), value);
}

// "Sort Order": the composite order of the members, left to right, each in its own.
TEST(StructTest, SortsByItsMembers) {
  const StructPtr key = StructBuilder()
                            .Add(OrderedString(kUp))
                            .Add(OrderedInt64(kDown))
                            .Add(OrderedNumeric(kUp))
                            .Add(OrderedBlob(kDown))
                            .Build()
                            .value();
  EXPECT_TRUE(key->is_order_preserving());
  using Row = std::tuple<std::string, int64_t, double, std::string>;
  // NOLINTNEXTLINE(cert-msc32-c,cert-msc51-cpp): the same keys at each run
  std::mt19937_64 random(7);
  const auto text = [&] {
    return std::string(random() % 3, static_cast<char>('a' + random() % 3));
  };
  std::vector<std::pair<Bytes, Row>> keys;
  for (int i = 0; i < 2000; ++i) {
    const Row row = {text(), static_cast<int64_t>(random() % 7) - 3,
                     (static_cast<double>(random() % 9) - 4) / 4, text()};
    Bytes bytes;
    const auto& [a, b, c, d] = row;
    ASSERT_TRUE(key->Encode(&bytes, List{a, b, c, d}).ok());
    keys.emplace_back(bytes, row);
  }
  std::sort(keys.begin(), keys.end());
  for (size_t i = 1; i < keys.size(); ++i) {
    const auto& [a1, b1, c1, d1] = keys[i - 1].second;
    const auto& [a2, b2, c2, d2] = keys[i].second;
    // Descending members change sides.
    EXPECT_LE(std::tie(a1, b2, c1, d2), std::tie(a2, b1, c2, d1)) << i;
  }
}

// BlobVar's last byte has its top bit clear, which puts a value before one that goes on with the
// same bits: 01 before 00 01. The bytes are those of HBase (tests/golden/ordered_bytes.tsv).
TEST(TypesTest, BlobVarDoesNotSortByItsBytes) {
  const auto type = OrderedBlobVar(kUp);
  EXPECT_EQ(Hex(*type, Bytes("\0\1", 2)), "37808020");
  EXPECT_EQ(Hex(*type, "\1"), "378040");
  EXPECT_TRUE(type->is_order_preserving());  // HBase's class says so
}

TEST(ValueTest, Text) {
  EXPECT_EQ(Value().ToString(), "null");
  EXPECT_EQ(Value(List{1, 1.5, Decimal{"1E+2"}, "a\n", Value()}).ToString(),
            "[1, 1.5, 1E+2, \"a\\x0A\", null]");
}

}  // namespace
}  // namespace bennu::types
