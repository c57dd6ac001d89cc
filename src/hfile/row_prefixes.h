// RowPrefixes: eight bytes of each of many ascending rows, side by side, so that a search among
// them touches a few cache lines instead of a few per probe.
//
// The bytes are those behind what all rows have in common, zero-padded, as big-endian numbers:
// where two numbers differ, the rows are ordered as the numbers are; where they are equal, the rows
// themselves must be compared. Every kStride-th number is repeated in front ("fences"), so that a
// search reads the fences and then one group.
//
// Who uses it: Block for its rows, IndexBlock for the rows of its keys. Immutable after Build, so
// thread-safe. Rows are ordered by their bytes: not for hbase:meta.
#ifndef BENNU_SRC_HFILE_ROW_PREFIXES_H_
#define BENNU_SRC_HFILE_ROW_PREFIXES_H_

#include <cstdint>
#include <memory>

#include "bennu/bytes.h"

namespace bennu::hfile {

class RowPrefixes {
 public:
  // 'row_at(i)' returns row i of 'count', ascending (repeats allowed), as a view. Rows that are out
  // of order (damaged files) make searches miss, nothing worse.
  template <typename RowAt>
  void Build(uint32_t count, RowAt row_at) {
    count_ = count;
    if (count == 0) return;
    const uint32_t fences = FenceCount();
    numbers_.reset(new uint64_t[fences + count]);
    common_ = CommonPrefix(row_at(0), row_at(count - 1));
    for (uint32_t i = 0; i < count; ++i) {
      numbers_[fences + i] = NumberOf(row_at(i));
      if (i % kStride == 0) numbers_[i / kStride] = numbers_[fences + i];
    }
  }

  // Rows before 'low' are less than the row searched for, those from 'high' on greater; those
  // between must be compared. Only after Build with at least one row.
  struct Span {
    uint32_t low;
    uint32_t high;
  };
  Span Narrow(ByteView row) const;
  // Whether the last row is known to be less than this one, by a look at its number alone.
  bool EndBefore(ByteView row) const;

  bool built() const { return numbers_ != nullptr; }
  // Without this object itself.
  size_t memory_bytes() const {
    return built() ? (FenceCount() + count_) * sizeof(uint64_t) + common_.capacity() : 0;
  }

 private:
  // Two cache lines of numbers: about what a fence costs to read.
  static constexpr uint32_t kStride = 16;

  static Bytes CommonPrefix(ByteView first, ByteView last);
  uint32_t FenceCount() const { return (count_ + kStride - 1) / kStride; }
  uint64_t NumberOf(ByteView row) const;

  uint32_t count_ = 0;
  Bytes common_;                         // of all rows
  std::unique_ptr<uint64_t[]> numbers_;  // the fences, then a number for each row
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_ROW_PREFIXES_H_
