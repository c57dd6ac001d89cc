// Between the public Datum and the typed Value of SQL.
#ifndef BENNU_SRC_BENNU_DATUM_H_
#define BENNU_SRC_BENNU_DATUM_H_

#include "bennu/database.h"
#include "src/sql/types/value.h"

namespace bennu::front {

// Whole numbers become INTEGER when they fit and BIGINT otherwise, text VARCHAR, bytes VARBINARY,
// moments TIMESTAMP when they have nanoseconds inside the millisecond and DATE otherwise.
// InvalidArgument: a Number that is none, or has more than 38 digits.
Result<sql::Value> ToValue(const Datum& datum);
// The same into *value; for many after one another.
Status AssignValue(const Datum& datum, sql::Value* value);
Datum ToDatum(const sql::Value& value);

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_DATUM_H_
