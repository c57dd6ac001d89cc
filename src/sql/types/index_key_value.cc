#include "src/sql/types/index_key_value.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "src/base/status_macros.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/decimal.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

constexpr int32_t kNanosOfMilli = 1'000'000;
constexpr int32_t kNanosPlaces = 6;  // behind the milliseconds

// Milliseconds, and behind the point what is left of the nanoseconds.
Decimal OfTimestamp(Timestamp moment) {
  const Int128 nanos = static_cast<Int128>(moment.millis) * kNanosOfMilli + moment.nanos;
  return Decimal(nanos, kNanosPlaces).StripTrailingZeros();
}

std::optional<Timestamp> ToTimestamp(const Decimal& number) {
  const std::optional<Decimal> nanos = number.SetScale(kNanosPlaces, Rounding::kFloor);
  if (!nanos.has_value()) return std::nullopt;
  Int128 millis = nanos->unscaled() / kNanosOfMilli;
  auto rest = static_cast<int32_t>(nanos->unscaled() % kNanosOfMilli);
  if (rest < 0) {
    rest += kNanosOfMilli;
    --millis;
  }
  return Timestamp{static_cast<int64_t>(millis), rest};
}

}  // namespace

Result<Value> ToIndexKeyValue(const Value& value, const DataType& type, const DataType& key_type) {
  if (value.is_null()) return Value::Null(key_type);
  if (type.id == key_type.id) return value;
  if (key_type.id != TypeId::kDecimal) {
    std::string bytes = value.bytes();
    // Of fixed width: with its padding, as the table's cells have it.
    const bool pads = type.id == TypeId::kChar || type.id == TypeId::kBinary;
    const auto width = static_cast<size_t>(type.max_length.value_or(0));
    if (pads && bytes.size() < width) bytes.resize(width, type.id == TypeId::kChar ? ' ' : '\0');
    return Value::String(key_type, std::move(bytes));
  }
  if (IsTimestamp(type.id)) return Value::Number(OfTimestamp(value.timestamp()), key_type);
  if (PhysicalTypeOf(type.id) == PhysicalType::kDouble) {
    const std::optional<Decimal> number = Decimal::FromDouble(value.real());
    if (number.has_value() && number->FitsBytes()) return Value::Number(*number, key_type);
    return MakeSqlError(206, fmt::format("{} {} cannot be indexed, since the index holds it as "
                                         "DECIMAL, for 0 and magnitudes from 1E-128 to 1E124 only",
                                         TypeName(type.id), DoubleToText(value.real())));
  }
  ASSIGN_OR_RETURN(const Value number, Cast(value, {TypeId::kDecimal}));
  return Value::Number(number.decimal(), key_type);
}

Result<Value> StoredIndexKeyValue(const Value& value, const DataType& type,
                                  const DataType& key_type) {
  const bool is_small = !value.is_null() && type.id != key_type.id &&
                        PhysicalTypeOf(type.id) == PhysicalType::kDouble &&
                        std::fabs(value.real()) < 1;
  if (!is_small) return ToIndexKeyValue(value, type, key_type);
  return Value::Number(Decimal::FromDouble(value.real()).value_or(Decimal()), key_type);
}

Result<Value> FromIndexKeyValue(const Value& value, const DataType& type) {
  if (value.is_null()) return Value::Null(type);
  if (value.type().id == type.id) return value;
  if (value.type().id != TypeId::kDecimal) return Value::String(type, value.bytes());
  const Decimal& number = value.decimal();
  switch (PhysicalTypeOf(type.id)) {
    case PhysicalType::kBool: return Value::Bool(!number.IsZero());
    case PhysicalType::kInt64: {
      const std::optional<int64_t> whole = number.ToInt64();
      if (whole.has_value()) return Value::Int(type, *whole);
      break;
    }
    case PhysicalType::kTimestamp: {
      const std::optional<Timestamp> moment = ToTimestamp(number);
      if (moment.has_value()) return Value::Time(type, *moment);
      break;
    }
    default: break;
  }
  return Cast(value, type);
}

}  // namespace bennu::sql
