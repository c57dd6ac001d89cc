#include "src/engine/region/store_set.h"

#include <algorithm>

namespace bennu::engine {

bool StoreSet::has_references() const {
  return std::any_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.store->has_references(); });
}

uint64_t StoreSet::size_bytes() const {
  uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.store->size_bytes();
  return bytes;
}

uint64_t StoreSet::max_sequence_id() const {
  uint64_t max = 0;
  for (const Entry& entry : entries) max = std::max(max, entry.store->max_sequence_id());
  return max;
}

void StoreSet::SortByFamily() {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& left, const Entry& right) { return left.family < right.family; });
}

}  // namespace bennu::engine
