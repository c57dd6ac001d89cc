// Changes that are decided by what a row has, and written only if it still has that: others may
// write the same row meanwhile, in this process or, where the store is shared, from anywhere.
#ifndef BENNU_SRC_SQL_SESSION_ROW_CONDITION_H_
#define BENNU_SRC_SQL_SESSION_ROW_CONDITION_H_

#include <span>
#include <utility>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/table.h"

namespace bennu::sql::session {

// How often a change is decided anew because others were quicker. Each time another one got
// through, so that the bound is only met when something is wrong.
inline constexpr int kDecisionsMax = 1000;

using ColumnName = std::pair<ByteView, ByteView>;  // family and qualifier

// Holds while the row has in each of the columns the value that it has in 'row', or none where that
// has none. The first column is one that every row has that is there: without it in 'row', the
// condition is that there is still no such row.
Table::Condition Unchanged(ByteView key, const Row& row, std::span<const ColumnName> columns);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_ROW_CONDITION_H_
