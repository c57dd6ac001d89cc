#include "src/sql/types/type.h"

#include <array>
#include <limits>
#include <utility>

#include "src/base/check.h"

namespace bennu::sql {
namespace {

struct TypeInfo {
  std::string_view name;
  int32_t sql_id;
  int32_t jdbc_id;
  int32_t width;  // 0: variable, -1: the declared length
  PhysicalType physical;
};

constexpr PhysicalType kB = PhysicalType::kBool;
constexpr PhysicalType kI = PhysicalType::kInt64;
constexpr PhysicalType kF = PhysicalType::kDouble;
constexpr PhysicalType kN = PhysicalType::kDecimal;
constexpr PhysicalType kT = PhysicalType::kTimestamp;
constexpr PhysicalType kS = PhysicalType::kBytes;

// By ordinal.
constexpr std::array<TypeInfo, kTypeCount> kTypes = {{
    {"VARCHAR", 12, 12, 0, kS},
    {"CHAR", 1, 1, -1, kS},
    {"BIGINT", -5, -5, 8, kI},
    {"INTEGER", 4, 4, 4, kI},
    {"SMALLINT", 5, 5, 2, kI},
    {"TINYINT", -6, -6, 1, kI},
    {"FLOAT", 6, 6, 4, kF},
    {"DOUBLE", 8, 8, 8, kF},
    {"DECIMAL", 3, 3, 0, kN},
    {"TIMESTAMP", 93, 93, 12, kT},
    {"TIME", 92, 92, 8, kI},
    {"DATE", 91, 91, 8, kI},
    {"UNSIGNED_TIMESTAMP", 20, 93, 12, kT},
    {"UNSIGNED_TIME", 18, 92, 8, kI},
    {"UNSIGNED_DATE", 19, 91, 8, kI},
    {"UNSIGNED_LONG", 10, -5, 8, kI},
    {"UNSIGNED_INT", 9, 4, 4, kI},
    {"UNSIGNED_SMALLINT", 13, 5, 2, kI},
    {"UNSIGNED_TINYINT", 11, -6, 1, kI},
    {"UNSIGNED_FLOAT", 14, 6, 4, kF},
    {"UNSIGNED_DOUBLE", 15, 8, 8, kF},
    {"BOOLEAN", 16, 16, 1, kB},
    {"VARBINARY", -3, -3, 0, kS},
    {"BINARY", -2, -2, -1, kS},
    {"INTEGER ARRAY", 3004, 2003, 0, kS},
    {"BOOLEAN ARRAY", 3016, 2003, 0, kS},
    {"VARCHAR ARRAY", 3012, 2003, 0, kS},
    {"VARBINARY ARRAY", 2997, 2003, 0, kS},
    {"BINARY ARRAY", 2998, 2003, 0, kS},
    {"CHAR ARRAY", 3001, 2003, 0, kS},
    {"BIGINT ARRAY", 2995, 2003, 0, kS},
    {"SMALLINT ARRAY", 3005, 2003, 0, kS},
    {"TINYINT ARRAY", 2994, 2003, 0, kS},
    {"FLOAT ARRAY", 3006, 2003, 0, kS},
    {"DOUBLE ARRAY", 3008, 2003, 0, kS},
    {"DECIMAL ARRAY", 3003, 2003, 0, kS},
    {"TIMESTAMP ARRAY", 3093, 2003, 0, kS},
    {"UNSIGNED_TIMESTAMP ARRAY", 3020, 2003, 0, kS},
    {"TIME ARRAY", 3092, 2003, 0, kS},
    {"UNSIGNED_TIME ARRAY", 3018, 2003, 0, kS},
    {"DATE ARRAY", 3091, 2003, 0, kS},
    {"UNSIGNED_DATE ARRAY", 3019, 2003, 0, kS},
    {"UNSIGNED_LONG ARRAY", 3010, 2003, 0, kS},
    {"UNSIGNED_INT ARRAY", 3009, 2003, 0, kS},
    {"UNSIGNED_SMALLINT ARRAY", 3013, 2003, 0, kS},
    {"UNSIGNED_TINYINT ARRAY", 3011, 2003, 0, kS},
    {"UNSIGNED_FLOAT ARRAY", 3014, 2003, 0, kS},
    {"UNSIGNED_DOUBLE ARRAY", 3015, 2003, 0, kS},
    {"JSON", 5000, 5000, 0, kS},
    {"BSON", 7000, 7000, 0, kS},
    {"VARBINARY_ENCODED", 9000, 9000, 0, kS},
}};

constexpr TypeInfo kNullInfo = {"NULL", 0, 0, 0, kS};

const TypeInfo& InfoOf(TypeId id) {
  return id == TypeId::kNull ? kNullInfo : kTypes[static_cast<size_t>(id)];
}

char ToUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool EqualsIgnoringCase(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (ToUpper(text[i]) != upper[i]) return false;
  }
  return true;
}

bool Between(TypeId id, TypeId first, TypeId last) { return id >= first && id <= last; }

}  // namespace

std::string_view TypeName(TypeId id) { return InfoOf(id).name; }

std::string TypeToString(const DataType& type) {
  std::string text(TypeName(type.id));
  if (!type.max_length.has_value()) return text;
  text += '(' + std::to_string(*type.max_length);
  if (type.scale.has_value()) text += ',' + std::to_string(*type.scale);
  return text + ')';
}

std::optional<TypeId> TypeByName(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (EqualsIgnoringCase(name, kTypes[i].name)) return static_cast<TypeId>(i);
  }
  return std::nullopt;
}

int32_t SqlTypeId(TypeId id) { return InfoOf(id).sql_id; }

std::optional<TypeId> TypeBySqlTypeId(int32_t sql_type_id) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].sql_id == sql_type_id) return static_cast<TypeId>(i);
  }
  return std::nullopt;
}

int32_t JdbcTypeId(TypeId id) { return InfoOf(id).jdbc_id; }

PhysicalType PhysicalTypeOf(TypeId id) { return InfoOf(id).physical; }

std::optional<int32_t> FixedWidth(const DataType& type) {
  const int32_t width = InfoOf(type.id).width;
  if (width > 0) return width;
  if (width < 0) return type.max_length;
  return std::nullopt;
}

bool IsFixedWidth(TypeId id) { return InfoOf(id).width != 0; }

std::string_view TypeOfOtherSystem(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"LONG", "BIGINT"},         {"INT", "INTEGER"},        {"STRING", "VARCHAR"},
      {"TEXT", "VARCHAR"},        {"BOOL", "BOOLEAN"},       {"NUMBER", "DECIMAL"},
      {"NUMERIC", "DECIMAL"},     {"REAL", "FLOAT"},         {"BLOB", "VARBINARY"},
      {"DATETIME", "TIMESTAMP"},  {"JSONB", "JSON"},         {"UUID", "BINARY(16)"},
      {"BYTEA", "VARBINARY"},     {"CLOB", "VARCHAR"},       {"TIMESTAMPTZ", "TIMESTAMP"},
      {"INT8", "BIGINT"},         {"INT4", "INTEGER"},       {"INT2", "SMALLINT"},
      {"FLOAT8", "DOUBLE"},       {"FLOAT4", "FLOAT"},       {"VARCHAR2", "VARCHAR"},
      {"NVARCHAR", "VARCHAR"},    {"NVARCHAR2", "VARCHAR"},  {"NCHAR", "CHAR"},
      {"CHARACTER", "CHAR"},      {"INT64", "BIGINT"},       {"INT32", "INTEGER"},
      {"FLOAT64", "DOUBLE"},      {"BYTES", "VARBINARY"},    {"LONGTEXT", "VARCHAR"},
      {"DATETIME2", "TIMESTAMP"}, {"SIGNED", "BIGINT"},      {"HUGEINT", "DECIMAL"},
      {"MEDIUMINT", "INTEGER"},   {"MEDIUMTEXT", "VARCHAR"}, {"TINYTEXT", "VARCHAR"},
      {"RAW", "VARBINARY"},       {"BIGDECIMAL", "DECIMAL"}, {"DOUBLE PRECISION", "DOUBLE"}};
  for (const auto& [other, ours] : kOthers) {
    if (other == name) return ours;
  }
  return "";
}

bool IsNumeric(TypeId id) {
  return Between(id, TypeId::kBigint, TypeId::kDecimal) ||
         Between(id, TypeId::kUnsignedLong, TypeId::kUnsignedDouble);
}

bool IsIntegral(TypeId id) {
  return Between(id, TypeId::kBigint, TypeId::kTinyint) ||
         Between(id, TypeId::kUnsignedLong, TypeId::kUnsignedTinyint);
}

bool IsUnsigned(TypeId id) {
  return Between(id, TypeId::kUnsignedTimestamp, TypeId::kUnsignedDouble);
}

bool IsFloatingPoint(TypeId id) {
  return id == TypeId::kFloat || id == TypeId::kDouble || id == TypeId::kUnsignedFloat ||
         id == TypeId::kUnsignedDouble;
}

bool IsDateTime(TypeId id) { return Between(id, TypeId::kTimestamp, TypeId::kUnsignedDate); }

bool IsTimestamp(TypeId id) { return id == TypeId::kTimestamp || id == TypeId::kUnsignedTimestamp; }

bool IsString(TypeId id) { return id == TypeId::kVarchar || id == TypeId::kChar; }

bool IsBinary(TypeId id) {
  return id == TypeId::kVarbinary || id == TypeId::kBinary || id == TypeId::kVarbinaryEncoded;
}

bool IsArray(TypeId id) { return Between(id, TypeId::kIntegerArray, TypeId::kUnsignedDoubleArray); }

TypeId ArrayElement(TypeId array) {
  const std::optional<TypeId> element = TypeBySqlTypeId(SqlTypeId(array) - 3000);
  BENNU_CHECK(element.has_value());
  return *element;
}

int32_t IntegerPrecision(TypeId id) {
  switch (id) {
    case TypeId::kTinyint:
    case TypeId::kUnsignedTinyint: return 3;
    case TypeId::kSmallint:
    case TypeId::kUnsignedSmallint: return 5;
    case TypeId::kInteger:
    case TypeId::kUnsignedInt: return 10;
    default: return 19;
  }
}

IntegerRange RangeOf(TypeId id) {
  switch (id) {
    case TypeId::kTinyint:
      return {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
    case TypeId::kSmallint:
      return {std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()};
    case TypeId::kInteger:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case TypeId::kUnsignedTinyint: return {0, std::numeric_limits<int8_t>::max()};
    case TypeId::kUnsignedSmallint: return {0, std::numeric_limits<int16_t>::max()};
    case TypeId::kUnsignedInt: return {0, std::numeric_limits<int32_t>::max()};
    case TypeId::kUnsignedLong:
    case TypeId::kUnsignedDate:
    case TypeId::kUnsignedTime:
    case TypeId::kUnsignedTimestamp: return {0, std::numeric_limits<int64_t>::max()};
    default: return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

}  // namespace bennu::sql
