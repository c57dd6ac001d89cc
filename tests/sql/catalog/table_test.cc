#include "src/sql/catalog/table.h"

#include <gtest/gtest.h>

#include "src/base/hex.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

// The table of phoenix-storage.md section 2, and the cells of ddl/families_and_encoding.test.
TEST(Qualifier, Encodings) {
  EXPECT_EQ(HexEncode(EncodeQualifier(0, 2)), "00000000");
  EXPECT_EQ(HexEncode(EncodeQualifier(10, 1)), "0000000a");
  EXPECT_EQ(HexEncode(EncodeQualifier(12, 1)), "8c");
  EXPECT_EQ(HexEncode(EncodeQualifier(11, 2)), "800b");
  EXPECT_EQ(HexEncode(EncodeQualifier(12, 3)), "00000c");
  EXPECT_EQ(HexEncode(EncodeQualifier(12, 4)), "0000000c");
  EXPECT_EQ(HexEncode(EncodeQualifier(255, 1)), "7f");
  EXPECT_EQ(HexEncode(EncodeQualifier(65535, 2)), "7fff");
}

// Every number that fits reads back; in one to three bytes all of the small ones are tried.
TEST(Qualifier, RoundTrip) {
  for (int32_t bytes = 1; bytes <= 4; ++bytes) {
    for (const int32_t number : {0, 10, 11, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
                                 16777215, 16777216, 2147483647}) {
      if (number > MaxEncodedQualifier(bytes)) continue;
      const auto decoded = DecodeQualifier(EncodeQualifier(number, bytes), bytes);
      ASSERT_TRUE(decoded.ok()) << number << " in " << bytes;
      EXPECT_EQ(*decoded, number) << bytes;
    }
  }
  EXPECT_EQ(DecodeQualifier("abc", 2).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeQualifier(std::string("\xff\xff\xff\xff", 4), 4).status().code(),
            StatusCode::kCorruption);
}

TableMeta MakeTable() {
  TableMeta table;
  table.schema = "S";
  table.name = "T";
  const auto add = [&](const char* family, const char* name, bool key) {
    ColumnMeta column;
    column.family = family;
    column.name = name;
    column.type = {TypeId::kVarchar};
    column.key_position = key ? 0 : -1;
    column.ordinal = static_cast<int32_t>(table.columns.size()) + 1;
    column.qualifier = key ? "" : name;
    table.columns.push_back(column);
  };
  add("", "K", true);
  add("B", "V", false);
  add("0", "W", false);
  add("A", "V", false);
  table.Finish();
  return table;
}

// The first family that a column names is where the empty column lies, not the first by name.
TEST(TableMeta, FamiliesInOrderOfColumns) {
  const TableMeta table = MakeTable();
  EXPECT_EQ(table.families, (std::vector<std::string>{"B", "0", "A"}));
  EXPECT_EQ(table.empty_family, "B");
  EXPECT_EQ(table.empty_qualifier, "_0");
  EXPECT_EQ(table.empty_value, "x");
}

TEST(TableMeta, FindColumn) {
  const TableMeta table = MakeTable();
  EXPECT_EQ(*table.FindColumn("W"), 2u);
  EXPECT_EQ(*table.FindColumn("A", "V"), 3u);
  EXPECT_TRUE(IsSqlError(table.FindColumn("V").status(), 502));
  EXPECT_TRUE(IsSqlError(table.FindColumn("NOPE").status(), 504));
  EXPECT_TRUE(IsSqlError(table.FindColumn("C", "V").status(), 1001));
  EXPECT_TRUE(IsSqlError(table.FindColumn("A", "W").status(), 504));
  EXPECT_TRUE(IsSqlError(table.FindColumn("A", "K").status(), 504));
}

TEST(TableMeta, DynamicColumns) {
  const TableMeta table = MakeTable();
  ColumnMeta dynamic;
  dynamic.name = "D";
  dynamic.type = {TypeId::kInteger};
  const auto extended = table.WithDynamicColumns({dynamic});
  ASSERT_TRUE(extended.ok());
  const ColumnMeta& added = extended->columns.back();
  EXPECT_EQ(added.family, "B");  // that of the empty column
  EXPECT_EQ(added.qualifier, "D");
  EXPECT_TRUE(added.dynamic);
  dynamic.name = "V";
  EXPECT_TRUE(IsSqlError(table.WithDynamicColumns({dynamic}).status(), 514));
  dynamic.name = "K";
  EXPECT_TRUE(IsSqlError(table.WithDynamicColumns({dynamic}).status(), 514));
  dynamic.family = "Z";
  EXPECT_TRUE(IsSqlError(table.WithDynamicColumns({dynamic}).status(), 1001));
}

}  // namespace
}  // namespace bennu::sql::catalog
