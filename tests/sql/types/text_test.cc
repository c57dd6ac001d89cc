#include "src/sql/types/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

std::string Reformat(std::string_view text) {
  const Result<Timestamp> value = ParseDateTime(text);
  return value.ok() ? DateTimeToIso(*value) : "error";
}

TEST(Text, RealsAsJavaWritesThem) {
  const struct {
    double value;
    const char* text;
  } cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {-2.75, "-2.75"},
      {0.1, "0.1"},
      {0.001, "0.001"},
      {0.0005, "5.0E-4"},
      {123456.789, "123456.789"},
      {9999999, "9999999.0"},
      {1e7, "1.0E7"},
      {1e22, "1.0E22"},
      {9007199254740992, "9.007199254740992E15"},
      {1234567890123, "1.234567890123E12"},
      {2.2250738585072014E-308, "2.2250738585072014E-308"},
      {-1.7976931348623157E308, "-1.7976931348623157E308"},
      {std::numeric_limits<double>::infinity(), "Infinity"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& c : cases) EXPECT_EQ(DoubleToText(c.value), c.text);
  EXPECT_EQ(FloatToText(0.1f), "0.1");
  EXPECT_EQ(FloatToText(12345.67891f), "12345.679");
  EXPECT_EQ(FloatToText(1234567890123.0f), "1.234568E12");
  EXPECT_EQ(FloatToText(3.4028235E38f), "3.4028235E38");
  EXPECT_EQ(FloatToText(16777216), "1.6777216E7");
}

TEST(Text, DatesFromRecordedStatements) {
  EXPECT_EQ(Reformat("2024-02-29 13:14:15.123456789"), "2024-02-29T13:14:15.123456789");
  EXPECT_EQ(Reformat("2024-02-29T13:14:15Z"), "2024-02-29T13:14:15");
  EXPECT_EQ(Reformat("2024-02-29"), "2024-02-29T00:00:00");
  EXPECT_EQ(Reformat("24-2-9"), "0024-02-07T00:00:00");  // Julian in, Gregorian out
  EXPECT_EQ(Reformat("1969-12-31 23:59:59.999"), "1969-12-31T23:59:59.999");
  EXPECT_EQ(Reformat("9999-12-31 23:59:59"), "9999-12-31T23:59:59");
  EXPECT_EQ(Reformat("2024"), "2024-01-01T00:00:00");
  EXPECT_EQ(Reformat("2024-05 07"), "2024-05-01T07:00:00");
  EXPECT_EQ(Reformat("2024-05-06 07:08"), "2024-05-06T07:08:00");
  EXPECT_EQ(Reformat("2024-05-06T07:08:09.5+02:00"), "2024-05-06T05:08:09.5");
  for (const char* bad :
       {"", "bad", "2024/02/29", "2023-02-29", "12:34:56", "2024-02-29 25:00:00", "2024-13-01",
        "2024-02-29 13:14:15.1234567891", "1582-10-10", "2024-02-29x", "0000-01-01", "2024-1-",
        "2024-02-29 10:60", "-", "99999999999-01-01"}) {
    const Result<Timestamp> value = ParseDateTime(bad);
    ASSERT_FALSE(value.ok()) << bad;
    EXPECT_TRUE(IsSqlError(value.status(), 201)) << bad;
  }
}

TEST(Text, CalendarSwitchesIn1582) {
  const int64_t last_julian = ParseDateTime("1582-10-04")->millis;
  const int64_t first_gregorian = ParseDateTime("1582-10-15")->millis;
  EXPECT_EQ(first_gregorian - last_julian, 86'400'000);
  EXPECT_EQ(ParseDateTime("1500-02-29")->millis, ParseDateTime("1500-03-01")->millis - 86'400'000);
  EXPECT_FALSE(ParseDateTime("1700-02-29").ok());
  // What is shown is what was read, on either side.
  for (const char* text : {"1582-10-04 23:59:59.999", "1582-10-15 00:00:00", "1500-02-29 01:02:03",
                           "0001-01-01 00:00:00", "-0001-12-31 00:00:00", "-0044-03-15 12:00:00"}) {
    EXPECT_EQ(DateTimeToText(*ParseDateTime(text)), text);
  }
}

TEST(Text, EveryDayComesBack) {
  for (int64_t day = -800'000; day < 3'000'000; day += 7) {
    const CivilTime civil = CivilFromMillis(day * 86'400'000);
    ASSERT_EQ(DaysFromCivil(civil.year, civil.month, civil.day), day);
  }
  EXPECT_EQ(DateTimeToIso({253'402'300'800'000 + 86'399'000, 0}), "+10000-01-01T23:59:59");
  EXPECT_EQ(DateTimeToIso({-1, 0}), "1969-12-31T23:59:59.999");
  EXPECT_EQ(DateTimeToText({1'577'934'245'123, 456'789}), "2020-01-02 03:04:05.123456789");
  EXPECT_EQ(DateTimeToIso({std::numeric_limits<int64_t>::min(), 0}),
            "-292275055-05-16T16:47:04.192");
  EXPECT_EQ(FormatDefaultDate(951'827'696'789), "2000-02-29 12:34:56.789");
}

TEST(Text, DefaultNumberFormat) {
  const auto format = [](const char* text) { return FormatDefaultNumber(*Decimal::Parse(text)); };
  EXPECT_EQ(format("12345.67895"), "12,345.679");
  EXPECT_EQ(format("102500"), "102,500");
  EXPECT_EQ(format("0.0005"), "0");
  EXPECT_EQ(format("0.0015"), "0.002");
  EXPECT_EQ(format("1234.5"), "1,234.5");
  EXPECT_EQ(format("-1234567"), "-1,234,567");
}

TEST(Text, EscapesMakeTextUnambiguous) {
  EXPECT_EQ(EscapeText(""), "(empty)");
  EXPECT_EQ(EscapeText("NULL"), "\\NULL");
  EXPECT_EQ(EscapeText("(empty)"), "\\(empty)");
  EXPECT_EQ(EscapeText(" a b "), "\\u0020a b\\u0020");
  EXPECT_EQ(EscapeText("a\\b\t\n\r"), "a\\\\b\\t\\n\\r");
  EXPECT_EQ(EscapeText(std::string_view("\0\x7f", 2)), "\\u0000\\u007f");
  EXPECT_EQ(EscapeText("\xc2\x85\xe2\x80\xa8"), "\\u0085\\u2028");
  EXPECT_EQ(EscapeText("h\xc3\xa9 \xf0\x9f\x98\x80"), "h\xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(EscapeText("\xff"), "\\ufffd");
  EXPECT_EQ(EscapeText("\xed\xa0\x80"), "\\ufffd\\ufffd\\ufffd");
}

TEST(Text, ValuesOfEveryKind) {
  EXPECT_EQ(ToText(Value::Null({TypeId::kInteger})), "NULL");
  EXPECT_EQ(ToText(Value::Bool(true)), "true");
  EXPECT_EQ(ToText(Value::Bigint(-5)), "-5");
  EXPECT_EQ(ToText(Value::Number(*Decimal::Parse("1.50"))), "1.50");
  EXPECT_EQ(ToText(Value::Varbinary(Bytes("\0\xff", 2))), "x'00ff'");
  EXPECT_EQ(ToText(Value::Varbinary(Bytes("\0\xff", 2)), {.quote_binary = false}), "00ff");
  EXPECT_EQ(ToText(Value::Int({TypeId::kDate}, 0), {.iso_dates = false}), "1970-01-01 00:00:00");
  EXPECT_EQ(ToText(Value::String({TypeId::kChar, 4}, "ab  ")), "ab");
}

TEST(Text, ParseValueForLoading) {
  EXPECT_EQ(ParseValue("127", {TypeId::kTinyint})->int64(), 127);
  EXPECT_TRUE(IsSqlError(ParseValue("128", {TypeId::kTinyint}).status(), 201));
  EXPECT_TRUE(IsSqlError(ParseValue("12a", {TypeId::kInteger}).status(), 201));
  EXPECT_TRUE(IsSqlError(ParseValue("", {TypeId::kInteger}).status(), 201));
  EXPECT_EQ(ToText(*ParseValue("12.345", {TypeId::kDecimal, 5, 2})), "12.34");
  EXPECT_TRUE(IsSqlError(ParseValue("12345", {TypeId::kDecimal, 5, 2}).status(), 206));
  EXPECT_EQ(ToText(*ParseValue("x'0Aff'", {TypeId::kVarbinary})), "x'0aff'");
  EXPECT_EQ(ToText(*ParseValue("0aff", {TypeId::kBinary, 4})), "x'0aff'");
  EXPECT_EQ(ToText(*ParseValue("2020-01-02T03:04:05Z", {TypeId::kTimestamp})),
            "2020-01-02T03:04:05");
  EXPECT_TRUE(IsSqlError(ParseValue("abcd", {TypeId::kChar, 3}).status(), 206));
  EXPECT_TRUE(ParseValue("TRUE", {TypeId::kBoolean})->boolean());
}

// What results hold, by hand: quotes doubled, NULL bare, blanks around elements of no account.
TEST(Text, ParseArraysForLoading) {
  const auto round_trip = [](std::string_view text, TypeId type) {
    const Result<Value> value = ParseValue(text, {type});
    return value.ok() ? ToText(*value, {.iso_dates = false, .escape_text = false})
                      : value.status().ToString();
  };
  EXPECT_EQ(round_trip("[1,-2,3]", TypeId::kIntegerArray), "[1,-2,3]");
  EXPECT_EQ(round_trip(" [ 1 , 2 ] ", TypeId::kIntegerArray), "[1,2]");
  EXPECT_EQ(round_trip("['a',NULL,'NULL','it''s, ]',plain]", TypeId::kVarcharArray),
            "['a',NULL,'NULL','it''s, ]','plain']");
  EXPECT_EQ(round_trip("[2020-01-02 03:04:05]", TypeId::kDateArray), "[2020-01-02 03:04:05]");
  EXPECT_EQ(round_trip("[x'00ff',0a0b]", TypeId::kBinaryArray), "[x'00ff',x'0a0b']");
  EXPECT_TRUE(ParseValue("[]", {TypeId::kIntegerArray})->is_null());
  for (const char* malformed : {"", "1,2", "[1", "[1]x", "[,]", "['a]", "['a'b]", "[1,x]"}) {
    EXPECT_TRUE(IsSqlError(ParseValue(malformed, {TypeId::kIntegerArray}).status(), 201))
        << malformed;
  }
}

}  // namespace
}  // namespace bennu::sql
