// What the hostile modes of sqltest change in statements and how they compare answers.
#include "src/cli/sqltest_modes.h"

#include <gtest/gtest.h>

namespace bennu::cli {
namespace {

SqlTestRecord Statement(const std::string& sql) {
  SqlTestRecord record;
  record.text = sql;
  return record;
}

SqlTestRecord Query(const std::string& sql, bool sorted = true) {
  SqlTestRecord record = Statement(sql);
  record.kind = SqlTestRecord::Kind::kQuery;
  record.sorted = sorted;
  return record;
}

// Each name turns its own mode on; a wrong one is refused and the message names the right ones.
TEST(SqlTestModesTest, Names) {
  SqlTestModes modes;
  EXPECT_FALSE(modes.any());
  ASSERT_TRUE(AddSqlTestMode("killed", &modes).ok());
  EXPECT_TRUE(modes.killed);
  EXPECT_FALSE(modes.reopened);
  const Status refused = AddSqlTestMode("dropped", &modes);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("compacted"), std::string::npos);
}

// Buckets go behind the columns, before other options; tables that say their regions are left
// alone.
TEST(SqlTestModesTest, SaltBuckets) {
  EXPECT_EQ(WithSaltBuckets(Statement("CREATE TABLE T (k VARCHAR(5) PRIMARY KEY, v CHAR(1))")),
            "CREATE TABLE T (k VARCHAR(5) PRIMARY KEY, v CHAR(1)) SALT_BUCKETS=4");
  EXPECT_EQ(WithSaltBuckets(Statement("create table T (k VARCHAR DEFAULT ')' PRIMARY KEY) TTL=5")),
            "create table T (k VARCHAR DEFAULT ')' PRIMARY KEY) SALT_BUCKETS=4,  TTL=5");
  for (const char* same : {"CREATE TABLE T (k VARCHAR PRIMARY KEY) SALT_BUCKETS=2",
                           "CREATE TABLE T (k VARCHAR PRIMARY KEY) SPLIT ON ('a')",
                           "SELECT (1) FROM T", "CREATE VIEW V (x INTEGER) AS SELECT * FROM T"}) {
    EXPECT_EQ(WithSaltBuckets(Statement(same)), same);
  }
  SqlTestRecord fails = Statement("CREATE TABLE T (k ARRAY PRIMARY KEY)");
  fails.expect = SqlTestRecord::Expect::kError;
  EXPECT_EQ(WithSaltBuckets(fails), fails.text);
}

// Only what gives the same rows when four send it may be sent by four.
TEST(SqlTestModesTest, Repeatable) {
  EXPECT_TRUE(IsRepeatable(Statement("UPSERT INTO T VALUES ('a', 1)")));
  for (const char* sql :
       {"UPSERT INTO T VALUES ('a', 1) ON DUPLICATE KEY UPDATE v = v + 1",
        "UPSERT INTO T SELECT k, v + 1 FROM T", "UPSERT INTO T VALUES ('a', CURRENT_DATE())",
        "UPSERT INTO T VALUES (NEXT VALUE FOR s, 1)", "DELETE FROM T"}) {
    EXPECT_FALSE(IsRepeatable(Statement(sql))) << sql;
  }
  SqlTestRecord fails = Statement("UPSERT INTO T VALUES (NULL)");
  fails.expect = SqlTestRecord::Expect::kError;
  EXPECT_FALSE(IsRepeatable(fails));
}

TEST(SqlTestModesTest, MayWrite) {
  EXPECT_TRUE(MayWrite(Statement("upsert into T values (1)")));
  EXPECT_TRUE(MayWrite(Query("DELETE FROM T RETURNING *")));
  EXPECT_FALSE(MayWrite(Query("  select\n1")));
  EXPECT_FALSE(MayWrite(Query("EXPLAIN DELETE FROM T")));
}

// Rows of salted tables come in any order but the one that was asked for.
TEST(SqlTestModesTest, OrderOfSaltedRows) {
  const std::vector<std::string> labels = {"K", "V"};
  const std::vector<std::string> recorded = {"a\t1", "b\t1", "c\t2"};
  const std::vector<std::string> ties_swapped = {"b\t1", "a\t1", "c\t2"};
  const std::vector<std::string> wrong_order = {"c\t2", "a\t1", "b\t1"};
  const std::vector<std::string> other_rows = {"a\t1", "b\t1", "d\t2"};
  const std::vector<std::string> fewer = {"a\t1", "b\t1"};
  const auto same = [&](const std::string& sql, const std::vector<std::string>& rows) {
    return CompareSalted(Query(sql), labels, recorded, rows).empty();
  };
  EXPECT_TRUE(same("SELECT k, v FROM T", wrong_order));
  EXPECT_FALSE(same("SELECT k, v FROM T", other_rows));
  EXPECT_TRUE(same("SELECT k, v FROM T ORDER BY v", ties_swapped));
  EXPECT_TRUE(same("SELECT k, v FROM T ORDER BY 2 LIMIT 3", ties_swapped));
  EXPECT_FALSE(same("SELECT k, v FROM T ORDER BY v", wrong_order));
  EXPECT_FALSE(same("SELECT k, v FROM T ORDER BY v ASC NULLS LAST, k", ties_swapped));
  EXPECT_TRUE(same("SELECT k, v FROM (SELECT k, v FROM T ORDER BY v)", wrong_order));
  EXPECT_TRUE(same("SELECT k, v FROM T LIMIT 3", other_rows));
  EXPECT_FALSE(same("SELECT k, v FROM T LIMIT 3", fewer));
  EXPECT_TRUE(
      CompareSalted(Query("SELECT k, v FROM T ORDER BY v", false), labels, recorded, wrong_order)
          .empty());
}

// With several threads only what ORDER BY leaves equal may change places.
TEST(SqlTestModesTest, OrderOfParallelScans) {
  const std::vector<std::string> recorded = {"a", "b"};
  const std::vector<std::string> swapped = {"b", "a"};
  EXPECT_NE(CompareParallel(Query("SELECT k FROM T"), {"K"}, recorded, swapped), "");
  EXPECT_NE(CompareParallel(Query("SELECT k FROM T ORDER BY k"), {"K"}, recorded, swapped), "");
  EXPECT_EQ(CompareParallel(Query("SELECT k FROM T ORDER BY v"), {"K"}, recorded, swapped), "");
  EXPECT_EQ(CompareParallel(Query("SELECT k FROM T", false), {"K"}, recorded, swapped), "");
}

// The last digits of sums follow the order of the rows; the first ones do not.
TEST(SqlTestModesTest, RoundedSums) {
  const SqlTestRecord query = Query("SELECT SUM(f) FROM T");
  EXPECT_EQ(CompareSalted(query, {"S"}, {"1.00000000033E10"}, {"1.0000000003300001E10"}), "");
  EXPECT_NE(CompareSalted(query, {"S"}, {"1.00000000033E10"}, {"1.00000000033E11"}), "");
  EXPECT_NE(CompareSalted(query, {"S"}, {"1.25"}, {"1.26"}), "");
  EXPECT_NE(CompareSalted(query, {"S"}, {"12345678901234567890"}, {"12345678901234567891"}), "");
}

TEST(SqlTestModesTest, Applicable) {
  SqlTestModes salted;
  salted.salted = true;
  EXPECT_FALSE(IsApplicable(Query("EXPLAIN SELECT * FROM T"), salted));
  EXPECT_TRUE(IsApplicable(Query("SELECT * FROM T"), salted));
  SqlTestModes writers;
  writers.writers = true;
  SqlTestRecord raw = Query("T");
  raw.kind = SqlTestRecord::Kind::kRawCells;
  EXPECT_FALSE(IsApplicable(raw, writers));
  EXPECT_TRUE(IsApplicable(raw, salted));
  EXPECT_TRUE(TakesAnyRows(Statement("DELETE FROM T LIMIT 1")));
  EXPECT_FALSE(TakesAnyRows(Statement("DELETE FROM T ORDER BY k LIMIT 1")));
}

TEST(SqlTestModesTest, WaysOfPlans) {
  EXPECT_EQ(WithoutWays("CLIENT PARALLEL 12-WAY FULL SCAN OVER T"),
            "CLIENT PARALLEL *-WAY FULL SCAN OVER T");
  EXPECT_EQ(WithoutWays("SERVER FILTER"), "SERVER FILTER");
}

// A plan of Phoenix's, and what a client says that does its servers' steps.
TEST(SqlTestModesTest, PlansOfAClusterSayWhoDoesTheSteps) {
  const std::vector<std::string> of_phoenix = {
      "CLIENT 1-CHUNK PARALLEL 1-WAY FULL SCAN OVER T\tNULL", "    SERVER FILTER BY N > 1\tNULL",
      "\\u0020   SERVER OFFSET 2\tNULL", "    SERVER 5 ROW LIMIT\tNULL",
      "CLIENT 3 ROW LIMIT\tNULL"};
  const std::vector<std::string> of_client = {
      "CLIENT 1-CHUNK PARALLEL 1-WAY FULL SCAN OVER T\tNULL", "    SERVER FILTER BY N > 1\tNULL",
      "CLIENT OFFSET 2\tNULL", "CLIENT 3 ROW LIMIT\tNULL"};
  EXPECT_EQ(WithoutPlaces(of_phoenix), WithoutPlaces(of_client));
  EXPECT_EQ(WithoutPlaces({"    SERVER TOP 3 ROWS SORTED BY [N]", "CLIENT MERGE SORT"}),
            WithoutPlaces({"CLIENT TOP 3 ROWS SORTED BY [N]", "CLIENT MERGE SORT"}));
  EXPECT_NE(WithoutPlaces({"    SERVER TOP 3 ROWS SORTED BY [N]"}),
            WithoutPlaces({"CLIENT TOP 4 ROWS SORTED BY [N]"}));
  EXPECT_EQ(WithoutPlaces({"DELETE ROWS SERVER SELECT"}),
            WithoutPlaces({"DELETE ROWS CLIENT SELECT"}));
  // Who checks a condition is compared.
  EXPECT_NE(WithoutPlaces({"    SERVER FILTER BY N > 1"}),
            WithoutPlaces({"    CLIENT FILTER BY N > 1"}));
}

}  // namespace
}  // namespace bennu::cli
