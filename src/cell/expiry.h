// When cells expire by themselves: by the time to live of their family, and by one of their own.
// Source: hbase-cell spec section 6.
#ifndef BENNU_SRC_CELL_EXPIRY_H_
#define BENNU_SRC_CELL_EXPIRY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "src/cell/tags.h"

namespace bennu::cell {

inline constexpr int64_t kNeverExpires = std::numeric_limits<int64_t>::max();

// The put has a time to live of its own.
inline bool HasOwnTtl(const Cell& put) {
  return put.tags_length > 0 && FindTtlMillis(put.tags_view()).has_value();
}

// The last millisecond at which 'put' is shown. 'family_ttl_millis': kNeverExpires: the family has
// none.
inline int64_t LastMoment(const Cell& put, int64_t family_ttl_millis) {
  const int64_t ttl =
      std::min(family_ttl_millis, FindTtlMillis(put.tags_view()).value_or(kNeverExpires));
  int64_t last = kNeverExpires;
  if (ttl == kNeverExpires || __builtin_add_overflow(put.timestamp(), ttl, &last)) {
    return kNeverExpires;
  }
  return last;
}

// For how long the newest version of a column is shown, which MIN_VERSIONS keeps for ever.
inline int64_t TtlMillisOf(int32_t ttl_seconds, int32_t min_versions) {
  const bool expires = ttl_seconds != kTtlForever && ttl_seconds > 0 && min_versions <= 0;
  return expires ? int64_t{ttl_seconds} * 1000 : kNeverExpires;
}

// How long the families of a table show the newest version of a column.
class FamilyTtls {
 public:
  void Add(ByteView family, int64_t ttl_millis) {
    if (count_++ > 0 && ttl_millis != first_) are_the_same_ = false;
    if (count_ == 1) first_ = ttl_millis;
    if (ttl_millis != kNeverExpires) finite_.emplace_back(family, ttl_millis);
  }

  int64_t Of(ByteView family) const {
    for (const auto& [name, ttl_millis] : finite_) {
      if (family == name) return ttl_millis;
    }
    return kNeverExpires;
  }
  // Some family's cells expire.
  bool any() const { return !finite_.empty(); }

  // Whether a row's newest cells go all at one moment, by a TTL that is that of all families, or
  // none does. What is derived from the row, and has its time and the table's TTL, goes with them.
  bool ExpireTogether(std::span<const Cell> cells) const {
    std::optional<int64_t> last;
    for (const Cell& cell : cells) {
      if (HasOwnTtl(cell)) return false;
      if (finite_.empty()) continue;
      const int64_t own = LastMoment(cell, Of(cell.family()));
      if (last.value_or(own) != own || (!are_the_same_ && own != kNeverExpires)) return false;
      last = own;
    }
    return true;
  }

 private:
  std::vector<std::pair<Bytes, int64_t>> finite_;
  size_t count_ = 0;
  int64_t first_ = kNeverExpires;
  bool are_the_same_ = true;
};

}  // namespace bennu::cell

#endif  // BENNU_SRC_CELL_EXPIRY_H_
