// A backup of a store in use: it opens on its own and has what was acknowledged before.
#include <atomic>
#include <thread>

#include "src/base/failpoint.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class BackupTest : public EngineFixture {
 protected:
  static EngineOptions Options() {
    EngineOptions options;
    options.archive_keep_millis = 0;
    options.memstore_flush_bytes = 64 << 10;
    options.wal_roll_bytes = 64 << 10;
    options.old_wal_files_max = 1;
    options.wal_sync = WalSync::kOs;
    return options;
  }
  void Backup(const std::string& target) {
    const Status status = engine_->admin()->Backup(target);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
};

// The copy and the original are two stores: neither sees what is done to the other.
TEST_F(BackupTest, OpensOnItsOwn) {
  Open(Options());
  auto table = CreateTable();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Put(table.get(), "a" + std::to_string(i)).ok());
  ASSERT_TRUE(engine_->admin()->CreateNamespace("empty").ok());
  ASSERT_TRUE(Put(table.get(), "skipped", "v", Durability::kSkipWal).ok());
  const std::string target = base_ + "/deep/copy";
  Backup(target);
  ASSERT_TRUE(Put(table.get(), "later").ok());
  ASSERT_TRUE(engine_->admin()->Compact(table->name(), true).ok());
  EXPECT_THAT(Rows(table.get()), SizeIs(102));
  table.reset();
  const std::string original = root_;
  root_ = target;
  Open(Options());
  EXPECT_THAT(Rows(OpenTable().get()), SizeIs(101));
  EXPECT_TRUE(engine_->admin()->DropTable({"default", "t"}).ok());
  EXPECT_TRUE(engine_->admin()->DropNamespace("empty").ok());
  root_ = original;
  Open(Options());
  EXPECT_THAT(Rows(OpenTable().get()), SizeIs(102));
}

TEST_F(BackupTest, RefusesWhatIsThere) {
  Open(Options());
  CreateTable();
  std::filesystem::create_directories(base_ + "/full/something");
  const Status full = engine_->admin()->Backup(base_ + "/full");
  EXPECT_EQ(full.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(full.message(), HasSubstr("something"));
  EXPECT_EQ(engine_->admin()->Backup(root_ + "/inside").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_->admin()->Backup(root_).code(), StatusCode::kInvalidArgument);
  // Nor by another way to the same place.
  std::filesystem::create_directory_symlink(root_, base_ + "/link");
  for (const char* way : {"/link/inside", "/link", "/full/../store/inside"}) {
    EXPECT_EQ(engine_->admin()->Backup(base_ + way).code(), StatusCode::kInvalidArgument) << way;
  }
  std::filesystem::create_directories(base_ + "/empty");
  Backup(base_ + "/empty");
  EngineOptions reading = Options();
  reading.read_only = true;
  Open(reading);
  EXPECT_FALSE(engine_->admin()->Backup(base_ + "/other").ok());
}

// One that failed half way is no store, and nobody takes it for one.
TEST_F(BackupTest, HalfABackupIsNoStore) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  for (const char* point : {"backup.after_note", "backup.between_files", "backup.between_logs",
                            "backup.before_version"}) {
    const std::string target = base_ + "/" + point;
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    EXPECT_FALSE(engine_->admin()->Backup(target).ok()) << point;
    ASSERT_TRUE(ArmFailpoints("").ok());
    auto half = OpenEngine(target, Options());
    if (std::string_view(point) == "backup.after_note") {
      EXPECT_TRUE(half.ok());  // nothing is there yet: an empty directory, a new store
    } else {
      EXPECT_EQ(half.status().code(), StatusCode::kFailedPrecondition) << point;
    }
  }
  Backup(base_ + "/whole");  // the holds were let go of
  table.reset();
  root_ = base_ + "/whole";
  Open(Options());
  EXPECT_THAT(Rows(OpenTable().get()), SizeIs(1));
}

// Splits, links, snapshots and what they keep in the archive come along.
TEST_F(BackupTest, TakesReferencesLinksAndSnapshots) {
  EngineOptions options = Options();
  options.background_compaction = false;
  options.background_split = false;
  Open(options);
  Admin* admin = engine_->admin();
  auto table = CreateTable();
  for (int i = 100; i < 200; ++i) ASSERT_TRUE(Put(table.get(), std::to_string(i)).ok());
  ASSERT_TRUE(admin->SnapshotTable("s", table->name(), {}).ok());
  ASSERT_TRUE(admin->CloneSnapshot("s", {"default", "clone"}).ok());
  ASSERT_TRUE(admin->SplitTable({"default", "clone"}, "150").ok());  // references to links
  ASSERT_TRUE(admin->Compact(table->name(), true).ok());  // the snapshot's file is archived
  ASSERT_TRUE(Put(table.get(), "x").ok());
  ASSERT_TRUE(admin->SplitTable(table->name(), "120").ok());  // references
  Backup(base_ + "/copy");
  table.reset();
  engine_.reset();
  std::filesystem::remove_all(root_);  // nothing is read from there
  root_ = base_ + "/copy";
  Open(options);
  EXPECT_THAT(Rows(OpenTable("t").get()), SizeIs(101));
  EXPECT_THAT(Rows(OpenTable("clone").get()), SizeIs(100));
  admin = engine_->admin();
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));  // its own cleaner looks
  ASSERT_TRUE(admin->CloneSnapshot("s", {"default", "again"}).ok());
  EXPECT_THAT(Rows(OpenTable("again").get()), SizeIs(100));
  ASSERT_TRUE(admin->Compact({"default", "clone"}, true).ok());
  ASSERT_TRUE(admin->Compact({"default", "t"}, true).ok());
  EXPECT_THAT(Rows(OpenTable("clone").get()), SizeIs(100));
  EXPECT_THAT(Rows(OpenTable("t").get()), SizeIs(101));
}

// Writers, flushes, compactions, splits and DDL go on meanwhile. Of each writer the backup has a
// prefix that reaches at least to what was acknowledged before the call.
TEST_F(BackupTest, WhileWritersRun) {
  Open(Options());
  auto table = CreateTable();
  constexpr int kWriters = 2;
  std::atomic<bool> stop{false};
  std::atomic<int> acknowledged[kWriters] = {0, 0};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 0; !stop; ++i) {
        char row[32];
        std::snprintf(row, sizeof(row), "%c%08d", 'a' + w, i);
        if (!Put(table.get(), row, std::string(200, 'v')).ok()) return;
        acknowledged[w] = i + 1;
      }
    });
  }
  threads.emplace_back([&] {
    Admin* const admin = engine_->admin();
    for (int i = 0; !stop; ++i) {
      TableDescriptor other;
      other.name.qualifier = "other" + std::to_string(i);
      other.families.resize(1);
      other.families[0].name = "f";
      EXPECT_TRUE(admin->CreateTable(other, {}).ok());
      EXPECT_TRUE(admin->Compact({"default", "t"}, true).ok());
      static_cast<void>(admin->SplitTable({"default", "t"}, std::nullopt).ok());
      if (i % 2 == 0) {
        EXPECT_TRUE(admin->DropTable(other.name).ok());
      }
    }
  });
  std::vector<std::array<int, kWriters>> promised;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    promised.push_back({acknowledged[0], acknowledged[1]});
    Backup(base_ + "/copy" + std::to_string(round));
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  table.reset();
  for (size_t round = 0; round < promised.size(); ++round) {
    root_ = base_ + "/copy" + std::to_string(round);
    Open(Options());
    int found[kWriters] = {0, 0};
    for (const std::string& row : Rows(OpenTable().get())) {
      int& next = found[row[0] - 'a'];
      ASSERT_EQ(std::stoi(row.substr(1)), next) << "a hole in backup " << round;
      ++next;
    }
    for (int w = 0; w < kWriters; ++w) EXPECT_GE(found[w], promised[round][w]) << round;
    const std::vector<TableName> tables = engine_->admin()->ListTables().value();
    for (const TableName& name : tables) Rows(OpenTable(name.qualifier).get());
  }
}

}  // namespace
}  // namespace bennu::engine
