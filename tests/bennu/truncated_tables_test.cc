// A table that the Admin empties takes its indexes with it: those with tables of their own, those
// of views over it, and local ones, all at once, whatever fails or dies on the way.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/scan.h"
#include "bennu/table.h"
#include "src/base/env.h"
#include "src/base/failpoint.h"
#include "tests/bennu/reopened_store.h"

namespace bennu {
namespace {

using Rows = std::vector<std::string>;

const TableName kTable{"default", "T"};

class TruncatedTablesTest : public ReopenedStoreTest {
 protected:
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    ReopenedStoreTest::TearDown();
  }
  Admin* admin() { return database_->store()->admin(); }

  void MakeTable() {
    Do("CREATE TABLE t (k VARCHAR NOT NULL PRIMARY KEY, a INTEGER, b INTEGER, c VARCHAR)");
    Do("CREATE INDEX t_a ON t (a) INCLUDE (b, c)");
    Do("CREATE INDEX t_s ON t (c) SALT_BUCKETS = 3");
    Do("CREATE INDEX t_x ON t (b)");
    Do("CREATE LOCAL INDEX t_l ON t (b)");
    Do("CREATE VIEW v AS SELECT * FROM t WHERE a = 1");
    Do("CREATE INDEX v_b ON v (b) INCLUDE (c)");
    Do("ALTER INDEX t_x ON t DISABLE");
    Do("CREATE TABLE other (k INTEGER PRIMARY KEY, a INTEGER)");
    Do("CREATE INDEX other_a ON other (a)");
    Do("UPSERT INTO other VALUES (1, 1)");
    Fill();
    ASSERT_TRUE(admin()->Flush(kTable).ok());
    ASSERT_TRUE(admin()->Flush({"default", "T_A"}).ok());
    Do("UPSERT INTO t VALUES ('z', 1, 9, 'late')");  // in memory
  }
  void Fill() {
    for (int i = 0; i < 5; ++i) {
      const std::string n = std::to_string(i);
      Do("UPSERT INTO t VALUES ('k" + n + "', " + std::to_string(i % 2) + ", " + n + ", 'c" + n +
         "')");
    }
  }
  size_t CountCells(const std::string& table) {
    const auto opened = database_->store()->OpenTable({"default", table});
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    auto scanner = (*opened)->OpenScanner(Scan());
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    CellBatch found;
    EXPECT_TRUE((*scanner)->Next(1000, &found).ok());
    return found.cells.size();
  }
  // What queries by the table and by each index find.
  void ExpectCount(size_t rows, size_t in_view) {
    for (const char* hint : {"NO_INDEX", "INDEX(t t_a)", "INDEX(t t_s)", "INDEX(t t_l)"}) {
      EXPECT_EQ(Ask("SELECT /*+ " + std::string(hint) +
                    " */ k FROM t WHERE a >= 0 AND b >= 0 AND c > 'a'")
                    .size(),
                rows)
          << hint;
    }
    for (const char* hint : {"NO_INDEX", "INDEX(v v_b)"}) {
      EXPECT_EQ(Ask("SELECT /*+ " + std::string(hint) + " */ k, c FROM v WHERE b >= 0").size(),
                in_view)
          << hint;
    }
    for (const char* index : {"T_A ON t", "T_S ON t", "T_L ON t", "V_B ON v"}) {
      EXPECT_EQ(Ask("CHECK INDEX " + std::string(index)), Rows()) << index;
    }
    EXPECT_EQ(Ask("SELECT k FROM other WHERE a = 1"), Rows{"1"});
  }
  void ExpectEmpty() {
    for (const char* table : {"T", "T_A", "T_S", "T_X", "_IDX_T"}) EXPECT_EQ(CountCells(table), 0);
    ExpectCount(0, 0);
  }
};

TEST_F(TruncatedTablesTest, TakeTheirIndexesWithThem) {
  MakeTable();
  for (const bool preserve : {false, true}) {
    ExpectCount(preserve ? 5 : 6, preserve ? 2 : 3);
    const size_t regions =
        database_->store()->OpenTable({"default", "T_S"}).value()->regions().size();
    EXPECT_EQ(admin()->TruncateTable(kTable, preserve).code(), StatusCode::kFailedPrecondition);
    ExpectCount(preserve ? 5 : 6, preserve ? 2 : 3);
    ASSERT_TRUE(admin()->DisableTable(kTable).ok());
    const Status status = admin()->TruncateTable(kTable, preserve);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ExpectEmpty();
    EXPECT_EQ(database_->store()->OpenTable({"default", "T_S"}).value()->regions().size(), regions);
    Fill();
    ExpectCount(5, 2);
    Reopen();
    ExpectCount(5, 2);
  }
  Do("ALTER INDEX t_x ON t REBUILD");
  EXPECT_EQ(Ask("CHECK INDEX t_x ON t"), Rows());
}

// A reader of the index goes on with what it found.
TEST_F(TruncatedTablesTest, LeaveReadersOfAnIndexAlone) {
  MakeTable();
  const auto index = database_->store()->OpenTable({"default", "T_A"}).value();
  Scan scan;
  auto scanner = index->OpenScanner(scan).value();
  CellBatch found;
  ASSERT_TRUE(scanner->Next(1, &found).ok());
  EXPECT_EQ(found.row_count(), 1);
  ASSERT_TRUE(admin()->DisableTable(kTable).ok());
  ASSERT_TRUE(admin()->TruncateTable(kTable, true).ok());
  size_t rows = 1;
  for (;; ++rows) {
    const Status status = scanner->Next(1, &found);
    ASSERT_TRUE(status.ok()) << status.ToString();
    if (found.row_count() == 0) break;
  }
  EXPECT_EQ(rows, 6);
  ExpectEmpty();
}

TEST_F(TruncatedTablesTest, AreAsTheyWereAfterAFailure) {
  MakeTable();
  ASSERT_TRUE(admin()->DisableTable(kTable).ok());
  for (const char* point :
       {"admin.truncate.between_regions=error@1", "admin.truncate.between_regions=error@3",
        "admin.truncate.before_meta=error@1"}) {
    SCOPED_TRACE(point);
    ASSERT_TRUE(ArmFailpoints(point).ok());
    EXPECT_FALSE(admin()->TruncateTable(kTable, true).ok());
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_FALSE(admin()->IsTableEnabled(kTable).value());
    EXPECT_TRUE(admin()->IsTableEnabled({"default", "T_A"}).value());
    EXPECT_EQ(Ask("SELECT k FROM other WHERE a = 1"), Rows{"1"});
  }
  ASSERT_TRUE(admin()->EnableTable(kTable).ok());
  ExpectCount(6, 3);
  ASSERT_TRUE(admin()->DisableTable(kTable).ok());
  ASSERT_TRUE(admin()->TruncateTable(kTable, true).ok());
  ExpectEmpty();
}

// What the building of an index has read of the table before does not come into the index after.
TEST_F(TruncatedTablesTest, LeaveNothingToABuildUnderWay) {
  Do("CREATE TABLE t (k INTEGER PRIMARY KEY, a INTEGER)");
  for (int attempt = 0; attempt < 6; ++attempt) {
    Do("UPSERT INTO t VALUES (0, 0)");
    for (int size = 1; size < 30'000; size *= 2) {
      Do("UPSERT INTO t SELECT k + " + std::to_string(size) + ", a + 1 FROM t");
    }
    std::thread builder([&] { Ask("CREATE INDEX t_a ON t (a)"); });
    Env::Default()->SleepMicros(static_cast<uint64_t>(attempt) * 15'000);
    ASSERT_TRUE(admin()->DisableTable(kTable).ok());
    const Status status = admin()->TruncateTable(kTable, false);
    builder.join();
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Ask("SELECT k FROM t"), Rows());
    if (Ask("CHECK INDEX t_a ON t") == Rows()) {
      EXPECT_EQ(CountCells("T_A"), 0);
    }
    Do("UPSERT INTO t VALUES (0, 0)");
    Do("DROP INDEX IF EXISTS t_a ON t");
  }
}

// The table and all its indexes are either as they were or empty.
TEST_F(TruncatedTablesTest, AreWholeAfterADeath) {
  MakeTable();
  const std::pair<const char*, bool> points[] = {
      {"admin.truncate.between_regions=kill@1", false},
      {"admin.truncate.between_regions=kill@4", false},
      {"admin.truncate.before_meta=kill@1", false},
      {"admin.truncate.after_meta=kill@1", true},
      {"restore.after_descriptor=kill@2", true},
      {"admin.truncate.between_archives=kill@3", true},
  };
  size_t rows = 6;
  for (const auto& [point, decided] : points) {
    SCOPED_TRACE(point);
    database_.reset();
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      Open();
      const bool ready = database_ != nullptr && ArmFailpoints(point).ok() &&
                         admin()->DisableTable(kTable).ok() &&
                         admin()->TruncateTable(kTable, true).ok();
      ::_exit(ready ? 1 : 2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    Open();
    EXPECT_EQ(admin()->IsTableEnabled(kTable).value(), decided);
    if (decided) {
      ExpectEmpty();
      Fill();
      rows = 5;
    } else {
      ASSERT_TRUE(admin()->EnableTable(kTable).ok());
    }
    ExpectCount(rows, rows == 6 ? 3 : 2);
  }
}

}  // namespace
}  // namespace bennu
