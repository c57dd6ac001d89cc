// Extended JSON and BSON values: relaxed form out, all forms in.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "src/base/ascii.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/base/utf8.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// ---------------------------------------------------------------- out

void AppendUnicode(uint32_t unit, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  *out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) *out += kHex[unit >> shift & 0xf];
}

// What Java's character types leave as it is: letters, digits, marks of punctuation, symbols,
// blanks.
bool IsPlain(uint32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad) return false;
  const bool combining = c >= 0x300 && c <= 0x36f;
  const bool invisible = (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                         (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
  const bool special = (c >= 0xd800 && c <= 0xf8ff) || (c >= 0xfff0 && c <= 0xfffb) || c > 0xfffd;
  return !combining && !invisible && !special;
}

// The code point that begins at text[i]; *length 0 when the bytes are no UTF-8.
uint32_t CodePointAt(std::string_view text, size_t i, size_t* length) {
  const auto lead = static_cast<uint8_t>(text[i]);
  *length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (*length == 0 || lead > 0xf4 || i + *length > text.size()) {
    *length = 0;
    return 0xfffd;
  }
  uint32_t c = *length == 1 ? lead : lead & (0x7fU >> *length);
  for (size_t j = 1; j < *length; ++j) {
    const auto next = static_cast<uint8_t>(text[i + j]);
    if ((next & 0xc0) != 0x80) {
      *length = 0;
      return 0xfffd;
    }
    c = c << 6 | (next & 0x3f);
  }
  return c;
}

void AppendJsonText(std::string_view text, std::string* out) {
  *out += '"';
  for (size_t i = 0; i < text.size();) {
    size_t length = 0;
    const uint32_t c = CodePointAt(text, i, &length);
    switch (c) {
      case '"': *out += "\\\""; break;
      case '\\': *out += "\\\\"; break;
      case '\b': *out += "\\b"; break;
      case '\f': *out += "\\f"; break;
      case '\n': *out += "\\n"; break;
      case '\r': *out += "\\r"; break;
      case '\t': *out += "\\t"; break;
      default:
        if (c > 0xffff) {
          AppendUnicode(0xd800 + ((c - 0x10000) >> 10), out);
          AppendUnicode(0xdc00 + ((c - 0x10000) & 0x3ff), out);
        } else if (length > 0 && IsPlain(c)) {
          out->append(text.substr(i, length));
        } else {
          AppendUnicode(c, out);
        }
    }
    i += std::max<size_t>(length, 1);
  }
  *out += '"';
}

void AppendDate(int64_t millis, std::string* out) {
  constexpr int64_t kYear10000 = 253402300800000;
  if (millis < 0 || millis >= kYear10000) {
    *out += R"({"$numberLong": ")" + std::to_string(millis) + "\"}";
    return;
  }
  const CivilTime civil = CivilFromMillis(millis);
  std::string text = DateTimeToIso({millis - civil.millis, 0});
  if (civil.millis != 0) {
    const std::string digits = std::to_string(1000 + civil.millis);
    text += '.' + digits.substr(1);
  }
  AppendJsonText(text + 'Z', out);
}

void AppendHexText(ByteView bytes, std::string* out) {
  *out += '"';
  AppendHex(bytes, out);
  *out += '"';
}

void AppendFields(const BsonValue& value, std::string* out) {
  const bool array = value.is_array();
  *out += array ? '[' : '{';
  bool first = true;
  for (const BsonField& field : value.fields) {
    if (!first) *out += ", ";
    first = false;
    if (!array) {
      AppendJsonText(field.name, out);
      *out += ": ";
    }
    AppendBsonJson(field.value, out);
  }
  *out += array ? ']' : '}';
}

// ---------------------------------------------------------------- in

bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Result<BsonValue> Run() {
    BsonValue value;
    RETURN_IF_ERROR(Value(0, &value));
    SkipBlanks();
    if (at_ != text_.size()) return Unexpected("the end");
    return value;
  }

 private:
  Status Unexpected(std::string_view wanted) const {
    const std::string found =
        at_ < text_.size() ? "'" + std::string(text_.substr(at_, 10)) + "'" : "<eof>";
    return MakeUncodedSqlError("JSON reader was expecting " + std::string(wanted) + " but found " +
                               found + " at " + std::to_string(at_));
  }

  void SkipBlanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) {
      ++at_;
    }
  }

  bool Take(char c) {
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status Value(int depth, BsonValue* value) {
    if (depth > kBsonDepthMax) return MakeUncodedSqlError("JSON is nested too deep");
    SkipBlanks();
    if (at_ >= text_.size()) return Unexpected("a value");
    const char c = text_[at_];
    if (c == '{') return Document(depth, value);
    if (c == '[') return Array(depth, value);
    if (c == '"' || c == '\'') {
      value->type = BsonType::kString;
      ASSIGN_OR_RETURN(value->bytes, Text());
      return Status::Ok();
    }
    if (IsDigit(c) || c == '-') return Number(value);
    if (IsNameStart(c)) return Word(value);
    return Unexpected("a value");
  }

  Status Array(int depth, BsonValue* value) {
    value->type = BsonType::kArray;
    ++at_;
    if (Take(']')) return Status::Ok();
    do {
      SkipBlanks();
      if (at_ < text_.size() && text_[at_] == ']') break;  // a comma may stand at the end
      BsonField field;
      RETURN_IF_ERROR(Value(depth + 1, &field.value));
      value->fields.push_back(std::move(field));
    } while (Take(','));
    if (!Take(']')) return Unexpected("',' or ']'");
    return Status::Ok();
  }

  Status Document(int depth, BsonValue* value) {
    value->type = BsonType::kDocument;
    ++at_;
    if (Take('}')) return Status::Ok();
    do {
      BsonField field;
      ASSIGN_OR_RETURN(field.name, Name());
      if (field.name.find('\0') != Bytes::npos) {
        return MakeUncodedSqlError("A name in JSON may not have a null character");
      }
      if (!Take(':')) return Unexpected("':'");
      RETURN_IF_ERROR(Value(depth + 1, &field.value));
      value->fields.push_back(std::move(field));
    } while (Take(','));
    if (!Take('}')) return Unexpected("',' or '}'");
    return Extended(value);
  }

  Result<Bytes> Name() {
    SkipBlanks();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return Text();
    if (at_ >= text_.size() || !IsNameStart(text_[at_])) return Unexpected("a name");
    return Bytes(TakeWord());
  }

  std::string_view TakeWord() {
    const size_t begin = at_;
    while (at_ < text_.size() && (IsNameStart(text_[at_]) || IsDigit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Status Word(BsonValue* value) {
    const size_t begin = at_;
    const std::string_view word = TakeWord();
    if (word == "true" || word == "false") {
      value->type = BsonType::kBoolean;
      value->integer = word == "true" ? 1 : 0;
    } else if (word == "null") {
      value->type = BsonType::kNull;
    } else if (word == "undefined") {
      value->type = BsonType::kUndefined;
    } else if (word == "NaN") {
      *value = BsonValue::Double(std::numeric_limits<double>::quiet_NaN());
    } else if (word == "Infinity") {
      *value = BsonValue::Double(std::numeric_limits<double>::infinity());
    } else {
      at_ = begin;
      return Unexpected("a value");
    }
    return Status::Ok();
  }

  Status Number(BsonValue* value) {
    const size_t begin = at_;
    if (text_.substr(at_).starts_with("-Infinity")) {
      at_ += 9;
      *value = BsonValue::Double(-std::numeric_limits<double>::infinity());
      return Status::Ok();
    }
    if (text_[at_] == '-') ++at_;
    bool real = false;
    while (at_ < text_.size() &&
           (IsDigit(text_[at_]) || std::string_view(".eE+-").find(text_[at_]) != ByteView::npos)) {
      real |= !IsDigit(text_[at_]);
      ++at_;
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    const char* const end = digits.data() + digits.size();
    std::from_chars_result read{};
    if (real) {
      value->type = BsonType::kDouble;
      read = std::from_chars(digits.data(), end, value->real);
    } else {
      read = std::from_chars(digits.data(), end, value->integer);
      const bool fits = value->integer >= INT32_MIN && value->integer <= INT32_MAX;
      value->type = fits ? BsonType::kInt32 : BsonType::kInt64;
    }
    const bool leading_zero = digits.size() > 1 && digits[0] == '0' && IsDigit(digits[1]);
    if (read.ec != std::errc() || read.ptr != end || leading_zero) {
      at_ = begin;
      return Unexpected("a number of 64 bits");
    }
    return Status::Ok();
  }

  Result<Bytes> Text() {
    const char quote = text_[at_++];
    Bytes text;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] != '\\') {
        text += text_[at_++];
        continue;
      }
      RETURN_IF_ERROR(Escape(&text));
    }
    if (at_ >= text_.size()) return Unexpected("the end of a text");
    ++at_;
    return text;
  }

  Status Escape(Bytes* text) {
    if (at_ + 1 >= text_.size()) return Unexpected("an escaped character");
    const char c = text_[at_ + 1];
    at_ += 2;
    switch (c) {
      case 'b': *text += '\b'; return Status::Ok();
      case 'f': *text += '\f'; return Status::Ok();
      case 'n': *text += '\n'; return Status::Ok();
      case 'r': *text += '\r'; return Status::Ok();
      case 't': *text += '\t'; return Status::Ok();
      case '"':
      case '\'':
      case '\\':
      case '/': *text += c; return Status::Ok();
      case 'u': break;
      default: at_ -= 2; return Unexpected("an escape");
    }
    uint32_t unit = 0;
    if (!TakeUnit(&unit)) return Unexpected("four hex digits");
    uint32_t low = 0;
    if (unit >= 0xd800 && unit < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
      const size_t before = at_;
      at_ += 2;
      if (TakeUnit(&low) && low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
      } else {
        at_ = before;
      }
    }
    if (unit >= 0xd800 && unit < 0xe000) unit = '?';  // as Java encodes half a pair
    AppendUtf8(unit, text);
    return Status::Ok();
  }

  bool TakeUnit(uint32_t* unit) {
    if (text_.size() - at_ < 4) return false;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, begin + 4, *unit, 16);
    if (error != std::errc() || end != begin + 4) return false;
    at_ += 4;
    return true;
  }

  // A document that stands for another value, {"$numberLong": "5"}, becomes that value.
  Status Extended(BsonValue* value) {
    if (value->fields.empty() || !value->fields[0].name.starts_with('$')) return Status::Ok();
    const Bytes name = value->fields[0].name;
    const BsonValue given = value->fields[0].value;
    const bool single = value->fields.size() == 1;
    const bool text = given.type == BsonType::kString;
    const auto is = [&](std::string_view wanted) { return single && name == wanted; };
    if (text && (is("$numberInt") || is("$numberLong"))) return Integer(given.bytes, name, value);
    if (text && is("$numberDouble")) return Double(given.bytes, value);
    if (text && is("$numberDecimal")) {
      const std::optional<Bytes> decimal = ParseDecimal128(given.bytes);
      if (!decimal.has_value()) return BadExtended(name);
      *value = BsonValue::OfBytes(BsonType::kDecimal128, *decimal);
    } else if (text && is("$oid")) {
      return ObjectId(given.bytes, value);
    } else if (is("$date")) {
      return Date(given, value);
    } else if (name == "$binary") {
      return Binary(given, value);
    } else if (text && is("$symbol")) {
      *value = BsonValue::OfBytes(BsonType::kSymbol, given.bytes);
    } else if (text && is("$code")) {
      *value = BsonValue::OfBytes(BsonType::kCode, given.bytes);
    } else if (is("$undefined") && given.type == BsonType::kBoolean) {
      *value = BsonValue::Of(BsonType::kUndefined);
    } else if (is("$minKey") || is("$maxKey")) {
      *value = BsonValue::Of(name == "$minKey" ? BsonType::kMinKey : BsonType::kMaxKey);
    } else if (is("$timestamp") && given.is_document()) {
      const BsonValue* const seconds = given.Find("t");
      const BsonValue* const increment = given.Find("i");
      if (seconds == nullptr || increment == nullptr) return BadExtended(name);
      const auto bits = static_cast<uint64_t>(seconds->integer) << 32 |
                        (static_cast<uint64_t>(increment->integer) & 0xffffffff);
      *value = BsonValue::OfInteger(BsonType::kTimestamp, static_cast<int64_t>(bits));
    } else if (is("$regularExpression") && given.is_document()) {
      const BsonValue* const pattern = given.Find("pattern");
      const BsonValue* const options = given.Find("options");
      if (pattern == nullptr || options == nullptr ||
          (pattern->bytes + options->bytes).find('\0') != Bytes::npos) {
        return BadExtended(name);
      }
      *value = BsonValue::OfBytes(BsonType::kRegex, pattern->bytes + '\0' + options->bytes);
    }
    return Status::Ok();
  }

  static Status BadExtended(ByteView name) {
    return MakeUncodedSqlError("JSON has a " + std::string(name) + " that is none");
  }

  static Status Integer(ByteView digits, ByteView name, BsonValue* value) {
    int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [ptr, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || ptr != end) return BadExtended(name);
    if (name == "$numberLong") {
      *value = BsonValue::Int64(number);
    } else if (number >= INT32_MIN && number <= INT32_MAX) {
      *value = BsonValue::Int32(static_cast<int32_t>(number));
    } else {
      return BadExtended(name);
    }
    return Status::Ok();
  }

  static Status Double(ByteView digits, BsonValue* value) {
    double number = 0;
    if (digits == "NaN") {
      number = std::numeric_limits<double>::quiet_NaN();
    } else if (digits == "Infinity" || digits == "-Infinity") {
      number = std::numeric_limits<double>::infinity() * (digits[0] == '-' ? -1 : 1);
    } else {
      const char* const end = digits.data() + digits.size();
      const auto [ptr, error] = std::from_chars(digits.data(), end, number);
      if (error != std::errc() || ptr != end) return BadExtended("$numberDouble");
    }
    *value = BsonValue::Double(number);
    return Status::Ok();
  }

  static Status ObjectId(ByteView hex, BsonValue* value) {
    const Result<Bytes> bytes = HexDecode(hex);
    if (!bytes.ok() || bytes->size() != 12) return BadExtended("$oid");
    *value = BsonValue::OfBytes(BsonType::kObjectId, *bytes);
    return Status::Ok();
  }

  static Status Date(const BsonValue& given, BsonValue* value) {
    int64_t millis = given.integer;
    if (given.type == BsonType::kString) {
      const Result<Timestamp> time = ParseDateTime(given.bytes);
      if (!time.ok()) return BadExtended("$date");
      millis = time->millis;
    } else if (given.type != BsonType::kInt32 && given.type != BsonType::kInt64) {
      return BadExtended("$date");
    }
    *value = BsonValue::OfInteger(BsonType::kDateTime, millis);
    return Status::Ok();
  }

  // {"$binary": {"base64": "…", "subType": "00"}} or {"$binary": "…", "$type": "00"}.
  static Status Binary(const BsonValue& given, BsonValue* value) {
    const BsonValue* data = given.is_document() ? given.Find("base64") : &given;
    const BsonValue* subtype = given.is_document() ? given.Find("subType") : value->Find("$type");
    if (data == nullptr || subtype == nullptr || data->type != BsonType::kString) {
      return BadExtended("$binary");
    }
    int64_t number = subtype->integer;
    if (subtype->type == BsonType::kString) {
      const Bytes& digits = subtype->bytes;
      const char* const end = digits.data() + digits.size();
      const auto [ptr, error] = std::from_chars(digits.data(), end, number, 16);
      if (error != std::errc() || ptr != end) return BadExtended("$binary");
    }
    const std::optional<Bytes> bytes = DecodeBase64(data->bytes);
    if (!bytes.has_value() || number < 0 || number > 255) return BadExtended("$binary");
    *value = BsonValue::OfBytes(BsonType::kBinary, *bytes);
    value->subtype = static_cast<uint8_t>(number);
    return Status::Ok();
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

void AppendBsonJson(const BsonValue& value, std::string* out) {
  switch (value.type) {
    case BsonType::kDouble:
      if (std::isfinite(value.real)) {
        *out += DoubleToText(value.real);
      } else {
        *out += R"({"$numberDouble": ")" + DoubleToText(value.real) + "\"}";
      }
      return;
    case BsonType::kString: AppendJsonText(value.bytes, out); return;
    case BsonType::kDocument:
    case BsonType::kArray: AppendFields(value, out); return;
    case BsonType::kBinary: {
      *out += R"({"$binary": {"base64": ")";
      AppendBase64(value.bytes, out);
      *out += R"(", "subType": ")";
      AppendHex(ByteView(reinterpret_cast<const char*>(&value.subtype), 1), out);
      *out += "\"}}";
      return;
    }
    case BsonType::kUndefined: *out += R"({"$undefined": true})"; return;
    case BsonType::kObjectId:
      *out += R"({"$oid": )";
      AppendHexText(value.bytes, out);
      *out += '}';
      return;
    case BsonType::kBoolean: *out += value.integer != 0 ? "true" : "false"; return;
    case BsonType::kDateTime:
      *out += R"({"$date": )";
      AppendDate(value.integer, out);
      *out += '}';
      return;
    case BsonType::kNull: *out += "null"; return;
    case BsonType::kRegex: {
      const size_t end = value.bytes.find('\0');
      *out += R"({"$regularExpression": {"pattern": )";
      AppendJsonText(ByteView(value.bytes).substr(0, end), out);
      *out += R"(, "options": )";
      AppendJsonText(ByteView(value.bytes).substr(std::min(end, value.bytes.size() - 1) + 1), out);
      *out += "}}";
      return;
    }
    case BsonType::kCode:
    case BsonType::kSymbol:
      *out += value.type == BsonType::kCode ? R"({"$code": )" : R"({"$symbol": )";
      AppendJsonText(value.bytes, out);
      *out += '}';
      return;
    case BsonType::kInt32:
    case BsonType::kInt64: *out += std::to_string(value.integer); return;
    case BsonType::kTimestamp: {
      const auto bits = static_cast<uint64_t>(value.integer);
      *out += R"({"$timestamp": {"t": )" + std::to_string(bits >> 32) + R"(, "i": )" +
              std::to_string(bits & 0xffffffff) + "}}";
      return;
    }
    case BsonType::kDecimal128:
      *out += R"({"$numberDecimal": ")" + Decimal128ToText(value.bytes) + "\"}";
      return;
    case BsonType::kMinKey: *out += R"({"$minKey": 1})"; return;
    case BsonType::kMaxKey: *out += R"({"$maxKey": 1})"; return;
    case BsonType::kDbPointer:
    case BsonType::kCodeWithScope: AppendHexText(value.bytes, out); return;
  }
}

Result<BsonValue> ParseBsonJson(std::string_view text) { return JsonParser(text).Run(); }

Result<Bytes> BsonFromJson(std::string_view text) {
  ASSIGN_OR_RETURN(const BsonValue value, ParseBsonJson(text));
  if (!value.is_document()) return MakeUncodedSqlError("JSON is no object at its top level");
  Bytes bytes;
  EncodeBson(value, &bytes);
  return bytes;
}

std::string BsonToJson(ByteView document) {
  std::string text;
  const Result<BsonValue> value = DecodeBson(document);
  if (value.ok()) {
    AppendBsonJson(*value, &text);
    return text;
  }
  text = "x'";
  AppendHex(document, &text);
  return text + '\'';
}

}  // namespace bennu::sql
