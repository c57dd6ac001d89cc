// Views over tables of HBase, whose rows others write: without the empty cell, by which SQL knows
// its own rows. Any cell of the view's families makes a row there. The answers in SeeWhatHBaseWrote
// are those of Phoenix 5.2.1.
#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/mutation.h"
#include "bennu/table.h"
#include "gtest/gtest.h"
#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

class MappedViewsTest : public SqlFixture<::testing::Test> {
 protected:
  void SetUp() override {
    OpenStore(2);
    TableDescriptor descriptor;
    descriptor.name = {"default", "H"};
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[1].name = "g";
    ASSERT_TRUE(database_->store()->admin()->CreateTable(descriptor, {}).ok());
    table_ = database_->store()->OpenTable(descriptor.name).value();
  }
  void TearDown() override {
    table_.reset();
    SqlFixture::TearDown();
  }

  void Put(const std::string& row, const std::string& family, const std::string& qualifier,
           const std::string& value) {
    EXPECT_TRUE(table_->Put(row, family, qualifier, value).ok());
  }
  // A row of each kind; 'tail' makes them others.
  void PutRows(const std::string& tail) {
    Put("a" + tail, "f", "V", "x");
    Put("b" + tail, "f", "N", std::string("\0\0\0\0\0\0\0\5", 8));
    Put("c" + tail, "f", "W", "w");
    Put("d" + tail, "f", "X", "x");  // no column of the view
    Put("e" + tail, "g", "X", "x");  // no family of the view
  }
  void MakeView() {
    Run(R"(CREATE VIEW H (K VARCHAR PRIMARY KEY, "f".V VARCHAR, "f".W VARCHAR, "f".N UNSIGNED_LONG))");
  }

  std::shared_ptr<Table> table_;
};

TEST_F(MappedViewsTest, SeeWhatHBaseWrote) {
  PutRows("");
  MakeView();
  for (const std::string state : {"memory", "file"}) {
    EXPECT_EQ(Run("SELECT K, V, W, N FROM H"),
              "a|x|NULL|NULL|\nb|NULL|NULL|5|\nc|NULL|w|NULL|\nd|NULL|NULL|NULL|\n")
        << state;
    EXPECT_EQ(Run("SELECT K, V FROM H"), "a|x|\nb|NULL|\nc|NULL|\nd|NULL|\n") << state;
    EXPECT_EQ(Run("SELECT K FROM H"), "a|\nb|\nc|\nd|\n") << state;
    EXPECT_EQ(Run("SELECT COUNT(*) FROM H"), "4|\n") << state;
    EXPECT_EQ(Run("SELECT COUNT(V) FROM H"), "1|\n") << state;
    EXPECT_EQ(Run("SELECT K FROM H WHERE V = 'x'"), "a|\n") << state;
    EXPECT_EQ(Run("SELECT K FROM H WHERE V IS NULL"), "b|\nc|\nd|\n") << state;
    EXPECT_EQ(Run("SELECT K, V FROM H WHERE K = 'b'"), "b|NULL|\n") << state;
    EXPECT_EQ(Run("SELECT K, V FROM H WHERE K = 'd'"), "d|NULL|\n") << state;
    EXPECT_EQ(Run("SELECT K, V FROM H WHERE K = 'e'"), "") << state;
    EXPECT_EQ(Run("SELECT K FROM H WHERE K > 'a' LIMIT 2"), "b|\nc|\n") << state;
    EXPECT_EQ(Run("SELECT COUNT(*) FROM H WHERE N > 0"), "1|\n") << state;
    EXPECT_EQ(Run("SELECT V, COUNT(*) FROM H GROUP BY V"), "NULL|3|\nx|1|\n") << state;
    EXPECT_EQ(Run("SELECT K FROM H ORDER BY K DESC"), "d|\nc|\nb|\na|\n") << state;
    Flush("H");
  }
}

// Enough of them that whole blocks are taken by columns.
TEST_F(MappedViewsTest, CountManyRows) {
  constexpr int kRows = 5000;
  MutationBatch batch;
  for (int i = 0; i < kRows; ++i) {
    batch.StartRow("r" + std::to_string(i));
    batch.Put(i % 5 == 4 ? "g" : "f", i % 2 == 0 ? "V" : "X", "v" + std::to_string(i % 3));
  }
  ASSERT_TRUE(table_->Write(&batch).ok());
  MakeView();
  for (const std::string state : {"memory", "file", "one file"}) {
    EXPECT_EQ(Run("SELECT COUNT(*) FROM H"), "4000|\n") << state;
    EXPECT_EQ(Run("SELECT COUNT(V) FROM H"), "2000|\n") << state;
    EXPECT_EQ(Run("SELECT COUNT(*) FROM H WHERE V IS NULL"), "2000|\n") << state;
    EXPECT_EQ(Run("SELECT COUNT(*) FROM (SELECT K FROM H WHERE K > 'r' ORDER BY V LIMIT 3500)"),
              "3500|\n")
        << state;
    if (state == "memory") Flush("H");
    if (state == "file") Compact("H");
  }
}

TEST_F(MappedViewsTest, IndexesHaveWhatTheyHave) {
  const std::vector<std::string> indexes = {"BY_V", "BY_W", "BY_N", "LOCAL_V", "LOCAL_N"};
  PutRows("");
  MakeView();
  Run("CREATE INDEX BY_V ON H (V) INCLUDE (W)");
  Run("CREATE UNCOVERED INDEX BY_W ON H (W)");
  Run("CREATE INDEX BY_N ON H (N)");
  Run("CREATE LOCAL INDEX LOCAL_V ON H (V)");
  Run("CREATE LOCAL INDEX LOCAL_N ON H (N) INCLUDE (W)");
  PutRows("2");
  Put("a3", "f", "V", "x");
  ASSERT_TRUE(table_->DeleteRow("a2").ok());
  for (const std::string& index : indexes) {
    EXPECT_EQ(Run("CHECK INDEX " + index + " ON H"), "") << index;
    for (const std::string condition :
         {"V = 'x'", "V IS NULL", "W > 'a'", "W IS NULL", "N > 0", "N IS NULL", "K > 'a'"}) {
      const auto ask = [&](const std::string& hint) {
        return Run("SELECT /*+ " + hint + " */ K, V, W, N FROM H WHERE " + condition +
                   " ORDER BY K");
      };
      EXPECT_EQ(ask("INDEX(H " + index + ")"), ask("NO_INDEX")) << index << ", " << condition;
    }
  }
  EXPECT_EQ(Run("SELECT K, W FROM H WHERE V IS NULL ORDER BY K"),
            "b|NULL|\nb2|NULL|\nc|w|\nc2|w|\nd|NULL|\nd2|NULL|\n");
}

// A table of SQL over one of HBase's takes its rows in; NOVERIFY leaves them.
TEST_F(MappedViewsTest, ATableTakesRowsIn) {
  PutRows("");
  Run(R"(CREATE TABLE H (K VARCHAR PRIMARY KEY, "f".V VARCHAR, "f".W VARCHAR) COLUMN_ENCODED_BYTES=0)");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM H"), "5|\n");
  EXPECT_EQ(Run("SELECT K, V FROM H"), "a|x|\nb|NULL|\nc|NULL|\nd|NULL|\ne|NULL|\n");
  Run("DROP TABLE H");

  TableDescriptor descriptor;
  descriptor.name = {"default", "N"};
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  ASSERT_TRUE(database_->store()->admin()->CreateTable(descriptor, {}).ok());
  table_ = database_->store()->OpenTable(descriptor.name).value();
  Put("a", "f", "V", "x");
  Run(R"(CREATE TABLE N (K VARCHAR PRIMARY KEY, "f".V VARCHAR) NOVERIFY COLUMN_ENCODED_BYTES=0)");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM N"), "0|\n");
  EXPECT_EQ(Run("SELECT K, V FROM N"), "a|x|\n");
}

// An HBase client that does not know of the empty cell writes into a table of SQL: what a query
// finds of its rows it finds by indexes, too.
TEST_F(MappedViewsTest, IndexesOfATableWhoseRowsLackTheEmptyCell) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY, V VARCHAR, W VARCHAR, N UNSIGNED_LONG) "
      "COLUMN_ENCODED_BYTES=0");
  Run("CREATE INDEX BY_V ON T (V) INCLUDE (W, N)");
  Run("CREATE UNCOVERED INDEX BY_W ON T (W)");
  Run("CREATE LOCAL INDEX LOCAL_N ON T (N)");
  table_ = database_->store()->OpenTable({"default", "T"}).value();
  Put("a", "0", "V", "x");
  Put("b", "0", "N", std::string("\0\0\0\0\0\0\0\5", 8));
  Put("c", "0", "W", "w");
  Run("UPSERT INTO T VALUES ('d', 'x', 'w', 5)");
  const auto ask = [&](const std::string& hint, const std::string& condition) {
    return Run("SELECT /*+ " + hint + " */ K, V, W, N FROM T WHERE " + condition + " ORDER BY K");
  };
  EXPECT_EQ(ask("INDEX(T BY_V)", "V = 'x'"), "a|x|NULL|NULL|\nd|x|w|5|\n");
  EXPECT_EQ(ask("INDEX(T BY_W)", "W = 'w'"), "c|NULL|w|NULL|\nd|x|w|5|\n");
  EXPECT_EQ(ask("INDEX(T LOCAL_N)", "N = 5"), "b|NULL|NULL|5|\nd|x|w|5|\n");
  for (const std::string index : {"BY_V", "BY_W", "LOCAL_N"})
    EXPECT_EQ(Run("CHECK INDEX " + index + " ON T"), "") << index;
}

}  // namespace
}  // namespace bennu
