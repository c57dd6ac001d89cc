// How COALESCE settles its type: the first operand's, into which the second must fit.
#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {

Status BindCoalesce(BoundExpr* expr) {
  const TypeId first = expr->children[0]->type.id;
  const TypeId second = expr->children[1]->type.id;
  expr->type = expr->children[first == TypeId::kNull ? 1 : 0]->type;
  if (first == TypeId::kNull || second == TypeId::kNull) {
    for (BoundExprPtr& child : expr->children) {
      ASSIGN_OR_RETURN(child, Convert(child, expr->type));
    }
    return Status::Ok();
  }
  const bool fits = CanCoerce(second, first) || (expr->children[1]->is_constant() &&
                                                 Coerce(expr->children[1]->constant, {first}).ok());
  // What is no constant is cast, row by row.
  const bool is_cast =
      !fits && !expr->children[1]->is_constant() && CanCast(second, first) && !IsArray(first);
  if (!fits && !is_cast) {
    return MakeSqlError(
        203, fmt::format("COALESCE expected {}, but got {}", TypeName(first), TypeName(second)));
  }
  expr->type = {first};
  if (expr->children[0]->type == expr->children[1]->type) expr->type = expr->children[0]->type;
  ASSIGN_OR_RETURN(BoundExprPtr converted, is_cast ? MakeCast(expr->children[1], {first})
                                                   : Convert(expr->children[1], {first}));
  if (is_cast) {
    expr->children[1] = HideConversion(std::move(converted), *expr->children[1]);
    return Status::Ok();
  }
  // A constant is shown as it was, in the type that its value has there.
  expr->children[1] = Relabel(std::move(converted), ToText(*expr->children[1]));
  return Status::Ok();
}

}  // namespace bennu::sql
