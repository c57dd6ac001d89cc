// Reads beside a write that waits for its sync: HBase's isolation levels.
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "src/base/forwarding_env.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// While it is closed, syncs of files wait.
class Gate {
 public:
  void Close() {
    MutexLock lock(&mu_);
    closed_ = true;
  }
  void Open() {
    MutexLock lock(&mu_);
    closed_ = false;
    changed_.SignalAll();
  }
  void Pass() {
    MutexLock lock(&mu_);
    if (closed_) ++waiting_;
    while (closed_) changed_.Wait(&mu_);
  }
  bool SomebodyWaited() {
    MutexLock lock(&mu_);
    return waiting_ > 0;
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool closed_ GUARDED_BY(mu_) = false;
  int waiting_ GUARDED_BY(mu_) = 0;
};

class GatedFile final : public WritableFile {
 public:
  GatedFile(std::unique_ptr<WritableFile> target, Gate* gate)
      : target_(std::move(target)), gate_(gate) {}
  Status Append(ByteView data) override { return target_->Append(data); }
  Status Sync() override {
    gate_->Pass();
    return target_->Sync();
  }
  Status Close() override { return target_->Close(); }
  uint64_t size() const override { return target_->size(); }
  const std::string& path() const override { return target_->path(); }

 private:
  const std::unique_ptr<WritableFile> target_;
  Gate* const gate_;
};

class GatedEnv final : public ForwardingEnv {
 public:
  explicit GatedEnv(Gate* gate) : ForwardingEnv(Env::Default()), gate_(gate) {}
  Result<std::unique_ptr<WritableFile>> CreateFile(const std::string& path) override {
    ASSIGN_OR_RETURN(auto file, ForwardingEnv::CreateFile(path));
    return std::unique_ptr<WritableFile>(std::make_unique<GatedFile>(std::move(file), gate_));
  }

 private:
  Gate* const gate_;
};

class UncommittedTest : public EngineFixture {
 protected:
  UncommittedTest() : env_(&gate_) {}
  void TearDown() override {
    engine_.reset();  // before its environment
    EngineFixture::TearDown();
  }
  std::vector<std::string> RowsBy(Table* table, bool read_uncommitted) {
    Scan scan;
    scan.read_uncommitted = read_uncommitted;
    const auto scanner = std::move(table->OpenScanner(scan)).value();
    std::vector<std::string> rows;
    CellBatch batch;
    do {
      EXPECT_TRUE(scanner->Next(10, &batch).ok());
      for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
    } while (batch.row_count() > 0);
    return rows;
  }

  Gate gate_;
  GatedEnv env_;
};

TEST_F(UncommittedTest, OnlyWhoAsksForItSeesWhatIsNotAcknowledged) {
  EngineOptions options;
  options.env = &env_;
  options.wal_sync = WalSync::kFsync;
  options.background_compaction = false;
  Open(options);
  auto table = CreateTable();
  gate_.Close();
  auto write = std::async(std::launch::async, [&] { return Put(table.get(), "row"); });
  // In the memstore before its sync, as in HBase.
  EXPECT_TRUE(Eventually([&] { return gate_.SomebodyWaited(); }));
  EXPECT_TRUE(Eventually([&] { return !RowsBy(table.get(), true).empty(); }));
  EXPECT_THAT(RowsBy(table.get(), true), ElementsAre("row"));
  EXPECT_THAT(RowsBy(table.get(), false), IsEmpty());
  EXPECT_EQ(write.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  gate_.Open();
  EXPECT_TRUE(write.get().ok());
  EXPECT_THAT(RowsBy(table.get(), false), ElementsAre("row"));
  table.reset();
}

}  // namespace
}  // namespace bennu::engine
