// What guide posts say of the rows that an index leads to.
#include "src/sql/plan/index_cost.h"

#include <gtest/gtest.h>

namespace bennu::sql::plan {
namespace {

RowRange From(const Bytes& start, const Bytes& stop) { return {start, true, stop, false}; }

// A guide post is the last row of its part, so that a part counts when the one before and its own
// lie in the range; what is behind the last post is unknown.
TEST(IndexCostTest, OnlyWholePartsCount) {
  const catalog::GuidePosts posts = {
      {"b", 100, 10, 0}, {"d", 100, 20, 0}, {"f", 100, 30, 0}, {"h", 100, 40, 0}};
  EXPECT_EQ(SizeAtLeast(posts, {From("", "")}).rows, 100);
  EXPECT_EQ(SizeAtLeast(posts, {From("", "")}).bytes, 400);
  EXPECT_EQ(SizeAtLeast(posts, {From("b", "g")}).rows, 50);
  EXPECT_EQ(SizeAtLeast(posts, {From("c", "g")}).rows, 30);
  EXPECT_EQ(SizeAtLeast(posts, {From("c", "e")}).rows, 0);
  EXPECT_EQ(SizeAtLeast(posts, {From("", "c"), From("e", "")}).rows, 50);
  EXPECT_EQ(SizeAtLeast(posts, {From("z", "")}).rows, 0);
}

// The only post of a family that is smaller than the width has no key; nobody has counted rows.
TEST(IndexCostTest, WithoutAKeyNothingIsKnown) {
  EXPECT_EQ(SizeAtLeast({{"", 1000, 0, 0}}, {From("", "")}).bytes, 0);
  EXPECT_EQ(SizeAtLeast({}, {From("", "")}).rows, 0);
}

}  // namespace
}  // namespace bennu::sql::plan
