#include "src/sql/keys/key_scan.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "src/base/check.h"
#include "src/sql/keys/skip_scan.h"
#include "src/sql/keys/slot_layout.h"

namespace bennu::sql {
namespace {

bool AllSingle(const std::vector<KeySlot>& slots) {
  for (const KeySlot& slot : slots) {
    for (const KeyRange& range : slot.ranges) {
      if (!range.IsSingle()) return false;
    }
  }
  return true;
}

// How many keys the slots' points make, or nothing when they are more than 'max'.
bool CombinationsWithin(const std::vector<KeySlot>& slots, size_t max) {
  size_t count = 1;
  for (const KeySlot& slot : slots) {
    if (slot.ranges.size() > max / count) return false;
    count *= slot.ranges.size();
  }
  return true;
}

// One range holds exactly the slots' rows when only the last slot is more than a point.
bool IsOneRange(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  const SlotLayout layout(&schema, &slots);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].ranges.size() != 1) return false;
    if (i + 1 < slots.size() && !slots[i].ranges[0].IsSingle()) return false;
    if (layout.IsOutOfOrder(i, slots[i].ranges[0].lower)) return false;
  }
  return true;
}

// Appends every combination of the points from slot i on; *prefix is the key before it, of which
// the first 'significant' bytes are more than separators.
void CollectPoints(const KeySchema& schema, const SlotLayout& layout, size_t i, size_t significant,
                   Bytes* prefix, std::vector<Bytes>* points) {
  if (i == layout.size()) {
    if (significant == schema.prefix_size()) return;  // a key of NULLs alone does not exist
    points->emplace_back(*prefix, 0, significant);
    return;
  }
  const size_t size = prefix->size();
  for (const KeyRange& range : layout.slot(i).ranges) {
    const bool possible = layout.AppendPart(i, range.lower, prefix);
    const size_t end = range.lower.empty() ? significant : size + range.lower.size();
    if (possible) CollectPoints(schema, layout, i + 1, end, prefix, points);
    prefix->resize(size);
  }
}

std::vector<Bytes> PointsOf(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  const SlotLayout layout(&schema, &slots);
  std::vector<Bytes> points;
  Bytes prefix(schema.prefix_size(), '\0');
  CollectPoints(schema, layout, 0, prefix.size(), &prefix, &points);
  if (schema.salted()) {
    for (Bytes& point : points) {
      const uint8_t salt = KeySchema::SaltByte(ByteView(point).substr(1), schema.salt_buckets());
      point[0] = static_cast<char>(salt);
    }
  }
  // They mostly are in order: ranges are, and values of fixed width have no separators.
  if (!std::is_sorted(points.begin(), points.end())) std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

bool IsNothing(const RowRange& range) { return !range.stop.empty() && range.stop <= range.start; }

// Everything from the last slot on says nothing.
void DropOpenSlots(std::vector<KeySlot>* slots) {
  while (!slots->empty()) {
    const std::vector<KeyRange>& ranges = slots->back().ranges;
    if (ranges.size() != 1 || !ranges[0].IsEverything()) return;
    slots->pop_back();
  }
}

TimeRange TimeRangeOf(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  if (schema.row_timestamp_column() < 0) return {};
  size_t column = 0;
  for (const KeySlot& slot : slots) {
    if (static_cast<int>(column) == schema.row_timestamp_column() && slot.span == 0) {
      return RowTimestampRange(schema.columns()[column], slot.ranges);
    }
    column += slot.span + 1;
  }
  return {};
}

// The milliseconds of a bound and whether the value has nanoseconds beyond them.
struct BoundTime {
  int64_t millis = 0;
  bool has_nanos = false;
};

std::optional<BoundTime> TimeOf(const Bytes& bound, const KeyColumn& column) {
  const Result<Value> value = Decode(bound, column.type, column.order);
  if (!value.ok() || value->is_null()) return std::nullopt;
  if (IsTimestamp(column.type.id)) {
    return BoundTime{value->timestamp().millis, value->timestamp().nanos != 0};
  }
  return BoundTime{value->int64(), false};
}

}  // namespace

TimeRange RowTimestampRange(const KeyColumn& column, std::span<const KeyRange> ranges) {
  TimeRange time;
  const bool desc = column.order == SortOrder::kDesc;
  const KeyRange& first = desc ? ranges.back() : ranges.front();
  const KeyRange& last = desc ? ranges.front() : ranges.back();
  // In the order of values: a descending column's lower bound is its greatest value.
  const bool has_min = desc ? first.upper_bounded : first.lower_bounded;
  const bool has_max = desc ? last.lower_bounded : last.upper_bounded;
  if (has_min) {
    const bool inclusive = desc ? first.upper_inclusive : first.lower_inclusive;
    const bool whole = !IsTimestamp(column.type.id);  // no value between two milliseconds
    if (const auto bound = TimeOf(desc ? first.upper : first.lower, column)) {
      const bool next = !inclusive && whole && bound->millis < time.max;
      time.min = std::max<int64_t>(0, bound->millis + (next ? 1 : 0));
    }
  }
  if (has_max) {
    const bool inclusive = desc ? last.lower_inclusive : last.upper_inclusive;
    if (const auto bound = TimeOf(desc ? last.lower : last.upper, column)) {
      const bool next = (inclusive || bound->has_nanos) && bound->millis < time.max;
      time.max = std::max<int64_t>(0, bound->millis + (next ? 1 : 0));
    }
  }
  return time;
}

std::vector<RowRange> OverBuckets(const KeySchema& schema, const RowRange& range) {
  if (!schema.salted()) return {range};
  std::vector<RowRange> ranges;
  for (int32_t bucket = 0; bucket < schema.salt_buckets(); ++bucket) {
    const Bytes salt(1, static_cast<char>(bucket));
    RowRange salted;
    salted.start = salt + range.start;
    if (!range.stop.empty()) {
      salted.stop = salt + range.stop;
    } else if (bucket < 255) {
      salted.stop = Bytes(1, static_cast<char>(bucket + 1));
    }
    ranges.push_back(std::move(salted));
  }
  return ranges;
}

RowRange ComposeRowRange(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  RowRange range;
  if (slots.empty()) return range;
  const SlotLayout layout(&schema, &slots);
  if (!layout.AppendLower(0, 0, &range.start)) {
    // No key is high enough: an empty range.
    range.start = range.stop = Bytes(1, '\xff');
    return range;
  }
  if (!layout.AppendUpper(0, slots[0].ranges.size() - 1, &range.stop)) range.stop.clear();
  return range;
}

Bytes JoinComponents(const KeySchema& schema, size_t first_column,
                     std::span<const ByteView> encoded) {
  BENNU_CHECK(first_column + encoded.size() <= schema.column_count());
  size_t count = encoded.size();
  while (count > 0 && encoded[count - 1].empty()) --count;
  Bytes joined;
  for (size_t i = 0; i < count; ++i) {
    const size_t column = first_column + i;
    const bool is_null = encoded[i].empty();
    joined.append(encoded[i]);
    joined.append(i + 1 < count ? schema.Separator(column, is_null)
                                : schema.Terminator(column, is_null));
  }
  return joined;
}

KeyScan PlanKeyScan(const std::shared_ptr<const KeySchema>& schema, std::vector<KeySlot> slots,
                    const KeyScanOptions& options) {
  KeyScan scan;
  for (KeySlot& slot : slots) {
    slot.ranges = Coalesce(std::move(slot.ranges));
    if (slot.ranges.empty()) {
      scan.kind = KeyScan::Kind::kDegenerate;
      return scan;
    }
  }
  DropOpenSlots(&slots);
  scan.time_range = TimeRangeOf(*schema, slots);
  if (scan.time_range.min >= scan.time_range.max) {
    scan.kind = KeyScan::Kind::kDegenerate;
    return scan;
  }
  if (slots.empty()) {
    scan.ranges = OverBuckets(*schema, RowRange());
    return scan;
  }
  size_t columns = 0;
  for (const KeySlot& slot : slots) columns += slot.span + 1;
  const bool covers_key = columns == schema->column_count();
  if (covers_key && AllSingle(slots) && CombinationsWithin(slots, options.max_points)) {
    scan.points = PointsOf(*schema, slots);
    scan.kind = scan.points.empty() ? KeyScan::Kind::kDegenerate : KeyScan::Kind::kPoints;
    return scan;
  }
  const RowRange range = ComposeRowRange(*schema, slots);
  if (IsNothing(range)) {
    scan.kind = KeyScan::Kind::kDegenerate;
    return scan;
  }
  scan.ranges = OverBuckets(*schema, range);
  scan.kind = KeyScan::Kind::kRange;
  if (IsOneRange(*schema, slots)) return scan;
  if (!options.allow_skip_scan) {
    scan.exact = false;
    return scan;
  }
  scan.kind = KeyScan::Kind::kSkip;
  scan.navigator = std::make_shared<SkipScanNavigator>(
      schema, std::make_shared<const std::vector<KeySlot>>(std::move(slots)));
  return scan;
}

}  // namespace bennu::sql
