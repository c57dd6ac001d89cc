// Compactions as a table and a whole store ask for them: by time, throttled, striped, stopped; and
// memory that stays within its bound meanwhile.
#include <atomic>
#include <chrono>
#include <thread>

#include "src/base/failpoint.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CompactionOptionsTest : public EngineFixture {
 protected:
  static EngineOptions Options() {
    EngineOptions options;
    options.wal_sync = WalSync::kOs;
    options.flush_on_close = false;
    return options;
  }
  void TearDown() override {
    ASSERT_TRUE(ArmFailpoints("").ok());
    EngineFixture::TearDown();
  }
  // HFiles that the region's family has.
  size_t FilesOf(const std::string& region, const std::string& family) {
    size_t count = 0;
    for (const std::string& path : Find("/" + region + "/" + family + "/")) {
      const std::string name = path.substr(path.rfind('/') + 1);
      const bool archived = path.find("/archive/") != std::string::npos;
      if (!archived && name.find('.') == std::string::npos && name.size() == 32) ++count;
    }
    return count;
  }
  void Flush(Table* table) { ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok()); }
};

TEST_F(CompactionOptionsTest, RefusesWhatItCanNotDo) {
  Open(Options());
  TableDescriptor descriptor;
  descriptor.name.qualifier = "refused";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  const auto refused = [&](const std::string& key, const std::string& value) {
    descriptor.families[0].attributes = {{key, value}};
    const Status status = engine_->admin()->CreateTable(descriptor, {});
    EXPECT_THAT(status.message(), HasSubstr(key));
    return status.code();
  };
  EXPECT_EQ(refused("hbase.hstore.engine.class", "org.example.MyEngine"),
            StatusCode::kNotSupported);
  EXPECT_EQ(refused("hbase.hstore.compaction.min", "many"), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused("hbase.offpeak.start.hour", "24"), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused("hbase.hstore.compaction.ratio", "-1"), StatusCode::kInvalidArgument);
}

// Switched off nothing is compacted, for whatever reason; a compaction that is at work ends without
// a result.
TEST_F(CompactionOptionsTest, TheSwitchOfTheStore) {
  EngineOptions options = Options();
  options.maintenance_threads = 1;  // so that what is queued runs in order
  options.compactions_on = false;
  Open(options);
  const auto table = CreateTable();
  const std::string region = table->regions()[0].EncodedName();
  const auto flush_many = [&] {
    for (const char* row : {"a", "b", "c", "d"}) {
      ASSERT_TRUE(Put(table.get(), row).ok());
      Flush(table.get());
    }
  };
  const auto await_background = [&] {
    // A compaction that finds that it was asked for again is queued behind the first.
    for (int i = 0; i < 2; ++i) {
      std::atomic<bool> reached{false};
      engine_->RunInBackground([&] { reached.store(true); });
      ASSERT_TRUE(Eventually([&] { return reached.load(); }));
    }
  };
  const auto files = [&] { return FilesOf(region, "f"); };
  flush_many();
  await_background();
  EXPECT_TRUE(engine_->admin()->Compact(table->name(), true).ok());
  EXPECT_EQ(files(), 4u);

  EXPECT_FALSE(engine_->SwitchCompactions(true));
  EXPECT_TRUE(engine_->compactions_on());
  ASSERT_TRUE(Put(table.get(), "e").ok());
  Flush(table.get());
  EXPECT_TRUE(Eventually([&] { return files() == 1; }));

  EXPECT_TRUE(engine_->SwitchCompactions(false));
  flush_many();
  await_background();
  EXPECT_EQ(files(), 5u);
  EXPECT_FALSE(engine_->SwitchCompactions(false));
  engine_->SwitchCompactions(true);
  ASSERT_TRUE(engine_->admin()->Compact(table->name(), true).ok());
  EXPECT_EQ(files(), 1u);
}

TEST_F(CompactionOptionsTest, TheSwitchEndsWhatIsAtWork) {
  EngineOptions options = Options();
  options.configuration = {{"hbase.hstore.compaction.throughput.lower.bound", "1000"},
                           {"hbase.hstore.compaction.throughput.higher.bound", "1000"}};
  Open(options);
  const auto table = CreateTable();
  const std::string region = table->regions()[0].EncodedName();
  // More rows than a compaction takes in one step.
  for (int file = 0; file < 3; ++file) {
    for (int row = 0; row < 400; ++row) {
      const std::string key = std::to_string(file) + "-" + std::to_string(row);
      ASSERT_TRUE(Put(table.get(), key, std::string(2000, 'v')).ok());
    }
    Flush(table.get());
  }
  const auto state = [&] { return engine_->admin()->GetCompactionState(region).value(); };
  // It would take half an hour.
  ASSERT_TRUE(Eventually([&] { return state() != CompactionState::kNone; }));
  EXPECT_TRUE(engine_->SwitchCompactions(false));
  EXPECT_EQ(state(), CompactionState::kNone);
  EXPECT_EQ(FilesOf(region, "f"), 3u);
}

TEST_F(CompactionOptionsTest, MajorCompactionByTime) {
  EngineOptions options = Options();
  options.configuration = {{"hbase.hregion.majorcompaction", "1"},
                           {"hbase.server.thread.wakefrequency", "1"},
                           {"hbase.server.compactchecker.interval.multiplier", "100"}};
  Open(options);
  const auto table = CreateTable();
  for (const char* row : {"a", "b"}) {
    ASSERT_TRUE(Put(table.get(), row).ok());
    Flush(table.get());
  }
  EXPECT_TRUE(Eventually([&] { return engine_->GetStatus().compactions > 0; }));
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "b"));
}

// HBase's HStore reads the multiplier of its family.
TEST_F(CompactionOptionsTest, EachFamilySaysHowOftenItIsLookedAt) {
  EngineOptions options = Options();
  // Not due while the files are written: a flush looks, too.
  options.configuration = {{"hbase.hregion.majorcompaction", "4000"},
                           {"hbase.hregion.majorcompaction.jitter", "0"},
                           {"hbase.server.thread.wakefrequency", "1"},
                           {"hbase.server.compactchecker.interval.multiplier", "1000000"}};
  Open(options);
  const auto seldom = CreateTable("seldom");
  TableDescriptor descriptor = seldom->descriptor();
  descriptor.name.qualifier = "often";
  descriptor.families[0].attributes["hbase.server.compactchecker.interval.multiplier"] = "1";
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  const auto often = OpenTable("often");
  for (const char* row : {"a", "b"}) {
    for (const auto& table : {seldom, often}) {
      ASSERT_TRUE(Put(table.get(), row).ok());
      Flush(table.get());
    }
  }
  EXPECT_TRUE(
      Eventually([&] { return FilesOf(often->regions().front().EncodedName(), "f") == 1; }));
  EXPECT_EQ(FilesOf(seldom->regions().front().EncodedName(), "f"), 2U);
}

// As in HBase, where CompactSplit throttles all alike. The server that stops does not wait.
TEST_F(CompactionOptionsTest, WhatClientsOfAServerAskForIsThrottled) {
  EngineOptions options = Options();
  options.configuration = {{"hbase.hstore.compaction.throughput.lower.bound", "1000"},
                           {"hbase.hstore.compaction.throughput.higher.bound", "1000"},
                           {"hbase.hstore.compaction.min", "100"}};
  options.server_address = "localhost:16020";
  Open(options);
  auto table = CreateTable();
  // More rows than a compaction takes in one step.
  for (int file = 0; file < 2; ++file) {
    for (int row = 0; row < 400; ++row) {
      const std::string key = std::to_string(file) + "-" + std::to_string(row);
      ASSERT_TRUE(Put(table.get(), key, std::string(2000, 'v')).ok());
    }
    Flush(table.get());
  }
  const std::string region = table->regions().front().EncodedName();
  Status asked;
  std::thread client([&] { asked = engine_->admin()->CompactRegion(region, "", true); });
  // It runs, for a quarter of an hour.
  EXPECT_TRUE(Eventually([&] { return !Find("/.tmp/f/").empty(); }));
  engine_->StopBackground();
  client.join();
  EXPECT_EQ(asked.code(), StatusCode::kCancelled) << asked.ToString();
  EXPECT_EQ(FilesOf(region, "f"), 2U);
  table.reset();
  ASSERT_TRUE(engine_->Close().ok());

  options.server_address.clear();
  Open(options);
  ASSERT_TRUE(engine_->admin()->CompactRegion(region, "", true).ok());
  EXPECT_EQ(FilesOf(region, "f"), 1U);
}

// A compaction that the throttle holds up ends when its table is disabled, and when the store is
// closed.
TEST_F(CompactionOptionsTest, SlowCompactionsStopAtOnce) {
  EngineOptions options = Options();
  options.configuration = {{"hbase.hstore.compaction.throughput.lower.bound", "1000"},
                           {"hbase.hstore.compaction.throughput.higher.bound", "1000"},
                           {"hbase.server.thread.wakefrequency", "1"},
                           {"hbase.server.compactchecker.interval.multiplier", "1"}};
  Open(options);
  auto table = CreateTable();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Put(table.get(), "r" + std::to_string(i), std::string(1 << 20, 'v')).ok());
    Flush(table.get());
  }
  ASSERT_TRUE(Eventually([&] { return !Find("/.tmp/f/").empty(); }));  // it runs, for an hour
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(engine_->admin()->DisableTable(table->name()).ok());
  ASSERT_TRUE(engine_->admin()->EnableTable(table->name()).ok());
  EXPECT_THAT(Rows(table.get()), SizeIs(3));
  table.reset();
  ASSERT_TRUE(engine_->Close().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  Open(Options());
  EXPECT_THAT(Rows(OpenTable().get()), SizeIs(3));
}

// Compactions that nobody asked for are told of while they are at work: HBase's
// HRegion.getCompactionState.
TEST_F(CompactionOptionsTest, TheStateTellsOfTheStoresOwnCompactions) {
  for (const bool major : {false, true}) {
    EngineOptions options = Options();
    options.configuration = {{"hbase.hstore.compaction.throughput.lower.bound", "1000"},
                             {"hbase.hstore.compaction.throughput.higher.bound", "1000"},
                             {"hbase.hstore.compaction.min", major ? "100" : "3"},
                             {"hbase.hregion.majorcompaction", major ? "1" : "0"},
                             {"hbase.hregion.majorcompaction.jitter", "0"},
                             {"hbase.server.thread.wakefrequency", "1"},
                             {"hbase.server.compactchecker.interval.multiplier", "1"}};
    Open(options);
    auto table = CreateTable();
    const std::string region = table->regions().front().EncodedName();
    const auto state = engine_->admin()->GetCompactionState(region);
    ASSERT_TRUE(state.ok());
    if (!major) {
      EXPECT_EQ(*state, CompactionState::kNone);
    }
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(Put(table.get(), "r" + std::to_string(i), std::string(1 << 20, 'v')).ok());
      Flush(table.get());
    }
    const CompactionState expected = major ? CompactionState::kMajor : CompactionState::kMinor;
    EXPECT_TRUE(Eventually([&] {  // it runs for an hour
      return engine_->admin()->GetCompactionState(region).value() == expected;
    })) << major;
    EXPECT_EQ(engine_->admin()->ListRegions(table->name())->front().compaction, expected) << major;
    EXPECT_EQ(engine_->admin()->GetTableCompactionState(table->name()).value(), expected) << major;
    ASSERT_TRUE(engine_->admin()->DisableTable(table->name()).ok());
    EXPECT_EQ(engine_->admin()->GetCompactionState(region).value(), CompactionState::kNone);
    EXPECT_EQ(engine_->admin()->GetTableCompactionState(table->name()).value(),
              CompactionState::kNone);
    ASSERT_TRUE(engine_->admin()->DropTable(table->name()).ok());
    table.reset();
    ASSERT_TRUE(engine_->Close().ok());
  }
}

// A change of the table stops a compaction. When a flush waits for it, it begins again by itself.
TEST_F(CompactionOptionsTest, AStoppedCompactionThatAFlushWaitsForBeginsAgain) {
  EngineOptions options = Options();
  options.memstore_flush_bytes = 50'000;
  options.configuration = {{"hbase.hstore.compaction.throughput.lower.bound", "1000"},
                           {"hbase.hstore.compaction.throughput.higher.bound", "1000"},
                           {"hbase.hstore.blockingStoreFiles", "2"}};
  Open(options);
  auto table = CreateTable();
  // Too small for a flush of the store's own, which could come late and take the held row along.
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Put(table.get(), "r" + std::to_string(i), std::string(40'000, 'v')).ok());
    Flush(table.get());
  }
  ASSERT_TRUE(Put(table.get(), "held", std::string(60'000, 'v')).ok());
  ASSERT_TRUE(Eventually([&] { return !Find("/.tmp/f/").empty(); }));  // it runs, for minutes
  EXPECT_GT(engine_->GetStatus().memstore_bytes, 50'000u);
  // With two files as the least the store is past its limit, and what relieves it is not throttled.
  TableDescriptor changed = table->descriptor();
  changed.families[0].attributes["hbase.hstore.compaction.min"] = "2";
  ASSERT_TRUE(engine_->admin()->AlterTable(changed).ok());
  EXPECT_TRUE(Eventually([&] { return engine_->GetStatus().memstore_bytes < 50'000; }));
}

class StripedTest : public CompactionOptionsTest {
 protected:
  static EngineOptions Striped() {
    EngineOptions options = Options();
    options.background_compaction = false;
    options.configuration = {{"hbase.hstore.engine.class", "StripeStoreEngine"},
                             {"hbase.store.stripe.initialStripeCount", "3"}};
    return options;
  }
  void PutAlphabet(Table* table, ByteView value) {
    for (char c = 'a'; c <= 'z'; ++c) ASSERT_TRUE(Put(table, Bytes(1, c), value).ok());
  }
};

// Some files of a flush are in place when it fails: they go again, and all is written once more.
TEST_F(StripedTest, AFlushThatFailsHalfway) {
  Open(Striped());
  auto table = CreateTable();
  PutAlphabet(table.get(), "one");
  ASSERT_TRUE(ArmFailpoints("store.between_renames=error@2").ok());
  EXPECT_FALSE(engine_->admin()->Flush(table->name()).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  const auto count = [&] {
    size_t files = 0;
    for (const std::string& path : Find("data/default/t/")) {
      files += path.find("/f/") != std::string::npos && path.find("/f/.") == std::string::npos &&
               path.find("/archive/") == std::string::npos &&
               path.find("/.tmp/") == std::string::npos;
    }
    return files;
  };
  EXPECT_EQ(count(), 0u);
  EXPECT_THAT(Rows(table.get()), SizeIs(26));
  Flush(table.get());
  EXPECT_EQ(count(), 3u);
  ASSERT_TRUE(ArmFailpoints("store.between_renames=error@2").ok());
  EXPECT_FALSE(engine_->admin()->Compact(table->name(), true).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_EQ(count(), 3u);
  table.reset();
  Open(Striped());
  EXPECT_THAT(Rows(OpenTable().get()), SizeIs(26));
}

TEST_F(StripedTest, RegionsSplitAndMerge) {
  Open(Striped());
  auto table = CreateTable();
  PutAlphabet(table.get(), "one");
  Flush(table.get());
  PutAlphabet(table.get(), "two");
  ASSERT_TRUE(engine_->admin()->SplitTable(table->name(), Bytes("k")).ok());
  EXPECT_THAT(Rows(table.get()), SizeIs(26));
  ASSERT_TRUE(engine_->admin()->Compact(table->name(), false).ok());
  EXPECT_THAT(Rows(table.get()), SizeIs(26));
  table.reset();
  Open(Striped());
  EXPECT_THAT(Rows(OpenTable().get()), SizeIs(26));
}

// Many regions, writers that are faster than flushes, a small budget: memory stays within it, and
// no writer fails.
TEST_F(CompactionOptionsTest, MemoryIsBoundedOverManyRegions) {
  EngineOptions options = Options();
  options.memstore_total_bytes = 2 << 20;
  options.memstore_flush_bytes = 1 << 20;
  options.background_compaction = false;
  Open(options);
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  std::vector<Bytes> splits;
  for (int i = 1; i < 40; ++i) splits.push_back(std::to_string(100 + i));
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, splits).ok());
  std::atomic<int> running{3};
  std::atomic<int> failures{0};
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      const auto table = OpenTable();
      for (int i = 0; i < 1500; ++i) {
        const std::string row = std::to_string(100 + i % 40) + std::to_string(i * 3 + w);
        if (!Put(table.get(), row, std::string(8000, 'v')).ok()) ++failures;
      }
      --running;
    });
  }
  uint64_t most = 0;
  while (running.load() > 0) {
    most = std::max(most, engine_->GetStatus().memstore_bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failures.load(), 0);
  // 36 MB went through; past one and a half times the trigger writers wait, each may be one write
  // over it.
  EXPECT_LT(most, (3u << 20) + 500'000);
  EXPECT_GT(engine_->GetStatus().flushes, 5u);
}

}  // namespace
}  // namespace bennu::engine
