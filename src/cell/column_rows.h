// ColumnRows: many rows of few columns, column by column, as scans of whole tables want them.
#ifndef BENNU_SRC_CELL_COLUMN_ROWS_H_
#define BENNU_SRC_CELL_COLUMN_ROWS_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "bennu/bytes.h"

namespace bennu {

// Whole rows, ascending, each with one version of a column at most. Owns nothing: views of memory
// that whoever hands it out pins. Immutable, so thread-safe.
struct ColumnRows {
  // The values of one column, a value for each row.
  struct Column {
    ByteView family;
    ByteView qualifier;
    // Values of one width stand 'stride' bytes apart; a stride of 0: all rows have the same value.
    // Where widths differ, row i's value ends at ends[i + 1] and begins at ends[i].
    const char* values = nullptr;
    const uint32_t* ends = nullptr;  // null: all values have 'width' bytes
    uint32_t width = 0;
    uint32_t stride = 0;
    const uint8_t* present =
        nullptr;  // a byte for each row, 0: it has no such cell; null: all have

    bool Has(uint32_t row) const { return present == nullptr || present[row] != 0; }
    bool HasAll(uint32_t begin, uint32_t end) const {
      return present == nullptr || std::memchr(present + begin, 0, end - begin) == nullptr;
    }
    // Only where the row has the cell.
    ByteView ValueAt(uint32_t row) const {
      if (ends != nullptr) return ByteView(values + ends[row], ends[row + 1] - ends[row]);
      return ByteView(values + size_t{row} * stride, width);
    }
  };

  ByteView KeyAt(uint32_t row) const {
    return ByteView(keys + key_ends[row], key_ends[row + 1] - key_ends[row]);
  }
  // Whether the key of row number 'number' sorts before 'row'.
  bool IsBefore(uint32_t number, ByteView row) const {
    const ByteView key = KeyAt(number);
    uint64_t left;
    uint64_t right;
    if (key.size() >= sizeof(left) && row.size() >= sizeof(right)) {
      std::memcpy(&left, key.data(), sizeof(left));
      std::memcpy(&right, row.data(), sizeof(right));
      if (left != right) return __builtin_bswap64(left) < __builtin_bswap64(right);
    }
    return key < row;
  }
  // Null when no row has the column.
  const Column* Find(ByteView family, ByteView qualifier) const {
    for (const Column& column : columns) {
      if (column.qualifier == qualifier && column.family == family) return &column;
    }
    return nullptr;
  }

  // The first of rows [from, end) at or behind 'row'; 'end' if there is none. The nearer it is to
  // 'from', the quicker.
  uint32_t LowerBound(ByteView row, uint32_t from, uint32_t end) const {
    uint32_t low = from;
    uint32_t high = end;
    for (uint32_t step = 1; step < high - low; step *= 2) {
      if (IsBefore(low + step - 1, row)) {
        low += step;
      } else {
        high = low + step - 1;
      }
    }
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (IsBefore(middle, row)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  uint32_t row_count = 0;
  const char* keys = nullptr;
  const uint32_t* key_ends = nullptr;  // row_count + 1 of them
  std::vector<Column> columns;         // in order of families and qualifiers
};

// Rows [begin, end) of 'rows'.
struct ColumnSlice {
  std::shared_ptr<const ColumnRows> rows;  // null: none
  uint32_t begin = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - begin; }
  void Clear() {
    rows = nullptr;
    begin = end = 0;
  }
};

}  // namespace bennu

#endif  // BENNU_SRC_CELL_COLUMN_ROWS_H_
