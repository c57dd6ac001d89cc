// Cells that outlive what they were views of.
#ifndef BENNU_SRC_CELL_ROW_COPY_H_
#define BENNU_SRC_CELL_ROW_COPY_H_

#include <cstddef>

#include "bennu/cell.h"
#include "bennu/scan.h"

namespace bennu::cell {

// A row that owns copies of the cells.
Row CopyRow(const Cell* cells, size_t count);

}  // namespace bennu::cell

#endif  // BENNU_SRC_CELL_ROW_COPY_H_
