// Sort keys compare as CompareValues does, whatever the type, direction and place of NULLs.
#include "src/sql/exec/sort_key.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::exec {
namespace {

Value Date(int64_t millis) { return Value::Int({TypeId::kDate}, millis); }
Value Number(const char* text) { return Value::Number(*Decimal::Parse(text)); }

// All values of one type, NULL among them.
std::vector<std::vector<Value>> Samples() {
  const DataType varchar{TypeId::kVarchar};
  const DataType timestamp{TypeId::kTimestamp};
  return {
      {Value::Null({TypeId::kBigint}), Value::Bigint(0), Value::Bigint(-1), Value::Bigint(1),
       Value::Bigint(INT64_MAX), Value::Bigint(INT64_MIN), Value::Bigint(300)},
      {Value::Null({TypeId::kDouble}), Value::Double(0), Value::Double(-0.0), Value::Double(1.5),
       Value::Double(-1.5), Value::Double(1e300), Value::Double(-1e300)},
      {Value::Null({TypeId::kDecimal}), Number("0"), Number("1"), Number("1.0"), Number("-1"),
       Number("12.345"), Number("-12.345"), Number("12.3456"), Number("1000000000000"),
       Number("0.00001")},
      {Value::Null(varchar), Value::Varchar("a"), Value::Varchar("ab"), Value::Varchar("b"),
       Value::Varchar(std::string("a\0b", 3)), Value::Varchar(std::string("a\0", 2)),
       Value::Varchar("\xff"), Value::Varchar("a\xff")},
      {Value::Null({TypeId::kBoolean}), Value::Bool(false), Value::Bool(true)},
      {Value::Null({TypeId::kDate}), Date(0), Date(-5), Date(5)},
      {Value::Null(timestamp), Value::Time(timestamp, {0, 0}), Value::Time(timestamp, {0, 1}),
       Value::Time(timestamp, {-1, 999999}), Value::Time(timestamp, {1, 0})},
  };
}

int Sign(int value) { return (value > 0) - (value < 0); }

// No row is lost that sorts before the threshold, and of numbers none is kept that sorts behind it.
TEST(SortKey, RowsThatMayPrecedeAThreshold) {
  for (const std::vector<Value>& values : Samples()) {
    DataChunk chunk;
    chunk.Initialize({values[0].type()}, values.size());
    for (size_t i = 0; i < values.size(); ++i) chunk.columns[0].SetValue(i, values[i]);
    chunk.size = values.size();
    const PhysicalType type = chunk.columns[0].physical_type();
    const bool number = type == PhysicalType::kInt64 || type == PhysicalType::kDouble;
    for (const bool descending : {false, true}) {
      for (const bool nulls_last : {false, true}) {
        const std::vector<SortField> fields = {{0, descending, nulls_last}};
        for (size_t last = 0; last < values.size(); ++last) {
          Bytes threshold;
          AppendSortKey(fields, chunk, last, &threshold);
          std::vector<uint32_t> rows = {77};
          RowsThatMayPrecede(threshold + "place", fields, chunk, &rows);
          EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
          for (uint32_t row = 0; row < values.size(); ++row) {
            Bytes key;
            AppendSortKey(fields, chunk, row, &key);
            const bool kept = std::find(rows.begin(), rows.end(), row) != rows.end();
            if (key <= threshold) {
              EXPECT_TRUE(kept) << row << " before " << last;
            }
            if (number && !values[last].is_null() && key > threshold) {
              EXPECT_FALSE(kept) << row << " behind " << last;
            }
          }
        }
      }
    }
  }
}

TEST(SortKey, ComparesAsValuesDo) {
  for (const std::vector<Value>& values : Samples()) {
    DataChunk chunk;
    chunk.Initialize({values[0].type()}, values.size());
    for (size_t i = 0; i < values.size(); ++i) chunk.columns[0].SetValue(i, values[i]);
    for (const bool descending : {false, true}) {
      for (const bool nulls_last : {false, true}) {
        const std::vector<SortField> fields = {{0, descending, nulls_last}};
        for (size_t a = 0; a < values.size(); ++a) {
          for (size_t b = 0; b < values.size(); ++b) {
            Bytes key_a;
            Bytes key_b;
            AppendSortKey(fields, chunk, a, &key_a);
            AppendSortKey(fields, chunk, b, &key_b);
            int wanted = 0;
            if (values[a].is_null() || values[b].is_null()) {
              wanted =
                  static_cast<int>(values[b].is_null()) - static_cast<int>(values[a].is_null());
              if (nulls_last) wanted = -wanted;
            } else {
              wanted = Sign(CompareValues(values[a], values[b]).value());
              if (descending) wanted = -wanted;
            }
            EXPECT_EQ(wanted, Sign(key_a.compare(key_b)))
                << TypeName(values[0].type().id) << " " << a << " " << b << " " << descending;
          }
        }
      }
    }
  }
}

// A later field decides only between rows that are equal in the ones before.
TEST(SortKey, FieldsInTurn) {
  DataChunk chunk;
  chunk.Initialize({{TypeId::kVarchar}, {TypeId::kBigint}}, 3);
  const std::vector<SortField> fields = {{0, false, false}, {1, true, false}};
  chunk.columns[0].SetBytes(0, "a");
  chunk.columns[0].SetBytes(1, "a");
  chunk.columns[0].SetBytes(2, "ab");
  chunk.columns[1].Set<int64_t>(0, 1);
  chunk.columns[1].Set<int64_t>(1, 2);
  chunk.columns[1].Set<int64_t>(2, 3);
  SortKeys keys;
  for (size_t row = 0; row < 3; ++row) {
    Bytes key;
    AppendSortKey(fields, chunk, row, &key);
    keys.Add(key);
  }
  EXPECT_EQ(keys.Order(SIZE_MAX), (std::vector<uint32_t>{1, 0, 2}));
  EXPECT_EQ(keys.Order(1), (std::vector<uint32_t>{1}));
}

}  // namespace
}  // namespace bennu::sql::exec
