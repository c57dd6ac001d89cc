// How large Phoenix takes rows to be, for EXPLAIN.
#ifndef BENNU_SRC_SQL_EXEC_ESTIMATE_H_
#define BENNU_SRC_SQL_EXEC_ESTIMATE_H_

#include <cstdint>

#include "src/sql/catalog/table.h"

namespace bennu::sql::exec {

// Bytes of a row with a cell for each column, all of typical size. Source: the recordings of
// explain/ (point look-ups, scans with LIMIT).
int64_t EstimatedRowBytes(const catalog::TableMeta& table);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_ESTIMATE_H_
