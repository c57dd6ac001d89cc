// Indexes that are built while their table is written: what the build read and what writers change
// meanwhile must become one. The rows are many, so that most are written between the moment that
// the build reads and the moment when it writes their rows of the index; the writers put cells into
// the past and the future, and take cells away there.
#include <atomic>
#include <cstdint>
#include <filesystem>
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
#include "src/base/env.h"
#include "tests/bennu/ask.h"
#include "tests/bennu/stored_integers.h"

namespace bennu {
namespace {

constexpr uint32_t kRows = 20'000;
constexpr int kValues = 50;
// Milliseconds that a writer is ahead of the clock or behind it.
constexpr int64_t kFar = 100'000'000;

class IndexBuildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_index_build_" + std::to_string(Env::Default()->RandomU64()));
    DatabaseOptions options;
    options.memory_bytes = size_t{512} << 20;
    options.background_compaction = false;
    options.write_sync = WriteSync::kOs;
    auto database = Database::Open(path_, options);
    ASSERT_TRUE(database.ok()) << database.status().ToString();
    database_ = std::move(*database);
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(path_);
  }

  std::vector<std::string> Ask(const std::string& sql) { return AskRows(database_.get(), sql); }
  void Do(const std::string& sql) {
    const std::vector<std::string> answer = Ask(sql);
    EXPECT_TRUE(answer.empty()) << sql << ": " << answer.front();
  }

  std::shared_ptr<Table> T() {
    auto table = database_->store()->OpenTable({"default", "T"});
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return *table;
  }

  void MakeTable() {
    Do("CREATE TABLE t (k INTEGER PRIMARY KEY, v BIGINT, w VARCHAR, n INTEGER) "
       "COLUMN_ENCODED_BYTES=0");
    MutationBatch batch;
    for (uint32_t k = 0; k < kRows; ++k) {
      batch.StartRow(KeyOf(k));
      batch.Put("0", "_0", "x");
      batch.Put("0", "V", Number(k % kValues));
      batch.Put("0", "W", "w" + std::to_string(k * 7 % kValues));
    }
    ASSERT_TRUE(T()->Write(&batch).ok());
  }

  // One change of a row, of every kind that there is.
  void Change(uint64_t random, uint32_t k, int64_t now, MutationBatch* batch) const {
    const int64_t moments[] = {kLatestTimestamp, now - kFar, now + kFar, now - 1};
    const int64_t time = writes_far_ ? moments[random / 16 % 4] : kLatestTimestamp;
    const auto value = static_cast<int64_t>(random / 64 % kValues);
    switch (random % 8) {
      case 0:
        batch->StartRow(KeyOf(k));
        batch->DeleteColumn("0", "V", time);
        break;
      case 1: batch->DeleteRow(KeyOf(k), time); break;
      case 2:
        batch->StartIncrement(KeyOf(k));
        batch->Increment("0", "V", 1);
        break;
      case 3:
        batch->StartRow(KeyOf(k));
        batch->DeleteColumn("0", "W", time);
        batch->Put("0", "_0", "x", time);
        break;
      default:
        batch->StartRow(KeyOf(k));
        batch->Put("0", "_0", "x", time);
        batch->Put("0", "V", Number(value), time);
        batch->Put("0", "W", "w" + std::to_string(value * 3 % kValues), time);
        break;
    }
  }

  // Changes rows until it is told to stop.
  void WriteUntil(const std::atomic<bool>& stop, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto table = T();
    while (!stop.load()) {
      MutationBatch batch;
      const int64_t now = database_->store()->NowMillis();
      for (int i = 0; i < 20; ++i) {
        Change(random(), static_cast<uint32_t>(random() % (kRows + 100)), now, &batch);
      }
      const Status status = table->Write(&batch);
      ASSERT_TRUE(status.ok()) << status.ToString();
      writes_.fetch_add(1);
    }
  }

  // Runs 'work' while three threads write.
  template <typename Work>
  void WhileWritten(const Work& work) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> writers;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      writers.emplace_back([this, seed, &stop] { WriteUntil(stop, seed); });
    }
    while (writes_.load() < 10) std::this_thread::yield();
    work();
    stop.store(true);
    for (std::thread& writer : writers) writer.join();
  }

  void Check(const std::string& index) {
    const std::vector<std::string> differences = Ask("CHECK INDEX " + index + " ON t");
    EXPECT_TRUE(differences.empty())
        << index << " has " << differences.size() << " differences: " << differences.front();
  }

  std::string path_;
  std::unique_ptr<Database> database_;
  std::atomic<int> writes_{0};
  // A compaction that drops a marker shows what was put behind it while it was there, which no
  // index is told of (src/api/write_observer.h).
  bool writes_far_ = true;
};

TEST_F(IndexBuildTest, WhatWritersChangeMeanwhileIsNotUndone) {
  MakeTable();
  WhileWritten([this] {
    Do("CREATE INDEX t_v ON t (v) INCLUDE (w)");
    Do("CREATE UNCOVERED INDEX t_u ON t (w, v)");
    Do("CREATE LOCAL INDEX t_l ON t (w) INCLUDE (v)");
    Do("CREATE INDEX t_p ON t (w) INCLUDE (v) SALT_BUCKETS=3");
  });
  for (const char* index : {"t_v", "t_u", "t_l", "t_p"}) Check(index);
}

TEST_F(IndexBuildTest, NorWhenTheyAreBuiltAnew) {
  MakeTable();
  Do("CREATE INDEX t_v ON t (v) INCLUDE (w)");
  Do("CREATE LOCAL INDEX t_l ON t (w) INCLUDE (v)");
  Do("CREATE VIEW low AS SELECT * FROM t WHERE w = 'w3'");
  Do("CREATE INDEX low_v ON low (v) INCLUDE (w)");
  WhileWritten([this] {
    Do("ALTER INDEX t_v ON t REBUILD");
    Do("ALTER INDEX t_l ON t REBUILD");
    Do("ALTER INDEX low_v ON low REBUILD");
  });
  Check("t_v");
  Check("t_l");
  EXPECT_TRUE(Ask("CHECK INDEX low_v ON low").empty());
}

// Regions come and go while their rows are read and while those of the index are written.
TEST_F(IndexBuildTest, NorWhenRegionsAreSplitAndMerged) {
  MakeTable();
  writes_far_ = false;
  std::atomic<bool> stop{false};
  std::thread administrator([this, &stop] {
    Admin* const admin = database_->store()->admin();
    const TableName name{"default", "T"};
    for (uint64_t i = 0; !stop.load(); ++i) {
      static_cast<void>(admin->Flush(name).ok());
      const std::vector<RegionInfo> regions = T()->regions();
      if (regions.size() < 4) {
        static_cast<void>(admin->SplitTable(name, KeyOf((i * 7919) % kRows)).ok());
      } else {
        static_cast<void>(
            admin->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()}).ok());
      }
      static_cast<void>(admin->Compact({"default", "T_V"}, /*major=*/true).ok());
    }
  });
  WhileWritten([this] {
    for (int i = 0; i < 3; ++i) {
      Do("CREATE INDEX t_v ON t (v) INCLUDE (w)");
      Do("CREATE LOCAL INDEX t_l ON t (w) INCLUDE (v)");
      if (i == 2) break;
      Do("DROP INDEX t_v ON t");
      Do("DROP INDEX t_l ON t");
    }
  });
  stop.store(true);
  administrator.join();
  Check("t_v");
  Check("t_l");
}

// DROP INDEX deletes the definition, then the HBase table. Dying in between leaves that one with
// the rows of then, which are no rows of the next index of this name.
TEST_F(IndexBuildTest, WhatADropLeftIsNotTakenOver) {
  Do("CREATE TABLE t (k INTEGER PRIMARY KEY, v BIGINT, w VARCHAR)");
  Do("UPSERT INTO t VALUES (1, 10, 'a'), (2, NULL, 'b')");
  Do("CREATE INDEX i ON t (v) INCLUDE (w)");
  const TableName name{"default", "I"};
  Admin* const admin = database_->store()->admin();
  const auto left = database_->store()->OpenTable(name).value()->descriptor();
  Do("DROP INDEX i ON t");
  ASSERT_TRUE(admin->CreateTable(left, {}).ok());
  MutationBatch batch;
  batch.StartRow("\xc1\x0b" + Bytes(1, '\0') + KeyOf(7));
  batch.Put("0", "_0", "x");
  ASSERT_TRUE(database_->store()->OpenTable(name).value()->Write(&batch).ok());
  Do("UPSERT INTO t VALUES (3, 10, 'c')");
  Do("CREATE INDEX i ON t (v) INCLUDE (w)");
  EXPECT_EQ(Ask("CHECK INDEX i ON t"), std::vector<std::string>());
  EXPECT_EQ(Ask("SELECT k, w FROM t WHERE v = 10"), (std::vector<std::string>{"1|a", "3|c"}));
}

TEST_F(IndexBuildTest, ATableOfSomebodyElsesIsLeftAlone) {
  Do("CREATE TABLE t (k INTEGER PRIMARY KEY, v BIGINT)");
  Do("UPSERT INTO t VALUES (1, 10)");
  const TableName name{"default", "I"};
  TableDescriptor descriptor;
  descriptor.name = name;
  descriptor.families.push_back({"0", {}});
  ASSERT_TRUE(database_->store()->admin()->CreateTable(descriptor, {}).ok());
  const auto table = database_->store()->OpenTable(name).value();
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("0", "q", "mine");
  ASSERT_TRUE(table->Write(&batch).ok());
  const std::vector<std::string> refused = Ask("CREATE INDEX i ON t (v)");
  ASSERT_EQ(refused.size(), 1);
  EXPECT_NE(refused[0].find("HBase has a table I with rows"), std::string::npos) << refused[0];
  Get get;
  get.row = "r";
  EXPECT_EQ(table->GetRow(get)->cells.size(), 1);
  batch.Clear();
  batch.StartRow("r");
  batch.DeleteFamily("0");
  ASSERT_TRUE(table->Write(&batch).ok());
  Do("CREATE INDEX i ON t (v)");
  EXPECT_EQ(Ask("CHECK INDEX i ON t"), std::vector<std::string>());
}

// Of thousands of rows that are read together the error names the one that the index cannot hold.
TEST_F(IndexBuildTest, ARowThatCannotBeIndexedIsNamed) {
  MakeTable();
  const auto expect_named = [this](const std::string& sql, const std::string& index,
                                   const std::string& reason) {
    const std::vector<std::string> answer = Ask(sql);
    ASSERT_EQ(answer.size(), 1) << sql;
    const std::string named = "index " + index + ": row '\\x80\\x0009': ";
    EXPECT_NE(answer[0].find(named), std::string::npos) << answer[0];
    EXPECT_NE(answer[0].find(reason), std::string::npos) << answer[0];
  };
  Do("CREATE INDEX u ON t (10 / n)");
  Do("ALTER INDEX u ON t DISABLE");
  Do("UPSERT INTO t (k, n, w) VALUES (12345, 0, 'a" + std::string(1, '\0') + "b')");  // X'80003039'
  expect_named("CREATE INDEX i ON t (10 / n)", "I", "ERROR 202 (22012)");
  expect_named("CREATE INDEX i ON t (v) INCLUDE (n) WHERE 10 / n > 1", "I", "ERROR 202 (22012)");
  expect_named("CREATE LOCAL INDEX i ON t (10 / n)", "I", "ERROR 202 (22012)");
  expect_named("CREATE INDEX i ON t (w)", "I", "zero byte");
  expect_named("ALTER INDEX u ON t REBUILD", "U", "ERROR 202 (22012)");
}

}  // namespace
}  // namespace bennu
