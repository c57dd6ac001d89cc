#include "src/sql/expr/make_expr.h"

#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {

void InheritFlags(BoundExpr* expr) {
  for (const BoundExprPtr& child : expr->children) {
    expr->can_fail |= child->can_fail;
    expr->deterministic &= child->deterministic;
  }
}

Status AtPosition(const Status& error, int32_t position) {
  const SqlError* sql = error.sql_error();
  if (sql == nullptr || sql->position >= 0 || position < 0) return error;
  SqlError placed = *sql;
  placed.position = position;
  return Status::Sql(std::move(placed), error.message());
}

Status MismatchFor(TypeId type, const std::string& text, int32_t position) {
  return MakeSqlError(203, fmt::format("{} for {}", TypeName(type), text), position);
}

Status MismatchFor(TypeId a, TypeId b, const std::string& text, int32_t position) {
  return MakeSqlError(203, fmt::format("{} and {} for {}", TypeName(a), TypeName(b), text),
                      position);
}

Result<BoundExprPtr> Fold(std::shared_ptr<BoundExpr> expr, int64_t now_millis) {
  if (!expr->deterministic) return BoundExprPtr(std::move(expr));
  for (const BoundExprPtr& child : expr->children) {
    if (!child->is_constant()) return BoundExprPtr(std::move(expr));
  }
  EvalContext context({}, now_millis);
  Result<Value> value = EvaluateConstant(*expr, &context);
  if (!value.ok()) return AtPosition(value.status(), expr->position);
  Value typed = *std::move(value);
  typed.set_type(expr->type);
  auto folded = std::make_shared<BoundExpr>(*MakeConstant(std::move(typed), expr->position));
  folded->folded = true;
  return BoundExprPtr(std::move(folded));
}

BoundExprPtr Relabel(BoundExprPtr value, std::string text) {
  if (!value->is_constant()) return value;
  auto labelled = std::make_shared<BoundExpr>(*value);
  labelled->name = std::move(text);
  return labelled;
}

BoundExprPtr HideConversion(BoundExprPtr value, const BoundExpr& original) {
  if (value.get() == &original) return value;
  if (value->is_constant()) return Relabel(std::move(value), ToText(original));
  if (value->kind != BoundKind::kCast) return value;
  auto hidden = std::make_shared<BoundExpr>(*value);
  hidden->hidden_cast = true;
  return hidden;
}

Result<BoundExprPtr> Convert(BoundExprPtr value, const DataType& type) {
  if (value->type.id == type.id) return value;
  if (value->is_null_constant()) return MakeConstant(Value::Null(type), value->position);
  if (IsString(value->type.id) && IsString(type.id)) return value;
  auto cast = std::make_shared<BoundExpr>();
  cast->kind = BoundKind::kCast;
  cast->type = type;
  cast->position = value->position;
  cast->implicit_cast = true;
  const bool widening =
      IsNumeric(value->type.id) && IsNumeric(type.id) &&
      (type.id == TypeId::kDouble || type.id == TypeId::kDecimal || type.id == TypeId::kBigint);
  const bool before_1970 = IsUnsigned(type.id) && !IsUnsigned(value->type.id);
  const bool moment = IsDateTime(value->type.id) && !before_1970;
  cast->can_fail = !widening && !moment;
  cast->children.push_back(std::move(value));
  InheritFlags(cast.get());
  return Fold(std::move(cast));
}

Result<BoundExprPtr> ConvertPhysical(BoundExprPtr value, const DataType& type) {
  if (PhysicalTypeOf(value->type.id) == PhysicalTypeOf(type.id)) return value;
  return Convert(std::move(value), type);
}

BoundExprPtr MakeSlot(size_t slot, const DataType& type, std::string name, bool nullable,
                      int32_t position) {
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kSlot;
  expr->slot = slot;
  expr->type = type;
  expr->name = std::move(name);
  expr->nullable = nullable;
  expr->position = position;
  return expr;
}

BoundExprPtr MakeConstant(Value value, int32_t position) {
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kConstant;
  expr->type = value.type();
  expr->position = position;
  auto vector = std::make_shared<Vector>(value.type(), 1);
  vector->SetConstant(value);
  expr->constant_vector = std::move(vector);
  expr->constant = std::move(value);
  return expr;
}

BoundExprPtr MakeParameter(size_t index, const DataType& type, int32_t position) {
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kParameter;
  expr->slot = index;
  expr->type = type;
  expr->position = position;
  return expr;
}

Result<BoundExprPtr> MakeIsNull(BoundExprPtr value, bool negated, int32_t position) {
  // CURRENT_DATE() and its kin.
  const bool never_null = value->kind == BoundKind::kFunction && value->children.empty();
  if (never_null) return MakeConstant(Value::Bool(negated), position);
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kIsNull;
  expr->type = {TypeId::kBoolean};
  expr->negated = negated;
  expr->position = position;
  expr->children.push_back(std::move(value));
  InheritFlags(expr.get());
  return Fold(std::move(expr));
}

namespace {

bool IsBooleanOrNull(const BoundExpr& expr) {
  return expr.type.id == TypeId::kBoolean || expr.type.id == TypeId::kNull;
}

Result<BoundExprPtr> MakeLogic(BoundKind kind, std::vector<BoundExprPtr> operands,
                               int32_t position) {
  if (operands.size() == 1) return std::move(operands[0]);
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = kind;
  expr->type = {TypeId::kBoolean};
  expr->position = position;
  for (BoundExprPtr& operand : operands) {
    // An untyped NULL is refused too, as in the original, unless the matter is decided before it.
    if (operand->type.id != TypeId::kBoolean) {
      return MismatchFor(TypeId::kBoolean, ToText(*operand), position);
    }
    ASSIGN_OR_RETURN(BoundExprPtr typed, Convert(std::move(operand), expr->type));
    const bool decisive = typed->is_constant() && !typed->constant.is_null() &&
                          typed->constant.boolean() == (kind == BoundKind::kOr);
    if (decisive) return typed;
    // What a constant does not decide it does not change.
    if (typed->is_constant() && !typed->constant.is_null()) continue;
    const bool nested = typed->kind == kind;
    if (nested) {
      for (const BoundExprPtr& child : typed->children) expr->children.push_back(child);
    } else {
      expr->children.push_back(std::move(typed));
    }
  }
  if (expr->children.empty()) {
    return MakeConstant(Value::Bool(kind == BoundKind::kAnd), position);
  }
  if (expr->children.size() == 1) return expr->children[0];
  InheritFlags(expr.get());
  return Fold(std::move(expr));
}

}  // namespace

Result<BoundExprPtr> MakeAnd(std::vector<BoundExprPtr> operands, int32_t position) {
  return MakeLogic(BoundKind::kAnd, std::move(operands), position);
}

Result<BoundExprPtr> MakeOr(std::vector<BoundExprPtr> operands, int32_t position) {
  return MakeLogic(BoundKind::kOr, std::move(operands), position);
}

Result<BoundExprPtr> MakeNot(BoundExprPtr operand, int32_t position) {
  if (!IsBooleanOrNull(*operand)) {
    return MismatchFor(operand->type.id, TypeId::kBoolean, "NOT " + ToText(*operand), position);
  }
  if (operand->kind == BoundKind::kCompare) {
    auto expr = std::make_shared<BoundExpr>(*operand);
    expr->compare = NegateComparison(operand->compare);
    expr->negated = !operand->negated;
    return BoundExprPtr(std::move(expr));
  }
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kNot;
  expr->type = {TypeId::kBoolean};
  expr->position = position;
  ASSIGN_OR_RETURN(BoundExprPtr typed, Convert(std::move(operand), expr->type));
  expr->children.push_back(std::move(typed));
  InheritFlags(expr.get());
  return Fold(std::move(expr));
}

namespace {

// Grows *type so that it holds 'next' too, as Phoenix settles the type of CASE: the one of the two
// to which the other coerces, and the first where each coerces to the other.
Status CommonCaseType(const BoundExpr& next, DataType* type, int32_t position) {
  if (next.type.id == TypeId::kNull || *type == next.type) return Status::Ok();
  if (type->id == TypeId::kNull) {
    *type = next.type;
    return Status::Ok();
  }
  // The lengths of the one say nothing of the other's values.
  if (CanCoerce(next.type.id, type->id)) {
    *type = {type->id};
    return Status::Ok();
  }
  if (CanCoerce(type->id, next.type.id)) {
    *type = {next.type.id};
    return Status::Ok();
  }
  return MakeSqlError(203,
                      fmt::format("Case expressions must have common type: {} cannot be coerced "
                                  "to {}",
                                  TypeName(type->id), TypeName(next.type.id)),
                      position);
}

// Labels show the conversion, of a constant too.
Result<BoundExprPtr> CaseResult(BoundExprPtr value, const DataType& type) {
  if (value->type.id == type.id || value->is_null_constant()) {
    return Convert(std::move(value), type);
  }
  const std::string text = fmt::format("TO_{}({})", TypeName(type.id), ToText(*value));
  ASSIGN_OR_RETURN(BoundExprPtr converted, Convert(std::move(value), type));
  return Relabel(std::move(converted), text);
}

}  // namespace

Result<BoundExprPtr> MakeCase(std::vector<CaseBranch> branches, BoundExprPtr otherwise,
                              int32_t position) {
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kCase;
  expr->position = position;
  if (otherwise == nullptr) otherwise = MakeConstant(Value(), position);
  for (const CaseBranch& branch : branches) {
    RETURN_IF_ERROR(CommonCaseType(*branch.then, &expr->type, position));
  }
  RETURN_IF_ERROR(CommonCaseType(*otherwise, &expr->type, position));
  for (CaseBranch& branch : branches) {
    if (!IsBooleanOrNull(*branch.when)) {
      // The original finds out when it reads the first value as one.
      return MakeSqlError(201, "BOOLEAN may only be a single byte", position);
    }
    ASSIGN_OR_RETURN(BoundExprPtr when, Convert(std::move(branch.when), {TypeId::kBoolean}));
    if (when->is_constant() && (when->constant.is_null() || !when->constant.boolean())) continue;
    ASSIGN_OR_RETURN(BoundExprPtr then, CaseResult(std::move(branch.then), expr->type));
    if (when->is_constant() && expr->children.empty()) return then;
    expr->children.push_back(std::move(when));
    expr->children.push_back(std::move(then));
  }
  ASSIGN_OR_RETURN(BoundExprPtr last, CaseResult(std::move(otherwise), expr->type));
  if (expr->children.empty()) return last;
  expr->children.push_back(std::move(last));
  InheritFlags(expr.get());
  return Fold(std::move(expr));
}

Result<BoundExprPtr> MakeCast(BoundExprPtr value, const DataType& type, int32_t position) {
  if (value->type.id == TypeId::kNull) return MakeConstant(Value::Null(type), position);
  if (value->type.id == type.id) return value;  // lengths and scales of a CAST are not applied
  if (!CanCast(value->type.id, type.id)) {
    return MismatchFor(value->type.id, type.id, ToText(*value), position);
  }
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kCast;
  expr->type = type;
  expr->position = position;
  expr->can_fail = true;
  expr->children.push_back(std::move(value));
  InheritFlags(expr.get());
  if (!IsArray(type.id)) return Fold(std::move(expr));
  const std::string text = ToText(*expr);
  ASSIGN_OR_RETURN(BoundExprPtr folded, Fold(std::move(expr)));
  return Relabel(std::move(folded), text);
}

Result<BoundExprPtr> MakeCoerce(BoundExprPtr value, const DataType& type, std::string_view what,
                                int32_t position) {
  if (value->type == type) return value;
  if (value->is_constant()) {
    Result<Value> coerced = Coerce(value->constant, type, what);
    if (!coerced.ok()) return AtPosition(coerced.status(), position);
    Value typed = *std::move(coerced);
    typed.set_type(type);
    return MakeConstant(std::move(typed), position);
  }
  if (!IsComparable(value->type.id, type.id)) {
    return MismatchFor(value->type.id, type.id, std::string(what), position);
  }
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kCast;
  expr->type = type;
  expr->position = position;
  expr->implicit_cast = true;
  expr->can_fail = true;
  expr->children.push_back(std::move(value));
  InheritFlags(expr.get());
  return BoundExprPtr(std::move(expr));
}

}  // namespace bennu::sql
