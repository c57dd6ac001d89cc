// The sizes and borders are those of HBase's policies with the same attributes.
#include "src/engine/split_policy.h"

#include <gtest/gtest.h>

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

TEST(SplitPolicyTest, ConstantSizeIsTheTablesOrTheStores) {
  EXPECT_EQ(Make({{"SPLIT_POLICY", HBase("ConstantSizeRegionSplitPolicy")}}).SizeToSplit(1),
            10240 * kMega);
  EXPECT_EQ(Make({{"SPLIT_POLICY", HBase("ConstantSizeRegionSplitPolicy")}, {"MAX_FILESIZE", "77"}})
                .SizeToSplit(9),
            77u);
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
