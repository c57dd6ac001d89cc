// Rows in frames. What must hold: the messages that Avatica's Common.proto describes, as protobuf
// itself reads them, and the plain JSON that Jackson writes of the same values.
#include "src/avatica/row_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "src/base/coding.h"
#include "src/sql/types/array.h"
#include "src/sql/types/bson.h"

namespace bennu::avatica {
namespace {

using sql::DataType;
using sql::TypeId;
using sql::Value;

// ColumnValue, whose message the server does not need.
struct ColumnValue {
  std::vector<pb::TypedValue> array;
  bool has_array = false;
  pb::TypedValue scalar;
};

// The fields of a message that are bytes, with their numbers; true and false as "1" and "".
std::vector<std::pair<uint64_t, std::string>> Fields(ByteView message) {
  std::vector<std::pair<uint64_t, std::string>> fields;
  while (!message.empty()) {
    uint64_t tag = 0;
    uint64_t number = 0;
    EXPECT_TRUE(ConsumeVarint64(&message, &tag));
    EXPECT_TRUE(ConsumeVarint64(&message, &number));
    if ((tag & 7) == 0) {
      fields.emplace_back(tag >> 3, number == 0 ? "" : "1");
      continue;
    }
    EXPECT_EQ(tag & 7, 2u);
    ByteView bytes;
    EXPECT_TRUE(ConsumeBytes(&message, number, &bytes));
    fields.emplace_back(tag >> 3, bytes);
  }
  return fields;
}

pb::TypedValue Parsed(const std::string& bytes) {
  pb::TypedValue value;
  EXPECT_TRUE(value.ParseFromString(bytes));
  return value;
}

std::vector<ColumnValue> ParseRow(const std::string& row) {
  std::vector<ColumnValue> columns;
  for (const auto& [number, column] : Fields(row)) {
    EXPECT_EQ(number, 1u);
    ColumnValue value;
    for (const auto& [field, bytes] : Fields(column)) {
      if (field == 2) value.array.push_back(Parsed(bytes));
      if (field == 3) value.has_array = bytes == "1";
      if (field == 4) value.scalar = Parsed(bytes);
    }
    columns.push_back(value);
  }
  return columns;
}

std::string Write(const std::vector<Value>& values, Form form) {
  std::vector<DataType> types;
  for (const Value& value : values) types.push_back(value.type());
  sql::DataChunk chunk;
  chunk.Initialize(types, 1);
  for (size_t i = 0; i < values.size(); ++i) chunk.columns[i].SetValue(0, values[i]);
  chunk.size = 1;
  std::string row;
  RowWriter(form).Write(chunk, 0, &row);
  return row;
}

std::vector<ColumnValue> Row(const std::vector<Value>& values) {
  return ParseRow(Write(values, Form::kProtobuf));
}
std::string Json(const std::vector<Value>& values) { return Write(values, Form::kJson); }

TEST(RowWriterTest, IntegersOfEveryWidth) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  const auto row = Row({Value::Int({TypeId::kTinyint}, -3), Value::Int({TypeId::kSmallint}, 0),
                        Value::Int({TypeId::kUnsignedInt}, 7), Value::Bigint(least)});
  ASSERT_EQ(row.size(), 4u);
  EXPECT_EQ(row[0].scalar.type(), pb::BYTE);
  EXPECT_EQ(row[0].scalar.number_value(), -3);
  EXPECT_EQ(row[1].scalar.type(), pb::SHORT);
  EXPECT_EQ(row[1].scalar.number_value(), 0);
  EXPECT_EQ(row[2].scalar.type(), pb::INTEGER);
  EXPECT_EQ(row[3].scalar.type(), pb::LONG);
  EXPECT_EQ(row[3].scalar.number_value(), least);
  EXPECT_EQ(Json({Value::Bigint(least), Value::Integer(0)}), "[-9223372036854775808,0]");
}

TEST(RowWriterTest, BooleansDoublesAndDecimals) {
  const auto row = Row({Value::Bool(true), Value::Bool(false), Value::Double(-0.0),
                        Value::Double(2.5), Value::Number(*sql::Decimal::Parse("12.50"))});
  ASSERT_EQ(row.size(), 5u);
  EXPECT_TRUE(row[0].scalar.bool_value());
  EXPECT_EQ(row[1].scalar.type(), pb::BOOLEAN);
  EXPECT_FALSE(row[1].scalar.bool_value());
  EXPECT_TRUE(std::signbit(row[2].scalar.double_value()));
  EXPECT_EQ(row[3].scalar.double_value(), 2.5);
  EXPECT_EQ(row[4].scalar.type(), pb::BIG_DECIMAL);
  EXPECT_EQ(row[4].scalar.string_value(), "12.50");
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Json({Value::Bool(false), Value::Double(2.5), Value::Double(infinite),
                  Value::Number(*sql::Decimal::Parse("12.50"))}),
            R"([false,2.5,"Infinity",12.50])");
}

TEST(RowWriterTest, MomentsAreDaysMillisecondsOfTheDayAndMilliseconds) {
  constexpr int64_t kDay = 86'400'000;
  const auto row = Row({Value::Int({TypeId::kDate}, 2 * kDay + 5), Value::Int({TypeId::kDate}, -1),
                        Value::Int({TypeId::kTime}, kDay + 7), Value::Int({TypeId::kTime}, -1),
                        Value::Time({TypeId::kTimestamp}, {kDay + 7, 999'999})});
  ASSERT_EQ(row.size(), 5u);
  EXPECT_EQ(row[0].scalar.type(), pb::INTEGER);
  EXPECT_EQ(row[0].scalar.number_value(), 2);
  EXPECT_EQ(row[1].scalar.number_value(), -1);  // the last day of 1969
  // What Avatica has no room for is told where other clients do not look.
  EXPECT_EQ(row[0].scalar.double_value(), 5);
  EXPECT_EQ(row[1].scalar.double_value(), kDay - 1);
  EXPECT_EQ(row[2].scalar.double_value(), kDay);
  EXPECT_EQ(row[4].scalar.double_value(), 999'999);
  EXPECT_EQ(row[2].scalar.number_value(), 7);
  EXPECT_EQ(row[3].scalar.number_value(), kDay - 1);
  EXPECT_EQ(row[4].scalar.type(), pb::LONG);
  EXPECT_EQ(row[4].scalar.number_value(), kDay + 7);
}

TEST(RowWriterTest, TextsAndBytes) {
  const std::string bytes("\0\xff", 2);
  const auto row = Row({Value::Varchar("a\xc3\xa4"), Value::Varchar("x\xffy"),
                        Value::String({TypeId::kChar, 4}, "ab  "), Value::Varbinary(bytes)});
  ASSERT_EQ(row.size(), 4u);
  EXPECT_EQ(row[0].scalar.type(), pb::STRING);
  EXPECT_EQ(row[0].scalar.string_value(), "a\xc3\xa4");
  EXPECT_EQ(row[1].scalar.string_value(), "x\xef\xbf\xbdy");
  EXPECT_EQ(row[2].scalar.string_value(), "ab");
  EXPECT_EQ(row[3].scalar.type(), pb::BYTE_STRING);
  EXPECT_EQ(row[3].scalar.bytes_value(), bytes);
  EXPECT_EQ(Json({Value::Varchar("\"\n"), Value::Varbinary(bytes)}), R"(["\"\n","AP8="])");
}

TEST(RowWriterTest, DocumentsAreTexts) {
  const auto document = sql::BsonFromJson(R"({"a": 1})");
  ASSERT_TRUE(document.ok());
  const auto row = Row({Value::String({TypeId::kJson}, *document)});
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(row[0].scalar.type(), pb::STRING);
  EXPECT_EQ(row[0].scalar.string_value(), sql::BsonToJson(*document));
}

TEST(RowWriterTest, NullsOfEveryType) {
  const auto row = Row({Value::Null({TypeId::kInteger}), Value::Null({TypeId::kVarcharArray})});
  ASSERT_EQ(row.size(), 2u);
  for (const ColumnValue& value : row) {
    EXPECT_TRUE(value.scalar.null());
    EXPECT_EQ(value.scalar.type(), pb::NULL_);
    EXPECT_FALSE(value.has_array);
  }
  EXPECT_EQ(Json({Value::Null({TypeId::kInteger})}), "[null]");
}

TEST(RowWriterTest, ArraysWithNulls) {
  const std::vector<Value> elements = {Value::Varchar("a"), Value::Null({TypeId::kVarchar})};
  const Value array = sql::MakeArray({TypeId::kVarcharArray}, elements).value();
  const auto row = Row({array});
  ASSERT_EQ(row.size(), 1u);
  EXPECT_TRUE(row[0].has_array);
  ASSERT_EQ(row[0].array.size(), 2u);
  EXPECT_EQ(row[0].array[0].string_value(), "a");
  EXPECT_TRUE(row[0].array[1].null());
  EXPECT_EQ(Json({array}), R"([["a",null]])");
}

}  // namespace
}  // namespace bennu::avatica
