// BSON documents: what JSON and BSON columns store. Source: bsonspec.org; texts as the MongoDB Java
// driver 3/4 writes and reads them (relaxed extended JSON).
//
//   document: int32 length | element … | 00
//   element:  type byte | name 00 | value
#ifndef BENNU_SRC_SQL_TYPES_BSON_H_
#define BENNU_SRC_SQL_TYPES_BSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::sql {

enum class BsonType : uint8_t {
  kDouble = 0x01,
  kString = 0x02,
  kDocument = 0x03,
  kArray = 0x04,
  kBinary = 0x05,
  kUndefined = 0x06,
  kObjectId = 0x07,
  kBoolean = 0x08,
  kDateTime = 0x09,
  kNull = 0x0a,
  kRegex = 0x0b,
  kDbPointer = 0x0c,
  kCode = 0x0d,
  kSymbol = 0x0e,
  kCodeWithScope = 0x0f,
  kInt32 = 0x10,
  kTimestamp = 0x11,
  kInt64 = 0x12,
  kDecimal128 = 0x13,
  kMaxKey = 0x7f,
  kMinKey = 0xff,
};

struct BsonField;

struct BsonValue {
  BsonType type = BsonType::kNull;
  double real = 0;      // kDouble
  int64_t integer = 0;  // kInt32, kInt64, kBoolean (0, 1), kDateTime (millis), kTimestamp
  uint8_t subtype = 0;  // kBinary
  // kString, kSymbol, kCode: text. kBinary: data. kObjectId: 12 bytes. kDecimal128: 16 bytes.
  // kRegex: pattern 00 options. kDbPointer, kCodeWithScope: as they are stored.
  Bytes bytes;
  std::vector<BsonField> fields;  // kDocument, kArray (names do not matter)

  static BsonValue Of(BsonType type);  // without a content
  static BsonValue OfBytes(BsonType type, Bytes bytes);
  static BsonValue OfInteger(BsonType type, int64_t integer);
  static BsonValue Document();
  static BsonValue Int32(int32_t value);
  static BsonValue Int64(int64_t value);
  static BsonValue Double(double value);

  bool is_document() const { return type == BsonType::kDocument; }
  bool is_array() const { return type == BsonType::kArray; }
  bool is_number() const {
    return type == BsonType::kInt32 || type == BsonType::kInt64 || type == BsonType::kDouble ||
           type == BsonType::kDecimal128;
  }
  // Of a document: the first field of that name, or null.
  const BsonValue* Find(ByteView name) const;
  BsonValue* Find(ByteView name);
  // Of a document: replaces the field or appends it.
  void Put(ByteView name, BsonValue value);
  void Remove(ByteView name);
  // Of a number.
  double ToDouble() const;
  // Java's equals: types count, the order of a document's fields does not.
  friend bool operator==(const BsonValue& a, const BsonValue& b);
};

struct BsonField {
  Bytes name;
  BsonValue value;
};

// Documents nest at most so deep.
inline constexpr int kBsonDepthMax = 100;

// A whole document. Error (uncoded): bytes that are none, or nested too deep.
Result<BsonValue> DecodeBson(ByteView bytes);
// Appends the document's bytes.
void EncodeBson(const BsonValue& document, Bytes* out);

// Extended JSON. Error (uncoded): no JSON, an integer beyond 64 bits, nested too deep.
Result<BsonValue> ParseBsonJson(std::string_view text);
// The same of a document, as bytes; an error for other values.
Result<Bytes> BsonFromJson(std::string_view text);

// Appends relaxed extended JSON: {"a": 1, "b": [true, null]}.
void AppendBsonJson(const BsonValue& value, std::string* out);
// Of a document's bytes; x'…' when they are none.
std::string BsonToJson(ByteView document);

// Decimal128 (IEEE 754, binary coefficient), 16 bytes. "1.50", "1E+3", "NaN", "Infinity".
std::optional<Bytes> ParseDecimal128(std::string_view text);
std::string Decimal128ToText(ByteView bytes);

// Base64, with padding.
void AppendBase64(ByteView bytes, std::string* out);
std::optional<Bytes> DecodeBase64(std::string_view text);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_BSON_H_
