#include "src/sql/keys/skip_scan.h"

#include <algorithm>
#include <utility>

#include "src/base/check.h"

namespace bennu::sql {
namespace {

// Does the whole range lie below 'part'?
bool LiesBelow(const KeyRange& range, ByteView part) {
  if (!range.upper_bounded) return false;
  const int order = ByteView(range.upper).compare(part);
  return order < 0 || (order == 0 && !range.upper_inclusive);
}

bool LiesAbove(const KeyRange& range, ByteView part) {
  if (!range.lower_bounded) return false;
  const int order = ByteView(range.lower).compare(part);
  return order > 0 || (order == 0 && !range.lower_inclusive);
}

// The first range that does not lie below 'part'. Rows come in order, so a look at the last answer
// and the one after it is mostly enough.
size_t FindRange(const std::vector<KeyRange>& ranges, ByteView part, size_t hint) {
  const auto is_answer = [&](size_t i) {
    return (i == ranges.size() || !LiesBelow(ranges[i], part)) &&
           (i == 0 || LiesBelow(ranges[i - 1], part));
  };
  if (hint <= ranges.size() && is_answer(hint)) return hint;
  if (hint < ranges.size() && is_answer(hint + 1)) return hint + 1;
  const auto found = std::partition_point(
      ranges.begin(), ranges.end(), [&](const KeyRange& range) { return LiesBelow(range, part); });
  return static_cast<size_t>(found - ranges.begin());
}

}  // namespace

SkipScanNavigator::SkipScanNavigator(std::shared_ptr<const KeySchema> schema,
                                     std::shared_ptr<const std::vector<KeySlot>> slots)
    : schema_(std::move(schema)),
      slots_(std::move(slots)),
      layout_(schema_.get(), slots_.get()),
      places_(slots_->size()) {
  BENNU_CHECK(!slots_->empty());
  for (const KeySlot& slot : *slots_) BENNU_CHECK(!slot.ranges.empty());
  to_last_column_ = layout_.CoversLastColumn(slots_->size() - 1);
}

std::unique_ptr<RowNavigator> SkipScanNavigator::Clone() const {
  return std::make_unique<SkipScanNavigator>(schema_, slots_);
}

RowNavigator::Decision SkipScanNavigator::Navigate(ByteView row, Bytes* seek_row) {
  if (has_end_) {
    if (row < ByteView(end_)) return Decision::kInclude;
    has_end_ = false;
  }
  Decision decision = Decision::kInclude;
  size_t position = std::min(schema_->prefix_size(), row.size());
  for (size_t i = 0; i < slots_->size(); ++i) {
    Place& place = places_[i];
    const std::vector<KeyRange>& ranges = (*slots_)[i].ranges;
    place.part = layout_.PartOf(row, i, position);
    position = place.part.next;
    const ByteView part = place.part.In(row);
    place.range = FindRange(ranges, part, place.range);
    if (place.range < ranges.size() && !LiesAbove(ranges[place.range], part)) continue;
    if (MustStep(row, i)) {
      seek_row->clear();  // one step, see below
      decision = Decision::kSeek;
      break;
    }
    const bool sought = place.range < ranges.size() && SeekToRange(row, i, place.range, seek_row);
    decision = sought ? Decision::kSeek : SeekPast(row, i, seek_row);
    break;
  }
  if (decision == Decision::kInclude) {
    // Behind a single value of the last column comes another combination.
    const size_t last = slots_->size() - 1;
    if (!to_last_column_ || !(*slots_)[last].ranges[places_[last].range].IsSingle()) {
      RememberEnd(row);
    }
  } else if (decision == Decision::kSeek && ByteView(*seek_row) <= row) {
    // Out of order, or no key of this table: the least step forward leaves out nothing.
    seek_row->assign(row);
    seek_row->push_back('\0');
  }
  return decision;
}

bool SkipScanNavigator::MustStep(ByteView row, size_t i) const {
  if (layout_.IsOutOfOrder(i, places_[i].part.In(row))) return true;
  // A row that ends before such a column comes first, its NULL does not; and behind its NULL, rows
  // stand among those with values that begin alike (KeySchema::StepInRow).
  for (size_t k = 0; k < i; ++k) {
    const SlotPart& part = places_[k].part;
    if (!layout_.IsOutOfOrder(k, part.In(row))) continue;
    const bool may_be_null = part.begin == part.end || layout_.slot(k).span > 0;
    if (may_be_null || part.next >= row.size()) return true;
  }
  return false;
}

void SkipScanNavigator::BuildPrefix(ByteView row, size_t i, Bytes* prefix) const {
  prefix->assign(row.substr(0, schema_->prefix_size()));
  for (size_t k = 0; k < i; ++k) {
    if (!layout_.AppendPart(k, places_[k].part.In(row), prefix)) return;
  }
}

bool SkipScanNavigator::SeekToRange(ByteView row, size_t i, size_t range, Bytes* seek_row) const {
  BuildPrefix(row, i, seek_row);
  return layout_.AppendLower(i, range, seek_row);
}

bool SkipScanNavigator::StepSlot(ByteView row, size_t i, Bytes* seek_row) const {
  const std::vector<KeyRange>& ranges = (*slots_)[i].ranges;
  const KeyRange& range = ranges[places_[i].range];
  const ByteView part = places_[i].part.In(row);
  const bool at_end = range.upper_bounded && ByteView(range.upper) == part;
  if (!at_end || layout_.IsOutOfOrder(i, part)) {
    BuildPrefix(row, i, seek_row);
    if (layout_.IsFixed(i)) {
      const std::optional<Bytes> next = NextKey(part);
      if (next.has_value() && range.Contains(*next)) {
        if (!layout_.AppendPart(i, *next, seek_row)) return true;
        if (i + 1 == slots_->size() || layout_.AppendLower(i + 1, 0, seek_row)) return true;
      }
    } else {
      layout_.AppendPart(i, part, seek_row);
      if (PrefixSuccessor(seek_row)) return true;
    }
  }
  const size_t next_range = places_[i].range + 1;
  return next_range < ranges.size() && SeekToRange(row, i, next_range, seek_row);
}

RowNavigator::Decision SkipScanNavigator::SeekPast(ByteView row, size_t i, Bytes* seek_row) const {
  while (i-- > 0) {
    if (StepSlot(row, i, seek_row)) return Decision::kSeek;
  }
  if (!schema_->salted() || row.empty()) return Decision::kDone;
  const int next_bucket = static_cast<uint8_t>(row[0]) + 1;
  if (next_bucket >= schema_->salt_buckets()) return Decision::kDone;
  seek_row->assign(1, static_cast<char>(next_bucket));
  return layout_.AppendLower(0, 0, seek_row) ? Decision::kSeek : Decision::kDone;
}

void SkipScanNavigator::RememberEnd(ByteView row) {
  const size_t last = slots_->size() - 1;
  for (size_t i = 0; i <= last; ++i) {
    if (layout_.IsOutOfOrder(i, places_[i].part.In(row))) return;
  }
  BuildPrefix(row, last, &end_);
  has_end_ = layout_.AppendUpper(last, places_[last].range, &end_);
}

}  // namespace bennu::sql
