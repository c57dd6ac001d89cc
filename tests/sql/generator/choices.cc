#include "tests/sql/generator/choices.h"

namespace bennu::sql::testing {

uint64_t Choices::Below(uint64_t count) {
  if (count < 2) return 0;
  if (of_bytes_) {
    // As many bytes as the count needs: a fuzzer that changes one byte changes one decision.
    uint64_t value = 0;
    for (uint64_t left = count - 1; left > 0; left >>= 8) {
      value = value << 8 | (offset_ < size_ ? data_[offset_] : 0);
      if (offset_ < size_) ++offset_;
    }
    return value % count;
  }
  // SplitMix64.
  state_ += 0x9e3779b97f4a7c15;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return (mixed ^ (mixed >> 31)) % count;
}

int64_t Choices::Between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
}

}  // namespace bennu::sql::testing
