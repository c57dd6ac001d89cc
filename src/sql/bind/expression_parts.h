// What is asked of an expression as it was written, before its names are resolved. Pure functions.
#ifndef BENNU_SRC_SQL_BIND_EXPRESSION_PARTS_H_
#define BENNU_SRC_SQL_BIND_EXPRESSION_PARTS_H_

#include <vector>

#include "src/sql/parse/expression.h"

namespace bennu::sql::bind {

// Whether an aggregate function stands in the expression, not inside one of its subqueries.
bool HasAggregate(const parse::Expr& expr);

// The components of (a, b); anything else as the only one. They belong to 'expr'.
std::vector<const parse::Expr*> RowItems(const parse::Expr& expr);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_EXPRESSION_PARTS_H_
