// What a table tells of itself stays right, and its memory valid, while others write, flush and
// merge it. A sanitizer sees more here than the expectations do.
#include <atomic>
#include <thread>

#include "bennu/admin.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

class ConcurrentTest : public EngineFixture {};

// A scan is cut by the sizes of memstores and files, which a flush takes away at that moment.
TEST_F(ConcurrentTest, RangesAreCutDuringFlushes) {
  EngineOptions options;
  options.wal_sync = WalSync::kOs;
  Open(options);
  const auto table = CreateTable();
  std::atomic<bool> stop{false};
  std::thread flusher([&] {
    for (int round = 0; round < 150; ++round) {
      EXPECT_TRUE(Put(table.get(), "row" + std::to_string(round)).ok());
      EXPECT_TRUE(engine_->admin()->Flush(table->name()).ok());
      const bool merge = round % 5 == 4;
      EXPECT_TRUE(!merge || engine_->admin()->Compact(table->name(), true).ok());
    }
    stop = true;
  });
  while (!stop) {
    const auto ranges = table->SplitRange({}, 4);
    ASSERT_TRUE(ranges.ok()) << ranges.status().ToString();
    EXPECT_FALSE(ranges->empty());
  }
  flusher.join();
  EXPECT_EQ(Rows(table.get()).size(), 150u);
}

// Files go while they are counted, and regions while their table is asked for its numbers.
TEST_F(ConcurrentTest, RegionsAreDescribedWhileTheyChange) {
  EngineOptions options;
  options.wal_sync = WalSync::kOs;
  Open(options);
  const auto table = CreateTable();
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int round = 0; round < 120; ++round) {
      EXPECT_TRUE(Put(table.get(), "row" + std::to_string(round)).ok());
      EXPECT_TRUE(engine_->admin()->Flush(table->name()).ok());
      const bool merge = round % 3 == 2;
      EXPECT_TRUE(!merge || engine_->admin()->Compact(table->name(), true).ok());
      const bool split = round % 40 == 39;
      const Bytes border = "row" + std::to_string(round / 40);
      EXPECT_TRUE(!split || engine_->admin()->SplitTable(table->name(), border).ok());
    }
    stop = true;
  });
  uint64_t newest = 0;
  while (!stop) {
    const auto regions = engine_->admin()->ListRegions(table->name());
    ASSERT_TRUE(regions.ok()) << regions.status().ToString();
    ASSERT_FALSE(regions->empty());
    for (const RegionStatus& region : *regions) {
      // A region that was split meanwhile is not found any more.
      static_cast<void>(engine_->DropCachedBlocks(region.info.EncodedName()));
    }
    const uint64_t before = newest;
    newest = engine_->NumbersOfWrites(table->name()).newest;
    EXPECT_GE(newest, before);
  }
  changer.join();
  EXPECT_EQ(Rows(table.get()).size(), 120u);
  EXPECT_EQ(table->regions().size(), 4u);
}

}  // namespace
}  // namespace bennu::engine
