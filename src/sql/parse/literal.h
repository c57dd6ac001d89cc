// Values of literal nodes.
#ifndef BENNU_SRC_SQL_PARSE_LITERAL_H_
#define BENNU_SRC_SQL_PARSE_LITERAL_H_

#include "bennu/status.h"
#include "src/sql/parse/expression.h"
#include "src/sql/types/value.h"

namespace bennu::sql::parse {

// The value of a kLiteral node. Digits are INTEGER, else BIGINT, else DECIMAL, by size; a point
// makes DECIMAL, an exponent DOUBLE; '' is NULL, as everywhere in Phoenix. Errors: 601 a date's
// text is no date; 201 a type that does not exist; 203 a type that takes no such literal.
Result<Value> LiteralValue(const Expr& literal);

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_LITERAL_H_
