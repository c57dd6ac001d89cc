// Running bound expressions over chunks.
#ifndef BENNU_SRC_SQL_EXPR_EVALUATE_H_
#define BENNU_SRC_SQL_EXPR_EVALUATE_H_

#include "src/sql/expr/expr.h"

namespace bennu::sql {

// Sets *out to the values for rows [0, input.size): flat, or constant when they are all the same
// for a reason known beforehand. *out may share memory with a column of 'input' (a plain slot); its
// bytes live as long as input's or its own, see Vector. Errors: of the values met (201, 202, 206,
// 212 …).
Status Evaluate(const BoundExpr& expr, const DataChunk& input, EvalContext* context, Vector* out);

// Sets *selection to the rows of 'input' for which the condition (BOOLEAN) is true, ascending.
// Operands of an AND are tried in turn on the rows that are left. Rows for which one of them can
// not be computed (201) are left out.
Status EvaluateFilter(const BoundExpr& condition, const DataChunk& input, EvalContext* context,
                      SelectionVector* selection);

// The one value of an expression without slots, of its type.
Result<Value> EvaluateConstant(const BoundExpr& expr, EvalContext* context);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_EVALUATE_H_
