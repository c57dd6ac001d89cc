#include "src/sql/keys/key_scan.h"

#include <gtest/gtest.h>

#include "src/base/hex.h"
#include "src/sql/types/text.h"
#include "tests/sql/keys/key_columns.h"

namespace bennu::sql {
namespace {

KeySlot Slot(const KeySchema& schema, size_t column, CompareOp op,
             const std::vector<const char*>& texts) {
  KeySlot slot;
  const KeyColumn& c = schema.columns()[column];
  for (const char* text : texts) {
    const Value value = *ParseValue(text, c.type);
    const Result<std::vector<KeyRange>> ranges = RangesFor(op, value, c.type, c.order);
    slot.ranges.insert(slot.ranges.end(), ranges->begin(), ranges->end());
  }
  slot.ranges = Coalesce(std::move(slot.ranges));
  return slot;
}

KeySlot Is(KeyRange range) { return {{std::move(range)}, 0}; }

std::shared_ptr<const KeySchema> FiveColumns(int32_t buckets = 0) {
  return std::make_shared<const KeySchema>(
      std::vector<KeyColumn>{Col(TypeId::kVarchar), Col(TypeId::kVarchar), Col(TypeId::kInteger),
                             Col(TypeId::kChar, kAsc, 5), Col(TypeId::kVarchar)},
      buckets);
}

std::string RowsOf(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  const RowRange range = ComposeRowRange(schema, slots);
  return HexEncode(range.start) + " " + HexEncode(range.stop);
}

TEST(KeyScan, StartAndStopRowsOfTheReference) {
  const auto schema = FiveColumns();
  const auto eq = [&](size_t column, std::vector<const char*> texts) {
    return Slot(*schema, column, CompareOp::kEqual, texts);
  };
  EXPECT_EQ(RowsOf(*schema, {eq(0, {"a"})}), "61 6101");
  EXPECT_EQ(RowsOf(*schema, {eq(0, {"a"}), Slot(*schema, 1, CompareOp::kGreater, {"b"})}),
            "61006201 6101");
  EXPECT_EQ(RowsOf(*schema, {Is(KeyRange::IsNull()), Is(KeyRange::IsNotNull())}), "0001 01");
  EXPECT_EQ(RowsOf(*schema, {eq(0, {"a"}), KeySlot::Everything(), eq(2, {"5"})}),
            "61000080000005 6101");
  EXPECT_EQ(RowsOf(*schema, {eq(0, {"a", "c"}), eq(1, {"x", "y"})}), "610078 63007901");
  // (a, b, c) > ('a', 'b', 5): the reference steps the last part, which is the same row.
  const Bytes five = *HexDecode("80000005");
  const std::vector<ByteView> parts = {"a", "b", five};
  const Bytes joined = JoinComponents(*schema, 0, parts);
  EXPECT_EQ(HexEncode(joined), "6100620080000005");
  KeySlot row_value{{KeyRange::AtLeast(joined, false)}, 2};
  EXPECT_EQ(RowsOf(*schema, {row_value}), "6100620080000006 ");
}

// org >= 'abz' of a CHAR(2): the values above 'ab', whatever stands behind them in the key.
TEST(KeyScan, TextLongerThanItsColumn) {
  const auto schema = std::make_shared<const KeySchema>(
      std::vector<KeyColumn>{Col(TypeId::kChar, kAsc, 2), Col(TypeId::kInteger)});
  const auto ranges = [&](CompareOp op) {
    const DataType type = schema->columns()[0].type;
    return KeySlot{*RangesFor(op, Value::Varchar("abz"), type, kAsc), 0};
  };
  EXPECT_EQ(RowsOf(*schema, {ranges(CompareOp::kGreaterOrEqual)}), "6163 ");
  EXPECT_EQ(RowsOf(*schema, {ranges(CompareOp::kLess)}), " 6163");
  EXPECT_EQ(RowsOf(*schema, {ranges(CompareOp::kLessOrEqual)}), " 6163");
  const KeySlot five = Slot(*schema, 1, CompareOp::kEqual, {"5"});
  EXPECT_EQ(RowsOf(*schema, {ranges(CompareOp::kGreaterOrEqual), five}), "616380000005 ");
}

TEST(KeyScan, SaltedRangesCarryTheTimeRange) {
  KeyColumn created = Col(TypeId::kDate);
  created.is_row_timestamp = true;
  const auto schema = std::make_shared<const KeySchema>(
      std::vector<KeyColumn>{created, Col(TypeId::kChar, kAsc, 3)}, 2);
  const KeySlot after = Slot(*schema, 0, CompareOp::kGreater, {"2020-01-01"});
  const KeySlot until = Slot(*schema, 0, CompareOp::kLessOrEqual, {"2020-02-01"});
  const KeyScan scan = PlanKeyScan(schema, {{IntersectAll(after.ranges, until.ranges), 0}});
  ASSERT_EQ(scan.kind, KeyScan::Kind::kRange);
  ASSERT_EQ(scan.ranges.size(), 2u);
  EXPECT_EQ(HexEncode(scan.ranges[1].start), "018000016f5e66e801");
  EXPECT_EQ(HexEncode(scan.ranges[1].stop), "018000016ffe0c0c01");
  EXPECT_EQ(scan.time_range, (TimeRange{1577836800001, 1580515200001}));
  EXPECT_TRUE(scan.exact);
}

TEST(KeyScan, TimeRanges) {
  const auto range = [](TypeId id, SortOrder order, CompareOp op, const char* text) {
    const KeyColumn column = Col(id, order);
    const std::vector<KeyRange> ranges =
        *RangesFor(op, *ParseValue(text, column.type), column.type, order);
    const TimeRange time = RowTimestampRange(column, ranges);
    return std::pair(time.min, time.max);
  };
  const int64_t open = TimeRange().max;
  for (const SortOrder order : {kAsc, kDesc}) {
    EXPECT_EQ(range(TypeId::kBigint, order, CompareOp::kLess, "100"), std::pair(0L, 100L));
    EXPECT_EQ(range(TypeId::kBigint, order, CompareOp::kLessOrEqual, "100"), std::pair(0L, 101L));
    EXPECT_EQ(range(TypeId::kBigint, order, CompareOp::kGreater, "100"), std::pair(101L, open));
    EXPECT_EQ(range(TypeId::kBigint, order, CompareOp::kEqual, "100"), std::pair(100L, 101L));
    EXPECT_EQ(range(TypeId::kBigint, order, CompareOp::kGreater, "-5"), std::pair(0L, open));
    const char* time = "1970-01-01 00:00:00.100000005";
    EXPECT_EQ(range(TypeId::kTimestamp, order, CompareOp::kEqual, time), std::pair(100L, 101L));
    EXPECT_EQ(range(TypeId::kTimestamp, order, CompareOp::kLess, time), std::pair(0L, 101L));
    EXPECT_EQ(range(TypeId::kTimestamp, order, CompareOp::kGreater, time), std::pair(100L, open));
  }
}

TEST(KeyScan, PointsAreWholeKeys) {
  const auto schema = std::make_shared<const KeySchema>(
      std::vector<KeyColumn>{Col(TypeId::kVarchar), Col(TypeId::kVarbinaryEncoded, kDesc)}, 4);
  const KeyScan scan = PlanKeyScan(schema, {Slot(*schema, 0, CompareOp::kEqual, {"a"}),
                                            Slot(*schema, 1, CompareOp::kEqual, {"0001ff"})});
  ASSERT_EQ(scan.kind, KeyScan::Kind::kPoints);
  ASSERT_EQ(scan.points.size(), 1u);
  EXPECT_EQ(HexEncode(scan.points[0]), "026100ff00fe00fffe");
  const KeyScan null =
      PlanKeyScan(schema, {Slot(*schema, 0, CompareOp::kEqual, {"b"}), Is(KeyRange::IsNull())});
  ASSERT_EQ(null.points.size(), 1u);
  EXPECT_EQ(HexEncode(null.points[0]), "0162");
}

TEST(KeyScan, Kinds) {
  const auto schema = FiveColumns();
  const auto eq = [&](size_t column, std::vector<const char*> texts) {
    return Slot(*schema, column, CompareOp::kEqual, texts);
  };
  EXPECT_EQ(PlanKeyScan(schema, {}).kind, KeyScan::Kind::kFull);
  EXPECT_EQ(PlanKeyScan(schema, {}).ranges, std::vector<RowRange>{RowRange()});
  EXPECT_EQ(PlanKeyScan(schema, {KeySlot::Everything()}).kind, KeyScan::Kind::kFull);
  EXPECT_EQ(PlanKeyScan(schema, {eq(0, {"a"}), {}}).kind, KeyScan::Kind::kDegenerate);
  EXPECT_EQ(PlanKeyScan(schema, {eq(0, {"a"}), KeySlot::Everything()}).kind, KeyScan::Kind::kRange);
  const KeyScan skip = PlanKeyScan(schema, {eq(0, {"a", "b"})});
  EXPECT_EQ(skip.kind, KeyScan::Kind::kSkip);
  ASSERT_NE(skip.navigator, nullptr);
  const KeyScan plain = PlanKeyScan(schema, {eq(0, {"a", "b"})}, {.allow_skip_scan = false});
  EXPECT_EQ(plain.kind, KeyScan::Kind::kRange);
  EXPECT_FALSE(plain.exact);
  // More keys than are looked up one by one.
  const auto one = std::make_shared<const KeySchema>(std::vector<KeyColumn>{Col(TypeId::kVarchar)});
  const KeySlot list = Slot(*one, 0, CompareOp::kEqual, {"a", "b", "c"});
  EXPECT_EQ(PlanKeyScan(one, {list}, {.max_points = 3}).kind, KeyScan::Kind::kPoints);
  EXPECT_EQ(PlanKeyScan(one, {list}, {.max_points = 2}).kind, KeyScan::Kind::kSkip);
}

}  // namespace
}  // namespace bennu::sql
