// Indexes have what their tables have, whoever writes these: SQL, the data API, several at once,
// while an index is built, through flushes, compactions, splits and restarts. CHECK INDEX is what
// compares them, and is tried itself on indexes that were damaged by hand.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/table.h"
#include "gtest/gtest.h"
#include "tests/bennu/reopened_store.h"

namespace bennu {
namespace {

const std::vector<std::string> kIndexes = {"T_V", "T_F", "T_P", "T_U", "T_D"};

class IndexesTest : public ReopenedStoreTest {
 protected:
  void MakeTable() {
    Do("CREATE TABLE t (k VARCHAR NOT NULL, j INTEGER NOT NULL, v VARCHAR, n INTEGER, x.d "
       "DECIMAL(8, 2), CONSTRAINT pk PRIMARY KEY (k, j DESC))");
  }
  void MakeIndexes() {
    Do("CREATE INDEX t_v ON t (v) INCLUDE (n, x.d)");
    Do("CREATE INDEX t_f ON t (UPPER(v), n + j) INCLUDE (v)");
    Do("CREATE INDEX t_p ON t (n) INCLUDE (v) WHERE n > 5");
    Do("CREATE UNCOVERED INDEX t_u ON t (n, v)");
    Do("CREATE INDEX t_d ON t (x.d DESC, v DESC) SALT_BUCKETS=3");
  }
  void CompareIndexes(const std::string& where) {
    for (const std::string& index : kIndexes) {
      const std::vector<std::string> differences = Ask("CHECK INDEX " + index + " ON t");
      EXPECT_TRUE(differences.empty())
          << where << ", " << index << ": " << differences.size() << ", " << differences.front();
    }
  }
  // While nobody writes: what a query gets from an index is what it gets from the table, too.
  void CheckIndexes(const std::string& where) {
    CompareIndexes(where);
    for (const std::string condition : {"v = 'v3'", "n BETWEEN 3 AND 9", "UPPER(v) = 'V2'",
                                        "x.d > 1.5", "v IS NULL", "n IS NULL", "n > 7"}) {
      std::vector<std::string> by_index = Ask("SELECT k, j, v, n, x.d FROM t WHERE " + condition);
      std::vector<std::string> by_table =
          Ask("SELECT /*+ NO_INDEX */ k, j, v, n, x.d FROM t WHERE " + condition);
      std::sort(by_index.begin(), by_index.end());
      std::sort(by_table.begin(), by_table.end());
      EXPECT_EQ(by_index, by_table) << where << ", " << condition;
    }
  }

  // One change of a random row, by SQL or through the data API.
  void Change(SqlConnection* connection, Table* table, std::mt19937_64* random) {
    const auto pick = [random](uint64_t count) { return (*random)() % count; };
    const std::string k = "k" + std::to_string(pick(12));
    const std::string j = std::to_string(pick(3));
    const std::string key = "'" + k + "', " + j;
    const std::string v = pick(5) == 0 ? "NULL" : "'v" + std::to_string(pick(5)) + "'";
    const std::string n = pick(5) == 0 ? "NULL" : std::to_string(pick(12));
    std::string sql;
    switch (pick(9)) {
      case 0: sql = "UPSERT INTO t (k, j, v) VALUES (" + key + ", " + v + ")"; break;
      case 1: sql = "UPSERT INTO t (k, j, n) VALUES (" + key + ", " + n + ")"; break;
      case 2:
        sql = "UPSERT INTO t VALUES (" + key + ", " + v + ", " + n + ", " +
              std::to_string(pick(4)) + ".25)";
        break;
      case 3: sql = "DELETE FROM t WHERE k = '" + k + "' AND j = " + j; break;
      case 4: sql = "DELETE FROM t WHERE v = 'v" + std::to_string(pick(5)) + "'"; break;
      case 5:
        sql = "UPSERT INTO t (k, j, n) VALUES (" + key + ", 1) ON DUPLICATE KEY UPDATE n = n + 1";
        break;
      case 6: sql = "UPSERT INTO t (k, j, v) SELECT k, j, 'v4' FROM t WHERE n = " + n; break;
      default: break;
    }
    if (!sql.empty()) {
      const auto done = connection->Execute(sql);
      EXPECT_TRUE(done.ok()) << sql << ": " << done.status().ToString();
      return;
    }
    // As the key of ('k5', 2): the text, a zero byte, and the number with all bits inverted.
    Bytes row = k + std::string(1, '\0') + std::string("\x7f\xff\xff", 3);
    row.push_back(static_cast<char>(0xff - std::stoi(j)));
    const Bytes column_v("\x80\x0b", 2);  // the first encoded qualifier
    const int64_t timestamp =
        pick(2) == 0 ? kLatestTimestamp : database_->store()->NowMillis() - 50 + pick(100);
    MutationBatch batch;
    batch.StartRow(row);
    switch (pick(4)) {
      case 0:
        batch.Put("0", column_v, "v" + std::to_string(pick(5)), timestamp);
        batch.Put("0", Bytes(4, '\0'), "x", timestamp);
        break;
      case 1: batch.DeleteColumn("0", column_v, timestamp); break;
      case 2:
        batch.DeleteFamily("0", timestamp);
        batch.DeleteFamily("X", timestamp);
        break;
      default:
        batch.Put("0", Bytes(4, '\0'), "x", timestamp);
        batch.DeleteFamily("X", timestamp);
        break;
    }
    EXPECT_TRUE(table->Write(&batch).ok());
  }

  void ChangeMany(uint64_t seed, int count) {
    std::mt19937_64 random(seed);
    auto connection = database_->Connect({});
    ASSERT_TRUE(connection.ok());
    auto table = database_->store()->OpenTable({"default", "T"});
    ASSERT_TRUE(table.ok());
    for (int i = 0; i < count; ++i) Change(connection->get(), table->get(), &random);
  }
};

TEST_F(IndexesTest, FollowEveryWrite) {
  MakeTable();
  ChangeMany(1, 100);
  MakeIndexes();
  CheckIndexes("built");
  ChangeMany(2, 400);
  CheckIndexes("written");
  Admin* const admin = database_->store()->admin();
  for (const std::string table : {"T", "T_V", "T_D"}) {
    ASSERT_TRUE(admin->Flush({"default", table}).ok());
  }
  CheckIndexes("flushed");
  ChangeMany(3, 200);
  ASSERT_TRUE(admin->Compact({"default", "T_V"}, true).ok());
  CheckIndexes("compacted");
}

TEST_F(IndexesTest, FollowAfterARestart) {
  MakeTable();
  MakeIndexes();
  ChangeMany(4, 100);
  Reopen();
  CheckIndexes("opened again");
  Reopen();
  {
    // Nobody has asked for SQL yet.
    auto table = database_->store()->OpenTable({"default", "T"});
    ASSERT_TRUE(table.ok());
    Bytes row = "k1" + std::string(1, '\0') + std::string("\x7f\xff\xff\xfe", 4);
    ASSERT_TRUE((*table)->Put(row, "0", Bytes("\x80\x0b", 2), "v3").ok());
  }
  CheckIndexes("written to before SQL");
}

TEST_F(IndexesTest, AreBuiltWhileTheTableIsWritten) {
  MakeTable();
  ChangeMany(5, 200);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (uint64_t i = 0; i < 3; ++i) {
    writers.emplace_back([this, i, &stop] {
      for (uint64_t round = 0; !stop.load(); ++round) ChangeMany(100 + i * 1000 + round, 5);
    });
  }
  MakeIndexes();
  CompareIndexes("while it is written");
  Do("ALTER INDEX t_v ON t REBUILD");
  stop.store(true);
  for (std::thread& writer : writers) writer.join();
  CheckIndexes("in the end");
}

// A DELETE by an index takes all rows that met its condition before it and none that never did,
// while others move rows from value to value and write new ones.
TEST_F(IndexesTest, RowsAreDeletedByThemWhileTheTableIsWritten) {
  Do("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, n INTEGER)");
  Do("CREATE INDEX t_v ON t (v) INCLUDE (n)");
  Do("CREATE UNCOVERED INDEX t_n ON t (n)");
  constexpr int kRows = 200;
  for (int k = 0; k < kRows; ++k) {
    // A quarter goes, a quarter stays, half of them move.
    const int v = k % 4 == 0 ? 1 : k % 4 == 1 ? 2 : 3;
    Do("UPSERT INTO t VALUES (" + std::to_string(k) + ", " + std::to_string(v) + ", " +
       std::to_string(v) + ")");
  }
  EXPECT_EQ(Ask("EXPLAIN DELETE FROM t WHERE v = 1").front(),
            "DELETE ROWS CLIENT SELECT|NULL|NULL|NULL");
  EXPECT_EQ(Ask("EXPLAIN DELETE FROM t WHERE n = 1").front(),
            "DELETE ROWS CLIENT SELECT|NULL|NULL|NULL");
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([this, writer, &stop] {
      std::mt19937_64 random(static_cast<uint64_t>(writer));
      auto connection = database_->Connect({});
      ASSERT_TRUE(connection.ok());
      while (!stop.load()) {
        const uint64_t k = random() % kRows / 4 * 4 + 2 + random() % 2;
        const std::string v = std::to_string(1 + random() % 4);
        const auto done =
            (*connection)
                ->Execute("UPSERT INTO t VALUES (" + std::to_string(k) + ", " + v + ", " + v + ")");
        ASSERT_TRUE(done.ok()) << done.status().ToString();
      }
    });
  }
  Do("DELETE FROM t WHERE v = 1");
  EXPECT_EQ(Ask("SELECT /*+ NO_INDEX */ COUNT(*) FROM t WHERE k % 4 = 0"),
            std::vector<std::string>{"0"});
  for (int i = 0; i < 50; ++i) {
    Do(i % 2 == 0 ? "DELETE FROM t WHERE v = 1" : "DELETE FROM t WHERE n = 4");
  }
  stop.store(true);
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Ask("SELECT /*+ NO_INDEX */ COUNT(*) FROM t WHERE k % 4 = 1 AND v = 2 AND n = 2"),
            std::vector<std::string>{std::to_string(kRows / 4)});
  for (const std::string index : {"t_v", "t_n"}) {
    EXPECT_TRUE(Ask("CHECK INDEX " + index + " ON t").empty()) << index;
  }
}

// Statistics can tell that an index which lacks columns leads to more rows than the table has
// blocks. Without them, and where the index has all columns, Phoenix's rules decide alone.
TEST_F(IndexesTest, AreNotReadWhereTheTableIsReadMoreQuickly) {
  Do("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, w INTEGER, pad VARCHAR)");
  Do("UPSERT INTO t VALUES (0, 0, 1, '" + std::string(100, 'p') + "')");
  for (int rows = 1; rows < 4096; rows *= 2) {
    const std::string more = std::to_string(rows);
    Do("UPSERT INTO t SELECT k + " + more + ", v + " + more + ", w, pad FROM t");
  }
  Do("CREATE UNCOVERED INDEX t_u ON t (v)");
  Do("CREATE INDEX t_c ON t (w) INCLUDE (v)");
  const auto reads = [this](const std::string& sql, const std::string& name) {
    const std::vector<std::string> plan = Ask("EXPLAIN " + sql);
    return std::any_of(plan.begin(), plan.end(), [&](const std::string& line) {
      return (line + " ").find(" OVER " + name + " ") != std::string::npos ||
             line.find(" OVER " + name + "|") != std::string::npos;
    });
  };
  const std::string many = "SELECT SUM(LENGTH(pad)) FROM t WHERE v > 10";
  EXPECT_TRUE(reads(many, "T_U"));
  Do("UPDATE STATISTICS t SET \"phoenix.stats.guidepost.width\" = 1000");
  EXPECT_EQ(Ask("SELECT DISTINCT physical_name FROM SYSTEM.STATS ORDER BY 1"),
            (std::vector<std::string>{"T", "T_C", "T_U"}));
  EXPECT_TRUE(reads(many, "T"));
  EXPECT_EQ(Ask(many), std::vector<std::string>{"408500"});
  EXPECT_TRUE(reads("SELECT SUM(LENGTH(pad)) FROM t WHERE v = 17", "T_U"));
  EXPECT_TRUE(reads("SELECT /*+ INDEX(t t_u) */ SUM(LENGTH(pad)) FROM t WHERE v > 10", "T_U"));
  EXPECT_TRUE(reads("SELECT pad FROM t WHERE v > 10 ORDER BY v LIMIT 5", "T_U"));
  EXPECT_TRUE(reads("SELECT SUM(v) FROM t WHERE w > 0", "T_C"));
  // By a parameter nothing is known when the statement is planned.
  auto connection = database_->Connect({});
  ASSERT_TRUE(connection.ok());
  auto plan = (*connection)->Prepare("EXPLAIN SELECT SUM(LENGTH(pad)) FROM t WHERE v > ?");
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  ASSERT_TRUE((*plan)->Bind(0, Datum(int64_t{10})).ok());
  auto lines = (*plan)->Execute();
  ASSERT_TRUE(lines.ok()) << lines.status().ToString();
  ASSERT_TRUE((*lines)->Next().value());
  EXPECT_NE((*lines)->GetText(0).find("OVER T_U"), std::string::npos) << (*lines)->GetText(0);
}

// What an ASYNC index needs is built in the background, and after a restart in between, too.
TEST_F(IndexesTest, AreBuiltInTheBackground) {
  MakeTable();
  ChangeMany(6, 100);
  Do("CREATE INDEX t_v ON t (v) INCLUDE (n) ASYNC");
  const std::string state =
      "SELECT INDEX_STATE FROM SYSTEM.CATALOG WHERE TABLE_NAME = 'T_V' AND TABLE_TYPE = 'i'";
  EXPECT_EQ(Ask(state), std::vector<std::string>{"b"});
  Reopen();
  ChangeMany(7, 50);
  while (Ask(state) != std::vector<std::string>{"a"}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(Ask("CHECK INDEX t_v ON t").empty());
}

// Nobody reads it before it is whole, and who disables it meanwhile is obeyed.
TEST_F(IndexesTest, AreNotUsedWhileTheyAreBuilt) {
  MakeTable();
  ChangeMany(6, 100);
  Do("CREATE INDEX t_v ON t (v) ASYNC");
  for (const std::string state : {"USABLE", "ACTIVE", "UNUSABLE"}) {
    const std::vector<std::string> answer = Ask("ALTER INDEX t_v ON t " + state);
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_NE(answer[0].find("1028"), std::string::npos) << answer[0];
  }
  Do("ALTER INDEX t_v ON t DISABLE");
  ChangeMany(7, 50);
  EXPECT_EQ(Ask("EXPLAIN SELECT v FROM t WHERE v = 'v1'")[0].find("OVER T_V"), std::string::npos);
  Do("ALTER INDEX t_v ON t REBUILD");
  EXPECT_EQ(Ask("CHECK INDEX t_v ON t"), std::vector<std::string>());

  // Whichever of the two comes first.
  for (int i = 0; i < 10; ++i) {
    std::thread disabler([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2 * i));
      Ask("ALTER INDEX t_w ON t DISABLE");
      ChangeMany(10 + i, 20);
    });
    Ask("CREATE INDEX t_w ON t (n)");
    disabler.join();
    const std::vector<std::string> state =
        Ask("SELECT INDEX_STATE FROM SYSTEM.CATALOG WHERE TABLE_NAME = 'T_W' AND TABLE_TYPE = 'i'");
    if (state == std::vector<std::string>{"a"}) {
      EXPECT_EQ(Ask("CHECK INDEX t_w ON t"), std::vector<std::string>());
    }
    Ask("DROP INDEX IF EXISTS t_w ON t");
  }
}

TEST_F(IndexesTest, DamageIsFoundAndRepaired) {
  MakeTable();
  Do("CREATE INDEX t_v ON t (v) INCLUDE (n)");
  Do("UPSERT INTO t (k, j, v, n) VALUES ('a', 1, 'one', 1)");
  Do("UPSERT INTO t (k, j, v, n) VALUES ('b', 1, 'two', 2)");
  Do("UPSERT INTO t (k, j, v, n) VALUES ('c', 1, 'three', 3)");
  EXPECT_TRUE(Ask("CHECK INDEX t_v ON t").empty());
  auto index = database_->store()->OpenTable({"default", "T_V"});
  ASSERT_TRUE(index.ok());
  const auto row_of = [](const std::string& v, const std::string& k) {
    return Bytes(v + std::string(1, '\0') + k + std::string(1, '\0') +
                 std::string("\x7f\xff\xff\xfe", 4));
  };
  ASSERT_TRUE((*index)->DeleteRow(row_of("one", "a")).ok());
  ASSERT_TRUE((*index)->Put(row_of("two", "b"), "0", Bytes("\x80\x0b", 2), "?").ok());
  ASSERT_TRUE((*index)->Put(row_of("four", "d"), "0", Bytes(4, '\0'), "\x01").ok());
  const std::vector<std::string> found = Ask("CHECK INDEX t_v ON t");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].starts_with("MISSING IN INDEX|")) << found[0];
  EXPECT_TRUE(found[1].starts_with("DIFFERENT IN INDEX|")) << found[1];
  EXPECT_TRUE(found[2].starts_with("NOT IN TABLE|")) << found[2];
  EXPECT_EQ(Ask("CHECK INDEX t_v ON t REPAIR").size(), 3u);
  EXPECT_TRUE(Ask("CHECK INDEX t_v ON t").empty());
  EXPECT_EQ(Ask("CHECK INDEX t_x ON t").front(),
            "ERROR 1042 (42M06): Index undefined. tableName=T_X");
}

// Columns that the table's key gets are in the keys of its indexes, too: else several rows of the
// table would be one in the index.
TEST_F(IndexesTest, HaveTheWholeKeyOfTheirTable) {
  Do("CREATE TABLE p (k INTEGER PRIMARY KEY, v VARCHAR)");
  Do("CREATE INDEX p_v ON p (v)");
  Do("CREATE VIEW pv (w VARCHAR) AS SELECT * FROM p");
  Do("CREATE INDEX pv_w ON pv (w)");
  Do("UPSERT INTO pv VALUES (1, 'one', 'w')");
  Do("ALTER TABLE p ADD s VARCHAR PRIMARY KEY, n DECIMAL PRIMARY KEY");
  Do("UPSERT INTO pv (k, s, n, v, w) VALUES (1, 'a', 2, 'one', 'w')");
  Do("UPSERT INTO p (k, s, v) VALUES (1, 'b', 'one')");
  EXPECT_TRUE(Ask("CHECK INDEX p_v ON p").empty());
  EXPECT_TRUE(Ask("CHECK INDEX pv_w ON pv").empty());
  const std::vector<std::string> rows = {"1|NULL|NULL", "1|a|2", "1|b|NULL"};
  EXPECT_EQ(Ask("SELECT k, s, n FROM p WHERE v = 'one'"), rows);
  EXPECT_EQ(Ask("SELECT k, s, n FROM pv WHERE w = 'w'"),
            (std::vector<std::string>{rows[0], rows[1]}));
  EXPECT_NE(Ask("EXPLAIN SELECT k, s, n FROM p WHERE v = 'one'").front().find("P_V"),
            std::string::npos);
  Do("DELETE FROM p WHERE k = 1 AND s = 'a' AND n = 2");
  EXPECT_TRUE(Ask("CHECK INDEX p_v ON p").empty());
  EXPECT_TRUE(Ask("CHECK INDEX pv_w ON pv").empty());
}

// An index whose definition lacks a column of its table's key, as an earlier store may have it,
// does not lead to the rows of the table. It is not read.
TEST_F(IndexesTest, AreNotReadWithoutTheWholeKeyOfTheirTable) {
  Do("CREATE TABLE p (k INTEGER PRIMARY KEY, v VARCHAR)");
  Do("CREATE INDEX p_v ON p (v)");
  Do("ALTER TABLE p ADD s VARCHAR PRIMARY KEY");
  auto catalog = database_->store()->OpenTable({"default", "SYSTEM.CATALOG"}).value();
  const Bytes column(std::string("\0\0P_V\0:S", 8));
  Get get;
  get.row = column;
  const Row row = catalog->GetRow(get).value();
  ASSERT_FALSE(row.empty());
  // The catalog's clock may be ahead.
  MutationBatch batch;
  batch.StartRow(column);
  batch.DeleteFamily(row.cells[0].family(), row.cells[0].timestamp());
  ASSERT_TRUE(catalog->Write(&batch).ok());
  Reopen();
  Do("UPSERT INTO p (k, s, v) VALUES (1, 'a', 'one'), (1, 'b', 'one'), (2, 'a', 'two')");
  for (const std::string hint : {"", "/*+ INDEX(p p_v) */ "}) {
    const std::string query = "SELECT " + hint + "k, s FROM p WHERE v = 'one'";
    EXPECT_EQ(Ask(query), (std::vector<std::string>{"1|a", "1|b"}));
    EXPECT_EQ(Ask("EXPLAIN " + query).front().find("P_V"), std::string::npos);
  }
}

// A row that an index cannot hold is refused, and nothing of it is written.
TEST_F(IndexesTest, ARowThatAnIndexCannotHoldIsRefused) {
  Do("CREATE TABLE r (k INTEGER PRIMARY KEY, a INTEGER, b INTEGER)");
  Do("UPSERT INTO r VALUES (1, 6, 2)");
  Do("CREATE INDEX r_q ON r (a / b)");
  const std::vector<std::string> refused = Ask("UPSERT INTO r VALUES (2, 1, 0)");
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_NE(refused[0].find("R_Q"), std::string::npos) << refused[0];
  EXPECT_EQ(Ask("SELECT k FROM r"), std::vector<std::string>{"1"});
  Do("UPSERT INTO r VALUES (1, 9, 3)");
  EXPECT_EQ(Ask("SELECT k FROM r WHERE a / b = 3"), std::vector<std::string>{"1"});
  // Nor is an index made that cannot hold what is there.
  Do("DROP INDEX r_q ON r");
  Do("UPSERT INTO r VALUES (2, 1, 0)");
  EXPECT_EQ(Ask("CREATE INDEX r_q ON r (a / b)").size(), 1u);
  EXPECT_EQ(Ask("SELECT * FROM r_q").front(), "ERROR 1012 (42M03): Table undefined. tableName=R_Q");
}

}  // namespace
}  // namespace bennu
