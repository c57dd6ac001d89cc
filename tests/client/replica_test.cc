// Reads that secondary replicas may answer: who is asked, who counts, and what is called stale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>

#include "src/base/env.h"
#include "src/base/mutex.h"
#include "tests/client/scripted_cluster.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;

constexpr size_t kServers = 3;

// Thread-safe.
class Random {
 public:
  explicit Random(uint32_t seed) : random_(seed) {}
  uint32_t Below(uint32_t sides) {
    MutexLock lock(&mu_);
    return static_cast<uint32_t>(random_() % sides);
  }

 private:
  Mutex mu_;
  std::mt19937 random_ GUARDED_BY(mu_);
};

// Regions whose primaries are on server 0 and whose replicas are on servers 1 and 2.
class ReplicaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster_.SetReplicas(2);
    for (int row = 0; row < 30; ++row) {
      for (const char* const column : {"a", "b"}) cluster_.Put(RowOf(row), column);
    }
    options_ = cluster_.options();
    options_.primary_patience_get = std::chrono::milliseconds(20);
    options_.primary_patience_scan = std::chrono::milliseconds(20);
  }
  void TearDown() override {
    for (size_t i = 0; i < kServers; ++i) cluster_.server(i)->Release();
  }

  // The calls of each server are counted, and answered by 'answer' where that is not null and says
  // something.
  using Answer = std::function<std::optional<Reply>(const ScriptedCluster::Call&)>;
  void Script(Answer answer) {
    cluster_.SetHook([this, answer = std::move(answer)](const ScriptedCluster::Call& call) {
      ++calls_[call.server];
      return answer == nullptr ? std::nullopt : answer(call);
    });
  }
  static bool IsClose(const ScriptedCluster::Call& call) {
    return call.received.method == "Scan" && call.received.Parse<pb::ScanRequest>().close_scanner();
  }
  static bool IsNext(const ScriptedCluster::Call& call) {
    return call.received.method == "Scan" && !IsClose(call) &&
           call.received.Parse<pb::ScanRequest>().has_scanner_id();
  }
  static Reply NotServing() {
    return Reply::Exception(std::string(kHBase) + "NotServingRegionException");
  }

  static Get TimelineGet() {
    Get get;
    get.row = RowOf(7);
    get.consistency = Consistency::kTimeline;
    return get;
  }
  static Scan TimelineScan() {
    Scan scan;
    scan.consistency = Consistency::kTimeline;
    return scan;
  }
  struct Seen {
    Status status;
    std::vector<std::string> cells;
    bool stale = false;
  };
  static Seen ReadAll(Table* table, const Scan& scan) {
    Seen seen;
    auto scanner = table->OpenScanner(scan);
    seen.status = scanner.status();
    if (!scanner.ok()) return seen;
    CellBatch batch;
    do {
      seen.status = (*scanner)->Next(1000, &batch);
      if (!seen.status.ok()) return seen;
      for (const Cell& cell : batch.cells) {
        seen.cells.push_back(Bytes(cell.row()) + "/" + Bytes(cell.qualifier()));
      }
    } while (batch.row_count() > 0);
    seen.stale = (*scanner)->metrics().stale;
    return seen;
  }

  ScriptedCluster cluster_{kServers, {RowOf(10), RowOf(20)}};
  ClientOptions options_;
  std::atomic<int> calls_[kServers] = {};
};

TEST_F(ReplicaTest, APrimaryThatAnswersIsAskedAlone) {
  Script(nullptr);
  options_.primary_patience_get = std::chrono::seconds(60);
  options_.primary_patience_scan = std::chrono::seconds(60);
  const auto table = cluster_.Open(options_);
  const auto row = table->GetRow(TimelineGet());
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->cells.size(), 2u);
  EXPECT_FALSE(row->stale);
  const Seen seen = ReadAll(table.get(), TimelineScan());
  EXPECT_EQ(seen.cells, cluster_.Cells());
  EXPECT_FALSE(seen.stale);
  EXPECT_EQ(calls_[0], 4);
  EXPECT_EQ(calls_[1] + calls_[2], 0);
}

TEST_F(ReplicaTest, ASecondaryAnswersForASlowPrimary) {
  Script([](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.server != 0) return {};
    return Reply::Of(pb::GetResponse()).Held();
  });
  const auto table = cluster_.Open(options_);
  const auto row = table->GetRow(TimelineGet());
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->cells.size(), 2u);
  EXPECT_TRUE(row->stale);
  EXPECT_EQ(calls_[0], 1);
}

TEST_F(ReplicaTest, ASecondaryAnswersAtOnceForAPrimaryThatFails) {
  Script([](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.server != 0) return {};
    return NotServing();
  });
  options_.primary_patience_get = std::chrono::seconds(60);
  options_.primary_patience_scan = std::chrono::seconds(60);
  const auto table = cluster_.Open(options_);
  const auto row = table->GetRow(TimelineGet());
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_TRUE(row->stale);
  const Seen seen = ReadAll(table.get(), TimelineScan());
  EXPECT_TRUE(seen.status.ok()) << seen.status.ToString();
  EXPECT_EQ(seen.cells, cluster_.Cells());
  EXPECT_TRUE(seen.stale);
}

// Others would refuse it as well.
TEST_F(ReplicaTest, WhatCannotBeMendedIsNotAskedOfOthers) {
  Script([](const ScriptedCluster::Call&) -> std::optional<Reply> {
    return Reply::Exception(std::string(kHBase) + "regionserver.NoSuchColumnFamilyException",
                            "no such family");
  });
  options_.primary_patience_get = std::chrono::seconds(60);
  options_.primary_patience_scan = std::chrono::seconds(60);
  const auto table = cluster_.Open(options_);
  EXPECT_THAT(table->GetRow(TimelineGet()).status().ToString(), HasSubstr("no such family"));
  EXPECT_THAT(ReadAll(table.get(), TimelineScan()).status.ToString(), HasSubstr("no such family"));
  EXPECT_EQ(calls_[0], 2);
  EXPECT_EQ(calls_[1] + calls_[2], 0);
}

TEST_F(ReplicaTest, AStrongReadWaitsForItsPrimary) {
  std::atomic<int> failures = 5;
  Script([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
    if (failures-- > 0) return NotServing();
    return {};
  });
  const auto table = cluster_.Open(options_);
  Get get = TimelineGet();
  get.consistency = Consistency::kStrong;
  const auto row = table->GetRow(get);
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_FALSE(row->stale);
  EXPECT_FALSE(ReadAll(table.get(), {}).stale);
  EXPECT_EQ(calls_[1] + calls_[2], 0);
}

TEST_F(ReplicaTest, AReadMayNameItsReplica) {
  Script(nullptr);
  const auto table = cluster_.Open(options_);
  Get get = TimelineGet();
  get.replica_id = 2;
  const auto row = table->GetRow(get);
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_TRUE(row->stale);
  Scan scan;
  scan.replica_id = 2;
  const Seen seen = ReadAll(table.get(), scan);
  EXPECT_EQ(seen.cells, cluster_.Cells());
  EXPECT_TRUE(seen.stale);
  EXPECT_EQ(calls_[0] + calls_[1], 0);
  get.replica_id = 0;
  EXPECT_FALSE(table->GetRow(get)->stale);
  scan.replica_id = 0;
  EXPECT_FALSE(ReadAll(table.get(), scan).stale);
  EXPECT_EQ(calls_[0], 4);
}

TEST_F(ReplicaTest, AReplicaThatIsNotThereIsNamed) {
  options_.retries_max = 3;
  const auto table = cluster_.Open(options_);
  Get get = TimelineGet();
  get.replica_id = 5;
  const std::string expected = "has no replica 5 on a server at the moment";
  EXPECT_THAT(table->GetRow(get).status().ToString(), HasSubstr(expected));
  Scan scan;
  scan.replica_id = 5;
  EXPECT_THAT(ReadAll(table.get(), scan).status.ToString(), HasSubstr(expected));
}

TEST_F(ReplicaTest, WhenAllFailTheErrorIsThePrimarys) {
  Script([](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    return Reply::Exception(std::string(kHBase) + "NotServingRegionException",
                            "server " + std::to_string(call.server));
  });
  options_.retries_max = 2;
  const auto table = cluster_.Open(options_);
  EXPECT_THAT(table->GetRow(TimelineGet()).status().ToString(), HasSubstr("server 0"));
  EXPECT_THAT(ReadAll(table.get(), TimelineScan()).status.ToString(), HasSubstr("server 0"));
}

// A secondary that has begun with a region goes on with it, and the scanners of the others are
// closed.
TEST_F(ReplicaTest, AScanStaysWithTheReplicaThatAnswered) {
  std::atomic<int> next_calls[kServers] = {};
  Script([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (IsNext(call)) ++next_calls[call.server];
    if (call.server != 1 && !IsClose(call)) return NotServing();
    return {};
  });
  cluster_.SetCellsMax([] { return 6; });
  // A busy machine may take longer for an answer than the others would be waited for.
  options_.primary_patience_scan = std::chrono::seconds(60);
  const auto table = cluster_.Open(options_);
  const Seen seen = ReadAll(table.get(), TimelineScan());
  EXPECT_TRUE(seen.status.ok()) << seen.status.ToString();
  EXPECT_EQ(seen.cells, cluster_.Cells());
  EXPECT_TRUE(seen.stale);
  // Three regions of 20 cells, 6 in an answer.
  EXPECT_EQ(next_calls[1], 9);
  EXPECT_EQ(next_calls[0] + next_calls[2], 0);
  for (int i = 0; i < 1000 && cluster_.open_scanners() > 0; ++i) {
    Env::Default()->SleepMicros(10'000);
  }
  EXPECT_EQ(cluster_.open_scanners(), 0u);
}

// The primary begins with a region and is not heard of again.
TEST_F(ReplicaTest, AnotherReplicaGoesOnBehindTheLastRow) {
  Script([](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.server == 0 && IsNext(call)) return Reply::Of(pb::ScanResponse()).Held();
    return {};
  });
  cluster_.SetCellsMax([] { return 7; });  // an answer ends within a row
  const auto table = cluster_.Open(options_);
  const Seen seen = ReadAll(table.get(), TimelineScan());
  EXPECT_TRUE(seen.status.ok()) << seen.status.ToString();
  EXPECT_EQ(seen.cells, cluster_.Cells());
}

TEST_F(ReplicaTest, NothingIsLostOrRepeated) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    // A server may still be at a call when the round is over.
    const auto random = std::make_shared<Random>(static_cast<uint32_t>(seed));
    const auto dice = [random](uint32_t sides) { return random->Below(sides); };
    Script([dice](const ScriptedCluster::Call& call) -> std::optional<Reply> {
      if (IsClose(call)) return {};
      const uint32_t way = dice(24);
      if (way < 3) return NotServing();
      if (way < 6) return Reply::Drop();
      if (way == 6) return Reply::Of(pb::ScanResponse()).Held();
      return {};
    });
    cluster_.SetCellsMax([dice] { return dice(9); });
    options_.primary_patience_scan = std::chrono::milliseconds(5);
    options_.call_timeout = std::chrono::milliseconds(300);
    options_.retries_max = 1000;
    {
      const auto table = cluster_.Open(options_);
      Scan scan = TimelineScan();
      scan.reversed = seed % 2 == 1;
      Seen seen = ReadAll(table.get(), scan);
      ASSERT_TRUE(seen.status.ok()) << seen.status.ToString();
      auto expected = cluster_.Cells();
      if (scan.reversed) {
        // Rows come backwards, the cells of a row do not.
        std::vector<std::string> rows;
        for (size_t i = expected.size(); i > 0; i -= 2) {
          rows.push_back(expected[i - 2]);
          rows.push_back(expected[i - 1]);
        }
        expected = rows;
      }
      ASSERT_EQ(seen.cells, expected);
    }
    cluster_.SetHook(nullptr);
    TearDown();
  }
}

}  // namespace
}  // namespace bennu::client
