// Arrays as text, read; AppendArrayText of array.h writes them.
#ifndef BENNU_SRC_SQL_TYPES_ARRAY_TEXT_H_
#define BENNU_SRC_SQL_TYPES_ARRAY_TEXT_H_

#include <string_view>

#include "bennu/status.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql {

// Reads what AppendArrayText writes without escapes, such as [1,NULL,3] and ['it''s',NULL]. Blanks
// around elements do not count; text without quotes is taken as it stands unless it is NULL. An
// array without elements is NULL, as in Phoenix. Errors 201 and 206, which name the element. Pure.
Result<Value> ParseArray(std::string_view text, const DataType& type);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_ARRAY_TEXT_H_
