// Parameters and columns in Avatica's words. What must hold stands in the phoenix-avatica spec,
// section 3, and in what Phoenix's query server 6.0.0 answers.
#include "src/avatica/types.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <span>
#include <string>

#include "src/sql/types/array.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::avatica {
namespace {

using sql::DataType;
using sql::TypeId;
using sql::Value;

pb::TypedValue Told(pb::Rep type) {
  pb::TypedValue value;
  value.set_type(type);
  return value;
}
pb::TypedValue Number(pb::Rep type, int64_t number) {
  pb::TypedValue value = Told(type);
  value.set_number_value(number);
  return value;
}
pb::TypedValue Text(pb::Rep type, const std::string& text) {
  pb::TypedValue value = Told(type);
  value.set_string_value(text);
  return value;
}

TEST(TypesTest, ParametersOfEveryKind) {
  pb::TypedValue yes = Told(pb::BOOLEAN);
  yes.set_bool_value(true);
  EXPECT_EQ(ToValue(yes, {}).value(), Value::Bool(true));
  EXPECT_EQ(ToValue(Number(pb::SHORT, -7), {}).value(), Value::Integer(-7));
  EXPECT_EQ(ToValue(Number(pb::LONG, 1), {}).value(), Value::Bigint(1));
  pb::TypedValue real = Told(pb::DOUBLE);
  real.set_double_value(2.5);
  EXPECT_EQ(ToValue(real, {}).value(), Value::Double(2.5));
  EXPECT_EQ(ToValue(Number(pb::FLOAT, std::bit_cast<int32_t>(1.5f)), {}).value().real(), 1.5);
  EXPECT_EQ(ToValue(Text(pb::BIG_DECIMAL, "-12.50"), {}).value(),
            Value::Number(*sql::Decimal::Parse("-12.50")));
  EXPECT_EQ(ToValue(Text(pb::STRING, "x"), {}).value(), Value::Varchar("x"));
  EXPECT_EQ(ToValue(Text(pb::BYTE_STRING, "AP8="), {}).value(),
            Value::Varbinary(std::string("\0\xff", 2)));
  constexpr int64_t kDay = 86'400'000;
  EXPECT_EQ(ToValue(Number(pb::JAVA_SQL_DATE, 3), {}).value(),
            Value::Int({TypeId::kDate}, 3 * kDay));
  EXPECT_EQ(ToValue(Number(pb::JAVA_SQL_TIME, 9), {}).value(), Value::Int({TypeId::kTime}, 9));
  EXPECT_EQ(ToValue(Number(pb::JAVA_SQL_TIMESTAMP, kDay), {}).value().timestamp().millis, kDay);
}

// Before 1.10 clients sent the unscaled number, big-endian in two's complement, and its scale.
TEST(TypesTest, DecimalsOfOlderClients) {
  pb::TypedValue value = Number(pb::BIG_DECIMAL, 2);
  value.set_bytes_value(std::string("\x04\xd2", 2));  // 1234
  EXPECT_EQ(ToValue(value, {}).value(), Value::Number(*sql::Decimal::Parse("12.34")));
  value.set_bytes_value(std::string("\xff", 1));
  EXPECT_EQ(ToValue(value, {}).value(), Value::Number(*sql::Decimal::Parse("-0.01")));
}

TEST(TypesTest, NullsAndWhatIsNotBound) {
  pb::TypedValue null = Told(pb::OBJECT);
  null.set_null(true);
  EXPECT_TRUE(ToValue(null, {}).value().is_null());
  EXPECT_TRUE(ToValue(Told(pb::NULL_), {}).value().is_null());
  pb::TypedValue unbound;
  unbound.set_implicitly_null(true);
  EXPECT_TRUE(sql::IsSqlError(ToValue(unbound, {}).status(), 2004));
}

TEST(TypesTest, ArraysAreOfTheTypeThatIsWanted) {
  pb::TypedValue array = Told(pb::ARRAY);
  array.set_component_type(pb::INTEGER);
  *array.add_array_value() = Number(pb::INTEGER, 1);
  *array.add_array_value() = Number(pb::INTEGER, 2);
  EXPECT_EQ(ToValue(array, {}).value().type().id, TypeId::kIntegerArray);
  const Value wanted = ToValue(array, {TypeId::kBigintArray}).value();
  EXPECT_EQ(wanted.type().id, TypeId::kBigintArray);
  EXPECT_EQ(sql::ArrayElements(wanted.bytes(), wanted.type()).value(),
            (std::vector<Value>{Value::Bigint(1), Value::Bigint(2)}));
}

// Phoenix's query server 6.0.0 makes of an element what it is said to be, not what the column
// wants.
TEST(TypesTest, AnArrayOfParametersHasElementsOfItsType) {
  struct Case {
    TypeId array;
    Value element;
    pb::Rep rep;
    int64_t number;
  };
  for (const Case& each :
       {Case{TypeId::kTinyintArray, Value::Int({TypeId::kTinyint}, -3), pb::BYTE, -3},
        Case{TypeId::kSmallintArray, Value::Int({TypeId::kSmallint}, 4), pb::SHORT, 4},
        Case{TypeId::kIntegerArray, Value::Integer(-5), pb::INTEGER, -5},
        Case{TypeId::kBigintArray, Value::Bigint(6), pb::LONG, 6},
        Case{TypeId::kFloatArray, Value::Real({TypeId::kFloat}, 1.5), pb::FLOAT, 0x3fc00000},
        Case{TypeId::kDateArray, Value::Int({TypeId::kDate}, 2 * sql::kMillisPerDay),
             pb::JAVA_SQL_DATE, 2},
        Case{TypeId::kTimeArray, Value::Int({TypeId::kTime}, 1000), pb::JAVA_SQL_TIME, 1000},
        Case{TypeId::kTimestampArray, Value::Time({TypeId::kTimestamp}, {7, 0}),
             pb::JAVA_SQL_TIMESTAMP, 7}}) {
    const Value array =
        sql::MakeArray({each.array}, std::span<const Value>(&each.element, 1)).value();
    const pb::TypedValue told = FromValue(array).value();
    EXPECT_EQ(told.component_type(), each.rep);
    ASSERT_EQ(told.array_value_size(), 1);
    EXPECT_EQ(told.array_value(0).type(), each.rep);
    EXPECT_EQ(told.array_value(0).number_value(), each.number);
    EXPECT_EQ(ToValue(told, {each.array}).value(), array) << "Bennu's own server reads it";
  }
}

TEST(TypesTest, WhatIsNoValueIsRefused) {
  EXPECT_FALSE(ToValue(Text(pb::BIG_DECIMAL, "one"), {}).ok());
  EXPECT_FALSE(ToValue(Text(pb::BYTE_STRING, "***"), {}).ok());
  EXPECT_FALSE(ToValue(Told(pb::STRUCT), {}).ok());
  EXPECT_FALSE(ToValue(Number(pb::JAVA_SQL_DATE, std::numeric_limits<int64_t>::max()), {}).ok());
  pb::TypedValue far = Number(pb::BIG_DECIMAL, 2'000'000'000);  // a scale
  far.set_bytes_value("\x01");
  EXPECT_FALSE(ToValue(far, {}).ok());
  pb::TypedValue nested = Told(pb::ARRAY);
  nested.add_array_value()->set_type(pb::ARRAY);
  EXPECT_FALSE(ToValue(nested, {}).ok());
}

TEST(TypesTest, ColumnsAsTheQueryServerDescribesThem) {
  const pb::ColumnMetaData decimal = DescribeColumn(7, "DE", {TypeId::kDecimal, 10, 2}, true);
  EXPECT_EQ(decimal.ordinal(), 7u);
  EXPECT_EQ(decimal.precision(), 10u);
  EXPECT_EQ(decimal.scale(), 2u);
  EXPECT_EQ(decimal.display_size(), 10u);
  EXPECT_EQ(decimal.column_class_name(), "java.math.BigDecimal");
  EXPECT_EQ(decimal.type().id(), 3u);
  EXPECT_EQ(decimal.type().rep(), pb::OBJECT);
  const pb::ColumnMetaData tiny = DescribeColumn(0, "T", {TypeId::kTinyint}, false);
  EXPECT_EQ(static_cast<int32_t>(tiny.type().id()), -6);
  EXPECT_EQ(tiny.type().name(), "TINYINT");
  EXPECT_EQ(tiny.type().rep(), pb::PRIMITIVE_BYTE);
  EXPECT_EQ(tiny.nullable(), 0u);
  EXPECT_EQ(tiny.display_size(), 40u);
  const pb::ColumnMetaData array = DescribeColumn(0, "A", {TypeId::kIntegerArray}, true);
  EXPECT_EQ(array.type().id(), 2003u);
  EXPECT_EQ(array.type().name(), "INTEGER ARRAY");
  EXPECT_EQ(array.type().rep(), pb::ARRAY);
  EXPECT_EQ(array.type().component().id(), 4u);
  EXPECT_EQ(array.type().component().rep(), pb::INTEGER);
  EXPECT_EQ(DescribeColumn(0, "D", {TypeId::kDate}, true).display_size(), 23u);
}

TEST(TypesTest, ColumnsNameTheirOrigin) {
  const DataType type = {TypeId::kDate};
  const auto known = DescribeColumn(0, "a", type, true, {"V", "S.T", /*case_sensitive=*/true});
  EXPECT_EQ(known.label(), "a");
  EXPECT_EQ(known.column_name(), "V");
  EXPECT_EQ(known.table_name(), "S.T");
  EXPECT_TRUE(known.case_sensitive());
  const auto unknown = DescribeColumn(0, "A", type, true);
  EXPECT_EQ(unknown.column_name(), "A");
  EXPECT_EQ(unknown.table_name(), "");
  EXPECT_FALSE(unknown.case_sensitive());
}

// Clients know JDBC's types alone.
TEST(TypesTest, TypesThatOnlyPhoenixHasAreShownAsTheirKin) {
  EXPECT_EQ(DescribeColumn(0, "J", {TypeId::kJson}, true).type().id(), 12u);
  EXPECT_EQ(DescribeColumn(0, "B", {TypeId::kBson}, true).type().id(), 12u);
  EXPECT_EQ(
      static_cast<int32_t>(DescribeColumn(0, "V", {TypeId::kVarbinaryEncoded}, true).type().id()),
      -3);
}

TEST(TypesTest, ParametersAreDescribedByPhoenixsOwnNumbers) {
  const pb::AvaticaParameter unsigned_long = DescribeParameter(4, {TypeId::kUnsignedLong});
  EXPECT_EQ(unsigned_long.parameter_type(), 10u);
  EXPECT_EQ(unsigned_long.type_name(), "UNSIGNED_LONG");
  EXPECT_EQ(unsigned_long.class_name(), "java.lang.Long");
  EXPECT_EQ(unsigned_long.name(), "?5");
  EXPECT_EQ(DescribeParameter(0, {TypeId::kIntegerArray}).parameter_type(), 3004u);
  // phoenixdb knows no number above those of arrays.
  EXPECT_EQ(DescribeParameter(0, {TypeId::kJson}).parameter_type(), 12u);
  EXPECT_EQ(
      static_cast<int32_t>(DescribeParameter(0, {TypeId::kVarbinaryEncoded}).parameter_type()), -3);
}

}  // namespace
}  // namespace bennu::avatica
