// The front of the library: how memory is divided, and what options reach the store.
#include "bennu/database.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/machine_memory.h"
#include "src/bennu/engine_options.h"
#include "src/bennu/memory_plan.h"

namespace bennu {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST(MemoryPlanTest, OneOptionSetsAll) {
  DatabaseOptions options;
  options.memory_bytes = 300 * kMiB;
  const auto plan = front::MemoryPlan::Of(options, 64'000 * kMiB);
  EXPECT_EQ(plan.block_cache_bytes, 100 * kMiB);
  EXPECT_EQ(plan.memstore_bytes, 100 * kMiB);
  EXPECT_EQ(plan.query_bytes, 100 * kMiB);
}

TEST(MemoryPlanTest, ExplicitOptionsWin) {
  DatabaseOptions options;
  options.memory_bytes = 300 * kMiB;
  options.block_cache_bytes = 7 * kMiB;
  const auto plan = front::MemoryPlan::Of(options, 0);
  EXPECT_EQ(plan.block_cache_bytes, 7 * kMiB);
  EXPECT_EQ(plan.memstore_bytes, 100 * kMiB);
}

TEST(MemoryPlanTest, AQuarterOfTheMachineWithinBounds) {
  const auto total = [](uint64_t usable) {
    return 3 * front::MemoryPlan::Of({}, usable).block_cache_bytes / kMiB;
  };
  EXPECT_EQ(total(1200 * kMiB), 300u);
  EXPECT_EQ(total(0), 63u);  // 64 MiB in three parts
  EXPECT_EQ(total(1'000'000 * kMiB), 6144u);
}

// The same properties mean the same in the library, on the command line and in the server's file.
TEST(EngineOptionsTest, PropertiesAreRead) {
  DatabaseOptions options;
  options.configuration = {{"bennu.memory", "1000m"},
                           {"hfile.block.cache.size", "0.5"},
                           {"hbase.regionserver.global.memstore.size", "0.3"},
                           {"hbase.hregion.max.filesize", "5g"},
                           {"hbase.wal.hsync", "false"},
                           {"hbase.hstore.compaction.min", "5"},
                           {"of.nobody", "x"}};
  const auto memory = front::PlanMemory(options);
  EXPECT_EQ(memory.query_bytes, 1000 * kMiB / 3);
  const auto engine = front::EngineOptionsOf(options, memory);
  ASSERT_TRUE(engine.ok()) << engine.status().ToString();
  EXPECT_EQ(engine->block_cache_bytes, 500 * kMiB);
  EXPECT_EQ(engine->memstore_total_bytes, 200 * kMiB);  // writers wait at one and a half times that
  EXPECT_EQ(engine->region_max_bytes, 5120 * kMiB);
  EXPECT_EQ(engine->wal_sync, engine::WalSync::kOs);
  EXPECT_EQ(engine->configuration.at("hbase.hstore.compaction.min"), "5");

  options.memory_bytes = 300 * kMiB;  // wins
  const auto planned = front::EngineOptionsOf(options, front::PlanMemory(options));
  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->block_cache_bytes, 100 * kMiB);
  EXPECT_EQ(front::PlanMemory(options).query_bytes, 100 * kMiB);
}

TEST(EngineOptionsTest, WrongOnesAreNamed) {
  const std::pair<const char*, const char*> bad[] = {{"bennu.memory", "10"},
                                                     {"hbase.hregion.max.filesize", "5x"},
                                                     {"hbase.hstore.compaction.min", "many"},
                                                     {"wal.sync", "perhaps"}};
  for (const auto& [name, value] : bad) {
    DatabaseOptions options;
    options.configuration = {{name, value}};
    const auto engine = front::EngineOptionsOf(options, front::PlanMemory(options));
    EXPECT_EQ(engine.status().code(), StatusCode::kInvalidArgument) << name;
    EXPECT_TRUE(engine.status().message().starts_with(name)) << engine.status().message();
  }
  DatabaseOptions options;
  options.memory_bytes = 10;
  EXPECT_FALSE(front::EngineOptionsOf(options, front::PlanMemory(options)).ok());
}

TEST(MachineMemoryTest, IsLearned) {
  const uint64_t bytes = UsableMemoryBytes(Env::Default());
  EXPECT_GE(bytes, 16 * kMiB);
  EXPECT_LT(bytes, uint64_t{1} << 50);
}

class DatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_database_" + std::to_string(Env::Default()->RandomU64()));
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(path_);
  }
  void Open(const DatabaseOptions& options) {
    auto database = Database::Open(path_, options);
    ASSERT_TRUE(database.ok()) << database.status().ToString();
    database_ = std::move(*database);
  }
  // The first column of the only row; "none" when there is no row.
  std::string Ask(const std::string& sql, std::optional<int64_t> scn = std::nullopt) {
    ConnectOptions options;
    options.current_scn = scn;
    auto connection = database_->Connect(options);
    EXPECT_TRUE(connection.ok());
    auto result = (*connection)->Execute(sql);
    if (!result.ok()) return result.status().ToString();
    const auto more = (*result)->Next();
    return more.ok() && *more ? (*result)->GetText(0) : "none";
  }
  // Until the store's clock has moved on: it stands still while the machine's catches up.
  void Pause() const {
    const int64_t before = database_->store()->NowMillis();
    while (database_->store()->NowMillis() < before + 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::string path_;
  std::unique_ptr<Database> database_;
};

// Moments are those of the store's clock: on a fast disk it is ahead of the machine's after
// definitions, of which no two share a millisecond.

// A connection as of an earlier moment sees what was there then, after flush and compaction, as far
// back as the max look-back goes; and no further back without one.
TEST_F(DatabaseTest, TheLookBackKeepsWhatWasThere) {
  for (const bool looks_back : {true, false}) {
    SetUp();
    DatabaseOptions options;
    options.memory_bytes = 64 * kMiB;
    if (looks_back) options.configuration["phoenix.max.lookback.age.seconds"] = "3600";
    Open(options);
    Ask("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)");
    Ask("UPSERT INTO t VALUES (1, 'one')");
    Pause();
    const int64_t first = database_->store()->NowMillis();
    Pause();
    Ask("UPSERT INTO t VALUES (1, 'two')");
    Pause();
    const int64_t second = database_->store()->NowMillis();
    Pause();
    Ask("DELETE FROM t");
    Pause();
    Admin* const admin = database_->store()->admin();
    ASSERT_TRUE(admin->Flush({"default", "T"}).ok());
    ASSERT_TRUE(admin->Compact({"default", "T"}, true).ok());
    EXPECT_EQ(Ask("SELECT v FROM t"), "none");
    EXPECT_EQ(Ask("SELECT v FROM t", first), looks_back ? "one" : "none");
    EXPECT_EQ(Ask("SELECT v FROM t", second), looks_back ? "two" : "none");
    TearDown();
  }
}

// What a Phoenix 5.2 with phoenix.max.lookback.age.seconds = 300 answered to a connection whose
// CurrentSCN was 320 seconds ago. UPSERT of values is let through; an undefined table comes first,
// an undefined column does not.
TEST_F(DatabaseTest, AMomentBeyondTheLookBackIsRefused) {
  const std::string refused =
      "ERROR 538 (42915): Cannot use SCN to look further back in the past beyond the configured "
      "max "
      "lookback age";
  DatabaseOptions options;
  options.memory_bytes = 64 * kMiB;
  options.configuration["phoenix.max.lookback.age.seconds"] = "300";
  Open(options);
  const int64_t now = Env::Default()->NowMillis();
  const int64_t before = now - 320'000;
  EXPECT_EQ(Ask("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", now - 400'000), "none");
  EXPECT_EQ(Ask("UPSERT INTO t VALUES (1, 'one')", before), "none");
  EXPECT_EQ(Ask("EXPLAIN UPSERT INTO t VALUES (5, 'a')", before), "PUT SINGLE ROW");
  for (const std::string sql :
       {"SELECT * FROM t", "SELECT 1", "SELECT nocolumn FROM t", "EXPLAIN SELECT * FROM t",
        "UPSERT INTO t SELECT k + 10, v FROM t", "DELETE FROM t WHERE k = 1",
        "DELETE FROM t WHERE v = 'two'", "DELETE FROM t", "EXPLAIN DELETE FROM t",
        "SELECT k FROM t UNION ALL SELECT k FROM t", "SELECT * FROM SYSTEM.CATALOG LIMIT 1",
        "DECLARE c CURSOR FOR SELECT * FROM t"}) {
    EXPECT_EQ(Ask(sql, before), refused) << sql;
  }
  EXPECT_NE(Ask("SELECT * FROM nothere", before).find("ERROR 1012"), std::string::npos);
  EXPECT_NE(Ask("SELECT nocolumn FROM t", now - 200'000).find("ERROR 504"), std::string::npos);
  EXPECT_EQ(Ask("SELECT v FROM t", now - 200'000), "one");
  EXPECT_EQ(Ask("SELECT v FROM t", now + 3'600'000), "one");
}

// Of a table alone the look-back
// keeps what was there, and refuses nothing, as in Phoenix.
TEST_F(DatabaseTest, TheLookBackOfATableRefusesNothing) {
  DatabaseOptions options;
  options.memory_bytes = 64 * kMiB;
  Open(options);
  EXPECT_EQ(Ask("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) "
                "\"phoenix.max.lookback.age.seconds\" = 3600"),
            "none");
  Ask("UPSERT INTO t VALUES (1, 'one')");
  Pause();
  const int64_t first = database_->store()->NowMillis();
  Pause();
  Ask("DELETE FROM t");
  Admin* const admin = database_->store()->admin();
  ASSERT_TRUE(admin->Flush({"default", "T"}).ok());
  ASSERT_TRUE(admin->Compact({"default", "T"}, true).ok());
  EXPECT_EQ(Ask("SELECT v FROM t", first), "one");
  Ask("ALTER TABLE t SET \"phoenix.max.lookback.age.seconds\" = 0");
  ASSERT_TRUE(admin->Compact({"default", "T"}, true).ok());
  EXPECT_EQ(Ask("SELECT v FROM t", first), "none");
}

// A store in memory answers as any other, also where it flushes, merges and spills; nothing comes
// onto the disk, each opening is another store, and what was in one is gone with it.
TEST(DatabaseInMemoryTest, IsGoneAtTheEnd) {
  const std::filesystem::path here =
      std::filesystem::temp_directory_path() /
      ("bennu_memory_" + std::to_string(Env::Default()->RandomU64()));
  std::filesystem::create_directories(here);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(here);
  const auto ask = [](SqlConnection* connection, const std::string& sql) -> std::string {
    auto result = connection->Execute(sql);
    if (!result.ok()) return result.status().ToString();
    const auto more = (*result)->Next();
    return more.ok() && *more ? (*result)->GetText(0) : "none";
  };
  {
    DatabaseOptions options;
    options.memory_bytes = 64 * kMiB;
    options.query_memory_bytes = kMiB;
    auto database = Database::Open(":memory:", options);
    ASSERT_TRUE(database.ok()) << database.status().ToString();
    auto connection = (*database)->Connect().value();
    ask(connection.get(), "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)");
    ask(connection.get(), "CREATE SEQUENCE s");
    for (int64_t i = 0; i < 4; ++i) {
      std::string sql = "UPSERT INTO t VALUES ";
      for (int64_t j = 0; j < 5000; ++j) {
        sql += (j == 0 ? "(" : ", (") + std::to_string(i * 5000 + j) + ", 'value " +
               std::to_string(j * 7919 % 5000) + " and more of it to sort by')";
      }
      ASSERT_TRUE(connection->Execute(sql).ok());
      ASSERT_TRUE((*database)->store()->admin()->Flush({"default", "T"}).ok());
    }
    ASSERT_TRUE((*database)->store()->admin()->Compact({"default", "T"}, true).ok());
    EXPECT_EQ(ask(connection.get(), "SELECT COUNT(*) FROM t"), "20000");
    const std::string sorted = "SELECT k FROM t ORDER BY v DESC, k";
    // Of the rows with j * 7919 % 5000 == 999, the largest as text: 7919 * 1321 % 5000 == 999.
    EXPECT_EQ(ask(connection.get(), sorted), "1321");
    auto plan = connection->Execute("EXPLAIN ANALYZE " + sorted).value();
    std::string last;
    while (plan->Next().value()) last = plan->GetText(0);
    EXPECT_EQ(last.find(" 0 SPILLED"), std::string::npos) << last;

    auto other = Database::Open(":memory:", options).value();
    auto apart = other->Connect().value();
    EXPECT_TRUE(ask(apart.get(), "SELECT COUNT(*) FROM t").find("1012") != std::string::npos);
  }
  {
    auto again = Database::Open(":memory:").value();
    auto connection = again->Connect().value();
    EXPECT_TRUE(ask(connection.get(), "SELECT COUNT(*) FROM t").find("1012") != std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::is_empty(here));
  std::filesystem::current_path(before);
  std::filesystem::remove_all(here);
}

TEST(DatabaseInMemoryTest, NothingIsReadFromOneThatIsNew) {
  DatabaseOptions options;
  options.read_only = true;
  EXPECT_EQ(Database::Open(":memory:", options).status().code(), StatusCode::kInvalidArgument);
  options.read_only = false;
  options.create_if_missing = false;
  EXPECT_EQ(Database::Open(":memory:", options).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bennu
