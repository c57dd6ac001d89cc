#include "src/sql/types/coerce.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "src/base/status_macros.h"
#include "src/sql/types/array.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// --- which types go together --------------------------------------------------------------------

using TypeSet = uint64_t;

constexpr TypeSet Bit(TypeId id) { return TypeSet{1} << static_cast<int>(id); }

constexpr TypeSet Set(std::initializer_list<TypeId> ids) {
  TypeSet set = 0;
  for (const TypeId id : ids) set |= Bit(id);
  return set;
}

using enum TypeId;

constexpr TypeSet kSmallInts = Set({kInteger, kSmallint, kTinyint});
constexpr TypeSet kSmallUnsignedInts = Set({kUnsignedInt, kUnsignedSmallint, kUnsignedTinyint});
constexpr TypeSet kUnsignedInts = kSmallUnsignedInts | Bit(kUnsignedLong);
constexpr TypeSet kInts = kSmallInts | Bit(kBigint);
constexpr TypeSet kUnsignedReals = Set({kUnsignedFloat, kUnsignedDouble});
constexpr TypeSet kUnsignedNumbers = kUnsignedInts | kUnsignedReals;
constexpr TypeSet kSignedDates = Set({kDate, kTime, kTimestamp});
constexpr TypeSet kUnsignedDates = Set({kUnsignedDate, kUnsignedTime, kUnsignedTimestamp});
constexpr TypeSet kDates = kSignedDates | kUnsignedDates;
constexpr TypeSet kReals = Set({kFloat, kDouble, kDecimal});

struct Rules {
  TypeSet implicit = 0;
  TypeSet cast = 0;  // beside the implicit ones
};

constexpr std::array<Rules, kTypeCount> MakeRules() {
  std::array<Rules, kTypeCount> rules{};
  auto set = [&rules](TypeId from, TypeSet implicit, TypeSet cast) {
    rules[static_cast<size_t>(from)] = {implicit, cast};
  };
  set(kVarchar, Set({kChar, kBinary, kBson, kVarbinaryEncoded}), 0);
  set(kChar, Set({kVarchar, kBinary}), 0);
  set(kTinyint, Set({kSmallint, kInteger, kBigint, kBinary}) | kReals,
      kUnsignedNumbers | Bit(kVarbinaryEncoded));
  set(kSmallint, Set({kInteger, kBigint, kBinary}) | kReals,
      Bit(kTinyint) | kUnsignedNumbers | Bit(kVarbinaryEncoded));
  set(kInteger, Set({kBigint, kBinary}) | kReals,
      kSmallInts | kUnsignedNumbers | Bit(kVarbinaryEncoded));
  set(kBigint, Set({kDouble, kDecimal, kBinary}),
      kSmallInts | Bit(kFloat) | kDates | kUnsignedNumbers | Bit(kVarbinaryEncoded));
  set(kUnsignedTinyint, kInts | kReals | kUnsignedNumbers | Bit(kBinary), Bit(kVarbinaryEncoded));
  set(kUnsignedSmallint,
      Set({kSmallint, kInteger, kBigint, kUnsignedInt, kUnsignedLong}) | kReals | kUnsignedReals,
      Set({kTinyint, kUnsignedTinyint, kVarbinaryEncoded}));
  set(kUnsignedInt, Set({kInteger, kBigint, kUnsignedLong}) | kReals | kUnsignedReals,
      Set({kSmallint, kTinyint, kUnsignedSmallint, kUnsignedTinyint, kVarbinaryEncoded}));
  set(kUnsignedLong, Set({kBigint, kDouble, kDecimal, kUnsignedDouble}),
      kSmallInts | Set({kFloat, kUnsignedFloat, kVarbinaryEncoded}) | kDates | kSmallUnsignedInts);
  set(kFloat, Set({kDouble, kDecimal, kBinary}), kSmallInts | kSmallUnsignedInts | kUnsignedReals);
  set(kDouble, Set({kDecimal, kBinary}), kInts | Bit(kFloat) | kUnsignedNumbers);
  set(kUnsignedFloat, Set({kUnsignedDouble}) | kReals, kSmallUnsignedInts | kSmallInts);
  set(kUnsignedDouble, Set({kDouble, kDecimal}),
      kUnsignedInts | kInts | Set({kUnsignedFloat, kFloat}));
  set(kDecimal, Set({kVarbinaryEncoded}),
      kInts | Set({kFloat, kDouble, kBoolean}) | kUnsignedNumbers | kDates);
  constexpr TypeSet kFromDate = Set({kBigint, kUnsignedLong, kDecimal}) | kUnsignedDates;
  set(kDate, Set({kTime, kTimestamp, kBinary}), kFromDate);
  set(kTime, Set({kDate, kTimestamp, kBinary}), kFromDate);
  set(kTimestamp, Set({kBinary}), kFromDate | kDates | kSmallInts | kSmallUnsignedInts);
  for (const TypeId id : {kUnsignedDate, kUnsignedTime, kUnsignedTimestamp}) {
    set(id, kDates | Bit(kBinary), Set({kBigint, kUnsignedLong, kDecimal}));
  }
  set(kBoolean, Set({kBinary, kVarbinaryEncoded}), Bit(kDecimal));
  set(kVarbinary, Set({kBinary, kVarbinaryEncoded}), Bit(kBoolean));
  set(kBinary, Set({kVarbinary, kVarbinaryEncoded}), Bit(kBoolean));
  set(kVarbinaryEncoded, Set({kBinary, kVarbinary}), 0);
  set(kJson, Set({kBinary}), 0);
  set(kBson, Set({kBinary}), Bit(kVarchar));
  return rules;
}

constexpr std::array<Rules, kTypeCount> kRules = MakeRules();

bool Has(TypeSet set, TypeId id) { return (set & Bit(id)) != 0; }

// CAST of whole numbers to BINARY is refused although assignment is not.
bool IsRefusedCast(TypeId from, TypeId to) { return IsIntegral(from) && to == kBinary; }

// --- turning values
// -------------------------------------------------------------------------------

// An assignment says 203 when a value does not fit, a CAST 201 with the value.
struct Conversion {
  bool is_cast = false;
  std::string_view what;
};

std::string_view JavaName(TypeId type) {
  switch (type) {
    case kTinyint:
    case kUnsignedTinyint: return "Byte";
    case kSmallint:
    case kUnsignedSmallint: return "Short";
    case kInteger:
    case kUnsignedInt: return "Integer";
    case kFloat:
    case kUnsignedFloat: return "Float";
    default: return "Long";
  }
}

Status DoesNotFit(const Value& value, TypeId to, const Conversion& conversion) {
  if (!conversion.is_cast) return SqlTypeMismatch(to, value.type().id, ToText(value));
  return SqlIllegalData(std::string(TypeName(value.type().id)) + " value " + ToText(value) +
                        " cannot be cast to " + std::string(JavaName(to)) +
                        " without changing its value");
}

Status Negative(const Value& value, std::string_view text, TypeId to,
                const Conversion& conversion) {
  if (!conversion.is_cast) return SqlTypeMismatch(to, value.type().id, text);
  return SqlIllegalData("Value may not be negative(" + std::string(text) + ")");
}

Status TooLong(const DataType& to, const Conversion& conversion) {
  std::string detail(conversion.what);
  if (!detail.empty()) detail += ' ';
  return SqlDataExceedsMaxCapacity(detail + TypeToString(to));
}

Result<Value> MakeInteger(const Value& source, int64_t number, const DataType& to,
                          const Conversion& conversion) {
  const IntegerRange range = RangeOf(to.id);
  if (IsUnsigned(to.id) && number < 0) {
    return Negative(source, std::to_string(number), to.id, conversion);
  }
  if (number < range.min || number > range.max) return DoesNotFit(source, to.id, conversion);
  return Value::Int(to, number);
}

// DATE and TIME kinds hold the decimal of their milliseconds, TIMESTAMP also its nanoseconds.
Decimal TimestampToDecimal(Timestamp value) {
  if (value.nanos == 0) return Decimal::FromInt64(value.millis);
  return Decimal(Int128{value.millis} * 1'000'000 + value.nanos, 6).StripTrailingZeros();
}

std::optional<Timestamp> DecimalToTimestamp(const Decimal& value) {
  const std::optional<int64_t> millis = value.ToInt64(Rounding::kFloor);
  if (!millis.has_value()) return std::nullopt;
  const Decimal rest = Decimal::Subtract(value, Decimal::FromInt64(*millis));
  const std::optional<int64_t> nanos =
      Decimal::Multiply(rest, Decimal::FromInt64(1'000'000)).ToInt64(Rounding::kDown);
  return Timestamp{*millis, static_cast<int32_t>(nanos.value_or(0))};
}

Result<Value> ToInteger(const Value& value, const DataType& to, const Conversion& conversion) {
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kInt64: return MakeInteger(value, value.int64(), to, conversion);
    case PhysicalType::kTimestamp: {
      const Timestamp time = value.timestamp();
      // Half a millisecond is rounded away from 0.
      const int32_t half = time.millis < 0 ? 500'001 : 500'000;
      const bool up = conversion.is_cast && time.nanos >= half;
      return MakeInteger(value, time.millis + (up ? 1 : 0), to, conversion);
    }
    case PhysicalType::kDecimal: {
      const Decimal& number = value.decimal();
      if (!conversion.is_cast && !number.IsInteger()) {
        return DoesNotFit(value, to.id, conversion);
      }
      const std::optional<int64_t> integer = number.ToInt64(Rounding::kHalfUp);
      if (!integer.has_value()) return DoesNotFit(value, to.id, conversion);
      Value rounded = Value::Number(Decimal::FromInt64(*integer));
      return MakeInteger(rounded, *integer, to, conversion);
    }
    case PhysicalType::kDouble: {
      const double number = value.real();
      // As Java's own cast has it.
      if (conversion.is_cast && std::isnan(number)) return MakeInteger(value, 0, to, conversion);
      constexpr double kLimit = 9223372036854775808.0;
      if (!(number >= -kLimit && number < kLimit)) return DoesNotFit(value, to.id, conversion);
      return MakeInteger(value, static_cast<int64_t>(number), to, conversion);
    }
    default: return SqlTypeMismatch(value.type().id, to.id, conversion.what);
  }
}

Result<Value> ToReal(const Value& value, const DataType& to, const Conversion& conversion) {
  double number = 0;
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kInt64: number = static_cast<double>(value.int64()); break;
    case PhysicalType::kDouble: number = value.real(); break;
    case PhysicalType::kDecimal: number = value.decimal().ToDouble(); break;
    default: return SqlTypeMismatch(value.type().id, to.id, conversion.what);
  }
  if (IsUnsigned(to.id) && number < 0) {
    return Negative(value, DoubleToText(number), to.id, conversion);
  }
  const bool single = to.id == kFloat || to.id == kUnsignedFloat;
  if (std::isinf(number) && PhysicalTypeOf(value.type().id) == PhysicalType::kDecimal) {
    return DoesNotFit(value, to.id, conversion);
  }
  if (single && std::isfinite(number)) {
    const float narrow = static_cast<float>(number);
    if (std::isinf(narrow)) return DoesNotFit(value, to.id, conversion);
    number = narrow;
  }
  return Value::Real(to, number);
}

Result<Value> ToDecimal(const Value& value, const DataType& to, const Conversion& conversion) {
  std::optional<Decimal> number;
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kBool: number = Decimal::FromInt64(value.boolean() ? 1 : 0); break;
    case PhysicalType::kInt64: number = Decimal::FromInt64(value.int64()); break;
    case PhysicalType::kDouble: number = Decimal::FromDouble(value.real()); break;
    case PhysicalType::kDecimal: number = value.decimal(); break;
    case PhysicalType::kTimestamp: number = TimestampToDecimal(value.timestamp()); break;
    case PhysicalType::kBytes: break;
  }
  if (!number.has_value()) return DoesNotFit(value, to.id, conversion);
  // A CAST does not cut to the precision and scale that it names; an assignment does.
  if (conversion.is_cast) return Value::Number(*number, to);
  const std::optional<Decimal> fitted = FitDecimal(*number, to);
  if (!fitted.has_value()) return TooLong(to, conversion);
  return Value::Number(*fitted, to);
}

Result<Value> ToDateTime(const Value& value, const DataType& to, const Conversion& conversion) {
  std::optional<Timestamp> time;
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kInt64: time = Timestamp{value.int64(), 0}; break;
    case PhysicalType::kTimestamp: time = value.timestamp(); break;
    case PhysicalType::kDecimal:
      if (IsTimestamp(to.id)) {
        time = DecimalToTimestamp(value.decimal());
      } else if (const auto millis = value.decimal().ToInt64(Rounding::kHalfUp)) {
        time = Timestamp{*millis, 0};
      }
      break;
    default: {  // text, in an assignment
      Result<Timestamp> parsed = ParseDateTime(value.bytes());
      if (parsed.ok()) time = *parsed;
      break;
    }
  }
  if (!time.has_value()) return DoesNotFit(value, to.id, conversion);
  if (IsUnsigned(to.id) && time->millis < 0) {
    return Negative(value, FormatDefaultDate(time->millis).substr(0, 10), to.id, conversion);
  }
  if (IsTimestamp(to.id)) return Value::Time(to, *time);
  return Value::Int(to, time->millis);
}

Result<Value> ToBoolean(const Value& value, const Conversion& conversion) {
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kBool: return Value::Bool(value.boolean());
    case PhysicalType::kDecimal: return Value::Bool(!value.decimal().IsZero());
    case PhysicalType::kBytes:
      if (value.bytes().size() != 1) return SqlIllegalData("BOOLEAN may only be a single byte");
      return Value::Bool(value.bytes()[0] != '\0');
    default: return SqlTypeMismatch(value.type().id, kBoolean, conversion.what);
  }
}

// The bytes that 'value' turns to as text or binary.
Result<Bytes> BytesOf(const Value& value, TypeId to) {
  const DataType& from = value.type();
  const bool is_bytes = PhysicalTypeOf(from.id) == PhysicalType::kBytes;
  if (is_bytes && from.id == kChar && to != kChar && from.max_length.has_value()) {
    Bytes padded;  // the padding counts as soon as it is no CHAR any more
    RETURN_IF_ERROR(Encode(value, from, SortOrder::kAsc, &padded));
    return padded;
  }
  if (is_bytes) return value.bytes();
  Bytes bytes;
  RETURN_IF_ERROR(Encode(value, from, SortOrder::kAsc, &bytes));
  return bytes;
}

Result<Value> ToBytes(const Value& value, const DataType& to, const Conversion& conversion) {
  ASSIGN_OR_RETURN(Bytes bytes, BytesOf(value, to.id));
  if (to.id == kChar) bytes.resize(StripCharPadding(bytes).size());
  if (to.max_length.has_value()) {
    const size_t limit = static_cast<size_t>(*to.max_length);
    if (bytes.size() > limit) {
      size_t size = bytes.size();
      if (IsString(to.id)) size = Utf8Length(bytes);
      if (size > limit) return TooLong(to, conversion);
    }
  }
  // The empty string is NULL.
  if (bytes.empty() && (value.type().id != kChar || to.id != kChar)) return Value::Null(to);
  return Value::String(to, std::move(bytes));
}

// Text is extended JSON; other bytes are a document already.
Result<Value> ToBson(const Value& value, const DataType& to) {
  if (!IsString(value.type().id)) return Value::String(to, value.bytes());
  if (value.bytes().empty()) return Value::Null(to);
  ASSIGN_OR_RETURN(Bytes document, BsonFromJson(value.bytes()));
  return Value::String(to, std::move(document));
}

Result<Value> ToArray(const Value& value, const DataType& to, const Conversion& conversion);

Result<Value> Convert(const Value& value, const DataType& to, const Conversion& conversion) {
  if (IsArray(to.id)) return ToArray(value, to, conversion);
  if (IsIntegral(to.id)) return ToInteger(value, to, conversion);
  if (IsFloatingPoint(to.id)) return ToReal(value, to, conversion);
  if (IsDateTime(to.id)) return ToDateTime(value, to, conversion);
  if (to.id == kDecimal) return ToDecimal(value, to, conversion);
  if (to.id == kBoolean) return ToBoolean(value, conversion);
  if ((to.id == kJson || to.id == kBson) &&
      PhysicalTypeOf(value.type().id) == PhysicalType::kBytes) {
    return ToBson(value, to);
  }
  if (value.type().id == kBson && to.id == kVarchar) {
    return Value::String(to, BsonToJson(value.bytes()));
  }
  return ToBytes(value, to, conversion);
}

// Element by element. An element that does not fit is an error of a CAST; fractions are no integers
// nevertheless.
Result<Value> ToArray(const Value& value, const DataType& to, const Conversion& conversion) {
  ASSIGN_OR_RETURN(std::vector<Value> elements, ArrayElements(value.bytes(), value.type()));
  const DataType element_type = StoredElementType(to);
  for (Value& element : elements) {
    if (element.is_null()) continue;
    const bool is_cast = conversion.is_cast || element.type().id != kDecimal;
    ASSIGN_OR_RETURN(element, Convert(element, element_type, {is_cast, conversion.what}));
  }
  return MakeArray(to, elements);
}

// May a value of 'from' be assigned when it happens to fit?
bool MayAssign(TypeId from, TypeId to) {
  if (CanCoerce(from, to)) return true;
  if (IsArray(from) && IsArray(to))
    return IsNumeric(ArrayElement(from)) && IsNumeric(ArrayElement(to));
  if (IsNumeric(from) && IsNumeric(to)) return true;
  if (IsDateTime(from) && IsDateTime(to)) return true;
  if (IsString(from) && (IsDateTime(to) || to == kJson)) return true;
  return IsBinary(to) && CanCast(from, to);
}

int Sign(bool less, bool greater) { return less ? -1 : (greater ? 1 : 0); }

template <typename T>
int Order(const T& a, const T& b) {
  return Sign(a < b, b < a);
}

int CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Order(std::isnan(a), std::isnan(b));
  return Order(a, b);
}

// At least one is not a floating point number; neither is rounded.
int CompareExactly(const Value& a, const Value& b) {
  const auto is_real = [](const Value& v) {
    return PhysicalTypeOf(v.type().id) == PhysicalType::kDouble;
  };
  if (is_real(a) && !std::isfinite(a.real())) {
    return std::isnan(a.real()) || a.real() > 0 ? 1 : -1;
  }
  if (is_real(b) && !std::isfinite(b.real())) return -CompareExactly(b, a);
  const auto number = [&](const Value& v) {
    return *ToDecimal(v, {kDecimal}, Conversion{true, {}});
  };
  return Decimal::Compare(number(a).decimal(), number(b).decimal());
}

}  // namespace

bool CanCoerce(TypeId from, TypeId to) {
  if (from == to || from == kNull || to == kVarbinary) return true;
  if (to == kNull) return false;
  if (IsArray(from) || IsArray(to)) {
    return IsArray(from) && IsArray(to) && CanCoerce(ArrayElement(from), ArrayElement(to));
  }
  return Has(kRules[static_cast<size_t>(from)].implicit, to);
}

bool CanCast(TypeId from, TypeId to) {
  if (from == to || from == kNull) return true;
  if (to == kNull || IsRefusedCast(from, to)) return false;
  if (IsArray(from) || IsArray(to)) return IsArray(to) && CanCoerce(from, to);
  return CanCoerce(from, to) || Has(kRules[static_cast<size_t>(from)].cast, to);
}

bool IsComparable(TypeId a, TypeId b) {
  if (CanCoerce(a, b) || CanCoerce(b, a)) return true;
  return IsIntegral(a) && IsNumeric(b);
}

std::optional<int64_t> SameMillis(const Value& value, const DataType& type) {
  if (!IsDateTime(type.id) || IsTimestamp(type.id) || !IsDateTime(value.type().id)) return {};
  if (value.is_null()) return {};
  const bool timestamp = IsTimestamp(value.type().id);
  if (timestamp && value.timestamp().nanos != 0) return {};
  const int64_t millis = timestamp ? value.timestamp().millis : value.int64();
  if (millis < 0 && IsUnsigned(type.id)) return {};
  return millis;
}

Value PadBinary(Value value, const DataType& beside) {
  const bool is_padded = beside.id == TypeId::kBinary && beside.max_length.has_value();
  if (!is_padded || value.is_null() || !IsBinary(value.type().id)) return value;
  const auto length = static_cast<size_t>(*beside.max_length);
  if (value.bytes().size() >= length) return value;
  Bytes bytes = value.bytes();
  bytes.resize(length, '\0');
  return Value::String(value.type(), std::move(bytes));
}

Result<Value> Coerce(const Value& value, const DataType& to, std::string_view what) {
  if (!MayAssign(value.type().id, to.id)) return SqlTypeMismatch(value.type().id, to.id, what);
  if (value.is_null()) return Value::Null(to);
  return Convert(value, to, Conversion{false, what});
}

Result<Value> Cast(const Value& value, const DataType& to) {
  if (!CanCast(value.type().id, to.id)) return SqlTypeMismatch(value.type().id, to.id, "CAST");
  if (value.is_null()) return Value::Null(to);
  return Convert(value, to, Conversion{true, {}});
}

std::optional<DataType> CommonComparisonType(const DataType& a, const DataType& b) {
  if (!IsComparable(a.id, b.id)) return std::nullopt;
  if (a.id == kNull) return b;
  if (b.id == kNull) return a;
  if (IsString(a.id) && IsString(b.id)) return DataType{kVarchar};
  if (IsNumeric(a.id) && IsNumeric(b.id)) {
    if (a.id == kDecimal || b.id == kDecimal) return DataType{kDecimal};
    if (IsFloatingPoint(a.id) || IsFloatingPoint(b.id)) return DataType{kDouble};
    return DataType{kBigint};
  }
  if (IsDateTime(a.id) && IsDateTime(b.id)) {
    return DataType{IsTimestamp(a.id) || IsTimestamp(b.id) ? kTimestamp : kDate};
  }
  if (a.id == b.id) return DataType{a.id};
  if ((a.id == kBson && IsString(b.id)) || (b.id == kBson && IsString(a.id))) {
    return DataType{kBson};
  }
  return DataType{kVarbinary};
}

Result<int> CompareValues(const Value& a, const Value& b) {
  std::optional<DataType> common = CommonComparisonType(a.type(), b.type());
  if (!common.has_value()) common = CommonComparisonType(b.type(), a.type());
  if (!common.has_value()) return SqlTypeMismatch(a.type().id, b.type().id, "a comparison");
  const PhysicalType physical_a = PhysicalTypeOf(a.type().id);
  const PhysicalType physical_b = PhysicalTypeOf(b.type().id);
  if (IsNumeric(common->id)) {
    if (physical_a == PhysicalType::kInt64 && physical_b == PhysicalType::kInt64) {
      return Order(a.int64(), b.int64());
    }
    if (physical_a == PhysicalType::kDouble && physical_b == PhysicalType::kDouble) {
      return CompareDoubles(a.real(), b.real());
    }
    return CompareExactly(a, b);
  }
  if (IsDateTime(common->id)) {
    const auto time = [](const Value& v) {
      return IsTimestamp(v.type().id) ? v.timestamp() : Timestamp{v.int64(), 0};
    };
    return Order(time(a), time(b));
  }
  if (common->id == kBoolean) return Order(a.boolean(), b.boolean());
  if (common->id == kVarchar) {
    const auto text = [](const Value& v) {
      return v.type().id == kChar ? StripCharPadding(v.bytes()) : ByteView(v.bytes());
    };
    return Order(text(a), text(b));
  }
  const auto bytes = [](const Value& v) -> Result<Bytes> {
    if (IsBinary(v.type().id)) return v.bytes();
    return BytesOf(v, kVarbinary);
  };
  ASSIGN_OR_RETURN(const Bytes x, bytes(a));
  ASSIGN_OR_RETURN(const Bytes y, bytes(b));
  return Order(x, y);
}

}  // namespace bennu::sql
