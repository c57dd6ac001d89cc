// The values of a row as C++ types: what fits is read exactly, and all else is an error that names
// the column, its type and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "bennu/database.h"

namespace bennu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ResultValuesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_ = Database::Open(":memory:").value();
    connection_ = database_->Connect().value();
  }
  // A row with the value of one expression, which is read already, as column V.
  std::unique_ptr<ResultSet> Row(const std::string& expression) {
    auto rows = connection_->Execute("SELECT " + expression + " AS V");
    EXPECT_TRUE(rows.ok()) << expression << ": " << rows.status().ToString();
    EXPECT_TRUE((*rows)->Next().value());
    return std::move(rows).value();
  }
  template <typename T>
  static void ExpectError(const Result<T>& result, const std::string& type,
                          const std::string& remedy) {
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(result.status().message(),
                AllOf(HasSubstr("column V"), HasSubstr(type), HasSubstr(remedy)));
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> connection_;
};

TEST_F(ResultValuesTest, WholeNumbersOfEveryTypeAreIntegers) {
  EXPECT_EQ(Row("7")->GetInt64(0).value(), 7);
  EXPECT_EQ(Row("9223372036854775807")->GetInt64(0).value(), INT64_MAX);
  EXPECT_EQ(Row("CAST(12.00 AS DECIMAL(10,2))")->GetInt64(0).value(), 12);
  EXPECT_EQ(Row("CAST(-3 AS DOUBLE)")->GetInt64(0).value(), -3);
}

// Before, a fraction was cut off, and what is no number was 0.
TEST_F(ResultValuesTest, WhatIsNoIntegerIsAnError) {
  ExpectError(Row("CAST(12.50 AS DECIMAL(10,2))")->GetInt64(0), "DECIMAL", "GetDouble");
  ExpectError(Row("CAST(0.5 AS DOUBLE)")->GetInt64(0), "DOUBLE", "GetDouble");
  ExpectError(Row("CAST(1e19 AS DOUBLE)")->GetInt64(0), "DOUBLE", "GetDouble");
  ExpectError(Row("9223372036854775808")->GetInt64(0), "DECIMAL", "GetText");
  ExpectError(Row("'12'")->GetInt64(0), "VARCHAR", "GetText");
  ExpectError(Row("TRUE")->GetInt64(0), "BOOLEAN", "Get");
  ExpectError(Row("DATE '2024-02-01'")->GetInt64(0), "DATE", "Get");
}

TEST_F(ResultValuesTest, NumbersOfEveryTypeAreDoubles) {
  EXPECT_EQ(Row("7")->GetDouble(0).value(), 7.0);
  EXPECT_EQ(Row("12.50")->GetDouble(0).value(), 12.5);
  EXPECT_EQ(Row("CAST(0.1 AS DOUBLE)")->GetDouble(0).value(), 0.1);
  ExpectError(Row("'0.1'")->GetDouble(0), "VARCHAR", "GetText");
}

TEST_F(ResultValuesTest, OtherTypesAreReadAsWhatTheyAre) {
  EXPECT_TRUE(Row("TRUE")->GetBool(0).value());
  EXPECT_EQ(Row("'text'")->GetBytes(0).value(), "text");
  // 2024-02-01 00:00:00 UTC is 19754 days after 1970-01-01.
  constexpr int64_t kMillis = int64_t{19754} * 86'400'000;
  EXPECT_EQ(Row("DATE '2024-02-01'")->GetMoment(0).value(), (Datum::Moment{kMillis, 0}));
  EXPECT_EQ(Row("TIMESTAMP '2024-02-01 00:00:00.001000002'")->GetMoment(0).value(),
            (Datum::Moment{kMillis + 1, 2}));
  ExpectError(Row("1")->GetBool(0), "INTEGER", "Get");
  ExpectError(Row("1")->GetBytes(0), "INTEGER", "Get");
  ExpectError(Row("'2024-02-01'")->GetMoment(0), "VARCHAR", "Get");
}

TEST_F(ResultValuesTest, BinaryIsBytes) {
  auto prepared = connection_->Prepare("SELECT CAST(? AS VARBINARY) AS V").value();
  ASSERT_TRUE(prepared->Bind(0, Datum::Binary{Bytes("\0\xff", 2)}).ok());
  auto rows = prepared->Execute().value();
  ASSERT_TRUE(rows->Next().value());
  EXPECT_EQ(rows->GetBytes(0).value(), Bytes("\0\xff", 2));
}

TEST_F(ResultValuesTest, NullIsNoValue) {
  const auto row = Row("CAST(NULL AS BIGINT)");
  EXPECT_TRUE(row->IsNull(0));
  EXPECT_EQ(row->GetText(0), "NULL");
  ExpectError(row->GetInt64(0), "BIGINT", "IsNull");
  ExpectError(row->GetDouble(0), "BIGINT", "IsNull");
  ExpectError(row->GetBool(0), "BIGINT", "IsNull");
}

TEST_F(ResultValuesTest, ThereMustBeARowAndAColumn) {
  auto rows = connection_->Execute("SELECT 1 AS V").value();
  EXPECT_FALSE(rows->HasRow());
  EXPECT_EQ(rows->GetInt64(0).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(rows->GetInt64(0).status().message(), HasSubstr("call Next"));
  ASSERT_TRUE(rows->Next().value());
  EXPECT_TRUE(rows->HasRow());
  EXPECT_EQ(rows->GetInt64(1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(rows->GetInt64(1).status().message(), HasSubstr("no column 1"));
  ASSERT_FALSE(rows->Next().value());
  EXPECT_FALSE(rows->HasRow());
  EXPECT_EQ(rows->GetInt64(0).status().code(), StatusCode::kFailedPrecondition);
}

// As Phoenix's RowProjector finds columns: a label that two columns have is ambiguous.
TEST_F(ResultValuesTest, ColumnsAreFoundByTheirLabels) {
  const auto rows =
      connection_->Execute("SELECT 1 AS a, 2 AS \"b\", 3 AS B, 4 AS c, 5 AS C").value();
  EXPECT_EQ(rows->ColumnIndex("A").value(), 0u);
  EXPECT_EQ(rows->ColumnIndex("a").value(), 0u);
  EXPECT_EQ(rows->ColumnIndex("b").value(), 1u);
  EXPECT_EQ(rows->ColumnIndex("B").value(), 2u);
  EXPECT_EQ(rows->ColumnIndex("c").status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(rows->ColumnIndex("c").status().message(), HasSubstr("2 columns c"));
  EXPECT_EQ(rows->ColumnIndex("d").status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(rows->ColumnIndex("d").status().message(), HasSubstr("A, b, B, C, C"));
}

}  // namespace
}  // namespace bennu
