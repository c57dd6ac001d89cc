#include "src/avatica/row_writer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "src/avatica/types.h"
#include "src/base/coding.h"
#include "src/base/json_text.h"
#include "src/base/utf8.h"
#include "src/sql/types/array.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/text.h"

namespace bennu::avatica {

namespace {

using sql::PhysicalType;
using sql::TypeId;

// The tags of protobuf: number of the field, and how its value is written.
enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };
constexpr char Tag(int field, Wire wire) {
  return static_cast<char>(field << 3 | static_cast<int>(wire));
}
// TypedValue
constexpr char kType = Tag(1, Wire::kVarint);
constexpr char kBoolValue = Tag(2, Wire::kVarint);
constexpr char kStringValue = Tag(3, Wire::kBytes);
constexpr char kNumberValue = Tag(4, Wire::kVarint);
constexpr char kBytesValue = Tag(5, Wire::kBytes);
constexpr char kDoubleValue = Tag(6, Wire::kFixed64);
constexpr char kNull = Tag(7, Wire::kVarint);
// ColumnValue
constexpr char kArrayValue = Tag(2, Wire::kBytes);
constexpr char kHasArrayValue = Tag(3, Wire::kVarint);
constexpr char kScalarValue = Tag(4, Wire::kBytes);
// Row
constexpr char kColumnValue = Tag(1, Wire::kBytes);

int64_t DaysOf(int64_t millis) {
  return millis / sql::kMillisPerDay - (millis % sql::kMillisPerDay < 0 ? 1 : 0);
}

// A date and time as Avatica counts it.
int64_t MomentOf(TypeId type, int64_t millis) {
  switch (type) {
    case TypeId::kDate:
    case TypeId::kUnsignedDate: return DaysOf(millis);
    case TypeId::kTime:
    case TypeId::kUnsignedTime: return millis - DaysOf(millis) * sql::kMillisPerDay;
    default: return millis;
  }
}

// The milliseconds that such a count stands for.
int64_t MillisOf(TypeId type, int64_t told) {
  const bool days = type == TypeId::kDate || type == TypeId::kUnsignedDate;
  return days ? told * sql::kMillisPerDay : told;
}

// Takes the parts of a value that is written; NULL is not among them.
template <typename Sink>
void Visit(TypeId type, const sql::Vector& vector, size_t row, Sink* sink) {
  switch (vector.physical_type()) {
    case PhysicalType::kBool: return sink->Bool(vector.At<uint8_t>(row) != 0);
    case PhysicalType::kInt64: return sink->Moment(type, vector.At<int64_t>(row));
    case PhysicalType::kDouble: return sink->Double(vector.At<double>(row));
    case PhysicalType::kDecimal: return sink->Decimal(vector.At<sql::Decimal>(row));
    case PhysicalType::kTimestamp: return sink->Timestamp(vector.At<sql::Timestamp>(row));
    case PhysicalType::kBytes: break;
  }
  const ByteView bytes = vector.At<ByteView>(row);
  if (type == TypeId::kJson || type == TypeId::kBson) return sink->Text(sql::BsonToJson(bytes));
  if (sql::IsBinary(type)) return sink->Binary(bytes);
  if (type == TypeId::kChar) return sink->Text(bytes.substr(0, bytes.find_last_not_of(' ') + 1));
  sink->Text(bytes);
}

template <typename Sink>
void Visit(const sql::Value& value, Sink* sink) {
  const TypeId type = value.type().id;
  switch (sql::PhysicalTypeOf(type)) {
    case PhysicalType::kBool: return sink->Bool(value.boolean());
    case PhysicalType::kInt64: return sink->Moment(type, value.int64());
    case PhysicalType::kDouble: return sink->Double(value.real());
    case PhysicalType::kDecimal: return sink->Decimal(value.decimal());
    case PhysicalType::kTimestamp: return sink->Timestamp(value.timestamp());
    case PhysicalType::kBytes: break;
  }
  if (sql::IsBinary(type)) return sink->Binary(value.bytes());
  sink->Text(value.bytes());
}

// Appends the fields of a TypedValue. Zero, false and what is empty are left out, as in proto3.
class TypedValueSink {
 public:
  TypedValueSink(TypeId type, std::string* out) : out_(out) {
    out_->push_back(kType);
    out_->push_back(static_cast<char>(ValueRep(type)));
  }
  void Bool(bool value) {
    if (value) out_->append({kBoolValue, 1});
  }
  void Moment(TypeId type, int64_t millis) {
    const int64_t told = MomentOf(type, millis);
    Number(told);
    Double(static_cast<double>(millis - MillisOf(type, told)));
  }
  void Timestamp(const sql::Timestamp& value) {
    Number(value.millis);
    Double(value.nanos);
  }
  void Number(int64_t value) {
    if (value == 0) return;
    out_->push_back(kNumberValue);
    AppendVarint(out_, ZigZagEncode(value));
  }
  void Double(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    if (bits == 0) return;
    out_->push_back(kDoubleValue);
    out_->append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
  void Decimal(const sql::Decimal& value) { Field(kStringValue, value.ToJavaString()); }
  void Text(std::string_view text) {
    if (sql::IsValidUtf8(text)) return Field(kStringValue, text);
    std::string valid;
    AppendValidUtf8(text, &valid);
    Field(kStringValue, valid);
  }
  void Binary(ByteView bytes) { Field(kBytesValue, bytes); }

 private:
  void Field(char tag, std::string_view bytes) {
    if (bytes.empty()) return;
    out_->push_back(tag);
    AppendVarint(out_, bytes.size());
    out_->append(bytes);
  }

  std::string* const out_;
};

class JsonSink {
 public:
  explicit JsonSink(std::string* out) : out_(out) {}
  void Bool(bool value) { out_->append(value ? "true" : "false"); }
  void Moment(TypeId type, int64_t millis) { Number(MomentOf(type, millis)); }
  void Timestamp(const sql::Timestamp& value) { Number(value.millis); }
  void Number(int64_t value) { fmt::format_to(std::back_inserter(*out_), "{}", value); }
  void Double(double value) {
    const std::string text = sql::DoubleToText(value);
    // JSON has no such numbers; Jackson, which clients use, writes and reads them as text.
    out_->append(std::isfinite(value) ? text : '"' + text + '"');
  }
  void Decimal(const sql::Decimal& value) { out_->append(value.ToJavaString()); }
  void Text(std::string_view text) { AppendJsonString(text, out_); }
  void Binary(ByteView bytes) {
    out_->push_back('"');
    sql::AppendBase64(bytes, out_);
    out_->push_back('"');
  }

 private:
  std::string* const out_;
};

void AppendNullValue(std::string* out) {
  out->append({kType, static_cast<char>(pb::NULL_), kNull, 1});
}

void AppendWithLength(char tag, std::string_view bytes, std::string* out) {
  out->push_back(tag);
  AppendVarint(out, bytes.size());
  out->append(bytes);
}

// The elements, or nothing for bytes that are no array.
std::vector<sql::Value> ElementsOf(const sql::Vector& vector, size_t row) {
  auto elements = sql::ArrayElements(vector.At<ByteView>(row), vector.type());
  return elements.ok() ? std::move(elements).value() : std::vector<sql::Value>();
}

// A ColumnValue for an array.
void WriteArray(const sql::Vector& vector, size_t row, std::string* out) {
  const TypeId element_type = sql::ArrayElement(vector.type().id);
  std::string value;
  for (const sql::Value& element : ElementsOf(vector, row)) {
    value.clear();
    if (element.is_null()) {
      AppendNullValue(&value);
    } else {
      TypedValueSink sink(element_type, &value);
      Visit(element, &sink);
    }
    AppendWithLength(kArrayValue, value, out);
  }
  out->append({kHasArrayValue, 1});
}

void WriteJson(const sql::Vector& vector, size_t row, std::string* out) {
  JsonSink sink(out);
  if (vector.IsNull(row)) {
    out->append("null");
  } else if (sql::IsArray(vector.type().id)) {
    out->push_back('[');
    bool first = true;
    for (const sql::Value& element : ElementsOf(vector, row)) {
      if (!first) out->push_back(',');
      first = false;
      if (element.is_null()) {
        out->append("null");
      } else {
        Visit(element, &sink);
      }
    }
    out->push_back(']');
  } else {
    Visit(vector.type().id, vector, row, &sink);
  }
}

}  // namespace

void RowWriter::Write(const sql::DataChunk& chunk, size_t row, std::string* out) {
  if (form_ == Form::kJson) {
    out->push_back('[');
    for (size_t i = 0; i < chunk.columns.size(); ++i) {
      if (i > 0) out->push_back(',');
      WriteJson(chunk.columns[i], row, out);
    }
    out->push_back(']');
    return;
  }
  for (const sql::Vector& vector : chunk.columns) {
    value_.clear();
    if (vector.IsNull(row)) {
      AppendNullValue(&value_);
    } else if (sql::IsArray(vector.type().id)) {
      WriteArray(vector, row, &value_);
      AppendWithLength(kColumnValue, value_, out);
      continue;
    } else {
      TypedValueSink sink(vector.type().id, &value_);
      Visit(vector.type().id, vector, row, &sink);
    }
    out->push_back(kColumnValue);
    AppendVarint(out, 1 + VarintSize(value_.size()) + value_.size());
    AppendWithLength(kScalarValue, value_, out);
  }
}

}  // namespace bennu::avatica
