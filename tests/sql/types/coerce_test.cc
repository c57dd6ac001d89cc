#include "src/sql/types/coerce.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

Value Parse(const DataType& type, std::string_view text) {
  const Result<Value> value = ParseValue(text, type);
  EXPECT_TRUE(value.ok()) << text << " " << value.status().ToString();
  return value.ok() ? *value : Value();
}

// The text of the result, or the code of the refusal.
std::string TextOf(const Result<Value>& value) {
  if (value.ok()) return ToText(*value);
  return value.status().sql_error() == nullptr ? value.status().ToString()
                                               : std::to_string(value.status().sql_error()->code);
}

// The recorded answers of CAST(column AS type) for one row of a table with a column of each type.
TEST(Cast, RecordedMatrix) {
  const std::vector<DataType> targets = {
      {TypeId::kInteger},     {TypeId::kBigint},
      {TypeId::kSmallint},    {TypeId::kTinyint},
      {TypeId::kUnsignedInt}, {TypeId::kUnsignedLong},
      {TypeId::kFloat},       {TypeId::kDouble},
      {TypeId::kDecimal},     {TypeId::kDecimal, 6, 2},
      {TypeId::kBoolean},     {TypeId::kVarchar},
      {TypeId::kChar, 10},    {TypeId::kVarbinary},
      {TypeId::kBinary, 8},   {TypeId::kVarbinaryEncoded},
      {TypeId::kDate},        {TypeId::kTime},
      {TypeId::kTimestamp},   {TypeId::kUnsignedTimestamp},
  };
  struct Row {
    DataType from;
    const char* text;
    std::vector<const char*> answers;  // in the order of 'targets'; "" where the reference fails
  };
  const char* const no = "203";
  const char* const big = "201";
  const char* const dec_date = "";
  const std::vector<Row> rows = {
      {{TypeId::kInteger}, "42", {"42",   "42",          "42", "42", "42", "42", "42.0",
                                  "42.0", "42",          "42", no,   no,   no,   "x'8000002a'",
                                  no,     "x'8000002a'", no,   no,   no,   no}},
      {{TypeId::kBigint},
       "1234567890123",
       {big,
        "1234567890123",
        big,
        big,
        big,
        "1234567890123",
        "1.234568E12",
        "1.234567890123E12",
        "1234567890123",
        "1234567890123",
        no,
        no,
        no,
        "x'8000011f71fb04cb'",
        no,
        "x'8000011f71fb04cb'",
        "2009-02-13T23:31:30.123",
        "2009-02-13T23:31:30.123",
        "2009-02-13T23:31:30.123",
        "2009-02-13T23:31:30.123"}},
      {{TypeId::kSmallint}, "-300", {"-300",   "-300",    "-300", big, big, big, "-300.0",
                                     "-300.0", "-300",    "-300", no,  no,  no,  "x'7ed4'",
                                     no,       "x'7ed4'", no,     no,  no,  no}},
      {{TypeId::kTinyint}, "100", {"100",   "100",   "100", "100", "100", "100", "100.0",
                                   "100.0", "100",   "100", no,    no,    no,    "x'e4'",
                                   no,      "x'e4'", no,    no,    no,    no}},
      {{TypeId::kUnsignedInt}, "77", {"77",   "77",          "77", "77", "77", "77", "77.0",
                                      "77.0", "77",          "77", no,   no,   no,   "x'0000004d'",
                                      no,     "x'0000004d'", no,   no,   no,   no}},
      {{TypeId::kFloat}, "1.5", {"1",           no,    "1",   "1", "1", no, "1.5",
                                 "1.5",         "1.5", "1.5", no,  no,  no, "x'bfc00001'",
                                 "x'bfc00001'", no,    no,    no,  no,  no}},
      {{TypeId::kDouble},
       "-2.75",
       {"-2",
        "-2",
        "-2",
        "-2",
        big,
        big,
        "-2.75",
        "-2.75",
        "-2.75",
        "-2.75",
        no,
        no,
        no,
        "x'3ffa000000000000'",
        "x'3ffa000000000000'",
        no,
        no,
        no,
        no,
        no}},
      {{TypeId::kDecimal, 20, 5},
       "12345.67891",
       {"12346",
        "12346",
        "12346",
        big,
        "12346",
        "12346",
        "12345.679",
        "12345.67891",
        "12345.67891",
        "12345.67891",
        "true",
        no,
        no,
        "x'c302182e445a0b'",
        no,
        "x'c302182e445a0b'",
        dec_date,
        dec_date,
        "1970-01-01T00:00:12.34567891",
        dec_date}},
      {{TypeId::kBoolean}, "true", {no,     no, no, no,      no,      no,      no, no, "1", "1",
                                    "true", no, no, "x'01'", "x'01'", "x'01'", no, no, no,  no}},
      {{TypeId::kVarchar}, "12", {no, no,   no,   no,        no,        no,        no, no, no, no,
                                  no, "12", "12", "x'3132'", "x'3132'", "x'3132'", no, no, no, no}},
      {{TypeId::kChar, 6},
       "ab",
       {no,
        no,
        no,
        no,
        no,
        no,
        no,
        no,
        no,
        no,
        no,
        "ab   \\u0020",
        "ab",
        "x'616220202020'",
        "x'616220202020'",
        no,
        no,
        no,
        no,
        no}},
      {{TypeId::kVarbinary}, "3132", {no,        no,        no, no,  no, no, no,
                                      no,        no,        no, big, no, no, "x'3132'",
                                      "x'3132'", "x'3132'", no, no,  no, no}},
      {{TypeId::kBinary, 4}, "0000002a", {no,
                                          no,
                                          no,
                                          no,
                                          no,
                                          no,
                                          no,
                                          no,
                                          no,
                                          no,
                                          big,
                                          no,
                                          no,
                                          "x'0000002a'",
                                          "x'0000002a'",
                                          "x'0000002a'",
                                          no,
                                          no,
                                          no,
                                          no}},
      {{TypeId::kVarbinaryEncoded}, "00ff", {no,        no,        no, no, no, no, no,
                                             no,        no,        no, no, no, no, "x'00ff'",
                                             "x'00ff'", "x'00ff'", no, no, no, no}},
      {{TypeId::kDate},
       "2020-02-03 04:05:06.789",
       {no,
        "1580702706789",
        no,
        no,
        no,
        "1580702706789",
        no,
        no,
        "1580702706789",
        "1580702706789",
        no,
        no,
        no,
        "x'8000017009392c65'",
        "x'8000017009392c65'",
        no,
        "2020-02-03T04:05:06.789",
        "2020-02-03T04:05:06.789",
        "2020-02-03T04:05:06.789",
        "2020-02-03T04:05:06.789"}},
      {{TypeId::kTimestamp},
       "2020-02-03 04:05:06.789123456",
       {big,
        "1580702706789",
        big,
        big,
        big,
        "1580702706789",
        no,
        no,
        "1580702706789.123456",
        "1580702706789.123456",
        no,
        no,
        no,
        "x'8000017009392c650001e240'",
        "",
        no,
        "2020-02-03T04:05:06.789",
        "2020-02-03T04:05:06.789",
        "2020-02-03T04:05:06.789123456",
        "2020-02-03T04:05:06.789123456"}},
  };
  for (const Row& row : rows) {
    ASSERT_EQ(row.answers.size(), targets.size()) << row.text;
    const Value value = Parse(row.from, row.text);
    for (size_t i = 0; i < targets.size(); ++i) {
      if (*row.answers[i] == '\0') continue;
      EXPECT_EQ(TextOf(Cast(value, targets[i])), row.answers[i])
          << TypeToString(row.from) << " to " << TypeToString(targets[i]);
      const Result<Value> null = Cast(Value::Null(row.from), targets[i]);
      EXPECT_EQ(null.ok(), std::string(row.answers[i]) != no);
    }
  }
}

TEST(Cast, RoundsDecimalsAndTruncatesDoubles) {
  EXPECT_EQ(TextOf(Cast(Parse({TypeId::kDecimal}, "1.5"), {TypeId::kBigint})), "2");
  EXPECT_EQ(TextOf(Cast(Parse({TypeId::kDecimal}, "-1.5"), {TypeId::kBigint})), "-2");
  EXPECT_EQ(TextOf(Cast(Value::Double(1.6), {TypeId::kInteger})), "1");
  EXPECT_EQ(TextOf(Cast(Value::Double(1e10), {TypeId::kInteger})), "201");
  EXPECT_EQ(TextOf(Cast(Value::Double(1e40), {TypeId::kFloat})), "201");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(TextOf(Cast(Value::Double(nan), {TypeId::kBigint})), "0");  // as Java's cast
  EXPECT_EQ(TextOf(Cast(Value::Double(nan), {TypeId::kDecimal})), "201");
}

TEST(Coerce, AssignsWhatFits) {
  const auto assign = [](const Value& value, const DataType& to) {
    return TextOf(Coerce(value, to, "V"));
  };
  EXPECT_EQ(assign(Value::Integer(5), {TypeId::kTinyint}), "5");
  EXPECT_EQ(assign(Value::Integer(300), {TypeId::kTinyint}), "203");
  EXPECT_EQ(assign(Value::Bigint(-1), {TypeId::kUnsignedInt}), "203");
  EXPECT_EQ(assign(Value::Double(1e39), {TypeId::kFloat}), "203");
  EXPECT_EQ(assign(Value::Double(1.5), {TypeId::kDecimal, 6, 2}), "1.5");
  EXPECT_EQ(assign(Parse({TypeId::kDecimal}, "123.9"), {TypeId::kDecimal, 5, 0}), "123");
  EXPECT_EQ(assign(Parse({TypeId::kDecimal}, "10000"), {TypeId::kDecimal, 7, 3}), "206");
  EXPECT_EQ(assign(Parse({TypeId::kDecimal}, "7.0"), {TypeId::kInteger}), "7");
  EXPECT_EQ(assign(Parse({TypeId::kDecimal}, "7.5"), {TypeId::kInteger}), "203");
  EXPECT_EQ(assign(Value::Varchar("1.5"), {TypeId::kDecimal}), "203");
  EXPECT_EQ(assign(Value::Bool(true), {TypeId::kDecimal}), "203");
  EXPECT_EQ(assign(Value::Integer(5), {TypeId::kChar, 4}), "203");
  EXPECT_EQ(assign(Value::Integer(5), {TypeId::kDate}), "203");
  EXPECT_EQ(assign(Value::Varchar("abcde"), {TypeId::kChar, 4}), "206");
  EXPECT_EQ(assign(Value::Varchar("abcdef"), {TypeId::kVarchar, 5}), "206");
  EXPECT_EQ(assign(Value::Varchar("z  "), {TypeId::kChar, 4}), "z");
  EXPECT_EQ(assign(Value::Varchar("2020-05-05"), {TypeId::kDate}), "2020-05-05T00:00:00");
  EXPECT_EQ(assign(Value::Varchar("yesterday"), {TypeId::kTimestamp}), "203");
  EXPECT_EQ(assign(Parse({TypeId::kTimestamp}, "2020-05-05 01:02:03.123456789"), {TypeId::kDate}),
            "2020-05-05T01:02:03.123");
  EXPECT_EQ(assign(Value::Integer(7), {TypeId::kBinary, 3}), "206");
  EXPECT_EQ(assign(Value::Integer(5), {TypeId::kVarbinary}), "x'80000005'");
  EXPECT_EQ(assign(Value::Integer(5), {TypeId::kVarbinaryEncoded}), "x'80000005'");
  EXPECT_EQ(assign(Parse({TypeId::kDecimal}, "1.5"), {TypeId::kVarbinaryEncoded}), "x'c10233'");
  EXPECT_EQ(assign(Value::Varbinary(Bytes("\0\1\2\3", 4)), {TypeId::kVarbinaryEncoded, 3}), "206");
  EXPECT_EQ(assign(Value::Null(), {TypeId::kDate}), "NULL");
  EXPECT_EQ(Coerce(Value::Varchar("abcde"), {TypeId::kChar, 4}, "K").status().ToString(),
            "ERROR 206 (22003): The data exceeds the max capacity for the data type. K CHAR(4)");
  EXPECT_EQ(Coerce(Value::Bigint(-1), {TypeId::kUnsignedInt}, "-1").status().ToString(),
            "ERROR 203 (22005): Type mismatch. UNSIGNED_INT and BIGINT for -1");
}

TEST(Coerce, ComparableTypes) {
  EXPECT_TRUE(IsComparable(TypeId::kTinyint, TypeId::kDecimal));
  EXPECT_TRUE(IsComparable(TypeId::kDate, TypeId::kUnsignedTimestamp));
  EXPECT_TRUE(IsComparable(TypeId::kChar, TypeId::kVarchar));
  EXPECT_TRUE(IsComparable(TypeId::kInteger, TypeId::kFloat));
  EXPECT_TRUE(IsComparable(TypeId::kBigint, TypeId::kFloat));
  EXPECT_FALSE(IsComparable(TypeId::kFloat, TypeId::kBigint));
  EXPECT_TRUE(IsComparable(TypeId::kTinyint, TypeId::kUnsignedInt));
  EXPECT_FALSE(IsComparable(TypeId::kInteger, TypeId::kVarchar));
  EXPECT_FALSE(IsComparable(TypeId::kDate, TypeId::kInteger));
  EXPECT_FALSE(IsComparable(TypeId::kTimestamp, TypeId::kVarchar));
  EXPECT_FALSE(IsComparable(TypeId::kVarbinaryEncoded, TypeId::kInteger));
  EXPECT_FALSE(IsComparable(TypeId::kBoolean, TypeId::kInteger));
}

TEST(CompareValues, AcrossTypes) {
  const auto compare = [](const Value& a, const Value& b) {
    const int forward = *CompareValues(a, b);
    EXPECT_EQ(*CompareValues(b, a), -forward);
    return forward;
  };
  EXPECT_EQ(compare(Value::Bigint(1), Parse({TypeId::kDecimal}, "1.5")), -1);
  EXPECT_EQ(compare(Value::Bigint(9007199254740993), Value::Double(9007199254740992.0)), 1);
  EXPECT_EQ(compare(Value::Double(0.1), Parse({TypeId::kDecimal}, "0.1")), 0);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(compare(Value::Double(-infinity), Value::Bigint(0)), -1);
  EXPECT_EQ(compare(Value::Double(0), Value::Double(-0.0)), 0);
  EXPECT_EQ(compare(Value::Int({TypeId::kDate}, 5), Value::Time({TypeId::kTimestamp}, {5, 1})), -1);
  EXPECT_EQ(compare(Value::String({TypeId::kChar, 4}, "a   "), Value::Varchar("a")), 0);
  EXPECT_EQ(compare(Value::Varchar("\xc3\xa9"), Value::Varchar("z")), 1);
  EXPECT_EQ(compare(Value::Varchar("ab"), Value::Varbinary("ab")), 0);
  EXPECT_FALSE(CompareValues(Value::Integer(1), Value::Varchar("1")).ok());
}

}  // namespace
}  // namespace bennu::sql
