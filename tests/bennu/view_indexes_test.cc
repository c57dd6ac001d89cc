// Indexes of views and of multi-tenant tables have what their views have, whoever writes: SQL
// through the table, through a view, through a view over it, as a tenant, and the data API.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/table.h"
#include "gtest/gtest.h"
#include "tests/bennu/reopened_store.h"

namespace bennu {
namespace {

using Rows = std::vector<std::string>;

class ViewIndexesTest : public ReopenedStoreTest {
 protected:
  Rows Sorted(Rows rows) {
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  std::string Plan(const std::string& query, const std::string& tenant = {}) {
    return Ask("EXPLAIN " + query, tenant).front();
  }

  void ExpectNoDifference(const std::string& index, const std::string& view,
                          const std::string& where, const std::string& tenant = {}) {
    const Rows differences = Ask("CHECK INDEX " + index + " ON " + view, tenant);
    EXPECT_TRUE(differences.empty())
        << where << ", " << index << ": " << differences.size() << ", " << differences.front();
  }
  // What a query gets from an index is what it gets from the table, too. 'hinted': "view index",
  // for indexes that would not be read without a hint.
  void ExpectSameRows(const std::string& query, const std::string& where,
                      const std::string& tenant = {}, const std::string& hinted = {}) {
    const std::string hint = hinted.empty() ? "" : "/*+ INDEX(" + hinted + ") */ ";
    const std::string by_index = "SELECT " + hint + query;
    EXPECT_NE(Plan(by_index, tenant).find("_IDX_"), std::string::npos) << by_index;
    EXPECT_EQ(Sorted(Ask(by_index, tenant)), Sorted(Ask("SELECT /*+ NO_INDEX */ " + query, tenant)))
        << where << ", " << by_index;
  }

  void MakeViews() {
    Do("CREATE TABLE t (kind CHAR(2) NOT NULL, id INTEGER NOT NULL, v VARCHAR, n INTEGER, x.d "
       "VARCHAR, CONSTRAINT pk PRIMARY KEY (kind, id))");
    Do("CREATE VIEW va (c VARCHAR) AS SELECT * FROM t WHERE kind = 'aa'");
    Do("CREATE VIEW vaa (e INTEGER) AS SELECT * FROM va WHERE v = 'v1'");
    Do("CREATE VIEW vr AS SELECT * FROM t WHERE kind = 'bb' AND n > 5");
    Do("CREATE VIEW vk (sub INTEGER NOT NULL PRIMARY KEY) AS SELECT * FROM t WHERE kind = 'kk'");
  }
  void MakeIndexes() {
    Do("CREATE INDEX va_c ON va (c DESC) INCLUDE (v, n)");
    Do("CREATE INDEX va_f ON va (UPPER(v)) INCLUDE (n, x.d) WHERE n > 2");
    Do("CREATE INDEX vaa_n ON vaa (n) INCLUDE (e)");
    Do("CREATE UNCOVERED INDEX va_n ON va (n)");
    Do("CREATE UNCOVERED INDEX vr_v ON vr (v)");
    Do("CREATE INDEX vk_n ON vk (n, v)");
  }
  void CheckAll(const std::string& where) {
    ExpectNoDifference("va_c", "va", where);
    ExpectNoDifference("va_f", "va", where);
    ExpectNoDifference("va_n", "va", where);
    ExpectNoDifference("vaa_n", "vaa", where);
    ExpectNoDifference("vr_v", "vr", where);
    ExpectNoDifference("vk_n", "vk", where);
    CheckAnswers(where);
  }
  void CheckAnswers(const std::string& where) {
    ExpectSameRows("kind, id, v, n, c FROM va WHERE c = 'c1'", where);
    ExpectSameRows("id, c FROM vaa WHERE c >= 'c2'", where);
    ExpectSameRows("kind, id, v, n FROM vaa WHERE n = 7", where);
    ExpectSameRows("kind, id, v FROM vr WHERE v = 'v1'", where);
    ExpectSameRows("kind, id, sub, v FROM vk WHERE n BETWEEN 2 AND 8", where);
    ExpectSameRows("id, x.d FROM va WHERE UPPER(v) = 'V1' AND n > 3", where);
    // What the index lacks comes from the table, by keys of which most views hold a part.
    ExpectSameRows("kind, id, n, x.d FROM vr WHERE v = 'v1'", where, "", "vr vr_v");
    ExpectSameRows("id FROM vr WHERE v >= 'v1' AND n > 8", where, "", "vr vr_v");
    ExpectSameRows("kind, id, n, x.d FROM va WHERE n = 7", where);
    ExpectSameRows("kind, id, c, x.d FROM va WHERE c >= 'c1' AND kind = 'aa'", where, "",
                   "va va_c");
    ExpectSameRows("id, e, x.d FROM vaa WHERE c >= 'c1'", where, "", "vaa va_c");
    ExpectSameRows("kind, id, sub, x.d FROM vk WHERE n > 3", where, "", "vk vk_n");
  }

  // One change of a random row, by SQL or through the data API.
  void Change(SqlConnection* connection, Table* table, std::mt19937_64* random) {
    const auto pick = [random](uint64_t count) { return (*random)() % count; };
    const std::string id = std::to_string(pick(8));
    const std::string kind = std::vector<std::string>{"aa", "bb", "kk"}[pick(3)];
    const std::string v = pick(5) == 0 ? "NULL" : "'v" + std::to_string(pick(4)) + "'";
    const std::string n = pick(5) == 0 ? "NULL" : std::to_string(pick(12));
    const std::string c = pick(5) == 0 ? "NULL" : "'c" + std::to_string(pick(4)) + "'";
    std::string sql;
    switch (pick(10)) {
      case 0:
        if (kind == "kk") break;
        sql = "UPSERT INTO t (kind, id, v, n) VALUES ('" + kind + "', " + id + ", " + v + ", " + n +
              ")";
        break;
      case 1: sql = "UPSERT INTO va (id, c, v) VALUES (" + id + ", " + c + ", " + v + ")"; break;
      case 2: sql = "UPSERT INTO vaa (id, n, e) VALUES (" + id + ", " + n + ", 3)"; break;
      case 3: sql = "UPSERT INTO vk (id, sub, n) VALUES (" + id + ", 1, " + n + ")"; break;
      case 4: sql = "DELETE FROM t WHERE kind = '" + kind + "' AND id = " + id; break;
      case 5: sql = "DELETE FROM va WHERE c = " + c; break;
      case 6: sql = "DELETE FROM vaa WHERE id = " + id; break;
      default: break;
    }
    if (!sql.empty()) {
      const auto done = connection->Execute(sql);
      EXPECT_TRUE(done.ok()) << sql << ": " << done.status().ToString();
      return;
    }
    Bytes row = kind + std::string("\x80\0\0", 3) + static_cast<char>(std::stoi(id));
    if (kind == "kk") row += std::string("\x80\0\0\1", 4);  // the key column of the view
    const Bytes column_v("\x80\x0b", 2);                    // the first encoded qualifiers
    const Bytes column_n("\x80\x0c", 2);
    MutationBatch batch;
    batch.StartRow(row);
    switch (pick(4)) {
      case 0:
        batch.Put("0", column_v, "v" + std::to_string(pick(4)));
        batch.Put("0", Bytes(4, '\0'), "x");
        break;
      case 1:
        batch.Put("0", column_n, Bytes("\x80\0\0", 3) + static_cast<char>(pick(12)));
        batch.Put("0", Bytes(4, '\0'), "x");
        break;
      case 2: batch.DeleteColumn("0", column_n); break;
      default:
        batch.DeleteFamily("0");
        batch.DeleteFamily("X");
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
  // Calls 'change' with each row of the table.
  void ForEachRow(const std::string& name,
                  const std::function<void(const Row& row, MutationBatch* batch)>& change) {
    auto table = database_->store()->OpenTable({"default", name}).value();
    std::vector<Bytes> keys;
    auto scanner = table->OpenScanner(Scan()).value();
    CellBatch found;
    do {
      EXPECT_TRUE(scanner->Next(1000, &found).ok());
      for (const uint32_t start : found.row_starts) keys.emplace_back(found.cells[start].row());
    } while (found.row_count() > 0);
    MutationBatch batch;
    for (const Bytes& key : keys) {
      Get get;
      get.row = key;
      change(table->GetRow(get).value(), &batch);
    }
    ASSERT_TRUE(table->Write(&batch).ok());
  }
  // All rows of the shared table lose their marks, and each gets another beside it that the table
  // knows nothing of, as a client of Phoenix leaves them behind when it dies.
  void TakeMarksAway(const std::string& name) {
    ForEachRow(name, [](const Row& row, MutationBatch* batch) {
      const Bytes key(row.cells[0].row());
      Bytes other = key;
      other.back() = static_cast<char>(other.back() ^ 0x40);
      for (const Bytes& to : {key, other}) {
        batch->StartRow(to);
        for (const Cell& cell : row.cells) {
          const bool is_mark = cell.value_view() == ByteView("\x01", 1);
          batch->Put(cell.family(), cell.qualifier(),
                     is_mark ? ByteView("\x02", 1) : cell.value_view(), kLatestTimestamp);
        }
      }
    });
  }
  size_t RowsOf(const std::string& table) {
    auto opened = database_->store()->OpenTable({"default", table});
    if (!opened.ok()) return 0;
    auto scanner = (*opened)->OpenScanner(Scan());
    EXPECT_TRUE(scanner.ok());
    CellBatch batch;
    size_t count = 0;
    do {
      EXPECT_TRUE((*scanner)->Next(1000, &batch).ok());
      count += batch.row_count();
    } while (batch.row_count() > 0);
    return count;
  }
};

TEST_F(ViewIndexesTest, FollowEveryWrite) {
  MakeViews();
  ChangeMany(1, 100);
  MakeIndexes();
  CheckAll("built");
  ChangeMany(2, 400);
  CheckAll("written");
  Reopen();
  ChangeMany(3, 100);
  CheckAll("opened again");
}

// Rows without the mark count as the rows of the view have them, and those of a view over it.
TEST_F(ViewIndexesTest, TheTableDecidesOnRowsWithoutTheMark) {
  MakeViews();
  MakeIndexes();
  ChangeMany(7, 300);
  Do("UPSERT INTO va (id, c, v, n) VALUES (1, 'c1', 'v1', 7), (2, 'c2', 'v1', 8)");
  Do("UPSERT INTO vaa (id, c, n, e) VALUES (3, 'c3', 7, 9)");
  Do("UPSERT INTO vk (id, sub, n, v) VALUES (4, 5, 7, 'v1')");
  CheckAll("marked");
  TakeMarksAway("_IDX_T");
  CheckAnswers("in memory");
  EXPECT_FALSE(Ask("CHECK INDEX va_c ON va").empty());
  const TableName shared{"default", "_IDX_T"};
  ASSERT_TRUE(database_->store()->admin()->Flush(shared).ok());
  ASSERT_TRUE(database_->store()->admin()->Compact(shared, /*major=*/true).ok());
  CheckAnswers("in a file");
  // The index of the view below has a column that the view has no more.
  Do("ALTER VIEW vaa DROP COLUMN n");
  ExpectSameRows("id, e, c FROM vaa WHERE c >= 'c1'", "without a column", "", "vaa va_c");
  EXPECT_FALSE(Ask("CHECK INDEX va_c ON va REPAIR").empty());
  ExpectNoDifference("va_c", "va", "repaired");
}

// A row without the mark has the values that the table has, of the view's own columns, too.
TEST_F(ViewIndexesTest, ValuesOfARowWithoutTheMark) {
  MakeViews();
  Do("CREATE INDEX va_n ON va (n) INCLUDE (c)");
  Do("UPSERT INTO va (id, n, c) VALUES (1, 5, 'right')");
  ForEachRow("_IDX_T", [](const Row& row, MutationBatch* batch) {
    batch->StartRow(row.cells[0].row());
    for (const Cell& cell : row.cells) {
      const bool is_mark = cell.value_view() == ByteView("\x01", 1);
      batch->Put(cell.family(), cell.qualifier(), is_mark ? "\x02" : "wrong", kLatestTimestamp);
    }
  });
  EXPECT_NE(Plan("SELECT kind, id, c FROM va WHERE n = 5").find("_IDX_T"), std::string::npos);
  EXPECT_EQ(Ask("SELECT kind, id, c FROM va WHERE n = 5"), Rows{"aa|1|right"});
}

TEST_F(ViewIndexesTest, AreBuiltWhileTheTableIsWritten) {
  MakeViews();
  ChangeMany(4, 200);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (uint64_t i = 0; i < 2; ++i) {
    writers.emplace_back([this, i, &stop] {
      for (uint64_t round = 0; !stop.load(); ++round) ChangeMany(100 + i * 1000 + round, 5);
    });
  }
  MakeIndexes();
  ExpectNoDifference("va_c", "va", "while it is written");
  Do("ALTER INDEX vr_v ON vr REBUILD");
  stop.store(true);
  for (std::thread& writer : writers) writer.join();
  CheckAll("in the end");
}

// The same over a table of salt buckets: each bucket of the shared table has rows of each index.
TEST_F(ViewIndexesTest, OfASaltedTable) {
  Do("CREATE TABLE s (kind CHAR(2) NOT NULL, id INTEGER NOT NULL, v VARCHAR, w VARCHAR, CONSTRAINT "
     "pk PRIMARY KEY (kind, id)) SALT_BUCKETS=3");
  Do("CREATE VIEW sa AS SELECT * FROM s WHERE kind = 'aa'");
  for (int i = 0; i < 20; ++i) {
    const std::string id = std::to_string(i);
    Do("UPSERT INTO s VALUES ('" + std::string(i % 3 == 0 ? "bb" : "aa") + "', " + id + ", 'v" +
       std::to_string(i % 4) + "', 'w" + id + "')");
  }
  Do("CREATE INDEX sa_v ON sa (v)");
  Do("CREATE INDEX sa_w ON sa (v DESC)");
  ExpectNoDifference("sa_v", "sa", "built");
  ExpectSameRows("id FROM sa WHERE v = 'v1'", "built");
  Do("DELETE FROM sa WHERE v = 'v2'");
  Do("ALTER INDEX sa_v ON sa REBUILD");
  ExpectNoDifference("sa_v", "sa", "rebuilt");
  ExpectNoDifference("sa_w", "sa", "beside a rebuilt one");
  Do("CREATE UNCOVERED INDEX sa_u ON sa (w)");
  ExpectSameRows("kind, id, v FROM sa WHERE w > 'w1' AND w < 'w2'", "looked up");
  ExpectSameRows("kind, id, w FROM sa WHERE v = 'v1'", "looked up", "", "sa sa_w");
  TakeMarksAway("_IDX_S");
  ExpectSameRows("id FROM sa WHERE v = 'v1'", "without marks");
  ExpectSameRows("id, w FROM sa WHERE v >= 'v1'", "without marks", "", "sa sa_v");
}

// Which differences CHECK INDEX finds, and that the rows of other indexes beside it are none.
TEST_F(ViewIndexesTest, DamageIsFoundAndRepaired) {
  MakeViews();
  MakeIndexes();
  Do("UPSERT INTO va (id, c) VALUES (1, 'one')");
  Do("UPSERT INTO vaa (id, n) VALUES (2, 9)");
  auto shared = database_->store()->OpenTable({"default", "_IDX_T"});
  ASSERT_TRUE(shared.ok());
  // The first index has the number -32768. A descending text is inverted and ends with ff.
  const Bytes number("\0\0", 2);
  const Bytes id("\x80\0\0\1", 4);
  ASSERT_TRUE((*shared)->DeleteRow(number + "\x90\x91\x9a\xff" + id).ok());
  ASSERT_TRUE((*shared)->Put(number + "\x90\xff" + id, "0", Bytes(4, '\0'), "\x01").ok());
  const Rows found = Ask("CHECK INDEX va_c ON va");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].starts_with("MISSING IN INDEX|")) << found[0];
  EXPECT_TRUE(found[1].starts_with("NOT IN TABLE|")) << found[1];
  EXPECT_EQ(Ask("CHECK INDEX va_c ON va REPAIR").size(), 2u);
  CheckAll("repaired");
}

TEST_F(ViewIndexesTest, GoWithTheirViews) {
  MakeViews();
  ChangeMany(5, 200);
  Do("UPSERT INTO vaa (id, n, c) VALUES (1, 7, 'c1')");
  MakeIndexes();
  const size_t all = RowsOf("_IDX_T");
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM va_c").front(), Ask("SELECT COUNT(*) FROM va").front());
  Do("DROP INDEX va_f ON va");
  Do("DROP VIEW vk");
  EXPECT_LT(RowsOf("_IDX_T"), all);
  EXPECT_EQ(Ask("CHECK INDEX va_f ON va").front(),
            "ERROR 1042 (42M06): Index undefined. tableName=VA_F");
  EXPECT_EQ(Ask("CREATE INDEX va_k ON va (kind)").front(),
            "ERROR 522 (42899): Stateless expression not allowed in an index.");
  ExpectNoDifference("va_c", "va", "one dropped");
  EXPECT_EQ(Ask("DROP VIEW va").front().substr(0, 10), "ERROR 1010");
  // With the view go the views over it and the indexes of them all, but for those of other views.
  Do("DROP VIEW va CASCADE");
  EXPECT_EQ(Ask("SELECT * FROM vaa_n").front(),
            "ERROR 1012 (42M03): Table undefined. tableName=VAA_N");
  ExpectNoDifference("vr_v", "vr", "others dropped");
  EXPECT_EQ(std::to_string(RowsOf("_IDX_T")), Ask("SELECT COUNT(*) FROM vr").front());
  Do("DROP TABLE t CASCADE");
  EXPECT_FALSE(database_->store()->OpenTable({"default", "_IDX_T"}).ok());
  MakeViews();
  MakeIndexes();
  CheckAll("made anew");
}

// Columns that go take the indexes that are made of them along, and leave those that include them.
TEST_F(ViewIndexesTest, LoseColumnsWithTheTable) {
  MakeViews();
  ChangeMany(6, 100);
  MakeIndexes();
  EXPECT_EQ(Ask("ALTER TABLE t DROP COLUMN n").front().substr(0, 10), "ERROR 1010");
  CheckAll("nothing was dropped");
  Do("DROP VIEW vr CASCADE");
  Do("ALTER TABLE t DROP COLUMN n");
  EXPECT_EQ(Ask("CHECK INDEX vaa_n ON vaa").front().substr(0, 10), "ERROR 1042");
  EXPECT_EQ(Ask("CHECK INDEX va_f ON va").front().substr(0, 10), "ERROR 1042");
  ExpectNoDifference("va_c", "va", "a column dropped");
  ExpectSameRows("id, v FROM va WHERE c = 'c1'", "a column dropped");
  Do("ALTER VIEW va ADD extra VARCHAR CASCADE INDEX ALL");
  Do("UPSERT INTO va (id, c, extra) VALUES (1, 'c1', 'more')");
  ExpectNoDifference("va_c", "va", "a column added");
  ExpectSameRows("id, extra FROM va WHERE c = 'c1'", "a column added");
}

// The key of an index would have no place for the columns that a view adds to the table's.
TEST_F(ViewIndexesTest, NoneWhereAViewHasALongerKey) {
  MakeViews();
  const std::string refused =
      "ERROR 10955 (44A37): Index can be created only if none of the child views extends primary "
      "key";
  EXPECT_EQ(Ask("CREATE INDEX t_v ON t (v)").front(), refused);
  // Nor where a view beside it has some of its rows.
  Do("CREATE VIEW vn AS SELECT * FROM t WHERE n = 3");
  EXPECT_EQ(Ask("CREATE INDEX vn_v ON vn (v)").front(), refused);
  MakeIndexes();
  EXPECT_EQ(Ask("CREATE VIEW vx (s VARCHAR PRIMARY KEY) AS SELECT * FROM t WHERE n = 4")
                .front()
                .substr(0, 11),
            "ERROR 10956");
  Do("CREATE VIEW vx (s VARCHAR PRIMARY KEY) AS SELECT * FROM t WHERE kind = 'xx'");
}

// A row of the table that has no value for the key column of a view is none of the index's.
TEST_F(ViewIndexesTest, RowsWithoutTheWholeKeyOfTheView) {
  MakeViews();
  MakeIndexes();
  Do("UPSERT INTO t VALUES ('kk', 1, 'v1', 7, 'd')");
  Do("UPSERT INTO vk (id, sub, n) VALUES (2, 5, 7)");
  ExpectNoDifference("vk_n", "vk", "without");
  EXPECT_EQ(Ask("SELECT id, sub FROM vk WHERE n = 7"), Rows{"2|5"});
}

// A view of a table of HBase is to its indexes what a table of SQL is: they are tables of their
// own.
TEST_F(ViewIndexesTest, OfATableOfHBase) {
  TableDescriptor descriptor;
  descriptor.name = {"default", "h"};
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  ASSERT_TRUE(database_->store()->admin()->CreateTable(descriptor, {}).ok());
  auto table = database_->store()->OpenTable(descriptor.name);
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE((*table)->Put("r1", "f", "v", "a").ok());
  Do(R"(CREATE VIEW "h" (pk VARCHAR PRIMARY KEY, "f"."v" VARCHAR))");
  Do(R"(CREATE INDEX h_v ON "h" ("v"))");
  ASSERT_TRUE((*table)->Put("r2", "f", "v", "a").ok());
  ASSERT_TRUE((*table)->Put("r3", "f", "v", "b").ok());
  ASSERT_TRUE((*table)->DeleteRow("r1").ok());
  ExpectNoDifference("h_v", R"("h")", "written");
  const std::string query = R"(SELECT pk FROM "h" WHERE "v" = 'a')";
  EXPECT_NE(Plan(query).find("OVER H_V ['a']"), std::string::npos);
  EXPECT_EQ(Ask(query), Rows{"r2"});
  Do(R"(DROP VIEW "h")");
  EXPECT_FALSE(database_->store()->OpenTable({"default", "H_V"}).ok());
  EXPECT_TRUE((*table)->Put("r4", "f", "v", "a").ok());
}

class TenantIndexesTest : public ViewIndexesTest {
 protected:
  void SetUp() override {
    ViewIndexesTest::SetUp();
    Do("CREATE TABLE m (tid VARCHAR NOT NULL, id INTEGER NOT NULL, v VARCHAR, n INTEGER, "
       "CONSTRAINT "
       "pk PRIMARY KEY (tid, id)) MULTI_TENANT=true");
    Do("CREATE INDEX m_v ON m (v) INCLUDE (n)");
    Do("CREATE VIEW g AS SELECT * FROM m WHERE n = 1");
    Do("CREATE INDEX g_v ON g (v)");
    for (const std::string tenant : {"t1", "t2"}) {
      Do("CREATE VIEW w (x VARCHAR) AS SELECT * FROM m", tenant);
      Do("UPSERT INTO w (id, v, n, x) VALUES (1, 'a', 1, 'x" + tenant + "')", tenant);
      Do("CREATE INDEX w_x ON w (x) INCLUDE (v)", tenant);
      Do("UPSERT INTO w (id, v, n, x) VALUES (2, 'b', 2, 'x" + tenant + "')", tenant);
      Do("UPSERT INTO m (id, v, n) VALUES (3, 'a', 1)", tenant);
    }
  }
};

TEST_F(TenantIndexesTest, EachSeesItsOwnRows) {
  Do("UPSERT INTO m VALUES ('t1', 4, 'a', 1)");
  for (const std::string tenant : {"t1", "t2"}) {
    ExpectNoDifference("w_x", "w", "tenant", tenant);
    ExpectSameRows("id, v FROM w WHERE x = 'x" + tenant + "'", "tenant", tenant);
    EXPECT_EQ(Ask("SELECT COUNT(*) FROM w_x", tenant).front(),
              Ask("SELECT COUNT(*) FROM w", tenant).front());
    EXPECT_EQ(Ask("SELECT id FROM w WHERE x = 'x" + tenant + "'", tenant), (Rows{"1", "2"}));
  }
  EXPECT_NE(Plan("SELECT id, n FROM m WHERE v = 'a'", "t1").find("M_V ['t1','a']"),
            std::string::npos);
  EXPECT_EQ(Ask("SELECT id FROM m WHERE v = 'a'", "t1"), (Rows{"1", "3", "4"}));
  EXPECT_EQ(Ask("SELECT id FROM g WHERE v = 'a'", "t1"), (Rows{"1", "3", "4"}));
  EXPECT_NE(Plan("SELECT id FROM g WHERE v = 'a'", "t1").find("_IDX_M [-32768,'t1','a']"),
            std::string::npos);
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM g_v", "t1"), (Rows{"3"}));
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM m_v", "t2"), (Rows{"3"}));
  ExpectNoDifference("g_v", "g", "all tenants");
  ExpectNoDifference("m_v", "m", "all tenants");
  EXPECT_EQ(Ask("CREATE INDEX n ON m (n)", "t1").front(),
            "Sql: An index may only be created for a VIEW through a tenant-specific connection");
}

// The tenant is a part of the table's keys, though the tenant does not see it.
TEST_F(TenantIndexesTest, LeadToTheTable) {
  Do("CREATE UNCOVERED INDEX w_n ON w (n)", "t1");
  for (const bool marked : {true, false}) {
    const std::string where = marked ? "marked" : "without marks";
    if (!marked) TakeMarksAway("_IDX_M");
    ExpectSameRows("id, v, x FROM w WHERE n = 1", where, "t1");
    for (const std::string tenant : {"t1", "t2"}) {
      ExpectSameRows("id, v FROM w WHERE x = 'x" + tenant + "'", where, tenant);
      ExpectSameRows("id, v, n FROM w WHERE x = 'x" + tenant + "'", where, tenant, "w w_x");
      ExpectSameRows("id, n FROM g WHERE v = 'a'", where, tenant);
    }
    ExpectSameRows("tid, id, n FROM g WHERE v = 'a'", where);
  }
}

TEST_F(TenantIndexesTest, WritesOfTheTableReachTheTenantsIndexes) {
  auto table = database_->store()->OpenTable({"default", "M"});
  ASSERT_TRUE(table.ok());
  Bytes row = Bytes("t1") + std::string("\0\x80\0\0\1", 5);
  ASSERT_TRUE((*table)->DeleteRow(row).ok());
  EXPECT_EQ(Ask("SELECT id FROM w WHERE x = 'xt1'", "t1"), (Rows{"2"}));
  Do("DELETE FROM m WHERE tid = 't2'");
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM w_x", "t2"), (Rows{"0"}));
  ExpectNoDifference("w_x", "w", "deleted", "t1");
  ExpectNoDifference("w_x", "w", "deleted", "t2");
  Do("DROP VIEW w", "t1");
  ExpectNoDifference("w_x", "w", "the other tenant's dropped", "t2");
}

// What an ASYNC index of a tenant's view needs is built in the background, after a restart, too.
TEST_F(TenantIndexesTest, AreBuiltInTheBackground) {
  Do("CREATE INDEX w_v ON w (v) ASYNC", "t1");
  const std::string state =
      "SELECT INDEX_STATE FROM SYSTEM.CATALOG WHERE TENANT_ID = 't1' AND TABLE_NAME = 'W_V' AND "
      "INDEX_STATE IS NOT NULL";
  EXPECT_EQ(Ask(state), Rows{"b"});
  Reopen();
  Do("UPSERT INTO w (id, v) VALUES (9, 'z')", "t1");
  while (Ask(state) != Rows{"a"}) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ExpectNoDifference("w_v", "w", "built", "t1");
}

}  // namespace
}  // namespace bennu
