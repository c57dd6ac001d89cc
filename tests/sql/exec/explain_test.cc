// EXPLAIN of queries that no index serves, as recorded (explain/plans), without the estimates.
#include <gtest/gtest.h>

#include "src/sql/exec/query.h"
#include "src/sql/session/session.h"
#include "src/sql/types/text.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::exec {
namespace {

class ExplainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = session::SqlStore::Open(&memory_, PrepareQuery);
    ASSERT_TRUE(store.ok());
    store_ = std::move(store).value();
    auto session = session::Session::Open(store_.get(), {});
    ASSERT_TRUE(session.ok());
    session_ = std::move(session).value();
    Run("CREATE TABLE EX1 (a VARCHAR NOT NULL, b INTEGER NOT NULL, c DATE NOT NULL, v VARCHAR, "
        "n INTEGER, CONSTRAINT pk PRIMARY KEY (a, b DESC, c))");
    Run("CREATE TABLE EX2 (k BIGINT NOT NULL PRIMARY KEY, r VARCHAR, m.q DECIMAL) SALT_BUCKETS=4");
    Run("CREATE TABLE EX3 (h VARCHAR NOT NULL, ts DATE NOT NULL, v INTEGER, CONSTRAINT pk PRIMARY "
        "KEY (h, ts ROW_TIMESTAMP))");
  }

  std::string Run(const std::string& sql) {
    auto result = session_->Execute(sql);
    EXPECT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
    std::string lines;
    DataChunk chunk;
    while (result.ok() && result->rows != nullptr) {
      EXPECT_TRUE(result->rows->Next(&chunk).ok());
      if (chunk.size == 0) break;
      for (size_t row = 0; row < chunk.size; ++row) {
        lines += std::string(chunk.columns[0].At<std::string_view>(row)) + "\n";
      }
    }
    return lines;
  }

  testing::MemoryStore memory_;
  std::unique_ptr<session::SqlStore> store_;
  std::unique_ptr<session::Session> session_;
};

// What a store lacks is planned around, and shown: rows are passed over by a filter, and each
// region is read as of its own moment.
TEST_F(ExplainTest, StoresThatCanDoLess) {
  Run("UPSERT INTO EX1 (a, b, c, n) VALUES ('x', 1, DATE '2024-01-01', 1)");
  Run("UPSERT INTO EX1 (a, b, c, n) VALUES ('xx', 2, DATE '2024-01-01', 2)");
  Run("UPSERT INTO EX1 (a, b, c, n) VALUES ('y', 3, DATE '2024-01-01', 3)");
  const std::string rows = Run("SELECT a FROM EX1 WHERE a IN ('x', 'y') ORDER BY a DESC");
  EXPECT_EQ(rows, "y\nx\n");
  memory_.SetCapabilities({.snapshots = true, .navigators = false});
  const std::string scan = Run("EXPLAIN SELECT * FROM EX1 WHERE a IN ('x', 'y')");
  EXPECT_NE(scan.find("RANGE SCAN OVER EX1"), std::string::npos) << scan;
  EXPECT_NE(scan.find("SERVER FILTER BY"), std::string::npos) << scan;
  EXPECT_EQ(scan.find("MOMENT"), std::string::npos) << scan;
  EXPECT_EQ(Run("SELECT a FROM EX1 WHERE a IN ('x', 'y') ORDER BY a DESC"), rows);
  memory_.SetCapabilities({});
  const std::string plain = Run("EXPLAIN SELECT * FROM EX1");
  EXPECT_NE(plain.find("EACH REGION AS OF ITS OWN MOMENT"), std::string::npos) << plain;
  EXPECT_EQ(Run("SELECT a FROM EX1 WHERE a IN ('x', 'y') ORDER BY a DESC"), rows);
  Run("DECLARE CURS CURSOR FOR SELECT a FROM EX1");
  Run("OPEN CURS");
  Run("DELETE FROM EX1");
  EXPECT_EQ(Run("FETCH NEXT 9 ROWS FROM CURS"), "x\nxx\ny\n");
}

TEST_F(ExplainTest, ScansAndRanges) {
  const std::string scan = "CLIENT 1-CHUNK PARALLEL 1-WAY ROUND ROBIN ";
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a = 'x'"), scan + "RANGE SCAN OVER EX1 ['x']\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a = 'x' AND b = 5"),
            scan + "RANGE SCAN OVER EX1 ['x',~5]\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a = 'x' AND b > 5"),
            scan + "RANGE SCAN OVER EX1 ['x',*] - ['x',~5]\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a > 'm'"),
            scan + "RANGE SCAN OVER EX1 ['m'] - [*]\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a LIKE 'm%'"),
            scan + "RANGE SCAN OVER EX1 ['m'] - ['n']\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a IN ('x', 'y')"),
            scan + "SKIP SCAN ON 2 KEYS OVER EX1 ['x'] - ['y']\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a IN ('x', 'y') AND b IN (1, 2)"),
            scan + "SKIP SCAN ON 4 KEYS OVER EX1 ['x',~2] - ['y',~1]\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE a = 'x' AND a = 'z'"),
            "DEGENERATE SCAN OVER EX1\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 WHERE 1 = 0"), "DEGENERATE SCAN OVER EX1\n");
}

TEST_F(ExplainTest, OrderFiltersAndGroups) {
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 ORDER BY a"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY FULL SCAN OVER EX1\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX1 ORDER BY a DESC, b, c DESC"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY REVERSE FULL SCAN OVER EX1\n");
  EXPECT_EQ(Run("EXPLAIN SELECT v FROM EX1 WHERE v = 'q'"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER EX1\n"
            "    SERVER FILTER BY V = 'q'\n");
  EXPECT_EQ(Run("EXPLAIN SELECT a, COUNT(*) FROM EX1 GROUP BY a"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY FULL SCAN OVER EX1\n"
            "    SERVER FILTER BY FIRST KEY ONLY\n"
            "    SERVER AGGREGATE INTO ORDERED DISTINCT ROWS BY [A]\n");
  EXPECT_EQ(Run("EXPLAIN SELECT 1"), "");
}

TEST_F(ExplainTest, SaltedTables) {
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX2"),
            "CLIENT 4-CHUNK PARALLEL 4-WAY ROUND ROBIN FULL SCAN OVER EX2\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX2 WHERE k > 5"),
            "CLIENT 4-CHUNK PARALLEL 4-WAY ROUND ROBIN RANGE SCAN OVER EX2 [X'00',6] - "
            "[X'03',*]\n");
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX2 ORDER BY k"),
            "CLIENT 4-CHUNK PARALLEL 4-WAY FULL SCAN OVER EX2\nCLIENT MERGE SORT\n");
  EXPECT_EQ(Run("EXPLAIN SELECT COUNT(*) FROM EX2"),
            "CLIENT 4-CHUNK PARALLEL 4-WAY FULL SCAN OVER EX2\n"
            "    SERVER FILTER BY FIRST KEY ONLY\n"
            "    SERVER AGGREGATE INTO SINGLE ROW\n");
}

TEST_F(ExplainTest, RowTimestamp) {
  EXPECT_EQ(Run("EXPLAIN SELECT * FROM EX3 WHERE ts > DATE '2020-01-01'"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER EX3\n"
            "    ROW TIMESTAMP FILTER [1577836800001, 9223372036854775807)\n"
            "    SERVER FILTER BY TS > DATE '2020-01-01 00:00:00.000'\n");
}

}  // namespace
}  // namespace bennu::sql::exec
