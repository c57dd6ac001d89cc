#include "src/engine/store/version_tracker.h"

#include <algorithm>

namespace bennu::engine {

VersionTracker::VersionTracker(int32_t versions_max)
    : versions_max_(static_cast<size_t>(std::max(versions_max, 1))) {}

void VersionTracker::NextColumn() {
  column_ = family_;
  has_last_put_ = false;
}

void VersionTracker::AddVersionMarker(const Cell& marker, Eras* eras) {
  Era& era = eras->lower_bound(marker.sequence_id)->second;
  era.version_markers[marker.timestamp()].insert(marker.sequence_id);
  // The span that the marker cuts: what was counted there and written before it stays counted.
  const std::set<uint64_t>& cut = era.spans.lower_bound(marker.sequence_id)->second;
  std::set<uint64_t> before(cut.begin(), cut.lower_bound(marker.sequence_id));
  era.spans[marker.sequence_id] = std::move(before);
}

void VersionTracker::AddMarker(const Cell& marker) {
  has_last_put_ = false;
  Era ended;
  ended.hidden_until = marker.timestamp();
  switch (marker.type()) {
    case CellType::kDeleteFamily:
      // The column without a qualifier has been entered already.
      family_[marker.sequence_id] = ended;
      column_[marker.sequence_id] = std::move(ended);
      break;
    case CellType::kDeleteFamilyVersion:
      AddVersionMarker(marker, &family_);
      AddVersionMarker(marker, &column_);
      break;
    case CellType::kDeleteColumn: column_[marker.sequence_id] = std::move(ended); break;
    default: AddVersionMarker(marker, &column_); break;
  }
}

bool VersionTracker::CountIn(Era* era, uint64_t written, uint64_t until) const {
  for (auto span = era->spans.lower_bound(written);
       span != era->spans.end() && span->first <= until; ++span) {
    if (span->second.size() >= versions_max_) return false;
    span->second.insert(written);
  }
  return true;
}

bool VersionTracker::Hides(const Cell& put) {
  const uint64_t written = put.sequence_id;
  const int64_t timestamp = put.timestamp();
  // The newest write of one timestamp comes first and replaces the others from then on.
  const bool repeat = has_last_put_ && last_put_timestamp_ == timestamp;
  const uint64_t replaced = repeat ? last_put_written_ : kForever;
  if (!repeat) {
    has_last_put_ = true;
    last_put_timestamp_ = timestamp;
    last_put_written_ = written;
  }
  for (auto it = column_.lower_bound(written); it != column_.end(); ++it) {
    Era& era = it->second;
    uint64_t deleted = kForever;
    const auto markers = era.version_markers.find(timestamp);
    if (markers != era.version_markers.end()) {
      const auto marker = markers->second.lower_bound(written);
      if (marker != markers->second.end()) deleted = *marker;
    }
    if (!CountIn(&era, written, std::min(replaced, deleted))) return true;
    if (deleted != kForever || timestamp <= era.hidden_until) return true;
  }
  return repeat;
}

}  // namespace bennu::engine
