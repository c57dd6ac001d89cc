#include "src/sql/types/bson.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

constexpr size_t kEmptyDocumentBytes = 5;
constexpr size_t kObjectIdBytes = 12;
constexpr size_t kDecimal128Bytes = 16;

template <typename T>
T LoadLittle(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

template <typename T>
void AppendLittle(T value, Bytes* out) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(value));
  out->append(bytes, sizeof(bytes));
}

static_assert(std::endian::native == std::endian::little);

// Reads within bounds; every error says where.
class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}

  Result<BsonValue> Document() {
    BsonValue value = BsonValue::Document();
    RETURN_IF_ERROR(Fields(0, &value));
    if (at_ != bytes_.size()) return Malformed("bytes follow the document");
    return value;
  }

 private:
  Status Malformed(std::string_view what) const {
    return MakeUncodedSqlError("Bytes that are no BSON document: " + std::string(what) + " at " +
                               std::to_string(at_));
  }

  Result<ByteView> Take(size_t size) {
    if (bytes_.size() - at_ < size) return Malformed("a value does not end");
    const ByteView taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

  Result<ByteView> CString() {
    const size_t end = bytes_.find('\0', at_);
    if (end == ByteView::npos) return Malformed("a name does not end");
    const ByteView text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  // int32 length with the final 00, text, 00.
  Result<ByteView> String() {
    ASSIGN_OR_RETURN(const ByteView length_bytes, Take(4));
    const auto length = LoadLittle<int32_t>(length_bytes.data());
    if (length < 1) return Malformed("a string without an end");
    ASSIGN_OR_RETURN(const ByteView text, Take(static_cast<size_t>(length)));
    if (text.back() != '\0') return Malformed("a string that is not null-terminated");
    return text.substr(0, text.size() - 1);
  }

  Status Fields(int depth, BsonValue* value) {
    if (depth > kBsonDepthMax) return Malformed("documents are nested too deep");
    const size_t begin = at_;
    ASSIGN_OR_RETURN(const ByteView length_bytes, Take(4));
    const auto length = LoadLittle<int32_t>(length_bytes.data());
    if (length < static_cast<int32_t>(kEmptyDocumentBytes) ||
        static_cast<size_t>(length) > bytes_.size() - begin) {
      return Malformed("a document's length");
    }
    for (;;) {
      ASSIGN_OR_RETURN(const ByteView type, Take(1));
      if (type[0] == '\0') break;
      BsonField field;
      ASSIGN_OR_RETURN(field.name, CString());
      field.value.type = static_cast<BsonType>(static_cast<uint8_t>(type[0]));
      RETURN_IF_ERROR(Value(depth, &field.value));
      value->fields.push_back(std::move(field));
    }
    if (at_ - begin != static_cast<size_t>(length)) return Malformed("a document's length");
    return Status::Ok();
  }

  Status Value(int depth, BsonValue* value) {
    switch (value->type) {
      case BsonType::kDouble: {
        ASSIGN_OR_RETURN(const ByteView bytes, Take(8));
        value->real = LoadLittle<double>(bytes.data());
        return Status::Ok();
      }
      case BsonType::kInt32: {
        ASSIGN_OR_RETURN(const ByteView bytes, Take(4));
        value->integer = LoadLittle<int32_t>(bytes.data());
        return Status::Ok();
      }
      case BsonType::kInt64:
      case BsonType::kDateTime:
      case BsonType::kTimestamp: {
        ASSIGN_OR_RETURN(const ByteView bytes, Take(8));
        value->integer = LoadLittle<int64_t>(bytes.data());
        return Status::Ok();
      }
      case BsonType::kBoolean: {
        ASSIGN_OR_RETURN(const ByteView bytes, Take(1));
        if (bytes[0] != '\0' && bytes[0] != '\1') return Malformed("a boolean");
        value->integer = bytes[0];
        return Status::Ok();
      }
      case BsonType::kString:
      case BsonType::kSymbol:
      case BsonType::kCode: {
        ASSIGN_OR_RETURN(value->bytes, String());
        return Status::Ok();
      }
      case BsonType::kDocument:
      case BsonType::kArray: return Fields(depth + 1, value);
      case BsonType::kBinary: return Binary(value);
      case BsonType::kObjectId: return Copy(kObjectIdBytes, value);
      case BsonType::kDecimal128: return Copy(kDecimal128Bytes, value);
      case BsonType::kRegex: {
        const size_t begin = at_;
        RETURN_IF_ERROR(CString().status());
        RETURN_IF_ERROR(CString().status());
        value->bytes = bytes_.substr(begin, at_ - begin - 1);
        return Status::Ok();
      }
      case BsonType::kDbPointer: {
        const size_t begin = at_;
        RETURN_IF_ERROR(String().status());
        RETURN_IF_ERROR(Take(kObjectIdBytes).status());
        value->bytes = bytes_.substr(begin, at_ - begin);
        return Status::Ok();
      }
      case BsonType::kCodeWithScope: {
        const size_t begin = at_;
        ASSIGN_OR_RETURN(const ByteView length_bytes, Take(4));
        RETURN_IF_ERROR(String().status());
        BsonValue scope = BsonValue::Document();
        RETURN_IF_ERROR(Fields(depth + 1, &scope));
        if (at_ - begin != static_cast<size_t>(LoadLittle<uint32_t>(length_bytes.data()))) {
          return Malformed("a code's length");
        }
        value->bytes = bytes_.substr(begin, at_ - begin);
        return Status::Ok();
      }
      case BsonType::kUndefined:
      case BsonType::kNull:
      case BsonType::kMinKey:
      case BsonType::kMaxKey: return Status::Ok();
    }
    return Malformed("an unknown type");
  }

  Status Copy(size_t size, BsonValue* value) {
    ASSIGN_OR_RETURN(value->bytes, Take(size));
    return Status::Ok();
  }

  Status Binary(BsonValue* value) {
    ASSIGN_OR_RETURN(const ByteView head, Take(5));
    const auto length = LoadLittle<int32_t>(head.data());
    if (length < 0) return Malformed("a binary's length");
    value->subtype = static_cast<uint8_t>(head[4]);
    return Copy(static_cast<size_t>(length), value);
  }

  const ByteView bytes_;
  size_t at_ = 0;
};

void AppendString(ByteView text, Bytes* out) {
  AppendLittle(static_cast<int32_t>(text.size() + 1), out);
  out->append(text);
  out->push_back('\0');
}

void AppendValue(const BsonValue& value, Bytes* out) {
  switch (value.type) {
    case BsonType::kDouble: AppendLittle(value.real, out); return;
    case BsonType::kInt32: AppendLittle(static_cast<int32_t>(value.integer), out); return;
    case BsonType::kInt64:
    case BsonType::kDateTime:
    case BsonType::kTimestamp: AppendLittle(value.integer, out); return;
    case BsonType::kBoolean: out->push_back(static_cast<char>(value.integer)); return;
    case BsonType::kString:
    case BsonType::kSymbol:
    case BsonType::kCode: AppendString(value.bytes, out); return;
    case BsonType::kDocument:
    case BsonType::kArray: EncodeBson(value, out); return;
    case BsonType::kBinary:
      AppendLittle(static_cast<int32_t>(value.bytes.size()), out);
      out->push_back(static_cast<char>(value.subtype));
      out->append(value.bytes);
      return;
    case BsonType::kRegex:
      out->append(value.bytes);
      out->push_back('\0');
      return;
    default: out->append(value.bytes); return;
  }
}

}  // namespace

BsonValue BsonValue::Of(BsonType type) {
  BsonValue value;
  value.type = type;
  return value;
}

BsonValue BsonValue::OfBytes(BsonType type, Bytes bytes) {
  BsonValue value = Of(type);
  value.bytes = std::move(bytes);
  return value;
}

BsonValue BsonValue::OfInteger(BsonType type, int64_t integer) {
  BsonValue value = Of(type);
  value.integer = integer;
  return value;
}

BsonValue BsonValue::Document() { return Of(BsonType::kDocument); }
BsonValue BsonValue::Int32(int32_t value) { return OfInteger(BsonType::kInt32, value); }
BsonValue BsonValue::Int64(int64_t value) { return OfInteger(BsonType::kInt64, value); }

BsonValue BsonValue::Double(double number) {
  BsonValue value = Of(BsonType::kDouble);
  value.real = number;
  return value;
}

const BsonValue* BsonValue::Find(ByteView name) const {
  for (const BsonField& field : fields) {
    if (field.name == name) return &field.value;
  }
  return nullptr;
}

BsonValue* BsonValue::Find(ByteView name) {
  return const_cast<BsonValue*>(static_cast<const BsonValue*>(this)->Find(name));
}

void BsonValue::Put(ByteView name, BsonValue value) {
  if (BsonValue* const known = Find(name); known != nullptr) {
    *known = std::move(value);
  } else {
    fields.push_back({Bytes(name), std::move(value)});
  }
}

void BsonValue::Remove(ByteView name) {
  std::erase_if(fields, [&](const BsonField& field) { return field.name == name; });
}

double BsonValue::ToDouble() const {
  if (type == BsonType::kDouble) return real;
  if (type != BsonType::kDecimal128) return static_cast<double>(integer);
  const std::string text = Decimal128ToText(bytes);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool operator==(const BsonValue& a, const BsonValue& b) {
  if (a.type != b.type || a.integer != b.integer || a.subtype != b.subtype || a.bytes != b.bytes ||
      a.fields.size() != b.fields.size()) {
    return false;
  }
  if (a.type == BsonType::kDouble) {
    return std::bit_cast<int64_t>(a.real) == std::bit_cast<int64_t>(b.real);
  }
  if (a.is_array()) {
    return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(),
                      [](const BsonField& x, const BsonField& y) { return x.value == y.value; });
  }
  return std::all_of(a.fields.begin(), a.fields.end(), [&](const BsonField& field) {
    const BsonValue* const other = b.Find(field.name);
    return other != nullptr && field.value == *other;
  });
}

Result<BsonValue> DecodeBson(ByteView bytes) { return Reader(bytes).Document(); }

void EncodeBson(const BsonValue& document, Bytes* out) {
  const size_t begin = out->size();
  out->append(4, '\0');
  for (size_t i = 0; i < document.fields.size(); ++i) {
    const BsonField& field = document.fields[i];
    out->push_back(static_cast<char>(field.value.type));
    out->append(document.is_array() ? std::to_string(i) : field.name);
    out->push_back('\0');
    AppendValue(field.value, out);
  }
  out->push_back('\0');
  const auto length = static_cast<int32_t>(out->size() - begin);
  std::memcpy(out->data() + begin, &length, sizeof(length));
}

// ---------------------------------------------------------------- Decimal128

namespace {

// sign | 14 bits of exponent | 113 bits of coefficient; or sign | 11 | … for one that is too large
// to be (read as zero); sign | 1111 0 infinity; sign | 1111 1 NaN.
constexpr int kExponentBias = 6176;
constexpr int kExponentMax = 6111;
constexpr size_t kDigitsMax = 34;
using Coefficient = unsigned __int128;

Bytes PackDecimal128(uint64_t high, uint64_t low) {
  Bytes bytes;
  AppendLittle(low, &bytes);
  AppendLittle(high, &bytes);
  return bytes;
}

std::string DigitsOf(Coefficient value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

}  // namespace

std::optional<Bytes> ParseDecimal128(std::string_view text) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  uint64_t sign = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') sign = kSign;
    text.remove_prefix(1);
  }
  if (text == "NaN") return PackDecimal128(uint64_t{0x7c} << 56, 0);
  if (text == "Infinity" || text == "Inf") return PackDecimal128(sign | uint64_t{0x78} << 56, 0);
  int64_t exponent = 0;
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    if (exponent < -100'000 || exponent > 100'000) return std::nullopt;
    text = text.substr(0, e);
  }
  Coefficient coefficient = 0;
  size_t count = 0;
  size_t seen = 0;
  bool fraction = false;
  for (const char c : text) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    ++seen;
    if (count > 0 || c != '0') ++count;
    if (count > kDigitsMax) return std::nullopt;  // digits would be lost
    coefficient = coefficient * 10 + static_cast<unsigned>(c - '0');
    if (fraction) --exponent;
  }
  if (seen == 0) return std::nullopt;
  for (; exponent > kExponentMax && count < kDigitsMax; --exponent, ++count) coefficient *= 10;
  if (exponent < -kExponentBias || exponent > kExponentMax) return std::nullopt;
  const uint64_t high = sign | static_cast<uint64_t>(exponent + kExponentBias) << 49 |
                        static_cast<uint64_t>(coefficient >> 64);
  return PackDecimal128(high, static_cast<uint64_t>(coefficient));
}

std::string Decimal128ToText(ByteView bytes) {
  if (bytes.size() != kDecimal128Bytes) return "NaN";
  const auto low = LoadLittle<uint64_t>(bytes.data());
  const auto high = LoadLittle<uint64_t>(bytes.data() + 8);
  const std::string sign = high >> 63 != 0 ? "-" : "";
  if ((high >> 58 & 0x1f) == 0x1f) return "NaN";
  if ((high >> 58 & 0x1f) == 0x1e) return sign + "Infinity";
  const bool too_large = (high >> 61 & 3) == 3;
  const auto biased = static_cast<int>(too_large ? high >> 47 & 0x3fff : high >> 49 & 0x3fff);
  const int exponent = biased - kExponentBias;
  Coefficient coefficient = 0;
  if (!too_large) coefficient = Coefficient{high & ((uint64_t{1} << 49) - 1)} << 64 | low;
  std::string digits = DigitsOf(coefficient);
  if (digits.size() > kDigitsMax) digits = "0";
  const int adjusted = exponent + static_cast<int>(digits.size()) - 1;
  if (exponent <= 0 && adjusted >= -6) {
    if (exponent == 0) return sign + digits;
    const auto places = static_cast<size_t>(-exponent);
    if (digits.size() <= places) digits.insert(0, places - digits.size() + 1, '0');
    return sign + digits.insert(digits.size() - places, 1, '.');
  }
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return sign + digits + "E" + (adjusted < 0 ? "" : "+") + std::to_string(adjusted);
}

// ---------------------------------------------------------------- base64

namespace {
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}  // namespace

void AppendBase64(ByteView bytes, std::string* out) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      *out += j <= count ? kBase64[group >> (18 - 6 * j) & 0x3f] : '=';
    }
  }
}

std::optional<Bytes> DecodeBase64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  Bytes bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t value = kBase64.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count));
    }
  }
  if (count == 6) return std::nullopt;  // a single letter of a group
  return bytes;
}

}  // namespace bennu::sql
