#include "src/sql/bind/assign.h"

#include <fmt/format.h>

#include <string>

#include "src/base/status_macros.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql::bind {
namespace {

using catalog::ColumnMeta;

// Nothing to convert: only lengths remain to be checked, which Encode does.
bool SameRepresentation(const DataType& from, const DataType& to) {
  if (from.id != to.id) return false;
  return from.id != TypeId::kDecimal || !to.max_length.has_value() || from == to;
}

// Text that Encode pads to the column's width.
bool FitsChar(const Value& value, const DataType& to) {
  return value.type().id == TypeId::kVarchar && to.id == TypeId::kChar &&
         to.max_length.has_value() && value.bytes().size() <= static_cast<size_t>(*to.max_length);
}

// A whole number that is one of the column's, too.
bool FitsInteger(const Value& value, const DataType& to) {
  if (!IsIntegral(value.type().id) || !IsIntegral(to.id)) return false;
  const IntegerRange range = RangeOf(to.id);
  return value.int64() >= range.min && value.int64() <= range.max;
}

// Between a moment and its milliseconds, which a query may assign to each other, and VALUES may
// not.
bool IsOfMillis(TypeId from, TypeId to) {
  const auto is_long = [](TypeId id) {
    return id == TypeId::kBigint || id == TypeId::kUnsignedLong;
  };
  if (IsDateTime(to)) return is_long(from);
  return IsDateTime(from) && !IsTimestamp(from) && (is_long(to) || to == TypeId::kDecimal);
}

Status EncodeMillis(const Value& value, const ColumnMeta& column, Bytes* out) {
  ASSIGN_OR_RETURN(const Value turned, Cast(value, {column.type.id}));
  ASSIGN_OR_RETURN(const Value fitted, Coerce(turned, column.type, column.name));
  return Encode(fitted, column.type, column.sort_order, out);
}

bool IsEmptyText(const Value& value) {
  return PhysicalTypeOf(value.type().id) == PhysicalType::kBytes && value.bytes().empty();
}

Status WithColumn(Status status, const ColumnMeta& column) {
  if (status.ok() || !IsSqlError(status, 206)) return status;
  return SqlDataExceedsMaxCapacity(column.name + " " + TypeToString(column.type));
}

// Text becomes a date; finer fractions than the column keeps are cut off.
Result<Value> ToDateTime(const Value& value, const DataType& type) {
  const TypeId from = value.type().id;
  const bool keeps_nanos = IsTimestamp(type.id);
  if (IsString(from)) {
    const auto parsed = ParseDateTime(value.bytes());
    if (!parsed.ok()) return SqlTypeMismatch(type.id, from, value.bytes());
    return keeps_nanos ? Value::Time(type, *parsed) : Value::Int(type, parsed->millis);
  }
  if (IsTimestamp(from) && !keeps_nanos) return Value::Int(type, value.timestamp().millis);
  return Coerce(value, type);
}

Result<Value> Assigned(const Value& value, const ColumnMeta& column) {
  if (IsDateTime(column.type.id) && (IsString(value.type().id) || IsDateTime(value.type().id))) {
    return ToDateTime(value, column.type);
  }
  auto coerced = Coerce(value, column.type, column.name);
  if (!IsSqlError(coerced.status(), 203)) return coerced;
  return WithHint(coerced.status(), "the value is for the column " + column.name + ", which is " +
                                        TypeToString(column.type));
}

}  // namespace

Status EncodeAssigned(const Value& value, const ColumnMeta& column, Bytes* out) {
  if (value.is_null() || IsEmptyText(value)) return Status::Ok();
  if (SameRepresentation(value.type(), column.type) || FitsInteger(value, column.type) ||
      FitsChar(value, column.type)) {
    return WithColumn(Encode(value, column.type, column.sort_order, out), column);
  }
  auto assigned = Assigned(value, column);
  if (!assigned.ok()) return WithColumn(std::move(assigned).status(), column);
  return WithColumn(Encode(*assigned, column.type, column.sort_order, out), column);
}

Status EncodeAssigned(const Vector& vector, size_t row, const ColumnMeta& column, Bytes* out) {
  if (vector.IsNull(row)) return Status::Ok();
  if (SameRepresentation(vector.type(), column.type)) {
    if (vector.physical_type() == PhysicalType::kBytes && vector.At<ByteView>(row).empty()) {
      return Status::Ok();
    }
    if (column.type.id != TypeId::kChar) {
      return WithColumn(EncodeRow(vector, row, column.type, column.sort_order, out), column);
    }
  }
  if (IsOfMillis(vector.type().id, column.type.id)) {
    return WithColumn(EncodeMillis(vector.GetValue(row), column, out), column);
  }
  Status status = EncodeAssigned(vector.GetValue(row), column, out);
  if (IsSqlError(status, 203) && IsNumeric(vector.type().id) && IsNumeric(column.type.id)) {
    return SqlIllegalData(fmt::format("{} value {} cannot be cast to {} without changing its value",
                                      TypeName(vector.type().id), ToText(vector.GetValue(row)),
                                      TypeName(column.type.id)));
  }
  return status;
}

ColumnEncoder::ColumnEncoder(const ColumnMeta* column) : column_(column) {
  const TypeId id = column->type.id;
  const auto is_moment = [](TypeId type) { return IsDateTime(type) && !IsTimestamp(type); };
  if (!IsIntegral(id) && !is_moment(id)) return;
  static_assert(kTypeCount <= 64);
  for (int i = 0; i < kTypeCount; ++i) {
    const auto from = static_cast<TypeId>(i);
    const bool alike = IsIntegral(id) ? IsIntegral(from) : is_moment(from);
    if (alike) whole_types_ |= uint64_t{1} << i;
  }
  layout_ = LayoutOf(id);
  if (column->sort_order == SortOrder::kDesc) layout_.flipped = ~layout_.flipped;
}

Status CheckAssignable(const DataType& from, const ColumnMeta& column) {
  const TypeId to = column.type.id;
  if (from.id == TypeId::kNull || from.id == to || CanCoerce(from.id, to)) return Status::Ok();
  const auto is_number = [](TypeId type) {
    return IsNumeric(IsArray(type) ? ArrayElement(type) : type);
  };
  // By value.
  if (IsArray(from.id) == IsArray(to) && is_number(from.id) && is_number(to)) return Status::Ok();
  if (IsDateTime(to) && (IsDateTime(from.id) || IsString(from.id))) return Status::Ok();
  return SqlTypeMismatch(fmt::format("expected: {} but was: {} at column: {}", TypeName(to),
                                     TypeName(from.id), column.name));
}

Status CheckQueryAssignable(const DataType& from, const ColumnMeta& column) {
  if (IsOfMillis(from.id, column.type.id)) return Status::Ok();
  return CheckAssignable(from, column);
}

}  // namespace bennu::sql::bind
