// Tables that get other rows at once, and indexes whose own tables are dropped, emptied or
// restored, by those who know nothing of SQL: no query sees an index that differs from its table,
// and writes go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/scan.h"
#include "bennu/table.h"
#include "src/base/failpoint.h"
#include "tests/bennu/reopened_store.h"

namespace bennu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Rows = std::vector<std::string>;

const TableName kTable{"default", "T"};
const std::map<std::string, std::string> kOwners = {
    {"T_A", "T"}, {"T_S", "T"}, {"T_L", "T"}, {"V_B", "V"}, {"V_L", "V"}};

class RestoredTablesTest : public ReopenedStoreTest {
 protected:
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    ReopenedStoreTest::TearDown();
  }
  Admin* admin() { return database_->store()->admin(); }
  void Succeed(const Status& status) { ASSERT_TRUE(status.ok()) << status.ToString(); }

  void MakeTable() {
    Do("CREATE TABLE t (k VARCHAR NOT NULL PRIMARY KEY, a INTEGER, b INTEGER, c VARCHAR)");
    Do("CREATE VIEW v AS SELECT * FROM t WHERE a = 1");
  }
  void MakeIndexes() {
    Do("CREATE INDEX t_a ON t (a) INCLUDE (b, c)");
    Do("CREATE INDEX t_s ON t (c) SALT_BUCKETS = 3");
    Do("CREATE LOCAL INDEX t_l ON t (b)");
    Do("CREATE INDEX v_b ON v (b) INCLUDE (c)");
    Do("CREATE LOCAL INDEX v_l ON v (c)");
  }
  void Fill(const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      Do("UPSERT INTO t VALUES ('" + prefix + n + "', " + std::to_string(i % 2) + ", " + n +
         ", 'c" + n + "')");
    }
  }
  void Restore(const std::string& snapshot, const TableName& table = kTable) {
    Succeed(admin()->DisableTable(table));
    Succeed(admin()->RestoreSnapshot(snapshot));
    Succeed(admin()->EnableTable(table));
  }
  std::string StateOf(const std::string& index) {
    const Rows found = Ask("SELECT INDEX_STATE FROM SYSTEM.CATALOG WHERE TABLE_NAME = '" + index +
                           "' AND COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL");
    return found.size() == 1 ? found.front() : "of " + std::to_string(found.size());
  }
  // What queries by the table and, as far as they may, by each index find, ordered.
  void ExpectKeys(const Rows& keys, const Rows& in_view) {
    for (const char* hint : {"NO_INDEX", "INDEX(t t_a)", "INDEX(t t_s)", "INDEX(t t_l)"}) {
      EXPECT_EQ(Ask("SELECT /*+ " + std::string(hint) +
                    " */ k FROM t WHERE a >= 0 AND b >= 0 AND c > 'a' ORDER BY k"),
                keys)
          << hint;
    }
    for (const char* hint : {"NO_INDEX", "INDEX(v v_b)", "INDEX(v v_l)"}) {
      EXPECT_EQ(Ask("SELECT /*+ " + std::string(hint) +
                    " */ k FROM v WHERE b >= 0 AND c > 'a' ORDER BY k"),
                in_view)
          << hint;
    }
  }
  void WaitUntilBuilt() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    for (const auto& [index, owner] : kOwners) {
      while (StateOf(index) != "a") {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << index << " " << StateOf(index);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
  }
  void ExpectEqualIndexes() {
    for (const auto& [index, owner] : kOwners) {
      EXPECT_EQ(Ask("CHECK INDEX " + index + " ON " + owner), Rows()) << index;
    }
  }
  // Those of the table that hold files.
  int CountRegionDirectories() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_ + "/data/default/T")) {
      const std::string name = entry.path().filename();
      if (name.starts_with('.')) continue;
      const std::filesystem::recursive_directory_iterator below(entry.path());
      count += std::any_of(begin(below), end(below),
                           [](const auto& file) { return file.is_regular_file(); })
                   ? 1
                   : 0;
    }
    return count;
  }
  // A child process that dies where the failpoint says.
  void DieAt(const std::string& point, const std::string& snapshot) {
    database_.reset();
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      Open();
      const bool ready = database_ != nullptr && ArmFailpoints(point + "=kill@1").ok() &&
                         admin()->DisableTable(kTable).ok() &&
                         admin()->RestoreSnapshot(snapshot).ok();
      ::_exit(ready ? 1 : 2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    Open();
  }
};

TEST_F(RestoredTablesTest, HaveIndexesBuiltAnew) {
  MakeTable();
  MakeIndexes();
  Fill("old", 3);
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  Do("DELETE FROM t WHERE k = 'old1'");
  Fill("new", 2);
  ExpectKeys({"new0", "new1", "old0", "old2"}, {"new1"});
  Restore("s");
  ExpectKeys({"old0", "old1", "old2"}, {"old1"});  // by the table
  Do("UPSERT INTO t VALUES ('late', 1, 5, 'c5')");
  ExpectKeys({"late", "old0", "old1", "old2"}, {"late", "old1"});
  WaitUntilBuilt();
  ExpectEqualIndexes();
  ExpectKeys({"late", "old0", "old1", "old2"}, {"late", "old1"});
  Reopen();
  ExpectEqualIndexes();
}

// What is to be built is tried again, until it can be.
TEST_F(RestoredTablesTest, MayStayDisabledForLong) {
  MakeTable();
  MakeIndexes();
  Fill("old", 3);
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  Fill("new", 2);
  Succeed(admin()->DisableTable(kTable));
  Succeed(admin()->RestoreSnapshot("s"));
  std::this_thread::sleep_for(std::chrono::seconds(7));
  EXPECT_EQ(StateOf("T_A"), "b");
  Succeed(admin()->EnableTable(kTable));
  ExpectKeys({"old0", "old1", "old2"}, {"old1"});
  WaitUntilBuilt();
  ExpectEqualIndexes();
}

// The snapshot has neither the indexes nor the family of the local ones.
TEST_F(RestoredTablesTest, AreOlderThanTheirIndexes) {
  MakeTable();
  Fill("old", 3);
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  MakeIndexes();
  Fill("new", 2);
  Restore("s");
  Do("UPSERT INTO t VALUES ('late', 1, 5, 'c5')");
  ExpectKeys({"late", "old0", "old1", "old2"}, {"late", "old1"});
  WaitUntilBuilt();
  ExpectEqualIndexes();
}

// Rows that a local index had when it was not kept up are not taken for right.
TEST_F(RestoredTablesTest, BringNoRowsOfIndexes) {
  MakeTable();
  MakeIndexes();
  Fill("old", 3);
  Do("ALTER INDEX t_l ON t DISABLE");
  Do("DELETE FROM t WHERE k = 'old1'");
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  Do("ALTER INDEX t_l ON t REBUILD");
  Restore("s");
  WaitUntilBuilt();
  ExpectEqualIndexes();
  ExpectKeys({"old0", "old2"}, {});
}

// What was not in use before is not afterwards.
TEST_F(RestoredTablesTest, LeaveDisabledIndexesAlone) {
  MakeTable();
  Do("CREATE INDEX t_x ON t (b)");
  Do("CREATE INDEX t_u ON t (c)");
  Fill("old", 3);
  Do("ALTER INDEX t_x ON t DISABLE");
  Do("ALTER INDEX t_u ON t UNUSABLE");
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  Fill("new", 2);
  Restore("s");
  EXPECT_EQ(StateOf("T_X"), "x");
  EXPECT_EQ(StateOf("T_U"), "x");
  for (const char* index : {"t_x", "t_u"}) {
    Do("ALTER INDEX " + std::string(index) + " ON t REBUILD");
    EXPECT_EQ(Ask("CHECK INDEX " + std::string(index) + " ON t"), Rows());
  }
  EXPECT_EQ(Ask("SELECT k FROM t WHERE c = 'c2'"), Rows{"old2"});
}

// The table is as it was, and so are the answers.
TEST_F(RestoredTablesTest, AreNotRestoredAfterAFailure) {
  MakeTable();
  MakeIndexes();
  Fill("old", 3);
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  Fill("new", 2);
  EXPECT_FALSE(admin()->RestoreSnapshot("s").ok());  // it is enabled
  EXPECT_EQ(StateOf("T_A"), "a");
  Succeed(admin()->DisableTable(kTable));
  ASSERT_TRUE(ArmFailpoints("restore.before_meta=error@1").ok());
  EXPECT_FALSE(admin()->RestoreSnapshot("s").ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  Succeed(admin()->EnableTable(kTable));
  ExpectKeys({"new0", "new1", "old0", "old1", "old2"}, {"new1", "old1"});
  WaitUntilBuilt();
  ExpectEqualIndexes();
}

TEST_F(RestoredTablesTest, AreWholeAfterADeath) {
  MakeTable();
  MakeIndexes();
  Fill("old", 3);
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  Fill("new", 2);
  for (const char* point : {"restore.between_regions", "restore.before_meta", "restore.after_meta",
                            "restore.between_archives"}) {
    SCOPED_TRACE(point);
    DieAt(point, "s");
    const bool decided = point == std::string("restore.after_meta") ||
                         point == std::string("restore.between_archives");
    EXPECT_EQ(CountRegionDirectories(), 1);
    Succeed(admin()->EnableTable(kTable));
    if (decided) {
      ExpectKeys({"old0", "old1", "old2"}, {"old1"});
    } else {
      ExpectKeys({"new0", "new1", "old0", "old1", "old2"}, {"new1", "old1"});
    }
    for (const auto& [index, owner] : kOwners)
      Do("ALTER INDEX " + index + " ON " + owner + " REBUILD");
    ExpectEqualIndexes();
    if (decided) Fill("new", 2);
    ExpectKeys({"new0", "new1", "old0", "old1", "old2"}, {"new1", "old1"});
  }
}

// A table that somebody drops and makes again has none of the rows that its indexes have.
TEST_F(RestoredTablesTest, AreMadeAgain) {
  MakeTable();
  MakeIndexes();
  Fill("old", 3);
  Succeed(admin()->SnapshotTable("s", kTable, {}));
  const TableDescriptor descriptor = database_->store()->OpenTable(kTable).value()->descriptor();
  Succeed(admin()->DropTable(kTable));
  Succeed(admin()->CreateTable(descriptor, {}));
  ExpectKeys({}, {});
  Fill("new", 2);
  ExpectKeys({"new0", "new1"}, {"new1"});
  WaitUntilBuilt();
  ExpectEqualIndexes();

  Succeed(admin()->DropTable(kTable));
  Succeed(admin()->CloneSnapshot("s", kTable));
  ExpectKeys({"old0", "old1", "old2"}, {"old1"});
  Do("UPSERT INTO t VALUES ('late', 1, 5, 'c5')");
  WaitUntilBuilt();
  ExpectEqualIndexes();
  ExpectKeys({"late", "old0", "old1", "old2"}, {"late", "old1"});
}

// An index without its table is not used, and does not keep anybody from writing.
TEST_F(RestoredTablesTest, LoseTheTableOfAnIndex) {
  MakeTable();
  MakeIndexes();
  Fill("old", 3);
  Succeed(admin()->DropTable({"default", "T_A"}));
  Succeed(admin()->DropTable({"default", "_IDX_T"}));
  for (const char* index : {"T_A", "V_B"}) EXPECT_EQ(StateOf(index), "x") << index;
  for (const char* index : {"T_S", "T_L", "V_L"}) EXPECT_EQ(StateOf(index), "a") << index;
  Fill("new", 2);
  ExpectKeys({"new0", "new1", "old0", "old1", "old2"}, {"new1", "old1"});
  EXPECT_THAT(Ask("ALTER INDEX t_a ON t REBUILD").front(),
              HasSubstr("the table T_A of index T_A is gone; run DROP INDEX"));
  Do("DROP INDEX t_a ON t");
  Do("CREATE INDEX t_a ON t (a) INCLUDE (b, c)");
  EXPECT_EQ(Ask("CHECK INDEX t_a ON t"), Rows());
}

TEST_F(RestoredTablesTest, HaveIndexesWithOtherRows) {
  MakeTable();
  MakeIndexes();
  const TableName index{"default", "T_A"};
  Fill("old", 3);
  Succeed(admin()->SnapshotTable("s", index, {}));
  Fill("new", 2);
  Restore("s", index);
  EXPECT_EQ(StateOf("T_A"), "x");
  ExpectKeys({"new0", "new1", "old0", "old1", "old2"}, {"new1", "old1"});
  Do("ALTER INDEX t_a ON t REBUILD");
  EXPECT_EQ(StateOf("T_A"), "a");
  ExpectEqualIndexes();

  Succeed(admin()->DisableTable(index));
  Succeed(admin()->TruncateTable(index, false));
  EXPECT_EQ(StateOf("T_A"), "x");
  ExpectKeys({"new0", "new1", "old0", "old1", "old2"}, {"new1", "old1"});
  Do("ALTER INDEX t_a ON t REBUILD");
  ExpectEqualIndexes();
}

// As long as the index's table is disabled, nothing is written that the index would lack.
TEST_F(RestoredTablesTest, AreNotWrittenWithoutTheirIndexes) {
  MakeTable();
  MakeIndexes();
  Fill("old", 2);
  Succeed(admin()->DisableTable({"default", "T_A"}));
  EXPECT_THAT(Ask("UPSERT INTO t VALUES ('late', 1, 5, 'c5')").front(),
              HasSubstr("writing table T, from which table T_A is derived: table T_A is disabled; "
                        "enable it first"));
  EXPECT_EQ(Ask("SELECT /*+ NO_INDEX */ k FROM t"), (Rows{"old0", "old1"}));
  Succeed(admin()->EnableTable({"default", "T_A"}));
  Do("UPSERT INTO t VALUES ('late', 1, 5, 'c5')");
  ExpectEqualIndexes();
}

// Whoever drops all tables does so in any order.
TEST_F(RestoredTablesTest, AreDroppedWithoutTheCatalog) {
  MakeTable();
  MakeIndexes();
  Succeed(admin()->DisableTable({"default", "SYSTEM.CATALOG"}));
  for (const char* table : {"T_A", "T", "T_S", "_IDX_T", "SYSTEM.CATALOG"}) {
    Succeed(admin()->DropTable({"default", table}));
  }
}

}  // namespace
}  // namespace bennu
