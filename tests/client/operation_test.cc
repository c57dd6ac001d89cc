// Attempts, pauses and errors of an operation.
#include "src/client/operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bennu::client {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

CallOutcome Failure(rpc::Remedy remedy) {
  CallOutcome outcome;
  outcome.status = IoError("the cause");
  outcome.remedy = remedy;
  return outcome;
}

// HConstants.RETRY_BACKOFF of HBase 2.5.
TEST(OperationTest, PausesAreHBases) {
  ClientOptions options;
  options.pause = milliseconds(10);
  const std::vector<int> expected = {10,   20,   30,   50,   100,  200,  400,
                                     1000, 1000, 1000, 1000, 2000, 2000, 2000};
  for (uint32_t tries = 0; tries < expected.size(); ++tries) {
    EXPECT_EQ(Operation::PauseBefore(options, tries, false), milliseconds(expected[tries]));
    EXPECT_EQ(Operation::PauseBefore(options, tries, true), milliseconds(expected[tries]))
        << "without a pause of its own";
  }
  options.pause_overloaded = milliseconds(70);
  EXPECT_EQ(Operation::PauseBefore(options, 2, true), milliseconds(210));
  EXPECT_EQ(Operation::PauseBefore(options, 2, false), milliseconds(30));
  options.pause_overloaded = milliseconds(5);
  EXPECT_EQ(Operation::PauseBefore(options, 0, true), milliseconds(10)) << "never less";
}

TEST(OperationTest, EndsAfterItsRetries) {
  ClientOptions options;
  options.pause = milliseconds(1);
  options.retries_max = 2;
  const TableName table = {"default", "t"};
  const Bytes row = Bytes("a\x01", 2) + Bytes(1000, 'x');
  Operation operation(options, table, row);
  operation.SetPlace("t,,1.abc.", {"host", 16020});
  EXPECT_TRUE(operation.TryAgain(Failure(rpc::Remedy::kRelocate)).ok());
  EXPECT_TRUE(operation.TryAgain(Failure(rpc::Remedy::kAtOnce)).ok());
  const Status status = operation.TryAgain(Failure(rpc::Remedy::kWait));
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_THAT(status.message(), HasSubstr("table t, row 'a\\x01xx"));
  EXPECT_THAT(status.message(), Not(HasSubstr(std::string(100, 'x')))) << "the row is cut";
  EXPECT_THAT(status.message(),
              HasSubstr("region 't,,1.abc.' on host:16020: given up after 3 attempts "
                        "(hbase.client.retries.number is 2): the cause"));
}

TEST(OperationTest, EndsWithItsTime) {
  ClientOptions options;
  options.pause = milliseconds(100'000);
  const Status status = Operation(options, "Get").TryAgain(Failure(rpc::Remedy::kWait));
  EXPECT_THAT(status.message(), HasSubstr("hbase.client.operation.timeout is 60000 ms"));
  options.operation_timeout = milliseconds(50);
  EXPECT_LE(Operation(options, "Get").CallTimeout(), milliseconds(50));
  options.operation_timeout = milliseconds(100'000);
  EXPECT_EQ(Operation(options, "Get").CallTimeout(), milliseconds(60'000)) << "hbase.rpc.timeout";
}

TEST(OperationTest, WhatCannotBeMendedIsTold) {
  Operation operation(ClientOptions(), "Get");
  EXPECT_EQ(operation.TryAgain(Failure(rpc::Remedy::kNone)).message(), "the cause");
}

}  // namespace
}  // namespace bennu::client
