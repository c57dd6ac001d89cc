#include "src/sql/parse/literal.h"

#include <fmt/format.h>

#include <charconv>

#include "src/base/check.h"
#include "src/sql/types/decimal.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql::parse {
namespace {

Result<Value> IntegerValue(const Expr& literal) {
  int64_t number = 0;
  const char* end = literal.text.data() + literal.text.size();
  if (std::from_chars(literal.text.data(), end, number).ec == std::errc()) {
    if (number <= INT32_MAX) return Value::Integer(static_cast<int32_t>(number));
    return Value::Bigint(number);
  }
  const std::optional<Decimal> decimal = Decimal::Parse(literal.text);
  if (decimal.has_value()) return Value::Number(*decimal);
  return MakeSqlError(601, fmt::format("Number {} is out of range.", literal.text),
                      literal.position);
}

Result<Value> DecimalValue(const Expr& literal) {
  const std::optional<Decimal> decimal = Decimal::Parse(literal.text);
  if (decimal.has_value()) return Value::Number(*decimal);
  return MakeSqlError(601, fmt::format("{} is not a number.", literal.text), literal.position);
}

// Out of range becomes an infinity or zero, as Java's Double.parseDouble has it.
Result<Value> DoubleValue(const Expr& literal) {
  return Value::Double(std::strtod(literal.text.c_str(), nullptr));
}

Result<Value> TypedValue(const Expr& literal) {
  const std::optional<TypeId> id = TypeByName(literal.type_name);
  if (!id.has_value()) {
    const bool interval = literal.type_name == "INTERVAL";
    return MakeSqlError(201, "Unsupported sql type: " + literal.type_name, literal.position,
                        interval ? "dates are moved by days: d + 7, d - 1.0 / 24" : "");
  }
  if (!IsDateTime(*id)) {
    return MakeSqlError(
        203, fmt::format("{} and VARCHAR for '{}'", literal.type_name, literal.text),
        literal.position, "only DATE, TIME and TIMESTAMP kinds take a quoted literal");
  }
  const Result<Timestamp> time = ParseDateTime(literal.text);
  if (!time.ok()) return MakeSqlError(601, time.status().message(), literal.position);
  const DataType type{*id};
  if (IsTimestamp(*id)) return Value::Time(type, *time);
  return Value::Int(type, time->millis);
}

}  // namespace

Result<Value> LiteralValue(const Expr& literal) {
  BENNU_CHECK(literal.kind == ExprKind::kLiteral);
  switch (literal.literal) {
    case LiteralKind::kNull: return Value();
    case LiteralKind::kTrue: return Value::Bool(true);
    case LiteralKind::kFalse: return Value::Bool(false);
    case LiteralKind::kInteger: return IntegerValue(literal);
    case LiteralKind::kDecimal: return DecimalValue(literal);
    case LiteralKind::kDouble: return DoubleValue(literal);
    case LiteralKind::kString:
      if (literal.text.empty()) return Value::Null({TypeId::kVarchar});
      return Value::Varchar(literal.text);
    case LiteralKind::kBinary: {
      if (literal.text.empty()) return Value::Null({TypeId::kVarbinary});
      const auto length = static_cast<int32_t>(literal.text.size());
      return Value::String({TypeId::kBinary, length}, literal.text);
    }
    case LiteralKind::kTyped: return TypedValue(literal);
  }
  return Value();
}

}  // namespace bennu::sql::parse
