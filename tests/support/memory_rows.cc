#include "tests/support/memory_rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "src/cell/tags.h"

namespace bennu::testing {
namespace {

constexpr int64_t kNothingHidden = std::numeric_limits<int64_t>::min();

// The delete markers of one family of one row.
struct Markers {
  int64_t family_until = kNothingHidden;
  std::set<int64_t> family_versions;
  std::map<Bytes, int64_t> column_until;
  std::map<Bytes, std::set<int64_t>> versions;

  void Add(const MemoryCell& cell) {
    switch (cell.type) {
      case CellType::kDeleteFamily: family_until = std::max(family_until, cell.timestamp); break;
      case CellType::kDeleteFamilyVersion: family_versions.insert(cell.timestamp); break;
      case CellType::kDeleteColumn: {
        auto [it, added] = column_until.emplace(cell.qualifier, cell.timestamp);
        if (!added) it->second = std::max(it->second, cell.timestamp);
        break;
      }
      default: versions[cell.qualifier].insert(cell.timestamp);
    }
  }

  bool Hides(const MemoryCell& cell) const {
    if (cell.timestamp <= family_until) return true;
    if (family_versions.contains(cell.timestamp)) return true;
    const auto column = column_until.find(cell.qualifier);
    if (column != column_until.end() && cell.timestamp <= column->second) return true;
    const auto version = versions.find(cell.qualifier);
    return version != versions.end() && version->second.contains(cell.timestamp);
  }
};

bool Wanted(const MemoryCell& cell, const VisibilityRequest& request) {
  if (request.columns.empty()) return true;
  const auto family = request.columns.find(cell.family);
  if (family == request.columns.end()) return false;
  return family->second.empty() || family->second.contains(cell.qualifier);
}

bool MarkerCounts(const MemoryCell& marker, KeepDeletedCells keep,
                  const VisibilityRequest& request) {
  if (keep == KeepDeletedCells::kFalse) return marker.timestamp >= request.time_range.min;
  return request.time_range.Contains(marker.timestamp);
}

bool NamesColumns(const Bytes& family, const VisibilityRequest& request) {
  const auto columns = request.columns.find(family);
  return columns != request.columns.end() && !columns->second.empty();
}

// Counts the versions of one column and says which are within the limits.
class VersionCounter {
 public:
  VersionCounter(const ColumnFamilyDescriptor& family, const VisibilityRequest& request)
      : limit_(request.raw ? request.max_versions
                           : std::min(request.max_versions, family.max_versions())),
        min_versions_(family.min_versions()),
        names_columns_(!request.raw && NamesColumns(family.name, request)),
        oldest_ms_(request.raw || family.ttl_seconds() == kTtlForever
                       ? std::numeric_limits<int64_t>::min()
                       : request.now_ms - int64_t{1000} * family.ttl_seconds()) {}

  bool Take(const MemoryCell& cell) {
    if (last_ != nullptr && last_->qualifier == cell.qualifier) {
      if (last_->timestamp == cell.timestamp && last_->type == cell.type) return false;
    } else {
      count_ = 0;
      over_ = false;
    }
    last_ = &cell;
    if (IsDelete(cell.type)) return true;
    ++count_;
    const bool expired = cell.timestamp < oldest_ms_;
    if (count_ > limit_ || (expired && min_versions_ == 0)) return false;
    if (!names_columns_) return !expired || count_ <= min_versions_;
    // HBase's reads of named columns end with the first expired one that MIN_VERSIONS does not
    // need.
    const bool shown = !over_;
    over_ |= expired && count_ >= min_versions_;
    return shown;
  }

 private:
  const int32_t limit_;
  const int32_t min_versions_;
  const bool names_columns_;
  const int64_t oldest_ms_;
  const MemoryCell* last_ = nullptr;
  int32_t count_ = 0;
  bool over_ = false;
};

void AddVisibleOfFamily(const ColumnFamilyDescriptor& family,
                        const std::vector<const MemoryCell*>& cells,
                        const VisibilityRequest& request, std::vector<const MemoryCell*>* out) {
  Markers markers;
  for (const MemoryCell* cell : cells) {
    if (IsDelete(cell->type) && MarkerCounts(*cell, family.keep_deleted_cells(), request)) {
      markers.Add(*cell);
    }
  }
  VersionCounter versions(family, request);
  for (const MemoryCell* cell : cells) {
    const auto ttl = cell::FindTtlMillis(cell->tags);
    if (ttl.has_value() && cell->timestamp + *ttl < request.now_ms) continue;
    if (!Wanted(*cell, request) || !request.time_range.Contains(cell->timestamp)) continue;
    if (!request.raw && (IsDelete(cell->type) || markers.Hides(*cell))) continue;
    if (versions.Take(*cell)) out->push_back(cell);
  }
}

}  // namespace

bool operator<(const MemoryCell& a, const MemoryCell& b) {
  // Timestamp, type and arrival are in descending order.
  return std::tie(a.row, a.family, a.qualifier, b.timestamp, b.type, b.sequence) <
         std::tie(b.row, b.family, b.qualifier, a.timestamp, a.type, a.sequence);
}

std::vector<const MemoryCell*> VisibleCells(const TableDescriptor& descriptor,
                                            const std::vector<const MemoryCell*>& cells,
                                            const VisibilityRequest& request) {
  std::map<Bytes, std::vector<const MemoryCell*>> by_family;
  for (const MemoryCell* cell : cells) by_family[cell->family].push_back(cell);
  std::vector<const MemoryCell*> visible;
  for (const auto& [name, family_cells] : by_family) {
    const ColumnFamilyDescriptor* family = descriptor.FindFamily(name);
    if (family == nullptr) continue;  // dropped: its data is gone
    VisibilityRequest own = request;
    const auto range = request.family_time_ranges.find(name);
    if (range != request.family_time_ranges.end()) own.time_range = range->second;
    std::vector<const MemoryCell*> of_family;
    AddVisibleOfFamily(*family, family_cells, own, &of_family);
    for (size_t i = 0; i < of_family.size(); ++i) {
      const int64_t place = static_cast<int64_t>(i) - request.row_offset_per_family;
      const bool beyond =
          request.max_results_per_family >= 0 && place >= request.max_results_per_family;
      if (place >= 0 && !beyond) visible.push_back(of_family[i]);
    }
  }
  return visible;
}

}  // namespace bennu::testing
