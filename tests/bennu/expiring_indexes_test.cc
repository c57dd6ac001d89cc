// Indexes of rows of which cells expire at different moments: at each of them every index shows
// what the table shows, though nobody writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/mutation.h"
#include "src/base/coding.h"
#include "src/base/env.h"
#include "src/base/forwarding_env.h"
#include "tests/crash/indexed_store.h"

namespace bennu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TableName kTable{"default", "T"};
constexpr int64_t kSecond = 1000;
constexpr int64_t kTtlSeconds = 100;

// Its clock is moved on by the test.
class MovedClock : public ForwardingEnv {
 public:
  MovedClock() : ForwardingEnv(Env::Default()) {}
  int64_t NowMillis() override { return Env::Default()->NowMillis() + ahead_millis.load(); }

  std::atomic<int64_t> ahead_millis{0};
};

struct Index {
  std::string definition;
  std::string query;  // by it, in whatever order
};
const std::vector<Index> kIndexes = {
    {"CREATE INDEX ia ON t (a) INCLUDE (b)",
     "SELECT /*+ INDEX(t ia) */ k, a, b FROM t WHERE a IS NULL OR a > 0"},
    {"CREATE INDEX ib ON t (b DESC, c)",
     "SELECT /*+ INDEX(t ib) */ k, b, c FROM t WHERE b IS NULL OR b > 0"},
    {"CREATE LOCAL INDEX il ON t (a, c)",
     "SELECT /*+ INDEX(t il) */ k, a, b, c FROM t WHERE a IS NULL OR a > 0"},
    {"CREATE UNCOVERED INDEX iu ON t (c)",
     "SELECT /*+ INDEX(t iu) */ k, a, b, c FROM t WHERE c IS NULL OR c > 0"},
    {"CREATE INDEX ip ON t (c) INCLUDE (a) WHERE b IS NULL",
     "SELECT /*+ INDEX(t ip) */ k, a, c FROM t WHERE b IS NULL AND (c IS NULL OR c > 0)"},
    {"CREATE INDEX ie ON t (COALESCE(a, 7) + b) INCLUDE (c)",
     "SELECT /*+ INDEX(t ie) */ k, c FROM t WHERE COALESCE(a, 7) + b > 0"},
};

class ExpiringIndexesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_expiring_" + std::to_string(Env::Default()->RandomU64()));
    store_ = std::make_unique<indexed::Store>(path_, &clock_);
    ASSERT_TRUE(store_->Open().ok());
  }
  void TearDown() override {
    EXPECT_TRUE(store_->Close().ok());
    std::filesystem::remove_all(path_);
  }

  void MakeTable(const std::string& options) {
    Do("CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER) "
       "COLUMN_ENCODED_BYTES=NONE" +
       options);
    for (const Index& index : kIndexes) Do(index.definition);
  }
  void Do(const std::string& sql) {
    const auto done = store_->Execute(sql);
    ASSERT_TRUE(done.ok()) << sql << ": " << done.status().ToString();
  }
  std::vector<std::string> Ask(const std::string& sql) {
    auto rows = store_->Execute(sql);
    EXPECT_TRUE(rows.ok()) << sql << ": " << rows.status().ToString();
    if (!rows.ok()) return {"error"};
    std::sort(rows->begin(), rows->end());
    return *rows;
  }
  void Wait(int64_t seconds) { clock_.ahead_millis.fetch_add(seconds * kSecond); }

  // By a client of HBase. 'columns': of A, B, C and _0. No TTL: -1.
  void Put(int32_t key, const std::string& columns, int32_t value, int64_t ttl_millis,
           int64_t timestamp = kLatestTimestamp) {
    const auto bytes = [](int32_t number) {
      Bytes encoded;
      AppendBE32(&encoded, static_cast<uint32_t>(number) ^ 0x80000000);
      return encoded;
    };
    MutationBatch batch;
    batch.StartRow(bytes(key));
    if (ttl_millis >= 0) batch.SetTtlMillis(ttl_millis);
    for (const char column : columns) {
      if (column == '_') {
        batch.Put("0", "_0", "", timestamp);
      } else {
        batch.Put("0", std::string(1, column), bytes(value), timestamp);
      }
    }
    const auto table = store_->engine()->OpenTable(kTable);
    ASSERT_TRUE(table.ok());
    const Status written = (*table)->Write(&batch);
    ASSERT_TRUE(written.ok()) << written.ToString();
  }

  // The table and its indexes show the same now.
  void Compare(const std::string& when) {
    for (const Index& index : kIndexes) {
      const size_t hint = index.query.find("/*+ ");
      std::string by_table = index.query;
      by_table.replace(hint, by_table.find("*/") + 2 - hint, "/*+ NO_INDEX */");
      // A cell may expire between two looks.
      std::vector<std::string> before, by_index, after;
      do {
        before = Ask(by_table);
        by_index = Ask(index.query);
        after = Ask(by_table);
      } while (before != after);
      EXPECT_EQ(before, by_index) << when << ": " << index.query;
      const std::string name = index.query.substr(index.query.find("(t ") + 3, 2);
      EXPECT_THAT(Ask("CHECK INDEX " + name + " ON t"), IsEmpty()) << when << ": " << name;
    }
  }
  void CheckPlans() {
    for (const Index& index : kIndexes) {
      std::string name = index.query.substr(index.query.find("(t ") + 3, 2);
      std::transform(name.begin(), name.end(), name.begin(), ::toupper);
      EXPECT_THAT(Ask("EXPLAIN " + index.query), ::testing::Contains(HasSubstr("OVER " + name)));
    }
  }

  // Writes, waits, flushes and compactions in any order.
  void RunRandomly(uint32_t seed, int steps);

  MovedClock clock_;
  std::string path_;
  std::unique_ptr<indexed::Store> store_;
};

void ExpiringIndexesTest::RunRandomly(uint32_t seed, int steps) {
  std::mt19937 random(seed);
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<uint32_t>(bound));
  };
  const auto key = [&] { return 1 + below(3); };
  const auto columns = [&] {
    std::string some;
    for (const char column : std::string("ABC")) {
      if (below(2) == 0) some += column;
    }
    return some.empty() ? std::string("A") : some;
  };
  for (int step = 0; step < steps; ++step) {
    const std::string k = std::to_string(key());
    std::string what;
    switch (below(12)) {
      case 0:
      case 1:
        what = "UPSERT INTO t VALUES (" + k + ", " + std::to_string(1 + below(3)) + ", " +
               std::to_string(1 + below(3)) + ", " + std::to_string(1 + below(3)) + ")";
        break;
      case 2:
      case 3:
      case 4: {
        const std::string column(1, "abc"[below(3)]);
        const std::string value = below(5) == 0 ? "NULL" : std::to_string(1 + below(3));
        what = "UPSERT INTO t (k, " + column + ") VALUES (" + k + ", " + value + ")";
        break;
      }
      case 5: what = "DELETE FROM t WHERE k = " + k; break;
      case 6: Put(key(), "ABC_", 1 + below(3), (1 + below(150)) * kSecond); break;
      case 7:
      case 8: {
        // By the column "_0" a row is there.
        const int32_t row = key();
        const int64_t ttl = below(3) == 0 ? -1 : (1 + below(150)) * kSecond;
        const int64_t old = store_->engine()->NowMillis() - below(120) * kSecond;
        Put(row, "_", 0, -1);
        Put(row, columns(), 1 + below(3), ttl, below(2) == 0 ? kLatestTimestamp : old);
        break;
      }
      case 9: EXPECT_TRUE(store_->admin()->Flush(kTable).ok()); break;
      case 10:
        EXPECT_TRUE(store_->admin()->Compact({"default", below(2) == 0 ? "T" : "IA"}, true).ok());
        break;
      default: Wait(1 + below(60));
    }
    if (!what.empty()) Do(what);
    Compare("seed " + std::to_string(seed) + ", step " + std::to_string(step) + " " + what);
    if (HasFailure()) return;
  }
}

TEST_F(ExpiringIndexesTest, CellsOfOneRowGoByAndBy) {
  MakeTable(", TTL=" + std::to_string(kTtlSeconds));
  CheckPlans();
  Do("UPSERT INTO t VALUES (1, 2, 3, 4)");
  Wait(60);
  Do("UPSERT INTO t (k, b) VALUES (1, 5)");
  Compare("both");
  Wait(60);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|NULL|5|NULL"));
  Compare("one");
  // One that comes back is whole.
  Do("UPSERT INTO t (k, a) VALUES (1, 6)");
  Compare("again");
  Wait(60);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|6|NULL|NULL"));
  Compare("the other");
  Wait(60);
  EXPECT_THAT(Ask("SELECT * FROM t"), IsEmpty());
  Compare("none");
}

TEST_F(ExpiringIndexesTest, PutsWithATimeToLiveOfTheirOwn) {
  MakeTable("");
  Do("UPSERT INTO t VALUES (1, 2, 3, 4)");
  Put(1, "A", 9, 10 * kSecond);
  Put(2, "ABC_", 7, 20 * kSecond);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|9|3|4", "2|7|7|7"));
  Compare("before");
  Wait(15);
  Compare("the first is gone");
  // What the put has pushed out does not come back, whether or not it was flushed before.
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|NULL|3|4", "2|7|7|7"));
  ASSERT_TRUE(store_->admin()->Compact(kTable, true).ok());
  Compare("compacted");
  Wait(10);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|NULL|3|4"));
  Compare("the second, too");
}

// With more VERSIONS an older one shows again.
TEST_F(ExpiringIndexesTest, VersionsThatComeBack) {
  MakeTable(", VERSIONS=2");
  Do("UPSERT INTO t VALUES (1, 2, 3, 4)");
  Put(1, "AC", 9, 10 * kSecond);
  ASSERT_TRUE(store_->admin()->Compact(kTable, true).ok());
  Compare("before");
  Wait(15);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|2|3|4"));
  Compare("after");
}

TEST_F(ExpiringIndexesTest, IndexesThatAreMadeLater) {
  Do("CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER) "
     "COLUMN_ENCODED_BYTES=NONE, TTL=100");
  Do("UPSERT INTO t VALUES (1, 2, 3, 4)");
  Do("UPSERT INTO t VALUES (2, 2, 3, 4)");
  Put(3, "ABC_", 5, 30 * kSecond);
  Wait(20);
  Do("UPSERT INTO t (k, c) VALUES (1, 5)");
  for (const Index& index : kIndexes) Do(index.definition);
  Compare("made");
  Wait(20);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|2|3|5", "2|2|3|4"));
  Compare("after the first");
  Wait(65);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|NULL|NULL|5"));
  Compare("after the second");
}

// What an index that was made for another time to live would not have.
TEST_F(ExpiringIndexesTest, AnotherTimeToLive) {
  MakeTable("");
  Do("UPSERT INTO t VALUES (1, 2, 3, 4)");
  Wait(50);
  Do("UPSERT INTO t (k, b) VALUES (1, 5)");
  Do("ALTER TABLE t SET TTL=100");
  Compare("altered");
  Wait(60);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|NULL|5|NULL"));
  Compare("expired");
  // What has expired shows again, if it is still there: here in the table, and not in the index.
  ASSERT_TRUE(store_->admin()->Compact({"default", "IA"}, true).ok());
  Do("ALTER TABLE t SET TTL=1000");
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|2|5|4"));
  Compare("longer");
}

// By a client of HBase, for one of the families alone.
TEST_F(ExpiringIndexesTest, AlteredByAClientOfHBase) {
  Do("CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY, a INTEGER, b INTEGER, x.c INTEGER)");
  for (const Index& index : kIndexes) Do(index.definition);
  Do("UPSERT INTO t VALUES (1, 2, 3, 4)");
  const auto table = store_->engine()->OpenTable(kTable);
  ASSERT_TRUE(table.ok());
  TableDescriptor descriptor = (*table)->descriptor();
  for (ColumnFamilyDescriptor& family : descriptor.families) {
    if (family.name == "0") family.attributes["TTL"] = "100";
  }
  ASSERT_TRUE(store_->admin()->AlterTable(descriptor).ok());
  // Until they are built again no query reads them, and they are kept up.
  EXPECT_THAT(Ask("SELECT table_name FROM SYSTEM.CATALOG WHERE index_state = 'b'"),
              ElementsAre("IA", "IB", "IE", "IL", "IP", "IU"));
  for (const Index& index : kIndexes) {
    const std::string name = index.query.substr(index.query.find("(t ") + 3, 2);
    Do("ALTER INDEX " + name + " ON t REBUILD");
  }
  Compare("built");
  Do("UPSERT INTO t VALUES (2, 2, 3, 4)");
  Wait(60);
  Do("UPSERT INTO t (k, a) VALUES (2, 2)");  // the index has that already
  Wait(60);
  EXPECT_THAT(Ask("SELECT * FROM t"), ElementsAre("1|NULL|NULL|4", "2|2|NULL|4"));
  Compare("later");
}

// A row of a client of HBase may have any number of cells, and is there as long as one of them is.
TEST_F(ExpiringIndexesTest, AWideRowOfAMappedView) {
  constexpr int kCells = 20'000;
  TableDescriptor descriptor;
  descriptor.name = {"default", "wide"};
  descriptor.families.push_back({"f", {{"TTL", "100"}}});
  ASSERT_TRUE(store_->admin()->CreateTable(descriptor, {}).ok());
  Do("CREATE VIEW \"wide\" (k VARCHAR PRIMARY KEY, \"f\".\"a\" VARCHAR)");
  Do("CREATE INDEX wa ON \"wide\" (\"f\".\"a\")");
  const int64_t now = store_->engine()->NowMillis();
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "a", "x", now - 50 * kSecond);
  for (int i = 0; i < kCells; ++i) batch.Put("f", "q" + std::to_string(i), "", now - i);
  const auto table = store_->engine()->OpenTable(descriptor.name);
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE((*table)->Write(&batch).ok());
  const auto compare = [&](const std::string& expected) {
    const std::string where = " k, \"f\".\"a\" FROM \"wide\" WHERE \"a\" = 'x' OR \"a\" IS NULL";
    EXPECT_THAT(Ask("SELECT /*+ NO_INDEX */" + where), ElementsAre(expected));
    EXPECT_THAT(Ask("SELECT" + where), ElementsAre(expected));
    EXPECT_THAT(Ask("EXPLAIN SELECT" + where), ::testing::Contains(HasSubstr("OVER WA")));
    EXPECT_THAT(Ask("CHECK INDEX wa ON \"wide\""), IsEmpty());
  };
  compare("r|x");
  Wait(60);
  compare("r|NULL");
  batch.Clear();
  batch.StartRow("r");
  batch.Put("f", "b", "y");
  ASSERT_TRUE((*table)->Write(&batch).ok());
  Wait(60);
  compare("r|NULL");
  Wait(60);
  EXPECT_THAT(Ask("SELECT k FROM \"wide\""), IsEmpty());
  EXPECT_THAT(Ask("CHECK INDEX wa ON \"wide\""), IsEmpty());
}

TEST_F(ExpiringIndexesTest, RandomWritesWithTtl) {
  MakeTable(", TTL=100");
  RunRandomly(1, 150);
}

TEST_F(ExpiringIndexesTest, RandomWritesWithoutTtl) {
  MakeTable("");
  RunRandomly(2, 150);
}

TEST_F(ExpiringIndexesTest, RandomWritesWithVersions) {
  MakeTable(", TTL=100, VERSIONS=3");
  RunRandomly(3, 150);
}

TEST_F(ExpiringIndexesTest, RandomWritesWithMinVersions) {
  MakeTable(", TTL=100, VERSIONS=2, MIN_VERSIONS=1");
  RunRandomly(4, 150);
}

}  // namespace
}  // namespace bennu
