// ExpressionBinder's IN over lists of values and of rows.
//
// Phoenix leaves NULLs out of a list, bound ones too, so that x NOT IN (1, NULL) is x NOT IN (1).
// Where the list has nothing else both x IN and x NOT IN are false. Rows are compared there by
// their bytes: NULL is equal to NULL, and only a row of NULLs alone gives NULL.
#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/row_text.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

// A member like (NULL, ?), which a row of NULLs alone would be equal to.
bool MayBeNulls(const parse::Expr& member) {
  const auto may_be_null = [](const parse::ExprPtr& item) {
    const bool null =
        item->kind == parse::ExprKind::kLiteral && item->literal == parse::LiteralKind::kNull;
    return null || item->kind == parse::ExprKind::kBind;
  };
  return std::all_of(member.children.begin(), member.children.end(), may_be_null);
}

bool IsParameter(const ExprPtr& item) { return item->kind == BoundKind::kParameter; }

// value = parameter, and false where that is NULL.
Result<ExprPtr> EqualsBound(const ExprPtr& value, const ExprPtr& parameter, int32_t position) {
  ASSIGN_OR_RETURN(ExprPtr bound, MakeIsNull(parameter, true, position));
  ASSIGN_OR_RETURN(ExprPtr equal, MakeCompare(ComparisonOp::kEqual, value, parameter, position));
  return MakeAnd({std::move(bound), std::move(equal)}, position);
}

// value IN (list) where NULLs among the parameters count as little as those that are written;
// 'nothing' when all members are such.
Result<ExprPtr> InWithoutNulls(const ExprPtr& value, const std::vector<ExprPtr>& list,
                               ExprPtr nothing, int32_t position) {
  std::vector<ExprPtr> parts;
  std::vector<ExprPtr> constants;
  std::vector<ExprPtr> unbound;
  for (const ExprPtr& item : list) {
    if (!IsParameter(item)) {
      constants.push_back(item);
      continue;
    }
    ASSIGN_OR_RETURN(ExprPtr equal, EqualsBound(value, item, position));
    parts.push_back(std::move(equal));
    ASSIGN_OR_RETURN(ExprPtr is_null, MakeIsNull(item, false, position));
    unbound.push_back(std::move(is_null));
  }
  if (!constants.empty()) {
    ASSIGN_OR_RETURN(ExprPtr in, MakeIn(value, std::move(constants), false, position));
    parts.push_back(std::move(in));
    return MakeOr(std::move(parts), position);
  }
  ASSIGN_OR_RETURN(ExprPtr any, MakeOr(std::move(parts), position));
  ASSIGN_OR_RETURN(ExprPtr all_null, MakeAnd(std::move(unbound), position));
  return MakeCase({{std::move(all_null), std::move(nothing)}}, std::move(any), position);
}

// true where 'any' is, NULL for a row of NULLs alone, else false.
Result<ExprPtr> TrueOrFalse(const std::vector<ExprPtr>& row, ExprPtr any, int32_t position) {
  const std::string name = any->name;
  ASSIGN_OR_RETURN(ExprPtr decided,
                   MakeCase({{std::move(any), MakeConstant(Value::Bool(true), position)}},
                            MakeConstant(Value::Bool(false), position), position));
  ASSIGN_OR_RETURN(ExprPtr in, NullForNulls(row, std::move(decided), position));
  auto named = std::make_shared<Expr>(*in);
  named->name = name;
  return ExprPtr(std::move(named));
}

}  // namespace

Result<ExprPtr> ExpressionBinder::BindIn(const parse::Expr& expr) {
  const parse::Expr& value = *expr.children[0];
  const bool row = value.kind == parse::ExprKind::kRowValue && value.children.size() > 1;
  return row ? BindRowIn(expr) : BindValueIn(expr);
}

ExprPtr ExpressionBinder::ConstantMember(const parse::Expr& in, size_t member) const {
  const auto list = list_constants_.find(&in);
  return list == list_constants_.end() ? nullptr : list->second[member];
}

Result<ExprPtr> ExpressionBinder::BindRowIn(const parse::Expr& expr) {
  const parse::Expr& value = *expr.children[0];
  std::vector<ExprPtr> parts;
  bool exactly = expr.negated || !only_truth_counts_;
  for (size_t i = 1; i < expr.children.size(); ++i) {
    exactly |= MayBeNulls(*expr.children[i]);
    ASSIGN_OR_RETURN(ExprPtr part,
                     CompareRows(ComparisonOp::kEqual, value, *expr.children[i], expr.position));
    parts.push_back(std::move(part));
  }
  const bool several = parts.size() > 1;
  ASSIGN_OR_RETURN(ExprPtr any, MakeOr(std::move(parts), expr.position));
  any = WithRowInText(std::move(any));
  if (several && exactly) {
    ASSIGN_OR_RETURN(const std::vector<ExprPtr> row, BindAll(value.children, 0));
    ASSIGN_OR_RETURN(any, TrueOrFalse(row, std::move(any), expr.position));
  }
  if (!expr.negated) return any;
  return MakeNot(std::move(any), expr.position);
}

Result<ExprPtr> ExpressionBinder::BindValueIn(const parse::Expr& expr) {
  ASSIGN_OR_RETURN(ExprPtr bound, BindNode(*expr.children[0]));
  std::vector<ExprPtr> list;
  std::vector<ExprPtr>& constants = list_constants_[&expr];
  constants.assign(expr.children.size(), nullptr);
  ExprPtr incomparable;
  for (size_t i = 1; i < expr.children.size(); ++i) {
    const parse::Expr& member = *expr.children[i];
    ExprPtr item;
    if (member.kind == parse::ExprKind::kBind && expr.children.size() == 2) {
      item = MakeParameterBeside(member, bound, true);
    } else {
      ASSIGN_OR_RETURN(item, BindNodeOrParameter(member, bound->type, true));
    }
    if (item->is_constant()) constants[i] = item;
    std::vector<size_t> slots;
    CollectSlots(*item, &slots);
    if (!slots.empty()) return MakeSqlError(214, "", expr.children[i]->position);
    if (item->is_null_constant()) continue;
    // Phoenix passes over members of other types, as long as one is left.
    const bool typed = bound->type.id != TypeId::kNull && item->type.id != TypeId::kNull;
    if (typed && !CommonComparisonType(bound->type, item->type).has_value()) {
      incomparable = std::move(item);
      continue;
    }
    list.push_back(std::move(item));
  }
  if (list.empty() && incomparable != nullptr) list.push_back(std::move(incomparable));
  if (list.empty()) return MakeConstant(Value::Bool(false), expr.position);
  const bool parameters = std::any_of(list.begin(), list.end(), IsParameter);
  const bool exactly = expr.negated || !only_truth_counts_;
  if (!parameters || !exactly) {
    return MakeIn(std::move(bound), std::move(list), expr.negated, expr.position);
  }
  // What gives false once the NOT is applied to it.
  const ExprPtr nothing = MakeConstant(Value::Bool(expr.negated), expr.position);
  ASSIGN_OR_RETURN(ExprPtr in, InWithoutNulls(bound, list, nothing, expr.position));
  if (!expr.negated) return in;
  return MakeNot(std::move(in), expr.position);
}

}  // namespace bennu::sql::bind
