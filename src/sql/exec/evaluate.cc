#include "src/sql/exec/evaluate.h"

#include "src/base/status_macros.h"

namespace bennu::sql::exec {

Result<const Vector*> Evaluator::View(const bind::Expr& expr, const DataChunk& chunk,
                                      Vector* scratch) {
  if (expr.kind == BoundKind::kSlot) return &chunk.columns[expr.slot];
  RETURN_IF_ERROR(Evaluate(expr, chunk, scratch));
  return scratch;
}

}  // namespace bennu::sql::exec
