// Rows that regions count: each row once, whatever becomes of the regions meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "proto/endpoints.pb.h"
#include "src/api/server_aggregates.h"
#include "tests/client/scripted_cluster.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;

class AggregateTest : public ::testing::Test {
 protected:
  AggregateTest() : cluster_(2, {RowOf(10), RowOf(20)}) {
    for (int row = 0; row < 30; ++row) cluster_.Put(RowOf(row), "q");
    cluster_.SetCounts(true);
    table_ = cluster_.Open(cluster_.options());
  }

  Result<std::optional<int64_t>> Count(const Scan& scan = {}) {
    auto* const servers = dynamic_cast<api::ServerAggregates*>(table_.get());
    return servers->Aggregate(api::ServerAggregate::kCount, scan);
  }

  ScriptedCluster cluster_;
  std::shared_ptr<Table> table_;
};

TEST_F(AggregateTest, EachRegionIsAskedOnce) {
  EXPECT_EQ(Count().value(), 30);
  EXPECT_EQ(cluster_.Count("ExecService"), 3);
  Scan scan;
  scan.range.start = RowOf(5);
  scan.range.stop = RowOf(20);
  EXPECT_EQ(Count(scan).value(), 15);
  EXPECT_EQ(cluster_.Count("ExecService"), 5);
}

TEST_F(AggregateTest, RegionsThatMoveSplitAndMerge) {
  ASSERT_EQ(Count().value(), 30);
  cluster_.Move(RowOf(12), 1);
  EXPECT_EQ(Count().value(), 30);
  std::atomic<int> calls{0};
  cluster_.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.received.method == "ExecService" && ++calls == 2) cluster_.Split(RowOf(15));
    return {};
  });
  EXPECT_EQ(Count().value(), 30);
  cluster_.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.received.method == "ExecService" && ++calls == 8) cluster_.Merge(RowOf(15));
    return {};
  });
  EXPECT_EQ(Count().value(), 30);
  EXPECT_GE(calls, 8);
}

// HBase takes the first column that is asked for off the scan.
TEST_F(AggregateTest, TheColumnThatIsAskedForStaysInTheScan) {
  std::atomic<int> qualifiers{0};
  cluster_.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.received.method != "ExecService") return {};
    const auto request = call.received.Parse<pb::CoprocessorServiceRequest>();
    pb::AggregateRequest asked;
    asked.ParseFromString(request.call().request());
    qualifiers = asked.scan().column(0).qualifier_size();
    EXPECT_EQ(asked.scan().column(0).qualifier(1), "q");
    return {};
  });
  Scan scan;
  scan.columns = {{"f", {"q"}}};
  EXPECT_EQ(Count(scan).value(), 30);
  EXPECT_EQ(qualifiers, 2);
}

TEST_F(AggregateTest, RegionsWithoutItAreNotAskedAgain) {
  cluster_.SetCounts(false);
  for (int i = 0; i < 2; ++i) {
    const Status refused = Count().status();
    EXPECT_EQ(refused.code(), StatusCode::kNotSupported) << refused.ToString();
    EXPECT_THAT(refused.ToString(), HasSubstr("AggregateService"));
  }
  EXPECT_EQ(cluster_.Count("ExecService"), 1);
}

// Counting may take longer than a call may: who asked reads the rows then.
TEST_F(AggregateTest, WhatTakesTooLongIsNotTriedAgain) {
  ClientOptions options = cluster_.options();
  options.call_timeout = std::chrono::milliseconds(100);
  table_ = cluster_.Open(options);
  cluster_.SetHook([](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.received.method != "ExecService") return {};
    return Reply::Raw("").Held();
  });
  EXPECT_EQ(Count().status().code(), StatusCode::kNotSupported);
  EXPECT_EQ(cluster_.Count("ExecService"), 1);
}

TEST_F(AggregateTest, AnAnswerThatIsNoNumber) {
  for (const char* part : {"", "1234", "123456789"}) {
    cluster_.SetHook([part](const ScriptedCluster::Call& call) -> std::optional<Reply> {
      if (call.received.method != "ExecService") return {};
      pb::AggregateResponse answer;
      answer.add_first_part(part);
      pb::CoprocessorServiceResponse response;
      response.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
      response.mutable_region()->set_value("r");
      response.mutable_value()->set_name("");
      response.mutable_value()->set_value(answer.SerializeAsString());
      return Reply::Of(response);
    });
    EXPECT_EQ(Count().status().code(), StatusCode::kCorruption) << part;
  }
}

}  // namespace
}  // namespace bennu::client
