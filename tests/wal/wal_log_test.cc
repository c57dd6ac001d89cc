// The log of a running store: order, group commit, faults, rolling and archiving.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "src/base/failpoint.h"
#include "src/base/fault_env.h"
#include "src/base/mutex.h"
#include "src/wal/wal.h"
#include "tests/wal/wal_test_support.h"

namespace bennu::wal {
namespace {

constexpr const char* kServer = "localhost,16020,1700000000000";

class WalLogTest : public ::testing::Test {
 protected:
  WalOptions Options(Env* env = Env::Default()) {
    WalOptions options;
    options.env = env;
    options.wal_root = directory_.path();
    options.server_name = kServer;
    return options;
  }

  std::unique_ptr<Wal> OpenLog(const WalOptions& options) {
    auto wal = Wal::Open(options);
    EXPECT_TRUE(wal.ok()) << wal.status().ToString();
    return std::move(wal).value();
  }

  static Result<Ticket> AppendOne(Wal* wal, WalRegion* region, uint64_t number,
                                  uint64_t* sequence_id) {
    const MutationBatch batch = MakeBatch(number);
    const ByteView cells[] = {batch.buffer()};
    AppendRequest request;
    request.region = region;
    request.cells = cells;
    request.cell_count = 1;
    request.write_time_ms = 1500000000000;
    return wal->Append(request, sequence_id);
  }

  std::vector<std::string> LogFiles() {
    std::vector<std::string> paths;
    const std::string directory = WalDirectory(directory_.path(), kServer);
    const auto names = Env::Default()->ListDirectory(directory);
    for (const std::string& name : names.value()) {
      paths.push_back(JoinPath(directory, name));
    }
    return paths;
  }

  TestDirectory directory_;
};

TEST_F(WalLogTest, WhatIsAppendedIsRead) {
  WalOptions options = Options();
  options.first_sequence_id = 41;
  auto wal = OpenLog(options);
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  EXPECT_EQ(region, wal->RegisterRegion(kRegionName, "t"));
  uint64_t id = 0;
  auto ticket = AppendOne(wal.get(), region, 1, &id);
  ASSERT_TRUE(ticket.ok());
  EXPECT_EQ(41u, id);
  EXPECT_EQ(42u, wal->TakeSequenceId());  // a hole in the log
  ticket = AppendOne(wal.get(), region, 2, &id);
  EXPECT_EQ(43u, id);
  EXPECT_TRUE(wal->WaitSynced(*ticket, SyncLevel::kFdatasync).ok());
  EXPECT_EQ(43u, wal->last_sequence_id());

  const std::vector<std::string> files = LogFiles();
  ASSERT_EQ(1u, files.size());
  EXPECT_NE(std::string::npos, files[0].find("/localhost%2C16020%2C1700000000000."));
  EXPECT_EQ((std::vector<uint64_t>{41, 43}), ReadLog(Env::Default(), files[0]).sequence_ids);
  EXPECT_TRUE(wal->Close().ok());
  EXPECT_EQ(WalEnd::kTrailer, ReadLog(Env::Default(), files[0]).end);
  EXPECT_EQ(StatusCode::kFailedPrecondition, AppendOne(wal.get(), region, 3, &id).status().code());
}

// Entries stand in the order of their ids whatever the threads do; every acknowledged one is there;
// and one fdatasync serves many writers.
TEST_F(WalLogTest, ManyWritersShareSyncs) {
  constexpr int kThreads = 4;
  constexpr int kEach = 300;
  FaultInjectionEnv env(Env::Default());
  auto wal = OpenLog(Options(&env));
  std::vector<uint64_t> observed;  // guarded by the log's own lock, in whose shelter it is called
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      WalRegion* region = wal->RegisterRegion(t % 2 == 0 ? kRegionName : "1588230740", "t");
      for (int i = 0; i < kEach; ++i) {
        const MutationBatch batch = MakeBatch(static_cast<uint64_t>(i));
        const ByteView cells[] = {batch.buffer()};
        AppendRequest request;
        request.region = region;
        request.cells = cells;
        request.cell_count = 1;
        request.on_sequence_id = [](void* context, uint64_t sequence_id) {
          static_cast<std::vector<uint64_t>*>(context)->push_back(sequence_id);
        };
        request.context = &observed;
        uint64_t id = 0;
        const auto ticket = wal->Append(request, &id);
        ASSERT_TRUE(ticket.ok());
        ASSERT_TRUE(wal->WaitSynced(*ticket, SyncLevel::kFdatasync).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Count(1, kThreads * kEach), observed);
  EXPECT_LE(wal->metrics().syncs, uint64_t{kThreads * kEach});
  EXPECT_GE(wal->metrics().syncs, 1u);
  // Without closing: everything acknowledged must outlive a power failure at this point.
  const std::string file = LogFiles()[0];
  EXPECT_EQ(Count(1, kThreads * kEach), ReadLog(Env::Default(), file).sequence_ids);
  ASSERT_TRUE(wal->Close().ok());
}

// Who waits for its own entry does the round itself: no other thread answers it. An entry that
// nobody leads is served by the sync thread.
TEST_F(WalLogTest, ALoneWriterLeads) {
  auto wal = OpenLog(Options());
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  struct Waiter : SyncWaiter {
    void OnSynced(const Status& status) override {
      EXPECT_TRUE(status.ok()) << status.ToString();
      thread = std::this_thread::get_id();
      done = true;
    }
    std::thread::id thread;
    std::atomic<bool> done = false;
  };
  uint64_t id = 0;
  uint64_t led = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    Waiter waiter;
    waiter.attended = true;
    wal->WhenSynced(AppendOne(wal.get(), region, i, &id).value(), SyncLevel::kFdatasync, &waiter);
    wal->Lead();
    while (!waiter.done) std::this_thread::yield();
    led += waiter.thread == std::this_thread::get_id() ? 1 : 0;
  }
  // The thread wakes by itself now and then, and may then be the one.
  EXPECT_GE(led, 50u);
  EXPECT_EQ(100u, wal->metrics().syncs);
  EXPECT_EQ(100u, ReadLog(Env::Default(), LogFiles()[0]).sequence_ids.size());

  Waiter unattended;
  wal->WhenSynced(AppendOne(wal.get(), region, 100, &id).value(), SyncLevel::kWrite, &unattended);
  while (!unattended.done) std::this_thread::yield();
  EXPECT_NE(std::this_thread::get_id(), unattended.thread);
}

// Waiters that are handed in together while the thread is busy get one fdatasync.
TEST_F(WalLogTest, OneSyncForAGroup) {
  auto wal = OpenLog(Options());
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  Ticket last = 0;
  for (uint64_t i = 0; i < 100; ++i) last = AppendOne(wal.get(), region, i, &id).value();
  ASSERT_TRUE(wal->WaitSynced(last, SyncLevel::kFdatasync).ok());
  EXPECT_EQ(1u, wal->metrics().syncs);
  // All earlier tickets are done too, without a further sync.
  ASSERT_TRUE(wal->WaitSynced(last - 50, SyncLevel::kFdatasync).ok());
  EXPECT_EQ(1u, wal->metrics().syncs);
}

// Waiting for the write alone causes no fdatasync; nobody waiting, the write comes by itself.
TEST_F(WalLogTest, LowerLevelsDoNotSync) {
  WalOptions options = Options();
  options.async_flush_ms = 5;
  auto wal = OpenLog(options);
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  Ticket ticket = AppendOne(wal.get(), region, 1, &id).value();
  ASSERT_TRUE(wal->WaitSynced(ticket, SyncLevel::kWrite).ok());
  EXPECT_EQ(0u, wal->metrics().syncs);
  EXPECT_EQ(1u, ReadLog(Env::Default(), LogFiles()[0]).sequence_ids.size());

  // Long enough for the thread to fall asleep in between.
  Env::Default()->SleepMicros(30000);
  ticket = AppendOne(wal.get(), region, 2, &id).value();
  ASSERT_TRUE(wal->WaitSynced(ticket, SyncLevel::kNone).ok());
  for (int i = 0; i < 1000 && wal->metrics().writes < 2; ++i) Env::Default()->SleepMicros(1000);
  EXPECT_EQ(2u, ReadLog(Env::Default(), LogFiles()[0]).sequence_ids.size());
  EXPECT_EQ(0u, wal->metrics().syncs);
}

// After a failed fdatasync nothing is acknowledged any more, and what had been is still there.
TEST_F(WalLogTest, FailedSyncPoisons) {
  FaultInjectionEnv env(Env::Default());
  auto wal = OpenLog(Options(&env));
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  Ticket ticket = AppendOne(wal.get(), region, 1, &id).value();
  ASSERT_TRUE(wal->WaitSynced(ticket, SyncLevel::kFdatasync).ok());

  env.FailSyncs(1);
  const Ticket lost = AppendOne(wal.get(), region, 2, &id).value();
  const Status status = wal->WaitSynced(lost, SyncLevel::kFdatasync);
  EXPECT_EQ(StatusCode::kIoError, status.code());
  EXPECT_NE(std::string::npos, status.message().find("write-ahead log"));
  EXPECT_FALSE(wal->status().ok());
  EXPECT_FALSE(AppendOne(wal.get(), region, 3, &id).ok());
  EXPECT_FALSE(wal->Roll().ok());
  env.ClearFaults();  // the disk works again, yet what was lost is lost
  EXPECT_FALSE(AppendOne(wal.get(), region, 4, &id).ok());
  EXPECT_FALSE(wal->WaitSynced(lost, SyncLevel::kFdatasync).ok());
  EXPECT_TRUE(wal->WaitSynced(ticket, SyncLevel::kFdatasync).ok());
  EXPECT_FALSE(wal->Close().ok());
  wal.reset();
  ASSERT_TRUE(env.DropUnsynced().ok());
  const ReadOutcome outcome = ReadLog(Env::Default(), LogFiles()[0]);
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(Count(1, 1), outcome.sequence_ids);
}

// Neither the file nor a new one can be written, and there is nobody who could take entries back.
TEST_F(WalLogTest, FailedWritePoisons) {
  FaultInjectionEnv env(Env::Default());
  auto wal = OpenLog(Options(&env));
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  env.SetFreeSpace(10);
  const Ticket ticket = AppendOne(wal.get(), region, 1, &id).value();
  EXPECT_EQ(StatusCode::kNoSpace, wal->WaitSynced(ticket, SyncLevel::kWrite).code());
  EXPECT_EQ(StatusCode::kNoSpace, AppendOne(wal.get(), region, 2, &id).status().code());
  EXPECT_FALSE(wal->Close().ok());
  // The part that got through was cut off, and the new file removed.
  ASSERT_EQ(1u, LogFiles().size());
  const ReadOutcome outcome = ReadLog(Env::Default(), LogFiles()[0]);
  EXPECT_NE(WalEnd::kTornTail, outcome.end);
  EXPECT_TRUE(outcome.sequence_ids.empty());
}

// An append that fails once: its round goes to a new file, behind one that ends where it did
// before.
TEST_F(WalLogTest, FailedWriteGoesToANewFile) {
  auto wal = OpenLog(Options());
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  ASSERT_TRUE(
      wal->WaitSynced(AppendOne(wal.get(), region, 1, &id).value(), SyncLevel::kFdatasync).ok());
  int files = 1;
  for (const char* action : {"error", "full", "short"}) {
    ASSERT_TRUE(ArmFailpoints(std::string("env.append=") + action + "@1").ok());
    const Ticket ticket = AppendOne(wal.get(), region, 2, &id).value();
    EXPECT_TRUE(wal->WaitSynced(ticket, SyncLevel::kFdatasync).ok()) << action;
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_EQ(static_cast<size_t>(++files), wal->files().size());
  }
  const auto paths = LogFiles();
  ASSERT_EQ(4u, paths.size());
  std::vector<uint64_t> ids;
  for (const std::string& path : paths) {
    const ReadOutcome outcome = ReadLog(Env::Default(), path);
    EXPECT_TRUE(outcome.status.ok());
    EXPECT_NE(WalEnd::kTornTail, outcome.end) << path;
    ids.insert(ids.end(), outcome.sequence_ids.begin(), outcome.sequence_ids.end());
  }
  EXPECT_EQ(Count(1, 4), ids);
  // A file is let go of once its region is flushed.
  EXPECT_EQ(3u, wal->RegionFlushed(kRegionName, 4).size());
  EXPECT_TRUE(wal->Close().ok());
}

// While threads write, the disk fails; whoever got an OK finds the entry after the power failure.
TEST_F(WalLogTest, AcknowledgedEntriesOutliveAFault) {
  FaultInjectionEnv env(Env::Default());
  auto wal = OpenLog(Options(&env));
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  env.FailSyncs(20);
  Mutex mu;
  std::set<uint64_t> acknowledged;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (true) {
        uint64_t id = 0;
        const auto ticket = AppendOne(wal.get(), region, 1, &id);
        if (!ticket.ok()) return;
        if (!wal->WaitSynced(*ticket, SyncLevel::kFdatasync).ok()) return;
        MutexLock lock(&mu);
        acknowledged.insert(id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  wal.reset();
  ASSERT_TRUE(env.DropUnsynced().ok());
  const std::vector<uint64_t> found = ReadLog(Env::Default(), LogFiles()[0]).sequence_ids;
  EXPECT_FALSE(acknowledged.empty());
  for (const uint64_t id : acknowledged) {
    EXPECT_TRUE(std::find(found.begin(), found.end(), id) != found.end()) << id;
  }
}

// A roll closes the old file in order; files go to oldWALs once every region in them is flushed.
TEST_F(WalLogTest, RollsAndArchives) {
  auto wal = OpenLog(Options());
  WalRegion* first = wal->RegisterRegion(kRegionName, "t");
  WalRegion* second = wal->RegisterRegion("f88afb2e4f9b875f45daae1f33116656", "u");
  uint64_t id = 0;
  ASSERT_TRUE(AppendOne(wal.get(), first, 1, &id).ok());   // 1
  ASSERT_TRUE(AppendOne(wal.get(), second, 2, &id).ok());  // 2
  ASSERT_TRUE(wal->Roll().ok());
  ASSERT_TRUE(AppendOne(wal.get(), first, 3, &id).ok());  // 3
  ASSERT_TRUE(wal->Roll().ok());
  const std::vector<std::string> files = LogFiles();
  ASSERT_EQ(3u, files.size());
  EXPECT_EQ(Count(1, 2), ReadLog(Env::Default(), files[0]).sequence_ids);
  EXPECT_EQ(WalEnd::kTrailer, ReadLog(Env::Default(), files[0]).end);
  EXPECT_EQ(Count(3, 3), ReadLog(Env::Default(), files[1]).sequence_ids);
  EXPECT_EQ(2u, wal->RegionsHoldingOldestFile().size());

  EXPECT_TRUE(wal->RegionFlushed(kRegionName, 2).empty());  // the other region still needs it
  EXPECT_EQ((std::vector<std::string>{"f88afb2e4f9b875f45daae1f33116656"}),
            wal->RegionsHoldingOldestFile());
  EXPECT_EQ(std::vector<std::string>{files[0]},
            wal->RegionFlushed("f88afb2e4f9b875f45daae1f33116656", 2));
  EXPECT_EQ((std::vector<std::string>{files[0], files[1]}), wal->RegionFlushed(kRegionName, 3));
  EXPECT_FALSE(wal->ArchiveFile(files[2]).ok());  // being written
  ASSERT_TRUE(wal->ArchiveFile(files[0]).ok());
  EXPECT_EQ(std::vector<std::string>{files[1]}, wal->UnneededFiles());
  EXPECT_EQ(1u, Env::Default()->ListDirectory(OldWalDirectory(directory_.path()))->size());
  EXPECT_EQ(2u, wal->files().size());
  EXPECT_TRUE(wal->files().back().open);
}

TEST_F(WalLogTest, RollsBySize) {
  WalOptions options = Options();
  options.roll_size_bytes = 2000;
  auto wal = OpenLog(options);
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    const Ticket ticket = AppendOne(wal.get(), region, i, &id).value();
    ASSERT_TRUE(wal->WaitSynced(ticket, SyncLevel::kWrite).ok());
  }
  ASSERT_TRUE(wal->Close().ok());
  std::vector<uint64_t> all;
  const std::vector<std::string> files = LogFiles();
  EXPECT_GT(files.size(), 4u);
  for (const std::string& file : files) {
    EXPECT_LT(Env::Default()->FileSize(file).value(), 2500u);
    const ReadOutcome outcome = ReadLog(Env::Default(), file);
    EXPECT_EQ(WalEnd::kTrailer, outcome.end);
    all.insert(all.end(), outcome.sequence_ids.begin(), outcome.sequence_ids.end());
  }
  EXPECT_EQ(Count(1, 100), all);
}

// When no new file can be made, the log goes on with the old one and leaves nothing behind.
TEST_F(WalLogTest, RollOnAFullDisk) {
  FaultInjectionEnv env(Env::Default());
  auto wal = OpenLog(Options(&env));
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  env.SetFreeSpace(10);
  EXPECT_EQ(StatusCode::kNoSpace, wal->Roll().code());
  env.ClearFaults();
  EXPECT_TRUE(wal->status().ok());
  EXPECT_EQ(1u, LogFiles().size());
  uint64_t id = 0;
  const Ticket ticket = AppendOne(wal.get(), region, 1, &id).value();
  EXPECT_TRUE(wal->WaitSynced(ticket, SyncLevel::kFdatasync).ok());
  EXPECT_TRUE(wal->Roll().ok());
  EXPECT_EQ(2u, LogFiles().size());
}

// An entry that was written but not synced before a roll is safe once a later one is acknowledged.
TEST_F(WalLogTest, RollSyncsTheOldFile) {
  FaultInjectionEnv env(Env::Default());
  auto wal = OpenLog(Options(&env));
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  Ticket ticket = AppendOne(wal.get(), region, 1, &id).value();
  ASSERT_TRUE(wal->WaitSynced(ticket, SyncLevel::kWrite).ok());
  ASSERT_TRUE(wal->Roll().ok());
  ticket = AppendOne(wal.get(), region, 2, &id).value();
  ASSERT_TRUE(wal->WaitSynced(ticket, SyncLevel::kFdatasync).ok());
  env.FailSyncs(1);  // so that Close can add nothing
  EXPECT_FALSE(wal->Close().ok());
  wal.reset();
  ASSERT_TRUE(env.DropUnsynced().ok());
  std::vector<uint64_t> all;
  for (const std::string& file : LogFiles()) {
    const ReadOutcome outcome = ReadLog(Env::Default(), file);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    all.insert(all.end(), outcome.sequence_ids.begin(), outcome.sequence_ids.end());
  }
  EXPECT_EQ(Count(1, 2), all);
}

// Appenders wait while the buffer is full instead of filling the memory.
TEST_F(WalLogTest, BufferIsBounded) {
  WalOptions options = Options();
  options.buffer_size_max_bytes = 500;
  options.async_flush_ms = 1000;
  auto wal = OpenLog(options);
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  for (uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(AppendOne(wal.get(), region, i, &id).ok());
  ASSERT_TRUE(wal->SyncAll().ok());
  EXPECT_GT(wal->metrics().writes, 50u);
  EXPECT_EQ(Count(1, 1000), ReadLog(Env::Default(), LogFiles()[0]).sequence_ids);
}

// The named points are passed, and an error there behaves as the fault that it stands for.
TEST_F(WalLogTest, Failpoints) {
  auto wal = OpenLog(Options());
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  ASSERT_TRUE(ArmFailpoints("wal.append=error@1").ok());
  EXPECT_FALSE(AppendOne(wal.get(), region, 1, &id).ok());
  ASSERT_TRUE(ArmFailpoints("wal.roll=error@1").ok());
  EXPECT_FALSE(wal->Roll().ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_TRUE(wal->status().ok());  // neither of the two does harm
  ASSERT_TRUE(AppendOne(wal.get(), region, 2, &id).ok());
  EXPECT_EQ(1u, id);
  ASSERT_TRUE(wal->SyncAll().ok());
  ASSERT_TRUE(ArmFailpoints("wal.before_sync=error@1").ok());
  ASSERT_TRUE(AppendOne(wal.get(), region, 3, &id).ok());
  EXPECT_FALSE(wal->SyncAll().ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_FALSE(wal->status().ok());
}

// A function as a waiter, and one that comes after its entry is safe already.
TEST_F(WalLogTest, FunctionsAsWaiters) {
  auto wal = OpenLog(Options());
  WalRegion* region = wal->RegisterRegion(kRegionName, "t");
  uint64_t id = 0;
  std::vector<int> order;
  const Ticket ticket = AppendOne(wal.get(), region, 1, &id).value();
  Mutex mu;
  CondVar done;
  for (int i = 0; i < 5; ++i) {
    wal->WhenSynced(ticket, SyncLevel::kFdatasync, [&, i](const Status& status) {
      EXPECT_TRUE(status.ok());
      MutexLock lock(&mu);
      order.push_back(i);
      done.Signal();
    });
  }
  {
    MutexLock lock(&mu);
    while (order.size() < 5) done.Wait(&mu);
  }
  std::sort(order.begin(), order.end());
  EXPECT_EQ((std::vector<int>{0, 1, 2, 3, 4}), order);
  bool at_once = false;
  wal->WhenSynced(ticket, SyncLevel::kFdatasync, [&](const Status&) { at_once = true; });
  EXPECT_TRUE(at_once);
}

}  // namespace
}  // namespace bennu::wal
