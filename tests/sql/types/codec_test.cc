#include "src/sql/types/codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "src/base/hex.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

std::string HexOf(const Value& value, const DataType& type, SortOrder order) {
  Bytes bytes;
  const Status status = Encode(value, type, order, &bytes);
  return status.ok() ? HexEncode(bytes) : status.ToString();
}

struct Golden {
  DataType type;
  const char* text;
  const char* ascending;
  const char* descending;
};

// Row keys that the reference wrote for these values.
const Golden kGolden[] = {
    {{TypeId::kFloat}, "-3.4028235E38", "00800001", "ff7ffffe"},
    {{TypeId::kFloat}, "-1.5", "40400000", "bfbfffff"},
    {{TypeId::kFloat}, "-0.1", "42333333", "bdcccccc"},
    {{TypeId::kFloat}, "0.0", "80000001", "7ffffffe"},
    {{TypeId::kFloat}, "0.1", "bdccccce", "42333331"},
    {{TypeId::kFloat}, "1.0", "bf800001", "407ffffe"},
    {{TypeId::kFloat}, "1.6777216E7", "cb800001", "347ffffe"},
    {{TypeId::kFloat}, "3.4028235E38", "ff800000", "007fffff"},
    {{TypeId::kDouble}, "-1.7976931348623157E308", "0010000000000001", "ffeffffffffffffe"},
    {{TypeId::kDouble}, "-123456.789", "3f01dbf360418937", "c0fe240c9fbe76c8"},
    {{TypeId::kDouble}, "-0.1", "4046666666666666", "bfb9999999999999"},
    {{TypeId::kDouble}, "0.0", "8000000000000001", "7ffffffffffffffe"},
    {{TypeId::kDouble}, "2.2250738585072014E-308", "8010000000000001", "7feffffffffffffe"},
    {{TypeId::kDouble}, "0.1", "bfb999999999999b", "4046666666666664"},
    {{TypeId::kDouble}, "1.0E22", "c480f0cf064dd593", "3b7f0f30f9b22a6c"},
    {{TypeId::kUnsignedFloat}, "0.1", "3dcccccd", "c2333332"},
    {{TypeId::kUnsignedFloat}, "1.0E10", "501502f9", "afeafd06"},
    {{TypeId::kUnsignedDouble}, "0.0", "0000000000000000", "ffffffffffffffff"},
    {{TypeId::kUnsignedDouble}, "1.0E100", "54b249ad2594c37d", "ab4db652da6b3c82"},
    {{TypeId::kTimestamp},
     "1969-12-31T23:59:59.999",
     "7fffffffffffffff00000000",
     "8000000000000000ffffffff"},
    {{TypeId::kTimestamp},
     "2001-09-09T01:46:40.123456789",
     "800000e8d4a5107b0006f855",
     "7fffff172b5aef84fff907aa"},
    {{TypeId::kTimestamp},
     "2024-02-29T00:00:00.000001",
     "8000018df2292800000003e8",
     "7ffffe720dd6d7fffffffc17"},
    {{TypeId::kUnsignedTimestamp},
     "2020-02-02T20:20:20.202020202",
     "00000170078fa86a00004eea",
     "fffffe8ff8705795ffffb115"},
    {{TypeId::kTinyint}, "-128", "00", "ff"},
    {{TypeId::kTinyint}, "-1", "7f", "80"},
    {{TypeId::kTinyint}, "127", "ff", "00"},
    {{TypeId::kSmallint}, "-256", "7f00", "80ff"},
    {{TypeId::kSmallint}, "32767", "ffff", "0000"},
    {{TypeId::kInteger}, "-2147483648", "00000000", "ffffffff"},
    {{TypeId::kInteger}, "-65536", "7fff0000", "8000ffff"},
    {{TypeId::kInteger}, "255", "800000ff", "7fffff00"},
    {{TypeId::kBigint}, "-9223372036854775807", "0000000000000001", "fffffffffffffffe"},
    {{TypeId::kBigint}, "4294967295", "80000000ffffffff", "7fffffff00000000"},
    {{TypeId::kUnsignedLong}, "9223372036854775807", "7fffffffffffffff", "8000000000000000"},
    {{TypeId::kUnsignedLong}, "128", "0000000000000080", "ffffffffffffff7f"},
    {{TypeId::kUnsignedInt}, "77", "0000004d", "ffffffb2"},
    {{TypeId::kUnsignedTinyint}, "63", "3f", "c0"},
    {{TypeId::kTime}, "1970-01-01T12:34:56.789", "8000000002b32c95", "7ffffffffd4cd36a"},
    {{TypeId::kDate}, "2000-02-29T12:34:56.789", "800000dd9d5a0c95", "7fffff2262a5f36a"},
    {{TypeId::kDate}, "9999-12-31T23:59:59", "8000e677d21fd818", "7fff19882de027e7"},
    {{TypeId::kUnsignedDate}, "2033-05-18T03:33:20", "000001d1a94a2000", "fffffe2e56b5dfff"},
    {{TypeId::kBoolean}, "true", "01", "fe"},
    {{TypeId::kBoolean}, "false", "00", "ff"},
    {{TypeId::kChar, 4}, "ab", "61622020", "9e9ddfdf"},
    {{TypeId::kChar, 4}, "abcd", "61626364", "9e9d9c9b"},
    {{TypeId::kVarchar}, "a", "61", "9e"},
    {{TypeId::kVarbinaryEncoded}, "x'0001ff'", "00ff01ff", "ff00fe00"},
    {{TypeId::kVarbinaryEncoded}, "x'0001ff00ff'", "00ff01ff00ffff", "ff00fe00ff0000"},
    {{TypeId::kVarbinaryEncoded},
     "x'ebff000139ad00ff'",
     "ebff00ff0139ad00ffff",
     "1400ff00fec652ff0000"},
    {{TypeId::kDecimal}, "12345.67891", "c302182e445a0b", "3cfde7d1bba5f4"},
};

TEST(Codec, GoldenBytesBothWays) {
  for (const Golden& golden : kGolden) {
    const Result<Value> value = ParseValue(golden.text, golden.type);
    ASSERT_TRUE(value.ok()) << golden.text << ": " << value.status().ToString();
    EXPECT_EQ(HexOf(*value, golden.type, SortOrder::kAsc), golden.ascending) << golden.text;
    EXPECT_EQ(HexOf(*value, golden.type, SortOrder::kDesc), golden.descending) << golden.text;
    for (const auto& [hex, order] : {std::pair(golden.ascending, SortOrder::kAsc),
                                     std::pair(golden.descending, SortOrder::kDesc)}) {
      const Result<Value> back = Decode(*HexDecode(hex), golden.type, order);
      ASSERT_TRUE(back.ok()) << golden.text << ": " << back.status().ToString();
      EXPECT_EQ(ToText(*back), golden.text);
    }
  }
}

TEST(Codec, CanonicalNotANumber) {
  const double nan = -std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(HexOf(Value::Double(nan), {TypeId::kDouble}, SortOrder::kAsc), "fff8000000000001");
  EXPECT_EQ(HexOf(Value::Real({TypeId::kFloat}, nan), {TypeId::kFloat}, SortOrder::kAsc),
            "ffc00001");
  EXPECT_EQ(HexOf(Value::Real({TypeId::kFloat}, -0.0), {TypeId::kFloat}, SortOrder::kAsc),
            "80000000");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(HexOf(Value::Real({TypeId::kFloat}, -infinity), {TypeId::kFloat}, SortOrder::kAsc),
            "00800000");
  EXPECT_TRUE(
      std::isnan(Decode(*HexDecode("ffc00001"), {TypeId::kFloat}, SortOrder::kAsc)->real()));
}

TEST(Codec, NullIsTheEmptyString) {
  for (int i = 0; i < kTypeCount; ++i) {
    const DataType type = {static_cast<TypeId>(i), 3};
    if (IsArray(type.id)) continue;
    EXPECT_EQ(HexOf(Value::Null(type), type, SortOrder::kDesc), "");
    EXPECT_TRUE(Decode("", type, SortOrder::kDesc)->is_null());
  }
  EXPECT_EQ(HexOf(Value::Varchar(""), {TypeId::kVarchar}, SortOrder::kAsc), "");
}

TEST(Codec, BinaryIsPaddedAndStaysSo) {
  const DataType type = {TypeId::kBinary, 3};
  EXPECT_EQ(HexOf(Value::String(type, "\1"), type, SortOrder::kAsc), "010000");
  EXPECT_EQ(HexOf(Value::String(type, "\1"), type, SortOrder::kDesc), "feffff");
  EXPECT_EQ(Decode(*HexDecode("feffff"), type, SortOrder::kDesc)->bytes(), Bytes("\1\0\0", 3));
}

TEST(Codec, TimestampWithAllNanosOfTheSecond) {
  const Value value =
      *Decode(*HexDecode("800000e8d4a5107b075bcd15"), {TypeId::kTimestamp}, SortOrder::kAsc);
  EXPECT_EQ(ToText(value), "2001-09-09T01:46:40.123456789");
}

TEST(Codec, Refusals) {
  const auto code = [](const Value& value, const DataType& type) {
    Bytes bytes = "kept";
    const Status status = Encode(value, type, SortOrder::kAsc, &bytes);
    return status.sql_error() == nullptr ? 0 : status.sql_error()->code;
  };
  EXPECT_EQ(code(Value::Int({TypeId::kUnsignedInt}, -1), {TypeId::kUnsignedInt}), 201);
  EXPECT_EQ(code(Value::Int({TypeId::kTinyint}, 128), {TypeId::kTinyint}), 201);
  EXPECT_EQ(code(Value::Real({TypeId::kUnsignedDouble}, -0.5), {TypeId::kUnsignedDouble}), 201);
  EXPECT_EQ(code(Value::Time({TypeId::kUnsignedTimestamp}, {-1, 0}), {TypeId::kUnsignedTimestamp}),
            201);
  EXPECT_EQ(code(Value::Varchar("\xc3\xa9"), {TypeId::kChar, 4}), 201);
  EXPECT_EQ(code(Value::Varchar("abcde"), {TypeId::kChar, 4}), 206);
  EXPECT_EQ(code(Value::Varchar("abcd  "), {TypeId::kChar, 4}), 0);
  EXPECT_EQ(code(Value::Varchar("\xc3\xa9\xc3\xa9\xc3\xa9"), {TypeId::kVarchar, 3}), 0);
  EXPECT_EQ(code(Value::Varchar("abcdef"), {TypeId::kVarchar, 5}), 206);
  EXPECT_EQ(code(Value::Varbinary(Bytes("\0\1\2\3", 4)), {TypeId::kVarbinaryEncoded, 4}), 0);
  EXPECT_EQ(code(Value::Varbinary(Bytes("\0\1\2\3", 4)), {TypeId::kVarbinaryEncoded, 3}), 206);
  EXPECT_EQ(code(Value::Number(Decimal(10000, 0)), {TypeId::kDecimal, 7, 3}), 206);
  EXPECT_EQ(code(Value::Number(Decimal(1, -130)), {TypeId::kDecimal}), 206);
}

TEST(Codec, RefusesBytesOfWrongLength) {
  for (const SortOrder order : {SortOrder::kAsc, SortOrder::kDesc}) {
    for (int i = 0; i < kTypeCount; ++i) {
      const DataType type = {static_cast<TypeId>(i)};
      if (!FixedWidth(type).has_value()) continue;
      const Result<Value> value = Decode(Bytes(25, '\1'), type, order);
      ASSERT_FALSE(value.ok()) << TypeName(type.id);
      EXPECT_TRUE(IsSqlError(value.status(), 201));
    }
    EXPECT_FALSE(Decode(Bytes(25, '\1'), {TypeId::kDecimal}, order).ok());
  }
}

// No encoder leaves a zero byte alone, but a key whose NULL is read as a value holds one, and
// Phoenix shows it as it is (keys/pk_vcd_ve_int.test).
TEST(Codec, ReadsASingleZeroOfVarbinaryEncodedAsItself) {
  const DataType type = {TypeId::kVarbinaryEncoded};
  for (const Bytes& bytes : {Bytes("a\0b", 3), Bytes("a\0", 2)}) {
    const Result<Value> value = Decode(bytes, type, SortOrder::kAsc);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(value->bytes(), bytes);
  }
}

// A random value, often at an edge of the type.
Value RandomValue(const DataType& type, std::mt19937_64* random) {
  const uint64_t r = (*random)();
  switch (PhysicalTypeOf(type.id)) {
    case PhysicalType::kBool: return Value::Bool(r % 2 == 0);
    case PhysicalType::kInt64: {
      const IntegerRange range = RangeOf(type.id);
      if (r % 8 == 0) return Value::Int(type, r % 16 == 0 ? range.min : range.max);
      const uint64_t span = static_cast<uint64_t>(range.max) - static_cast<uint64_t>(range.min);
      const uint64_t offset = span == UINT64_MAX ? (*random)() : (*random)() % (span + 1);
      return Value::Int(type, static_cast<int64_t>(static_cast<uint64_t>(range.min) + offset));
    }
    case PhysicalType::kDouble: {
      double value = std::ldexp(static_cast<double>(static_cast<int64_t>((*random)())),
                                static_cast<int>(r % 100) - 90);
      if (r % 9 == 0) value = 0;
      if (r % 23 == 0) value = std::numeric_limits<double>::infinity();
      if (IsUnsigned(type.id)) value = std::fabs(value);
      const bool single = type.id == TypeId::kFloat || type.id == TypeId::kUnsignedFloat;
      return Value::Real(type, single ? static_cast<float>(value) : value);
    }
    case PhysicalType::kDecimal:
      return Value::Number(
          Decimal(static_cast<int64_t>((*random)()) >> (r % 60), static_cast<int>(r % 30)), type);
    case PhysicalType::kTimestamp: {
      int64_t millis = static_cast<int64_t>((*random)() >> (r % 30)) >> 2;
      if (!IsUnsigned(type.id) && r % 2 == 0) millis = -millis;
      if (r % 5 == 0) millis = 1000;
      return Value::Time(type, {millis, static_cast<int32_t>((*random)() % 1'000'000)});
    }
    case PhysicalType::kBytes: break;
  }
  Bytes bytes;
  const size_t length = type.id == TypeId::kBinary ? 3 : 1 + r % 4;
  for (size_t i = 0; i < length; ++i) {
    const char ends[] = {'\0', '\1', '\xfe', '\xff'};
    bytes += IsBinary(type.id) ? ends[(*random)() % 4] : static_cast<char>('a' + (*random)() % 3);
  }
  return Value::String(type, bytes);
}

// What follows a value in a key: without it a longer value would not sort after its prefix.
Bytes Terminator(const DataType& type, SortOrder order) {
  if (IsFixedWidth(type.id)) return "";
  const bool desc = order == SortOrder::kDesc;
  if (type.id == TypeId::kVarbinaryEncoded) return desc ? Bytes("\xff\xfe") : Bytes("\0\1", 2);
  return desc ? Bytes("\xff") : Bytes(1, '\0');
}

TEST(Codec, OrderOfBytesIsOrderOfValues) {
  std::mt19937_64 random(3);
  for (int i = 0; i < kTypeCount; ++i) {
    DataType type = {static_cast<TypeId>(i)};
    if (IsArray(type.id) || type.id == TypeId::kJson || type.id == TypeId::kBson) continue;
    if (type.id == TypeId::kChar || type.id == TypeId::kBinary) type.max_length = 5;
    for (const SortOrder order : {SortOrder::kAsc, SortOrder::kDesc}) {
      for (int n = 0; n < 2000; ++n) {
        const Value a = RandomValue(type, &random);
        const Value b = RandomValue(type, &random);
        Bytes x;
        Bytes y;
        ASSERT_TRUE(Encode(a, type, order, &x).ok());
        ASSERT_TRUE(Encode(b, type, order, &y).ok());
        const Result<Value> back = Decode(x, type, order);
        ASSERT_TRUE(back.ok()) << back.status().ToString();
        if (type.id != TypeId::kBinary) {
          ASSERT_EQ(*CompareValues(*back, a), 0) << ToText(*back) << " " << ToText(a);
        }
        // VARBINARY stands last in a key, so no terminator can follow it.
        if (type.id != TypeId::kVarbinary) {
          x += Terminator(type, order);
          y += Terminator(type, order);
        } else if (order == SortOrder::kDesc) {
          continue;
        }
        int expected = *CompareValues(a, b);
        if (order == SortOrder::kDesc) expected = -expected;
        ASSERT_EQ(x.compare(y) < 0, expected < 0)
            << TypeName(type.id) << " " << ToText(a) << " " << ToText(b);
        ASSERT_EQ(x.compare(y) > 0, expected > 0)
            << TypeName(type.id) << " " << ToText(a) << " " << ToText(b);
      }
    }
  }
}

TEST(Codec, RowsOfVectorsEncodeAsValues) {
  std::mt19937_64 random(5);
  for (int i = 0; i < kTypeCount; ++i) {
    DataType type = {static_cast<TypeId>(i)};
    if (IsArray(type.id)) continue;
    if (type.id == TypeId::kChar || type.id == TypeId::kBinary) type.max_length = 5;
    Vector vector(type, 2);
    const Value value = RandomValue(type, &random);
    vector.SetValue(0, value);
    vector.SetNull(1);
    Bytes by_row;
    Bytes by_value;
    ASSERT_TRUE(EncodeRow(vector, 0, type, SortOrder::kDesc, &by_row).ok());
    ASSERT_TRUE(EncodeRow(vector, 1, type, SortOrder::kDesc, &by_row).ok());
    ASSERT_TRUE(Encode(value, type, SortOrder::kDesc, &by_value).ok());
    EXPECT_EQ(by_row, by_value) << TypeName(type.id);
  }
}

TEST(Codec, AscendingTextIsNotCopied) {
  const Bytes text = "hello";
  Vector vector({TypeId::kVarchar}, 1);
  ASSERT_TRUE(DecodeInto(text, {TypeId::kVarchar}, SortOrder::kAsc, &vector, 0).ok());
  EXPECT_EQ(vector.At<ByteView>(0).data(), text.data());
}

}  // namespace
}  // namespace bennu::sql
