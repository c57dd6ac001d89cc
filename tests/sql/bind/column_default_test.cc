// DEFAULT of columns as values and as stored bytes.
#include "src/sql/bind/column_default.h"

#include <gtest/gtest.h>

#include "src/base/hex.h"
#include "src/sql/types/text.h"

namespace bennu::sql::bind {
namespace {

catalog::ColumnMeta Column(const DataType& type, const char* default_text,
                           SortOrder order = SortOrder::kAsc) {
  catalog::ColumnMeta column;
  column.name = "C";
  column.type = type;
  column.sort_order = order;
  column.default_text = default_text;
  return column;
}

// An expression is computed, and its value is one of the column's type.
TEST(ColumnDefault, ValuesAreOfTheColumn) {
  const Value number = DefaultOf(Column({TypeId::kTinyint}, "3 + 1"), 0).value();
  EXPECT_EQ(number.type().id, TypeId::kTinyint);
  EXPECT_EQ(number.int64(), 4);
  const Value real = DefaultOf(Column({TypeId::kDouble}, "2"), 0).value();
  EXPECT_EQ(real.type().id, TypeId::kDouble);
  EXPECT_EQ(real.real(), 2.0);
  // Of a fixed length, as a stored one.
  EXPECT_EQ(DefaultOf(Column({TypeId::kChar, 3}, "'a'"), 0).value().bytes(), "a  ");
  EXPECT_EQ(DefaultOf(Column({TypeId::kBinary, 3}, "X'01'"), 0).value().bytes(),
            ByteView("\1\0\0", 3));
  // More digits than the column's scale stay, as in Phoenix.
  const Value decimal = DefaultOf(Column({TypeId::kDecimal, 5, 2}, "1.239"), 0).value();
  EXPECT_EQ(ToText(decimal), "1.239");
}

// What a key gets is encoded in the column's width and order.
TEST(ColumnDefault, EncodedAsTheColumnStoresThem) {
  const auto encoded = [](const catalog::ColumnMeta& column) {
    const Result<Bytes> bytes = EncodedDefaultOf(column, 0);
    return bytes.ok() ? HexEncode(*bytes) : bytes.status().ToString();
  };
  EXPECT_EQ(encoded(Column({TypeId::kInteger}, "5")), "80000005");
  EXPECT_EQ(encoded(Column({TypeId::kInteger}, "5", SortOrder::kDesc)), "7ffffffa");
  EXPECT_EQ(encoded(Column({TypeId::kChar, 3}, "'a'")), "612020");
  EXPECT_EQ(encoded(Column({TypeId::kVarchar}, "'a'")), "61");
  EXPECT_EQ(encoded(Column({TypeId::kVarchar}, "")), "");
}

TEST(ColumnDefault, OfAnotherKindIsAMismatch) {
  const Result<Bytes> bytes = EncodedDefaultOf(Column({TypeId::kInteger}, "'five'"), 0);
  ASSERT_FALSE(bytes.ok());
  ASSERT_NE(bytes.status().sql_error(), nullptr);
  EXPECT_EQ(bytes.status().sql_error()->code, 203);
}

}  // namespace
}  // namespace bennu::sql::bind
