// Local indexes have what their tables have while regions are split and merged, whoever writes the
// tables and reads them meanwhile, and after failures and deaths in the middle of such a change.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/table.h"
#include "gtest/gtest.h"
#include "src/base/failpoint.h"
#include "tests/bennu/reopened_store.h"

namespace bennu {
namespace {

const TableName kTable{"default", "T"};
// The first encoded qualifiers, and that of the empty column.
const Bytes kColumnV("\x80\x0b", 2);
const Bytes kEmpty(4, '\0');

class LocalIndexesTest : public ReopenedStoreTest {
 protected:
  // As ReopenedStoreTest's; one that comes with the rows as its text, too.
  std::vector<std::string> Ask(const std::string& sql, const std::string& tenant = {}) {
    ConnectOptions options;
    options.tenant = tenant;
    auto connection = database_->Connect(options);
    EXPECT_TRUE(connection.ok());
    auto result = (*connection)->Execute(sql);
    if (!result.ok()) return {result.status().ToString()};
    std::vector<std::string> rows;
    for (;;) {
      const auto more = (*result)->Next();
      if (!more.ok()) return {more.status().ToString()};
      if (!*more) return rows;
      std::string row;
      for (size_t i = 0; i < (*result)->columns().size(); ++i) {
        row += (i == 0 ? "" : "|") + (*result)->GetText(i);
      }
      rows.push_back(std::move(row));
    }
  }
  std::vector<std::string> Sorted(const std::string& sql) {
    std::vector<std::string> rows = Ask(sql);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  void MakeTable(const std::string& options = "") {
    Do("CREATE TABLE t (k VARCHAR NOT NULL, j INTEGER NOT NULL, v VARCHAR, n INTEGER, x.d "
       "DECIMAL(8, 2), CONSTRAINT pk PRIMARY KEY (k, j DESC)) " +
       options);
  }
  void MakeIndexes() {
    Do("CREATE LOCAL INDEX l_v ON t (v) INCLUDE (n)");
    Do("CREATE LOCAL INDEX l_n ON t (n DESC, v) INCLUDE (x.d)");
    Do("CREATE LOCAL INDEX l_f ON t (UPPER(v), n + j)");
    Do("CREATE LOCAL INDEX l_p ON t (x.d) WHERE n > 5");
  }
  void CheckIndexes(const std::string& where) {
    for (const std::string index : {"l_v", "l_n", "l_f", "l_p"}) {
      const std::vector<std::string> differences = Ask("CHECK INDEX " + index + " ON t");
      EXPECT_TRUE(differences.empty())
          << where << ", " << index << ": " << differences.size() << ", " << differences.front();
    }
    for (const std::string condition :
         {"v = 'v3'", "v IN ('v1', 'v4')", "n BETWEEN 3 AND 9", "UPPER(v) = 'V2'", "v IS NULL",
          "n > 7 AND x.d > 1.5", "v > 'v2' AND k < 'k5'"}) {
      EXPECT_EQ(Sorted("SELECT k, j, v, n, x.d FROM t WHERE " + condition),
                Sorted("SELECT /*+ NO_INDEX */ k, j, v, n, x.d FROM t WHERE " + condition))
          << where << ", " << condition;
    }
    EXPECT_EQ(Ask("SELECT v, k, j FROM t ORDER BY v, k, j DESC"),
              Ask("SELECT /*+ NO_INDEX */ v, k, j FROM t ORDER BY v, k, j DESC"));
    EXPECT_EQ(Ask("SELECT v, k FROM t ORDER BY v DESC, k DESC, j LIMIT 7"),
              Ask("SELECT /*+ NO_INDEX */ v, k FROM t ORDER BY v DESC, k DESC, j LIMIT 7"));
    EXPECT_EQ(Ask("SELECT COUNT(*), SUM(n) FROM t"),
              Ask("SELECT /*+ NO_INDEX */ COUNT(*), SUM(n) FROM t"));
  }

  // As the key of ('k5', 2): the text, a zero byte, and the number with all bits inverted.
  static Bytes RowOf(uint64_t k, uint64_t j) {
    Bytes row = "k" + std::to_string(k) + std::string(1, '\0') + std::string("\x7f\xff\xff", 3);
    row.push_back(static_cast<char>(0xff - j));
    return row;
  }

  // One change of a random row, by SQL or through the data API.
  void Change(SqlConnection* connection, Table* table, std::mt19937_64* random, bool by_sql_only) {
    const auto pick = [random](uint64_t count) { return (*random)() % count; };
    const uint64_t k = pick(40);
    const uint64_t j = pick(3);
    const std::string key = "'k" + std::to_string(k) + "', " + std::to_string(j);
    const std::string v = pick(5) == 0 ? "NULL" : "'v" + std::to_string(pick(5)) + "'";
    const std::string n = pick(5) == 0 ? "NULL" : std::to_string(pick(12));
    std::string sql;
    switch (pick(by_sql_only ? 6 : 9)) {
      case 0: sql = "UPSERT INTO t (k, j, v) VALUES (" + key + ", " + v + ")"; break;
      case 1: sql = "UPSERT INTO t (k, j, n) VALUES (" + key + ", " + n + ")"; break;
      case 2:
        sql = "UPSERT INTO t VALUES (" + key + ", " + v + ", " + n + ", " +
              std::to_string(pick(4)) + ".25)";
        break;
      case 3: sql = "DELETE FROM t WHERE k = 'k" + std::to_string(k) + "'"; break;
      case 4:
        sql = "UPSERT INTO t (k, j, n) VALUES (" + key + ", 1) ON DUPLICATE KEY UPDATE n = n + 1";
        break;
      case 5: sql = "UPSERT INTO t (k, j, v) SELECT k, j, 'v4' FROM t WHERE n = " + n; break;
      default: break;
    }
    if (!sql.empty()) {
      const auto done = connection->Execute(sql);
      EXPECT_TRUE(done.ok()) << sql << ": " << done.status().ToString();
      return;
    }
    MutationBatch batch;
    batch.StartRow(RowOf(k, j));
    switch (pick(3)) {
      case 0:
        batch.Put("0", kColumnV, "v" + std::to_string(pick(5)), kLatestTimestamp);
        batch.Put("0", kEmpty, "x", kLatestTimestamp);
        break;
      case 1: batch.DeleteColumn("0", kColumnV, kLatestTimestamp); break;
      default:
        batch.DeleteFamily("0", kLatestTimestamp);
        batch.DeleteFamily("X", kLatestTimestamp);
        break;
    }
    const Status written = table->Write(&batch);
    EXPECT_TRUE(written.ok()) << written.ToString();
  }

  void ChangeMany(uint64_t seed, int count, bool by_sql_only = false) {
    std::mt19937_64 random(seed);
    auto connection = database_->Connect({});
    ASSERT_TRUE(connection.ok());
    auto table = database_->store()->OpenTable(kTable);
    ASSERT_TRUE(table.ok());
    for (int i = 0; i < count; ++i) Change(connection->get(), table->get(), &random, by_sql_only);
  }

  Admin* admin() { return database_->store()->admin(); }
  std::vector<RegionInfo> Regions() {
    auto table = database_->store()->OpenTable(kTable);
    EXPECT_TRUE(table.ok());
    return (*table)->regions();
  }
  Status Split(const Bytes& row) { return admin()->SplitTable(kTable, row); }
  Status MergeFirst(size_t count) {
    // A region with references, or one that came from a merge which is not cleaned up, waits for a
    // compaction.
    static_cast<void>(admin()->Compact(kTable, true));
    std::vector<std::string> names;
    for (const RegionInfo& region : Regions()) {
      if (names.size() < count) names.push_back(region.EncodedName());
    }
    return admin()->MergeRegions(names);
  }

  // Rows that the HBase table has of local indexes.
  size_t CountLocalRows() {
    auto table = database_->store()->OpenTable(kTable);
    EXPECT_TRUE(table.ok());
    Scan scan;
    scan.columns["L#0"];
    auto scanner = (*table)->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    CellBatch batch;
    EXPECT_TRUE((*scanner)->Next(1000, &batch).ok());
    return batch.row_count();
  }
};

TEST_F(LocalIndexesTest, FollowEveryWriteThroughSplitsAndMerges) {
  MakeTable();
  ChangeMany(1, 200);
  MakeIndexes();
  CheckIndexes("built");
  ChangeMany(2, 200);
  ASSERT_TRUE(Split("k2").ok());
  CheckIndexes("split");
  ChangeMany(3, 200);
  CheckIndexes("written after the split");
  ASSERT_TRUE(Split("k15").ok());
  ASSERT_TRUE(Split(RowOf(33, 1)).ok());
  EXPECT_EQ(Regions().size(), 4u);
  CheckIndexes("split again");
  ChangeMany(4, 200);
  ASSERT_TRUE(admin()->Compact(kTable, true).ok());
  CheckIndexes("compacted");
  Do("ALTER INDEX l_v ON t REBUILD");
  CheckIndexes("built anew");
  Status merged = MergeFirst(3);
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  CheckIndexes("merged");
  ChangeMany(5, 200);
  merged = MergeFirst(2);
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  EXPECT_EQ(Regions().size(), 1u);
  CheckIndexes("merged to one");
  database_.reset();
  Open();
  // Before anybody else has asked for SQL's catalog.
  ASSERT_TRUE(Split("k2").ok());
  CheckIndexes("opened again");
}

// Rows of the table lie in several regions from the start, and their keys in the index have no
// salt.
TEST_F(LocalIndexesTest, OfASaltedTable) {
  MakeTable("SALT_BUCKETS = 4");
  ChangeMany(6, 200, /*by_sql_only=*/true);
  MakeIndexes();
  CheckIndexes("built");
  ChangeMany(7, 200, /*by_sql_only=*/true);
  ASSERT_TRUE(Split(Bytes("\x01k2", 3)).ok());
  ASSERT_TRUE(Split(Bytes(1, '\0') + "k3").ok());
  CheckIndexes("split");
  ChangeMany(8, 200, /*by_sql_only=*/true);
  const Status merged = MergeFirst(2);
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  CheckIndexes("merged");
}

TEST_F(LocalIndexesTest, OfAnImmutableTable) {
  Do("CREATE IMMUTABLE TABLE t (k VARCHAR NOT NULL, j INTEGER NOT NULL, v VARCHAR, n INTEGER, x.d "
     "DECIMAL(8, 2), CONSTRAINT pk PRIMARY KEY (k, j DESC)) IMMUTABLE_STORAGE_SCHEME = "
     "SINGLE_CELL_ARRAY_WITH_OFFSETS, COLUMN_ENCODED_BYTES = 1");
  MakeIndexes();
  for (int i = 0; i < 60; ++i) {
    Do("UPSERT INTO t VALUES ('k" + std::to_string(i) + "', 1, 'v" + std::to_string(i % 5) + "', " +
       std::to_string(i % 12) + ", " + std::to_string(i % 4) + ".25)");
  }
  CheckIndexes("written");
  ASSERT_TRUE(Split("k3").ok());
  Do("DELETE FROM t WHERE k > 'k5'");
  CheckIndexes("split");
}

// Regions are replaced while others write and read.
TEST_F(LocalIndexesTest, ReadersAndWritersGoOnMeanwhile) {
  MakeTable();
  ChangeMany(9, 200);
  MakeIndexes();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 2; ++i) {
    threads.emplace_back([this, i, &stop] {
      for (uint64_t round = 0; !stop.load(); ++round) ChangeMany(1000 * (i + 1) + round, 5);
    });
  }
  // The rows that nobody changes are seen by each query, and once.
  for (int i = 0; i < 50; ++i) {
    Do("UPSERT INTO t VALUES ('z" + std::to_string(i % 10) + "', " + std::to_string(i) +
       ", 'same', 100, 1)");
  }
  threads.emplace_back([this, &stop] {
    while (!stop.load()) {
      EXPECT_EQ(Ask("SELECT COUNT(*), COUNT(DISTINCT j) FROM t WHERE v = 'same'"),
                std::vector<std::string>{"50|50"});
      EXPECT_EQ(Ask("SELECT j, x.d FROM t WHERE v = 'same' ORDER BY k").size(), 50u);
    }
  });
  for (int i = 0; i < 4; ++i) {
    for (const Bytes row : {"k2", "z4", "z7"}) {
      const Status split = Split(row);
      EXPECT_TRUE(split.ok()) << split.ToString();
    }
    for (const std::string index : {"l_v", "l_n"}) {
      const std::vector<std::string> differences = Ask("CHECK INDEX " + index + " ON t");
      EXPECT_TRUE(differences.empty()) << index << ": " << differences.front();
    }
    while (Regions().size() > 1) {
      const Status merged = MergeFirst(Regions().size());
      if (merged.ok()) continue;
      EXPECT_EQ(merged.code(), StatusCode::kFailedPrecondition) << merged.ToString();
    }
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  CheckIndexes("in the end");
}

// A cursor that was opened before a split reads what was there then.
TEST_F(LocalIndexesTest, AReaderKeepsItsRegions) {
  MakeTable();
  Do("CREATE LOCAL INDEX l_v ON t (v)");
  auto connection = database_->Connect({});
  ASSERT_TRUE(connection.ok());
  for (int i = 0; i < 10; ++i) {
    Do("UPSERT INTO t (k, j, v) VALUES ('k" + std::to_string(i) + "', 1, 'same')");
  }
  for (const std::string letter : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    Do("UPSERT INTO t (k, j, v) SELECT k || '" + letter + "', j, v FROM t");
  }
  auto result = (*connection)->Execute("SELECT k FROM t WHERE v = 'same'");
  ASSERT_TRUE(result.ok());
  auto more = (*result)->Next();
  ASSERT_TRUE(more.ok() && *more);
  ASSERT_TRUE(Split("k3").ok());
  Do("DELETE FROM t");
  size_t rows = 1;
  for (;; ++rows) {
    more = (*result)->Next();
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) break;
  }
  EXPECT_EQ(rows, 5120u);
  EXPECT_TRUE(Ask("SELECT k FROM t WHERE v = 'same'").empty());
}

// A change of regions that fails leaves the index as it was.
TEST_F(LocalIndexesTest, AFailedSplitChangesNothing) {
  MakeTable();
  ChangeMany(10, 200);
  MakeIndexes();
  for (const char* point : {"region.change.between_moved_files", "region.change.before_rename",
                            "region.change.between_renames", "region.change.before_meta"}) {
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    EXPECT_FALSE(Split("k2").ok()) << point;
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_EQ(Regions().size(), 1u);
    CheckIndexes(point);
    ChangeMany(11, 20);
  }
  ASSERT_TRUE(Split("k2").ok());
  CheckIndexes("split at last");
}

// A process that dies while it splits leaves the old region or the new ones.
TEST_F(LocalIndexesTest, ADeathDuringASplitIsSurvived) {
  MakeTable();
  ChangeMany(20, 200);
  MakeIndexes();
  ASSERT_TRUE(admin()->Flush(kTable).ok());
  ChangeMany(21, 100);
  const std::vector<std::pair<std::string, Bytes>> deaths = {
      {"region.change.settled", "k1"},        {"region.change.between_moved_files", "k12"},
      {"region.change.frozen", "k17"},        {"region.change.flushed", "k2"},
      {"region.change.before_rename", "k23"}, {"region.change.between_renames", "k27"},
      {"region.change.before_meta", "k3"},    {"region.change.after_meta", "k33"},
      {"region.change.after_swap", "k37"}};
  for (const auto& [point, border] : deaths) {
    database_.reset();
    const pid_t pid = ::fork();
    if (pid == 0) {
      Open();
      static_cast<void>(ArmFailpoints(point + "=kill@1"));
      static_cast<void>(Split(border));
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFSIGNALED(status)) << "nobody died at " << point;
    Open();
    CheckIndexes(point);
    ChangeMany(22, 20);
    CheckIndexes(point + ", written");
  }
  EXPECT_EQ(Regions().size(), 3u);
}

// Keys of such regions would not lie inside them.
TEST_F(LocalIndexesTest, BordersThatCannotBeAreRefused) {
  MakeTable();
  MakeIndexes();
  ChangeMany(12, 100);
  ASSERT_TRUE(Split("k2").ok());
  EXPECT_FALSE(Split("k2" + std::string(2, '\0')).ok());
  EXPECT_FALSE(Split(Bytes(3, '\0')).ok());
  EXPECT_EQ(Regions().size(), 2u);
  CheckIndexes("refused");
}

TEST_F(LocalIndexesTest, GoWithWhatTheyAreOf) {
  MakeTable();
  MakeIndexes();
  Do("CREATE LOCAL INDEX l_w ON t (j) INCLUDE (v, n, x.d)");
  ChangeMany(13, 200);
  ASSERT_TRUE(Split("k2").ok());
  Do("ALTER TABLE t DROP COLUMN n");
  EXPECT_EQ(Ask("CHECK INDEX l_n ON t").front(),
            "ERROR 1042 (42M06): Index undefined. tableName=L_N");
  EXPECT_TRUE(Ask("CHECK INDEX l_v ON t").empty());
  EXPECT_TRUE(Ask("CHECK INDEX l_w ON t").empty());
  EXPECT_EQ(Sorted("SELECT k, v, x.d FROM t WHERE j = 1"),
            Sorted("SELECT /*+ NO_INDEX */ k, v, x.d FROM t WHERE j = 1"));
  Do("DROP INDEX l_v ON t");
  Do("DROP INDEX l_w ON t");
  EXPECT_EQ(CountLocalRows(), 0u);
  Do("DROP TABLE t");
  EXPECT_EQ(Ask("SELECT * FROM SYSTEM.\"SEQUENCE\"").size(), 0u);
  MakeTable();
  MakeIndexes();
  ChangeMany(14, 50);
  CheckIndexes("made again");
}

// An index of a view is about the view's rows alone, whoever writes them, and takes part in what
// happens to the regions of the table below.
TEST_F(LocalIndexesTest, OfViews) {
  MakeTable();
  Do("CREATE VIEW w (e INTEGER) AS SELECT * FROM t WHERE n > 5");
  Do("CREATE VIEW c AS SELECT * FROM t WHERE k = 'k7'");
  Do("CREATE LOCAL INDEX w_v ON w (v) INCLUDE (e)");
  Do("CREATE LOCAL INDEX c_v ON c (v)");
  const auto check = [this](const std::string& where) {
    for (const std::string view : {"w", "c"}) {
      const std::vector<std::string> differences = Ask("CHECK INDEX " + view + "_v ON " + view);
      EXPECT_TRUE(differences.empty()) << where << ", " << view << ": " << differences.front();
      const std::string query = " k, j, v, n, d FROM " + view + " WHERE v IN ('v1', 'v4')";
      EXPECT_NE(Ask("EXPLAIN SELECT" + query).front().find("_V(T) ["), std::string::npos) << view;
      EXPECT_EQ(Sorted("SELECT" + query), Sorted("SELECT /*+ NO_INDEX */" + query))
          << where << ", " << view;
    }
  };
  ChangeMany(15, 200);
  Do("UPSERT INTO t (k, j, v, n, e INTEGER) SELECT k, j, 'v1', 6, j + 100 FROM t WHERE j = 1");
  Do("UPSERT INTO c (j, v, n) VALUES (5, 'v1', 7)");
  check("written");
  ASSERT_TRUE(Split("k2").ok());
  ASSERT_TRUE(Split("k5").ok());
  check("split");
  ChangeMany(16, 200);
  check("written after the split");
  const Status merged = MergeFirst(2);
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  check("merged");
  database_.reset();
  Open();
  ASSERT_TRUE(Split("k15").ok());
  ChangeMany(17, 50);
  check("opened again");
  Do("DROP VIEW w");
  ChangeMany(18, 50);
  EXPECT_TRUE(Ask("CHECK INDEX c_v ON c").empty());
  Do("DROP VIEW c");
  EXPECT_EQ(CountLocalRows(), 0u);
}

// A tenant's rows lie beside those of others, and so do those of the index.
TEST_F(LocalIndexesTest, OfTenants) {
  Do("CREATE TABLE m (tenant VARCHAR NOT NULL, k VARCHAR NOT NULL, v VARCHAR, n INTEGER, "
     "CONSTRAINT pk PRIMARY KEY (tenant, k)) MULTI_TENANT = true");
  Do("CREATE LOCAL INDEX m_v ON m (v) INCLUDE (n)");
  for (const std::string tenant : {"a", "b"}) {
    Do("CREATE VIEW tv AS SELECT * FROM m", tenant);
    Do("CREATE LOCAL INDEX tv_n ON tv (n)", tenant);
    for (int i = 0; i < 20; ++i) {
      Do("UPSERT INTO tv VALUES ('k" + std::to_string(i) + "', 'v" + std::to_string(i % 3) + "', " +
             std::to_string(i % 4) + ")",
         tenant);
    }
  }
  const auto check = [this](const std::string& where) {
    EXPECT_TRUE(Ask("CHECK INDEX m_v ON m").empty()) << where;
    EXPECT_EQ(Ask("SELECT COUNT(*) FROM m WHERE v = 'v1'"),
              Ask("SELECT /*+ NO_INDEX */ COUNT(*) FROM m WHERE v = 'v1'"));
    for (const std::string tenant : {"a", "b"}) {
      EXPECT_TRUE(Ask("CHECK INDEX tv_n ON tv", tenant).empty()) << where << ", " << tenant;
      for (const std::string condition : {"n = 3", "v = 'v1'"}) {
        const std::string query = " k, v, n FROM tv WHERE " + condition + " ORDER BY k";
        EXPECT_NE(Ask("EXPLAIN SELECT" + query, tenant).front().find("(M) ["), std::string::npos);
        EXPECT_EQ(Ask("SELECT" + query, tenant), Ask("SELECT /*+ NO_INDEX */" + query, tenant))
            << where << ", " << tenant << ", " << condition;
      }
    }
  };
  check("written");
  ASSERT_TRUE(admin()->SplitTable({"default", "M"}, "b").ok());
  check("split");
  ASSERT_TRUE(admin()->SplitTable({"default", "M"}, Bytes("b\0k15", 5)).ok());
  Do("DELETE FROM tv WHERE n = 2", "b");
  Do("UPSERT INTO tv (k, v) VALUES ('k3', 'v1')", "b");
  Do("UPSERT INTO tv (k, v) VALUES ('k4', 'v2')", "b");
  check("split again");
}

TEST_F(LocalIndexesTest, DamageIsFoundAndRepaired) {
  MakeTable();
  Do("CREATE LOCAL INDEX l_v ON t (v) INCLUDE (n)");
  Do("UPSERT INTO t (k, j, v, n) VALUES ('a', 1, 'one', 1)");
  Do("UPSERT INTO t (k, j, v, n) VALUES ('b', 1, 'two', 2)");
  auto table = database_->store()->OpenTable(kTable);
  ASSERT_TRUE(table.ok());
  const auto row_of = [](const std::string& v, const std::string& k) {
    return Bytes(std::string(2, '\0') + v + std::string(1, '\0') + k + std::string(1, '\0') +
                 std::string("\x7f\xff\xff\xfe", 4));
  };
  MutationBatch batch;
  batch.StartRow(row_of("one", "a"));
  batch.DeleteFamily("L#0", kLatestTimestamp);
  batch.StartRow(row_of("two", "b"));
  batch.Put("L#0", kColumnV, "?", kLatestTimestamp);
  batch.StartRow(row_of("four", "d"));
  batch.Put("L#0", kEmpty, "x", kLatestTimestamp);
  ASSERT_TRUE((*table)->Write(&batch).ok());
  const std::vector<std::string> found = Ask("CHECK INDEX l_v ON t");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].starts_with("MISSING IN INDEX|")) << found[0];
  EXPECT_TRUE(found[1].starts_with("DIFFERENT IN INDEX|")) << found[1];
  EXPECT_TRUE(found[2].starts_with("NOT IN TABLE|")) << found[2];
  EXPECT_EQ(Ask("CHECK INDEX l_v ON t REPAIR").size(), 3u);
  EXPECT_TRUE(Ask("CHECK INDEX l_v ON t").empty());
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM t"), std::vector<std::string>{"2"});
}

// What is asked of whole rows is asked of those of the table.
TEST_F(LocalIndexesTest, WholeRowsAreThoseOfTheTable) {
  MakeTable();
  ChangeMany(19, 100);
  const std::string query = "SELECT COUNT(*), SUM(ROW_SIZE()), SUM(RAW_ROW_SIZE()) FROM t";
  const std::vector<std::string> before = Ask(query);
  MakeIndexes();
  EXPECT_EQ(Ask(query), before);
}

TEST_F(LocalIndexesTest, OptionsThatAreRefused) {
  MakeTable();
  EXPECT_TRUE(Ask("CREATE TABLE u (k INTEGER PRIMARY KEY, \"L#0\".v INTEGER)")
                  .front()
                  .starts_with("ERROR 1090"));
  EXPECT_TRUE(Ask("CREATE TABLE u (k INTEGER PRIMARY KEY, v INTEGER) DEFAULT_COLUMN_FAMILY = 'L#0'")
                  .front()
                  .starts_with("ERROR 1090"));
  EXPECT_TRUE(
      Ask("CREATE LOCAL INDEX l ON t (v) SALT_BUCKETS = 2").front().starts_with("ERROR 1110"));
  EXPECT_TRUE(
      Ask("CREATE LOCAL INDEX l ON t (v) SPLIT ON ('a')").front().starts_with("ERROR 1109"));
  EXPECT_TRUE(Ask("CREATE LOCAL INDEX l ON t (v) DEFAULT_COLUMN_FAMILY = 'X'")
                  .front()
                  .starts_with("ERROR 1069"));
}

}  // namespace
}  // namespace bennu
