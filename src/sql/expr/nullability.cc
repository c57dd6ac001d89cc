#include "src/sql/expr/nullability.h"

#include <algorithm>

#include "src/sql/expr/function_def.h"

namespace bennu::sql {

bool IsNullable(const BoundExpr& expr) {
  switch (expr.kind) {
    case BoundKind::kSlot: return expr.nullable;
    case BoundKind::kConstant: return expr.constant.is_null();
    case BoundKind::kParameter: return true;
    case BoundKind::kIsNull: return false;
    default: break;
  }
  if (expr.list_has_null) return true;
  const FunctionDef* const function = expr.function;
  if (function != nullptr && function->second_where_null) return IsNullable(*expr.children[1]);
  for (size_t i = 0; i < expr.children.size(); ++i) {
    const BoundExpr& child = *expr.children[i];
    // What stands for a missing argument.
    const bool is_missing =
        function != nullptr && function->arguments[i].optional && child.is_null_constant();
    if (!is_missing && IsNullable(child)) return true;
  }
  return false;
}

}  // namespace bennu::sql
