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

}  // namespace
}  // namespace bennu::engine
