// What the recorded files do not show of sequences: the cells, the batches, what is left of them.
#include "src/sql/session/sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/hex.h"
#include "src/sql/exec/query.h"
#include "src/sql/session/session.h"
#include "src/sql/types/sql_errors.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::session {
namespace {

using ::testing::ElementsAre;

class SequencesTest : public ::testing::Test {
 protected:
  SequencesTest() { Open(); }

  void Open() {
    session_ = nullptr;
    sql_ = nullptr;
    sql_ = SqlStore::Open(&store_, exec::PrepareQuery).value();
    session_ = Session::Open(sql_.get(), {}).value();
  }
  void Run(std::string_view sql) {
    const auto result = session_->Execute(sql);
    ASSERT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
  }
  int64_t Value1(std::string_view sql) {
    const auto result = session_->Execute(sql);
    EXPECT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
    DataChunk chunk;
    if (!result.ok() || !result->rows->Next(&chunk).ok() || chunk.size != 1) return -1;
    return chunk.columns[0].GetValue(0).int64();
  }
  std::map<std::string, std::string> Cells() {
    const auto table = *store_.OpenTable(TableName{"default", "SYSTEM.SEQUENCE"});
    const auto scanner = table->OpenScanner(Scan()).value();
    CellBatch batch;
    EXPECT_TRUE(scanner->Next(100, &batch).ok());
    std::map<std::string, std::string> found;
    for (const Cell& cell : batch.cells) {
      found[HexEncode(cell.row()) + ":" + std::string(cell.qualifier())] =
          HexEncode(cell.value_view());
    }
    return found;
  }

  testing::MemoryStore store_;
  std::unique_ptr<SqlStore> sql_;
  std::unique_ptr<Session> session_;
};

// phoenix-storage.md 4.1: the row, and the example of a reservation there.
TEST_F(SequencesTest, CellsOfASequence) {
  Run("CREATE SEQUENCE S.Q START WITH 5 INCREMENT BY 2 CACHE 10");
  std::map<std::string, std::string> cells = Cells();
  const std::string row = "00530051:";  // · S · Q
  EXPECT_EQ(cells.at(row + "_0"), "");
  EXPECT_EQ(cells.at(row + "START_WITH"), "8000000000000005");
  EXPECT_EQ(cells.at(row + "CURRENT_VALUE"), "8000000000000005");
  EXPECT_EQ(cells.at(row + "INCREMENT_BY"), "8000000000000002");
  EXPECT_EQ(cells.at(row + "CACHE_SIZE"), "800000000000000a");
  EXPECT_EQ(cells.at(row + "MIN_VALUE"), "0000000000000000");
  EXPECT_EQ(cells.at(row + "MAX_VALUE"), "ffffffffffffffff");
  EXPECT_EQ(cells.at(row + "CYCLE_FLAG"), "00");
  EXPECT_EQ(cells.at(row + "LIMIT_REACHED_FLAG"), "00");
  EXPECT_EQ(cells.size(), 9u);
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR S.Q"), 5);
  EXPECT_EQ(Cells().at(row + "CURRENT_VALUE"), "8000000000000019");
}

// A store that is closed gives back what it did not use; values given stay given.
TEST_F(SequencesTest, UnusedValuesComeBack) {
  Run("CREATE SEQUENCE Q");
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR Q"), 1);
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR Q"), 2);
  Open();
  const auto result = session_->Execute("SELECT CURRENT VALUE FOR Q").value();
  DataChunk chunk;
  EXPECT_TRUE(IsSqlError(result.rows->Next(&chunk), 1206));
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR Q"), 3);
}

TEST_F(SequencesTest, BatchesOfAnOlderSequenceAreForgotten) {
  Run("CREATE SEQUENCE Q START WITH 10");
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR Q"), 10);
  Run("DROP SEQUENCE Q");
  Run("CREATE SEQUENCE Q START WITH 70");
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR Q"), 70);
}

// Where a value goes decides nothing about how often it is taken: once for each row that is shown.
TEST_F(SequencesTest, OneValuePerRow) {
  Run("CREATE SEQUENCE Q");
  Run("CREATE TABLE T (K BIGINT NOT NULL PRIMARY KEY, V BIGINT)");
  Run("UPSERT INTO T VALUES (NEXT VALUE FOR Q, 30), (NEXT VALUE FOR Q, 20), (NEXT VALUE FOR Q, "
      "10)");
  EXPECT_EQ(Value1("SELECT COUNT(*) FROM T"), 3);
  EXPECT_EQ(Value1("SELECT V + 1000 * NEXT VALUE FOR Q FROM T ORDER BY V LIMIT 1"), 4010);
  EXPECT_EQ(Value1("SELECT COUNT(*) + NEXT VALUE FOR Q FROM T"), 8);
  Run("SELECT K FROM T WHERE K > 100");
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR Q - CURRENT VALUE FOR Q"), 0);
  EXPECT_EQ(Value1("SELECT CURRENT VALUE FOR Q"), 6);
}

TEST_F(SequencesTest, Definitions) {
  const auto code = [&](std::string_view sql, int expected) {
    const Status status = session_->Execute(sql).status();
    EXPECT_TRUE(IsSqlError(status, expected)) << sql << ": " << status.ToString();
  };
  code("CREATE SEQUENCE Q INCREMENT BY 1.5", 1203);
  code("CREATE SEQUENCE Q MINVALUE 'a'", 1208);
  code("CREATE SEQUENCE Q MAXVALUE NULL", 1209);
  code("CREATE SEQUENCE Q START WITH K", 1202);
  code("SELECT NEXT VALUE FOR Q, 1 FROM SYSTEM.CATALOG GROUP BY NEXT VALUE FOR Q", 1205);
  code("SELECT DISTINCT NEXT VALUE FOR Q FROM SYSTEM.CATALOG", 1205);
  Run("CREATE SEQUENCE Q INCREMENT BY -1 MAXVALUE 9");
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR Q"), 9);
  Run("CREATE SEQUENCE R MINVALUE 3 MAXVALUE 9");
  EXPECT_EQ(Value1("SELECT NEXT VALUE FOR R"), 3);
  EXPECT_EQ(Value1("SELECT NEXT 4 VALUES FOR R"), 4);
  code("SELECT NEXT 9 VALUES FOR R", 1212);
}

}  // namespace
}  // namespace bennu::sql::session
