// SQL of a process over tables that another server has, and a gateway: the server stands for a
// cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/sql_client.h"
#include "src/bennu/opened_cluster.h"
#include "src/server/console/cluster_view.h"
#include "src/server/gateway.h"
#include "src/server/server.h"
#include "src/sql/session/session.h"

namespace bennu::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ClusterSqlTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(/*without_phoenix=*/false); }

  // Without Phoenix the server is an HBase that keeps no indexes.
  void Start(bool without_phoenix) {
    sql_ = nullptr;
    database_ = nullptr;
    ServerOptions options;
    options.without_phoenix = without_phoenix;
    options.directory = ":memory:";
    for (auto* const port : {&options.zookeeper_port, &options.region_server_port,
                             &options.http_port, &options.phoenix_port}) {
      port->reset();
    }
    options.master_port = 0;
    server_ = Server::Start(options).value();
    const std::string places = server_->Endpoints();  // "master=127.0.0.1:41234"
    cluster_ = "hbase+rpc://" + places.substr(places.rfind('=') + 1);
    database_ = Database::Open(cluster_).value();
    sql_ = database_->Connect().value();
  }

  static std::vector<std::string> Read(SqlConnection* sql, const std::string& query) {
    auto result = sql->Execute(query);
    if (!result.ok()) return {result.status().ToString()};
    std::vector<std::string> rows;
    while ((*result)->Next().value()) {
      std::string row;
      for (size_t i = 0; i < (*result)->columns().size(); ++i) {
        row += (i == 0 ? "" : "|") + (*result)->GetText(i);
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }
  std::vector<std::string> Rows(const std::string& query) { return Read(sql_.get(), query); }
  // The lines of the plan.
  std::vector<std::string> Plan(const std::string& query) {
    std::vector<std::string> lines = Rows("EXPLAIN " + query);
    for (std::string& line : lines) line = line.substr(0, line.find('|'));
    return lines;
  }
  void Do(const std::string& statement) {
    const Status done = sql_->Execute(statement).status();
    ASSERT_TRUE(done.ok()) << statement << ": " << done.ToString();
  }

  std::unique_ptr<Server> server_;
  std::string cluster_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> sql_;
};

TEST_F(ClusterSqlTest, ConditionsAreCheckedWhereTheRowsAre) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, N BIGINT, S VARCHAR, C CHAR(3), F DOUBLE)");
  Do("UPSERT INTO T VALUES (1, 10, 'one', 'abc', 0.5)");
  Do("UPSERT INTO T VALUES (2, 20, 'two', 'a', -0.0)");
  Do("UPSERT INTO T (K, S) VALUES (3, 'three')");
  const std::string carried = "SELECT K FROM T WHERE N > 5 AND (S LIKE 'o%' OR S IN ('two', 'x'))";
  EXPECT_THAT(Rows(carried), ElementsAre("1", "2"));
  EXPECT_THAT(Plan(carried), Contains(HasSubstr("SERVER FILTER BY")));
  EXPECT_THAT(Plan(carried), Not(Contains(HasSubstr("CLIENT FILTER BY"))));
  EXPECT_THAT(Rows("SELECT K FROM T WHERE N IS NULL"), ElementsAre("3"));
  EXPECT_THAT(Rows("SELECT K FROM T WHERE N IS NOT NULL AND N <> 10"), ElementsAre("2"));
  // Blanks at the end of a CHAR do not count, and there are two zeros: bytes do not tell.
  const std::string here = "SELECT K FROM T WHERE C = 'a' AND F = 0";
  EXPECT_THAT(Rows(here), ElementsAre("2"));
  EXPECT_THAT(Plan(here), Contains(HasSubstr("CLIENT FILTER BY")));
  EXPECT_THAT(Plan(here), Contains(HasSubstr("EACH REGION AS OF ITS OWN MOMENT")));
}

// What is written after OPEN is not for the cursor, though no store of a cluster has snapshots.
TEST_F(ClusterSqlTest, ACursorStaysAtTheMomentOfItsOpening) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR)");
  for (int k = 1; k <= 4; ++k) Do("UPSERT INTO T VALUES (" + std::to_string(2 * k) + ", 'old')");
  Do("DECLARE C CURSOR FOR SELECT K, V FROM T WHERE K < 7");
  EXPECT_THAT(Rows("FETCH NEXT FROM C"), ElementsAre(HasSubstr("closed cursor")));
  Do("OPEN C");
  EXPECT_THAT(Rows("FETCH NEXT FROM C"), ElementsAre("2|old"));
  Do("UPSERT INTO T SELECT K + 1, 'new' FROM T");
  Do("UPSERT INTO T VALUES (4, 'new')");
  Do("DELETE FROM T WHERE K = 6");
  EXPECT_THAT(Rows("FETCH NEXT 10 ROWS FROM C"), ElementsAre("4|old", "6|old"));
  EXPECT_THAT(Rows("FETCH NEXT FROM C"), IsEmpty());
  Do("CLOSE C");
  EXPECT_THAT(Rows("FETCH NEXT FROM C"), ElementsAre(HasSubstr("not declared")));
}

// Columns of the key behind one that is open: servers pass over the rows that the condition leaves
// out, whatever widths and orders the columns before have.
TEST_F(ClusterSqlTest, ConditionsOnLaterColumnsOfTheKeyAreChecked) {
  struct Key {
    std::string columns, order, first, second, third;  // the last three: values of K
  };
  const std::vector<Key> keys = {
      {"K INTEGER NOT NULL, L CHAR(3) NOT NULL", "K, L", "-1", "2", "256"},
      {"K VARCHAR NOT NULL, L CHAR(3) NOT NULL", "K, L", "'1'", "'2'", "'12'"},
      {"K VARCHAR NOT NULL, L CHAR(3) NOT NULL", "K DESC, L DESC", "'1'", "'2'", "'12'"},
      {"K VARBINARY_ENCODED NOT NULL, L CHAR(3) NOT NULL", "K, L", "X'00'", "X'01ff'", "X'ff'"},
      {"K INTEGER NOT NULL, L VARCHAR NOT NULL", "K DESC, L", "-1", "2", "256"},
      {"K VARCHAR NOT NULL, L VARCHAR NOT NULL", "K, L DESC", "'1'", "'2'", "'12'"}};
  for (const Key& key : keys) {
    for (const std::string salt : {"", " SALT_BUCKETS=3"}) {
      SCOPED_TRACE(key.columns + " (" + key.order + ")" + salt);
      Do("CREATE TABLE T (" + key.columns +
         ", M BIGINT NOT NULL, V INTEGER, CONSTRAINT PK PRIMARY KEY (" + key.order + ", M))" +
         salt);
      int number = 0;
      for (const std::string& k : {key.first, key.second, key.third}) {
        for (const std::string l : {"a", "ab", "b", "c"}) {
          Do("UPSERT INTO T VALUES (" + k + ", '" + l + "', " + std::to_string(number % 5) + ", " +
             std::to_string(number) + ")");
          ++number;
        }
      }
      // V is 4 * (which K) + (which L), and M the rest by five.
      const auto of = [this](const std::string& condition) {
        return Rows("SELECT V FROM T WHERE " + condition + " ORDER BY V");
      };
      EXPECT_THAT(of("L = 'ab'"), ElementsAre("1", "5", "9"));
      EXPECT_THAT(of("L IN ('a', 'c', 'x')"), ElementsAre("0", "3", "4", "7", "8", "11"));
      EXPECT_THAT(of("M = 3"), ElementsAre("3", "8"));
      EXPECT_THAT(of("M IN (1, 4) AND L = 'b'"), ElementsAre("6"));
      EXPECT_THAT(of("L = 'b' OR M = 2"), ElementsAre("2", "6", "7", "10"));
      EXPECT_THAT(of("L LIKE 'a%'"), ElementsAre("0", "1", "4", "5", "8", "9"));
      EXPECT_THAT(of("L = 'x'"), IsEmpty());
      EXPECT_THAT(Rows("SELECT V FROM T WHERE L = 'ab' ORDER BY K DESC, L DESC").size(), 3u);
      const bool told = !key.columns.starts_with("K VARBINARY");
      EXPECT_THAT(Plan("SELECT V FROM T WHERE L = 'b'"),
                  Contains(HasSubstr(told ? "SERVER FILTER BY" : "CLIENT FILTER BY")));
      Do("DROP TABLE T");
    }
  }
}

// As of an earlier moment rows are there that were deleted or written over since, whichever way the
// statement reads them.
TEST_F(ClusterSqlTest, ThePastHasWhatWasDeletedSince) {
  const auto at = [&](int64_t moment) {
    ConnectOptions options;
    options.current_scn = moment;
    return database_->Connect(options).value();
  };
  const auto run = [](SqlConnection* sql, const std::string& statement) {
    const Status done = sql->Execute(statement).status();
    ASSERT_TRUE(done.ok()) << statement << ": " << done.ToString();
  };
  run(at(1000).get(), "CREATE TABLE T (K VARCHAR PRIMARY KEY, N BIGINT, S VARCHAR)");
  for (const std::string row : {"'a', 1, 'one'", "'b', 2, 'two'", "'c', 3, 'three'"}) {
    run(at(2000).get(), "UPSERT INTO T VALUES (" + row + ")");
  }
  run(at(3000).get(), "UPSERT INTO T (K, N) VALUES ('a', 11)");
  run(at(3000).get(), "DELETE FROM T WHERE K = 'b'");
  run(at(3000).get(), "UPSERT INTO T (K, S) VALUES ('c', NULL)");

  EXPECT_THAT(Rows("SELECT * FROM T"), ElementsAre("a|11|one", "c|3|NULL"));
  const auto sql = at(2500);
  EXPECT_THAT(Read(sql.get(), "SELECT * FROM T"), ElementsAre("a|1|one", "b|2|two", "c|3|three"));
  EXPECT_THAT(Read(sql.get(), "SELECT K FROM T ORDER BY K DESC LIMIT 2"), ElementsAre("c", "b"));
  EXPECT_THAT(Read(sql.get(), "SELECT S FROM T WHERE K = 'b'"), ElementsAre("two"));
  EXPECT_THAT(Read(sql.get(), "SELECT N FROM T WHERE K IN ('a', 'b', 'd')"), ElementsAre("1", "2"));
  EXPECT_THAT(Read(sql.get(), "SELECT K FROM T WHERE N < 3 AND S LIKE 't%'"), ElementsAre("b"));
  EXPECT_THAT(Read(sql.get(), "SELECT COUNT(*), SUM(N) FROM T"), ElementsAre("3|6"));
  EXPECT_THAT(Read(at(2000).get(), "SELECT * FROM T"), IsEmpty());
}

// The client's rules of deletes and versions are those of the store, which knows such reads.
TEST_F(ClusterSqlTest, ReadsOfThePastAreThoseOfTheStore) {
  TableDescriptor descriptor;
  descriptor.name = {"default", "past"};
  for (const auto& [family, versions] : {std::pair("f", "3"), std::pair("g", "1")}) {
    ColumnFamilyDescriptor made;
    made.name = family;
    made.attributes["VERSIONS"] = versions;
    descriptor.families.push_back(made);
  }
  Connection* const store = server_->store()->engine();
  ASSERT_TRUE(store->admin()->CreateTable(descriptor, {"r2", "r4"}).ok());
  const auto direct = store->OpenTable(descriptor.name).value();
  const auto remote = database_->store()->OpenTable(descriptor.name).value();

  std::mt19937 random(7);
  const auto below = [&random](uint32_t limit) { return random() % limit; };
  constexpr int kWrites = 600;
  constexpr uint32_t kMoments = 20;
  for (int i = 0; i < kWrites; ++i) {
    MutationBatch batch;
    batch.StartRow("r" + std::to_string(below(6)));
    const std::string family = below(2) == 0 ? "f" : "g";
    const std::string qualifier = below(3) == 0 ? "" : "q" + std::to_string(below(2));
    const int64_t timestamp = 1 + below(kMoments);
    switch (below(12)) {
      case 0: batch.DeleteVersion(family, qualifier, timestamp); break;
      case 1: batch.DeleteColumn(family, qualifier, timestamp); break;
      case 2: batch.DeleteFamilyVersion(family, timestamp); break;
      case 3: batch.DeleteFamily(family, below(4) == 0 ? timestamp : 1); break;
      default: batch.Put(family, qualifier, "v" + std::to_string(i), timestamp);
    }
    ASSERT_TRUE(direct->Write(&batch).ok());
  }

  const auto cells_of = [](Table* table, const Scan& scan) {
    std::vector<std::string> cells;
    const auto scanner = table->OpenScanner(scan);
    if (!scanner.ok()) return std::vector<std::string>{scanner.status().ToString()};
    CellBatch batch;
    while (true) {
      EXPECT_TRUE((*scanner)->Next(2, &batch).ok());
      if (batch.row_count() == 0) return cells;
      for (size_t i = 0; i < batch.row_count(); ++i) {
        cells.push_back("row");
        for (uint32_t at = batch.row_starts[i]; at < batch.row_end(i); ++at) {
          cells.push_back(Bytes(batch.cells[at].flat_key()) + Bytes(batch.cells[at].value_view()));
        }
      }
    }
  };
  size_t compared = 0;
  for (int64_t moment = 0; moment <= kMoments + 1; ++moment) {
    for (int shape = 0; shape < 8; ++shape) {
      Scan scan;
      scan.time_range.max = scan.time_range.markers_max = moment;
      if (shape % 2 == 1) scan.max_versions = 3;
      if (shape == 2) scan.reversed = true;
      if (shape == 3) scan.columns = {{"f", {"q0", ""}}, {"g", {}}};
      if (shape == 4) scan.row_limit = 2;
      if (shape == 5) scan.time_range.min = moment / 2;
      if (shape == 6) scan.time_range.max = moment - moment / 3;
      if (shape == 7) scan.range = {"r1", false, "r4", true};
      const std::vector<std::string> expected = cells_of(direct.get(), scan);
      EXPECT_EQ(cells_of(remote.get(), scan), expected) << moment << ", shape " << shape;
      compared += expected.size();
    }
    Get get;
    get.row = "r3";
    get.time_range.max = get.time_range.markers_max = moment;
    const Row expected = direct->GetRow(get).value();
    const Row row = remote->GetRow(get).value();
    ASSERT_EQ(row.cells.size(), expected.cells.size()) << moment;
    for (size_t i = 0; i < row.cells.size(); ++i) {
      EXPECT_EQ(row.cells[i].flat_key(), expected.cells[i].flat_key());
    }
  }
  EXPECT_GT(compared, 1000U);

  Scan refused;
  refused.time_range.markers_max = 5;
  refused.batch = 1;
  EXPECT_EQ(remote->OpenScanner(refused).status().code(), StatusCode::kNotSupported);
}

// What a cluster's servers leave out is not sent.
TEST_F(ClusterSqlTest, RowsBetweenWantedOnesAreNotRead) {
  Do("CREATE TABLE T (A INTEGER NOT NULL, B INTEGER NOT NULL, V INTEGER, CONSTRAINT PK PRIMARY KEY "
     "(A, B))");
  Do("CREATE SEQUENCE S");
  Do("UPSERT INTO T VALUES (0, 0, 0)");
  for (int i = 0; i < 9; ++i) {
    Do("UPSERT INTO T SELECT A + " + std::to_string(1 << i) + ", B, V FROM T");
  }
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM T"), ElementsAre("512"));
  for (const std::string query : {"SELECT COUNT(*) FROM T WHERE A IN (3, 300, 510)",
                                  "SELECT COUNT(*) FROM T WHERE A IN (3, 300, 510) AND B = 0",
                                  "SELECT COUNT(*) FROM T WHERE V = 0 AND A IN (3, 300, 510)"}) {
    auto analyzed = Rows("EXPLAIN ANALYZE " + query);
    EXPECT_THAT(Rows(query), ElementsAre("3")) << query;
    EXPECT_THAT(analyzed, Contains(HasSubstr(" 3 ROWS")))
        << query << ": " << ::testing::PrintToString(analyzed);
  }
}

// A plan tells servers' work from that of this process.
TEST_F(ClusterSqlTest, PlansSayWhatRunsHere) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, N BIGINT, U UNSIGNED_LONG, C CHAR(3), A INTEGER[]) "
     "SPLIT ON (5)");
  Do("UPSERT INTO T (K, N, U, C) VALUES (1, 1, 1, 'c')");
  struct Wanted {
    std::string query;
    std::vector<std::string> lines;  // behind the first one
  };
  const std::string servers = "    SERVER ";
  const std::vector<Wanted> plans = {
      {"SELECT COUNT(*), MAX(U) FROM T", {servers + "AGGREGATE INTO SINGLE ROW"}},
      {"SELECT COUNT(*) FROM T WHERE K > 2",
       {servers + "FILTER BY FIRST KEY ONLY", servers + "AGGREGATE INTO SINGLE ROW"}},
      {"SELECT COUNT(*), MAX(N) FROM T", {"CLIENT AGGREGATE INTO SINGLE ROW"}},
      {"SELECT COUNT(*) FROM T WHERE N > 0",
       {servers + "FILTER BY N > 0", "CLIENT AGGREGATE INTO SINGLE ROW"}},
      {"SELECT N, COUNT(*) FROM T GROUP BY N",
       {"CLIENT AGGREGATE INTO DISTINCT ROWS BY [N]", "CLIENT MERGE SORT"}},
      {"SELECT N FROM T ORDER BY N", {"CLIENT SORTED BY [N]", "CLIENT MERGE SORT"}},
      {"SELECT N FROM T ORDER BY N LIMIT 2",
       {"CLIENT TOP 2 ROWS SORTED BY [N]", "CLIENT MERGE SORT", "CLIENT LIMIT 2"}},
      {"SELECT N FROM T LIMIT 2 OFFSET 1",
       {servers + "3 ROW LIMIT", "CLIENT OFFSET 1", "CLIENT 2 ROW LIMIT"}},
      {"SELECT N FROM T WHERE C = 'c' LIMIT 2",
       {"    CLIENT FILTER BY C = 'c'", "CLIENT 2 ROW LIMIT"}},
      {"SELECT A[1] FROM T", {"CLIENT ARRAY ELEMENT PROJECTION"}},
      {"SELECT DISTINCT K FROM T",
       {servers + "FILTER BY FIRST KEY ONLY",
        "CLIENT AGGREGATE INTO ORDERED DISTINCT ROWS BY [K]"}}};
  for (const Wanted& wanted : plans) {
    std::vector<std::string> lines = Plan(wanted.query);
    ASSERT_GE(lines.size(), 2U) << wanted.query;
    EXPECT_EQ(lines.back(), "EACH REGION AS OF ITS OWN MOMENT");
    EXPECT_THAT(lines.front(), HasSubstr("CLIENT 2-CHUNK")) << wanted.query;
    lines.erase(lines.begin());
    lines.pop_back();
    EXPECT_EQ(lines, wanted.lines) << wanted.query;
  }
  EXPECT_EQ(Plan("DELETE FROM T WHERE N = 1").front(), "DELETE ROWS CLIENT SELECT");
  EXPECT_THAT(Plan("SELECT X.N FROM T X JOIN T Y ON X.N = Y.N AND Y.C = 'c' WHERE X.U < Y.U"),
              ::testing::IsSupersetOf({"            CLIENT FILTER BY C = 'c'",
                                       "    AFTER-JOIN CLIENT FILTER BY X.U < Y.U"}));
}

// Servers count, and add up what they read as numbers; rows are read here for all else.
TEST_F(ClusterSqlTest, ServersCountAndAddUp) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, N BIGINT, U UNSIGNED_LONG, F.U2 UNSIGNED_LONG) SPLIT "
     "ON (-5, 5)");
  EXPECT_THAT(Rows("SELECT COUNT(*), MIN(U), SUM(U) FROM T"), ElementsAre("0|NULL|NULL"));
  for (int k = -10; k < 10; ++k) {
    Do("UPSERT INTO T (K, N, U) VALUES (" + std::to_string(k) + ", " + std::to_string(k) + ", " +
       std::to_string(k * k) + ")");
  }
  Do("UPSERT INTO T (K, F.U2) VALUES (100, 3000000000)");
  Do("DELETE FROM T WHERE K = 0");
  const auto reads_none = Contains(HasSubstr("READ 0 ROWS"));
  EXPECT_THAT(Rows("EXPLAIN ANALYZE SELECT COUNT(*), MAX(U) FROM T"), reads_none);
  EXPECT_THAT(Rows("EXPLAIN ANALYZE SELECT COUNT(*), MAX(N) FROM T"), Not(reads_none));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM T"), ElementsAre("20"));
  const std::string range = "SELECT COUNT(*) FROM T WHERE K >= -6 AND K < 7";
  EXPECT_THAT(Rows(range), ElementsAre("12"));
  EXPECT_THAT(Rows("EXPLAIN ANALYZE " + range), reads_none);
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM T WHERE N > 3"), ElementsAre("6"));
  EXPECT_THAT(Rows("SELECT COUNT(U), COUNT(N) FROM T"), ElementsAre("19|19"));
  EXPECT_THAT(Rows("SELECT MIN(U), MAX(U), SUM(U) FROM T"), ElementsAre("1|100|670"));
  EXPECT_THAT(Rows("SELECT MAX(U2), SUM(U2), COUNT(*) FROM T"),
              ElementsAre("3000000000|3000000000|20"));
  EXPECT_THAT(Rows("SELECT MIN(N), MAX(N), SUM(N) FROM T"), ElementsAre("-10|9|-10"));
  EXPECT_THAT(Rows("SELECT MIN(U) FROM T WHERE K > 1000"), ElementsAre("NULL"));
  EXPECT_THAT(Rows("SELECT SUM(U) + 1 FROM T HAVING COUNT(*) > 19"), ElementsAre("671"));
  // What a sum could pass is added up here, which tells it.
  Do("UPSERT INTO T (K, U) VALUES (1, 9223372036854775807)");
  Do("UPSERT INTO T (K, U) VALUES (2, 9223372036854775807)");
  EXPECT_THAT(Rows("SELECT MAX(U) FROM T"), ElementsAre("9223372036854775807"));
  auto sum = sql_->Execute("SELECT SUM(U) FROM T").value();
  EXPECT_THAT(sum->Next().status().ToString(), HasSubstr("beyond BIGINT"));
}

// Servers of Bennu keep indexes themselves: who writes writes the table alone, and only where the
// directory is are indexes made.
TEST_F(ClusterSqlTest, AServerOfBennusKeepsItsIndexes) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER)");
  const auto refused = [&](const std::string& statement) {
    EXPECT_THAT(sql_->Execute(statement).status().ToString(), HasSubstr("where the directory is"))
        << statement;
  };
  refused("CREATE INDEX I ON T (V)");
  auto sessions = server_->store()->Sql();
  ASSERT_TRUE(sessions.ok());
  auto session = sql::session::Session::Open(*sessions, {});
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->Execute("CREATE INDEX I ON T (V) INCLUDE (W)").ok());
  ASSERT_TRUE((*session)->Execute("CREATE LOCAL INDEX L ON T (W)").ok());
  Do("UPSERT INTO T VALUES (1, 'a', 10)");
  Do("UPSERT INTO T VALUES (2, 'b', 20)");
  Do("UPSERT INTO T (K, W) VALUES (1, 0) ON DUPLICATE KEY UPDATE W = W + 1, V = 'c'");
  Do("DELETE FROM T WHERE K = 2");
  Do("UPSERT INTO T SELECT K + 5, V, W FROM T");
  EXPECT_THAT(Rows("SELECT V, W, K FROM T WHERE V = 'c'"), ElementsAre("c|11|1", "c|11|6"));
  EXPECT_THAT(Plan("SELECT V, W FROM T WHERE V = 'c'"), Contains(HasSubstr("OVER I")));
  EXPECT_THAT(Rows("CHECK INDEX I ON T"), IsEmpty());
  refused("DROP INDEX I ON T");
  refused("ALTER INDEX I ON T REBUILD");
  refused("ALTER TABLE T DROP COLUMN W");
  EXPECT_THAT(Rows("SELECT V, W, K FROM T WHERE V = 'c'"), ElementsAre("c|11|1", "c|11|6"));
}

// Regions are read one after another, and rows are written into those that come later.
TEST_F(ClusterSqlTest, AnUpsertSelectDoesNotReadWhatItWrites) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, W VARCHAR) SPLIT ON (10000, 20000, 30000)");
  Do("UPSERT INTO T VALUES (0, '" + std::string(1000, 'w') + "')");
  for (int rows = 1; rows < 9000; rows *= 2) {
    Do("UPSERT INTO T SELECT K + " + std::to_string(rows) + ", W FROM T WHERE K < " +
       std::to_string(9000 - rows));
  }
  ASSERT_THAT(Rows("SELECT COUNT(*), MAX(K) FROM T"), ElementsAre("9000|8999"));
  // More than is held in memory.
  Do("UPSERT INTO T SELECT K + 10000, W FROM T");
  EXPECT_THAT(Rows("SELECT COUNT(*), MAX(K), MIN(LENGTH(W)) FROM T"),
              ElementsAre("18000|18999|1000"));
  // The table is on the other side of a join, too.
  Do("UPSERT INTO T SELECT A.K + 20000, B.W FROM T A JOIN T B ON A.K = B.K WHERE A.K < 1000");
  EXPECT_THAT(Rows("SELECT COUNT(*), MAX(K) FROM T WHERE K >= 20000"), ElementsAre("1000|20999"));
}

// Rows of local indexes get other keys when their region is split or merged.
class ClusterLocalIndexTest : public ClusterSqlTest {
 protected:
  static constexpr int kRows = 6000;

  void SetUp() override {
    ClusterSqlTest::SetUp();
    auto session = sql::session::Session::Open(server_->store()->Sql().value(), {}).value();
    for (const std::string& statement : std::vector<std::string>{
             "CREATE TABLE T (K INTEGER PRIMARY KEY, V INTEGER, W VARCHAR) SPLIT ON (2000, 4000)",
             "CREATE LOCAL INDEX L ON T (V) INCLUDE (W)"}) {
      ASSERT_TRUE(session->Execute(statement).ok()) << statement;
    }
    Do("UPSERT INTO T VALUES (0, 7, 'a text of some length')");
    for (int rows = 1; rows < kRows; rows *= 2) {
      Do("UPSERT INTO T SELECT K + " + std::to_string(rows) + ", V, W FROM T WHERE K < " +
         std::to_string(kRows - rows));
    }
    Do("UPSERT INTO T SELECT K + 10000, K, W FROM T WHERE K > 10");
    // Answers of few rows, so that regions change between them.
    DatabaseOptions options;
    options.configuration["hbase.client.scanner.max.result.size"] = "2000";
    database_ = Database::Open(cluster_, options).value();
    sql_ = database_->Connect().value();
  }

  Admin* admin() { return server_->store()->sql_host()->connection()->admin(); }
  std::vector<RegionInfo> Regions() {
    return server_->store()->sql_host()->connection()->OpenTable(kName).value()->regions();
  }
  Status Split(int key) {
    Bytes row = "\x80";
    for (const int shift : {16, 8, 0}) row += static_cast<char>(key >> shift);
    return admin()->SplitTable(kName, row);
  }
  // The first two regions.
  Status Merge() {
    static_cast<void>(admin()->Compact(kName, true));
    const std::vector<RegionInfo> regions = Regions();
    return admin()->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()});
  }

  const TableName kName = {"default", "T"};
};

TEST_F(ClusterLocalIndexTest, IsReadByAllItsRegions) {
  EXPECT_THAT(Plan("SELECT K, W FROM T WHERE V = 7"), Contains(HasSubstr("OVER L(T)")));
  EXPECT_THAT(Rows("SELECT COUNT(*), COUNT(DISTINCT K), MIN(K), MAX(K) FROM T WHERE V = 7"),
              ElementsAre("6000|6000|0|5999"));
  EXPECT_THAT(Rows("SELECT K, V FROM T WHERE V > 7 AND V < 14"),
              ElementsAre("10011|11", "10012|12", "10013|13"));
  EXPECT_THAT(Rows("SELECT V FROM T WHERE V > 5990 ORDER BY V DESC LIMIT 3"),
              ElementsAre("5999", "5998", "5997"));
  // Neither what the index has not, nor conditions on that, nor several keys.
  EXPECT_THAT(Rows("SELECT K FROM T WHERE V IN (11, 5999, 12) AND W LIKE 'a text%'"),
              ElementsAre("10011", "10012", "15999"));
  EXPECT_THAT(Rows("SELECT K FROM T WHERE (V, K) IN ((11, 10011), (12, 10012), (13, 1))"),
              ElementsAre("10011", "10012"));
  EXPECT_THAT(Rows("SELECT V FROM T WHERE V = 7 AND K > 1998 AND K < 2001"), ElementsAre("7", "7"));
}

TEST_F(ClusterLocalIndexTest, AScanGoesOnBehindASplit) {
  for (const std::string order : {"ASC", "DESC"}) {
    SCOPED_TRACE(order);
    auto result = sql_->Execute("SELECT V, K FROM T WHERE V > 7 ORDER BY V " + order);
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    std::vector<int64_t> values;
    while (true) {
      auto more = (*result)->Next();
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
      values.push_back((*result)->GetInt64(0).value());
      const Status changed = values.size() == 100    ? Split(order == "ASC" ? 13000 : 12000)
                             : values.size() == 2000 ? Split(order == "ASC" ? 15000 : 14000)
                                                     : Status::Ok();
      ASSERT_TRUE(changed.ok()) << changed.ToString();
    }
    std::vector<int64_t> expected;
    for (int64_t value = 11; value < kRows; ++value) expected.push_back(value);
    if (order == "DESC") std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(values, expected);
  }
}

TEST_F(ClusterLocalIndexTest, RowsAreSeenOnceWhateverBecomesOfRegions) {
  std::atomic<bool> stop{false};
  std::atomic<int> queries{0};
  std::thread reader([&] {
    while (!stop.load()) {
      EXPECT_THAT(Rows("SELECT COUNT(*), COUNT(DISTINCT K) FROM T WHERE V = 7"),
                  ElementsAre("6000|6000"));
      ++queries;
    }
  });
  int merges = 0;
  for (int round = 0; round < 4; ++round) {
    for (const int key : {1000, 3000, 5000}) {
      const int before = queries.load();
      const Status split = Split(key + 10 * round);
      EXPECT_TRUE(split.ok()) << split.ToString();
      while (queries.load() == before && !HasFailure()) std::this_thread::yield();
    }
    for (int i = 0; i < 3; ++i) merges += Merge().ok() ? 1 : 0;
  }
  stop.store(true);
  reader.join();
  EXPECT_GT(merges, 0);
}

// Where the servers keep none, two clients do so by themselves, each for what it writes.
TEST_F(ClusterSqlTest, ClientsKeepTheIndexesOfAnHBaseWithoutPhoenix) {
  Start(/*without_phoenix=*/true);
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, W INTEGER) SPLIT ON (500)");
  Do("UPSERT INTO T VALUES (1, 'a', 10)");
  Do("CREATE INDEX I ON T (V) INCLUDE (W) SALT_BUCKETS = 3");
  auto database = Database::Open(cluster_).value();
  auto sql = database->Connect().value();
  ASSERT_TRUE(sql->Execute("UPSERT INTO T VALUES (2, 'b', 20)").ok());
  ASSERT_TRUE(sql->Execute("UPSERT INTO T VALUES (1, 'c', 11)").ok());
  for (int i = 0; i < 8; ++i) {
    Do("UPSERT INTO T SELECT K + " + std::to_string(2 << i) + ", V, W FROM T");
  }
  EXPECT_THAT(Rows("SELECT COUNT(*), SUM(K) FROM T WHERE V = 'c'"), ElementsAre("256|65536"));
  EXPECT_THAT(Plan("SELECT COUNT(*) FROM T WHERE V = 'c'"), Contains(HasSubstr("OVER I")));
  EXPECT_THAT(Read(sql.get(), "SELECT COUNT(*), SUM(K) FROM T WHERE V = 'b'"),
              ElementsAre("256|65792"));
  ASSERT_TRUE(sql->Execute("DELETE FROM T WHERE K > 2").ok());
  EXPECT_THAT(Rows("SELECT V, W, K FROM T WHERE V > 'a'"), ElementsAre("b|20|2", "c|11|1"));
  EXPECT_THAT(Rows("CHECK INDEX I ON T"), IsEmpty());
  Do("DROP INDEX I ON T");
  ASSERT_TRUE(sql->Execute("UPSERT INTO T VALUES (3, 'd', 30)").ok());
}

TEST_F(ClusterSqlTest, AGatewayServesPhoenixsClients) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR)");
  GatewayOptions options;
  options.cluster = cluster_;
  options.server.http_port.reset();
  options.server.phoenix_port = 0;
  auto gateway = StartGateway(options);
  ASSERT_TRUE(gateway.ok()) << gateway.status().ToString();
  const std::string places = (*gateway)->Endpoints();
  ASSERT_THAT(places, HasSubstr("phoenix=127.0.0.1:"));
  EXPECT_THAT(places, Not(HasSubstr("master")));
  auto client = SqlClient::Connect("http://" + places.substr(places.rfind('=') + 1), {});
  ASSERT_TRUE(client.ok()) << client.status().ToString();
  ASSERT_TRUE((*client)->Execute("UPSERT INTO T VALUES (1, 'one')").ok());
  ASSERT_TRUE((*client)->Commit().ok());
  EXPECT_THAT(Rows("SELECT * FROM T"), ElementsAre("1|one"));
  Do("ALTER TABLE T ADD N INTEGER");
  Do("UPSERT INTO T VALUES (2, 'two', 2)");
  EXPECT_THAT(Read(client->get(), "SELECT * FROM T WHERE K = 2"), ElementsAre("2|two|2"));
  client->reset();
  EXPECT_TRUE((*gateway)->Stop().ok());
}

// Who closes gives back what it has reserved of sequences, and does not wait for a cluster that is
// gone: values are then skipped, as after a crash.
TEST_F(ClusterSqlTest, AGatewayEndsSoonWithoutItsCluster) {
  GatewayOptions options;
  options.cluster = cluster_;
  options.server.http_port.reset();
  options.server.phoenix_port = 0;
  const std::vector<std::string> sequences = {"S1", "S2", "S3"};
  for (const std::string& name : sequences) Do("CREATE SEQUENCE " + name + " CACHE 50");
  const auto use = [&](RunningServer* gateway, const std::string& value) {
    const std::string places = gateway->Endpoints();
    auto client = SqlClient::Connect("http://" + places.substr(places.rfind('=') + 1), {}).value();
    for (const std::string& name : sequences) {
      EXPECT_THAT(Read(client.get(), "SELECT NEXT VALUE FOR " + name), ElementsAre(value)) << name;
    }
  };
  auto gateway = StartGateway(options).value();
  use(gateway.get(), "1");
  EXPECT_TRUE(gateway->Stop().ok());
  gateway = StartGateway(options).value();
  use(gateway.get(), "2");  // the others were given back
  ASSERT_TRUE(server_->Stop().ok());
  const auto begin = std::chrono::steady_clock::now();
  testing::internal::CaptureStderr();
  EXPECT_TRUE(gateway->Stop().ok());
  gateway.reset();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("3 sequences (S1, S2, S3) and not used cannot be given back"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

TEST_F(ClusterSqlTest, TheConsoleShowsTheCluster) {
  Do("CREATE TABLE T (K INTEGER PRIMARY KEY, A.V VARCHAR) SALT_BUCKETS = 3");
  Do("UPSERT INTO T VALUES (1, 'one')");
  auto cluster = front::OpenedCluster::Open(cluster_, DatabaseOptions()).value();
  console::ClusterSources sources;
  sources.cluster = cluster.get();
  sources.version = "1.2.3";
  sources.phoenix_connections = [] { return size_t{2}; };
  console::ClusterView view(std::move(sources));
  const console::Json overview = view.Overview(1).value();
  EXPECT_EQ(overview["cluster"], cluster_);
  EXPECT_EQ(overview["servers"]["live"], 1);
  EXPECT_EQ(overview["connections"]["phoenix"], 2);
  EXPECT_FALSE(overview.contains("cluster_error")) << overview.dump();
  EXPECT_FALSE(overview.contains("block_cache"));

  const console::Json tables = view.Tables().value()["tables"];
  const auto listed = std::find_if(tables.begin(), tables.end(),
                                   [](const auto& table) { return table["name"] == "T"; });
  ASSERT_NE(listed, tables.end()) << tables.dump();
  EXPECT_EQ((*listed)["sql_name"], "T");
  EXPECT_EQ((*listed)["salt_buckets"], 3);
  EXPECT_EQ((*listed)["families"], console::Json::array({"A"}));
  EXPECT_EQ((*listed)["regions"], 3);

  const console::Json table = view.Describe("T").value();
  ASSERT_EQ(table["regions"].size(), 3u) << table.dump();
  for (const console::Json& region : table["regions"]) {
    EXPECT_EQ(region["open"], true);
    EXPECT_THAT(region["server"].get<std::string>(), HasSubstr(","));
  }
  EXPECT_EQ(table["regions"][1]["start_key"], "\\x01\\x00\\x00\\x00\\x00");
  EXPECT_EQ(view.Describe("NOBODY").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(view.Maintenance(), console::Json::object());
  EXPECT_TRUE(view.SlowCalls().is_null());
}

// The page comes all the same, with what the gateway knows of itself, and says what is wrong.
TEST_F(ClusterSqlTest, TheConsoleOfAClusterThatIsGone) {
  auto cluster = front::OpenedCluster::Open(cluster_, DatabaseOptions()).value();
  console::ClusterSources sources;
  sources.cluster = cluster.get();
  sources.phoenix_connections = [] { return size_t{0}; };
  console::ClusterView view(std::move(sources));
  sql_.reset();
  database_.reset();
  ASSERT_TRUE(server_->Stop().ok());
  const console::Json overview = view.Overview(0).value();
  EXPECT_TRUE(overview.contains("cluster_error")) << overview.dump();
  EXPECT_TRUE(overview.contains("memory"));
  EXPECT_FALSE(overview.contains("tables"));
  EXPECT_FALSE(view.Tables().ok());
}

TEST_F(ClusterSqlTest, AGatewayWithoutAPortOrACluster) {
  GatewayOptions options;
  options.cluster = cluster_;
  options.server.phoenix_port.reset();
  options.server.http_port.reset();
  EXPECT_EQ(StartGateway(options).status().code(), StatusCode::kInvalidArgument);
  options.server.phoenix_port = 0;
  options.cluster = "hbase+rpc://";
  EXPECT_FALSE(StartGateway(options).ok());
}

}  // namespace
}  // namespace bennu::server
