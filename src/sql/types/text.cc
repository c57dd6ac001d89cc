#include "src/sql/types/text.h"

#include <charconv>
#include <cmath>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/types/array.h"
#include "src/sql/types/array_text.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

// Digits and exponent of the shortest form, laid out as Java does.
template <typename T>
std::string RealToText(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view scientific(buffer, end - buffer);
  const size_t e = scientific.find('e');
  std::string digits(1, scientific[0]);
  if (e > 2) digits.append(scientific.substr(2, e - 2));
  int exponent = 0;
  const size_t sign = e + 1;
  std::from_chars(scientific.data() + sign + (scientific[sign] == '+' ? 1 : 0), end, exponent);

  std::string text = value < 0 ? "-" : "";
  if (exponent < -3 || exponent >= 7) {
    text += digits[0];
    text += '.';
    text += digits.size() > 1 ? digits.substr(1) : "0";
    return text + 'E' + std::to_string(exponent);
  }
  if (exponent < 0) return text + "0." + std::string(-exponent - 1, '0') + digits;
  const size_t before = static_cast<size_t>(exponent) + 1;
  if (digits.size() < before) digits.append(before - digits.size(), '0');
  text += digits.substr(0, before);
  return text + '.' + (digits.size() > before ? digits.substr(before) : "0");
}

struct CodePoint {
  uint32_t value = 0xFFFD;
  size_t length = 1;
  bool valid = false;
};

// The first character of 'text', which is not empty.
CodePoint NextCodePoint(std::string_view text) {
  const uint8_t first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return {first, 1, true};
  const size_t length = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  uint32_t value = first & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    const uint8_t next = static_cast<uint8_t>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    value = value << 6 | (next & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
    return {};
  }
  return {value, length, true};
}

bool NeedsEscape(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFD || c == 0x2028 || c == 0x2029;
}

void AppendUnicodeEscape(uint32_t c, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  *out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out->push_back(kHex[c >> shift & 15]);
}

void AppendBytesText(ByteView bytes, TypeId type, const TextStyle& style, std::string* out) {
  if (IsBinary(type)) {
    if (style.quote_binary) *out += "x'";
    AppendHex(bytes, out);
    if (style.quote_binary) *out += '\'';
    return;
  }
  if (type == TypeId::kChar) bytes = StripCharPadding(bytes);
  std::string json;
  if (type == TypeId::kJson || type == TypeId::kBson) {
    json = BsonToJson(bytes);
    bytes = json;
  }
  if (style.escape_text) {
    *out += EscapeText(bytes);
  } else {
    out->append(bytes);
  }
}

}  // namespace

std::string DoubleToText(double value) { return RealToText(value); }
std::string FloatToText(float value) { return RealToText(value); }

void AppendHex(ByteView bytes, std::string* out) { *out += HexEncode(bytes); }

size_t Utf8Length(std::string_view text) {
  size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(NextCodePoint(text).length);
    ++count;
  }
  return count;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = NextCodePoint(text);
    if (!c.valid) return false;
    text.remove_prefix(c.length);
  }
  return true;
}

std::string EscapeText(std::string_view text) {
  if (text.empty()) return "(empty)";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = NextCodePoint(text.substr(i));
    if (c.value == '\\') {
      out += "\\\\";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\r') {
      out += "\\r";
    } else if (NeedsEscape(c.value)) {
      AppendUnicodeEscape(c.value, &out);
    } else if (c.value == ' ' && (i == 0 || i + 1 == text.size())) {
      out += "\\u0020";
    } else {
      out.append(text.substr(i, c.length));
    }
    i += c.length;
  }
  return out == "NULL" || out == "(empty)" ? "\\" + out : out;
}

void AppendText(const Vector& vector, size_t row, const TextStyle& style, std::string* out) {
  if (vector.IsNull(row)) {
    *out += "NULL";
    return;
  }
  const TypeId type = vector.type().id;
  switch (vector.physical_type()) {
    case PhysicalType::kBool: *out += vector.At<uint8_t>(row) != 0 ? "true" : "false"; break;
    case PhysicalType::kInt64: {
      const int64_t value = vector.At<int64_t>(row);
      if (IsDateTime(type)) {
        *out += style.iso_dates ? DateTimeToIso({value, 0}) : DateTimeToText({value, 0});
      } else {
        char buffer[24];
        out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
      }
      break;
    }
    case PhysicalType::kDouble: {
      const double value = vector.At<double>(row);
      const bool single = type == TypeId::kFloat || type == TypeId::kUnsignedFloat;
      *out += single ? FloatToText(static_cast<float>(value)) : DoubleToText(value);
      break;
    }
    case PhysicalType::kDecimal: *out += vector.At<Decimal>(row).ToString(); break;
    case PhysicalType::kTimestamp:
      *out += style.iso_dates ? DateTimeToIso(vector.At<Timestamp>(row))
                              : DateTimeToText(vector.At<Timestamp>(row));
      break;
    case PhysicalType::kBytes:
      if (IsArray(type)) {
        AppendArrayText(vector.At<ByteView>(row), vector.type(), style, out);
      } else {
        AppendBytesText(vector.At<ByteView>(row), type, style, out);
      }
      break;
  }
}

std::string ToText(const Value& value, const TextStyle& style) {
  std::string text;
  if (value.is_null()) return "NULL";
  if (IsArray(value.type().id)) {
    AppendArrayText(value.bytes(), value.type(), style, &text);
    return text;
  }
  if (PhysicalTypeOf(value.type().id) == PhysicalType::kBytes) {
    AppendBytesText(value.bytes(), value.type().id, style, &text);
    return text;
  }
  Vector one(value.type(), 1);
  one.SetValue(0, value);
  AppendText(one, 0, style, &text);
  return text;
}

std::string FormatDefaultNumber(const Decimal& value) {
  Decimal rounded = value;
  if (value.scale() > 3) rounded = *value.SetScale(3, Rounding::kHalfEven);
  std::string text = rounded.StripTrailingZeros().Abs().ToString();
  size_t point = text.find('.');
  if (point == std::string::npos) point = text.size();
  for (size_t i = point; i > 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return value.sign() < 0 ? "-" + text : text;
}

namespace {

Result<int64_t> ParseInteger(std::string_view text, TypeId type) {
  int64_t value = 0;
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const IntegerRange range = RangeOf(type);
  if (error == std::errc::result_out_of_range ||
      (error == std::errc() && (value < range.min || value > range.max))) {
    return SqlIllegalData("'" + std::string(text) + "' is out of range for " +
                          std::string(TypeName(type)));
  }
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return SqlIllegalData("'" + std::string(text) + "' is not a whole number");
  }
  return value;
}

Result<double> ParseReal(std::string_view text, TypeId type) {
  double value = 0;
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return SqlIllegalData("'" + std::string(text) + "' is not a number of type " +
                          std::string(TypeName(type)));
  }
  return value;
}

Result<Value> ParseBoolean(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower == "true" || lower == "t" || lower == "1") return Value::Bool(true);
  if (lower == "false" || lower == "f" || lower == "0") return Value::Bool(false);
  return SqlIllegalData("'" + std::string(text) + "' is neither true nor false");
}

Result<Bytes> ParseBinary(std::string_view text) {
  const bool quoted = text.size() >= 3 && (text[0] == 'x' || text[0] == 'X') && text[1] == '\'' &&
                      text.back() == '\'';
  if (quoted) text = text.substr(2, text.size() - 3);
  Result<Bytes> bytes = HexDecode(text);
  if (!bytes.ok()) return SqlIllegalData("'" + std::string(text) + "' is not hex digits");
  return bytes;
}

}  // namespace

Result<Value> ParseValue(std::string_view text, const DataType& type) {
  if (IsArray(type.id)) return ParseArray(text, type);
  const bool document = type.id == TypeId::kJson || type.id == TypeId::kBson;
  if (IsString(type.id) || document) return Coerce(Value::Varchar(std::string(text)), type);
  if (IsBinary(type.id)) {
    ASSIGN_OR_RETURN(Bytes bytes, ParseBinary(text));
    return Coerce(Value::Varbinary(std::move(bytes)), type);
  }
  switch (PhysicalTypeOf(type.id)) {
    case PhysicalType::kBool: return ParseBoolean(text);
    case PhysicalType::kDecimal: {
      const std::optional<Decimal> value = Decimal::Parse(text);
      if (!value.has_value()) {
        return SqlIllegalData("'" + std::string(text) + "' is not a number");
      }
      return Coerce(Value::Number(*value), type);
    }
    case PhysicalType::kDouble: {
      ASSIGN_OR_RETURN(const double value, ParseReal(text, type.id));
      return Coerce(Value::Double(value), type);
    }
    case PhysicalType::kTimestamp: {
      ASSIGN_OR_RETURN(const Timestamp value, ParseDateTime(text));
      return Coerce(Value::Time({TypeId::kTimestamp}, value), type);
    }
    case PhysicalType::kInt64:
      if (IsDateTime(type.id)) {
        ASSIGN_OR_RETURN(const Timestamp value, ParseDateTime(text));
        return Coerce(Value::Int({TypeId::kDate}, value.millis), type);
      } else {
        ASSIGN_OR_RETURN(const int64_t value, ParseInteger(text, type.id));
        return Value::Int(type, value);
      }
    case PhysicalType::kBytes: break;
  }
  return NotSupported("reading text as " + std::string(TypeName(type.id)));
}

}  // namespace bennu::sql
