#include "src/avatica/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/types/array.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::avatica {

namespace {

using sql::DataType;
using sql::PhysicalType;
using sql::TypeId;
using sql::Value;

// java.sql.Types
constexpr int32_t kJavaVarchar = 12;
constexpr int32_t kJavaVarbinary = -3;
constexpr uint32_t kDefaultDisplaySize = 40;
constexpr uint32_t kDateDisplaySize = 23;  // of yyyy-MM-dd HH:mm:ss.SSS
constexpr uint32_t kNullDisplaySize = 6;   // of <null>

// How the column is described, which is not how its values are told.
pb::Rep ColumnRep(TypeId type) {
  if (sql::IsArray(type)) return pb::ARRAY;
  if (sql::IsTimestamp(type)) return pb::PRIMITIVE_LONG;
  if (sql::IsDateTime(type)) return pb::PRIMITIVE_INT;
  switch (ValueRep(type)) {
    case pb::BOOLEAN: return pb::PRIMITIVE_BOOLEAN;
    case pb::BYTE: return pb::PRIMITIVE_BYTE;
    case pb::SHORT: return pb::PRIMITIVE_SHORT;
    case pb::INTEGER: return pb::PRIMITIVE_INT;
    case pb::LONG: return pb::PRIMITIVE_LONG;
    case pb::DOUBLE: return pb::PRIMITIVE_DOUBLE;
    case pb::BIG_DECIMAL:
    case pb::NULL_: return pb::OBJECT;
    default: return ValueRep(type);
  }
}

std::string_view JavaClass(TypeId type) {
  if (sql::IsArray(type)) return "org.apache.phoenix.schema.types.PhoenixArray";
  if (sql::IsTimestamp(type)) return "java.sql.Timestamp";
  switch (type) {
    case TypeId::kDate:
    case TypeId::kUnsignedDate: return "java.sql.Date";
    case TypeId::kTime:
    case TypeId::kUnsignedTime: return "java.sql.Time";
    case TypeId::kFloat:
    case TypeId::kUnsignedFloat: return "java.lang.Float";
    case TypeId::kNull: return "";
    default: break;
  }
  switch (ValueRep(type)) {
    case pb::BOOLEAN: return "java.lang.Boolean";
    case pb::BYTE: return "java.lang.Byte";
    case pb::SHORT: return "java.lang.Short";
    case pb::INTEGER: return "java.lang.Integer";
    case pb::LONG: return "java.lang.Long";
    case pb::DOUBLE: return "java.lang.Double";
    case pb::BIG_DECIMAL: return "java.math.BigDecimal";
    case pb::BYTE_STRING: return "[B";
    default: return "java.lang.String";
  }
}

bool IsSigned(TypeId type) { return sql::IsNumeric(type) && !sql::IsArray(type); }

uint32_t DisplaySize(const DataType& type) {
  if (sql::IsDateTime(type.id) && !sql::IsTimestamp(type.id)) return kDateDisplaySize;
  if (type.id == TypeId::kNull) return kNullDisplaySize;
  if (type.max_length.has_value()) return static_cast<uint32_t>(*type.max_length);
  return kDefaultDisplaySize;
}

std::string ShownName(TypeId type) { return std::string(sql::TypeName(type)); }

Status WrongValue(pb::Rep type, std::string_view problem) {
  return InvalidArgument(
      fmt::format("a parameter of Avatica's type {} {}", static_cast<int>(type), problem));
}

Result<Value> DecimalOf(const pb::TypedValue& value) {
  if (value.string_value().empty() && !value.bytes_value().empty()) {
    // As clients before 1.10 send it: the unscaled number, big-endian, and its scale.
    constexpr size_t kUnscaledBytesMax = 16;
    constexpr int64_t kScaleMax = 128;  // of what Phoenix can store
    const std::string& bytes = value.bytes_value();
    const int64_t scale = value.number_value();
    if (bytes.size() > kUnscaledBytesMax || scale > kScaleMax || scale < -kScaleMax) {
      return WrongValue(value.type(), "has more digits than a DECIMAL");
    }
    sql::Int128 unscaled = static_cast<int8_t>(bytes[0]) < 0 ? -1 : 0;
    for (const char c : bytes) {
      unscaled = static_cast<sql::Int128>(static_cast<unsigned __int128>(unscaled) << 8 |
                                          static_cast<uint8_t>(c));
    }
    const sql::Decimal number(unscaled, static_cast<int32_t>(scale));
    if (number.precision() > sql::kMaxDecimalDigits) {
      return WrongValue(value.type(), "has more digits than a DECIMAL");
    }
    return Value::Number(number);
  }
  const std::optional<sql::Decimal> number = sql::Decimal::Parse(value.string_value());
  if (!number.has_value()) {
    return WrongValue(value.type(), fmt::format("is no number: '{}'", value.string_value()));
  }
  return Value::Number(*number);
}

Result<Value> BinaryOf(const pb::TypedValue& value) {
  if (!value.bytes_value().empty() || value.string_value().empty()) {
    return Value::Varbinary(value.bytes_value());
  }
  std::optional<Bytes> bytes = sql::DecodeBase64(value.string_value());
  if (!bytes.has_value()) return WrongValue(value.type(), "is no Base64");
  return Value::Varbinary(*std::move(bytes));
}

// What an array's elements are when the statement does not say.
TypeId ElementTypeOf(pb::Rep component) {
  switch (component) {
    case pb::PRIMITIVE_BOOLEAN:
    case pb::BOOLEAN: return TypeId::kBoolean;
    case pb::PRIMITIVE_BYTE:
    case pb::BYTE: return TypeId::kTinyint;
    case pb::PRIMITIVE_SHORT:
    case pb::SHORT: return TypeId::kSmallint;
    case pb::PRIMITIVE_INT:
    case pb::INTEGER: return TypeId::kInteger;
    case pb::PRIMITIVE_LONG:
    case pb::LONG: return TypeId::kBigint;
    case pb::PRIMITIVE_FLOAT:
    case pb::FLOAT: return TypeId::kFloat;
    case pb::PRIMITIVE_DOUBLE:
    case pb::DOUBLE: return TypeId::kDouble;
    case pb::NUMBER:
    case pb::BIG_INTEGER:
    case pb::BIG_DECIMAL: return TypeId::kDecimal;
    case pb::JAVA_SQL_DATE:
    case pb::JAVA_UTIL_DATE: return TypeId::kDate;
    case pb::JAVA_SQL_TIME: return TypeId::kTime;
    case pb::JAVA_SQL_TIMESTAMP: return TypeId::kTimestamp;
    case pb::BYTE_STRING: return TypeId::kVarbinary;
    default: return TypeId::kVarchar;
  }
}

Result<Value> ArrayOfValues(const pb::TypedValue& value, const DataType& wanted) {
  DataType type = wanted;
  if (!sql::IsArray(type.id)) {
    type = {sql::ArrayOf(ElementTypeOf(value.component_type())).value_or(TypeId::kVarcharArray)};
  }
  const DataType element_type = sql::StoredElementType(type);
  std::vector<Value> elements;
  for (const pb::TypedValue& told : value.array_value()) {
    if (told.type() == pb::ARRAY) return WrongValue(pb::ARRAY, "has arrays inside");
    ASSIGN_OR_RETURN(const Value element, ToValue(told, element_type));
    if (element.is_null()) {
      elements.push_back(Value::Null(element_type));
      continue;
    }
    ASSIGN_OR_RETURN(Value coerced, sql::Coerce(element, element_type));
    elements.push_back(std::move(coerced));
  }
  return sql::MakeArray(type, elements);
}

// What an element of an array of parameters has to be. Phoenix's server writes it as the kind that
// it is said to be, whatever the column: a LONG becomes two elements of an INTEGER ARRAY.
pb::Rep ParameterElementRep(TypeId element) {
  if (sql::IsTimestamp(element)) return pb::JAVA_SQL_TIMESTAMP;
  switch (element) {
    case TypeId::kDate:
    case TypeId::kUnsignedDate: return pb::JAVA_SQL_DATE;
    case TypeId::kTime:
    case TypeId::kUnsignedTime: return pb::JAVA_SQL_TIME;
    case TypeId::kFloat:
    case TypeId::kUnsignedFloat: return pb::FLOAT;
    default: return ValueRep(element);
  }
}

Result<pb::TypedValue> FromElement(const Value& element, pb::Rep rep) {
  ASSIGN_OR_RETURN(pb::TypedValue told, FromValue(element));
  if (told.null()) return told;
  switch (rep) {
    case pb::FLOAT:
      told.set_number_value(std::bit_cast<int32_t>(static_cast<float>(element.real())));
      told.clear_double_value();
      told.set_type(rep);
      break;
    case pb::JAVA_SQL_TIME:
      // One of another day is told as the moment that it is.
      told.set_number_value(element.int64());
      told.set_type(
          element.int64() >= 0 && element.int64() < sql::kMillisPerDay ? rep : pb::JAVA_UTIL_DATE);
      break;
    case pb::BYTE:
    case pb::SHORT:
    case pb::INTEGER: told.set_type(rep); break;
    default: break;
  }
  return told;
}

}  // namespace

int32_t KnownJdbcTypeId(TypeId type) {
  switch (type) {
    case TypeId::kJson:
    case TypeId::kBson: return kJavaVarchar;
    case TypeId::kVarbinaryEncoded: return kJavaVarbinary;
    default: return sql::JdbcTypeId(type);
  }
}

int32_t KnownPhoenixTypeId(TypeId type) {
  const int32_t known = KnownJdbcTypeId(type);
  return known == sql::JdbcTypeId(type) ? sql::SqlTypeId(type) : known;
}

pb::Rep ValueRep(TypeId type) {
  if (sql::IsTimestamp(type)) return pb::LONG;
  switch (type) {
    case TypeId::kBoolean: return pb::BOOLEAN;
    case TypeId::kTinyint:
    case TypeId::kUnsignedTinyint: return pb::BYTE;
    case TypeId::kSmallint:
    case TypeId::kUnsignedSmallint: return pb::SHORT;
    case TypeId::kInteger:
    case TypeId::kUnsignedInt:
    case TypeId::kDate:
    case TypeId::kUnsignedDate:
    case TypeId::kTime:
    case TypeId::kUnsignedTime: return pb::INTEGER;
    case TypeId::kBigint:
    case TypeId::kUnsignedLong: return pb::LONG;
    case TypeId::kFloat:
    case TypeId::kUnsignedFloat:
    case TypeId::kDouble:
    case TypeId::kUnsignedDouble: return pb::DOUBLE;
    case TypeId::kDecimal: return pb::BIG_DECIMAL;
    case TypeId::kVarbinary:
    case TypeId::kBinary:
    case TypeId::kVarbinaryEncoded: return pb::BYTE_STRING;
    case TypeId::kNull: return pb::NULL_;
    default: return sql::IsArray(type) ? pb::ARRAY : pb::STRING;
  }
}

pb::ColumnMetaData DescribeColumn(size_t ordinal, const std::string& label, const DataType& type,
                                  bool nullable, const sql::ColumnOrigin& origin) {
  pb::ColumnMetaData column;
  column.set_ordinal(static_cast<uint32_t>(ordinal));
  column.set_case_sensitive(origin.case_sensitive);
  column.set_searchable(true);
  column.set_nullable(nullable ? 1 : 0);
  column.set_signed_(IsSigned(type.id));
  column.set_display_size(DisplaySize(type));
  column.set_label(label);
  column.set_column_name(origin.name.empty() ? label : origin.name);
  column.set_table_name(origin.table);
  column.set_precision(static_cast<uint32_t>(type.max_length.value_or(0)));
  column.set_scale(static_cast<uint32_t>(type.scale.value_or(0)));
  column.set_read_only(true);
  column.set_column_class_name(std::string(JavaClass(type.id)));
  pb::AvaticaType* const shown = column.mutable_type();
  shown->set_id(static_cast<uint32_t>(KnownJdbcTypeId(type.id)));
  shown->set_name(ShownName(type.id));
  shown->set_rep(ColumnRep(type.id));
  if (sql::IsArray(type.id)) {
    const TypeId element = sql::ArrayElement(type.id);
    shown->mutable_component()->set_id(static_cast<uint32_t>(KnownJdbcTypeId(element)));
    shown->mutable_component()->set_name(ShownName(element));
    shown->mutable_component()->set_rep(ValueRep(element));
  }
  return column;
}

pb::AvaticaParameter DescribeParameter(size_t ordinal, const DataType& type) {
  pb::AvaticaParameter parameter;
  parameter.set_precision(static_cast<uint32_t>(type.max_length.value_or(0)));
  parameter.set_scale(static_cast<uint32_t>(type.scale.value_or(0)));
  // By which clients find how a value is to be sent.
  parameter.set_parameter_type(
      type.id == TypeId::kNull ? 0 : static_cast<uint32_t>(KnownPhoenixTypeId(type.id)));
  if (type.id != TypeId::kNull) parameter.set_type_name(ShownName(type.id));
  parameter.set_class_name(std::string(JavaClass(type.id)));
  parameter.set_name(fmt::format("?{}", ordinal + 1));
  return parameter;
}

Result<Value> ToValue(const pb::TypedValue& value, const DataType& wanted) {
  if (value.implicitly_null()) return sql::MakeSqlError(2004, "a parameter is unbound");
  if (value.null() || value.type() == pb::NULL_) return Value();
  const int64_t number = value.number_value();
  switch (value.type()) {
    case pb::PRIMITIVE_BOOLEAN:
    case pb::BOOLEAN: return Value::Bool(value.bool_value());
    case pb::PRIMITIVE_BYTE:
    case pb::BYTE:
    case pb::PRIMITIVE_SHORT:
    case pb::SHORT:
    case pb::PRIMITIVE_INT:
    case pb::INTEGER:
      if (static_cast<int32_t>(number) != number) return Value::Bigint(number);
      return Value::Integer(static_cast<int32_t>(number));
    case pb::PRIMITIVE_LONG:
    case pb::LONG: return Value::Bigint(number);
    case pb::PRIMITIVE_FLOAT:
    case pb::FLOAT:
      if (value.double_value() != 0) return Value::Double(value.double_value());
      return Value::Real({TypeId::kFloat}, std::bit_cast<float>(static_cast<int32_t>(number)));
    case pb::PRIMITIVE_DOUBLE:
    case pb::DOUBLE: return Value::Double(value.double_value());
    case pb::BIG_DECIMAL: return DecimalOf(value);
    case pb::NUMBER:
      if (!value.string_value().empty()) return DecimalOf(value);
      return value.double_value() != 0 ? Value::Double(value.double_value())
                                       : Value::Bigint(number);
    case pb::BIG_INTEGER: return DecimalOf(value);
    case pb::JAVA_SQL_DATE:
      if (static_cast<int32_t>(number) != number) return WrongValue(value.type(), "is no day");
      return Value::Int({TypeId::kDate}, number * sql::kMillisPerDay);
    case pb::JAVA_SQL_TIME: return Value::Int({TypeId::kTime}, number);
    case pb::JAVA_UTIL_DATE: return Value::Int({TypeId::kDate}, number);
    case pb::JAVA_SQL_TIMESTAMP: {
      // Bennu's own client tells the nanoseconds, too.
      const double nanos = value.double_value();
      return Value::Time({TypeId::kTimestamp},
                         {number, nanos > 0 && nanos < 1e6 ? static_cast<int32_t>(nanos) : 0});
    }
    case pb::BYTE_STRING: return BinaryOf(value);
    case pb::ARRAY: return ArrayOfValues(value, wanted);
    case pb::PRIMITIVE_CHAR:
    case pb::CHARACTER:
    case pb::STRING:
    case pb::OBJECT: return Value::Varchar(value.string_value());
    default: return WrongValue(value.type(), "is not taken");
  }
}

Result<pb::TypedValue> FromValue(const Value& value) {
  pb::TypedValue told;
  const TypeId type = value.type().id;
  told.set_type(pb::NULL_);
  told.set_null(value.is_null());
  if (value.is_null()) return told;
  switch (sql::PhysicalTypeOf(type)) {
    case PhysicalType::kBool:
      told.set_type(pb::BOOLEAN);
      told.set_bool_value(value.boolean());
      return told;
    case PhysicalType::kInt64: {
      const int64_t number = value.int64();
      const bool day = sql::IsDateTime(type) && number % sql::kMillisPerDay == 0;
      told.set_type(!sql::IsDateTime(type) ? pb::LONG
                    : day                  ? pb::JAVA_SQL_DATE
                                           : pb::JAVA_UTIL_DATE);
      told.set_number_value(day ? number / sql::kMillisPerDay : number);
      return told;
    }
    case PhysicalType::kDouble:
      told.set_type(pb::DOUBLE);
      told.set_double_value(value.real());
      return told;
    case PhysicalType::kDecimal:
      told.set_type(pb::BIG_DECIMAL);
      told.set_string_value(value.decimal().ToString());
      return told;
    case PhysicalType::kTimestamp:
      told.set_type(pb::JAVA_SQL_TIMESTAMP);
      told.set_number_value(value.timestamp().millis);
      told.set_double_value(value.timestamp().nanos);
      return told;
    case PhysicalType::kBytes: break;
  }
  if (sql::IsArray(type)) {
    told.set_type(pb::ARRAY);
    const pb::Rep component = ParameterElementRep(sql::ArrayElement(type));
    told.set_component_type(component);
    ASSIGN_OR_RETURN(const auto elements, sql::ArrayElements(value.bytes(), value.type()));
    for (const Value& element : elements) {
      ASSIGN_OR_RETURN(*told.add_array_value(), FromElement(element, component));
    }
    return told;
  }
  if (type == TypeId::kJson || type == TypeId::kBson) {
    told.set_type(pb::STRING);
    told.set_string_value(sql::BsonToJson(value.bytes()));
    return told;
  }
  if (sql::IsBinary(type)) {
    told.set_type(pb::BYTE_STRING);
    told.set_bytes_value(value.bytes());
    return told;
  }
  told.set_type(pb::STRING);
  if (!sql::IsValidUtf8(value.bytes())) {
    return InvalidArgument("a text is no UTF-8, which a server of Phoenix takes alone");
  }
  told.set_string_value(value.bytes());
  return told;
}

}  // namespace bennu::avatica
