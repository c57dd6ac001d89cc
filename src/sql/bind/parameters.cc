#include "src/sql/bind/parameters.h"

#include <algorithm>

#include <fmt/format.h>
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {

bool Fits(const Value& value, const DataType& wanted, bool compared) {
  const TypeId given = value.type().id;
  if (value.is_null() || wanted.id == TypeId::kNull) return true;
  const bool texts = IsString(given) && IsString(wanted.id);
  if (texts || (IsBinary(given) && given == wanted.id)) {
    // As a rule no character needs to be counted.
    const auto length = static_cast<int64_t>(value.bytes().size());
    if (!wanted.max_length.has_value() || length <= *wanted.max_length) return true;
  }
  if (given == wanted.id && (IsIntegral(given) || IsFloatingPoint(given))) return true;
  if (SameMillis(value, wanted).has_value()) return true;
  // It makes a DECIMAL of what is computed with it.
  if (given == TypeId::kDecimal && IsIntegral(wanted.id) && !compared) return false;
  const Result<Value> turned = Coerce(value, wanted);
  if (!turned.ok()) return false;
  // What padding and elements become is not another value. Phoenix, too, cuts off the fraction of a
  // DOUBLE that an integer is compared with.
  const bool cut = IsFloatingPoint(given) && IsIntegral(wanted.id);
  const bool number = IsNumeric(given) && IsNumeric(wanted.id) && !cut;
  const bool moment = IsDateTime(given) && IsDateTime(wanted.id);
  if (!number && !moment) return true;
  const Result<int> order = CompareValues(value, *turned);
  return order.ok() && *order == 0;
}

bool AllFit(std::span<const Value> values, std::span<const DataType> wanted,
            const std::vector<bool>& compared) {
  const size_t count = std::min(values.size(), wanted.size());
  for (size_t i = 0; i < count; ++i) {
    if (!Fits(values[i], wanted[i], i < compared.size() && compared[i])) return false;
  }
  return true;
}

bool SurelyComparable(TypeId given, TypeId partner) {
  // Some comparisons of bytes with texts and numbers are refused, although they are comparable.
  return given == partner || (IsComparable(partner, given) && !IsBinary(given));
}

Status CheckComparable(const Parameters& parameters, size_t index, const Value& value) {
  if (index >= parameters.partners.size() || value.is_null()) return Status::Ok();
  const ExprPtr& partner = parameters.partners[index];
  if (partner == nullptr || SurelyComparable(value.type().id, partner->type.id)) {
    return Status::Ok();
  }
  // A value that fits is turned into the wanted type. The others become constants in the statement,
  // which is bound again, and so they are here.
  const bool fits = Fits(value, parameters.types[index], parameters.compared[index]) ||
                    Fits(value, partner->type, /*compared=*/true);
  if (fits || MakeCompare(ComparisonOp::kEqual, partner, MakeConstant(value)).ok()) {
    return Status::Ok();
  }
  return SqlTypeMismatch(fmt::format("expected: {} but was: {} at parameter {}, compared with {}",
                                     TypeToString(partner->type), TypeToString(value.type()),
                                     index + 1, ToText(*partner)));
}

}  // namespace bennu::sql::bind
