#include "bennu/status.h"

#include <gtest/gtest.h>

#include "src/base/check.h"
#include "src/base/status_macros.h"

namespace bennu {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return InvalidArgument(std::to_string(value) + " is odd");
  return value / 2;
}

Result<int> Quarter(int value) {
  ASSIGN_OR_RETURN(const int half, Half(value));
  RETURN_IF_ERROR(half > 100 ? ResourceExhausted("too large") : Status::Ok());
  return Half(half);
}

TEST(StatusTest, MacrosPassErrorsOn) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(3).status().ToString(), "InvalidArgument: 3 is odd");
  EXPECT_EQ(Quarter(6).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Quarter(1000).status().code(), StatusCode::kResourceExhausted);
}

TEST(StatusTest, AnnotateAddsContextToErrorsOnly) {
  EXPECT_EQ(Corruption("bad magic").Annotate("open f").message(), "open f: bad magic");
  EXPECT_TRUE(Status::Ok().Annotate("open f").ok());
}

TEST(StatusTest, SqlErrorSurvivesCopyAndContext) {
  const Status status = Status::Sql({504, "42703", 7, "try this"}, "Undefined column.");
  const Status copy = Status(status).Annotate("line 1");
  ASSERT_NE(copy.sql_error(), nullptr);
  EXPECT_EQ(copy.sql_error()->position, 7);
  EXPECT_EQ(status.ToString(), "ERROR 504 (42703): Undefined column.");
}

TEST(StatusDeathTest, ValueOfAnErrorDies) {
  EXPECT_DEATH(static_cast<void>(Half(1).value()), "1 is odd");
}

TEST(CheckDeathTest, NamesThePlaceAndTheCondition) {
  BENNU_CHECK(1 + 1 == 2);
  EXPECT_DEATH(BENNU_CHECK(1 + 1 == 3), "1 \\+ 1 == 3.*status_test.cc");
}

}  // namespace
}  // namespace bennu
