// Guide posts that major compactions write. The numbers are a real Phoenix's (5.2.1), which was
// told the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

class CompactionStatisticsTest : public SqlFixture<::testing::Test> {
 protected:
  void SetUp() override { OpenStore(2); }

  void Major(const std::string& table) {
    Flush(table);
    Compact(table);
  }
  std::string Posts(const std::string& table) {
    return Run(
        "SELECT COLUMN_FAMILY, GUIDE_POST_KEY, GUIDE_POSTS_WIDTH, GUIDE_POSTS_ROW_COUNT FROM "
        "SYSTEM.STATS WHERE PHYSICAL_NAME = '" +
        table + "' AND COLUMN_FAMILY IS NOT NULL");
  }
};

TEST_F(CompactionStatisticsTest, OfEachFamily) {
  Run("CREATE TABLE A (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR, B.W VARCHAR) "
      "GUIDE_POSTS_WIDTH=200");
  for (int k = 0; k < 10; ++k) {
    const std::string number = std::to_string(k);
    Run("UPSERT INTO A VALUES (" + number + ", 'value" + number + "', 'w" + number + "')");
  }
  EXPECT_EQ(Posts("A"), "");
  Major("A");
  EXPECT_EQ(Posts("A"),
            "0|x'80000003'|219|4|\n"
            "0|x'80000006'|222|3|\n"
            "B|x'80000006'|203|7|\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM SYSTEM.STATS WHERE PHYSICAL_NAME = 'A' AND COLUMN_FAMILY IS "
                "NULL AND LAST_STATS_UPDATE_TIME > CURRENT_DATE() - 1"),
            "1|\n");
  // What is deleted, and versions that are not kept, do not count; what was known is gone.
  Run("UPSERT INTO A SELECT K + 100, V, W FROM A");
  Run("UPSERT INTO A VALUES (3, 'other', 'w')");
  Run("DELETE FROM A WHERE K < 2");
  Major("A");
  EXPECT_EQ(Posts("A"),
            "0|x'80000005'|218|4|\n"
            "0|x'80000008'|222|3|\n"
            "0|x'80000066'|219|4|\n"
            "0|x'80000069'|222|3|\n"
            "0|x'8000006d'|219|4|\n"
            "B|x'80000008'|202|7|\n"
            "B|x'80000069'|203|7|\n");
  EXPECT_THAT(RunFirst("EXPLAIN SELECT * FROM A"), ::testing::HasSubstr("6-CHUNK"));
}

// HFiles that are loaded bring no guide posts; the next major compaction counts their
// rows as it counts any.
TEST_F(CompactionStatisticsTest, OfLoadedFiles) {
  const std::string columns =
      " (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR, B.W VARCHAR) GUIDE_POSTS_WIDTH=200";
  Run("CREATE TABLE A" + columns);
  Run("CREATE TABLE C" + columns);
  for (int k = 0; k < 10; ++k) {
    const std::string number = std::to_string(k);
    Run("UPSERT INTO A VALUES (" + number + ", 'value" + number + "', 'w" + number + "')");
  }
  Admin* const admin = database_->store()->admin();
  const std::string folder = path_.string() + ".exported";
  ASSERT_TRUE(admin->ExportTable({"default", "A"}, folder, {}).ok());
  const auto loaded = admin->BulkLoad({"default", "C"}, folder, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(Run("SELECT COUNT(*) FROM C"), "10|\n");
  EXPECT_EQ(Posts("C"), "");
  Major("C");
  EXPECT_EQ(Posts("C"),
            "0|x'80000003'|219|4|\n"
            "0|x'80000006'|222|3|\n"
            "B|x'80000006'|203|7|\n");
  EXPECT_EQ(Posts("A"), "");
}

// A region without a guide post has a row without a key, and only its own posts go.
TEST_F(CompactionStatisticsTest, OfEachRegion) {
  Run("CREATE TABLE S (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR) GUIDE_POSTS_WIDTH=200 "
      "SPLIT ON (5, 8)");
  for (const int k : {0, 1, 2, 3, 4, 8, 9}) {
    const std::string number = std::to_string(k);
    Run("UPSERT INTO S VALUES (" + number + ", 'value" + number + "')");
  }
  Major("S");
  const std::string small = "0|NULL|200|0|\n";
  EXPECT_EQ(Posts("S"), small + "0|x'80000003'|219|4|\n");
  Run("UPSERT INTO S VALUES (6, 'x')");
  Major("S");
  EXPECT_EQ(Posts("S"), small + "0|x'80000003'|219|4|\n");
  Run("DELETE FROM S WHERE K < 5");
  Major("S");
  EXPECT_EQ(Posts("S"), small);
}

TEST_F(CompactionStatisticsTest, WidthOfTheTableOrTheDefault) {
  Run("CREATE TABLE Z (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR) GUIDE_POSTS_WIDTH=0");
  Run("UPSERT INTO Z VALUES (1, 'a')");
  Major("Z");
  EXPECT_EQ(Posts("Z"), "0|NULL|0|0|\n");
  EXPECT_EQ(RunFirst("EXPLAIN SELECT * FROM Z"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER Z\n");
  Run("UPDATE STATISTICS Z");
  EXPECT_EQ(Posts("Z"), "");

  Run("CREATE TABLE N.T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR) GUIDE_POSTS_WIDTH=100");
  Run("UPSERT INTO N.T VALUES (1, 'a')");
  Run("UPSERT INTO N.T VALUES (2, 'a')");
  Run("UPSERT INTO N.T VALUES (3, 'a')");
  Major("N.T");
  EXPECT_EQ(Posts("N.T"), "0|x'80000002'|116|2|\n");
  Run("ALTER TABLE N.T SET GUIDE_POSTS_WIDTH=70");
  Major("N.T");
  EXPECT_EQ(Posts("N.T"),
            "0|x'80000002'|88|2|\n"
            "0|x'80000003'|86|1|\n");

  Run("CREATE TABLE D (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)");
  Run("UPSERT INTO D VALUES (1, 'a')");
  Major("D");
  EXPECT_EQ(Posts("D"), "0|NULL|314572800|0|\n");
  EXPECT_EQ(RunFirst("EXPLAIN SELECT * FROM D"),
            "CLIENT 1-CHUNK 2995931 ROWS 314572800 BYTES PARALLEL 1-WAY ROUND ROBIN FULL SCAN OVER "
            "D\n");
}

// Tables of HBase that Phoenix knows nothing of, the system's, and stores that want none.
TEST_F(CompactionStatisticsTest, NotOfEveryTable) {
  Run("CREATE TABLE USED (K INTEGER NOT NULL PRIMARY KEY)");  // makes the system's tables
  TableDescriptor plain;
  plain.name = {"default", "PLAIN"};
  plain.families.push_back({});
  plain.families.back().name = "f";
  ASSERT_TRUE(database_->store()->admin()->CreateTable(plain, {}).ok());
  MutationBatch batch;
  batch.StartRow("row");
  batch.Put("f", "q", "value");
  ASSERT_TRUE(database_->store()->OpenTable(plain.name).value()->Write(&batch).ok());
  Major("PLAIN");
  const std::vector<TableName> all = database_->store()->admin()->ListTables().value();
  EXPECT_GT(all.size(), 4u);
  for (const TableName& name : all) {
    if (name.qualifier == "USED") continue;
    EXPECT_TRUE(database_->store()->admin()->Flush(name).ok());
    EXPECT_TRUE(database_->store()->admin()->Compact(name, true).ok()) << name.ToString();
  }
  EXPECT_EQ(Run("SELECT COUNT(*) FROM SYSTEM.STATS"), "0|\n");

  connection_.reset();
  database_.reset();
  DatabaseOptions options;
  options.configuration["phoenix.stats.collection.enabled"] = "false";
  database_ = Database::Open(path_, options).value();
  connection_ = database_->Connect().value();
  Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY)");
  Run("UPSERT INTO T VALUES (1)");
  Major("T");
  Run("UPDATE STATISTICS T");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM SYSTEM.STATS"), "0|\n");

  connection_.reset();
  database_.reset();
  options.configuration = {{"phoenix.stats.guidepost.width", "10"}};
  database_ = Database::Open(path_, options).value();
  connection_ = database_->Connect().value();
  Run("UPSERT INTO T VALUES (2)");
  Major("T");
  EXPECT_EQ(Run("SELECT GUIDE_POST_KEY, GUIDE_POSTS_ROW_COUNT FROM SYSTEM.STATS WHERE "
                "COLUMN_FAMILY = '0'"),
            "x'80000001'|1|\nx'80000002'|1|\n");
}

// A compaction whose guide posts have no place takes place all the same.
TEST_F(CompactionStatisticsTest, NoneIsNoFault) {
  Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY) GUIDE_POSTS_WIDTH=10");
  Run("UPSERT INTO T VALUES (1)");
  Flush("T");
  Run("UPSERT INTO T VALUES (2)");
  Admin* const admin = database_->store()->admin();
  ASSERT_TRUE(admin->DisableTable({"default", "SYSTEM.STATS"}).ok());
  Major("T");
  ASSERT_TRUE(admin->EnableTable({"default", "SYSTEM.STATS"}).ok());
  EXPECT_EQ(Posts("T"), "");
  Major("T");
  // An empty column: 20 bytes of lengths, time and type, 4 of key, 1 of family, 4 and 1 of its own.
  EXPECT_EQ(Posts("T"), "0|x'80000001'|30|1|\n0|x'80000002'|30|1|\n");
}

}  // namespace
}  // namespace bennu
