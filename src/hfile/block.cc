#include "src/hfile/block.h"

#include <algorithm>

#include "src/cell/comparator.h"

namespace bennu::hfile {

namespace {

// Fewer are found as quickly without their prefixes.
constexpr uint32_t kPrefixedRowsMin = 8;

}  // namespace

Block::Block(Parts parts) : CachedBlock(kKind), parts_(std::move(parts)) {
  if (parts_.meta_order || parts_.row_count < kPrefixedRowsMin) return;
  prefixes_.Build(parts_.row_count, [this](uint32_t row) { return RowAt(parts_.rows[row]); });
}

// Where rows have about as many cells each, the row lies at or near the place that the cell's share
// of the block tells: the search begins there and steps away from it, ever farther.
uint32_t Block::RowOf(uint32_t index) const {
  const uint32_t* const rows = parts_.rows.get();
  auto low = static_cast<uint32_t>(uint64_t{index} * parts_.row_count / parts_.cell_count);
  uint32_t high = low + 1;
  uint32_t step = 1;
  for (; rows[low] > index; step *= 2) {
    high = low;
    low -= std::min(low, step);
  }
  for (; rows[high] <= index; step *= 2) {
    low = high;
    high += std::min(parts_.row_count - high, step);
  }
  return static_cast<uint32_t>(std::upper_bound(rows + low, rows + high, index) - rows) - 1;
}

uint32_t Block::CellFrom(uint32_t key_offset) const {
  const Entry* const first = parts_.entries.get();
  const Entry* const found = std::lower_bound(
      first, first + parts_.cell_count, key_offset,
      [](const Entry& entry, uint32_t offset) { return entry.key_offset < offset; });
  return static_cast<uint32_t>(found - first);
}

uint32_t Block::RowLowerBound(ByteView row) const {
  RowPrefixes::Span span = {0, parts_.row_count};
  if (prefixes_.built()) span = prefixes_.Narrow(row);
  auto [low, high] = span;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const ByteView at = RowAt(parts_.rows[middle]);
    const int order =
        parts_.meta_order ? cell::CompareMetaRows(at, row) : cell::CompareRows(at, row);
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint32_t Block::LowerBound(ByteView flat_key) const {
  const ByteView row(flat_key.data() + 2, LoadBE16(flat_key.data()));
  const uint32_t row_number = RowLowerBound(row);
  if (row_number == parts_.row_count) return parts_.cell_count;
  uint32_t low = parts_.rows[row_number];
  if (RowAt(low) != row) return low;
  uint32_t high = parts_.rows[row_number + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (cell::CompareFlatKeysWithinRow(KeyAt(middle), flat_key) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t Block::memory_bytes() const {
  return sizeof(*this) + parts_.data_size + parts_.cell_count * sizeof(Entry) +
         (parts_.row_count + 1) * sizeof(uint32_t) + prefixes_.memory_bytes() +
         (parts_.sequence_ids == nullptr ? 0 : parts_.cell_count * sizeof(uint64_t));
}

}  // namespace bennu::hfile
