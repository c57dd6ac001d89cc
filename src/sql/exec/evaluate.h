// Evaluator: expressions over chunks with the parameters and the clock of one run. One thread.
#ifndef BENNU_SRC_SQL_EXEC_EVALUATE_H_
#define BENNU_SRC_SQL_EXEC_EVALUATE_H_

#include "src/sql/bind/expr.h"
#include "src/sql/exec/operator.h"
#include "src/sql/expr/evaluate.h"

namespace bennu::sql::exec {

class Evaluator {
 public:
  // 'context' must outlive this.
  explicit Evaluator(ExecContext* context)
      : eval_(context->params(), context->options().now_millis, context->subquery_values()) {}

  Status Evaluate(const bind::Expr& expr, const DataChunk& chunk, Vector* out) {
    return sql::Evaluate(expr, chunk, &eval_, out);
  }
  // The same without sharing when the expression is a plain column; else *scratch holds the values.
  Result<const Vector*> View(const bind::Expr& expr, const DataChunk& chunk, Vector* scratch);
  // Rows for which the condition is true.
  Status Filter(const bind::Expr& condition, const DataChunk& chunk, SelectionVector* selection) {
    return EvaluateFilter(condition, chunk, &eval_, selection);
  }
  Result<Value> Constant(const bind::Expr& expr) { return EvaluateConstant(expr, &eval_); }

 private:
  EvalContext eval_;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_EVALUATE_H_
