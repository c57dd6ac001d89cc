#include "src/sql/bind/expression_parts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/expr/aggregate.h"
#include "src/sql/parse/literal.h"

namespace bennu::sql::bind {
namespace {

// NOW() is the statement's moment to its query, but another one to each statement.
constexpr std::array<std::string_view, 4> kFunctionsOfTheMoment = {"CURRENT_DATE", "CURRENT_TIME",
                                                                   "NOW", "RAND"};

// Phoenix negates a whole number by multiplying it with -1, which makes it a BIGINT.
std::optional<Value> Negated(const Value& value) {
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kInt64:
      if (value.int64() == INT64_MIN) return std::nullopt;
      return Value::Bigint(-value.int64());
    case PhysicalType::kDouble: return Value::Real(value.type(), -value.real());
    case PhysicalType::kDecimal: return Value::Number(value.decimal().Negate(), value.type());
    default: return std::nullopt;
  }
}

}  // namespace

bool DependsOnMoment(const parse::Expr& expr) {
  if (expr.kind == parse::ExprKind::kSequence) return true;
  if (expr.kind == parse::ExprKind::kFunction &&
      std::find(kFunctionsOfTheMoment.begin(), kFunctionsOfTheMoment.end(), expr.function_name) !=
          kFunctionsOfTheMoment.end()) {
    return true;
  }
  return std::any_of(expr.children.begin(), expr.children.end(), [](const parse::ExprPtr& child) {
    return child != nullptr && DependsOnMoment(*child);
  });
}

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

const parse::Expr* FindColumnIn(const parse::Expr& expr) {
  if (expr.kind == parse::ExprKind::kColumn) return &expr;
  for (const parse::ExprPtr& child : expr.children) {
    if (child == nullptr) continue;
    if (const parse::Expr* found = FindColumnIn(*child)) return found;
  }
  return nullptr;
}

bool NamesSequence(const parse::Expr& expr) {
  return expr.kind == parse::ExprKind::kSequence ||
         std::any_of(expr.children.begin(), expr.children.end(),
                     [](const auto& child) { return child != nullptr && NamesSequence(*child); });
}

Result<std::optional<Value>> LiteralOf(const parse::Expr& expr) {
  if (expr.kind == parse::ExprKind::kLiteral) {
    ASSIGN_OR_RETURN(Value value, parse::LiteralValue(expr));
    return std::optional<Value>(std::move(value));
  }
  if (expr.kind == parse::ExprKind::kNegate &&
      expr.children[0]->kind == parse::ExprKind::kLiteral) {
    ASSIGN_OR_RETURN(const Value value, parse::LiteralValue(*expr.children[0]));
    if (!value.is_null()) return Negated(value);
  }
  return std::optional<Value>();
}

}  // namespace bennu::sql::bind
