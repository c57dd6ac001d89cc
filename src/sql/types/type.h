// Phoenix's data types: ids, names, widths, families. Everything else about a type (bytes, text,
// coercion) is in codec.h, text.h and coerce.h. Source: phoenix-types spec section 1.
#ifndef BENNU_SRC_SQL_TYPES_TYPE_H_
#define BENNU_SRC_SQL_TYPES_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bennu::sql {

// The values are Phoenix's ordinals, which its serialized forms and the catalog use.
enum class TypeId : uint8_t {
  kVarchar = 0,
  kChar = 1,
  kBigint = 2,
  kInteger = 3,
  kSmallint = 4,
  kTinyint = 5,
  kFloat = 6,
  kDouble = 7,
  kDecimal = 8,
  kTimestamp = 9,
  kTime = 10,
  kDate = 11,
  kUnsignedTimestamp = 12,
  kUnsignedTime = 13,
  kUnsignedDate = 14,
  kUnsignedLong = 15,
  kUnsignedInt = 16,
  kUnsignedSmallint = 17,
  kUnsignedTinyint = 18,
  kUnsignedFloat = 19,
  kUnsignedDouble = 20,
  kBoolean = 21,
  kVarbinary = 22,
  kBinary = 23,
  // Arrays: see array.h.
  kIntegerArray = 24,
  kBooleanArray = 25,
  kVarcharArray = 26,
  kVarbinaryArray = 27,
  kBinaryArray = 28,
  kCharArray = 29,
  kBigintArray = 30,
  kSmallintArray = 31,
  kTinyintArray = 32,
  kFloatArray = 33,
  kDoubleArray = 34,
  kDecimalArray = 35,
  kTimestampArray = 36,
  kUnsignedTimestampArray = 37,
  kTimeArray = 38,
  kUnsignedTimeArray = 39,
  kDateArray = 40,
  kUnsignedDateArray = 41,
  kUnsignedLongArray = 42,
  kUnsignedIntArray = 43,
  kUnsignedSmallintArray = 44,
  kUnsignedTinyintArray = 45,
  kUnsignedFloatArray = 46,
  kUnsignedDoubleArray = 47,
  kJson = 48,
  kBson = 49,
  kVarbinaryEncoded = 50,
  // The type of an untyped NULL literal: coerces to everything and is never stored.
  kNull = 255,
};

inline constexpr int kTypeCount = 51;

// SYSTEM.CATALOG stores 2 and 1 (SortOrderSystemValue).
enum class SortOrder : uint8_t { kAsc, kDesc };

inline int SortOrderSystemValue(SortOrder order) { return order == SortOrder::kAsc ? 2 : 1; }

// How values of a type lie in memory (Value, Vector).
enum class PhysicalType : uint8_t {
  kBool,       // BOOLEAN; one byte, 0 or 1
  kInt64,      // all integers; DATE and TIME kinds as epoch milliseconds
  kDouble,     // FLOAT and DOUBLE kinds; a FLOAT is rounded to single precision
  kDecimal,    // Decimal
  kTimestamp,  // Timestamp
  kBytes,      // text (UTF-8), binary, JSON, BSON; untyped NULL too
};

// 'nanos' lie inside the millisecond: 0 … 999,999.
struct Timestamp {
  int64_t millis = 0;
  int32_t nanos = 0;

  friend bool operator==(const Timestamp&, const Timestamp&) = default;
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

struct DataType {
  TypeId id = TypeId::kNull;
  std::optional<int32_t> max_length = std::nullopt;  // characters, bytes, or DECIMAL's precision
  std::optional<int32_t> scale = std::nullopt;       // DECIMAL only

  friend bool operator==(const DataType&, const DataType&) = default;
};

// "UNSIGNED_LONG", "VARCHAR ARRAY"; "NULL" for kNull.
std::string_view TypeName(TypeId id);
// With parameters, as in DDL: "DECIMAL(10,2)", "CHAR(5)".
std::string TypeToString(const DataType& type);
// Case-insensitive; nothing for a name that Phoenix does not know (LONG, INT, STRING).
std::optional<TypeId> TypeByName(std::string_view name);
// The type of ours that is nearest to one of another system, such as VARCHAR for TEXT; empty when
// the name, in upper case, is not known. For hints.
std::string_view TypeOfOtherSystem(std::string_view name);

// The id in SYSTEM.CATALOG.DATA_TYPE (such as 12 for VARCHAR, 3012 for VARCHAR ARRAY).
int32_t SqlTypeId(TypeId id);
std::optional<TypeId> TypeBySqlTypeId(int32_t sql_type_id);
// The id that JDBC's ResultSetMetaData shows (arrays 2003, unsigned types as their signed kin).
int32_t JdbcTypeId(TypeId id);

PhysicalType PhysicalTypeOf(TypeId id);

// Bytes of an encoded value: the type's width, or max_length of CHAR and BINARY. Nothing for
// variable width (and for CHAR or BINARY without a length).
std::optional<int32_t> FixedWidth(const DataType& type);
bool IsFixedWidth(TypeId id);  // true for CHAR and BINARY too

bool IsNumeric(TypeId id);
bool IsIntegral(TypeId id);
bool IsUnsigned(TypeId id);       // UNSIGNED_ anything, dates included
bool IsFloatingPoint(TypeId id);  // FLOAT and DOUBLE kinds
bool IsDateTime(TypeId id);       // DATE, TIME and TIMESTAMP kinds
bool IsTimestamp(TypeId id);      // the two TIMESTAMP kinds
bool IsString(TypeId id);         // VARCHAR, CHAR
bool IsBinary(TypeId id);         // VARBINARY, BINARY, VARBINARY_ENCODED
bool IsArray(TypeId id);
TypeId ArrayElement(TypeId array);  // of an array type only

// Precision that DECIMAL arithmetic takes an integer type to have (TINYINT 3 … BIGINT 19).
int32_t IntegerPrecision(TypeId id);

// Smallest and greatest value of an integer type.
struct IntegerRange {
  int64_t min;
  int64_t max;
};
IntegerRange RangeOf(TypeId id);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_TYPE_H_
