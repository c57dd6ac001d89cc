// Elements of variable width, in a column in ascending order:
//
//   value 00 value 00 … 00 00 | offset … | int32 position of the offsets | int32 count | 01
//
// NULLs in front of a value: 00, 01 for each 255 of them, and the complement of one less than the
// rest; they all begin where their run begins. NULLs at the end have no bytes. An offset is an
// int16 less 32767; when one does not fit all are int32, and the count is negative. In descending
// order values and separators are inverted, nothing else.
#include "src/sql/types/array.h"

#include <algorithm>
#include <cstdlib>

#include "src/base/status_macros.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

constexpr char kSortableVersion = 1;
constexpr size_t kTrailerBytes = 9;  // position, count, version
constexpr int64_t kShortOffsetBias = 32767;
constexpr int64_t kShortOffsetMax = 65534;
constexpr size_t kNullRunMax = 255;

Status Malformed(const DataType& type) {
  return SqlIllegalData("Bytes that are no " + std::string(TypeName(type.id)));
}

void AppendBig32(uint32_t value, Bytes* out) {
  char bytes[4];
  StoreBig32(bytes, value);
  out->append(bytes, sizeof(bytes));
}

void AppendNullRun(size_t count, Bytes* out) {
  out->push_back('\0');
  out->append(count / kNullRunMax, '\1');
  const size_t rest = count % kNullRunMax;
  if (rest > 0) out->push_back(static_cast<char>(~(rest - 1)));
}

// Joins values of variable width; an empty view is NULL.
void AppendVariable(std::span<const ByteView> values, SortOrder order, Bytes* out) {
  const char separator = order == SortOrder::kDesc ? '\xff' : '\0';
  const size_t start = out->size();
  std::vector<int64_t> offsets;
  offsets.reserve(values.size());
  size_t nulls = 0;
  for (const ByteView value : values) {
    if (value.empty()) {
      offsets.push_back(static_cast<int64_t>(out->size() - start));
      ++nulls;
      continue;
    }
    if (nulls > 0) AppendNullRun(nulls, out);
    nulls = 0;
    offsets.push_back(static_cast<int64_t>(out->size() - start));
    const size_t begin = out->size();
    out->append(value);
    if (order == SortOrder::kDesc) InvertBytes(out->data() + begin, value.size());
    out->push_back(separator);
  }
  out->append(2, separator);
  const auto position = static_cast<uint32_t>(out->size() - start);
  const bool is_short = offsets.empty() || offsets.back() <= kShortOffsetMax;
  for (const int64_t offset : offsets) {
    if (is_short) {
      const auto biased = static_cast<uint16_t>(offset - kShortOffsetBias);
      out->push_back(static_cast<char>(biased >> 8));
      out->push_back(static_cast<char>(biased));
    } else {
      AppendBig32(static_cast<uint32_t>(offset), out);
    }
  }
  const auto count = static_cast<int32_t>(values.size());
  AppendBig32(position, out);
  AppendBig32(static_cast<uint32_t>(is_short ? count : -count), out);
  out->push_back(kSortableVersion);
}

// The value of fixed width that stands for NULL.
Value ZeroOf(const DataType& element) {
  switch (PhysicalTypeOf(element.id)) {
    case PhysicalType::kBool: return Value::Bool(false);
    case PhysicalType::kInt64: return Value::Int(element, 0);
    case PhysicalType::kDouble: return Value::Real(element, 0);
    case PhysicalType::kTimestamp: return Value::Time(element, {});
    default: return Value::String(element, element.id == TypeId::kChar ? " " : Bytes(1, '\0'));
  }
}

// CHAR and BINARY without a length get that of the longest element.
DataType WithLength(DataType type, std::span<const Value> elements) {
  const TypeId element = ArrayElement(type.id);
  const bool sized = element == TypeId::kChar || element == TypeId::kBinary;
  if (!sized || type.max_length.has_value()) return type;
  size_t longest = 1;
  for (const Value& value : elements) {
    if (!value.is_null()) longest = std::max(longest, value.bytes().size());
  }
  type.max_length = static_cast<int32_t>(longest);
  return type;
}

// Views of the values' bytes, as they stand in a column of either order; empty for NULL.
Result<std::vector<ByteView>> SplitArray(ByteView array, const DataType& type) {
  ASSIGN_OR_RETURN(const ArrayView view, ArrayView::Open(array, type));
  std::vector<ByteView> elements(view.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    ASSIGN_OR_RETURN(elements[i], view.At(i));
  }
  return elements;
}

}  // namespace

Result<ArrayView> ArrayView::Open(ByteView array, const DataType& type) {
  ArrayView view;
  view.array_ = array;
  view.type_ = type.id;
  const DataType element = ElementType(type);
  if (IsFixedWidth(element.id)) {
    const int32_t width = FixedWidth(element).value_or(0);
    if (width <= 0 || array.size() % static_cast<size_t>(width) != 0) return Malformed(type);
    view.width_ = static_cast<size_t>(width);
    view.count_ = array.size() / view.width_;
    return view;
  }
  if (array.size() < kTrailerBytes || array.back() != kSortableVersion) return Malformed(type);
  const char* trailer = array.data() + array.size() - kTrailerBytes;
  view.position_ = LoadBig32(trailer);
  const auto signed_count = static_cast<int32_t>(LoadBig32(trailer + 4));
  view.short_offsets_ = signed_count >= 0;
  view.count_ = static_cast<size_t>(std::abs(static_cast<int64_t>(signed_count)));
  const size_t offsets_end = array.size() - kTrailerBytes;
  const size_t offset_bytes = view.count_ * (view.short_offsets_ ? 2 : 4);
  if (view.position_ < 2 || view.position_ > offsets_end ||
      offsets_end - view.position_ != offset_bytes) {
    return Malformed(type);
  }
  return view;
}

int64_t ArrayView::OffsetAt(size_t i) const {
  const char* bytes = array_.data() + position_ + i * (short_offsets_ ? 2 : 4);
  if (!short_offsets_) return static_cast<int32_t>(LoadBig32(bytes));
  const auto biased =
      static_cast<uint16_t>(static_cast<uint8_t>(bytes[0]) << 8 | static_cast<uint8_t>(bytes[1]));
  return static_cast<int16_t>(biased) + kShortOffsetBias;
}

Result<ByteView> ArrayView::At(size_t i) const {
  if (width_ > 0) return array_.substr(i * width_, width_);
  const int64_t begin = OffsetAt(i);
  const auto position = static_cast<int64_t>(position_);
  if (begin < 0 || begin >= position) return Malformed({type_});
  const char first = array_[static_cast<size_t>(begin)];
  if (first == '\0' || first == '\xff') return ByteView();
  const int64_t end = i + 1 < count_ ? OffsetAt(i + 1) - 1 : position - 3;
  if (end < begin || end > position) return Malformed({type_});
  return array_.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

void JoinArray(std::span<const ByteView> elements, const DataType& type, Bytes* out) {
  if (elements.empty()) return;
  if (!IsFixedWidth(ArrayElement(type.id))) return AppendVariable(elements, SortOrder::kAsc, out);
  for (const ByteView element : elements) out->append(element);
}

DataType ElementType(const DataType& array) {
  return {ArrayElement(array.id), array.max_length, array.scale};
}

DataType StoredElementType(const DataType& array) {
  const DataType element = ElementType(array);
  return IsFixedWidth(element.id) ? element : DataType{element.id};
}

std::optional<TypeId> ArrayOf(TypeId element) {
  if (element == TypeId::kNull || IsArray(element)) return std::nullopt;
  return TypeByName(std::string(TypeName(element)) + " ARRAY");
}

Result<TypeId> MadeArrayOf(TypeId element, int32_t position) {
  if (element == TypeId::kVarbinary) return MakeSqlError(519, "", position);
  if (const std::optional<TypeId> array = ArrayOf(element)) return *array;
  return MakeSqlError(201, "Unsupported sql type: " + std::string(TypeName(element)) + " ARRAY",
                      position);
}

Result<Value> MakeArray(const DataType& given, std::span<const Value> elements) {
  const DataType type = WithLength(given, elements);
  if (elements.empty()) return Value::Null(type);
  const DataType element = StoredElementType(type);
  const bool fixed = IsFixedWidth(element.id);
  Bytes bytes;
  std::vector<size_t> ends;
  for (const Value& value : elements) {
    const Value& stored = fixed && value.is_null() ? ZeroOf(element) : value;
    RETURN_IF_ERROR(Encode(stored, element, SortOrder::kAsc, &bytes));
    ends.push_back(bytes.size());
  }
  if (fixed) return Value::String(type, std::move(bytes));
  std::vector<ByteView> views;
  size_t begin = 0;
  for (const size_t end : ends) {
    views.push_back(ByteView(bytes).substr(begin, end - begin));
    begin = end;
  }
  Bytes array;
  AppendVariable(views, SortOrder::kAsc, &array);
  return Value::String(type, std::move(array));
}

Result<std::vector<Value>> ArrayElements(ByteView array, const DataType& type) {
  const DataType element = ElementType(type);
  ASSIGN_OR_RETURN(const std::vector<ByteView> parts, SplitArray(array, type));
  std::vector<Value> elements;
  elements.reserve(parts.size());
  for (const ByteView part : parts) {
    ASSIGN_OR_RETURN(Value value, Decode(part, element, SortOrder::kAsc));
    elements.push_back(std::move(value));
  }
  return elements;
}

Status EncodeArray(ByteView array, const DataType& from, const DataType& to, SortOrder order,
                   Bytes* out) {
  Bytes converted;
  if (from.id != to.id || from.max_length != to.max_length || from.scale != to.scale) {
    ASSIGN_OR_RETURN(std::vector<Value> elements, ArrayElements(array, from));
    for (Value& element : elements) {
      ASSIGN_OR_RETURN(element, Coerce(element, StoredElementType(to)));
    }
    ASSIGN_OR_RETURN(const Value value, MakeArray(to, elements));
    if (value.is_null()) return Status::Ok();
    converted = value.bytes();
    array = converted;
  }
  if (order == SortOrder::kAsc) {
    out->append(array);
    return Status::Ok();
  }
  if (IsFixedWidth(ArrayElement(to.id))) {
    const size_t start = out->size();
    out->append(array);
    InvertBytes(out->data() + start, array.size());
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const std::vector<ByteView> values, SplitArray(array, to));
  AppendVariable(values, order, out);
  return Status::Ok();
}

Result<Bytes> AscendingArray(ByteView stored, const DataType& type) {
  Bytes array;
  if (IsFixedWidth(ArrayElement(type.id))) {
    array = stored;
    InvertBytes(array.data(), array.size());
    return array;
  }
  ASSIGN_OR_RETURN(std::vector<ByteView> values, SplitArray(stored, type));
  Bytes inverted;
  inverted.reserve(stored.size());  // the views below must stay
  for (ByteView& value : values) {
    const size_t begin = inverted.size();
    inverted.append(value);
    InvertBytes(inverted.data() + begin, value.size());
    value = ByteView(inverted).substr(begin, value.size());
  }
  AppendVariable(values, SortOrder::kAsc, &array);
  return array;
}

void AppendArrayText(ByteView array, const DataType& type, const TextStyle& style,
                     std::string* out) {
  Result<std::vector<Value>> elements = ArrayElements(array, type);
  if (!elements.ok()) {  // damaged: at least show what is there
    *out += "x'";
    AppendHex(array, out);
    *out += '\'';
    return;
  }
  const TypeId element = ArrayElement(type.id);
  size_t longest = 0;
  if (element == TypeId::kChar) {
    for (const Value& value : *elements) longest = std::max(longest, value.bytes().size());
  }
  *out += '[';
  for (size_t i = 0; i < elements->size(); ++i) {
    const Value& value = (*elements)[i];
    if (i > 0) *out += ',';
    if (value.is_null() || !IsString(element)) {
      *out += ToText(value, style);
      continue;
    }
    Bytes text = value.bytes();
    if (element == TypeId::kChar) text.resize(longest, ' ');
    *out += '\'';
    for (const char c : style.escape_text ? EscapeText(text) : text) {
      *out += c;
      if (c == '\'') *out += c;
    }
    *out += '\'';
  }
  *out += ']';
}

}  // namespace bennu::sql
