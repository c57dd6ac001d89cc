// Reads, compares and stamps the cells of a MutationBatch's buffer without calls, for those who go
// through all of them. Pure functions.
#ifndef BENNU_SRC_CELL_BATCH_CELL_H_
#define BENNU_SRC_CELL_BATCH_CELL_H_

#include <cstddef>
#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "src/base/coding.h"
#include "src/cell/comparator.h"

namespace bennu::cell {

// Length, key length, value length: what stands before the flat key.
inline constexpr size_t kBatchCellHeadSize = 12;

// CellAt (bennu/mutation.h) for a buffer that begins at 'buffer'.
inline size_t ReadBatchCell(const char* buffer, size_t offset, Cell* cell) {
  const char* const at = buffer + offset;
  const uint32_t body = LoadBE32(at);
  cell->key_length = LoadBE32(at + 4);
  cell->value_length = LoadBE32(at + 8);
  cell->key = at + kBatchCellHeadSize;
  cell->value = cell->key + cell->key_length;
  const uint32_t used = 8 + cell->key_length + cell->value_length;
  cell->tags_length = body > used ? body - used - 2 : 0;
  cell->tags = cell->tags_length == 0 ? nullptr : cell->value + cell->value_length + 2;
  cell->sequence_id = 0;
  return offset + 4 + body;
}

// Gives the cell, which was read from 'buffer', another timestamp there.
inline void SetTimestampIn(char* buffer, const Cell& cell, int64_t timestamp) {
  char* const key = buffer + (cell.key - buffer);
  StoreBE64(key + cell.key_length - 9, static_cast<uint64_t>(timestamp));
}

// For the short names of families.
inline bool IsSameName(ByteView left, ByteView right) {
  return left.size() == right.size() &&
         internal::CompareEqualLength(left.data(), right.data(), left.size()) == 0;
}

}  // namespace bennu::cell

#endif  // BENNU_SRC_CELL_BATCH_CELL_H_
