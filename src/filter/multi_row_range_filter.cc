// MultiRowRangeFilter: rows in one of several ranges, with jumps from range to range.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/filter/decoders.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

using Ranges = std::vector<RowRange>;

bool Contains(const RowRange& range, ByteView row) {
  const int above = row.compare(range.start);
  if (range.start_inclusive ? above < 0 : above <= 0) return false;
  if (range.stop.empty()) return true;
  const int below = row.compare(range.stop);
  return range.stop_inclusive ? below <= 0 : below < 0;
}

bool IsValid(const RowRange& range) {
  return range.start.empty() || range.stop.empty() || range.start < range.stop ||
         (range.start == range.stop && range.stop_inclusive);
}

// Sorts the ranges and joins those that overlap or touch. The first range of those that begin
// together says whether their first row belongs to them, as in HBase.
Result<Ranges> SortAndJoin(Ranges ranges) {
  if (ranges.empty()) return InvalidArgument("MultiRowRangeFilter: no range is given");
  for (const RowRange& range : ranges) {
    if (IsValid(range)) continue;
    return InvalidArgument("MultiRowRangeFilter: the range from '" + ToStringBinary(range.start) +
                           "' to '" + ToStringBinary(range.stop) + "' holds no row");
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const RowRange& left, const RowRange& right) {
    return left.start < right.start;
  });
  Ranges joined;
  for (RowRange& range : ranges) {
    if (joined.empty()) {
      joined.push_back(std::move(range));
      continue;
    }
    RowRange& last = joined.back();
    if (last.stop.empty()) break;
    const int gap = range.start.compare(last.stop);
    if (gap > 0 || (gap == 0 && !last.stop_inclusive && !range.start_inclusive)) {
      joined.push_back(std::move(range));
      continue;
    }
    const int longer = range.stop.empty() ? 1 : range.stop.compare(last.stop);
    if (longer > 0) {
      last.stop = std::move(range.stop);
      last.stop_inclusive = range.stop_inclusive;
    } else if (longer == 0) {
      last.stop_inclusive = last.stop_inclusive || range.stop_inclusive;
    }
  }
  return joined;
}

// Finds the range of each row. Rows come in the order of the scan, so that mostly the last range or
// the next one is it.
class MultiRowRangeFilter final : public Filter {
 public:
  explicit MultiRowRangeFilter(std::shared_ptr<const Ranges> ranges) : ranges_(std::move(ranges)) {}
  FilterPtr Clone() const override {
    auto clone = std::make_unique<MultiRowRangeFilter>(ranges_);
    clone->reversed_ = reversed_;
    return clone;
  }
  bool FilterAllRemaining() override { return done_; }
  bool FilterRowKey(ByteView row) override {
    if (done_) return true;
    const RowRange* range = FindRange(row);
    if (range == nullptr) {
      done_ = true;
      code_ = Code::kNextRow;
    } else if (Contains(*range, row)) {
      code_ = Code::kInclude;
    } else if (row == ByteView(NearBound(*range))) {
      code_ = Code::kNextRow;  // its bound, which does not belong to it: the range is one row away
    } else {
      hint_range_ = range;
      code_ = Code::kSeekUsingHint;
    }
    return false;
  }
  Code FilterCell(const Cell& /*cell*/) override { return code_; }
  bool NextCellHint(const Cell& /*current*/, Bytes* flat_key) override {
    flat_key->clear();
    cell::AppendFirstOnRow(flat_key, NearBound(*hint_range_));
    return true;
  }
  bool GivesHints() const override { return true; }
  bool LooksAtRowsOnly() const override { return true; }
  Bytes class_name() const override { return ClassName("MultiRowRangeFilter"); }
  Bytes Encode() const override {
    pb::MultiRowRangeFilter message;
    for (const RowRange& range : *ranges_) {
      pb::RowRange* part = message.add_row_range_list();
      part->set_start_row(range.start);
      part->set_start_row_inclusive(range.start_inclusive);
      part->set_stop_row(range.stop);
      part->set_stop_row_inclusive(range.stop_inclusive);
    }
    return Serialize(message);
  }

 private:
  // The bound that the scan comes to first.
  const Bytes& NearBound(const RowRange& range) const {
    return reversed_ ? range.stop : range.start;
  }
  // The range that holds 'row' or, without one, the first that lies ahead; null when none does.
  const RowRange* FindRange(ByteView row) const {
    const Ranges& ranges = *ranges_;
    if (!reversed_) {
      const auto ahead = std::partition_point(
          ranges.begin(), ranges.end(), [&](const RowRange& range) { return IsBelow(range, row); });
      return ahead == ranges.end() ? nullptr : &*ahead;
    }
    const auto above = std::partition_point(
        ranges.begin(), ranges.end(), [&](const RowRange& range) { return !IsAbove(range, row); });
    return above == ranges.begin() ? nullptr : &*(above - 1);
  }
  static bool IsBelow(const RowRange& range, ByteView row) {
    if (range.stop.empty()) return false;
    const int order = row.compare(range.stop);
    return range.stop_inclusive ? order > 0 : order >= 0;
  }
  static bool IsAbove(const RowRange& range, ByteView row) {
    const int order = row.compare(range.start);
    return range.start_inclusive ? order < 0 : order <= 0;
  }

  const std::shared_ptr<const Ranges> ranges_;  // sorted, apart from each other
  const RowRange* hint_range_ = nullptr;
  Code code_ = Code::kSkip;
  bool done_ = false;
};

}  // namespace

Result<FilterPtr> DecodeMultiRowRangeFilter(ByteView bytes) {
  pb::MultiRowRangeFilter message;
  RETURN_IF_ERROR(Parse(bytes, "MultiRowRangeFilter", &message));
  Ranges ranges;
  for (const pb::RowRange& part : message.row_range_list()) {
    ranges.push_back(
        {part.start_row(), part.start_row_inclusive(), part.stop_row(), part.stop_row_inclusive()});
  }
  return NewMultiRowRangeFilter(std::move(ranges));
}

}  // namespace filter

Result<FilterPtr> NewMultiRowRangeFilter(std::vector<RowRange> ranges) {
  ASSIGN_OR_RETURN(std::vector<RowRange> joined, filter::SortAndJoin(std::move(ranges)));
  return FilterPtr(std::make_unique<filter::MultiRowRangeFilter>(
      std::make_shared<const std::vector<RowRange>>(std::move(joined))));
}

}  // namespace bennu
