#include "src/hfile/row_prefixes.h"

#include <algorithm>
#include <cstring>

#include "src/base/coding.h"

namespace bennu::hfile {

Bytes RowPrefixes::CommonPrefix(ByteView first, ByteView last) {
  const size_t common_max = std::min(first.size(), last.size());
  size_t common = 0;
  while (common < common_max && first[common] == last[common]) ++common;
  return Bytes(first.substr(0, common));
}

uint64_t RowPrefixes::NumberOf(ByteView row) const {
  const size_t begin = std::min(common_.size(), row.size());
  if (row.size() - begin >= sizeof(uint64_t)) return LoadBE64(row.data() + begin);
  char padded[sizeof(uint64_t)] = {};
  std::memcpy(padded, row.data() + begin, row.size() - begin);
  return LoadBE64(padded);
}

bool RowPrefixes::EndBefore(ByteView row) const {
  const int order = row.substr(0, common_.size()).compare(common_);
  return order != 0 ? order > 0 : numbers_[FenceCount() + count_ - 1] < NumberOf(row);
}

RowPrefixes::Span RowPrefixes::Narrow(ByteView row) const {
  const int order = row.substr(0, common_.size()).compare(common_);
  if (order != 0) return order < 0 ? Span{0, 0} : Span{count_, count_};
  const uint64_t wanted = NumberOf(row);
  const uint64_t* const fences = numbers_.get();
  const uint64_t* const fences_end = fences + FenceCount();
  const uint64_t* const numbers = fences_end;
  const uint64_t* const numbers_end = numbers + count_;
  // The group before the first fence that is not less holds the last lesser number.
  const auto groups = std::lower_bound(fences, fences_end, wanted) - fences;
  const uint64_t* low = numbers;
  if (groups > 0) {
    const uint64_t* const group = numbers + (groups - 1) * kStride;
    low = std::lower_bound(group, std::min(group + kStride, numbers_end), wanted);
  }
  const uint64_t* high = low;
  if (high != numbers_end && *high == wanted) {
    ++high;
    if (high != numbers_end && *high == wanted) high = std::upper_bound(high, numbers_end, wanted);
  }
  return {static_cast<uint32_t>(low - numbers), static_cast<uint32_t>(high - numbers)};
}

}  // namespace bennu::hfile
