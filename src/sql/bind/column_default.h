// DEFAULT of columns: what a column has in rows that nobody gave a value.
//
// Key columns get theirs when a row is written, other columns when it is read, or when ON DUPLICATE
// KEY computes with the row.
#ifndef BENNU_SRC_SQL_BIND_COLUMN_DEFAULT_H_
#define BENNU_SRC_SQL_BIND_COLUMN_DEFAULT_H_

#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/types/value.h"

namespace bennu::sql::bind {

// A column's DEFAULT as a value of its type; the column must have one. A DECIMAL keeps digits
// behind the column's scale, as in Phoenix. 'now_millis': of the statement.
Result<Value> DefaultOf(const catalog::ColumnMeta& column, int64_t now_millis);

// The same as the column stores it; empty when it has no DEFAULT.
Result<Bytes> EncodedDefaultOf(const catalog::ColumnMeta& column, int64_t now_millis);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_COLUMN_DEFAULT_H_
