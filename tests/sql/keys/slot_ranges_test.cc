#include "src/sql/keys/slot_ranges.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace bennu::sql {
namespace {

KeyColumn Text(SortOrder order = SortOrder::kAsc) {
  return {"T.C", {TypeId::kVarchar}, order, /*variable=*/true, /*nullable=*/false};
}

KeySlot Points(const std::vector<const char*>& values) {
  KeySlot slot;
  for (const char* value : values) slot.ranges.push_back(KeyRange::Point(value));
  return slot;
}

// Whether a row lies in one of the ranges.
bool Holds(const std::vector<RowRange>& ranges, const Bytes& row) {
  for (const RowRange& range : ranges) {
    const bool behind = range.start_inclusive ? row >= range.start : row > range.start;
    const bool before =
        range.stop.empty() || row < range.stop || (range.stop_inclusive && row == range.stop);
    if (behind && before) return true;
  }
  return false;
}

const Bytes kZero(1, '\0');

TEST(SlotRangesTest, CombinationsOfPoints) {
  const KeySchema schema({Text(), Text(), Text()}, 0);
  const auto ranges = RangesOfSlots(schema, {Points({"a", "c"}), Points({"x", "y"})}, 100);
  EXPECT_EQ(ranges.size(), 4);
  EXPECT_TRUE(Holds(ranges, "a" + kZero + "x" + kZero + "1"));
  EXPECT_TRUE(Holds(ranges, "c" + kZero + "y" + kZero + "1"));
  EXPECT_FALSE(Holds(ranges, "a" + kZero + "w" + kZero + "1"));
  EXPECT_FALSE(Holds(ranges, "b" + kZero + "x" + kZero + "1"));
  EXPECT_FALSE(Holds(ranges, "a" + kZero + "z" + kZero + "1"));
}

// A slot of more than points ends what can be told in ranges; later ones are left to others.
TEST(SlotRangesTest, LaterSlotsAreLeftOut) {
  const KeySchema schema({Text(), Text(), Text()}, 0);
  KeySlot range;
  range.ranges = {KeyRange::Make("m", true, "p", false)};
  const auto ranges = RangesOfSlots(schema, {Points({"a", "c"}), range, Points({"q"})}, 100);
  EXPECT_EQ(ranges.size(), 2);
  EXPECT_TRUE(Holds(ranges, "a" + kZero + "n" + kZero + "q"));
  EXPECT_TRUE(Holds(ranges, "a" + kZero + "n" + kZero + "other"));
  EXPECT_FALSE(Holds(ranges, "a" + kZero + "p" + kZero + "q"));
}

TEST(SlotRangesTest, NoMoreThanAsked) {
  const KeySchema schema({Text(), Text()}, 0);
  const std::vector<KeySlot> slots = {Points({"a", "b", "c"}), Points({"1", "2", "3"})};
  EXPECT_EQ(RangesOfSlots(schema, slots, 9).size(), 9);
  EXPECT_EQ(RangesOfSlots(schema, slots, 8).size(), 3);  // by the first column alone
  EXPECT_TRUE(RangesOfSlots(schema, slots, 2).empty());
}

TEST(SlotRangesTest, AnOpenFirstColumnSaysNothing) {
  const KeySchema schema({Text(), Text()}, 0);
  EXPECT_TRUE(RangesOfSlots(schema, {KeySlot::Everything(), Points({"x"})}, 100).empty());
}

TEST(SlotRangesTest, EachBucketOfASaltedTable) {
  const KeySchema schema({Text(), Text()}, 3);
  const auto ranges = RangesOfSlots(schema, {Points({"a", "b"})}, 100);
  EXPECT_EQ(ranges.size(), 6);
  for (char bucket = 0; bucket < 3; ++bucket) {
    EXPECT_TRUE(Holds(ranges, Bytes(1, bucket) + "a" + kZero + "1"));
    EXPECT_FALSE(Holds(ranges, Bytes(1, bucket) + "c" + kZero + "1"));
  }
}

}  // namespace
}  // namespace bennu::sql
