// The sizes and borders are those of HBase's policies with the same attributes.
#include "src/engine/core/split_policy.h"

#include <gtest/gtest.h>

#include "src/engine/region/write_pressure.h"

namespace bennu::engine {
namespace {

constexpr uint64_t kMega = 1 << 20;

SplitPolicy Make(const std::map<std::string, std::string>& attributes) {
  TableDescriptor table;
  table.name.qualifier = "t";
  table.attributes = attributes;
  return SplitPolicy(table, 10240 * kMega, 128 * kMega);
}

std::string HBase(const std::string& name) {
  return "org.apache.hadoop.hbase.regionserver." + name;
}

TEST(SplitPolicyTest, SteppingIsTheDefault) {
  const SplitPolicy policy = Make({});
  EXPECT_TRUE(policy.may_split());
  EXPECT_EQ(policy.SizeToSplit(1), 256 * kMega);
  EXPECT_EQ(policy.SizeToSplit(2), 10240 * kMega);
  EXPECT_EQ(Make({{"MEMSTORE_FLUSHSIZE", "1000"}, {"MAX_FILESIZE", "5000"}}).SizeToSplit(1), 2000u);
  EXPECT_EQ(Make({{"MAX_FILESIZE", "5000"}}).SizeToSplit(2), 5000u);
}

TEST(SplitPolicyTest, IncreasingGrowsWithTheCube) {
  const SplitPolicy policy =
      Make({{"SPLIT_POLICY", HBase("IncreasingToUpperBoundRegionSplitPolicy")}});
  EXPECT_EQ(policy.SizeToSplit(1), 256 * kMega);
  EXPECT_EQ(policy.SizeToSplit(2), 2048 * kMega);
  EXPECT_EQ(policy.SizeToSplit(3), 6912 * kMega);
  EXPECT_EQ(policy.SizeToSplit(4), 10240 * kMega);
  EXPECT_EQ(policy.SizeToSplit(5000), 10240 * kMega);
}

// A store may have another default than HBase's; a table's own policy wins.
TEST(SplitPolicyTest, TheDefaultCanBeSet) {
  TableDescriptor table;
  table.name.qualifier = "t";
  const std::map<std::string, std::string> site = {
      {"hbase.regionserver.region.split.policy", HBase("ConstantSizeRegionSplitPolicy")}};
  EXPECT_EQ(SplitPolicy(table, 99 * kMega, kMega, &site).SizeToSplit(1), 99 * kMega);
  table.attributes = {{"SPLIT_POLICY", HBase("SteppingSplitPolicy")}};
  EXPECT_EQ(SplitPolicy(table, 99 * kMega, kMega, &site).SizeToSplit(1), 2 * kMega);
}

// hbase.increasing.policy.initial.size, of the table or of the store; 0 or less is none.
TEST(SplitPolicyTest, TheFirstSizeCanBeSet) {
  const std::string key = "hbase.increasing.policy.initial.size";
  EXPECT_EQ(Make({{key, "1000"}}).SizeToSplit(1), 1000u);
  EXPECT_EQ(Make({{key, "1000"}}).SizeToSplit(2), 10240 * kMega);
  EXPECT_EQ(
      Make({{key, "1000"}, {"SPLIT_POLICY", HBase("KeyPrefixRegionSplitPolicy")}}).SizeToSplit(3),
      27'000u);
  EXPECT_EQ(Make({{key, "0"}}).SizeToSplit(1), 256 * kMega);
  TableDescriptor table;
  table.name.qualifier = "t";
  const std::map<std::string, std::string> site = {{key, "77"}};
  EXPECT_EQ(SplitPolicy(table, kMega, kMega, &site).SizeToSplit(1), 77u);
}

TEST(SplitPolicyTest, ConstantSizeIsTheTablesOrTheStores) {
  EXPECT_EQ(Make({{"SPLIT_POLICY", HBase("ConstantSizeRegionSplitPolicy")}}).SizeToSplit(1),
            10240 * kMega);
  EXPECT_EQ(Make({{"SPLIT_POLICY", HBase("ConstantSizeRegionSplitPolicy")}, {"MAX_FILESIZE", "77"}})
                .SizeToSplit(9),
            77u);
}

TEST(SplitPolicyTest, BusyLooksAtWriters) {
  const SplitPolicy policy = Make({{"SPLIT_POLICY", HBase("BusyRegionSplitPolicy")}});
  EXPECT_EQ(policy.SizeToSplit(2), 2048 * kMega);  // and at sizes as IncreasingToUpperBound
  ASSERT_TRUE(policy.busy().has_value());
  EXPECT_DOUBLE_EQ(policy.busy()->held_up_share, 0.2);
  EXPECT_EQ(policy.busy()->age_millis, 600'000);
  EXPECT_EQ(policy.busy()->window_millis, 300'000);
  const SplitPolicy set = Make({{"SPLIT_POLICY", HBase("BusyRegionSplitPolicy")},
                                {"hbase.busy.policy.blockedRequests", "0.5"},
                                {"hbase.busy.policy.minAge", "7"},
                                {"hbase.busy.policy.aggWindow", "9"}});
  EXPECT_DOUBLE_EQ(set.busy()->held_up_share, 0.5);
  EXPECT_EQ(set.busy()->age_millis, 7);
  EXPECT_EQ(set.busy()->window_millis, 9);
  // Values that HBase does not take either.
  for (const char* share : {"0", "1", "-3"}) {
    const SplitPolicy odd = Make({{"SPLIT_POLICY", HBase("BusyRegionSplitPolicy")},
                                  {"hbase.busy.policy.blockedRequests", share},
                                  {"hbase.busy.policy.aggWindow", "0"}});
    EXPECT_DOUBLE_EQ(odd.busy()->held_up_share, 0.2) << share;
    EXPECT_EQ(odd.busy()->window_millis, 300'000);
  }
  EXPECT_FALSE(Make({}).busy().has_value());
  // The whole store's.
  TableDescriptor table;
  table.name.qualifier = "t";
  table.attributes = {{"SPLIT_POLICY", "BusyRegionSplitPolicy"}};
  const std::map<std::string, std::string> site = {{"hbase.busy.policy.minAge", "3"}};
  EXPECT_EQ(SplitPolicy(table, kMega, kMega, &site).busy()->age_millis, 3);
}

// The share of held-up writes of a window, and of two of them by how much of the present has
// passed.
TEST(SplitPolicyTest, SharesOfHeldUpWrites) {
  constexpr int64_t kWindow = 1000;
  WritePressure pressure(5000);
  EXPECT_DOUBLE_EQ(pressure.Share(5400, {100, 50}, kWindow), 0);  // the first window goes on
  EXPECT_DOUBLE_EQ(pressure.Share(6000, {200, 50}, kWindow), 0.25);
  EXPECT_DOUBLE_EQ(pressure.Share(6500, {300, 125}, kWindow), 0.5 * 0.25 + 0.5 * 0.75);
  EXPECT_DOUBLE_EQ(pressure.Share(6900, {300, 150}, kWindow), 0.1 * 0.25 + 0.9 * 1);
  EXPECT_DOUBLE_EQ(pressure.Share(7000, {300, 150}, kWindow), 1);
  EXPECT_NEAR(pressure.Share(7500, {300, 150}, kWindow), 0.5, 1e-9);  // nobody writes
  EXPECT_DOUBLE_EQ(pressure.Share(9000, {300, 150}, kWindow), 0);
  EXPECT_EQ(pressure.Age(9000), 4000);
}

TEST(SplitPolicyTest, RestrictionsHoldWithEveryPolicy) {
  const std::string restriction = "hbase.regionserver.region.split_restriction.";
  for (const char* name : {"SteppingSplitPolicy", "BusyRegionSplitPolicy"}) {
    EXPECT_EQ(Make({{"SPLIT_POLICY", HBase(name)},
                    {restriction + "type", "KeyPrefix"},
                    {restriction + "prefix_length", "2"}})
                  .Border("abc"),
              "ab");
    EXPECT_EQ(Make({{"SPLIT_POLICY", HBase(name)},
                    {restriction + "type", "DelimitedKeyPrefix"},
                    {restriction + "delimiter", "_"}})
                  .Border("user_event_1"),
              "user");
    EXPECT_EQ(Make({{"SPLIT_POLICY", HBase(name)}, {restriction + "type", "None"}}).Border("abc"),
              "abc");
  }
  // A type that HBase does not know either restricts nothing.
  const SplitPolicy other = Make({{restriction + "type", "com.example.Mine"}});
  EXPECT_TRUE(other.may_split());
  EXPECT_EQ(other.Border("abc"), "abc");
}

TEST(SplitPolicyTest, SomeNeverSplit) {
  EXPECT_FALSE(Make({{"SPLIT_POLICY", HBase("DisabledRegionSplitPolicy")}}).may_split());
  EXPECT_FALSE(Make({{"SPLIT_ENABLED", "false"}}).may_split());
  EXPECT_TRUE(Make({{"SPLIT_ENABLED", "true"}}).may_split());
  EXPECT_FALSE(
      Make({{"SPLIT_POLICY", "org.apache.phoenix.schema.SystemTaskSplitPolicy"}}).may_split());
  EXPECT_FALSE(Make({{"SPLIT_POLICY", "com.example.Mine"}}).may_split());
}

TEST(SplitPolicyTest, BordersKeepGroupsTogether) {
  EXPECT_EQ(Make({}).Border("abc"), "abc");
  EXPECT_EQ(Make({{"SPLIT_POLICY", HBase("KeyPrefixRegionSplitPolicy")},
                  {"KeyPrefixRegionSplitPolicy.prefix_length", "2"}})
                .Border("abc"),
            "ab");
  EXPECT_EQ(Make({{"SPLIT_POLICY", HBase("DelimitedKeyPrefixRegionSplitPolicy")},
                  {"DelimitedKeyPrefixRegionSplitPolicy.delimiter", "_"}})
                .Border("user_event_1"),
            "user");
  const SplitPolicy catalog =
      Make({{"SPLIT_POLICY", "org.apache.phoenix.schema.MetaDataSplitPolicy"}});
  // tenant, schema, table: cut after the schema.
  EXPECT_EQ(catalog.Border(ByteView("t\0s\0table", 9)), Bytes("t\0s\0", 4));
  EXPECT_EQ(catalog.Border(ByteView("t\0s", 3)), Bytes("t\0s", 3));
}

}  // namespace
}  // namespace bennu::engine
