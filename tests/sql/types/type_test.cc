#include "src/sql/types/type.h"

#include <gtest/gtest.h>

#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

TEST(Type, NamesAndIdsAreThoseOfTheCatalog) {
  struct Case {
    TypeId id;
    int ordinal;
    const char* name;
    int sql_id;
    int jdbc_id;
  };
  const Case cases[] = {
      {TypeId::kVarchar, 0, "VARCHAR", 12, 12},
      {TypeId::kBigint, 2, "BIGINT", -5, -5},
      {TypeId::kUnsignedTimestamp, 12, "UNSIGNED_TIMESTAMP", 20, 93},
      {TypeId::kUnsignedLong, 15, "UNSIGNED_LONG", 10, -5},
      {TypeId::kBinary, 23, "BINARY", -2, -2},
      {TypeId::kVarcharArray, 26, "VARCHAR ARRAY", 3012, 2003},
      {TypeId::kUnsignedDoubleArray, 47, "UNSIGNED_DOUBLE ARRAY", 3015, 2003},
      {TypeId::kVarbinaryEncoded, 50, "VARBINARY_ENCODED", 9000, 9000},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(static_cast<int>(c.id), c.ordinal);
    EXPECT_EQ(TypeName(c.id), c.name);
    EXPECT_EQ(SqlTypeId(c.id), c.sql_id) << c.name;
    EXPECT_EQ(JdbcTypeId(c.id), c.jdbc_id) << c.name;
    EXPECT_EQ(TypeBySqlTypeId(c.sql_id), c.id) << c.name;
  }
}

TEST(Type, LookUpByNameIgnoresCaseAndKnowsNoSynonyms) {
  EXPECT_EQ(TypeByName("varBinary_encoded"), TypeId::kVarbinaryEncoded);
  EXPECT_EQ(TypeByName("INT"), std::nullopt);
  EXPECT_EQ(TypeByName("LONG"), std::nullopt);
  EXPECT_EQ(TypeByName("STRING"), std::nullopt);
  EXPECT_EQ(TypeByName(""), std::nullopt);
}

TEST(Type, ArraysHaveTheIdOfTheirElement) {
  for (int i = 0; i < kTypeCount; ++i) {
    const TypeId id = static_cast<TypeId>(i);
    if (!IsArray(id)) continue;
    EXPECT_EQ(SqlTypeId(id), 3000 + SqlTypeId(ArrayElement(id)));
  }
}

TEST(Type, Widths) {
  EXPECT_EQ(FixedWidth({TypeId::kTimestamp}), 12);
  EXPECT_EQ(FixedWidth({TypeId::kChar, 7}), 7);
  EXPECT_EQ(FixedWidth({TypeId::kChar}), std::nullopt);
  EXPECT_EQ(FixedWidth({TypeId::kVarchar, 7}), std::nullopt);
  EXPECT_TRUE(IsFixedWidth(TypeId::kBinary));
  EXPECT_FALSE(IsFixedWidth(TypeId::kDecimal));
}

TEST(Type, TextWithParameters) {
  EXPECT_EQ(TypeToString({TypeId::kDecimal, 10, 2}), "DECIMAL(10,2)");
  EXPECT_EQ(TypeToString({TypeId::kDecimal, 5, 0}), "DECIMAL(5,0)");
  EXPECT_EQ(TypeToString({TypeId::kChar, 4}), "CHAR(4)");
  EXPECT_EQ(TypeToString({TypeId::kDate}), "DATE");
}

TEST(SqlErrors, CarryCodeStateAndText) {
  const Status status = MakeSqlError(504, "columnName=T.X", 17, "T has the columns A, B");
  ASSERT_NE(status.sql_error(), nullptr);
  EXPECT_EQ(status.sql_error()->code, 504);
  EXPECT_EQ(status.sql_error()->sqlstate, "42703");
  EXPECT_EQ(status.sql_error()->position, 17);
  EXPECT_EQ(status.ToString(), "ERROR 504 (42703): Undefined column. columnName=T.X");
  EXPECT_EQ(SqlErrorNameOf(1012), "TABLE_UNDEFINED");
  EXPECT_EQ(SqlStateOf(10963), "44A45");
  EXPECT_EQ(SqlStateOf(101), "08000");
  EXPECT_EQ(MakeSqlError(99999, "").code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace bennu::sql
