// What a prepared statement says before it runs, and what its parameters take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bennu/database.h"

namespace bennu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PreparedStatementTest : public ::testing::Test {
 protected:
  PreparedStatementTest()
      : database_(Database::Open(":memory:").value()), sql_(database_->Connect().value()) {
    Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, D DATE, N DECIMAL(5,2), C VARCHAR(3))");
    Run("UPSERT INTO T VALUES (1, '2020-01-01', 1.5, 'a')");
  }

  void Run(std::string_view sql) {
    const auto result = sql_->Execute(sql);
    ASSERT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
  }
  std::unique_ptr<PreparedStatement> Prepare(std::string_view sql) {
    auto statement = sql_->Prepare(sql);
    EXPECT_TRUE(statement.ok()) << sql << ": " << statement.status().ToString();
    return std::move(statement).value();
  }
  std::vector<std::string> Types(std::string_view sql) { return Prepare(sql)->parameter_types(); }
  static std::vector<std::string> Texts(const std::vector<ColumnInfo>& columns) {
    std::vector<std::string> texts;
    for (const ColumnInfo& column : columns) {
      texts.push_back(column.label + " " + column.type + (column.nullable ? "" : " NOT NULL"));
    }
    return texts;
  }
  // The columns before the run, which must be those of the run.
  std::vector<std::string> Columns(std::string_view sql) {
    const auto statement = Prepare(sql);
    const std::vector<std::string> texts = Texts(statement->Columns().value());
    for (int run = 0; run < 2; ++run) {
      const auto result = statement->Execute();
      EXPECT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
      if (!result.ok()) continue;
      EXPECT_EQ(Texts((*result)->columns()), texts) << sql;
    }
    return texts;
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> sql_;
};

// Each parameter has the type of its column, or of what it is compared or computed with.
TEST_F(PreparedStatementTest, TypesOfParameters) {
  EXPECT_THAT(Types("UPSERT INTO T VALUES (?, ?, ?, ?)"),
              ElementsAre("INTEGER", "DATE", "DECIMAL(5,2)", "VARCHAR(3)"));
  EXPECT_THAT(Types("UPSERT INTO T (C, K) VALUES (?, 1 + ?)"),
              ElementsAre("VARCHAR(3)", "INTEGER"));
  EXPECT_THAT(Types("UPSERT INTO T (K) VALUES (?) ON DUPLICATE KEY UPDATE N = N * ?"),
              ElementsAre("INTEGER", "DECIMAL(5,2)"));
  EXPECT_THAT(Types("UPSERT INTO T SELECT K + 1, D FROM T WHERE C = ?"), ElementsAre("VARCHAR(3)"));
  EXPECT_THAT(Types("DELETE FROM T WHERE K = ?"), ElementsAre("INTEGER"));
  EXPECT_THAT(Types("DELETE FROM T WHERE N < ?"), ElementsAre("DECIMAL(5,2)"));
  EXPECT_THAT(Types("SELECT C FROM T WHERE D > ? AND K IN (?, 1)"), ElementsAre("DATE", "INTEGER"));
  EXPECT_THAT(Types("EXPLAIN SELECT * FROM T WHERE D > ?"), ElementsAre("DATE"));
  EXPECT_THAT(Types("EXPLAIN UPSERT INTO T (K, D) VALUES (1, ?)"), ElementsAre("DATE"));
  EXPECT_THAT(Types("DECLARE X CURSOR FOR SELECT * FROM T WHERE K = ?"), ElementsAre("INTEGER"));
  EXPECT_THAT(Types("SHOW TABLES"), IsEmpty());
}

// The columns are known before the run, and the run gives them; also when it is run again.
TEST_F(PreparedStatementTest, ColumnsBeforeTheRun) {
  EXPECT_THAT(Columns("SELECT K, K = 1 AS ONE, D FROM T"),
              ElementsAre("K INTEGER NOT NULL", "ONE BOOLEAN NOT NULL", "D DATE"));
  EXPECT_THAT(Columns("UPSERT INTO T (K) VALUES (1)"), IsEmpty());
  EXPECT_THAT(Columns("UPSERT INTO T (K) VALUES (1) RETURNING *"),
              ElementsAre("K INTEGER NOT NULL", "D DATE", "N DECIMAL(5,2)", "C VARCHAR(3)"));
  EXPECT_EQ(
      Columns("UPSERT INTO T (K) VALUES (1) ON DUPLICATE KEY UPDATE N = 2 RETURNING *").size(), 4u);
  EXPECT_EQ(Columns("DELETE FROM T WHERE K = 1 RETURNING *").size(), 4u);
  EXPECT_THAT(Columns("EXPLAIN DELETE FROM T WHERE N = 1"),
              ElementsAre("PLAN VARCHAR", "EST_BYTES_READ BIGINT", "EST_ROWS_READ BIGINT",
                          "EST_INFO_TS BIGINT"));
  EXPECT_EQ(Columns("EXPLAIN ANALYZE SELECT * FROM T").size(), 4u);
  EXPECT_EQ(Columns("EXPLAIN CREATE TABLE NEW (K INTEGER PRIMARY KEY)").size(), 4u);
  EXPECT_EQ(Columns("SHOW TABLES").size(), 19u);
  EXPECT_EQ(Columns("SHOW SCHEMAS").size(), 2u);
  EXPECT_EQ(Columns("SHOW STATEMENTS").size(), 10u);
  EXPECT_THAT(Columns("SHOW CREATE TABLE T"), ElementsAre("CREATE STATEMENT CHAR"));
  EXPECT_THAT(Columns("TRACE ON"), ElementsAre("trace_id BIGINT NOT NULL"));
  EXPECT_THAT(Columns("CREATE TABLE IF NOT EXISTS T (K INTEGER PRIMARY KEY)"), IsEmpty());
}

// A cursor has the columns of its query once it is declared.
TEST_F(PreparedStatementTest, ColumnsOfCursors) {
  EXPECT_THAT(Prepare("FETCH NEXT ROW FROM X")->Columns().value(), IsEmpty());
  const auto declare = Prepare("DECLARE X CURSOR FOR SELECT C FROM T WHERE K = ?");
  EXPECT_THAT(declare->Columns().value(), IsEmpty());
  ASSERT_TRUE(declare->Bind(0, 1).ok());
  ASSERT_TRUE(declare->Execute().ok());
  EXPECT_THAT(declare->Execute().status().ToString(), HasSubstr("already in use"));
  Run("OPEN X");
  EXPECT_THAT(Columns("FETCH NEXT ROW FROM X"), ElementsAre("C VARCHAR(3)"));
  Run("CLOSE X");
  ASSERT_TRUE(declare->Bind(0, Datum::Number{"1.5"}).ok());
  EXPECT_TRUE(declare->Execute().ok());
}

// EXPLAIN says what would be done when it runs, whenever it was prepared.
TEST_F(PreparedStatementTest, ExplainIsPlannedForEachRun) {
  const auto explain = Prepare("EXPLAIN SELECT * FROM T WHERE K = ?");
  const auto plan = [&](Datum value) {
    EXPECT_TRUE(explain->Bind(0, std::move(value)).ok());
    const auto result = explain->Execute();
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_TRUE((*result)->Next().value());
    return (*result)->GetText(0);
  };
  const std::string first = plan(1);
  EXPECT_THAT(first, HasSubstr("POINT LOOKUP ON 1 KEY"));
  EXPECT_NE(plan(Datum::Number{"1.5"}), first);
  EXPECT_EQ(plan(2), first);
  Run("DROP TABLE T");
  EXPECT_EQ(explain->Execute().status().sql_error()->code, 1012);
}

// What a column can never take is refused when it is bound, and leaves nothing behind that a run
// could take for the value. Phoenix's conversions, empty texts and NULLs go on to the run.
TEST_F(PreparedStatementTest, ValuesOfAnotherKindAreRefusedByBind) {
  const auto upsert = Prepare("UPSERT INTO T VALUES (?, ?, ?, ?)");
  ASSERT_TRUE(upsert->Bind(0, 5).ok());
  ASSERT_TRUE(upsert->Bind(1, "2020-01-02").ok());
  ASSERT_TRUE(upsert->Bind(2, 1.5).ok());
  ASSERT_TRUE(upsert->Bind(3, "abc").ok());
  ASSERT_TRUE(upsert->Execute().ok());

  const Status refused = upsert->Bind(1, int64_t{1} << 40);
  ASSERT_NE(refused.sql_error(), nullptr) << refused.ToString();
  EXPECT_EQ(refused.sql_error()->code, 203);
  EXPECT_THAT(refused.ToString(), HasSubstr("expected: DATE but was: BIGINT"));
  EXPECT_THAT(refused.ToString(), HasSubstr("parameter 2 for column D"));
  EXPECT_EQ(upsert->Execute().status().sql_error()->code, 2004);
  for (const Datum& value :
       {Datum(), Datum(""), Datum("2020-01-02 10:00:00"), Datum(Datum::Moment{5, 7})}) {
    ASSERT_TRUE(upsert->Bind(1, value).ok());
    const auto result = upsert->Execute();
    EXPECT_TRUE(result.ok()) << result.status().ToString();
  }
  EXPECT_FALSE(upsert->Bind(0, "text").ok());
  EXPECT_FALSE(upsert->Bind(3, true).ok());
  // Of the right kind, but not one of the column's values: the run says so.
  ASSERT_TRUE(upsert->Bind(0, int64_t{1} << 40).ok());
  ASSERT_TRUE(upsert->Bind(3, "abc").ok());
  EXPECT_EQ(upsert->Execute().status().sql_error()->code, 203);
}

// So is what a condition can never compare with its parameter: the error names the parameter, what
// it is compared with and the type that is wanted.
TEST_F(PreparedStatementTest, ValuesThatCannotBeComparedAreRefusedByBind) {
  const auto refusal = [&](std::string_view sql, size_t index, Datum value) {
    const auto statement = Prepare(sql);
    const Status refused = statement->Bind(index, std::move(value));
    EXPECT_FALSE(refused.ok()) << sql;
    if (refused.ok()) return std::string();
    EXPECT_EQ(refused.sql_error()->code, 203) << sql;
    return refused.message();
  };
  EXPECT_THAT(refusal("SELECT * FROM T WHERE K = ?", 0, "text"),
              HasSubstr("expected: INTEGER but was: VARCHAR at parameter 1, compared with K"));
  EXPECT_THAT(refusal("SELECT * FROM T WHERE N = ? AND D > ?", 1, 5),
              HasSubstr("expected: DATE but was: INTEGER at parameter 2, compared with D"));
  EXPECT_THAT(refusal("SELECT * FROM T WHERE K + 1 BETWEEN ? AND ?", 1, Datum::Moment{5, 0}),
              HasSubstr("expected: BIGINT but was: DATE at parameter 2, compared with (K + 1)"));
  EXPECT_THAT(refusal("SELECT * FROM T WHERE (K, D) < (?, ?)", 1, true),
              HasSubstr("expected: DATE but was: BOOLEAN at parameter 2, compared with D"));
  EXPECT_THAT(refusal("SELECT * FROM T WHERE C IN (?)", 0, 1), HasSubstr("compared with C"));
  EXPECT_THAT(refusal("UPSERT INTO T SELECT * FROM T WHERE ? = D", 0, 1),
              HasSubstr("compared with D"));
  EXPECT_THAT(refusal("DELETE FROM T WHERE K = ?", 0, "text"), HasSubstr("compared with K"));
  EXPECT_THAT(refusal("DELETE FROM T WHERE N > ?", 0, "text"), HasSubstr("compared with N"));
  EXPECT_THAT(refusal("EXPLAIN SELECT * FROM T WHERE K = ?", 0, "text"), HasSubstr("with K"));

  const auto select = Prepare("SELECT * FROM T WHERE K = ?");
  ASSERT_TRUE(select->Bind(0, 1).ok());
  EXPECT_FALSE(select->Bind(0, "text").ok());
  EXPECT_EQ(select->Execute().status().sql_error()->code, 2004);
}

// What a run may take goes on to it: texts that are turned into moments, NULLs, empty texts,
// numbers that no row has, and values whose fate depends on the other ones.
TEST_F(PreparedStatementTest, ValuesThatMayBeComparedAreNotRefused) {
  const auto rows = [&](std::string_view sql, const std::vector<Datum>& values) {
    const auto statement = Prepare(sql);
    for (size_t i = 0; i < values.size(); ++i) {
      const Status bound = statement->Bind(i, values[i]);
      EXPECT_TRUE(bound.ok()) << sql << ": " << bound.ToString();
    }
    const auto result = statement->Execute();
    EXPECT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
    int count = 0;
    while (result.ok() && (*result)->Next().value()) ++count;
    return count;
  };
  EXPECT_EQ(rows("SELECT * FROM T WHERE D = ?", {"2020-01-01"}), 1);
  EXPECT_EQ(rows("SELECT * FROM T WHERE K = ?", {Datum()}), 0);
  EXPECT_EQ(rows("SELECT * FROM T WHERE C = ?", {""}), 0);
  EXPECT_EQ(rows("SELECT * FROM T WHERE K < ?", {Datum::Number{"1.5"}}), 1);
  EXPECT_EQ(rows("SELECT * FROM T WHERE C = ?", {"longer than the column"}), 0);
  EXPECT_EQ(rows("SELECT * FROM T WHERE K IN (?, ?)", {"text", 1}), 1);
  EXPECT_EQ(rows("SELECT * FROM T WHERE ? = ?", {1, 1}), 1);
  EXPECT_EQ(rows("SELECT K FROM (SELECT K, ? AS X FROM T) WHERE X = ?",
                 {Datum::Number{"1.5"}, Datum::Number{"1.5"}}),
            1);
  Run("CREATE SEQUENCE S");
  EXPECT_EQ(rows("SELECT CASE WHEN NEXT VALUE FOR S = ? THEN 1 ELSE 2 END FROM T", {1}), 1);
  rows("DELETE FROM T WHERE K IN (?, ?)", {"text", 7});
}

// The type of the column at the time of the run counts.
TEST_F(PreparedStatementTest, ColumnsThatChangeTheirType) {
  const auto upsert = Prepare("UPSERT INTO T (K, D) VALUES (1, ?)");
  EXPECT_FALSE(upsert->Bind(0, 7).ok());
  Run("ALTER TABLE T DROP COLUMN D");
  Run("ALTER TABLE T ADD D INTEGER");
  ASSERT_TRUE(upsert->Bind(0, 7).ok());
  EXPECT_TRUE(upsert->Execute().ok());
  const auto select = Prepare("SELECT * FROM T WHERE D = ?");
  EXPECT_FALSE(select->Bind(0, true).ok());
  Run("ALTER TABLE T DROP COLUMN D");
  Run("ALTER TABLE T ADD D BOOLEAN");
  ASSERT_TRUE(select->Bind(0, true).ok());
  EXPECT_TRUE(select->Execute().ok());
}

}  // namespace
}  // namespace bennu
