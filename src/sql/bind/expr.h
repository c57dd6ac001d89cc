// The binder's short names for what src/sql/expr provides.
#ifndef BENNU_SRC_SQL_BIND_EXPR_H_
#define BENNU_SRC_SQL_BIND_EXPR_H_

#include <memory>

#include "src/sql/expr/aggregate.h"
#include "src/sql/expr/expr.h"

namespace bennu::sql::bind {

using Expr = BoundExpr;
using ExprPtr = BoundExprPtr;
using AggregatePtr = std::shared_ptr<const AggregateCall>;

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_EXPR_H_
