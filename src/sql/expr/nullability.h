// What may be NULL as Phoenix sees it, which decides about the types of keys of indexes.
#ifndef BENNU_SRC_SQL_EXPR_NULLABILITY_H_
#define BENNU_SRC_SQL_EXPR_NULLABILITY_H_

#include "src/sql/expr/expr.h"

namespace bennu::sql {

// Whether the expression is made of something that may be NULL. It says nothing of functions that
// come to NULL by themselves. Source: isNullable of Phoenix's expressions.
bool IsNullable(const BoundExpr& expr);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_NULLABILITY_H_
