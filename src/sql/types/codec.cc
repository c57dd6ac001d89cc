#include "src/sql/types/codec.h"

#include <array>
#include <cmath>
#include <limits>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/sql/types/array.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
const IntegerLayout& LayoutOf(TypeId id) {
  static const auto* const layouts = [] {
    auto* const made = new std::array<IntegerLayout, kTypeCount>();
    for (int i = 0; i < kTypeCount; ++i) {
      const auto type = static_cast<TypeId>(i);
      if (PhysicalTypeOf(type) != PhysicalType::kInt64) continue;
      IntegerLayout& layout = (*made)[static_cast<size_t>(i)];
      layout.width = static_cast<int>(*FixedWidth({type}));
      layout.flipped = IsUnsigned(type) ? 0 : uint64_t{1} << (8 * layout.width - 1);
      layout.range = RangeOf(type);
    }
    return made;
  }();
  return (*layouts)[static_cast<size_t>(id)];
}

namespace {

constexpr int32_t kNanosPerMilli = 1'000'000;

// The last 'width' bytes of the value, 1 to 8.
void AppendBig(uint64_t value, int width, Bytes* out) {
  char bytes[sizeof(value)];
  StoreBE64(bytes, value);
  out->append(bytes + sizeof(value) - width, width);
}

uint64_t LoadBig(ByteView bytes) {
  uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<uint8_t>(c);
  return value;
}

Status NegativeValue(std::string_view text) {
  return SqlIllegalData("Value may not be negative(" + std::string(text) + ")");
}

Status EncodeInteger(int64_t value, TypeId id, Bytes* out) {
  const IntegerLayout& layout = LayoutOf(id);
  if (value < layout.range.min || value > layout.range.max) {
    if (IsUnsigned(id) && value < 0) return NegativeValue(std::to_string(value));
    return SqlIllegalData(std::to_string(value) + " does not fit " + std::string(TypeName(id)));
  }
  AppendBig(static_cast<uint64_t>(value) ^ layout.flipped, layout.width, out);
  return Status::Ok();
}

void EncodeDouble(double value, Bytes* out) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  int64_t bits = std::bit_cast<int64_t>(value);
  bits ^= (bits >> 63) | INT64_MIN;
  AppendBig(static_cast<uint64_t>(bits) + 1, 8, out);
}

void EncodeFloat(float value, Bytes* out) {
  if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  int32_t bits = std::bit_cast<int32_t>(value);
  bits ^= (bits >> 31) | INT32_MIN;
  AppendBig(static_cast<uint32_t>(bits) + uint32_t{1}, 4, out);
}

Status EncodeReal(double value, TypeId id, Bytes* out) {
  switch (id) {
    case TypeId::kDouble: EncodeDouble(value, out); return Status::Ok();
    case TypeId::kFloat: EncodeFloat(static_cast<float>(value), out); return Status::Ok();
    default: break;
  }
  if (value < 0) return NegativeValue(DoubleToText(value));
  if (value == 0 || std::isnan(value)) value = std::fabs(value);
  if (id == TypeId::kUnsignedFloat) {
    AppendBig(std::bit_cast<uint32_t>(static_cast<float>(value)), 4, out);
  } else {
    AppendBig(std::bit_cast<uint64_t>(value), 8, out);
  }
  return Status::Ok();
}

Status EncodeTimestamp(Timestamp value, TypeId id, Bytes* out) {
  uint64_t millis = static_cast<uint64_t>(value.millis);
  if (id == TypeId::kUnsignedTimestamp) {
    if (value.millis < 0) return NegativeValue(DateTimeToText(value));
  } else {
    millis ^= uint64_t{1} << 63;
  }
  AppendBig(millis, 8, out);
  AppendBig(static_cast<uint32_t>(value.nanos % kNanosPerMilli), 4, out);
  return Status::Ok();
}

Status EncodeNumber(const Decimal& value, const DataType& type, Bytes* out) {
  const std::optional<Decimal> fitted = FitDecimal(value, type);
  if (!fitted.has_value() || !fitted->EncodeTo(out)) {
    return SqlDataExceedsMaxCapacity(TypeToString(type));
  }
  return Status::Ok();
}

// Text and binary, without order.
Status EncodeBytes(ByteView bytes, const DataType& type, Bytes* out) {
  const bool limited = type.max_length.has_value();
  const size_t limit = limited ? static_cast<size_t>(*type.max_length) : 0;
  switch (type.id) {
    case TypeId::kChar: {
      const ByteView text = StripCharPadding(bytes);
      unsigned char all = 0;
      for (const char c : text) all |= static_cast<unsigned char>(c);
      if ((all & 0x80) != 0) {
        return SqlIllegalData("CHAR types may only contain single byte characters (" +
                              std::string(text) + ")");
      }
      if (limited && text.size() > limit) return SqlDataExceedsMaxCapacity(TypeToString(type));
      out->append(text);
      // Blanks alone are a value too, which the padding gives back.
      const size_t width = limited ? limit : bytes.size();
      out->append(width - text.size(), ' ');
      return Status::Ok();
    }
    case TypeId::kBinary:
      if (limited && bytes.size() > limit) return SqlDataExceedsMaxCapacity(TypeToString(type));
      out->append(bytes);
      if (limited) out->append(limit - bytes.size(), '\0');
      return Status::Ok();
    case TypeId::kVarchar:
      if (limited && bytes.size() > limit && Utf8Length(bytes) > limit) {
        return SqlDataExceedsMaxCapacity(TypeToString(type));
      }
      break;
    default:
      if (limited && bytes.size() > limit) return SqlDataExceedsMaxCapacity(TypeToString(type));
      break;
  }
  out->append(bytes);
  return Status::Ok();
}

Status EncodeEncoded(ByteView bytes, const DataType& type, SortOrder order, Bytes* out) {
  if (type.max_length.has_value() && bytes.size() > static_cast<size_t>(*type.max_length)) {
    return SqlDataExceedsMaxCapacity(TypeToString(type));
  }
  EncodeVarbinary(bytes, order, out);
  return Status::Ok();
}

Status WrongLength(ByteView bytes, const DataType& type) {
  if (type.id == TypeId::kBoolean) {
    return SqlIllegalData("BOOLEAN may only be a single byte");
  }
  const int32_t width = *FixedWidth({type.id});
  return SqlIllegalData("Expected length of " + std::string(TypeName(type.id)) + " is " +
                        std::to_string(width) + " bytes, but had " + std::to_string(bytes.size()));
}

// Ascending bytes of a type whose width is fixed by the type itself.
int64_t DecodeIntegerBytes(ByteView bytes, TypeId id) {
  uint64_t bits = LoadBig(bytes);
  if (IsUnsigned(id)) return static_cast<int64_t>(bits);
  const int shift = 64 - 8 * static_cast<int>(bytes.size());
  bits ^= uint64_t{1} << (63 - shift);
  return static_cast<int64_t>(bits << shift) >> shift;
}

double DecodeReal(ByteView bytes, TypeId id) {
  switch (id) {
    case TypeId::kDouble: return sql::DecodeDouble(bytes.data());
    case TypeId::kFloat: return sql::DecodeFloat(bytes.data());
    case TypeId::kUnsignedFloat: return std::bit_cast<float>(LoadBig32(bytes.data()));
    default: return std::bit_cast<double>(LoadBig64(bytes.data()));
  }
}

Timestamp DecodeTimestamp(ByteView bytes, TypeId id) {
  uint64_t millis = LoadBig64(bytes.data());
  if (id == TypeId::kTimestamp) millis ^= uint64_t{1} << 63;
  // Old writers stored all nanoseconds of the second.
  const uint32_t nanos = LoadBig32(bytes.data() + 8);
  return {static_cast<int64_t>(millis), static_cast<int32_t>(nanos % kNanosPerMilli)};
}

}  // namespace

void InvertBytes(char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(~bytes[i]);
}

void EncodeVarbinary(ByteView bytes, SortOrder order, Bytes* out) {
  const size_t start = out->size();
  for (const char c : bytes) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
  }
  if (order == SortOrder::kDesc) InvertBytes(out->data() + start, out->size() - start);
}

bool DecodeVarbinary(ByteView bytes, SortOrder order, Bytes* out) {
  const char flip = order == SortOrder::kDesc ? '\xff' : '\0';
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = static_cast<char>(bytes[i] ^ flip);
    out->push_back(c);
    if (c != '\0') continue;
    if (++i == bytes.size() || static_cast<char>(bytes[i] ^ flip) != '\xff') return false;
  }
  return true;
}

Status Encode(const Value& value, const DataType& type, SortOrder order, Bytes* out) {
  if (value.is_null()) return Status::Ok();
  const size_t start = out->size();
  switch (PhysicalTypeOf(type.id)) {
    case PhysicalType::kBool: out->push_back(value.boolean() ? '\1' : '\0'); break;
    case PhysicalType::kInt64: RETURN_IF_ERROR(EncodeInteger(value.int64(), type.id, out)); break;
    case PhysicalType::kDouble: RETURN_IF_ERROR(EncodeReal(value.real(), type.id, out)); break;
    case PhysicalType::kDecimal: RETURN_IF_ERROR(EncodeNumber(value.decimal(), type, out)); break;
    case PhysicalType::kTimestamp:
      RETURN_IF_ERROR(EncodeTimestamp(value.timestamp(), type.id, out));
      break;
    case PhysicalType::kBytes:
      if (value.bytes().empty()) return Status::Ok();  // the empty text is NULL
      if (type.id == TypeId::kVarbinaryEncoded) {
        return EncodeEncoded(value.bytes(), type, order, out);
      }
      if (IsArray(type.id)) return EncodeArray(value.bytes(), value.type(), type, order, out);
      RETURN_IF_ERROR(EncodeBytes(value.bytes(), type, out));
      break;
  }
  if (order == SortOrder::kDesc) InvertBytes(out->data() + start, out->size() - start);
  return Status::Ok();
}

Status EncodeRow(const Vector& vector, size_t row, const DataType& type, SortOrder order,
                 Bytes* out) {
  if (vector.IsNull(row)) return Status::Ok();
  const size_t start = out->size();
  switch (vector.physical_type()) {
    case PhysicalType::kBool: out->push_back(vector.At<uint8_t>(row) != 0 ? '\1' : '\0'); break;
    case PhysicalType::kInt64:
      RETURN_IF_ERROR(EncodeInteger(vector.At<int64_t>(row), type.id, out));
      break;
    case PhysicalType::kDouble:
      RETURN_IF_ERROR(EncodeReal(vector.At<double>(row), type.id, out));
      break;
    case PhysicalType::kDecimal:
      RETURN_IF_ERROR(EncodeNumber(vector.At<Decimal>(row), type, out));
      break;
    case PhysicalType::kTimestamp:
      RETURN_IF_ERROR(EncodeTimestamp(vector.At<Timestamp>(row), type.id, out));
      break;
    case PhysicalType::kBytes: {
      const ByteView bytes = vector.At<ByteView>(row);
      if (bytes.empty()) return Status::Ok();
      if (type.id == TypeId::kVarbinaryEncoded) return EncodeEncoded(bytes, type, order, out);
      if (IsArray(type.id)) return EncodeArray(bytes, vector.type(), type, order, out);
      RETURN_IF_ERROR(EncodeBytes(bytes, type, out));
      break;
    }
  }
  if (order == SortOrder::kDesc) InvertBytes(out->data() + start, out->size() - start);
  return Status::Ok();
}

Result<Value> Decode(ByteView bytes, const DataType& type, SortOrder order) {
  const bool bigint =
      type.id == TypeId::kBigint || type.id == TypeId::kDate || type.id == TypeId::kTime;
  if (bigint && order == SortOrder::kAsc && bytes.size() == 8) {  // the bounds of a time range
    return Value::Int(type, DecodeBigint(bytes.data()));
  }
  Vector one(type, 1);
  RETURN_IF_ERROR(DecodeInto(bytes, type, order, &one, 0));
  return one.GetValue(0);
}

namespace internal {
namespace {

// A 00 without ff, which no encoder makes, stands for itself: a descending key column whose NULL
// was taken for a value has such bytes.
Bytes DecodeEncoded(ByteView bytes, SortOrder order) {
  const char flip = order == SortOrder::kDesc ? '\xff' : '\0';
  Bytes decoded;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = static_cast<char>(bytes[i] ^ flip);
    decoded.push_back(c);
    const bool escaped =
        c == '\0' && i + 1 < bytes.size() && static_cast<char>(bytes[i + 1] ^ flip) == '\xff';
    if (escaped) ++i;
  }
  return decoded;
}

}  // namespace

// All types and both orders; the inline part of DecodeInto takes the frequent ones.
Status DecodeSlow(ByteView bytes, const DataType& type, SortOrder order, Vector* vector,
                  size_t row) {
  const bool desc = order == SortOrder::kDesc;
  const PhysicalType physical = PhysicalTypeOf(type.id);
  if (physical == PhysicalType::kBytes) {
    if (type.id == TypeId::kVarbinaryEncoded) {
      const char zero = desc ? '\xff' : '\0';
      if (!desc && bytes.find(zero) == ByteView::npos) {
        vector->SetView(row, bytes);
        return Status::Ok();
      }
      vector->SetBytes(row, DecodeEncoded(bytes, order));
      return Status::Ok();
    }
    if (!desc) {
      vector->SetView(row, bytes);
      return Status::Ok();
    }
    if (IsArray(type.id)) {
      ASSIGN_OR_RETURN(const Bytes array, AscendingArray(bytes, type));
      vector->SetBytes(row, array);
      return Status::Ok();
    }
    char* copy = vector->AllocateBytes(bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i) copy[i] = static_cast<char>(~bytes[i]);
    vector->SetView(row, ByteView(copy, bytes.size()));
    return Status::Ok();
  }
  char ascending[kMaxDecimalBytes];
  if (desc) {
    if (bytes.size() > sizeof(ascending)) return WrongLength(bytes, type);
    std::memcpy(ascending, bytes.data(), bytes.size());
    InvertBytes(ascending, bytes.size());
    bytes = ByteView(ascending, bytes.size());
  }
  if (physical == PhysicalType::kDecimal) {
    Result<Decimal> value = Decimal::Decode(bytes);
    if (!value.ok()) return SqlIllegalData(value.status().message());
    vector->data<Decimal>()[row] = *value;
    return Status::Ok();
  }
  if (bytes.size() != static_cast<size_t>(*FixedWidth({type.id}))) {
    return WrongLength(bytes, type);
  }
  switch (physical) {
    case PhysicalType::kBool: vector->data<uint8_t>()[row] = bytes[0] != '\0' ? 1 : 0; break;
    case PhysicalType::kInt64:
      vector->data<int64_t>()[row] = DecodeIntegerBytes(bytes, type.id);
      break;
    case PhysicalType::kDouble: vector->data<double>()[row] = DecodeReal(bytes, type.id); break;
    default: vector->data<Timestamp>()[row] = DecodeTimestamp(bytes, type.id); break;
  }
  return Status::Ok();
}

}  // namespace internal

}  // namespace bennu::sql
