#include "src/base/fault_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/temp_directory.h"

namespace bennu {
namespace {

using ::testing::ElementsAre;

class FaultEnvTest : public testing::Test {
 protected:
  // Creates 'name' durably (its entry too) with 'synced', then appends 'unsynced'.
  std::string Write(const std::string& name, ByteView synced, ByteView unsynced) {
    const std::string path = directory_.Join(name);
    auto file = env_.CreateFile(path).value();
    EXPECT_TRUE(file->Append(synced).ok());
    EXPECT_TRUE(file->Sync().ok());
    EXPECT_TRUE(env_.SyncDirectory(directory_.path()).ok());
    EXPECT_TRUE(file->Append(unsynced).ok());
    return path;
  }

  TempDirectory directory_;
  FaultInjectionEnv env_{Env::Default()};
};

TEST_F(FaultEnvTest, DropsUnsyncedBytes) {
  const std::string path = Write("a", "kept", " lost");
  EXPECT_EQ(env_.ReadFile(path).value(), "kept lost");
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_EQ(env_.ReadFile(path).value(), "kept");
}

// A file whose directory was never synced is gone, though its bytes were.
TEST_F(FaultEnvTest, DropsUnsyncedCreation) {
  auto file = env_.CreateFile(directory_.Join("a")).value();
  ASSERT_TRUE(file->Append("x").ok());
  ASSERT_TRUE(file->Sync().ok());
  file = nullptr;
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_FALSE(env_.Exists(directory_.Join("a")).value());
}

TEST_F(FaultEnvTest, TakesUnsyncedRenamesBack) {
  const std::string a = Write("a", "old", "");
  const std::string b = Write("b", "new", "");
  ASSERT_TRUE(env_.Rename(b, a).ok());
  EXPECT_EQ(env_.ReadFile(a).value(), "new");
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_EQ(env_.ReadFile(a).value(), "old");
  EXPECT_EQ(env_.ReadFile(b).value(), "new");
}

// WriteFileAtomically keeps its promise: done means durable, not done means untouched.
TEST_F(FaultEnvTest, AtomicWriteSurvives) {
  const std::string path = Write("a", "old", "");
  ASSERT_TRUE(env_.WriteFileAtomically(path, "new").ok());
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_EQ(env_.ReadFile(path).value(), "new");

  env_.FailSyncs(1);
  EXPECT_EQ(env_.WriteFileAtomically(path, "newer").code(), StatusCode::kIoError);
  env_.ClearFaults();
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_EQ(env_.ReadFile(path).value(), "new");
  EXPECT_EQ(env_.ListDirectory(directory_.path()).value().size(), 1u);
}

TEST_F(FaultEnvTest, FailsTheNthWriteAndAllLater) {
  auto file = env_.CreateFile(directory_.Join("a")).value();
  env_.FailWrites(2);
  EXPECT_TRUE(file->Append("1").ok());
  EXPECT_EQ(file->Append("2").code(), StatusCode::kIoError);
  EXPECT_EQ(file->Append("3").code(), StatusCode::kIoError);
  env_.ClearFaults();
  EXPECT_TRUE(file->Append("4").ok());
  EXPECT_EQ(env_.ReadFile(directory_.Join("a")).value(), "14");
  EXPECT_EQ(env_.write_count(), 4u);
}

TEST_F(FaultEnvTest, FailedSyncMakesNothingDurable) {
  const std::string path = Write("a", "kept", "");
  auto file = env_.CreateFile(directory_.Join("b")).value();
  ASSERT_TRUE(env_.SyncDirectory(directory_.path()).ok());
  ASSERT_TRUE(file->Append("lost").ok());
  env_.FailSyncs(1);
  EXPECT_EQ(file->Sync().code(), StatusCode::kIoError);
  file = nullptr;
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_EQ(env_.ReadFile(directory_.Join("b")).value(), "");
  EXPECT_EQ(env_.ReadFile(path).value(), "kept");
}

// The append that meets the end of the disk writes what fits, as the system's write does.
TEST_F(FaultEnvTest, FullDisk) {
  auto file = env_.CreateFile(directory_.Join("a")).value();
  env_.SetFreeSpace(6);
  EXPECT_TRUE(file->Append("1234").ok());
  const Status full = file->Append("5678");
  EXPECT_EQ(full.code(), StatusCode::kNoSpace);
  EXPECT_NE(full.message().find(directory_.Join("a")), std::string::npos);
  EXPECT_EQ(file->size(), 6u);
  EXPECT_EQ(file->Append("9").code(), StatusCode::kNoSpace);
  env_.ClearFaults();
  EXPECT_TRUE(file->Append("78").ok());
  EXPECT_EQ(env_.ReadFile(directory_.Join("a")).value(), "12345678");
}

// Removals come back too, until their directory is synced.
TEST_F(FaultEnvTest, TakesUnsyncedRemovalsBack) {
  const std::string a = Write("a", "x", "");
  ASSERT_TRUE(env_.Rename(a, directory_.Join("b")).ok());
  ASSERT_TRUE(env_.RemoveFile(directory_.Join("b")).ok());
  EXPECT_TRUE(env_.ListDirectory(directory_.path()).value().empty());
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_THAT(env_.ListDirectory(directory_.path()).value(), ElementsAre("a"));
  EXPECT_EQ(env_.ReadFile(a).value(), "x");
  ASSERT_TRUE(env_.RemoveFile(a).ok());
  ASSERT_TRUE(env_.SyncDirectory(directory_.path()).ok());
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_TRUE(env_.ListDirectory(directory_.path()).value().empty());
}

// A directory that was moved durably has lost the entries that were not synced before it moved.
TEST_F(FaultEnvTest, MovedDirectoriesLoseWhatWasNotSynced) {
  ASSERT_TRUE(env_.CreateDirectories(directory_.Join("new/below")).ok());
  ASSERT_TRUE(env_.WriteFileAtomically(directory_.Join("new/synced"), "kept").ok());
  auto file = env_.CreateFile(directory_.Join("new/below/unsynced")).value();
  ASSERT_TRUE(file->Append("x").ok() && file->Sync().ok());
  ASSERT_TRUE(env_.Rename(directory_.Join("new"), directory_.Join("final")).ok());
  ASSERT_TRUE(env_.SyncDirectory(directory_.path()).ok());
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_THAT(env_.ListDirectory(directory_.path()).value(), ElementsAre("final"));
  EXPECT_THAT(env_.ListDirectory(directory_.Join("final")).value(), ElementsAre("below", "synced"));
  EXPECT_EQ(env_.ReadFile(directory_.Join("final/synced")).value(), "kept");
  EXPECT_TRUE(env_.ListDirectory(directory_.Join("final/below")).value().empty());
}

// A move stays once the directory that it leads to was synced, and comes back as a whole otherwise.
TEST_F(FaultEnvTest, MovesAreNotDoneByHalf) {
  ASSERT_TRUE(env_.CreateDirectories(directory_.Join("to")).ok());
  ASSERT_TRUE(env_.SyncDirectory(directory_.path()).ok());
  const std::string a = Write("a", "1", "");
  const std::string b = Write("b", "2", "");
  ASSERT_TRUE(env_.Rename(a, directory_.Join("to/a")).ok());
  ASSERT_TRUE(env_.SyncDirectory(directory_.Join("to")).ok());
  ASSERT_TRUE(env_.Rename(b, directory_.Join("to/b")).ok());
  ASSERT_TRUE(env_.SyncDirectory(directory_.path()).ok());
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_THAT(env_.ListDirectory(directory_.path()).value(), ElementsAre("b", "to"));
  EXPECT_THAT(env_.ListDirectory(directory_.Join("to")).value(), ElementsAre("a"));
}

TEST_F(FaultEnvTest, TreesAndTheirEntries) {
  ASSERT_TRUE(env_.CreateDirectories(directory_.Join("tree/below")).ok());
  EXPECT_EQ(env_.RemoveEmptyDirectory(directory_.Join("tree")).code(),
            StatusCode::kFailedPrecondition);
  for (const char* path : {"", "tree"}) {
    ASSERT_TRUE(env_.SyncDirectory(directory_.Join(path)).ok());
  }
  ASSERT_TRUE(env_.WriteFileAtomically(directory_.Join("tree/below/file"), "kept").ok());
  ASSERT_TRUE(env_.RemoveTree(directory_.Join("tree")).ok());
  EXPECT_FALSE(env_.Exists(directory_.Join("tree")).value());
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_EQ(env_.ReadFile(directory_.Join("tree/below/file")).value(), "kept");
}

// The power goes in place of a change; what a seed other than 0 leaves is something in between.
TEST_F(FaultEnvTest, PowerIsCut) {
  bool cut = false;
  env_.CutPower(2, /*seed=*/0, [&] { cut = true; });
  auto file = env_.CreateFile(directory_.Join("a")).value();
  EXPECT_FALSE(cut);
  EXPECT_TRUE(env_.Exists(directory_.Join("a")).value());
  static_cast<void>(file->Append("x").ok());
  EXPECT_TRUE(cut);
  EXPECT_FALSE(env_.Exists(directory_.Join("a")).value());
}

}  // namespace
}  // namespace bennu
