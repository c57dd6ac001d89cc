// Values of a table's columns as the keys of its indexes hold them, and back.
//
// A value of fixed width that may be NULL is stored in a type of varying width, whose NULL has no
// bytes: numbers, moments and BOOLEAN as DECIMAL, CHAR as VARCHAR (with its blanks), BINARY as
// VARBINARY. Both ways keep the order and lose nothing: a DOUBLE
// that a DECIMAL cannot hold is refused. Source: phoenix-storage.md section 3.2.
#ifndef BENNU_SRC_SQL_TYPES_INDEX_KEY_VALUE_H_
#define BENNU_SRC_SQL_TYPES_INDEX_KEY_VALUE_H_

#include "bennu/status.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql {

// 'value', which is NULL or of 'type', as a 'key_type'. 206: a number that no key of DECIMAL can
// be: NaN, an infinity, magnitudes that its bytes do not reach (Decimal::FitsBytes).
Result<Value> ToIndexKeyValue(const Value& value, const DataType& type, const DataType& key_type);
// The same of a row that is in the table already: a number that is too small for the key is 0
// there, as Phoenix and earlier Bennus wrote it, so that such a row can still be changed and
// removed.
Result<Value> StoredIndexKeyValue(const Value& value, const DataType& type,
                                  const DataType& key_type);
// Back. Errors: 201, 203 for what ToIndexKeyValue does not make.
Result<Value> FromIndexKeyValue(const Value& value, const DataType& type);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_INDEX_KEY_VALUE_H_
