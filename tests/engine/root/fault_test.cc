// What the store does when the machine does not do its part.
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "src/base/fault_env.h"
#include "src/base/log.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FaultTest : public EngineFixture {
 protected:
  EngineOptions Options() {
    EngineOptions options;
    options.env = &env_;
    return options;
  }
  // The power goes: nothing can be written any more, and what was not synced is lost.
  void LosePower() {
    env_.FailWrites(1);
    env_.FailSyncs(1);
    env_.FailDirectorySyncs(1);
    static_cast<void>(engine_->Close().ok());
    engine_.reset();
    env_.ClearFaults();
    ASSERT_TRUE(env_.DropUnsynced().ok());
  }

  FaultInjectionEnv env_{Env::Default()};
};

// An acknowledgement comes after a sync, unless the write asked for less.
TEST_F(FaultTest, SyncBeforeAcknowledgement) {
  Open(Options());
  auto table = CreateTable();
  for (int i = 0; i < 20; ++i) {
    const uint64_t before = env_.sync_count();
    ASSERT_TRUE(Put(table.get(), "r" + std::to_string(i)).ok());
    EXPECT_GT(env_.sync_count(), before);
  }
  const uint64_t before = env_.sync_count();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(Put(table.get(), "s" + std::to_string(i), "v", Durability::kSyncWal).ok());
  }
  EXPECT_EQ(env_.sync_count(), before);
  ASSERT_TRUE(Put(table.get(), "t", "v", Durability::kFsyncWal).ok());
  EXPECT_GT(env_.sync_count(), before);
}

// Over many power failures, between flushes and compactions: every acknowledged row is there.
TEST_F(FaultTest, PowerFailuresLoseNothingAcknowledged) {
  const uint64_t seed = Env::Default()->RandomU64() % 100000;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  std::set<std::string> acknowledged;
  EngineOptions options = Options();
  options.memstore_flush_bytes = 4096;
  options.wal_roll_bytes = 8192;
  for (int round = 0; round < 12; ++round) {
    Open(options);
    auto table = round == 0 ? CreateTable() : OpenTable();
    const auto rows = Rows(table.get());
    const std::set<std::string> found(rows.begin(), rows.end());
    for (const std::string& row : acknowledged) {
      ASSERT_TRUE(found.contains(row)) << row << " is lost in round " << round;
    }
    const int writes = static_cast<int>(random() % 60);
    for (int i = 0; i < writes; ++i) {
      const std::string row = "r" + std::to_string(random() % 100000);
      ASSERT_TRUE(Put(table.get(), row, std::string(100, 'v')).ok());
      acknowledged.insert(row);
      if (random() % 20 == 0) {
        ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
      }
      if (random() % 30 == 0) {
        ASSERT_TRUE(engine_->admin()->Compact(table->name(), true).ok());
      }
    }
    table.reset();
    LosePower();
  }
}

// A failed sync: the write is refused, never seen, and the store takes no more until it is
// reopened.
TEST_F(FaultTest, FailedSyncPoisons) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  env_.FailSyncs(1);
  EXPECT_FALSE(Put(table.get(), "lost").ok());
  env_.ClearFaults();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  const Status status = Put(table.get(), "after");
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("read-only"));
  EXPECT_THAT(status.message(), HasSubstr("reopen"));
  EXPECT_TRUE(engine_->GetStatus().read_only);
  EXPECT_FALSE(engine_->admin()->Flush(table->name()).ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  table.reset();
  LosePower();
  Open(Options());
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  EXPECT_TRUE(Put(table.get(), "again").ok());
}

// A full disk: refused in clear words, nothing lost, and all is well once there is space again.
TEST_F(FaultTest, FullDisk) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  env_.SetFreeSpace(10);
  const Status flush = engine_->admin()->Flush(table->name());
  EXPECT_FALSE(flush.ok());
  const Status status = Put(table.get(), "during");
  // Clients of a server try again then; of what only a reopening helps they do not.
  EXPECT_EQ(status.code(), StatusCode::kNoSpace) << status.ToString();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  const EngineStatus shown = engine_->GetStatus();
  EXPECT_TRUE(shown.read_only);
  EXPECT_THAT(shown.read_only_reason, HasSubstr("the disk is full"));
  EXPECT_GT(shown.background_failures, 0u);
  EXPECT_THAT(shown.last_background_error, HasSubstr("flush"));
  // Space again: the next flush opens the store for writes, the background's own retry too.
  env_.ClearFaults();
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  EXPECT_FALSE(engine_->GetStatus().read_only);
  EXPECT_TRUE(Put(table.get(), "later").ok());
  table.reset();
  engine_.reset();
  Open(Options());
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before", "later"));
}

// The lines of the log while it is there; the background's threads write some.
class LogLines {
 public:
  LogLines() {
    SetLogSink([this](LogLevel, std::string_view line) {
      MutexLock lock(&mu_);
      lines_.emplace_back(line);
    });
  }
  ~LogLines() { SetLogSink(nullptr); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::vector<std::string> With(std::string_view text) {
    MutexLock lock(&mu_);
    std::vector<std::string> found;
    for (const std::string& line : lines_) {
      if (line.find(text) != std::string::npos) found.push_back(line);
    }
    return found;
  }

 private:
  Mutex mu_;
  std::vector<std::string> lines_ GUARDED_BY(mu_);
};

// What fails again and again for want of space is said once, and counted when there is space.
TEST_F(FaultTest, FullDiskIsSaidOnce) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  LogLines log;
  env_.SetFreeSpace(10);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(engine_->admin()->Flush(table->name()).ok());
  EXPECT_EQ(log.With("flush failed").size(), 1u);
  env_.ClearFaults();
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  // The background may have tried as well.
  const auto again = log.With("there is space on the disk again");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_THAT(again[0], ContainsRegex("the same failed [4-9] more times"));
  // The next time it is full is another one.
  ASSERT_TRUE(Put(table.get(), "more").ok());
  env_.SetFreeSpace(10);
  EXPECT_FALSE(engine_->admin()->Flush(table->name()).ok());
  EXPECT_EQ(log.With("flush failed").size(), 2u);
  env_.ClearFaults();
}

// The regions of a store that is closed on a full disk all fail alike: one line for all.
TEST_F(FaultTest, ClosingOnFullDiskIsSaidOnce) {
  Open(Options());
  for (const char* const name : {"a", "b", "c", "d"}) CreateTable(name);
  // Those that came with the store have nothing to flush, and get a marker in the log.
  engine_.reset();
  Open(Options());
  LogLines log;
  env_.SetFreeSpace(10);
  // From here on the log knows that it cannot be written.
  EXPECT_EQ(Put(OpenTable("a").get(), "during").code(), StatusCode::kNoSpace);
  EXPECT_FALSE(engine_->Close().ok());
  const auto lines = log.With("closing: ");
  ASSERT_EQ(lines.size(), 1u);
  // Four tables and hbase:meta at the least.
  EXPECT_THAT(lines[0], ContainsRegex("and so [4-9] more regions"));
  engine_.reset();
  env_.ClearFaults();
}

// Nobody has to tell the store that there is space again.
TEST_F(FaultTest, FullDiskThatHasSpaceAgain) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  env_.SetFreeSpace(10);
  EXPECT_FALSE(engine_->admin()->Flush(table->name()).ok());
  EXPECT_TRUE(engine_->GetStatus().read_only);
  env_.ClearFaults();
  // The background tries every few seconds; a machine that is busy may take its time.
  for (int i = 0; i < 12'000 && engine_->GetStatus().read_only; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(engine_->GetStatus().read_only);
  EXPECT_TRUE(Put(table.get(), "later").ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre("before", "later"));
}

// A disk that is full when the store is opened: the way out is named, and works.
TEST_F(FaultTest, FullDiskAtOpening) {
  EngineOptions options = Options();
  options.flush_on_close = false;
  Open(options);
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  table.reset();
  engine_.reset();
  env_.SetFreeSpace(10);
  const auto refused = OpenEngine(root_, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::kNoSpace);
  EXPECT_THAT(refused.status().message(), HasSubstr("--read-only"));
  options.read_only = true;
  Open(options);
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  table.reset();
  engine_.reset();
  env_.ClearFaults();
  Open(Options());
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  EXPECT_TRUE(Put(table.get(), "later").ok());
}

// Memstores past their bound make writers wait, and no longer than allowed.
TEST_F(FaultTest, BackPressure) {
  EngineOptions options = Options();
  options.memstore_total_bytes = 100'000;
  options.write_stall_millis_max = 200;
  Open(options);
  auto table = CreateTable();
  // Enough to be past the bound many times over: the flushes keep up, or the writer waits.
  for (int i = 0; i < 200; ++i) {
    const Status status = Put(table.get(), "r" + std::to_string(i), std::string(5000, 'v'));
    if (!status.ok()) {
      ASSERT_EQ(status.code(), StatusCode::kResourceExhausted);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ASSERT_LT(engine_->GetStatus().memstore_bytes, 170'000u);
  }
  EXPECT_GT(engine_->GetStatus().flushes, 0u);
}

}  // namespace
}  // namespace bennu::engine
