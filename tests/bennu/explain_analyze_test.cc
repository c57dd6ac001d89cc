// EXPLAIN ANALYZE over files on disk: what was read, and what was left out and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ExplainAnalyzeTest : public SqlFixture<::testing::Test> {
 protected:
  void SetUp() override {
    OpenStore(/*threads=*/1);
    // A file for each month.
    Run("CREATE TABLE METRICS (CREATED_DATE DATE NOT NULL, METRIC_ID CHAR(15) NOT NULL, "
        "METRIC_VALUE BIGINT CONSTRAINT PK PRIMARY KEY (CREATED_DATE ROW_TIMESTAMP, METRIC_ID))");
    for (const char* month : {"2024-01", "2024-02", "2024-03"}) {
      for (const char* day : {"-05", "-15", "-25"}) {
        Run(std::string("UPSERT INTO METRICS VALUES (DATE '") + month + day + "', 'cpu', 7)");
      }
      Flush("METRICS");
    }
  }
  std::string Run(const std::string& sql) { return RunFirst(sql); }
  // Forty rows for each of three hosts.
  void MakeHosts() {
    Run("CREATE TABLE HOSTS (HOST VARCHAR NOT NULL, N INTEGER NOT NULL CONSTRAINT PK PRIMARY KEY "
        "(HOST, N))");
    for (int n = 0; n < 40; ++n) {
      for (const char* host : {"a", "b", "c"}) {
        Run("UPSERT INTO HOSTS VALUES ('" + std::string(host) + "', " + std::to_string(n) + ")");
      }
    }
  }
};

TEST_F(ExplainAnalyzeTest, BlocksThatAreNotKept) {
  const std::string once =
      "EXPLAIN ANALYZE SELECT /*+ NO_CACHE */ SUM(METRIC_VALUE) FROM METRICS WHERE CREATED_DATE > "
      "DATE '2024-03-01'";
  EXPECT_THAT(Run(once), HasSubstr("BLOCKS 1 FROM DISK, 0 FROM CACHE"));
  EXPECT_THAT(Run(once), HasSubstr("BLOCKS 1 FROM DISK, 0 FROM CACHE"));
}

// The rounded moment is a range of the cells' timestamps.
TEST_F(ExplainAnalyzeTest, FilesOutsideARoundedTime) {
  EXPECT_THAT(Run("EXPLAIN ANALYZE SELECT SUM(METRIC_VALUE) FROM METRICS WHERE "
                  "FLOOR(CREATED_DATE, 'DAY') = DATE '2024-02-15'"),
              AllOf(HasSubstr("READ 1 ROWS"), HasSubstr("FILES 1 READ, 2 SKIPPED BY TIME RANGE")));
}

// The tail end of the data is in one file; the others are not opened.
TEST_F(ExplainAnalyzeTest, FilesOutsideTheTimeRange) {
  const std::string plan =
      Run("EXPLAIN ANALYZE SELECT SUM(METRIC_VALUE) FROM METRICS WHERE METRIC_ID = 'cpu' AND "
          "CREATED_DATE > DATE '2024-03-01'");
  EXPECT_THAT(plan, AllOf(HasSubstr("READ 3 ROWS"), HasSubstr("BY 1 SCANNERS"),
                          HasSubstr("FILES 1 READ, 2 SKIPPED BY TIME RANGE"),
                          ContainsRegex("SERVER FILTER BY METRIC_ID = .* \\(rows=3, time="),
                          ContainsRegex("AGGREGATE INTO SINGLE ROW \\(rows=1, time="),
                          HasSubstr("TOTAL 1 ROWS IN ")));
  // The first reading brings the block into the cache.
  EXPECT_THAT(plan, HasSubstr("BLOCKS 1 FROM DISK, 0 FROM CACHE"));
  EXPECT_THAT(Run("EXPLAIN ANALYZE SELECT SUM(METRIC_VALUE) FROM METRICS WHERE CREATED_DATE > "
                  "DATE '2024-03-01'"),
              HasSubstr("BLOCKS 0 FROM DISK, 1 FROM CACHE"));
  EXPECT_THAT(Run("EXPLAIN ANALYZE SELECT SUM(METRIC_VALUE) FROM METRICS"),
              AllOf(HasSubstr("READ 9 ROWS"), HasSubstr("FILES 3 READ, 0 SKIPPED")));
}

TEST_F(ExplainAnalyzeTest, FilesWithoutTheKey) {
  // Inside the keys and times of one file, but in no bloom filter.
  EXPECT_THAT(Run("EXPLAIN ANALYZE SELECT * FROM METRICS WHERE CREATED_DATE = DATE '2024-02-10' "
                  "AND METRIC_ID = 'cpu'"),
              AllOf(HasSubstr("POINT LOOKUP ON 1 KEY"), HasSubstr("(rows=0"),
                    HasSubstr("FILES 0 READ, 2 SKIPPED BY TIME RANGE, 1 BY BLOOM FILTER")));
}

// Rows of an index are looked up in its table when the conditions on the index have been checked,
// and no more of them than a limit asks for.
TEST_F(ExplainAnalyzeTest, RowsLookedUp) {
  Run("CREATE TABLE WIDE (K INTEGER PRIMARY KEY, V INTEGER, N INTEGER, T VARCHAR)");
  for (int k = 0; k < 40; ++k) {
    const std::string values = std::to_string(k) + ", 1, " + std::to_string(k % 4) + ", 't'";
    Run("UPSERT INTO WIDE VALUES (" + values + ")");
  }
  Run("CREATE UNCOVERED INDEX WIDE_V ON WIDE (V, N)");
  EXPECT_THAT(Run("EXPLAIN ANALYZE SELECT K FROM WIDE WHERE V = 1 AND N <> 2 AND T = 't'"),
              AllOf(ContainsRegex("OVER WIDE_V \\[1\\] \\(rows=40, time="),
                    ContainsRegex("SERVER MERGE \\[0.T\\] \\(rows=30, time="),
                    ContainsRegex("SERVER FILTER BY FIRST KEY ONLY AND .* \\(rows=30, time=")));
  EXPECT_THAT(Run("EXPLAIN ANALYZE SELECT T FROM WIDE WHERE V = 1 LIMIT 3"),
              ContainsRegex("SERVER MERGE \\[0.T\\] \\(rows=3, time="));
}

// A skip scan jumps from one wanted key to the next.
TEST_F(ExplainAnalyzeTest, Seeks) {
  MakeHosts();
  const std::string plan =
      Run("EXPLAIN ANALYZE SELECT COUNT(*) FROM HOSTS WHERE HOST IN ('a', 'c') AND N > 37");
  EXPECT_THAT(plan, AllOf(HasSubstr("SKIP SCAN"), ContainsRegex("SEEKS [1-9][0-9]* BY HINT"),
                          HasSubstr("READ 4 ROWS")));
}

// Backwards it would have to read all that is between: it skips forward, and what it found is
// sorted.
TEST_F(ExplainAnalyzeTest, SkipsAreSorted) {
  MakeHosts();
  const std::string query =
      "SELECT HOST, N FROM HOSTS WHERE HOST IN ('a', 'c') AND N > 37 ORDER BY HOST DESC, N DESC";
  EXPECT_THAT(Run("EXPLAIN ANALYZE " + query),
              AllOf(HasSubstr("SKIP SCAN"), HasSubstr("READ 4 ROWS"), Not(HasSubstr("REVERSE")),
                    ContainsRegex("SERVER SORTED BY \\[HOST DESC, N DESC\\] \\(rows=4, time=")));
  EXPECT_EQ(SqlFixture::Run(query), "c|39|\nc|38|\na|39|\na|38|\n");
}

// Groups of the key's first columns are read from the end that ORDER BY begins with, and only as
// many as LIMIT asks for.
TEST_F(ExplainAnalyzeTest, FirstGroupsFromEitherEnd) {
  Run("CREATE TABLE DAYS (DAY INTEGER NOT NULL, N INTEGER NOT NULL CONSTRAINT PK PRIMARY KEY "
      "(DAY, N))");
  EXPECT_TRUE(connection_->SetAutocommit(false).ok());
  auto upsert = connection_->Prepare("UPSERT INTO DAYS VALUES (?, ?)").value();
  constexpr int kDays = 100;
  constexpr int kRowsOfDay = 100;
  for (int i = 0; i < kDays * kRowsOfDay; ++i) {
    ASSERT_TRUE(upsert->Bind(0, i / kRowsOfDay).ok());
    ASSERT_TRUE(upsert->Bind(1, i % kRowsOfDay).ok());
    ASSERT_TRUE(upsert->Execute().ok());
  }
  EXPECT_TRUE(connection_->Commit().ok());
  Flush("DAYS");
  for (const auto& [order, reverse, days] :
       {std::tuple("", false, "0|\n1|\n"), std::tuple(" DESC", true, "99|\n98|\n")}) {
    const std::string query =
        "SELECT DAY FROM DAYS GROUP BY DAY ORDER BY DAY" + std::string(order) + " LIMIT 2";
    EXPECT_EQ(SqlFixture::Run(query), days);
    const std::string plan = Run("EXPLAIN ANALYZE " + query);
    EXPECT_EQ(plan.find("REVERSE") != std::string::npos, reverse) << plan;
    EXPECT_THAT(plan, Not(HasSubstr("SORTED BY")));
    const size_t read = plan.find("READ ");
    ASSERT_NE(read, std::string::npos) << plan;
    EXPECT_LT(std::stoi(plan.substr(read + 5)), kDays * kRowsOfDay / 2) << plan;
  }
}

// The statement is really run: what it changes is changed, once.
TEST_F(ExplainAnalyzeTest, Changes) {
  EXPECT_THAT(Run("EXPLAIN ANALYZE DELETE FROM METRICS WHERE METRIC_VALUE = 7 AND CREATED_DATE < "
                  "DATE '2024-02-01'"),
              AllOf(HasSubstr("DELETE ROWS SERVER SELECT (rows=3, time="),
                    HasSubstr("FILES 1 READ, 2 SKIPPED BY TIME RANGE")));
  EXPECT_EQ(Run("SELECT COUNT(*) FROM METRICS"), "6\n");
  EXPECT_THAT(Run("EXPLAIN ANALYZE UPSERT INTO METRICS (METRIC_ID, METRIC_VALUE) SELECT METRIC_ID, "
                  "METRIC_VALUE FROM METRICS LIMIT 2"),
              HasSubstr("UPSERT SELECT (rows=2, time="));
  EXPECT_THAT(Run("EXPLAIN DELETE FROM METRICS"), Not(HasSubstr("rows=")));
}

// What subqueries give is known when the plan is shown, and each has steps of its own.
TEST_F(ExplainAnalyzeTest, JoinsAndSubqueries) {
  const std::string plan =
      Run("EXPLAIN ANALYZE SELECT A.METRIC_ID FROM METRICS A JOIN METRICS B ON A.CREATED_DATE = "
          "B.CREATED_DATE WHERE B.METRIC_VALUE >= (SELECT MAX(METRIC_VALUE) FROM METRICS)");
  EXPECT_THAT(
      plan,
      AllOf(ContainsRegex("INNER-JOIN TABLE 0 .SKIP MERGE. \\(rows=9, time=.*BUILT \\(rows=9"),
            HasSubstr("EXECUTE SINGLE-ROW SUBQUERY"),
            ContainsRegex("AGGREGATE INTO SINGLE ROW \\(rows=1")));
}

// As Phoenix 5.3 estimates the same table.
TEST_F(ExplainAnalyzeTest, GuidePostsSayHowMuchThereIs) {
  Run("CREATE TABLE ST (K INTEGER NOT NULL PRIMARY KEY, A.V VARCHAR, B.W VARCHAR) "
      "GUIDE_POSTS_WIDTH=100");
  for (const char* key : {"1", "2", "3", "4", "5"}) {
    Run(std::string("UPSERT INTO ST VALUES (") + key + ", '" + std::string(31, 'a') + "', 'b')");
  }
  Run("UPSERT INTO ST VALUES (6, NULL, 'b')");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM ST"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER ST\n");
  Run("UPDATE STATISTICS ST");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM ST"),
            "CLIENT 4-CHUNK 5 ROWS 382 BYTES PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER ST\n");
  EXPECT_THAT(Run("EXPLAIN SELECT COUNT(*) FROM ST WHERE K > 3"),
              HasSubstr("CLIENT 2-CHUNK 2 ROWS 118 BYTES PARALLEL 1-WAY RANGE SCAN OVER ST"));
  EXPECT_THAT(Run("EXPLAIN SELECT B.W FROM ST WHERE K = 3"),
              HasSubstr("1-CHUNK 1 ROWS 181 BYTES PARALLEL 1-WAY ROUND ROBIN POINT LOOKUP"));
  EXPECT_THAT(Run("EXPLAIN SELECT B.W FROM ST LIMIT 2"),
              HasSubstr("CLIENT 1-CHUNK 2 ROWS 362 BYTES SERIAL 1-WAY"));
  Run("DELETE FROM SYSTEM.STATS");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM ST"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER ST\n");
}

TEST_F(ExplainAnalyzeTest, GuidePostsOfASaltedTable) {
  Run("CREATE TABLE SU (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR) SALT_BUCKETS=2, "
      "GUIDE_POSTS_WIDTH=60");
  for (const char* key : {"1", "2", "3", "4"}) {
    Run(std::string("UPSERT INTO SU VALUES (") + key + ", 'aaaa')");
  }
  Run("UPDATE STATISTICS SU");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM SU"),
            "CLIENT 6-CHUNK 4 ROWS 252 BYTES PARALLEL 2-WAY ROUND ROBIN FULL SCAN OVER SU\n");
}

}  // namespace
}  // namespace bennu
