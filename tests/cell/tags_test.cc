#include "src/cell/tags.h"

#include <gtest/gtest.h>

#include "src/base/hex.h"

namespace bennu::cell {
namespace {

TEST(TagsTest, WritesAndWalks) {
  Bytes area;
  AppendTag(&area, 65, "Tag1");
  AppendTag(&area, kTagTtl, HexDecode("00000000000003e8").value());
  EXPECT_EQ(
      "00054154616731"
      "00090800000000000003e8",
      HexEncode(area));
  TagIterator it(area);
  Tag tag;
  ASSERT_TRUE(it.Next(&tag));
  EXPECT_EQ(65, tag.type);
  EXPECT_EQ("Tag1", tag.value);
  ASSERT_TRUE(it.Next(&tag));
  EXPECT_FALSE(it.Next(&tag));
  EXPECT_FALSE(it.bad());
  EXPECT_EQ(1000, FindTtlMillis(area));
  EXPECT_EQ(std::nullopt, FindTtlMillis(ByteView(area).substr(0, 7)));
}

TEST(TagsTest, DamagedAreaEndsTheWalk) {
  const Bytes area = HexDecode("00ff0801").value();
  TagIterator it(area);
  Tag tag;
  EXPECT_FALSE(it.Next(&tag));
  EXPECT_TRUE(it.bad());
}

}  // namespace
}  // namespace bennu::cell
