// A row of a table as it is and as it will be, where a client looks at it before it writes.
#ifndef BENNU_SRC_SQL_INDEX_ROW_AFTER_H_
#define BENNU_SRC_SQL_INDEX_ROW_AFTER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "bennu/cell.h"
#include "bennu/mutation.h"

namespace bennu::sql::index {

// The newest cell of each column. 'versions': puts of one row, in HBase's order.
std::vector<Cell> NewestCells(std::span<const Cell> versions);

// 0: there are none.
int64_t LatestTime(std::span<const Cell> cells);

// What the row has once the mutation is done, which is newer than all that it has. 'before': as
// NewestCells gives it. Its puts and markers have one time, so that markers hide puts. Of other
// mutations than puts and deletes nothing is known. The cells point into 'before' and 'batch'.
std::vector<Cell> CellsAfter(std::span<const Cell> before, const MutationBatch& batch,
                             const MutationBatch::Row& mutation);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_ROW_AFTER_H_
