// Values put into columns: Phoenix's rules for what UPSERT may assign.
#ifndef BENNU_SRC_SQL_SESSION_ASSIGN_H_
#define BENNU_SRC_SQL_SESSION_ASSIGN_H_

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::session {

// Appends 'value' as the column stores it; nothing for NULL and for empty text. Errors: 203 the
// types do not go together or the value does not fit; 206 too long; 201 bytes that can not be
// stored.
Status EncodeAssigned(const Value& value, const catalog::ColumnMeta& column, Bytes* out);

// The same for what an expression in VALUES came to, anything but a literal (-1 is one, -2 is 2
// times -1). As in Phoenix a DECIMAL with a scale is then stored ascending even in a descending
// key, where it reads as another number. Source: types/decimal_p.test of the corpus.
Status EncodeComputed(const Value& value, const catalog::ColumnMeta& column, Bytes* out);

// The same for one row of a query's result. A number that does not fit is 201, as in Phoenix.
Status EncodeAssigned(const Vector& vector, size_t row, const catalog::ColumnMeta& column,
                      Bytes* out);

// May values of this type be assigned at all? 203 otherwise.
Status CheckAssignable(const DataType& from, const catalog::ColumnMeta& column);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_ASSIGN_H_
