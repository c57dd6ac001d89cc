// A family that an index is made of cannot be removed by those who know nothing of SQL: the index
// would go on to show what the table has no more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "tests/bennu/reopened_store.h"

namespace bennu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TableName kTable{"default", "T"};

class IndexedFamiliesTest : public ReopenedStoreTest {
 protected:
  void SetUp() override {
    ReopenedStoreTest::SetUp();
    Do("CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY, a.v INTEGER, b.w INTEGER, c.x INTEGER, "
       "d.y INTEGER, e.z INTEGER)");
    Do("UPSERT INTO t VALUES (1, 2, 3, 4, 5, 6)");
  }
  Status Remove(const std::string& family) {
    TableDescriptor descriptor = database_->store()->OpenTable(kTable).value()->descriptor();
    const size_t before = descriptor.families.size();
    std::erase_if(descriptor.families, [&](const auto& each) { return each.name == family; });
    EXPECT_EQ(descriptor.families.size() + 1, before);
    return database_->store()->admin()->AlterTable(descriptor);
  }
};

TEST_F(IndexedFamiliesTest, OfIndexesOfEveryKind) {
  Do("CREATE INDEX i ON t (b.w) INCLUDE (c.x)");
  Do("CREATE LOCAL INDEX l ON t (d.y)");
  EXPECT_THAT(Remove("B").ToString(),
              HasSubstr("family B of table T cannot be removed: the index I is made of it; run "
                        "DROP INDEX I ON T first"));
  EXPECT_THAT(Remove("C").ToString(), HasSubstr("the index I is made of it"));
  EXPECT_THAT(Remove("D").ToString(), HasSubstr("run DROP INDEX L ON T first"));
  // By it a row exists.
  EXPECT_FALSE(Remove("A").ok());
  EXPECT_TRUE(Remove("E").ok());
  EXPECT_THAT(Ask("CHECK INDEX i ON t"), ElementsAre());
  EXPECT_THAT(Ask("CHECK INDEX l ON t"), ElementsAre());

  Reopen();
  EXPECT_FALSE(Remove("B").ok());
  Do("DROP INDEX i ON t");
  EXPECT_TRUE(Remove("B").ok());
  EXPECT_TRUE(Remove("C").ok());
  EXPECT_THAT(Ask("SELECT k, d.y FROM t WHERE d.y = 5"), ElementsAre("1|5"));
}

TEST_F(IndexedFamiliesTest, OfExpressionsConditionsAndViews) {
  Do("CREATE INDEX f ON t (c.x + 1)");
  Do("CREATE INDEX p ON t (c.x) WHERE d.y > 1");
  Do("CREATE VIEW v AS SELECT * FROM t WHERE c.x = 4");
  Do("CREATE INDEX vb ON v (b.w)");
  EXPECT_THAT(Remove("C").ToString(), HasSubstr("is made of it"));
  EXPECT_THAT(Remove("D").ToString(), HasSubstr("the index P is made of it"));
  EXPECT_THAT(Remove("B").ToString(), HasSubstr("run DROP INDEX VB ON V first"));
  EXPECT_TRUE(Remove("E").ok());
}

// The rows of a local index lie in families of the table that are made for them.
TEST_F(IndexedFamiliesTest, OfTheRowsOfLocalIndexes) {
  Do("CREATE LOCAL INDEX l ON t (d.y) INCLUDE (c.x, e.z)");
  for (const char* family : {"L#C", "L#E"}) {
    EXPECT_EQ(StatusCode::kFailedPrecondition, Remove(family).code());
    EXPECT_THAT(Remove(family).message(),
                HasSubstr("family " + std::string(family) +
                          " of table T cannot be removed: the rows of the local index L lie in "
                          "it; run DROP INDEX L ON T first"));
  }
  Do("UPSERT INTO t VALUES (2, 3, 4, 5, 6, 7)");
  EXPECT_THAT(Ask("CHECK INDEX l ON t"), ElementsAre());
  Do("ALTER TABLE t DROP COLUMN e.z");
  EXPECT_THAT(Ask("CHECK INDEX l ON t"), ElementsAre());
  Do("CREATE LOCAL INDEX n ON t (b.w)");
  Do("DROP INDEX l ON t");
  EXPECT_TRUE(Remove("L#C").ok());
  Do("UPSERT INTO t (k, b.w) VALUES (3, 4)");
  EXPECT_THAT(Ask("CHECK INDEX n ON t"), ElementsAre());
}

// Made anew by somebody who knows nothing of SQL, a table has no families for its local indexes.
TEST_F(IndexedFamiliesTest, AreMissedByName) {
  Do("CREATE LOCAL INDEX l ON t (d.y) INCLUDE (c.x)");
  Admin* const admin = database_->store()->admin();
  TableDescriptor descriptor = database_->store()->OpenTable(kTable).value()->descriptor();
  std::erase_if(descriptor.families, [](const auto& each) { return each.name.starts_with("L#"); });
  ASSERT_TRUE(admin->DropTable(kTable).ok());
  ASSERT_TRUE(admin->CreateTable(descriptor, {}).ok());
  MutationBatch batch;
  batch.StartRow("row");
  batch.Put("A", "q", "v");
  const auto table = database_->store()->OpenTable(kTable);
  ASSERT_TRUE(table.ok());
  const Status refused = (*table)->Write(&batch);
  EXPECT_THAT(refused.message(), HasSubstr("table T has lost family L#C, in which the rows of the "
                                           "local index L lie; run DROP INDEX L ON T"));
  Do("DROP INDEX l ON t");
  Do("UPSERT INTO t (k, d.y) VALUES (1, 2)");
  Do("CREATE LOCAL INDEX l ON t (d.y) INCLUDE (c.x)");
  EXPECT_THAT(Ask("CHECK INDEX l ON t"), ElementsAre());
}

// By SQL, which sees to the index: also where the column by which its rows exist moves to another
// family with that.
TEST_F(IndexedFamiliesTest, SqlDropsColumnsAsBefore) {
  Do("CREATE INDEX i ON t (b.w) INCLUDE (c.x)");
  Do("ALTER TABLE t DROP COLUMN c.x");
  EXPECT_THAT(Ask("CHECK INDEX i ON t"), ElementsAre());
  Do("UPSERT INTO t (k, b.w) VALUES (1, 9)");
  EXPECT_THAT(Ask("CHECK INDEX i ON t"), ElementsAre());
  Do("ALTER TABLE t ADD c.n INTEGER CASCADE INDEX ALL");
  EXPECT_THAT(Ask("CHECK INDEX i ON t"), ElementsAre());
  Do("UPSERT INTO t (k, b.w, c.n) VALUES (1, 10, 7)");
  EXPECT_THAT(Ask("SELECT k, c.n FROM t WHERE b.w = 10"), ElementsAre("1|7"));
  EXPECT_THAT(Ask("CHECK INDEX i ON t"), ElementsAre());
  Do("ALTER TABLE t DROP COLUMN c.n");
  Do("ALTER TABLE t DROP COLUMN b.w");
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|2|5|6"));
}

// What others write meanwhile, as by the old definition of the index or by the new one, is in it.
TEST_F(IndexedFamiliesTest, ChangeWhileTheTableIsWritten) {
  Do("CREATE INDEX i ON t (a.v) INCLUDE (c.x)");
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 2; ++writer) {
    writers.emplace_back([&, writer] {
      auto connection = database_->Connect({});
      ASSERT_TRUE(connection.ok());
      for (int i = 0; !stop.load(); ++i) {
        const std::string k = std::to_string(10 + writer * 1000 + i % 100);
        const auto done = (*connection)
                              ->Execute("UPSERT INTO t (k, a.v, b.w) VALUES (" + k + ", " +
                                        std::to_string(i % 7) + ", 1)");
        EXPECT_TRUE(done.ok()) << done.status().ToString();
      }
    });
  }
  for (int round = 0; round < 3; ++round) {
    Do("ALTER TABLE t DROP COLUMN c.x");
    Do("ALTER TABLE t ADD c.x INTEGER CASCADE INDEX ALL");
  }
  stop.store(true);
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(Ask("CHECK INDEX i ON t"), ElementsAre());
  EXPECT_EQ(Ask("SELECT /*+ NO_INDEX */ COUNT(*) FROM t"), Ask("SELECT COUNT(*) FROM t"));
}

// By the time of the cells, whatever the clock says.
TEST_F(IndexedFamiliesTest, RowsHaveTheTimeOfTheirTables) {
  Do("CREATE TABLE h (k VARCHAR PRIMARY KEY, v VARCHAR) COLUMN_ENCODED_BYTES=NONE, TTL=100000");
  Do("CREATE INDEX hv ON h (v)");
  const auto table = database_->store()->OpenTable({"default", "H"});
  ASSERT_TRUE(table.ok());
  const int64_t old = database_->store()->NowMillis() - 50'000'000;
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("0", "V", "x", old);
  batch.Put("0", "_0", "", old);
  ASSERT_TRUE((*table)->Write(&batch).ok());
  const auto index = database_->store()->OpenTable({"default", "HV"});
  ASSERT_TRUE(index.ok());
  Get get;
  get.row = Bytes("x\0r", 3);
  const auto row = (*index)->GetRow(get);
  ASSERT_TRUE(row.ok() && row->cells.size() == 1);
  EXPECT_EQ(row->cells[0].timestamp(), old);
}

// A row of a local index may have the key of a row that somebody deletes.
TEST_F(IndexedFamiliesTest, DeletionsOfRowsPassLocalIndexesBy) {
  Do("CREATE TABLE h (k VARBINARY PRIMARY KEY, v VARCHAR) COLUMN_ENCODED_BYTES=NONE");
  Do("CREATE LOCAL INDEX hv ON h (v)");
  Do("UPSERT INTO h VALUES (x'72', 'v')");
  const auto table = database_->store()->OpenTable({"default", "H"});
  ASSERT_TRUE(table.ok());
  MutationBatch batch;
  batch.DeleteRow(Bytes("\0\0v\0r", 5));  // of the index that is number 0
  ASSERT_TRUE((*table)->Write(&batch).ok());
  EXPECT_THAT(Ask("SELECT /*+ INDEX(h hv) */ v FROM h WHERE v = 'v'"), ElementsAre("v"));
  EXPECT_THAT(Ask("CHECK INDEX hv ON h"), ElementsAre());
  batch.Clear();
  batch.DeleteRow("r");
  ASSERT_TRUE((*table)->Write(&batch).ok());
  EXPECT_THAT(Ask("SELECT v FROM h WHERE v = 'v'"), ElementsAre());
  EXPECT_THAT(Ask("CHECK INDEX hv ON h"), ElementsAre());
}

// Rows of a table and of its indexes expire alike, whenever that was said.
TEST_F(IndexedFamiliesTest, ExpireAsTheirTable) {
  Do("CREATE INDEX i ON t (b.w) INCLUDE (c.x)");
  Do("CREATE LOCAL INDEX l ON t (d.y)");
  Do("CREATE VIEW v AS SELECT * FROM t WHERE c.x = 4");
  Do("CREATE INDEX vb ON v (b.w)");
  Do("ALTER TABLE t SET TTL=1000, MIN_VERSIONS=1, KEEP_DELETED_CELLS=TRUE");
  Do("CREATE INDEX later ON t (a.v)");
  for (const char* const name : {"T", "I", "LATER", "_IDX_T"}) {
    const auto table = database_->store()->OpenTable({"default", name});
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    for (const ColumnFamilyDescriptor& family : (*table)->descriptor().families) {
      EXPECT_EQ(family.ttl_seconds(), 1000) << name << " " << family.name;
      EXPECT_EQ(family.min_versions(), 1) << name << " " << family.name;
      EXPECT_EQ(family.keep_deleted_cells(), KeepDeletedCells::kTrue) << name << family.name;
    }
  }
}

}  // namespace
}  // namespace bennu
