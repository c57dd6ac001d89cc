// Types of arithmetic. Source: phoenix-types spec sections 4, 5 and 8.
#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

constexpr const char* kOperators[] = {" + ", " - ", " * ", " / ", " % "};

struct Operands {
  ArithmeticOp op;
  BoundExprPtr left;
  BoundExprPtr right;
  int32_t position;

  std::string Text() const {
    return '(' + ToText(*left) + kOperators[static_cast<size_t>(op)] + ToText(*right) + ')';
  }
};

bool IsNull(const BoundExpr& e) { return e.type.id == TypeId::kNull; }

// DATE for all kinds but TIMESTAMP's.
DataType ShiftedType(TypeId date) {
  return {IsTimestamp(date) ? TypeId::kTimestamp : TypeId::kDate};
}

// Dates: with numbers a shift by days, among themselves a difference.
Result<DataType> DateResult(const Operands& o) {
  const TypeId left = o.left->type.id;
  const TypeId right = o.right->type.id;
  const bool add = o.op == ArithmeticOp::kAdd;
  const bool subtract = o.op == ArithmeticOp::kSubtract;
  const Status mismatch = MismatchFor(IsDateTime(left) ? left : right, o.Text(), o.position);
  if (!add && !subtract) return mismatch;
  if (IsDateTime(left) && IsDateTime(right)) {
    if (add || IsTimestamp(left) != IsTimestamp(right)) return mismatch;
    return DataType{IsTimestamp(left) ? TypeId::kTimestamp : TypeId::kDecimal};
  }
  const BoundExpr& number = IsDateTime(left) ? *o.right : *o.left;
  if (!IsNumeric(number.type.id) && !IsNull(number)) {
    return MismatchFor(number.type.id, o.Text(), o.position);
  }
  if (!IsDateTime(left) && subtract) return mismatch;
  return ShiftedType(IsDateTime(left) ? left : right);
}

// NULL counts as an integer.
DataType Numeric(const BoundExpr& e) { return IsNull(e) ? DataType{TypeId::kInteger} : e.type; }

DataType DecimalResult(ArithmeticOp op, const DataType& a, const DataType& b) {
  switch (op) {
    case ArithmeticOp::kMultiply: return DecimalMultiplyType(a, b);
    case ArithmeticOp::kDivide: return DecimalDivideType(a, b);
    default: return DecimalAddType(a, b);
  }
}

Result<DataType> NumericResult(const Operands& o) {
  for (const BoundExpr* e : {o.left.get(), o.right.get()}) {
    if (!IsNumeric(e->type.id) && !IsNull(*e)) {
      return MismatchFor(e->type.id, o.Text(), o.position);
    }
  }
  const DataType left = Numeric(*o.left);
  const DataType right = Numeric(*o.right);
  if (o.op == ArithmeticOp::kModulo) {
    for (const DataType& type : {left, right}) {
      if (!IsIntegral(type.id)) return MismatchFor(type.id, o.Text(), o.position);
    }
    return DataType{TypeId::kBigint};
  }
  if (left.id == TypeId::kDecimal || right.id == TypeId::kDecimal) {
    return DecimalResult(o.op, left, right);
  }
  // Phoenix lets the first operand decide, so that 1 + 1.5e0 is 2 there.
  const bool real = IsFloatingPoint(left.id) || IsFloatingPoint(right.id);
  return DataType{real ? TypeId::kDouble : TypeId::kBigint};
}

bool IsZero(const Value& value) {
  if (value.is_null()) return false;
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kInt64: return value.int64() == 0;
    case PhysicalType::kDouble: return value.real() == 0;
    case PhysicalType::kDecimal: return value.decimal().IsZero();
    default: return false;
  }
}

// 'value' in the physical type that the kernel computes in.
Result<BoundExprPtr> ForKernel(const BoundExprPtr& value, const DataType& result) {
  ASSIGN_OR_RETURN(BoundExprPtr converted, ConvertPhysical(value, {result.id}));
  return HideConversion(std::move(converted), *value);
}

}  // namespace

Result<BoundExprPtr> MakeArithmetic(ArithmeticOp op, BoundExprPtr left, BoundExprPtr right,
                                    int32_t position) {
  Operands o{op, std::move(left), std::move(right), position};
  const bool dates = IsDateTime(o.left->type.id) || IsDateTime(o.right->type.id);
  Result<DataType> type = dates ? DateResult(o) : NumericResult(o);
  if (!type.ok()) return type.status();
  const bool divides = op == ArithmeticOp::kDivide || op == ArithmeticOp::kModulo;
  if (divides && o.right->is_constant() && IsZero(o.right->constant)) {
    return AtPosition(SqlDivideByZero(), position);
  }
  if (o.left->is_null_constant() || o.right->is_null_constant()) {
    return MakeConstant(Value::Null(*type), position);
  }
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kArithmetic;
  expr->type = *type;
  expr->arithmetic = op;
  expr->position = position;
  if (!dates) {
    ASSIGN_OR_RETURN(o.left, ForKernel(o.left, *type));
    ASSIGN_OR_RETURN(o.right, ForKernel(o.right, *type));
  }
  expr->can_fail = type->id != TypeId::kDouble;  // what is beyond the type
  expr->children = {std::move(o.left), std::move(o.right)};
  InheritFlags(expr.get());
  return Fold(std::move(expr));
}

Result<BoundExprPtr> MakeNegate(BoundExprPtr value, int32_t position) {
  // The one BIGINT whose digits alone do not fit.
  const bool lowest = value->is_constant() && value->type.id == TypeId::kDecimal &&
                      !value->constant.is_null() &&
                      value->constant.decimal() == Decimal(Int128{1} << 63, 0);
  if (lowest) return MakeConstant(Value::Bigint(INT64_MIN), position);
  return MakeArithmetic(ArithmeticOp::kMultiply, std::move(value), MakeConstant(Value::Integer(-1)),
                        position);
}

Result<BoundExprPtr> MakeConcat(std::vector<BoundExprPtr> parts, int32_t position) {
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kConcat;
  expr->type = {TypeId::kVarchar};
  bool has_binary = false;
  bool has_other = false;
  for (const BoundExprPtr& part : parts) {
    const TypeId id = part->type.id;
    if (IsArray(id) || id == TypeId::kBson || id == TypeId::kJson) {
      return MakeSqlError(
          203, fmt::format("expected: [VARCHAR] but was: {} at || argument", TypeName(id)),
          position);
    }
    has_binary = has_binary || IsBinary(id);
    has_other = has_other || (!IsBinary(id) && id != TypeId::kNull);
  }
  // Bytes alone are no text. Among text they are its characters, as far as they are some.
  if (has_binary && !has_other) expr->type = {TypeId::kVarbinary};
  expr->position = position;
  expr->children = std::move(parts);
  InheritFlags(expr.get());
  expr->can_fail = true;  // what it makes may be too large
  return Fold(std::move(expr));
}

}  // namespace bennu::sql
