#include "src/sql/keys/key_matcher.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bennu::sql {
namespace {

uint64_t Load(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// Neighbours differ at the end of their columns.
bool AreEqual(const char* left, const char* right, size_t size) {
  constexpr size_t kWord = sizeof(uint64_t);
  if (size < kWord || size > 2 * kWord) return std::memcmp(left, right, size) == 0;
  return Load(left + size - kWord) == Load(right + size - kWord) && Load(left) == Load(right);
}

// Whether all keys of rows [from, end) have 'size' bytes.
bool AreOfSize(const ColumnRows& rows, uint32_t from, uint32_t end, uint32_t size) {
  uint32_t differ = 0;
  for (uint32_t row = from; row < end; ++row) {
    differ |= (rows.key_ends[row + 1] - rows.key_ends[row]) ^ size;
  }
  return differ == 0;
}

}  // namespace

void KeyMatcher::Select(const ColumnRows& rows, uint32_t begin, uint32_t end,
                        std::vector<uint32_t>* allowed) const {
  if (begin == end) return;
  const Part& part = parts_.front();
  const auto stride = static_cast<uint32_t>(rows.KeyAt(begin).size());
  const bool quick = part.single && part.width >= sizeof(uint64_t) && stride >= key_size_ &&
                     AreOfSize(rows, begin, end, stride);
  if (!quick) {
    for (uint32_t row = begin; row < end; ++row) {
      if (Allows(rows.KeyAt(row))) allowed->push_back(row);
    }
    return;
  }
  // Most rows are told by the last bytes of one column.
  const size_t last_word = part.width - sizeof(uint64_t);
  const uint64_t wanted = Load(part.range.lower.data() + last_word);
  const char* bytes = rows.keys + rows.key_ends[begin] + part.offset + last_word;
  for (uint32_t row = begin; row < end; ++row, bytes += stride) {
    if (Load(bytes) == wanted && Allows(rows.KeyAt(row))) allowed->push_back(row);
  }
}

bool KeyMatcher::Part::Contains(const char* bytes) const {
  return single ? AreEqual(bytes, range.lower.data(), width) : range.Contains({bytes, width});
}

std::shared_ptr<const KeyMatcher> KeyMatcher::Make(const KeySchema& schema,
                                                   const std::vector<KeySlot>& slots) {
  auto matcher = std::make_shared<KeyMatcher>();
  size_t offset = schema.prefix_size();
  for (size_t i = 0; i < slots.size(); ++i) {
    const KeySlot& slot = slots[i];
    if (slot.span > 0 || !schema.IsFixed(i)) break;
    const size_t width = schema.FixedWidthOf(i);
    if (slot.ranges.size() == 1 && !slot.ranges[0].IsEverything()) {
      Part part;
      part.offset = offset;
      part.width = width;
      part.range = slot.ranges[0];
      part.single = part.range.IsSingle() && part.range.lower.size() == width;
      matcher->parts_.push_back(std::move(part));
      matcher->key_size_ = offset + width;
    }
    offset += width;
  }
  if (matcher->parts_.empty()) return nullptr;
  // The last column is the one that tells most rows apart.
  std::reverse(matcher->parts_.begin(), matcher->parts_.end());
  return matcher;
}

}  // namespace bennu::sql
