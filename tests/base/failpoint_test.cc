#include "src/base/failpoint.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
                           "x=error@1,,y=kill@1"}) {
    EXPECT_EQ(ArmFailpoints(text).code(), StatusCode::kInvalidArgument) << text;
  }
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
