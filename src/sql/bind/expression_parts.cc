#include "src/sql/bind/expression_parts.h"

#include <algorithm>

#include "src/sql/functions/aggregate.h"

namespace bennu::sql::bind {

bool HasAggregate(const parse::Expr& expr) {
  if (expr.kind == parse::ExprKind::kFunction && IsAggregateFunction(expr.function_name)) {
    return true;
  }
  return std::any_of(expr.children.begin(), expr.children.end(), [](const parse::ExprPtr& child) {
    return child != nullptr && HasAggregate(*child);
  });
}

std::vector<const parse::Expr*> RowItems(const parse::Expr& expr) {
  if (expr.kind != parse::ExprKind::kRowValue) return {&expr};
  std::vector<const parse::Expr*> items;
  for (const parse::ExprPtr& child : expr.children) items.push_back(child.get());
  return items;
}

}  // namespace bennu::sql::bind
