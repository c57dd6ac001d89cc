// WrittenRows: which rows of a table were written since some moment, for whoever reads a snapshot
// of that moment and wants to know which of its rows are still as it showed them.
#ifndef BENNU_SRC_SQL_INDEX_WRITTEN_ROWS_H_
#define BENNU_SRC_SQL_INDEX_WRITTEN_ROWS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "bennu/bytes.h"

namespace bennu::sql::index {

// A bit for each hash of a row, 1 MiB in all: a few rows seem to be written that are not, one in
// eight of them once a million rows were.
//
// Thread-safe. Add and MayHave of one row are called under its lock, which orders them.
class WrittenRows {
 public:
  void Add(ByteView row) {
    const size_t bit = BitOf(row);
    words_[bit / 64].fetch_or(uint64_t{1} << (bit % 64), std::memory_order_relaxed);
  }
  // As if every row had been written.
  void AddAll() { all_.store(true, std::memory_order_relaxed); }
  // False: it was not added.
  bool MayHave(ByteView row) const {
    if (all_.load(std::memory_order_relaxed)) return true;
    const size_t bit = BitOf(row);
    return (words_[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0;
  }

 private:
  static constexpr size_t kBits = size_t{1} << 23;
  static size_t BitOf(ByteView row) { return std::hash<ByteView>()(row) % kBits; }

  std::atomic<bool> all_{false};
  std::array<std::atomic<uint64_t>, kBits / 64> words_{};
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_WRITTEN_ROWS_H_
