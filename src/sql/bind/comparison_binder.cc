// ExpressionBinder's comparisons: of values and of rows, BETWEEN.
#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/functions/registry.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::bind {
namespace {

bool AreConstant(const std::vector<ExprPtr>& items) {
  return std::all_of(items.begin(), items.end(),
                     [](const ExprPtr& item) { return item->is_constant(); });
}

bool MayBeNull(const ExprPtr& item) { return item->kind != BoundKind::kSlot || item->nullable; }

// Whether all are NULL; never, as a constant, where one of them cannot be.
Result<ExprPtr> AllNull(const std::vector<ExprPtr>& items, int32_t position) {
  if (!std::all_of(items.begin(), items.end(), MayBeNull)) {
    return MakeConstant(Value::Bool(false), position);
  }
  std::vector<ExprPtr> parts;
  for (const ExprPtr& item : items) {
    ASSIGN_OR_RETURN(ExprPtr is_null, MakeIsNull(item, false, position));
    parts.push_back(std::move(is_null));
  }
  return MakeAnd(std::move(parts), position);
}

// (a, b) < (x, y) where a NULL is lower than every value, as its bytes are:
// a IS NULL OR a < x OR (a = x AND (b IS NULL OR b < y)).
Result<ExprPtr> RowBelow(ComparisonOp op, const std::vector<ExprPtr>& left,
                         const std::vector<ExprPtr>& right, int32_t position) {
  ExprPtr rest;
  for (size_t i = left.size(); i-- > 0;) {
    const ComparisonOp this_op = i + 1 == left.size() ? op : ComparisonOp::kLess;
    std::vector<ExprPtr> ways;
    ASSIGN_OR_RETURN(ExprPtr is_null, MakeIsNull(left[i], false, position));
    ways.push_back(std::move(is_null));
    ASSIGN_OR_RETURN(ExprPtr below, MakeCompare(this_op, left[i], right[i], position));
    ways.push_back(std::move(below));
    if (rest != nullptr) {
      ASSIGN_OR_RETURN(ExprPtr equal,
                       MakeCompare(ComparisonOp::kEqual, left[i], right[i], position));
      ASSIGN_OR_RETURN(ExprPtr both, MakeAnd({std::move(equal), std::move(rest)}, position));
      ways.push_back(std::move(both));
    }
    ASSIGN_OR_RETURN(rest, MakeOr(std::move(ways), position));
  }
  return NullForNulls(left, std::move(rest), position);
}

// A component of an equality of rows: a NULL that is written or bound is equal to NULL.
Result<ExprPtr> EqualComponent(const ExprPtr& left, const ExprPtr& right, int32_t position) {
  if (right->is_null_constant()) return MakeIsNull(left, false, position);
  if (left->is_null_constant()) return MakeIsNull(right, false, position);
  ASSIGN_OR_RETURN(ExprPtr equal, MakeCompare(ComparisonOp::kEqual, left, right, position));
  const bool turned = left->kind == BoundKind::kParameter;
  const ExprPtr& parameter = turned ? left : right;
  if (parameter->kind != BoundKind::kParameter) return equal;
  ASSIGN_OR_RETURN(ExprPtr bound_null, MakeIsNull(parameter, false, position));
  ASSIGN_OR_RETURN(ExprPtr is_null, MakeIsNull(turned ? right : left, false, position));
  return MakeCase({{std::move(bound_null), std::move(is_null)}}, std::move(equal), position);
}

bool MayBeBoundNull(const ExprPtr& item) {
  return item->is_null_constant() || item->kind == BoundKind::kParameter;
}

Result<ExprPtr> EqualRows(const std::vector<ExprPtr>& left, const std::vector<ExprPtr>& right,
                          int32_t position) {
  // Phoenix takes it apart; so errors name the component.
  std::vector<ExprPtr> parts;
  for (size_t i = 0; i < left.size(); ++i) {
    ASSIGN_OR_RETURN(ExprPtr part, EqualComponent(left[i], right[i], position));
    parts.push_back(std::move(part));
  }
  return MakeAnd(std::move(parts), position);
}

}  // namespace

Result<ExprPtr> NullForNulls(const std::vector<ExprPtr>& row, ExprPtr expr, int32_t position) {
  ASSIGN_OR_RETURN(ExprPtr nothing, AllNull(row, position));
  const DataType boolean = {TypeId::kBoolean};
  return MakeCase({{std::move(nothing), MakeConstant(Value::Null(boolean), position)}},
                  std::move(expr), position);
}

Result<ExprPtr> RoundForRow(ComparisonOp op, const DataType& type, ExprPtr value) {
  const bool low = op == ComparisonOp::kLess || op == ComparisonOp::kLessOrEqual;
  const bool high = op == ComparisonOp::kGreater || op == ComparisonOp::kGreaterOrEqual;
  std::vector<size_t> slots;
  CollectSlots(*value, &slots);
  const bool rounds =
      value->type.id == TypeId::kDecimal && IsIntegral(type.id) && slots.empty() && (low || high);
  if (!rounds) return value;
  const int32_t position = value->position;
  return MakeFunction(low ? "FLOOR" : "CEIL", {std::move(value)}, position);
}

Result<ExprPtr> CompareRowsBound(ComparisonOp op, std::vector<ExprPtr> left,
                                 std::vector<ExprPtr> right, int32_t position) {
  if (left.size() == 1) return MakeCompare(op, left[0], right[0], position);
  if (AreConstant(left) && !AreConstant(right)) {
    return CompareRowsBound(FlipComparison(op), std::move(right), std::move(left), position);
  }
  for (size_t i = 0; i < left.size(); ++i) {
    ASSIGN_OR_RETURN(right[i], RoundForRow(op, left[i]->type, std::move(right[i])));
  }
  if (op == ComparisonOp::kEqual) return EqualRows(left, right, position);
  if (op == ComparisonOp::kNotEqual && std::any_of(right.begin(), right.end(), MayBeBoundNull)) {
    ASSIGN_OR_RETURN(ExprPtr equal, EqualRows(left, right, position));
    return MakeNot(std::move(equal), position);
  }
  const bool low = op == ComparisonOp::kLess || op == ComparisonOp::kLessOrEqual;
  const bool nulls = std::any_of(left.begin(), left.end(), MayBeNull);
  if (low && nulls) return RowBelow(op, left, right, position);
  return MakeRowCompare(op, std::move(left), std::move(right), position);
}

bool ExpressionBinder::HasFixedType(const Expr& expr) const {
  // Above an aggregation slots are columns of the group, which may be made of parameters.
  if (aggregation_ != nullptr || expr.kind == BoundKind::kParameter) return false;
  if (expr.kind == BoundKind::kSlot) {
    // So may the columns of a derived table. Sequences are no slots of the scope.
    if (scope_ == nullptr || expr.slot >= scope_->slots().size()) return false;
    return scope_->sources()[scope_->slots()[expr.slot].source].table != nullptr;
  }
  return std::all_of(expr.children.begin(), expr.children.end(),
                     [this](const ExprPtr& child) { return HasFixedType(*child); });
}

ExprPtr ExpressionBinder::MakeParameterBeside(const parse::Expr& bind, const ExprPtr& partner,
                                              bool compared) {
  ExprPtr parameter = MakeParameterOf(bind, partner->type, compared);
  if (!compared || !HasFixedType(*partner)) return parameter;
  const auto index = static_cast<size_t>(bind.bind_index - 1);
  std::vector<ExprPtr>& partners = parameters_->partners;
  if (partners.size() <= index) partners.resize(index + 1);
  // A value that is refused in one of several places is refused.
  if (partners[index] == nullptr) partners[index] = partner;
  return parameter;
}

Status ExpressionBinder::BindPair(const parse::Expr& a, const parse::Expr& b, bool compared,
                                  ExprPtr* left, ExprPtr* right) {
  if (a.kind == parse::ExprKind::kBind && b.kind != parse::ExprKind::kBind) {
    ASSIGN_OR_RETURN(*right, BindNode(b));
    *left = MakeParameterBeside(a, *right, compared);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(*left, BindNode(a));
  if (b.kind == parse::ExprKind::kBind) {
    *right = MakeParameterBeside(b, *left, compared);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(*right, BindNode(b));
  return Status::Ok();
}

Result<ExprPtr> ExpressionBinder::CompareRows(ComparisonOp op, const parse::Expr& left,
                                              const parse::Expr& right, int32_t position) {
  const auto left_items = RowItems(left);
  const auto right_items = RowItems(right);
  // As Phoenix: the shorter side says how many components count; in an equality the others are to
  // be NULL.
  const size_t count = std::min(left_items.size(), right_items.size());
  std::vector<ExprPtr> left_bound(count);
  std::vector<ExprPtr> right_bound(count);
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(
        BindPair(*left_items[i], *right_items[i], true, &left_bound[i], &right_bound[i]));
  }
  ASSIGN_OR_RETURN(ExprPtr compared,
                   CompareRowsBound(op, std::move(left_bound), std::move(right_bound), position));
  if (op != ComparisonOp::kEqual || left_items.size() == right_items.size()) return compared;
  std::vector<ExprPtr> parts = {std::move(compared)};
  const auto& longer = left_items.size() > count ? left_items : right_items;
  for (size_t i = count; i < longer.size(); ++i) {
    ASSIGN_OR_RETURN(ExprPtr rest, BindNode(*longer[i]));
    ASSIGN_OR_RETURN(ExprPtr is_null, MakeIsNull(std::move(rest), false, position));
    parts.push_back(std::move(is_null));
  }
  return MakeAnd(std::move(parts), position);
}

Result<ExprPtr> ExpressionBinder::BindComparison(const parse::Expr& expr) {
  if (expr.children[1]->kind == parse::ExprKind::kSubquery) return BindSubquery(expr);
  if (expr.quantifier != parse::Quantifier::kNone) return BindQuantified(expr);
  const parse::Expr& left = *expr.children[0];
  const parse::Expr& right = *expr.children[1];
  const ComparisonOp op = ComparisonOf(expr.compare);
  if (left.kind == parse::ExprKind::kRowValue || right.kind == parse::ExprKind::kRowValue) {
    return CompareRows(op, left, right, expr.position);
  }
  ExprPtr left_bound;
  ExprPtr right_bound;
  RETURN_IF_ERROR(BindPair(left, right, true, &left_bound, &right_bound));
  return MakeCompare(op, std::move(left_bound), std::move(right_bound), expr.position);
}

Result<ExprPtr> ExpressionBinder::BindBetween(const parse::Expr& expr) {
  const parse::Expr& value = *expr.children[0];
  if (value.kind == parse::ExprKind::kRowValue) {
    ASSIGN_OR_RETURN(ExprPtr low, CompareRows(ComparisonOp::kGreaterOrEqual, value,
                                              *expr.children[1], expr.position));
    ASSIGN_OR_RETURN(ExprPtr high, CompareRows(ComparisonOp::kLessOrEqual, value, *expr.children[2],
                                               expr.position));
    ASSIGN_OR_RETURN(ExprPtr both, MakeAnd({std::move(low), std::move(high)}, expr.position));
    if (!expr.negated) return both;
    return MakeNot(std::move(both), expr.position);
  }
  ExprPtr bound;
  ExprPtr low;
  RETURN_IF_ERROR(BindPair(value, *expr.children[1], true, &bound, &low));
  ExprPtr high;
  if (expr.children[2]->kind == parse::ExprKind::kBind) {
    high = MakeParameterBeside(*expr.children[2], bound, true);
  } else {
    ASSIGN_OR_RETURN(high, BindNode(*expr.children[2]));
  }
  return MakeBetween(std::move(bound), std::move(low), std::move(high), expr.negated,
                     expr.position);
}

}  // namespace bennu::sql::bind
