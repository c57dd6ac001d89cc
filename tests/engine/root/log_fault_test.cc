// Writes of the log that fail, and what becomes of the rows: a new file takes them, or they are
// given up as a whole and writes come back once the disk works.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "bennu/admin.h"
#include "src/base/coding.h"
#include "src/base/failpoint.h"
#include "src/base/fault_env.h"
#include "src/base/log.h"
#include "src/wal/wal_reader.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LogFaultTest : public EngineFixture {
 protected:
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    EngineFixture::TearDown();
  }
  EngineOptions Options(bool faulty = true) {
    EngineOptions options;
    if (faulty) options.env = &env_;
    options.flush_on_close = false;
    return options;
  }
  // What a process that opens the store after a death here would find.
  std::vector<std::string> RowsAfterDeath() {
    const std::string copy = base_ + "/copy";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(root_, copy, std::filesystem::copy_options::recursive);
    for (const std::string& path : LogsBelow(copy)) ExpectNoTornTail(path);
    auto engine = OpenEngine(copy, {});
    EXPECT_TRUE(engine.ok()) << engine.status().ToString();
    if (!engine.ok()) return {};
    auto table = (*engine)->OpenTable({"default", "t"});
    return Rows(table->get());
  }
  static std::vector<std::string> LogsBelow(const std::string& root) {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/WALs")) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
    return paths;
  }
  static void ExpectNoTornTail(const std::string& path) {
    auto reader = wal::WalReader::Open(Env::Default(), path);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    wal::WalEntry entry;
    for (;;) {
      const auto more = (*reader)->Next(&entry);
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
    }
    EXPECT_EQ((*reader)->valid_size(), Env::Default()->FileSize(path).value()) << path;
  }
  static Status Increment(Table* table, ByteView row) {
    MutationBatch batch;
    batch.StartIncrement(row);
    batch.Increment("f", "n", 1);
    return table->Write(&batch);
  }
  static uint64_t Counter(Table* table, ByteView row) {
    Get get;
    get.row = Bytes(row);
    const auto found = table->GetRow(get);
    EXPECT_TRUE(found.ok());
    return found->cells.empty() ? 0 : LoadBE64(found->cells[0].value);
  }
  // Until writes are taken again.
  ::testing::AssertionResult ComesBack(Table* table, ByteView row) {
    Status status;
    if (Eventually([&] { return (status = Put(table, row)).ok(); })) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << status.ToString();
  }

  FaultInjectionEnv env_{Env::Default()};
};

// One append fails, or writes a part: the entry goes to a new file, and nobody notices.
TEST_F(LogFaultTest, AnAppendThatFailsOnce) {
  for (const char* action : {"error", "full", "short"}) {
    std::filesystem::remove_all(root_);
    Open(Options(false));
    auto table = CreateTable();
    ASSERT_TRUE(Put(table.get(), "before").ok());
    ASSERT_TRUE(ArmFailpoints(std::string("env.append=") + action + "@1").ok());
    EXPECT_TRUE(Put(table.get(), "during").ok()) << action;
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_TRUE(Put(table.get(), "later").ok());
    EXPECT_THAT(Rows(table.get()), ElementsAre("before", "during", "later"));
    EXPECT_THAT(RowsAfterDeath(), ElementsAre("before", "during", "later"));
    EXPECT_EQ(engine_->GetStatus().wal_files, 2u);
    table.reset();
    engine_.reset();
  }
}

// The disk is full: what was not answered is not seen and does not come back, what was is there;
// and writes are taken again once there is space, without anybody's doing.
TEST_F(LogFaultTest, FullDisk) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  for (int round = 0; round < 3; ++round) {
    env_.SetFreeSpace(10 + static_cast<uint64_t>(round) * 20);
    Status status = Put(table.get(), "during", std::string(500, 'v'));
    EXPECT_EQ(status.code(), StatusCode::kNoSpace) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("nothing of what was to be written has happened"));
    status = Put(table.get(), "during");
    EXPECT_EQ(status.code(), StatusCode::kNoSpace) << status.ToString();
    EXPECT_FALSE(Increment(table.get(), "counter").ok());
    EXPECT_TRUE(engine_->GetStatus().read_only);
    EXPECT_THAT(engine_->GetStatus().read_only_reason, HasSubstr("write-ahead log"));
    EXPECT_EQ(Rows(table.get()).front(), "before");
    EXPECT_EQ(Rows(table.get()).size(), 1u + static_cast<size_t>(round));
    env_.ClearFaults();
    ASSERT_TRUE(ComesBack(table.get(), "later" + std::to_string(round)));
    EXPECT_FALSE(engine_->GetStatus().read_only);
  }
  const auto expected = ElementsAre("before", "later0", "later1", "later2");
  EXPECT_THAT(Rows(table.get()), expected);
  EXPECT_THAT(RowsAfterDeath(), expected);
  // Nor are they in files, from wherever these are made.
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  EXPECT_THAT(Rows(table.get()), expected);
  ASSERT_TRUE(engine_->admin()->Compact(table->name(), true).ok());
  EXPECT_THAT(Rows(table.get()), expected);
  table.reset();
  engine_.reset();
  Open(Options());
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), expected);
}

// A death while the disk is full, with what got through in the file.
TEST_F(LogFaultTest, DeathOnAFullDisk) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  env_.SetFreeSpace(300);
  EXPECT_FALSE(Put(table.get(), "during", std::string(500, 'v')).ok());
  EXPECT_THAT(RowsAfterDeath(), ElementsAre("before"));
  table.reset();
  EXPECT_FALSE(engine_->Close().ok());
  engine_.reset();
  env_.ClearFaults();
  Open(Options());
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
}

// What is answered before it is written stays, in memory and in the next file of the log.
TEST_F(LogFaultTest, AsynchronousWritesAreKept) {
  Open(Options());
  auto table = CreateTable();
  env_.SetFreeSpace(0);
  ASSERT_TRUE(Put(table.get(), "async", "v", Durability::kAsyncWal).ok());
  ASSERT_TRUE(Put(table.get(), "skip", "v", Durability::kSkipWal).ok());
  EXPECT_FALSE(Put(table.get(), "sync").ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre("async", "skip"));
  env_.ClearFaults();
  ASSERT_TRUE(ComesBack(table.get(), "later"));
  EXPECT_THAT(Rows(table.get()), ElementsAre("async", "later", "skip"));
  EXPECT_THAT(RowsAfterDeath(), ElementsAre("async", "later"));
}

// A disk that takes its time to fail: meanwhile the log's thread has found nothing to do, and
// sleeps.
class SlowToCutEnv final : public FaultInjectionEnv {
 public:
  using FaultInjectionEnv::FaultInjectionEnv;
  Status TruncateFile(const std::string& path, uint64_t size) override {
    SleepMicros(600'000);  // several times what the thread waits for work
    return FaultInjectionEnv::TruncateFile(path, size);
  }
};

TEST_F(LogFaultTest, AWriteThatFailsSlowly) {
  SlowToCutEnv env(Env::Default());
  EngineOptions options = Options();
  options.env = &env;
  Open(options);
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  env.SetFreeSpace(0);
  EXPECT_EQ(Put(table.get(), "during").code(), StatusCode::kNoSpace);
  env.ClearFaults();
  ASSERT_TRUE(ComesBack(table.get(), "later"));
  EXPECT_THAT(Rows(table.get()), ElementsAre("before", "later"));
  table.reset();
  engine_.reset();  // the environment goes before the fixture
}

// A flush that waited for writes that were given up is done again.
TEST_F(LogFaultTest, DeletesThatAreGivenUp) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  ASSERT_TRUE(Put(table.get(), "b").ok());
  env_.SetFreeSpace(0);
  MutationBatch batch;
  batch.StartRow("a");
  batch.DeleteFamily("f");
  EXPECT_FALSE(table->Write(&batch).ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "b"));
  env_.ClearFaults();
  ASSERT_TRUE(ComesBack(table.get(), "c"));
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "b", "c"));
  Scan scan;
  scan.reversed = true;
  auto scanner = table->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch found;
  ASSERT_TRUE((*scanner)->Next(10, &found).ok());
  EXPECT_EQ(found.row_count(), 3u);
}

// A file that cannot be cut would show what was refused: the log stops for good then, and the next
// opening recovers.
TEST_F(LogFaultTest, AFileThatCanNotBeCut) {
  Open(Options(false));
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "before").ok());
  ASSERT_TRUE(ArmFailpoints("env.append=short@1,wal.before_cut=error@1").ok());
  EXPECT_FALSE(Put(table.get(), "during", std::string(500, 'v')).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  const Status status = Put(table.get(), "after");
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("reopen"));
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  table.reset();
  EXPECT_FALSE(engine_->Close().ok());
  engine_.reset();
  Open(Options(false));
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre("before"));
  EXPECT_TRUE(Put(table.get(), "again").ok());
}

// The process dies at each step that follows a failed append.
TEST_F(LogFaultTest, DeathsBehindAFailedAppend) {
  SetLogLevel(LogLevel::kOff);
  int deaths = 0;
  for (const char* action : {"error", "short"}) {
    for (int at = 2; at <= 9; ++at) {
      std::filesystem::remove_all(root_);
      const std::string acknowledged = base_ + "/acknowledged";
      std::filesystem::remove(acknowledged);
      const pid_t child = ::fork();
      if (child == 0) {
        EngineFixture::Open(Options(false));
        auto table = CreateTable();
        const bool ready = Put(table.get(), "before").ok() &&
                           ArmFailpoints(std::string("env.append=") + action + "@1,env.any=kill@" +
                                         std::to_string(at))
                               .ok();
        if (!ready) ::_exit(1);
        const bool done = Put(table.get(), "during", std::string(500, 'v')).ok();
        if (!ArmFailpoints("").ok()) ::_exit(1);
        if (done) static_cast<void>(Env::Default()->WriteFileAtomically(acknowledged, "").ok());
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      const bool died = WIFSIGNALED(status);
      deaths += died ? 1 : 0;
      ASSERT_TRUE(died || WEXITSTATUS(status) == 0);
      Open(Options(false));
      auto table = OpenTable();
      ASSERT_NE(table, nullptr);
      const auto rows = Rows(table.get());
      ASSERT_FALSE(rows.empty());
      EXPECT_EQ(rows[0], "before");
      if (std::filesystem::exists(acknowledged)) {
        EXPECT_EQ(rows.size(), 2u) << action << " " << at;
      }
      EXPECT_TRUE(ComesBack(table.get(), "later"));
      table.reset();
      engine_.reset();
    }
  }
  SetLogLevel(LogLevel::kInfo);
  EXPECT_GE(deaths, 12);
}

// Counters are what was acknowledged, whatever was given up in between, and so they are after a
// death: what was refused left nothing that a later write was made of.
TEST_F(LogFaultTest, CountersOverFullDisks) {
  const uint64_t seed = Env::Default()->RandomU64() % 100000;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  SetLogLevel(LogLevel::kOff);
  Open(Options());
  auto table = CreateTable();
  constexpr int kThreads = 4;
  constexpr int kRows = 3;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> refused{0};
  std::vector<std::array<uint64_t, kRows>> counted(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(seed + static_cast<uint64_t>(t));
      while (!stop.load()) {
        const uint64_t row = random() % kRows;
        if (Increment(table.get(), "row" + std::to_string(row)).ok()) {
          ++counted[static_cast<size_t>(t)][row];
        } else {
          refused.fetch_add(1);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }
    });
  }
  std::mt19937_64 random(seed);
  for (int round = 0; round < 25; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
    env_.SetFreeSpace(random() % 2000);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    env_.ClearFaults();
    ASSERT_TRUE(ComesBack(table.get(), "there"));
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  SetLogLevel(LogLevel::kInfo);
  EXPECT_GT(refused.load(), 0u);
  const auto expect_counters = [&](Table* in) {
    for (size_t row = 0; row < kRows; ++row) {
      uint64_t sum = 0;
      for (const auto& mine : counted) sum += mine[row];
      EXPECT_EQ(Counter(in, "row" + std::to_string(row)), sum) << row;
      EXPECT_GT(sum, 0u);
    }
  };
  expect_counters(table.get());
  table.reset();
  engine_.reset();
  Open(Options());
  table = OpenTable();
  expect_counters(table.get());
}

}  // namespace
}  // namespace bennu::engine
