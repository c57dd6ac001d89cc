// Comparisons, IN, BETWEEN, LIKE: which type both sides are compared in.
#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

std::shared_ptr<BoundExpr> MakePlainCompare(ComparisonOp op, BoundExprPtr left, BoundExprPtr right,
                                            const DataType& type, int32_t position) {
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kCompare;
  expr->type = {TypeId::kBoolean};
  expr->compare = op;
  expr->operand_type = type;
  expr->position = position;
  expr->children = {std::move(left), std::move(right)};
  InheritFlags(expr.get());
  return expr;
}

struct IntegerBound {
  ComparisonOp op;
  int64_t value;
};

// x op 1.5 over integers x as a comparison with an integer; nothing when that does not work out.
std::optional<IntegerBound> AsIntegerBound(ComparisonOp op, const Decimal& bound) {
  const std::optional<int64_t> floor = bound.ToInt64(Rounding::kFloor);
  if (!floor.has_value()) return std::nullopt;
  if (bound.IsInteger()) return IntegerBound{op, *floor};
  switch (op) {
    case ComparisonOp::kLess:
    case ComparisonOp::kLessOrEqual: return IntegerBound{ComparisonOp::kLessOrEqual, *floor};
    case ComparisonOp::kGreater:
    case ComparisonOp::kGreaterOrEqual: return IntegerBound{ComparisonOp::kGreater, *floor};
    default: return std::nullopt;
  }
}

// Single precision is what a FLOAT column holds; a constant is brought to it first.
double AsFloatingConstant(const Value& constant, TypeId column) {
  const double value =
      constant.type().id == TypeId::kDecimal ? constant.decimal().ToDouble() : constant.real();
  const bool single = column == TypeId::kFloat || column == TypeId::kUnsignedFloat;
  return single ? static_cast<double>(static_cast<float>(value)) : value;
}

// Column against constant, where the common type would make every row DECIMAL: the constant is
// turned instead, as Phoenix does when it compiles. Null: no such case.
std::shared_ptr<BoundExpr> CompareWithTurnedConstant(ComparisonOp op, const BoundExprPtr& column,
                                                     const Value& constant, int32_t position) {
  const TypeId id = column->type.id;
  if (constant.is_null() || column->is_constant()) return nullptr;
  if (IsIntegral(id) && constant.type().id == TypeId::kDecimal) {
    const std::optional<IntegerBound> bound = AsIntegerBound(op, constant.decimal());
    if (!bound.has_value()) return nullptr;
    return MakePlainCompare(bound->op, column, MakeConstant(Value::Bigint(bound->value)),
                            {TypeId::kBigint}, position);
  }
  const bool fraction =
      constant.type().id == TypeId::kDecimal || constant.type().id == TypeId::kDouble;
  if (IsFloatingPoint(id) && fraction) {
    const double value = AsFloatingConstant(constant, id);
    return MakePlainCompare(op, column, MakeConstant(Value::Double(value)), {TypeId::kDouble},
                            position);
  }
  return nullptr;
}

bool MayBeNull(const BoundExpr& expr) { return expr.kind != BoundKind::kSlot || expr.nullable; }

// A comparison of 'column' that is 'value' whatever the column holds, and NULL where that is NULL.
BoundExprPtr Decided(bool value, const BoundExprPtr& column, int32_t position) {
  if (!MayBeNull(*column)) return MakeConstant(Value::Bool(value), position);
  const ComparisonOp op = value ? ComparisonOp::kEqual : ComparisonOp::kNotEqual;
  return MakePlainCompare(op, column, column, column->type, position);
}

bool IsGreater(ComparisonOp op) {
  return op == ComparisonOp::kGreater || op == ComparisonOp::kGreaterOrEqual;
}

// A constant of a type that the column's does not take. Null: no such case. Source: types/ of the
// corpus.
Result<BoundExprPtr> CompareWithMisfit(ComparisonOp op, const BoundExprPtr& column,
                                       const Value& constant, int32_t position) {
  const TypeId id = column->type.id;
  const TypeId from = constant.type().id;
  if (constant.is_null() || column->is_constant()) return BoundExprPtr();
  const bool equality = op == ComparisonOp::kEqual || op == ComparisonOp::kNotEqual;
  if (IsBinary(from) && (IsString(id) || IsNumeric(id))) {
    if (!equality || IsNumeric(id)) {
      return MismatchFor(id, from, ToText(*column) + " and " + LiteralText(constant), position);
    }
    return Decided(op == ComparisonOp::kNotEqual, column, position);
  }
  if (from == TypeId::kBigint &&
      (id == TypeId::kInteger || id == TypeId::kUnsignedInt || id == TypeId::kUnsignedLong)) {
    const IntegerRange range = RangeOf(id);
    const int64_t value = constant.int64();
    if (value >= range.min && value <= range.max) return BoundExprPtr();
    if (MayBeNull(*column)) return BoundExprPtr();  // compared by value
    const bool holds =
        equality ? op == ComparisonOp::kNotEqual : IsGreater(op) == (value < range.min);
    return MakeConstant(Value::Bool(holds), position);
  }
  // A negative fraction becomes zero.
  const bool unsigned_real = id == TypeId::kUnsignedFloat || id == TypeId::kUnsignedDouble;
  if (from == TypeId::kDecimal && unsigned_real && !equality && constant.decimal().sign() < 0 &&
      constant.decimal().ToInt64(Rounding::kDown) == 0) {
    return BoundExprPtr(
        MakePlainCompare(op, column, MakeConstant(Value::Double(0)), {TypeId::kDouble}, position));
  }
  return BoundExprPtr();
}

// A constant beside a CHAR or BINARY, whose value is as if padded to its length. Of text the blanks
// at the end do not count, and longer text is never equal. Null: 'constant' is compared, which may
// have become another one.
BoundExprPtr CompareWithPadded(ComparisonOp op, const BoundExprPtr& column, BoundExprPtr* constant,
                               int32_t position) {
  const BoundExpr& given = **constant;
  const DataType& type = column->type;
  const bool bytes = IsBinary(given.type.id) && !given.constant.is_null();
  if (type.id == TypeId::kBinary && bytes && !column->is_constant()) {
    Value padded = PadBinary(given.constant, type);
    const bool is_longer = padded.bytes().size() > given.constant.bytes().size();
    if (is_longer) *constant = MakeConstant(std::move(padded), given.position);
    return nullptr;
  }
  if (type.id != TypeId::kChar || column->is_constant()) return nullptr;
  if (given.type.id != TypeId::kVarchar || given.constant.is_null()) return nullptr;
  const std::string& text = given.constant.bytes();
  const bool equality = op == ComparisonOp::kEqual || op == ComparisonOp::kNotEqual;
  if (equality && type.max_length.has_value() &&
      text.size() > static_cast<size_t>(*type.max_length)) {
    return Decided(op == ComparisonOp::kNotEqual, column, position);
  }
  if (!text.empty() && text.back() == ' ') {
    const DataType padded = {TypeId::kChar, static_cast<int32_t>(text.size())};
    *constant = MakeConstant(Value::String(padded, text), given.position);
  }
  return nullptr;
}

// For operands that do not go together: a moment beside a text is written with its type. Beside a
// number the quotes are missing, and 2024-01-01 was a subtraction.
std::string DateAdvice(const BoundExpr& left, const BoundExpr& right) {
  for (const auto& [moment, text] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (IsDateTime(moment->type.id) && text->type.id == TypeId::kVarchar && text->is_constant()) {
      return fmt::format("write {} {}", TypeName(moment->type.id), ToText(*text));
    }
    if (IsDateTime(moment->type.id) && IsNumeric(text->type.id) && text->is_constant()) {
      return fmt::format("a date or time is written in quotes, behind its type: {} '2024-12-31'",
                         TypeName(moment->type.id));
    }
  }
  return "";
}

}  // namespace

Result<BoundExprPtr> MakeCompare(ComparisonOp op, BoundExprPtr left, BoundExprPtr right,
                                 int32_t position) {
  if (left->type.id == TypeId::kJson || right->type.id == TypeId::kJson) {
    return MakeSqlError(539, " for type JSON", position, "compare what JSON_VALUE takes out of it");
  }
  const bool turned_round = left->is_constant() && !right->is_constant();
  const std::optional<DataType> common = turned_round
                                             ? CommonComparisonType(right->type, left->type)
                                             : CommonComparisonType(left->type, right->type);
  if (!common.has_value()) {
    const std::string text = ToText(*left) + ComparisonSign(op) + ToText(*right);
    return MakeSqlError(
        203,
        fmt::format("{} and {} for {}", TypeName(left->type.id), TypeName(right->type.id), text),
        position, DateAdvice(*left, *right));
  }
  if (left->is_null_constant() || right->is_null_constant()) {
    return MakeConstant(Value::Null({TypeId::kBoolean}), position);
  }
  if (right->is_constant()) {
    BoundExprPtr settled = CompareWithPadded(op, left, &right, position);
    if (settled != nullptr) return settled;
    ASSIGN_OR_RETURN(BoundExprPtr misfit, CompareWithMisfit(op, left, right->constant, position));
    if (misfit != nullptr) return misfit;
    auto turned = CompareWithTurnedConstant(op, left, right->constant, position);
    if (turned != nullptr) return BoundExprPtr(std::move(turned));
  }
  if (left->is_constant()) {
    const ComparisonOp flipped = FlipComparison(op);
    BoundExprPtr settled = CompareWithPadded(flipped, right, &left, position);
    if (settled != nullptr) return settled;
    ASSIGN_OR_RETURN(BoundExprPtr misfit,
                     CompareWithMisfit(flipped, right, left->constant, position));
    if (misfit != nullptr) return misfit;
    auto turned = CompareWithTurnedConstant(FlipComparison(op), right, left->constant, position);
    if (turned != nullptr) return BoundExprPtr(std::move(turned));
  }
  if (common->id == TypeId::kBson) {
    ASSIGN_OR_RETURN(left, Convert(std::move(left), *common));
    ASSIGN_OR_RETURN(right, Convert(std::move(right), *common));
  }
  ASSIGN_OR_RETURN(BoundExprPtr a, ConvertPhysical(std::move(left), *common));
  ASSIGN_OR_RETURN(BoundExprPtr b, ConvertPhysical(std::move(right), *common));
  return Fold(MakePlainCompare(op, std::move(a), std::move(b), *common, position));
}

namespace {

// (a, b) < (c, d) is a < c OR (a = c AND b < d).
Result<BoundExprPtr> OrderedRowCompare(ComparisonOp op, std::span<const BoundExprPtr> left,
                                       std::span<const BoundExprPtr> right, int32_t position) {
  if (left.size() == 1) return MakeCompare(op, left[0], right[0], position);
  ComparisonOp strict = op;
  if (op == ComparisonOp::kLessOrEqual) strict = ComparisonOp::kLess;
  if (op == ComparisonOp::kGreaterOrEqual) strict = ComparisonOp::kGreater;
  ASSIGN_OR_RETURN(BoundExprPtr first, MakeCompare(strict, left[0], right[0], position));
  ASSIGN_OR_RETURN(BoundExprPtr equal,
                   MakeCompare(ComparisonOp::kEqual, left[0], right[0], position));
  ASSIGN_OR_RETURN(BoundExprPtr rest,
                   OrderedRowCompare(op, left.subspan(1), right.subspan(1), position));
  ASSIGN_OR_RETURN(BoundExprPtr both, MakeAnd({std::move(equal), std::move(rest)}, position));
  return MakeOr({std::move(first), std::move(both)}, position);
}

Result<BoundExprPtr> LowerRowCompare(ComparisonOp op, const std::vector<BoundExprPtr>& left,
                                     const std::vector<BoundExprPtr>& right, int32_t position) {
  if (op != ComparisonOp::kEqual && op != ComparisonOp::kNotEqual) {
    return OrderedRowCompare(op, left, right, position);
  }
  std::vector<BoundExprPtr> parts;
  for (size_t i = 0; i < left.size(); ++i) {
    ASSIGN_OR_RETURN(BoundExprPtr part, MakeCompare(op, left[i], right[i], position));
    parts.push_back(std::move(part));
  }
  if (op == ComparisonOp::kEqual) return MakeAnd(std::move(parts), position);
  return MakeOr(std::move(parts), position);
}

}  // namespace

Result<BoundExprPtr> MakeRowCompare(ComparisonOp op, std::vector<BoundExprPtr> left,
                                    std::vector<BoundExprPtr> right, int32_t position) {
  if (left.size() != right.size() || left.empty()) {
    return MakeSqlError(203, "Row value constructors must have the same number of elements",
                        position);
  }
  ASSIGN_OR_RETURN(BoundExprPtr lowered, LowerRowCompare(op, left, right, position));
  if (left.size() == 1 || lowered->is_constant()) return lowered;
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kRowCompare;
  expr->type = {TypeId::kBoolean};
  expr->compare = op;
  expr->position = position;
  expr->children = std::move(left);
  for (BoundExprPtr& value : right) expr->children.push_back(std::move(value));
  expr->children.push_back(std::move(lowered));
  InheritFlags(expr.get());
  return BoundExprPtr(std::move(expr));
}

Result<BoundExprPtr> MakeBetween(BoundExprPtr value, BoundExprPtr low, BoundExprPtr high,
                                 bool negated, int32_t position) {
  ASSIGN_OR_RETURN(BoundExprPtr from,
                   MakeCompare(ComparisonOp::kGreaterOrEqual, value, std::move(low), position));
  ASSIGN_OR_RETURN(BoundExprPtr to,
                   MakeCompare(ComparisonOp::kLessOrEqual, value, std::move(high), position));
  ASSIGN_OR_RETURN(BoundExprPtr both, MakeAnd({std::move(from), std::move(to)}, position));
  if (!negated) return both;
  return MakeNot(std::move(both), position);
}

namespace {

// The type in which an IN list is looked up: the value's own where every constant fits it.
Result<DataType> InListType(const BoundExpr& value, const std::vector<BoundExprPtr>& list,
                            int32_t position) {
  DataType type = {value.type.id};
  for (const BoundExprPtr& element : list) {
    const std::optional<DataType> common = CommonComparisonType(type, element->type);
    if (!common.has_value()) {
      return MismatchFor(value.type.id, element->type.id, ToText(value) + " IN", position);
    }
    if (element->type.id == TypeId::kNull) continue;
    type = *common;
  }
  return type;
}

Result<BoundExprPtr> InAsComparisons(BoundExprPtr value, std::vector<BoundExprPtr> list,
                                     bool negated, int32_t position) {
  std::vector<BoundExprPtr> parts;
  for (BoundExprPtr& element : list) {
    ASSIGN_OR_RETURN(BoundExprPtr part,
                     MakeCompare(ComparisonOp::kEqual, value, std::move(element), position));
    parts.push_back(std::move(part));
  }
  ASSIGN_OR_RETURN(BoundExprPtr any, MakeOr(std::move(parts), position));
  if (!negated) return any;
  return MakeNot(std::move(any), position);
}

// A constant in the list of a CHAR or BINARY: see CompareWithPadded.
Value PaddedTo(const DataType& type, Value value) {
  if (type.id == TypeId::kChar && IsString(value.type().id)) {
    return Value::String(value.type(), std::string(StripCharPadding(value.bytes())));
  }
  return PadBinary(std::move(value), type);
}

bool IsIntegerConstant(const BoundExpr& expr) {
  return expr.constant.is_null() || IsIntegral(expr.type.id);
}

}  // namespace

Result<BoundExprPtr> MakeIn(BoundExprPtr value, std::vector<BoundExprPtr> list, bool negated,
                            int32_t position) {
  bool constants = true;
  bool integers = IsIntegral(value->type.id);
  for (const BoundExprPtr& element : list) {
    constants &= element->is_constant();
    integers &= element->is_constant() && IsIntegerConstant(*element);
  }
  // One element, a bind, or numbers of mixed types: comparisons know how to treat each.
  const bool mixed_numbers = IsNumeric(value->type.id) && !integers;
  if (!constants || list.size() == 1 || (mixed_numbers && list.size() <= 8)) {
    return InAsComparisons(std::move(value), std::move(list), negated, position);
  }
  ASSIGN_OR_RETURN(const DataType type, InListType(*value, list, position));
  if (value->is_null_constant()) {
    return MakeConstant(Value::Null({TypeId::kBoolean}), position);
  }
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kIn;
  expr->type = {TypeId::kBoolean};
  expr->operand_type = type;
  expr->negated = negated;
  expr->position = position;
  for (const BoundExprPtr& element : list) {
    if (element->constant.is_null()) {
      expr->list_has_null = true;
      continue;
    }
    ASSIGN_OR_RETURN(BoundExprPtr typed, Convert(element, type));
    expr->list.push_back(PaddedTo(value->type, typed->constant));
  }
  expr->state = BuildInSet(expr->list, type);
  ASSIGN_OR_RETURN(BoundExprPtr typed_value, ConvertPhysical(std::move(value), type));
  expr->children.push_back(std::move(typed_value));
  InheritFlags(expr.get());
  return Fold(std::move(expr));
}

Result<BoundExprPtr> MakeLike(BoundExprPtr value, BoundExprPtr pattern, bool negated,
                              bool case_insensitive, int32_t position) {
  const auto is_text = [](const BoundExpr& e) {
    return IsString(e.type.id) || e.type.id == TypeId::kNull;
  };
  if ((!is_text(*value) || !is_text(*pattern)) && !pattern->is_null_constant()) {
    return MismatchFor(
        value->type.id, pattern->type.id,
        ToText(*value) + (case_insensitive ? " ILIKE " : " LIKE ") + ToText(*pattern), position);
  }
  if (value->is_null_constant() || pattern->is_null_constant()) {
    return MakeConstant(Value::Null({TypeId::kBoolean}), position);
  }
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kLike;
  expr->type = {TypeId::kBoolean};
  expr->negated = negated;
  expr->case_insensitive = case_insensitive;
  expr->position = position;
  if (pattern->is_constant()) {
    expr->state = CompileLike(pattern->constant.bytes(), case_insensitive);
  }
  expr->children = {std::move(value), std::move(pattern)};
  InheritFlags(expr.get());
  return Fold(std::move(expr));
}

}  // namespace bennu::sql
