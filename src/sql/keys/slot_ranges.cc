#include "src/sql/keys/slot_ranges.h"

#include <algorithm>
#include <utility>

namespace bennu::sql {
namespace {

bool AllPoints(const KeySlot& slot) {
  return std::all_of(slot.ranges.begin(), slot.ranges.end(),
                     [](const KeyRange& range) { return range.IsSingle(); });
}

bool SaysNothing(const KeySlot& slot) {
  return std::any_of(slot.ranges.begin(), slot.ranges.end(),
                     [](const KeyRange& range) { return range.IsEverything(); });
}

// How many leading slots make ranges, no more than 'max'.
size_t UsableSlots(const std::vector<KeySlot>& slots, size_t max) {
  size_t combinations = 1;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (SaysNothing(slots[i]) || slots[i].ranges.size() > max / combinations) return i;
    combinations *= slots[i].ranges.size();
    if (!AllPoints(slots[i])) return i + 1;
  }
  return slots.size();
}

// Appends every combination of the slots from 'i' on; '*chosen' has those before.
void Combine(const KeySchema& schema, const std::vector<KeySlot>& slots, size_t i,
             std::vector<KeySlot>* chosen, std::vector<RowRange>* ranges) {
  if (i == slots.size()) {
    ranges->push_back(ComposeRowRange(schema, *chosen));
    return;
  }
  for (const KeyRange& range : slots[i].ranges) {
    chosen->push_back({{range}, slots[i].span});
    Combine(schema, slots, i + 1, chosen, ranges);
    chosen->pop_back();
  }
}

}  // namespace

std::vector<RowRange> RangesOfSlots(const KeySchema& schema, const std::vector<KeySlot>& slots,
                                    size_t max) {
  std::vector<KeySlot> used = slots;
  for (KeySlot& slot : used) slot.ranges = Coalesce(std::move(slot.ranges));
  const size_t buckets = schema.salted() ? static_cast<size_t>(schema.salt_buckets()) : size_t{1};
  used.resize(UsableSlots(used, max / buckets));
  std::vector<RowRange> ranges;
  if (used.empty()) return ranges;
  std::vector<KeySlot> chosen;
  Combine(schema, used, 0, &chosen, &ranges);
  std::erase_if(ranges, [](const RowRange& range) {
    return !range.stop.empty() && range.stop <= range.start;
  });
  std::vector<RowRange> all;
  for (const RowRange& range : ranges) {
    const std::vector<RowRange> salted = OverBuckets(schema, range);
    all.insert(all.end(), salted.begin(), salted.end());
  }
  std::sort(all.begin(), all.end(),
            [](const RowRange& a, const RowRange& b) { return a.start < b.start; });
  return all;
}

}  // namespace bennu::sql
