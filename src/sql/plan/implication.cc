#include "src/sql/plan/implication.h"

#include <algorithm>
#include <optional>

#include "src/sql/types/coerce.h"

namespace bennu::sql::plan {
namespace {

using bind::Expr;

// value op constant, with the constant on the right.
struct Comparison {
  const Expr* value = nullptr;
  ComparisonOp op = ComparisonOp::kEqual;
  const Value* constant = nullptr;
};

std::optional<Comparison> ComparisonOf(const Expr& expr) {
  if (expr.kind != BoundKind::kCompare || expr.negated) return std::nullopt;
  const Expr& left = *expr.children[0];
  const Expr& right = *expr.children[1];
  if (right.is_constant() && !right.is_null_constant()) {
    return Comparison{&left, expr.compare, &right.constant};
  }
  if (left.is_constant() && !left.is_null_constant()) {
    return Comparison{&right, FlipComparison(expr.compare), &left.constant};
  }
  return std::nullopt;
}

// The order of two constants; nothing: they cannot be compared.
std::optional<int> Order(const Value& a, const Value& b) {
  const Result<int> order = CompareValues(a, b);
  return order.ok() ? std::optional(*order) : std::nullopt;
}

// Whatever is (op) 'constant' is 'wanted' too.
bool HoldsOf(ComparisonOp op, const Value& constant, const Comparison& wanted) {
  const std::optional<int> order = Order(constant, *wanted.constant);
  if (!order.has_value()) return false;
  const bool above = *order > 0;
  const bool same = *order == 0;
  const bool below = *order < 0;
  switch (op) {
    case ComparisonOp::kEqual:
      switch (wanted.op) {
        case ComparisonOp::kEqual: return same;
        case ComparisonOp::kNotEqual: return !same;
        case ComparisonOp::kLess: return below;
        case ComparisonOp::kLessOrEqual: return !above;
        case ComparisonOp::kGreater: return above;
        case ComparisonOp::kGreaterOrEqual: return !below;
      }
      return false;
    case ComparisonOp::kNotEqual: return wanted.op == ComparisonOp::kNotEqual && same;
    case ComparisonOp::kGreater:
      return !below &&
             (wanted.op == ComparisonOp::kGreater || wanted.op == ComparisonOp::kGreaterOrEqual ||
              wanted.op == ComparisonOp::kNotEqual);
    case ComparisonOp::kGreaterOrEqual:
      if (wanted.op == ComparisonOp::kGreaterOrEqual) return !below;
      return above && (wanted.op == ComparisonOp::kGreater || wanted.op == ComparisonOp::kNotEqual);
    case ComparisonOp::kLess:
      return !above &&
             (wanted.op == ComparisonOp::kLess || wanted.op == ComparisonOp::kLessOrEqual ||
              wanted.op == ComparisonOp::kNotEqual);
    case ComparisonOp::kLessOrEqual:
      if (wanted.op == ComparisonOp::kLessOrEqual) return !above;
      return below && (wanted.op == ComparisonOp::kLess || wanted.op == ComparisonOp::kNotEqual);
  }
  return false;
}

bool IsListOfConstants(const Expr& expr) {
  return expr.kind == BoundKind::kIn && !expr.negated && !expr.list_has_null;
}

bool FollowsFromOne(const Expr& known, const Expr& wanted) {
  if (SameBoundExpr(known, wanted)) return true;
  if (known.kind == BoundKind::kAnd) {
    return std::any_of(known.children.begin(), known.children.end(),
                       [&](const bind::ExprPtr& part) { return FollowsFromOne(*part, wanted); });
  }
  if (known.kind == BoundKind::kOr) {
    return std::all_of(known.children.begin(), known.children.end(),
                       [&](const bind::ExprPtr& part) { return FollowsFromOne(*part, wanted); });
  }
  const std::optional<Comparison> of_known = ComparisonOf(known);
  if (const auto of_wanted = ComparisonOf(wanted); of_wanted.has_value()) {
    if (of_known.has_value() && SameBoundExpr(*of_known->value, *of_wanted->value)) {
      return HoldsOf(of_known->op, *of_known->constant, *of_wanted);
    }
    return IsListOfConstants(known) && SameBoundExpr(*known.children[0], *of_wanted->value) &&
           std::all_of(known.list.begin(), known.list.end(), [&](const Value& value) {
             return HoldsOf(ComparisonOp::kEqual, value, *of_wanted);
           });
  }
  // Comparisons are true of no NULL.
  if (wanted.kind == BoundKind::kIsNull && wanted.negated) {
    if (of_known.has_value()) return SameBoundExpr(*of_known->value, *wanted.children[0]);
    const bool compares = IsListOfConstants(known) || known.kind == BoundKind::kLike;
    return compares && SameBoundExpr(*known.children[0], *wanted.children[0]);
  }
  return false;
}

void SplitAnd(const Expr& expr, std::vector<const Expr*>* parts) {
  if (expr.kind != BoundKind::kAnd) return parts->push_back(&expr);
  for (const bind::ExprPtr& child : expr.children) SplitAnd(*child, parts);
}

}  // namespace

bool Follows(const std::vector<const Expr*>& known, const Expr& wanted) {
  const auto follows = [&](const bind::ExprPtr& part) { return Follows(known, *part); };
  if (wanted.kind == BoundKind::kAnd) {
    return std::all_of(wanted.children.begin(), wanted.children.end(), follows);
  }
  std::vector<const Expr*> parts;
  for (const Expr* condition : known) SplitAnd(*condition, &parts);
  if (std::any_of(parts.begin(), parts.end(),
                  [&](const Expr* part) { return FollowsFromOne(*part, wanted); })) {
    return true;
  }
  return wanted.kind == BoundKind::kOr &&
         std::any_of(wanted.children.begin(), wanted.children.end(), follows);
}

}  // namespace bennu::sql::plan
