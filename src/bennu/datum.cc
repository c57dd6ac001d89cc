#include "src/bennu/datum.h"

#include <limits>
#include <type_traits>

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

Result<Value> ToValue(const Datum& datum) {
  return std::visit(
      [](const auto& held) -> Result<Value> {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return Value();
        } else if constexpr (std::is_same_v<Held, bool>) {
          return Value::Bool(held);
        } else if constexpr (std::is_same_v<Held, int64_t>) {
          return IntegerValue(held);
        } else if constexpr (std::is_same_v<Held, double>) {
          return Value::Double(held);
        } else if constexpr (std::is_same_v<Held, Datum::Number>) {
          return NumberValue(held);
        } else if constexpr (std::is_same_v<Held, Datum::Moment>) {
          return MomentValue(held);
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return Value::Varchar(held);
        } else if constexpr (std::is_same_v<Held, Datum::Array>) {
          return ArrayValue(held);
        } else {
          return Value::Varbinary(held.bytes);
        }
      },
      datum.variant());
}

Status AssignValue(const Datum& datum, Value* value) {
  const Datum::Variant& held = datum.variant();
  if (const auto* number = std::get_if<int64_t>(&held)) {
    *value = IntegerValue(*number);
  } else if (datum.is_null()) {
    *value = Value();
  } else if (const auto* moment = std::get_if<Datum::Moment>(&held)) {
    *value = MomentValue(*moment);
  } else if (const auto* text = std::get_if<std::string>(&held)) {
    *value = Value::Varchar(*text);
  } else {
    ASSIGN_OR_RETURN(*value, ToValue(datum));
  }
  return Status::Ok();
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
