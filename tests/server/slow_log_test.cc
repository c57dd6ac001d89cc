// What must hold is HBase's log of slow calls: its bounds, its ring, what a line says.
#include "src/server/hbase/slow_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proto/client.pb.h"
#include "src/base/log.h"
#include "src/server/hbase/slow_parameter.h"

namespace bennu::server::hbase {
namespace {

class SlowLogTest : public testing::Test {
 protected:
  SlowLogTest() {
    SetLogSink([this](LogLevel, std::string_view line) { lines_.emplace_back(line); });
  }
  ~SlowLogTest() override { SetLogSink(nullptr); }

  static SlowCall Slow(uint32_t id) {
    SlowCall call;
    call.call_id = id;
    call.method = "Scan";
    call.slow = true;
    return call;
  }

  std::vector<std::string> lines_;
};

TEST_F(SlowLogTest, BoundsAreHBases) {
  SlowLog log;
  EXPECT_FALSE(log.IsSlow(10'000));
  EXPECT_TRUE(log.IsSlow(10'001));
  EXPECT_FALSE(log.IsLarge(100u << 20));
  EXPECT_TRUE(log.IsLarge((100u << 20) + 1));
  SlowLog::Bounds none;
  none.millis = -1;
  none.bytes = -1;
  log.SetBounds(none);
  EXPECT_FALSE(log.IsSlow(1'000'000));
  EXPECT_FALSE(log.IsLarge(1ull << 40));
}

TEST_F(SlowLogTest, KeepsTheLastOnesWhenAskedTo) {
  SlowLog log;
  log.Add(Slow(1));
  EXPECT_TRUE(log.List().empty());
  EXPECT_FALSE(log.Clear());
  SlowLog::Bounds bounds;
  bounds.keep = true;
  bounds.kept_max = 2;
  log.SetBounds(bounds);
  for (uint32_t id = 2; id < 5; ++id) log.Add(Slow(id));
  const auto kept = log.List();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].call_id, 4u);
  EXPECT_EQ(kept[1].call_id, 3u);
  EXPECT_TRUE(log.Clear());
  EXPECT_TRUE(log.List().empty());
  EXPECT_EQ(log.slow_count(), 4u);
  EXPECT_EQ(lines_.size(), 4u);
}

TEST_F(SlowLogTest, ALineTellsTheCall) {
  SlowLog log;
  SlowCall call = Slow(7);
  call.client = "127.0.0.1:5";
  call.table = "t";
  call.rows = "startRow=a\"b, stopRow=";
  call.processing_millis = 11;
  log.Add(call);
  ASSERT_EQ(lines_.size(), 1u);
  const std::string head = "(responseTooSlow): ";
  ASSERT_EQ(lines_[0].substr(0, head.size()), head);
  const auto json = nlohmann::json::parse(lines_[0].substr(head.size()));
  EXPECT_EQ(json["callid"], 7);
  EXPECT_EQ(json["method"], "Scan");
  EXPECT_EQ(json["client"], "127.0.0.1:5");
  EXPECT_EQ(json["table"], "t");
  EXPECT_EQ(json["param"], call.rows);
  EXPECT_EQ(json["processingtimems"], 11);
}

TEST_F(SlowLogTest, ParametersTellTableAndRows) {
  pb::ScanRequest scan;
  scan.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  scan.mutable_region()->set_value("ns:t,a,1.0123456789abcdef0123456789abcdef.");
  scan.mutable_scan()->set_start_row("a\x01");
  scan.mutable_scan()->set_stop_row("b");
  SlowCall call;
  DescribeParameter("Scan", scan.SerializeAsString(), &call);
  EXPECT_EQ(call.table, "ns:t");
  EXPECT_EQ(call.region, scan.region().value());
  EXPECT_EQ(call.rows, "startRow=a\\x01, stopRow=b");

  pb::MultiRequest multi;
  pb::RegionAction* const region = multi.add_regionaction();
  *region->mutable_region() = scan.region();
  region->add_action()->mutable_get()->set_row("r");
  region->add_action()->mutable_mutation()->set_row("r");
  SlowCall many;
  DescribeParameter("Multi", multi.SerializeAsString(), &many);
  EXPECT_EQ(many.gets, 1u);
  EXPECT_EQ(many.mutations, 1u);
  EXPECT_EQ(many.table, "ns:t");
  SlowCall none;
  DescribeParameter("Scan", "no message", &none);
  EXPECT_EQ(none.table, "");
}

}  // namespace
}  // namespace bennu::server::hbase
