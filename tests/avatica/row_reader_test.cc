// Rows as Phoenix's query server 6.0.0 writes them, where that is not how Bennu does.
#include "src/avatica/row_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/sql/types/array.h"

namespace bennu::avatica {
namespace {

using sql::TypeId;
using sql::Value;

// A field of protobuf that is a message of fewer than 128 bytes.
std::string Message(int field, const std::string& bytes) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

// A row of one column, an array of numbers that are called 'rep'.
std::string RowOf(pb::Rep rep, const std::vector<int64_t>& numbers) {
  std::string column;
  for (const int64_t number : numbers) {
    pb::TypedValue element;
    element.set_type(rep);
    element.set_number_value(number);
    column += Message(2, element.SerializeAsString());  // ColumnValue.array_value
  }
  column += {3 << 3, 1};  // ColumnValue.has_array_value
  return Message(1, column);
}

std::vector<Value> Read(const std::string& row, TypeId array) {
  sql::DataChunk chunk;
  chunk.Initialize({{array}});
  const Status status = ReadRow(row, &chunk);
  EXPECT_TRUE(status.ok()) << status.ToString();
  if (!status.ok()) return {};
  const Value value = chunk.columns[0].GetValue(0);
  return sql::ArrayElements(value.bytes(), value.type()).value();
}

TEST(RowReaderTest, DatesInArraysAreMilliseconds) {
  constexpr int64_t kMoment = 1'580'688'000'000;  // 2020-02-03
  EXPECT_EQ(
      Read(RowOf(pb::JAVA_SQL_DATE, {kMoment, -1}), TypeId::kDateArray),
      (std::vector<Value>{Value::Int({TypeId::kDate}, kMoment), Value::Int({TypeId::kDate}, -1)}));
  EXPECT_EQ(Read(RowOf(pb::INTEGER, {2}), TypeId::kDateArray),
            (std::vector<Value>{Value::Int({TypeId::kDate}, 2 * sql::kMillisPerDay)}))
      << "Bennu's own";
}

TEST(RowReaderTest, FloatsInArraysAreBits) {
  EXPECT_EQ(
      Read(RowOf(pb::FLOAT, {0x3fc00000, static_cast<int32_t>(0xc0200000)}), TypeId::kFloatArray),
      (std::vector<Value>{Value::Real({TypeId::kFloat}, 1.5),
                          Value::Real({TypeId::kFloat}, -2.5)}));
}

}  // namespace
}  // namespace bennu::avatica
