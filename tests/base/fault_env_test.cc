#include "src/base/fault_env.h"

#include <gtest/gtest.h>

#include "tests/base/temp_directory.h"

namespace bennu {
namespace {

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

// Removal is not taken back, and leaves nothing to take back.
TEST_F(FaultEnvTest, RemovedFilesAreForgotten) {
  const std::string a = Write("a", "x", "");
  ASSERT_TRUE(env_.Rename(a, directory_.Join("b")).ok());
  ASSERT_TRUE(env_.RemoveFile(directory_.Join("b")).ok());
  ASSERT_TRUE(env_.DropUnsynced().ok());
  EXPECT_TRUE(env_.ListDirectory(directory_.path()).value().empty());
}

}  // namespace
}  // namespace bennu
