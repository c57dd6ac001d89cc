#include "src/base/memory_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "src/base/status_macros.h"
#include "tests/base/temp_directory.h"

namespace bennu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Status Put(Env* env, const std::string& path, ByteView content) {
  ASSIGN_OR_RETURN(const auto file, env->CreateFile(path));
  return file->Append(content);
}

// The rest of the suite, what every Env promises, is in env_test.cc.
class MemoryEnvTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(env_.CreateDirectories(root_).ok()); }

  TempDirectory directory_;
  const std::string root_ = directory_.Join("store");
  MemoryEnv env_{Env::Default(), root_};
};

TEST_F(MemoryEnvTest, NothingIsOnTheDisk) {
  ASSERT_TRUE(env_.CreateDurableDirectories(root_ + "/data/default").ok());
  ASSERT_TRUE(env_.WriteFileAtomically(root_ + "/data/file", "x").ok());
  const auto lock = env_.LockFile(root_ + "/lock");
  ASSERT_TRUE(lock.ok()) << lock.status().ToString();
  EXPECT_THAT(Env::Default()->ListDirectory(directory_.path()).value(), IsEmpty());
}

TEST_F(MemoryEnvTest, EachHasItsOwn) {
  MemoryEnv other(Env::Default(), root_);
  EXPECT_FALSE(other.Exists(root_).value());
  ASSERT_TRUE(other.CreateDirectories(root_).ok());
  ASSERT_TRUE(Put(&env_, root_ + "/a", "mine").ok());
  EXPECT_FALSE(other.Exists(root_ + "/a").value());
  const auto mine = env_.LockFile(root_ + "/lock");
  EXPECT_TRUE(other.LockFile(root_ + "/lock").ok());
}

// A store takes files from the disk and brings its own there, by copying.
TEST_F(MemoryEnvTest, OtherPathsAreTheTargets) {
  const std::string outside = directory_.Join("store-like");
  ASSERT_TRUE(Put(&env_, outside, "x").ok());
  EXPECT_EQ(Env::Default()->ReadFile(outside).value(), "x");
  ASSERT_TRUE(Put(&env_, root_ + "/a", "y").ok());
  EXPECT_EQ(env_.Rename(outside, root_ + "/b").code(), StatusCode::kNotSupported);
  EXPECT_EQ(env_.Rename(root_ + "/a", outside).code(), StatusCode::kNotSupported);
  EXPECT_EQ(env_.LinkFile(outside, root_ + "/b").code(), StatusCode::kNotSupported);
  EXPECT_EQ(env_.LinkFile(root_ + "/a", directory_.Join("b")).code(), StatusCode::kNotSupported);
  EXPECT_THAT(env_.ListDirectory(root_).value(), ElementsAre("a"));
  EXPECT_EQ(env_.ReadFile(root_ + "/a").value(), "y");
}

TEST_F(MemoryEnvTest, PathsMayBeWrittenInSeveralWays) {
  ASSERT_TRUE(env_.CreateDirectories(root_ + "//one/./two/").ok());
  ASSERT_TRUE(Put(&env_, root_ + "/one/two//a", "x").ok());
  EXPECT_EQ(env_.ReadFile(root_ + "/one/three/../two/a").value(), "x");
  EXPECT_THAT(env_.ListDirectory(root_ + "/one/").value(), ElementsAre("two"));
}

TEST_F(MemoryEnvTest, Shapes) {
  using Kind = PathShape::Kind;
  ASSERT_TRUE(Put(&env_, root_ + "/a", "x").ok());
  EXPECT_EQ(env_.Shape(root_).value().kind, Kind::kDirectory);
  EXPECT_EQ(env_.Shape(root_ + "/a").value().kind, Kind::kFile);
  EXPECT_EQ(env_.Shape(root_ + "/b").value().kind, Kind::kMissing);
  EXPECT_EQ(env_.Shape(root_ + "/a/below").value().kind, Kind::kMissing);
  EXPECT_FALSE(env_.Shape(root_ + "/a").value().is_link);
}

// ":memory:" is relative, and its parent is the working directory.
TEST_F(MemoryEnvTest, TheRootMayBeRelative) {
  MemoryEnv env(Env::Default(), ":memory:");
  EXPECT_EQ(Put(&env, ":memory:/a", "x").code(), StatusCode::kNotFound);
  ASSERT_TRUE(env.CreateDurableDirectories(":memory:/data").ok());
  ASSERT_TRUE(Put(&env, ":memory:/data/a", "x").ok());
  EXPECT_EQ(env.ReadFile(":memory:/data/a").value(), "x");
  EXPECT_FALSE(Env::Default()->Exists(":memory:").value());
  ASSERT_TRUE(env.RemoveTree(":memory:").ok());
  EXPECT_FALSE(env.Exists(":memory:").value());
}

// Threads that make, rename, link and remove files beside each other; each finds its own.
TEST_F(MemoryEnvTest, ManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string mine = root_ + "/thread" + std::to_string(t);
      for (int i = 0; i < kRounds; ++i) {
        const std::string content = std::to_string(t * kRounds + i);
        ASSERT_TRUE(env_.CreateDirectories(mine + "/in").ok());
        ASSERT_TRUE(Put(&env_, mine + "/in/a", content).ok());
        ASSERT_TRUE(env_.LinkFile(mine + "/in/a", mine + "/in/b").ok());
        ASSERT_TRUE(env_.Rename(mine + "/in", mine + "/out").ok());
        ASSERT_EQ(env_.ReadFile(mine + "/out/b").value(), content);
        ASSERT_TRUE(env_.ListDirectory(root_).ok());
        ASSERT_TRUE(env_.RemoveTree(mine + "/out").ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(env_.ListDirectory(root_).value().size(), static_cast<size_t>(kThreads));
}

}  // namespace
}  // namespace bennu
