// Which indexes the mode 'indexed' of sqltest makes, and how a query is asked without them.
#include "src/cli/sqltest_indexes.h"

#include <gtest/gtest.h>

namespace bennu::cli {
namespace {

using Statements = std::vector<std::string>;

// Every SELECT of a query is told, with the hints that it has; words in quotes, in comments and
// within names are none.
TEST(SqlTestIndexesTest, WithoutIndexes) {
  EXPECT_EQ(WithoutIndexes("SELECT a FROM T"), "SELECT /*+ NO_INDEX */ a FROM T");
  EXPECT_EQ(WithoutIndexes("select\n/*+ INDEX(T I) SKIP_SCAN */ a FROM T"),
            "select /*+ NO_INDEX  INDEX(T I) SKIP_SCAN */  a FROM T");
  EXPECT_EQ(WithoutIndexes("SELECT a FROM T WHERE a IN (SELECT b FROM S)"),
            "SELECT /*+ NO_INDEX */ a FROM T WHERE a IN (SELECT /*+ NO_INDEX */ b FROM S)");
  EXPECT_EQ(WithoutIndexes("SELECT 'SELECT ', \"SELECT \", MY_SELECT -- SELECT x"),
            "SELECT /*+ NO_INDEX */ 'SELECT ', \"SELECT \", MY_SELECT -- SELECT x");
}

// Columns are shared out between the keys; the covered index includes all others.
TEST(SqlTestIndexesTest, ColumnsAreSharedOut) {
  const std::vector<SqlTestColumn> columns = {
      {"\"K\"", true}, {"\"A\""}, {"\"X\"", false, false}, {"\"B\""}, {"\"C\""}};
  EXPECT_EQ(IndexStatements("", "T", columns),
            (Statements{"CREATE INDEX IF NOT EXISTS \"COVERED_T\" ON \"T\" (\"A\", \"B\" DESC) "
                        "INCLUDE (\"X\", \"C\")",
                        "CREATE UNCOVERED INDEX IF NOT EXISTS \"UNCOVERED_T\" ON \"T\" "
                        "(\"C\" DESC)"}));
}

// With a longer key its last column moves into the index's; a table of keys alone has them turned
// round.
TEST(SqlTestIndexesTest, ColumnsOfTheKey) {
  const std::vector<SqlTestColumn> one_value = {{"\"K\"", true}, {"\"L\"", true}, {"\"A\""}};
  EXPECT_EQ(IndexStatements("s", "t\"", one_value),
            (Statements{"CREATE INDEX IF NOT EXISTS \"COVERED_t\"\"\" ON \"s\".\"t\"\"\" (\"A\", "
                        "\"L\" DESC)",
                        "CREATE UNCOVERED INDEX IF NOT EXISTS \"UNCOVERED_t\"\"\" ON "
                        "\"s\".\"t\"\"\" (\"A\" DESC)"}));
  const std::vector<SqlTestColumn> keys = {{"\"K\"", true}, {"\"L\"", true}};
  EXPECT_EQ(
      IndexStatements("", "T", keys),
      (Statements{"CREATE INDEX IF NOT EXISTS \"COVERED_T\" ON \"T\" (\"L\")",
                  "CREATE UNCOVERED INDEX IF NOT EXISTS \"UNCOVERED_T\" ON \"T\" (\"K\" DESC)"}));
  EXPECT_TRUE(IndexStatements("", "T", {}).empty());
}

}  // namespace
}  // namespace bennu::cli
