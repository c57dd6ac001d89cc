#include "src/avatica/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/sql/types/array.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/text.h"

namespace bennu::avatica {

namespace {

using sql::DataType;
using sql::PhysicalType;
using sql::TypeId;
using sql::Value;

// Fields of ColumnValue.
constexpr uint64_t kArrayField = 2;
constexpr uint64_t kHasArrayField = 3;
constexpr uint64_t kScalarField = 4;
constexpr uint64_t kColumnField = 1;  // of Row
constexpr uint64_t kVarintWire = 0;
constexpr uint64_t kBytesWire = 2;
constexpr int kWireBits = 3;
constexpr uint64_t kWireMask = 7;

Status Damaged() { return Corruption("a row that the server sent is damaged"); }

struct Field {
  uint64_t number = 0;
  uint64_t varint = 0;
  ByteView bytes;
};

// Takes the next field, of one of the kinds that rows are made of.
bool TakeField(ByteView* in, Field* field) {
  uint64_t tag = 0;
  if (!ConsumeVarint64(in, &tag)) return false;
  field->number = tag >> kWireBits;
  if (!ConsumeVarint64(in, &field->varint)) return false;
  if ((tag & kWireMask) == kVarintWire) return true;
  return (tag & kWireMask) == kBytesWire && ConsumeBytes(in, field->varint, &field->bytes);
}

// What RowWriter adds to a moment of which Avatica tells a part.
int64_t Rest(const pb::TypedValue& value) {
  constexpr double kMax = 9e15;
  const double rest = value.double_value();
  return std::abs(rest) < kMax ? static_cast<int64_t>(rest) : 0;
}

Result<int64_t> MomentOf(const pb::TypedValue& value, TypeId type) {
  const int64_t number = value.number_value();
  if (type != TypeId::kDate && type != TypeId::kUnsignedDate) return number + Rest(value);
  if (static_cast<int32_t>(number) != number) return Damaged();
  return number * sql::kMillisPerDay + Rest(value);
}

Result<Bytes> BytesOf(const pb::TypedValue& value, TypeId type) {
  if (type == TypeId::kJson || type == TypeId::kBson) {
    return sql::BsonFromJson(value.string_value());
  }
  if (!sql::IsBinary(type)) return value.string_value();
  if (!value.bytes_value().empty() || value.string_value().empty()) return value.bytes_value();
  auto bytes = sql::DecodeBase64(value.string_value());
  if (!bytes.has_value()) return Damaged();
  return *std::move(bytes);
}

Result<Value> ValueOf(const pb::TypedValue& value, const DataType& type) {
  if (value.null() || type.id == TypeId::kNull) return Value::Null(type);
  switch (sql::PhysicalTypeOf(type.id)) {
    case PhysicalType::kBool: return Value::Bool(value.bool_value());
    case PhysicalType::kInt64: {
      if (!sql::IsDateTime(type.id)) return Value::Int(type, value.number_value());
      ASSIGN_OR_RETURN(const int64_t millis, MomentOf(value, type.id));
      return Value::Int(type, millis);
    }
    case PhysicalType::kDouble: return Value::Real(type, value.double_value());
    case PhysicalType::kDecimal: {
      const auto number = sql::Decimal::Parse(value.string_value());
      if (!number.has_value()) return Damaged();
      return Value::Number(*number, type);
    }
    case PhysicalType::kTimestamp: {
      constexpr int64_t kNanosMax = 999'999;
      return Value::Time(type, {value.number_value(), static_cast<int32_t>(std::clamp<int64_t>(
                                                          Rest(value), 0, kNanosMax))});
    }
    case PhysicalType::kBytes: break;
  }
  ASSIGN_OR_RETURN(Bytes bytes, BytesOf(value, type.id));
  return Value::String(type, std::move(bytes));
}

// An element of an array. Phoenix's server tells it by the class that it has in Java, and not by
// the type of the column: a DATE in milliseconds, a FLOAT by its bits. Bennu's calls neither by
// that name.
Result<Value> ElementOf(const pb::TypedValue& value, const DataType& type) {
  const bool is_date = type.id == TypeId::kDate || type.id == TypeId::kUnsignedDate;
  if (value.type() == pb::JAVA_SQL_DATE && is_date) return Value::Int(type, value.number_value());
  const bool is_real = sql::PhysicalTypeOf(type.id) == PhysicalType::kDouble;
  if (value.type() == pb::FLOAT && is_real) {
    return Value::Real(type, std::bit_cast<float>(static_cast<int32_t>(value.number_value())));
  }
  return ValueOf(value, type);
}

// A ColumnValue.
Result<Value> ReadColumn(ByteView bytes, const DataType& type) {
  pb::TypedValue scalar;
  scalar.set_null(true);
  bool is_array = false;
  std::vector<ByteView> elements;
  while (!bytes.empty()) {
    Field field;
    if (!TakeField(&bytes, &field)) return Damaged();
    if (field.number == kArrayField) elements.push_back(field.bytes);
    if (field.number == kHasArrayField) is_array = field.varint != 0;
    if (field.number != kScalarField) continue;
    scalar.Clear();
    if (!scalar.ParseFromArray(field.bytes.data(), static_cast<int>(field.bytes.size()))) {
      return Damaged();
    }
  }
  if (!is_array) {
    if (sql::IsArray(type.id)) return Value::Null(type);
    return ValueOf(scalar, type);
  }
  if (!sql::IsArray(type.id)) return Damaged();
  const DataType element_type = sql::StoredElementType(type);
  std::vector<Value> values;
  for (const ByteView element : elements) {
    pb::TypedValue told;
    if (!told.ParseFromArray(element.data(), static_cast<int>(element.size()))) return Damaged();
    ASSIGN_OR_RETURN(Value value, ElementOf(told, element_type));
    values.push_back(std::move(value));
  }
  return sql::MakeArray(type, values);
}

DataType Described(TypeId id, uint32_t precision, uint32_t scale) {
  DataType type{id};
  if (precision > 0) type.max_length = static_cast<int32_t>(precision);
  const bool decimal = id == TypeId::kDecimal || id == TypeId::kDecimalArray;
  if (decimal && precision > 0) type.scale = static_cast<int32_t>(scale);
  return type;
}

}  // namespace

Result<DataType> TypeOf(const pb::ColumnMetaData& column) {
  const std::string& name = column.type().name();
  if (name == sql::TypeName(TypeId::kNull)) return DataType{TypeId::kNull};
  const auto id = sql::TypeByName(name);
  if (!id.has_value()) {
    return InvalidArgument(
        fmt::format("the server tells column {} of the unknown type '{}'", column.label(), name));
  }
  return Described(*id, column.precision(), column.scale());
}

DataType TypeOf(const pb::AvaticaParameter& parameter) {
  const auto id = sql::TypeByName(parameter.type_name());
  return id.has_value() ? Described(*id, parameter.precision(), parameter.scale()) : DataType{};
}

Status ReadRow(ByteView bytes, sql::DataChunk* chunk) {
  size_t column = 0;
  while (!bytes.empty()) {
    Field field;
    if (!TakeField(&bytes, &field)) return Damaged();
    if (field.number != kColumnField) continue;
    if (column >= chunk->columns.size()) return Damaged();
    sql::Vector* const vector = &chunk->columns[column++];
    ASSIGN_OR_RETURN(const Value value, ReadColumn(field.bytes, vector->type()));
    vector->SetValue(chunk->size, value);
  }
  if (column != chunk->columns.size()) return Damaged();
  ++chunk->size;
  return Status::Ok();
}

}  // namespace bennu::avatica
