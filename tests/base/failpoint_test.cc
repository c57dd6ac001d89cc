#include "src/base/failpoint.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/base/temp_directory.h"

namespace bennu {
namespace {

Status PassOnce() {
  BENNU_FAILPOINT("test.once");
  return Status::Ok();
}

class FailpointTest : public testing::Test {
 protected:
  ~FailpointTest() override { EXPECT_TRUE(ArmFailpoints("").ok()); }
};

TEST_F(FailpointTest, FailsAtTheNthPassageOnly) {
  EXPECT_TRUE(PassOnce().ok());
  ASSERT_TRUE(ArmFailpoints("test.other=error@1,test.once=error@3").ok());
  EXPECT_TRUE(PassOnce().ok());
  EXPECT_TRUE(PassOnce().ok());
  const Status status = PassOnce();
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_NE(status.message().find("test.once"), std::string::npos);
  EXPECT_TRUE(PassOnce().ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_TRUE(PassOnce().ok());
}

TEST_F(FailpointTest, RefusesBadText) {
  for (const char* text : {"x", "=kill@1", "x=boom@1", "x=kill@", "x=kill@0", "x=error@1z", ",",
                           "x=error@1,,y=kill@1", "x=full@1"}) {
    EXPECT_EQ(ArmFailpoints(text).code(), StatusCode::kInvalidArgument) << text;
  }
}

// Each call that changes the file system is a point, with errors like the system's own.
TEST_F(FailpointTest, CallsOfTheFileSystemFailAsTold) {
  TempDirectory directory;
  Env* const env = Env::Default();
  const auto make = [&](const std::string& name) {
    ASSERT_TRUE(env->WriteFileAtomically(directory.Join(name), "content").ok());
  };
  make("file");
  ASSERT_TRUE(env->CreateDirectories(directory.Join("tree/below")).ok());
  const std::string file = directory.Join("file");
  const std::vector<std::pair<const char*, std::function<Status()>>> calls = {
      {"env.create", [&] { return env->CreateFile(directory.Join("new")).status(); }},
      {"env.rename", [&] { return env->Rename(file, directory.Join("other")); }},
      {"env.link", [&] { return env->LinkFile(file, directory.Join("other")); }},
      {"env.unlink", [&] { return env->RemoveFile(file); }},
      {"env.rmdir", [&] { return env->RemoveEmptyDirectory(directory.Join("tree/below")); }},
      {"env.rmdir", [&] { return env->RemoveTree(directory.Join("tree")); }},
      {"env.mkdir", [&] { return env->CreateDirectories(directory.Join("new/deep")); }},
      {"env.truncate", [&] { return env->TruncateFile(file, 1); }},
      {"env.syncdir", [&] { return env->SyncDirectory(directory.Join("")); }},
      {"env.lock", [&] { return env->LockFile(directory.Join("lock")).status(); }},
  };
  for (const auto& [point, call] : calls) {
    for (const std::string& name : {std::string(point), std::string("env.any")}) {
      ASSERT_TRUE(ArmFailpoints(name + "=error@1").ok());
      Status status = call();
      EXPECT_EQ(status.code(), StatusCode::kIoError) << point;
      EXPECT_NE(status.message().find("(errno 5)"), std::string::npos) << status.ToString();
      EXPECT_EQ(FailpointPassages(name), 1u) << point;
      ASSERT_TRUE(ArmFailpoints(name + "=full@1").ok());
      EXPECT_EQ(call().code(), StatusCode::kNoSpace) << point;
    }
  }
  // None of it has happened.
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_EQ(env->ReadFile(file).value(), "content");
  EXPECT_TRUE(env->Exists(directory.Join("tree/below")).value());
  for (const char* name : {"new", "other", "lock"}) {
    EXPECT_FALSE(env->Exists(directory.Join(name)).value()) << name;
  }
}

TEST_F(FailpointTest, AppendsAreCutAsTold) {
  TempDirectory directory;
  Env* const env = Env::Default();
  auto file = env->CreateFile(directory.Join("file")).value();
  ASSERT_TRUE(ArmFailpoints("env.append=short@2,env.sync=error@1").ok());
  EXPECT_TRUE(file->Append("0123456789").ok());
  EXPECT_EQ(file->Append("abcdefgh").code(), StatusCode::kNoSpace);
  EXPECT_EQ(file->size(), 14u);
  EXPECT_TRUE(file->Append("z").ok());
  EXPECT_EQ(file->Sync().code(), StatusCode::kIoError);
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_EQ(env->ReadFile(directory.Join("file")).value(), "0123456789abcdz");
  for (const char* text : {"env.sync=short@1", "test.once=full@1", "env.any=torn@1"}) {
    EXPECT_EQ(ArmFailpoints(text).code(), StatusCode::kInvalidArgument) << text;
  }
}

// A whole tree is removed or made call by call.
TEST_F(FailpointTest, TreesAreManyCalls) {
  TempDirectory directory;
  Env* const env = Env::Default();
  ASSERT_TRUE(ArmFailpoints("env.mkdir=error@3").ok());
  EXPECT_FALSE(env->CreateDirectories(directory.Join("a/b/c")).ok());
  EXPECT_TRUE(env->IsDirectory(directory.Join("a/b")).value());
  EXPECT_TRUE(env->CreateDirectories(directory.Join("a/b/c/")).ok());
  ASSERT_TRUE(env->WriteFileAtomically(directory.Join("a/b/file"), "").ok());
  ASSERT_TRUE(env->WriteFileAtomically(directory.Join("a/last"), "").ok());
  ASSERT_TRUE(ArmFailpoints("env.unlink=error@2").ok());
  EXPECT_FALSE(env->RemoveTree(directory.Join("a")).ok());
  EXPECT_FALSE(env->Exists(directory.Join("a/b")).value());
  EXPECT_TRUE(env->Exists(directory.Join("a/last")).value());
  EXPECT_TRUE(env->RemoveTree(directory.Join("a")).ok());
  EXPECT_TRUE(env->RemoveTree(directory.Join("a")).ok());
}

// The process dies by SIGKILL at the point, and its log names each point passed and the last.
TEST_F(FailpointTest, KillsAndLogs) {
  TempDirectory directory;
  const std::string log_path = directory.Join("log");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::setenv("BENNU_FAILPOINTS", "test.once=kill@2", 1);
    ::setenv("BENNU_FAILPOINT_LOG", log_path.c_str(), 1);
    if (!ArmFailpointsFromEnvironment().ok()) ::_exit(2);
    static_cast<void>(PassOnce());
    static_cast<void>(PassOnce());
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(Env::Default()->ReadFile(log_path).value(), "test.once\nkilled test.once\n");
}

}  // namespace
}  // namespace bennu
