// Filters over the wire: what is refused, and the vectors of the spec (section 9).
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bennu/filter.h"
#include "proto/filter.pb.h"
#include "src/base/hex.h"

namespace bennu {
namespace {

// The bytes of the filter's own message.
std::string Body(const FilterPtr& filter) { return HexEncode(filter->Encode()); }
std::string Body(Result<FilterPtr> filter) {
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return filter.ok() ? Body(*filter) : "";
}

TEST(FilterMessageTest, Vectors) {
  EXPECT_EQ(
      "0a0a0a0361006312"
      "03ff02ff1001",
      Body(NewFuzzyRowFilter({{"abc", std::string("\0\1\0", 3)}})));
  EXPECT_EQ("0805", Body(NewPageFilter(5)));
  EXPECT_EQ("0a0203051000", Body(NewTimestampsFilter({5, 3})));
  EXPECT_EQ("0a0208061201661a01712001", Body(NewDependentColumnFilter("f", "q", true)));
  const auto regex = NewRegexComparator("^a", {.flags = 2, .charset = "UTF-8", .joni = false});
  ASSERT_TRUE(regex.ok());
  EXPECT_EQ("0a025e6110021a055554462d3822044a415641", HexEncode((*regex)->Encode()));
  EXPECT_EQ("0a03616263", HexEncode(NewSubstringComparator("AbC")->Encode()));
}

// Masks of older clients: wildcards are 0, or the mask is as the user wrote it.
TEST(FilterMessageTest, FuzzyMasks) {
  for (const Bytes& mask : {Bytes("\xff\x00\xff", 3), Bytes("\x00\x01\x00", 3)}) {
    pb::FuzzyRowFilter fuzzy;
    fuzzy.add_fuzzy_keys_data()->set_first("a?c");
    fuzzy.mutable_fuzzy_keys_data(0)->set_second(mask);
    pb::Filter message;
    message.set_name("org.apache.hadoop.hbase.filter.FuzzyRowFilter");
    message.set_serialized_filter(fuzzy.SerializeAsString());
    const auto filter = DecodeFilter(message.SerializeAsString());
    ASSERT_TRUE(filter.ok()) << filter.status().ToString();
    EXPECT_EQ(
        "0a0a0a03610063"
        "1203ff00ff1000",
        Body(*filter));
  }
}

StatusCode CodeOf(const std::string& name, const Bytes& body) {
  pb::Filter message;
  message.set_name(name);
  message.set_serialized_filter(body);
  return DecodeFilter(message.SerializeAsString()).status().code();
}

TEST(FilterMessageTest, Refused) {
  const std::string package = "org.apache.hadoop.hbase.filter.";
  EXPECT_EQ(StatusCode::kInvalidArgument, CodeOf("com.example.MyFilter", ""));
  EXPECT_EQ(StatusCode::kInvalidArgument, CodeOf(package + "NoSuchFilter", ""));
  EXPECT_EQ(StatusCode::kInvalidArgument, CodeOf(package + "PageFilter", "\xff\xff"));
  EXPECT_EQ(StatusCode::kInvalidArgument, CodeOf(package + "PageFilter", ""));  // size is missing
  EXPECT_EQ(StatusCode::kInvalidArgument, CodeOf(package + "FuzzyRowFilter", ""));
  EXPECT_EQ(StatusCode::kInvalidArgument, CodeOf(package + "MultiRowRangeFilter", ""));
  EXPECT_FALSE(DecodeFilter("\xff").ok());
}

TEST(FilterMessageTest, NestingHasAnEnd) {
  FilterPtr filter = NewFirstKeyOnlyFilter();
  for (int i = 0; i < 101; ++i) filter = NewSkipFilter(std::move(filter));
  const auto decoded = DecodeFilter(EncodeFilter(*filter));
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.status().message().find("nested"), std::string::npos);
}

TEST(FilterMessageTest, ArgumentsAreChecked) {
  EXPECT_FALSE(NewFuzzyRowFilter({}).ok());
  EXPECT_FALSE(NewFuzzyRowFilter({{"abc", "a"}}).ok());
  EXPECT_FALSE(NewMultiRowRangeFilter({}).ok());
  EXPECT_FALSE(NewMultiRowRangeFilter({RowRange{"b", true, "a", false}}).ok());
  EXPECT_FALSE(NewMultipleColumnPrefixFilter({"a", "a"}).ok());
  EXPECT_FALSE(NewColumnPaginationFilter(-1, 0).ok());
  EXPECT_FALSE(NewColumnPaginationFilter(0, -1).ok());
  EXPECT_FALSE(NewColumnCountGetFilter(-1).ok());
  EXPECT_FALSE(NewTimestampsFilter({-1}).ok());
}

TEST(FilterMessageTest, RangesAreJoined) {
  const auto joined =
      NewMultiRowRangeFilter({RowRange{"m", true, "p", false}, RowRange{"a", true, "c", false},
                              RowRange{"b", true, "d", true}});
  const auto apart =
      NewMultiRowRangeFilter({RowRange{"a", true, "d", true}, RowRange{"m", true, "p", false}});
  ASSERT_TRUE(joined.ok() && apart.ok());
  EXPECT_EQ(Body(*joined), Body(*apart));
}

}  // namespace
}  // namespace bennu
