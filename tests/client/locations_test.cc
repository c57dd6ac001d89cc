// What is known of regions, and what is read of hbase:meta to know it.
#include "src/client/locations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "src/api/descriptor_pb.h"
#include "src/base/env.h"
#include "src/cell/comparator.h"
#include "src/client/cluster.h"
#include "src/client/cluster_control.h"
#include "src/client/region_finder.h"
#include "tests/client/scripted_cluster.h"
#include "tests/client/test_cell.h"

namespace bennu::client {
namespace {

Bytes KeyOf(int number) { return std::to_string(1'000'000 + number); }

LocationPtr Region(const Bytes& start, const Bytes& end, uint16_t port, uint64_t id = 1) {
  auto region = std::make_shared<RegionLocation>();
  region->info.table = TestTable();
  region->info.region_id = id;
  region->info.start_key = start;
  region->info.end_key = end;
  region->name = region->info.RegionName();
  region->server = Address{"host", port};
  return region;
}

// hbase:meta in memory, which counts what is read of it.
class Meta final : public MetaReader {
 public:
  // 'count' regions in even parts, on the server with the port.
  void Fill(int count, uint16_t port) {
    for (int i = 0; i < count; ++i) {
      Add(Region(i == 0 ? Bytes() : KeyOf(i), i + 1 == count ? Bytes() : KeyOf(i + 1), port));
    }
  }
  void Add(const LocationPtr& region) { rows_.push_back(region); }
  void Remove(const Bytes& start) {
    std::erase_if(rows_, [&](const auto& row) { return row->info.start_key == start; });
  }

  Status ReadMeta(const MetaRows& rows, std::chrono::milliseconds, const MetaRowUse& use) override {
    ++reads;
    if (on_read != nullptr) on_read();
    auto sorted = rows_;
    const int direction = rows.reversed ? -1 : 1;
    std::sort(sorted.begin(), sorted.end(), [&](const auto& left, const auto& right) {
      return direction * cell::CompareMetaRows(left->name, right->name) < 0;
    });
    size_t used = 0;
    for (const LocationPtr& row : sorted) {
      const int order = direction * cell::CompareMetaRows(row->name, rows.range.start);
      if (order < 0 || (order == 0 && !rows.range.start_inclusive)) continue;
      if (direction * cell::CompareMetaRows(row->name, rows.range.stop) >= 0) continue;
      if (used++ == rows.rows_max) break;
      ++rows_read;
      std::deque<Bytes> memory;
      std::vector<Cell> cells(2);
      const Bytes info = api::EncodeRegionInfo(row->info);
      const Bytes server = row->server.has_value() ? row->server->ToString() : Bytes();
      cells[0] = TestCell(row->name, "info", "regioninfo", info, &memory.emplace_back());
      cells[1] = TestCell(row->name, "info", "server", server, &memory.emplace_back());
      const Status status = use(cells.data(), row->server.has_value() ? 2 : 1);
      if (!status.ok()) return status;
    }
    return Status::Ok();
  }
  Result<bool> IsDisabled(const TableName&, std::chrono::milliseconds) override {
    ++states;
    if (gone) return NotFound("no such table");
    return disabled;
  }

  std::atomic<int> reads = 0;
  std::atomic<int> rows_read = 0;
  std::atomic<int> states = 0;
  bool disabled = false;
  bool gone = false;
  std::function<void()> on_read;

 private:
  std::vector<LocationPtr> rows_;
};

class RegionFinderTest : public ::testing::Test {
 protected:
  LocationPtr Find(const Bytes& row) { return Get(finder_.Find(TestTable(), row, operation_)); }
  LocationPtr FindBefore(const Bytes& row) {
    return Get(finder_.FindBefore(TestTable(), row, operation_));
  }
  LocationPtr Get(Result<LocationPtr> found) {
    last_ = found.status();
    return found.ok() ? *found : nullptr;
  }
  // What was read since the last call.
  std::pair<int, int> Read() { return {meta_.reads.exchange(0), meta_.rows_read.exchange(0)}; }
  using Counts = std::pair<int, int>;

  Meta meta_;
  ClientOptions options_;
  Operation operation_{options_, "test"};
  RegionFinder finder_{&meta_};
  Status last_;
};

// A small table is known after one read.
TEST_F(RegionFinderTest, ASmallTableIsOneRead) {
  meta_.Fill(10, 1);
  for (int i = 0; i < 10; ++i) ASSERT_NE(Find(KeyOf(i)), nullptr);
  EXPECT_EQ(Read(), Counts(1, 10));
  EXPECT_EQ(meta_.states, 1);
}

// A large one in steps of a thousand, where somebody comes.
TEST_F(RegionFinderTest, ALargeTableIsReadInSteps) {
  meta_.Fill(5000, 1);
  ASSERT_NE(Find(KeyOf(4)), nullptr);
  EXPECT_EQ(Read(), Counts(1, 1000));
  ASSERT_NE(Find(KeyOf(3000)), nullptr);
  EXPECT_EQ(Read(), Counts(2, 1001)) << "the region, and those behind it";
  ASSERT_NE(Find(KeyOf(3999)), nullptr);
  EXPECT_EQ(Read(), Counts(0, 0));
  ASSERT_NE(Find(KeyOf(2500)), nullptr);
  EXPECT_EQ(Read(), Counts(2, 500)) << "up to those that are known";
  EXPECT_EQ(meta_.states, 1);
}

TEST_F(RegionFinderTest, BeforeARow) {
  meta_.Fill(10, 1);
  EXPECT_EQ(FindBefore("")->info.start_key, KeyOf(9));
  EXPECT_EQ(FindBefore(KeyOf(5))->info.start_key, KeyOf(4));
  EXPECT_EQ(FindBefore(KeyOf(5) + "x")->info.start_key, KeyOf(5));
  Read();
  // The same with nothing known but the begin of a large table.
  meta_.Fill(0, 1);
  for (int i = 10; i < 3000; ++i) meta_.Add(Region(KeyOf(i), KeyOf(i + 1), 1));
  meta_.Remove(KeyOf(9));
  meta_.Add(Region(KeyOf(9), KeyOf(10), 1));
  meta_.Add(Region(KeyOf(3000), "", 1));
  finder_.Forget(TestTable());
  EXPECT_EQ(FindBefore("")->info.start_key, KeyOf(3000));
  EXPECT_EQ(FindBefore(KeyOf(3000))->info.start_key, KeyOf(2999));
  EXPECT_EQ(FindBefore(KeyOf(2000))->info.start_key, KeyOf(1999));
}

// One region's change costs the reading of one region.
TEST_F(RegionFinderTest, OneRegionIsLookedUpAlone) {
  meta_.Fill(2000, 1);
  const LocationPtr old = Find(KeyOf(5));
  Find(KeyOf(1500));
  Read();
  meta_.Remove(KeyOf(5));
  meta_.Add(Region(KeyOf(5), KeyOf(6), 2));
  CallOutcome failed;
  failed.remedy = rpc::Remedy::kRelocate;
  finder_.Correct(old, failed);
  EXPECT_EQ(Find(KeyOf(5))->server->port, 2);
  EXPECT_EQ(Read(), Counts(1, 1));
  EXPECT_EQ(meta_.states, 2) << "the table may have been dropped or disabled";
  finder_.Correct(old, failed);  // another call, with what is not known any more
  EXPECT_EQ(Find(KeyOf(5))->server->port, 2);
  EXPECT_EQ(Read(), Counts(0, 0));
  failed.moved_to = Address{"host", 3};
  finder_.Correct(Find(KeyOf(5)), failed);
  EXPECT_EQ(Find(KeyOf(5))->server->port, 3);
  EXPECT_EQ(Read(), Counts(0, 0));
}

TEST_F(RegionFinderTest, SplitsAndMerges) {
  meta_.Fill(10, 1);
  const LocationPtr parent = Find(KeyOf(5));
  meta_.Remove(KeyOf(5));
  const Bytes middle = KeyOf(5) + "m";
  meta_.Add(Region(KeyOf(5), middle, 1, 2));
  meta_.Add(Region(middle, KeyOf(6), 1, 2));
  Read();
  CallOutcome failed;
  failed.remedy = rpc::Remedy::kRelocate;
  finder_.Correct(parent, failed);
  EXPECT_EQ(Find(KeyOf(5))->info.end_key, middle);
  EXPECT_EQ(Find(middle)->info.end_key, KeyOf(6));
  EXPECT_EQ(Read(), Counts(2, 2));
  // And back, with the next region.
  const LocationPtr daughter = Find(middle);
  for (const Bytes& start : {KeyOf(5), middle, KeyOf(6)}) meta_.Remove(start);
  meta_.Add(Region(KeyOf(5), KeyOf(7), 1, 3));
  finder_.Correct(daughter, failed);
  EXPECT_EQ(Find(middle)->info.end_key, KeyOf(7));
  EXPECT_EQ(Find(KeyOf(6))->info.start_key, KeyOf(5)) << "it took the place of what it overlaps";
  EXPECT_EQ(finder_.locations()->All(TestTable())->size(), 9u);
}

// What was on a server that is gone is not known, and the rest is.
TEST_F(RegionFinderTest, AServerIsGone) {
  meta_.Fill(10, 1);
  for (int i = 5; i < 9; ++i) {
    meta_.Remove(KeyOf(i));
    meta_.Add(Region(KeyOf(i), KeyOf(i + 1), 2));
  }
  CallOutcome failed;
  failed.remedy = rpc::Remedy::kRelocate;
  failed.lost_server = true;
  finder_.Correct(Find(KeyOf(6)), failed);
  Read();
  EXPECT_EQ(finder_.locations()->Find(TestTable(), KeyOf(8)), nullptr);
  Find(KeyOf(0));
  Find(KeyOf(9));
  EXPECT_EQ(Read(), Counts(0, 0));
  Find(KeyOf(5));
  EXPECT_EQ(Read(), Counts(2, 4)) << "the others of the gap come with it";
}

TEST_F(RegionFinderTest, WhatIsNotThere) {
  meta_.gone = true;
  EXPECT_EQ(Find("r"), nullptr);
  EXPECT_EQ(last_.code(), StatusCode::kNotFound);
  meta_.gone = false;
  meta_.disabled = true;
  EXPECT_EQ(Find("r"), nullptr);
  EXPECT_EQ(last_.code(), StatusCode::kFailedPrecondition);
  meta_.disabled = false;
  meta_.Add(Region("", "m", 1));
  EXPECT_EQ(Find("r"), nullptr);
  EXPECT_EQ(last_.code(), StatusCode::kAborted) << "a hole";
  auto closed = std::make_shared<RegionLocation>(*Region("m", "", 1));
  closed->server.reset();
  meta_.Add(closed);
  EXPECT_EQ(Find("r"), nullptr);
  EXPECT_EQ(last_.code(), StatusCode::kAborted) << "on no server";
  EXPECT_NE(Find("a"), nullptr);
}

// Many threads miss the same region: one of them reads.
TEST_F(RegionFinderTest, OneReadsForAll) {
  meta_.Fill(10, 1);
  constexpr int kThreads = 8;
  std::atomic<int> started = 0;
  meta_.on_read = [&] {
    while (started < kThreads) std::this_thread::yield();
    Env::Default()->SleepMicros(20'000);  // for the others to come to where they would read, too
  };
  std::vector<std::thread> threads;
  std::atomic<int> found = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++started;
      if (finder_.Find(TestTable(), KeyOf(5), operation_).ok()) ++found;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, kThreads);
  EXPECT_EQ(Read(), Counts(1, 10));
}

TEST(LocationsTest, AllRegionsAreKnownOrNone) {
  Locations locations;
  EXPECT_FALSE(locations.All(TestTable()).has_value());
  locations.Add(Region("", "b", 1));
  locations.Add(Region("d", "", 1));
  EXPECT_FALSE(locations.All(TestTable()).has_value());
  locations.Add(Region("b", "d", 1));
  const auto all = locations.All(TestTable());
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ((*all)[i].start_key, (std::vector<Bytes>{"", "b", "d"}[i]));
  EXPECT_EQ(locations.NextStart(TestTable(), "b"), "d");
  EXPECT_EQ(locations.NextStart(TestTable(), "d"), "");
  locations.Forget(locations.Find(TestTable(), "x"));
  EXPECT_FALSE(locations.All(TestTable()).has_value());
}

// Names of servers, for the shell's list_regions.
TEST(ServersOfRegionsTest, AsMetaHasThem) {
  ScriptedCluster scripted(2, {"m"});
  Cluster cluster(scripted.options(), nullptr);
  RemoteControl control(&cluster, nullptr);
  const auto name_of = [&](size_t server) {
    return "127.0.0.1," + std::to_string(scripted.server(server)->port()) + "," +
           std::to_string(ScriptedCluster::kStartCode + server);
  };
  auto servers = control.ServersOfRegions(TestTable());
  ASSERT_TRUE(servers.ok()) << servers.status().ToString();
  const auto regions = scripted.Open(scripted.options())->regions();
  ASSERT_EQ(regions.size(), 2u);
  for (const RegionInfo& region : regions) {
    EXPECT_EQ((*servers)[region.RegionName()], name_of(0));
  }
  scripted.Move("", 1);
  servers = control.ServersOfRegions(TestTable());
  ASSERT_TRUE(servers.ok()) << servers.status().ToString();
  EXPECT_EQ((*servers)[regions[0].RegionName()], name_of(1));
}

}  // namespace
}  // namespace bennu::client
