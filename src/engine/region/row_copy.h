// Cells that outlive what they were views of.
#ifndef BENNU_SRC_ENGINE_REGION_ROW_COPY_H_
#define BENNU_SRC_ENGINE_REGION_ROW_COPY_H_

#include <cstddef>

#include "bennu/cell.h"
#include "bennu/scan.h"

namespace bennu::engine {

// A row that owns copies of the cells.
Row CopyRow(const Cell* cells, size_t count);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_ROW_COPY_H_
