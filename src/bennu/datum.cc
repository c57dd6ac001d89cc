#include "src/bennu/datum.h"

#include <limits>
#include <type_traits>

#include "src/base/status_macros.h"
#include "src/sql/types/array.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/text.h"

namespace bennu::front {

namespace {

using sql::PhysicalType;
using sql::TypeId;
using sql::Value;

Value IntegerValue(int64_t number) {
  const bool fits = number >= std::numeric_limits<int32_t>::min() &&
                    number <= std::numeric_limits<int32_t>::max();
  return fits ? Value::Integer(static_cast<int32_t>(number)) : Value::Bigint(number);
}

Value MomentValue(const Datum::Moment& moment) {
  if (moment.nanos == 0) return Value::Int({TypeId::kDate}, moment.millis);
  return Value::Time({TypeId::kTimestamp}, sql::Timestamp{moment.millis, moment.nanos});
}

Result<Value> NumberValue(const Datum::Number& number) {
  const std::optional<sql::Decimal> decimal = sql::Decimal::Parse(number.digits);
  if (!decimal.has_value()) {
    return InvalidArgument("'" + number.digits + "' is not a decimal number of at most 38 digits");
  }
  return Value::Number(*decimal);
}

Result<Value> ArrayValue(const Datum::Array& array) {
  const std::optional<TypeId> element = sql::TypeByName(array.type);
  const std::optional<TypeId> type = element.has_value() ? sql::ArrayOf(*element) : std::nullopt;
  if (!type.has_value()) return InvalidArgument("there are no arrays of '" + array.type + "'");
  std::vector<Value> elements;
  for (const Datum& datum : array.elements) {
    ASSIGN_OR_RETURN(const Value value, ToValue(datum));
    ASSIGN_OR_RETURN(Value coerced, sql::Coerce(value, {*element}));
    elements.push_back(std::move(coerced));
  }
  return sql::MakeArray({*type}, elements);
}

// Bytes that are no array are shown as text.
Datum ArrayDatum(const Value& value) {
  const Result<std::vector<Value>> elements = sql::ArrayElements(value.bytes(), value.type());
  if (!elements.ok()) return Datum(sql::ToText(value));
  Datum::Array array;
  array.type = sql::TypeName(sql::ArrayElement(value.type().id));
  for (const Value& element : *elements) array.elements.push_back(ToDatum(element));
  return Datum(std::move(array));
}

}  // namespace

Status AssignValue(const Datum& datum, Value* value) {
  return std::visit(
      [value](const auto& held) -> Status {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          *value = Value();
        } else if constexpr (std::is_same_v<Held, bool>) {
          *value = Value::Bool(held);
        } else if constexpr (std::is_same_v<Held, int64_t>) {
          *value = IntegerValue(held);
        } else if constexpr (std::is_same_v<Held, double>) {
          *value = Value::Double(held);
        } else if constexpr (std::is_same_v<Held, Datum::Number>) {
          ASSIGN_OR_RETURN(*value, NumberValue(held));
        } else if constexpr (std::is_same_v<Held, Datum::Moment>) {
          *value = MomentValue(held);
        } else if constexpr (std::is_same_v<Held, std::string>) {
          *value = Value::Varchar(held);
        } else if constexpr (std::is_same_v<Held, Datum::Array>) {
          ASSIGN_OR_RETURN(*value, ArrayValue(held));
        } else {
          *value = Value::Varbinary(held.bytes);
        }
        return Status::Ok();
      },
      datum.variant());
}

Result<Value> ToValue(const Datum& datum) {
  Value value;
  RETURN_IF_ERROR(AssignValue(datum, &value));
  return value;
}

Datum ToDatum(const Value& value) {
  if (value.is_null()) return Datum();
  const TypeId id = value.type().id;
  switch (sql::PhysicalTypeOf(id)) {
    case PhysicalType::kBool: return Datum(value.boolean());
    case PhysicalType::kInt64:
      if (sql::IsDateTime(id)) return Datum(Datum::Moment{value.int64(), 0});
      return Datum(value.int64());
    case PhysicalType::kDouble: return Datum(value.real());
    case PhysicalType::kDecimal: return Datum(Datum::Number{value.decimal().ToString()});
    case PhysicalType::kTimestamp:
      return Datum(Datum::Moment{value.timestamp().millis, value.timestamp().nanos});
    case PhysicalType::kBytes: break;
  }
  if (sql::IsArray(id)) return ArrayDatum(value);
  if (id == TypeId::kJson || id == TypeId::kBson) return Datum(sql::BsonToJson(value.bytes()));
  if (sql::IsBinary(id)) return Datum(Datum::Binary{value.bytes()});
  return Datum(value.bytes());
}

}  // namespace bennu::front
