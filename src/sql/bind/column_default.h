// DEFAULT of columns.
#ifndef BENNU_SRC_SQL_BIND_COLUMN_DEFAULT_H_
#define BENNU_SRC_SQL_BIND_COLUMN_DEFAULT_H_

#include <cstdint>

#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/types/value.h"

namespace bennu::sql::bind {

// A column's DEFAULT as a value of its type; the column must have one. A DECIMAL keeps digits
// behind the column's scale, as in Phoenix. 'now_millis': of the statement.
Result<Value> DefaultOf(const catalog::ColumnMeta& column, int64_t now_millis);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_COLUMN_DEFAULT_H_
