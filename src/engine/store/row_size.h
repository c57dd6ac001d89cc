// RowSize: adds up what a reader takes of a row at a time, and refuses more than rows may have.
#ifndef BENNU_SRC_ENGINE_STORE_ROW_SIZE_H_
#define BENNU_SRC_ENGINE_STORE_ROW_SIZE_H_

#include <cstdint>
#include <string>

#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/base/hex.h"

namespace bennu::engine {

// HBase's property, and its value where none is given.
inline constexpr char kRowBytesMaxKey[] = "hbase.table.max.rowsize";
inline constexpr int64_t kRowBytesMax = int64_t{1} << 30;

class RowSize {
 public:
  // 'limit' in bytes; 0: none.
  explicit RowSize(uint64_t limit) : limit_(limit) {}

  uint64_t bytes() const { return bytes_; }
  void Clear() { bytes_ = 0; }

  // ResourceExhausted: with this cell the row is larger than the limit. Source: StoreScanner.next
  // of HBase, whose RowTooBigException this is, with the sizes of its serialized cells.
  Status Add(const Cell& cell) {
    bytes_ += uint64_t{12} + cell.key_length + cell.value_length + cell.tags_length;
    if (limit_ == 0 || bytes_ <= limit_) return Status();
    return TooBig(cell);
  }

 private:
  Status TooBig(const Cell& cell) const {
    return Status(StatusCode::kResourceExhausted,
                  "row '" + ToStringBinary(cell.row()) + "', family '" +
                      ToStringBinary(cell.family()) + "' has more than " + std::to_string(limit_) +
                      " bytes to be read at once, the limit of " + kRowBytesMaxKey +
                      "; read it in parts (a batch, or partial results), ask for fewer columns, or "
                      "raise the limit");
  }

  const uint64_t limit_;
  uint64_t bytes_ = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_ROW_SIZE_H_
