// The rows of a table that an index is filled with, read by several threads.
#ifndef BENNU_SRC_SQL_INDEX_INDEX_BUILD_H_
#define BENNU_SRC_SQL_INDEX_INDEX_BUILD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// Hands all rows of the table that the index may have to 'use', at most 'rows_at_once' at a time,
// with what 'columns' says, as in Scan. 'use' is called by several threads. The first error ends
// it. Returns the number of rows.
Result<int64_t> ForEachRowToIndex(Connection* connection, const plan::IndexDefinition& definition,
                                  const std::map<Bytes, std::set<Bytes>>& columns,
                                  size_t rows_at_once,
                                  const std::function<Status(const CellBatch& rows)>& use,
                                  const IndexKeeper::Progress& progress);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_BUILD_H_
