// ARRAY[…], and comparisons with ANY or ALL of an array's elements.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/status_macros.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/types/array.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

bool AllConstant(const std::vector<BoundExprPtr>& elements) {
  return std::all_of(elements.begin(), elements.end(),
                     [](const BoundExprPtr& element) { return element->is_constant(); });
}

// The length that holds 'element' too, if it is known.
std::optional<int32_t> Longer(std::optional<int32_t> longest, const BoundExpr& element) {
  if (element.type.id == TypeId::kNull || !longest.has_value()) return longest;
  std::optional<int32_t> length = element.type.max_length;
  const bool bytes = PhysicalTypeOf(element.type.id) == PhysicalType::kBytes;
  if (!length.has_value() && bytes && element.is_constant()) {
    length = element.constant.is_null() ? 0 : static_cast<int32_t>(element.constant.bytes().size());
  }
  if (length.has_value()) length = std::max(*length, *longest);
  return length;
}

// The type into which all elements go; numbers among NULLs are DECIMAL, as in Phoenix.
Result<DataType> CommonElementType(const std::vector<BoundExprPtr>& elements, int32_t position) {
  TypeId common = TypeId::kNull;
  bool has_null = false;
  std::optional<int32_t> longest = 0;  // nothing when rows decide
  for (const BoundExprPtr& element : elements) {
    const TypeId type = element->type.id;
    longest = Longer(longest, *element);
    if (type == TypeId::kNull) {
      has_null = true;
    } else if (common == TypeId::kNull || !CanCoerce(type, common)) {
      if (common != TypeId::kNull && !CanCoerce(common, type)) {
        return MakeSqlError(203,
                            fmt::format("Case expressions must have common type: {} cannot be "
                                        "coerced to {}",
                                        TypeName(common), TypeName(type)),
                            position);
      }
      common = type;
    }
  }
  if (has_null && IsNumeric(common)) common = TypeId::kDecimal;
  DataType type{common};
  const bool padded = common == TypeId::kChar || common == TypeId::kBinary;
  if (!padded || AllConstant(elements)) return type;
  if (longest.has_value()) {
    type.max_length = std::max(1, *longest);
  } else {  // each row would have another width
    type.id = common == TypeId::kChar ? TypeId::kVarchar : TypeId::kVarbinary;
  }
  return type;
}

Result<BoundExprPtr> MakeConstantArray(const DataType& type, TypeId element,
                                       const std::vector<BoundExprPtr>& elements,
                                       int32_t position) {
  std::vector<Value> values;
  for (const BoundExprPtr& constant : elements) {
    ASSIGN_OR_RETURN(Value value, Coerce(constant->constant, {element}));
    values.push_back(std::move(value));
  }
  ASSIGN_OR_RETURN(Value value, MakeArray({type.id}, values));
  return MakeConstant(std::move(value), position);
}

}  // namespace

Result<BoundExprPtr> MakeArrayOf(std::vector<BoundExprPtr> elements, int32_t position) {
  ASSIGN_OR_RETURN(const DataType element, CommonElementType(elements, position));
  ASSIGN_OR_RETURN(const TypeId array, MadeArrayOf(element.id, position));
  const DataType type{array, element.max_length};
  if (AllConstant(elements)) return MakeConstantArray(type, element.id, elements, position);
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kArray;
  expr->type = type;
  expr->can_fail = true;
  expr->position = position;
  for (BoundExprPtr& given : elements) {
    ASSIGN_OR_RETURN(BoundExprPtr converted, Convert(given, {element.id}));
    expr->children.push_back(HideConversion(std::move(converted), *given));
  }
  InheritFlags(expr.get());
  return BoundExprPtr(std::move(expr));
}

Result<BoundExprPtr> MakeQuantified(ComparisonOp op, BoundExprPtr left, BoundExprPtr array,
                                    bool all, int32_t position) {
  if (!IsArray(array->type.id)) {
    return MismatchFor(array->type.id, "ANY and ALL, which want an array", position);
  }
  if (left->is_null_constant() || array->is_null_constant()) {
    return MakeConstant(Value::Null({TypeId::kBoolean}), position);
  }
  // The comparison of one element: slot 0 is the element, slot 1 what it is compared with.
  auto state = std::make_shared<QuantifiedState>();
  state->element = ElementType(array->type);
  BoundExprPtr value = left;
  if (!left->is_constant()) value = MakeSlot(1, left->type, ToText(*left), true, position);
  ASSIGN_OR_RETURN(
      state->compare,
      MakeCompare(op, std::move(value), MakeSlot(0, state->element, ToText(*array)), position));
  auto expr = std::make_shared<BoundExpr>();
  expr->kind = BoundKind::kQuantified;
  expr->type = {TypeId::kBoolean};
  expr->compare = op;
  expr->negated = all;
  expr->position = position;
  expr->can_fail = true;
  expr->state = std::move(state);
  expr->children = {std::move(array), std::move(left)};
  InheritFlags(expr.get());
  const std::string text = ToText(*expr);
  ASSIGN_OR_RETURN(BoundExprPtr folded, Fold(std::move(expr)));
  return Relabel(std::move(folded), text);
}

}  // namespace bennu::sql
