// Queries that have less memory than they need: the same answers by way of temporary files, which
// are gone afterwards, or a refusal that names the bound and the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"

namespace bennu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kRows = 40'000;
constexpr int kGroups = 15'000;
constexpr uint64_t kTiny = 1 << 20;
constexpr uint64_t kPlenty = uint64_t{1} << 30;

// Row k of the table R.
int GroupOf(int k) { return k * 7 % kGroups; }
bool IsNull(int k) { return k % 11 == 0; }
std::string TextOf(int k) { return "text " + std::to_string(k * 31 % 997); }

using Rows = std::vector<std::string>;

class SpillTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_spill_" + std::to_string(Env::Default()->RandomU64()));
    Open(kPlenty, 2);
    ASSERT_TRUE(
        connection_
            ->Execute("CREATE TABLE R (K INTEGER NOT NULL PRIMARY KEY, G INTEGER, T VARCHAR, "
                      "D DECIMAL(10,2))")
            .ok());
    for (int begin = 0; begin < kRows; begin += 5000) {
      std::string sql = "UPSERT INTO R VALUES ";
      for (int k = begin; k < begin + 5000; ++k) {
        const std::string text = IsNull(k) ? "NULL" : "'" + TextOf(k) + "'";
        sql += (k == begin ? "(" : ", (") + std::to_string(k) + ", " + std::to_string(GroupOf(k)) +
               ", " + text + ", " + std::to_string(k % 50) + ".5)";
      }
      ASSERT_TRUE(connection_->Execute(sql).ok());
    }
    ASSERT_TRUE(database_->store()->admin()->Flush({"default", "R"}).ok());
  }
  void TearDown() override {
    Close();
    std::filesystem::remove_all(path_);
  }

  void Close() {
    connection_.reset();
    database_.reset();
  }
  void Open(uint64_t query_memory, size_t threads, bool read_only = false) {
    Close();
    DatabaseOptions options;
    options.memory_bytes = 96 << 20;
    options.query_memory_bytes = query_memory;
    options.threads = threads;
    options.read_only = read_only;
    database_ = Database::Open(path_, options).value();
    connection_ = database_->Connect().value();
  }

  static Result<Rows> Read(SqlConnection* connection, const std::string& sql) {
    ASSIGN_OR_RETURN(const auto result, connection->Execute(sql));
    Rows rows;
    for (;;) {
      ASSIGN_OR_RETURN(const bool more, result->Next());
      if (!more) return rows;
      std::string row;
      for (size_t i = 0; i < result->columns().size(); ++i) row += result->GetText(i) + "|";
      rows.push_back(std::move(row));
    }
  }
  Rows Ask(const std::string& sql) {
    auto rows = Read(connection_.get(), sql);
    EXPECT_TRUE(rows.ok()) << sql << ": " << rows.status().ToString();
    return rows.ok() ? *std::move(rows) : Rows();
  }
  // Whether the statement put rows into temporary files.
  bool Spills(const std::string& sql) {
    const Rows plan = Ask("EXPLAIN ANALYZE " + sql);
    return plan.empty() || plan.back().find(" 0 SPILLED") == std::string::npos;
  }
  size_t TemporaryFiles() const {
    const std::filesystem::path directory = path_ / ".tmp" / "bennu-spill";
    if (!std::filesystem::exists(directory)) return 0;
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory),
                                             std::filesystem::directory_iterator()));
  }

  std::filesystem::path path_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> connection_;
};

TEST_F(SpillTest, SameAnswersAsWithMemory) {
  const std::vector<std::string> queries = {
      "SELECT * FROM R ORDER BY T, K",
      "SELECT K, T FROM R ORDER BY T DESC NULLS LAST, D, K DESC",
      "SELECT K FROM R ORDER BY D, G DESC, K LIMIT 20000 OFFSET 777",
      "SELECT G, COUNT(*), SUM(K), MIN(T), MAX(D), AVG(D) FROM R GROUP BY G",
      "SELECT G, COUNT(DISTINCT T) FROM R GROUP BY G ORDER BY G DESC",
      "SELECT T, D, G, COUNT(*), MIN(K) FROM R GROUP BY T, D, G",
      "SELECT DISTINCT T, G FROM R",
      "SELECT G, COUNT(*) FROM R GROUP BY G HAVING COUNT(*) > 2 ORDER BY 2 DESC, 1 LIMIT 5000",
      "SELECT COUNT(*), SUM(C), SUM(S) FROM (SELECT G, COUNT(*) C, SUM(K) S FROM R GROUP BY G)",
      "SELECT G, FIRST_VALUE(T) WITHIN GROUP (ORDER BY K ASC) FROM R GROUP BY G",
      // Joins are divided on both sides.
      "SELECT A.K, B.T FROM R A JOIN R B ON A.K = B.K ORDER BY A.K",
      "SELECT COUNT(*), SUM(A.K + B.K), MIN(B.T) FROM R A JOIN R B ON A.G = B.G",
      "SELECT A.K, B.K FROM R A LEFT JOIN R B ON A.K = B.G ORDER BY A.K, B.K",
      "SELECT COUNT(*), COUNT(A.K), COUNT(B.K), SUM(B.K) FROM R A RIGHT JOIN R B ON A.T = B.T AND "
      "A.K = B.G",
      "SELECT COUNT(*), SUM(K) FROM R WHERE (K, T) IN (SELECT K, T FROM R WHERE D > 3)",
      "SELECT COUNT(*), SUM(K) FROM R WHERE K NOT IN (SELECT K FROM R WHERE D > 3)",
      // Joins by merging, of which both sides are in sorted files.
      "SELECT A.K, A.T, B.K, B.T FROM R A FULL JOIN R B ON A.K = B.G ORDER BY A.K, B.K",
      "SELECT COUNT(*), COUNT(A.K), COUNT(B.K), SUM(B.K) FROM R A FULL JOIN R B ON A.T = B.T AND "
      "A.K = B.G",
      "SELECT /*+ USE_SORT_MERGE_JOIN */ COUNT(*), SUM(A.K + B.K), MIN(B.T) FROM R A JOIN R B ON "
      "A.G = B.G",
      "SELECT /*+ USE_SORT_MERGE_JOIN */ A.K, B.K FROM R A LEFT JOIN R B ON A.K = B.G "
      "ORDER BY A.K, B.K",
      "SELECT /*+ USE_SORT_MERGE_JOIN */ COUNT(*), SUM(B.K) FROM R A RIGHT JOIN R B ON A.K = B.G",
      "SELECT /*+ USE_SORT_MERGE_JOIN */ COUNT(*), SUM(K) FROM R WHERE (K, T) IN "
      "(SELECT K, T FROM R WHERE D > 3)",
      "SELECT /*+ USE_SORT_MERGE_JOIN */ COUNT(*), SUM(K) FROM R WHERE K NOT IN "
      "(SELECT K FROM R WHERE D > 3)",
  };
  std::vector<Rows> expected;
  for (const std::string& query : queries) {
    EXPECT_FALSE(Spills(query)) << query;
    expected.push_back(Ask(query));
    EXPECT_FALSE(expected.back().empty());
  }
  for (const size_t threads : {1, 4}) {
    Open(kTiny, threads);
    for (size_t i = 0; i < queries.size(); ++i) {
      EXPECT_TRUE(Spills(queries[i])) << queries[i];
      EXPECT_EQ(Ask(queries[i]), expected[i]) << queries[i] << " on " << threads << " threads";
    }
    EXPECT_EQ(TemporaryFiles(), 0u);
  }
  Close();
  EXPECT_FALSE(std::filesystem::exists(path_ / ".tmp" / "bennu-spill"));
}

// Not against ourselves but against what was put in.
TEST_F(SpillTest, RightAnswers) {
  Open(kTiny, 2);
  std::map<int, std::pair<int, int64_t>> groups;  // count and sum
  std::map<std::string, std::set<int>> texts;     // "" for NULL, which comes first
  for (int k = 0; k < kRows; ++k) {
    ++groups[GroupOf(k)].first;
    groups[GroupOf(k)].second += k;
    texts[IsNull(k) ? "" : TextOf(k)].insert(k);
  }
  Rows wanted;
  for (const auto& [group, state] : groups) {
    wanted.push_back(std::to_string(group) + "|" + std::to_string(state.first) + "|" +
                     std::to_string(state.second) + "|");
  }
  EXPECT_EQ(Ask("SELECT G, COUNT(*), SUM(K) FROM R GROUP BY G"), wanted);
  wanted.clear();
  for (const auto& [text, rows] : texts) {
    for (const int k : rows) wanted.push_back(std::to_string(k) + "|");
  }
  EXPECT_EQ(Ask("SELECT K FROM R ORDER BY T, K"), wanted);
}

// A sixteenth of the built side, 12 MB in all, has no room either.
TEST_F(SpillTest, PartitionsOfJoinsAreDividedAgain) {
  Open(uint64_t{256} << 10, 2);
  const std::string wide = "(SELECT K, LPAD(TO_CHAR(K), 300, 'x') W FROM R) B";
  const std::string inner =
      "SELECT COUNT(*), SUM(A.K + B.K), MAX(LENGTH(B.W)) FROM R A JOIN " + wide + " ON A.K = B.K";
  EXPECT_TRUE(Spills(inner));
  EXPECT_EQ(Ask(inner), Rows{"40000|1599960000|300|"});
  EXPECT_EQ(Ask("SELECT COUNT(*), COUNT(B.W) FROM R A LEFT JOIN " + wide + " ON A.K = B.K + 10000"),
            Rows{"40000|30000|"});
  EXPECT_EQ(TemporaryFiles(), 0u);
}

// No key divides their rows: they are joined block by block. What must come out is known from what
// was put in.
TEST_F(SpillTest, JoinsWithoutEquality) {
  Open(kTiny, 2);
  ASSERT_TRUE(connection_->Execute("CREATE TABLE L (K INTEGER NOT NULL PRIMARY KEY)").ok());
  ASSERT_TRUE(connection_->Execute("UPSERT INTO L VALUES (10), (20000), (39998)").ok());
  ASSERT_TRUE(connection_->Execute("CREATE TABLE E (K INTEGER NOT NULL PRIMARY KEY)").ok());
  struct Case {
    std::string sql;
    Rows rows;
  };
  std::vector<Case> cases = {
      {"SELECT COUNT(*), SUM(R.K), SUM(L.K), MAX(R.T) FROM L, R",
       {"120000|2399940000|2400320000|text 996|"}},
      {"SELECT COUNT(*) FROM L, R", {"120000|"}},
      {"SELECT COUNT(*), SUM(R.K) FROM L, R WHERE R.K < L.K AND R.T <> 'y'", {}},
      {"SELECT COUNT(*), COUNT(L.K), MIN(R.T) FROM R, L WHERE R.K >= L.K", {}},
      {"SELECT L.K, COUNT(*) FROM L, R WHERE R.K BETWEEN L.K AND L.K + 4 GROUP BY L.K",
       {"10|5|", "20000|5|", "39998|2|"}},
      // All rows, none, and no row on the other side.
      {"SELECT COUNT(*), COUNT(R.K), COUNT(DISTINCT L.K) FROM L LEFT JOIN R ON R.K >= 0",
       {"120000|120000|3|"}},
      {"SELECT L.K, R.K, R.T FROM L LEFT JOIN R ON R.K < 0 ORDER BY L.K",
       {"10|NULL|NULL|", "20000|NULL|NULL|", "39998|NULL|NULL|"}},
      {"SELECT COUNT(*), COUNT(E.K), SUM(R.K) FROM R LEFT JOIN E ON E.K > 0",
       {"40000|0|799980000|"}},
      {"SELECT COUNT(*), COUNT(E.K), SUM(R.K), MAX(R.T) FROM E RIGHT JOIN R ON R.K >= 0",
       {"40000|0|799980000|text 996|"}},
      {"SELECT COUNT(*), SUM(R.K), MAX(R.T) FROM E, R", {"0|NULL|NULL|"}},
  };
  int lower = 0;
  int64_t lower_sum = 0;
  int higher = 0;
  std::string least;
  for (const int k : {10, 20000, 39998}) {
    for (int r = 0; r < kRows; ++r) {
      if (r >= k) {
        ++higher;
        if (!IsNull(r) && (least.empty() || TextOf(r) < least)) least = TextOf(r);
      } else if (!IsNull(r)) {
        ++lower;
        lower_sum += r;
      }
    }
  }
  cases[2].rows = {std::to_string(lower) + "|" + std::to_string(lower_sum) + "|"};
  cases[3].rows = {std::to_string(higher) + "|" + std::to_string(higher) + "|" + least + "|"};
  size_t spilled = 0;
  for (const Case& test : cases) {
    EXPECT_EQ(Ask(test.sql), test.rows) << test.sql;
    spilled += Spills(test.sql) ? 1 : 0;
    EXPECT_EQ(TemporaryFiles(), 0u);
  }
  EXPECT_GE(spilled, 5u);
  // Rows of more than one block.
  EXPECT_EQ(
      Ask("SELECT COUNT(*) FROM (SELECT L.K, R.K, R.T FROM L, R WHERE R.K > L.K LIMIT 50000)"),
      Rows{"50000|"});
}

// Rows of one key, which divide no further, and what they do to LEFT joins.
TEST_F(SpillTest, JoinsByOneKey) {
  Open(kTiny, 2);
  const std::string same = "(SELECT K, T, K - K Z FROM R) ";
  const std::string inner =
      "SELECT COUNT(*), SUM(B.K), MAX(B.T) FROM L JOIN " + same + "B ON L.Z = B.Z";
  ASSERT_TRUE(
      connection_->Execute("CREATE TABLE L (K INTEGER NOT NULL PRIMARY KEY, Z INTEGER)").ok());
  ASSERT_TRUE(connection_->Execute("UPSERT INTO L VALUES (1, 0), (2, 7), (3, 0), (4, NULL)").ok());
  EXPECT_TRUE(Spills(inner));
  EXPECT_EQ(Ask(inner), Rows{"80000|1599960000|text 996|"});
  EXPECT_EQ(Ask("SELECT L.K, COUNT(*), COUNT(B.K), SUM(B.K), MAX(B.T) FROM L LEFT JOIN " + same +
                "B ON L.Z = B.Z GROUP BY L.K"),
            (Rows{"1|40000|40000|799980000|text 996|", "2|1|0|NULL|NULL|",
                  "3|40000|40000|799980000|text 996|", "4|1|0|NULL|NULL|"}));
  EXPECT_EQ(TemporaryFiles(), 0u);
}

// ORDER BY the key makes no sort of its own: the join's rows must come in it all the same.
TEST_F(SpillTest, JoinsThatKeepTheKeysOrder) {
  Open(kTiny, 2);
  Rows wanted;
  for (int k = 0; k < kRows; ++k) {
    if (k % 50 > 3)
      wanted.push_back(std::to_string(k) + "|" + (IsNull(k) ? "NULL" : TextOf(k)) + "|");
  }
  const std::string within =
      "SELECT K, T FROM R WHERE K IN (SELECT K FROM R WHERE D > 4) ORDER BY K";
  EXPECT_TRUE(Spills(within));
  EXPECT_EQ(Ask(within), wanted);
  std::reverse(wanted.begin(), wanted.end());
  EXPECT_EQ(Ask(within + " DESC"), wanted);
  wanted.clear();
  for (int k = 0; k < kRows; ++k) {
    if (k % 50 <= 3) wanted.push_back(std::to_string(k) + "|");
  }
  EXPECT_EQ(Ask("SELECT K FROM R WHERE K NOT IN (SELECT K FROM R WHERE D > 4) ORDER BY K"), wanted);
}

// Files go when the statement fails, is given up, or runs out of time.
TEST_F(SpillTest, NothingIsLeftBehind) {
  Open(kTiny, 2);
  {
    auto rows = connection_->Execute("SELECT * FROM R ORDER BY T, K").value();
    ASSERT_TRUE(rows->Next().value());
    EXPECT_GT(TemporaryFiles(), 0u);
  }
  EXPECT_EQ(TemporaryFiles(), 0u);
  EXPECT_FALSE(Read(connection_.get(), "SELECT K FROM R ORDER BY T, 100 / (K - 39999)").ok());
  EXPECT_EQ(TemporaryFiles(), 0u);
  connection_->SetQueryTimeout(1);
  EXPECT_FALSE(
      Read(connection_.get(), "SELECT A.K FROM R A JOIN R B ON A.D = B.D ORDER BY B.T, A.K").ok());
  EXPECT_EQ(TemporaryFiles(), 0u);
  // 1,600,000,000 pairs, of which the join gives none.
  const auto pairs = Read(connection_.get(),
                          "SELECT COUNT(*) FROM R A, R B WHERE A.K + B.K < 0 OR A.T || B.T = 'x'");
  EXPECT_EQ(pairs.status().sql_error()->code, 6000) << pairs.status().ToString();
  EXPECT_EQ(TemporaryFiles(), 0u);
}

TEST_F(SpillTest, RefusalsNameTheBound) {
  Open(kTiny, 2);
  // One group, whose values all have to be known.
  const auto single = Read(connection_.get(), "SELECT COUNT(DISTINCT K) FROM R");
  EXPECT_THAT(single.status().ToString(),
              AllOf(HasSubstr("999"), HasSubstr("GROUP BY needs more than a query may use"),
                    HasSubstr("of 1048576 bytes")));
  Open(kTiny, 2, /*read_only=*/true);
  const auto sorted = Read(connection_.get(), "SELECT * FROM R ORDER BY T, K");
  EXPECT_THAT(sorted.status().ToString(), HasSubstr("ORDER BY needs more than a query may use"));
  EXPECT_EQ(sorted.status().sql_error()->code, 999);
  EXPECT_THAT(sorted.status().sql_error()->hint, HasSubstr("query_memory_bytes"));
}

// The bound of all queries together: one that holds its rows leaves less to the others, which
// then use files.
TEST_F(SpillTest, QueriesShareTheStoresMemory) {
  Close();
  DatabaseOptions options;
  options.memory_bytes = 72 << 20;  // a third of it is for queries
  options.threads = 1;
  database_ = Database::Open(path_, options).value();
  connection_ = database_->Connect().value();
  const std::string sorted = "SELECT * FROM R ORDER BY T, K";
  EXPECT_FALSE(Spills(sorted));
  std::vector<std::unique_ptr<SqlConnection>> holders;
  std::vector<std::unique_ptr<ResultSet>> held;
  for (int i = 0; i < 4; ++i) {
    holders.push_back(database_->Connect().value());
    held.push_back(holders.back()->Execute(sorted).value());
    ASSERT_TRUE(held.back()->Next().value());
  }
  EXPECT_TRUE(Spills(sorted));
  EXPECT_EQ(Ask(sorted).size(), static_cast<size_t>(kRows));
  held.clear();
  EXPECT_FALSE(Spills(sorted));
}

}  // namespace
}  // namespace bennu
