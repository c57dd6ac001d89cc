// The cell that holds all columns of a family of a SINGLE_CELL_ARRAY_WITH_OFFSETS table.
//
//   data | offset of each element, negative where it is absent | int32 where the offsets begin |
//   int32 count, negative when the offsets have four bytes | version 3
//
// Element 0 is the constant 'x'. Source: phoenix-storage.md section 2.
#ifndef BENNU_SRC_SQL_TYPES_SINGLE_CELL_H_
#define BENNU_SRC_SQL_TYPES_SINGLE_CELL_H_

#include <cstdint>
#include <optional>
#include <span>

#include "bennu/bytes.h"

namespace bennu::sql {

// Appends the cell of these elements, from element 1 on; nothing: absent.
void AppendSingleCell(std::span<const std::optional<ByteView>> elements, Bytes* out);

// The bytes of element 'element', a view of 'cell'; nothing when it is absent or the cell is
// malformed.
std::optional<ByteView> SingleCellElement(ByteView cell, int32_t element);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_SINGLE_CELL_H_
