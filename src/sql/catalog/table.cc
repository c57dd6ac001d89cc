#include "src/sql/catalog/table.h"

#include <algorithm>
#include <utility>

#include "src/base/hex.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

constexpr std::string_view kViewIndexTablePrefix = "_IDX_";
constexpr std::string_view kEmptyColumnName = "_0";
constexpr std::string_view kEmptyColumnValue = "x";
constexpr int32_t kReservedQualifiers = kFirstEncodedQualifier - 1;  // always written as four bytes

void AppendBigEndian(uint32_t value, int32_t bytes, Bytes* out) {
  for (int32_t shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(value >> shift));
  }
}

}  // namespace

std::string FullTableName(std::string_view schema, std::string_view name) {
  std::string full(schema);
  if (!full.empty()) full += '.';
  return full.append(name);
}

TableName PhysicalTableName(std::string_view schema, std::string_view name, bool namespace_mapped) {
  TableName physical;
  if (namespace_mapped && !schema.empty()) {
    physical.name_space = schema;
    physical.qualifier = name;
  } else {
    physical.qualifier = FullTableName(schema, name);
  }
  return physical;
}

TableName ViewIndexTableName(const TableName& base) {
  TableName name = base;
  name.qualifier.insert(0, kViewIndexTablePrefix);
  return name;
}

bool IsViewIndexTable(const TableName& name) {
  return name.qualifier.starts_with(kViewIndexTablePrefix);
}

TableName BaseOfViewIndexTable(const TableName& name) {
  TableName base = name;
  base.qualifier.erase(0, kViewIndexTablePrefix.size());
  return base;
}

std::string TableMeta::FullName() const { return FullTableName(schema, name); }

bool TableMeta::IsTtlCondition(std::string_view ttl) {
  return std::any_of(ttl.begin(), ttl.end(), [](char c) { return c < '0' || c > '9'; });
}

bool TableMeta::has_document_in_key() const {
  return std::any_of(columns.begin(), columns.end(), [](const ColumnMeta& column) {
    return column.is_key() && column.type.id == TypeId::kJson;
  });
}

bool TableMeta::HasFamily(std::string_view family) const {
  return std::find(families.begin(), families.end(), family) != families.end();
}

int32_t TableMeta::IndexOf(std::string_view family, std::string_view column) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == column && columns[i].family == family) return static_cast<int32_t>(i);
  }
  return -1;
}

// Where columns lie for which neither the statement nor DEFAULT_COLUMN_FAMILY names a family.
constexpr std::string_view kUnnamedFamily = "0";

Result<uint32_t> TableMeta::FindColumn(std::string_view column, int64_t position) const {
  int32_t found = -1;
  bool ambiguous = false;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name != column) continue;
    // No family tells these apart: a key column has none, and of the default one nobody knows the
    // name.
    if (columns[i].family.empty() || columns[i].family == kUnnamedFamily) {
      return static_cast<uint32_t>(i);
    }
    if (found >= 0) ambiguous = true;
    if (found < 0) found = static_cast<int32_t>(i);
  }
  if (ambiguous) {
    return MakeSqlError(502, "columnName=" + std::string(column), position,
                        "name its column family too, as in FAMILY." + std::string(column));
  }
  if (found < 0) {
    return MakeSqlError(504, "columnName=" + FullName() + "." + std::string(column), position);
  }
  return static_cast<uint32_t>(found);
}

Result<uint32_t> TableMeta::FindColumn(std::string_view family, std::string_view column,
                                       int64_t position) const {
  if (!HasFamily(family)) {
    return MakeSqlError(1001, "familyName=" + std::string(family), position);
  }
  const int32_t found = IndexOf(family, column);
  if (found < 0) {
    return MakeSqlError(
        504, "columnName=" + FullName() + "." + std::string(family) + "." + std::string(column),
        position);
  }
  return static_cast<uint32_t>(found);
}

Result<TableMeta> TableMeta::WithDynamicColumns(const std::vector<ColumnMeta>& dynamic) const {
  TableMeta extended = *this;
  for (ColumnMeta column : dynamic) {
    if (column.family.empty()) column.family = empty_family;
    if (!HasFamily(column.family) && column.family != empty_family) {
      return MakeSqlError(1001, "familyName=" + column.family);
    }
    if (extended.IndexOf(column.family, column.name) >= 0 ||
        extended.IndexOf("", column.name) >= 0) {
      return MakeSqlError(514, "columnName=" + FullName() + "." + column.name);
    }
    column.dynamic = true;
    column.key_position = -1;
    column.qualifier = column.name;
    column.encoded_qualifier = -1;
    column.ordinal = static_cast<int32_t>(extended.columns.size()) + 1;
    extended.columns.push_back(std::move(column));
  }
  return extended;
}

void TableMeta::Finish() {
  key_columns.clear();
  families.clear();
  row_timestamp_column = -1;
  std::vector<KeyColumn> key;
  for (size_t i = 0; i < columns.size(); ++i) {
    ColumnMeta& column = columns[i];
    if (column.is_key()) {
      column.key_position = static_cast<int32_t>(key_columns.size());
      key_columns.push_back(static_cast<uint32_t>(i));
      if (column.row_timestamp) row_timestamp_column = static_cast<int32_t>(i);
      key.push_back(KeyColumn{FullName() + "." + column.name, column.type, column.sort_order,
                              column.nullable, column.row_timestamp});
    } else if (!HasFamily(column.family)) {
      families.push_back(column.family);
    }
  }
  key_schema = KeySchema(std::move(key), salt_buckets);
  empty_family = families.empty() ? default_family : families.front();
  empty_qualifier =
      encoding_bytes == 0 ? Bytes(kEmptyColumnName) : EncodeQualifier(0, encoding_bytes);
  empty_value = Bytes(kEmptyColumnValue);
}

int32_t MaxEncodedQualifier(int32_t bytes) {
  return bytes >= 4 ? std::numeric_limits<int32_t>::max() : (int32_t{1} << (8 * bytes)) - 1;
}

Bytes EncodeQualifier(int32_t number, int32_t bytes) {
  Bytes encoded;
  if (number <= kReservedQualifiers) {
    AppendBigEndian(static_cast<uint32_t>(number), 4, &encoded);
  } else if (bytes <= 2) {
    // One and two bytes are signed integers counted from their minimum, so the top bit is set.
    const uint32_t bias = uint32_t{1} << (8 * bytes - 1);
    AppendBigEndian(static_cast<uint32_t>(number) ^ bias, bytes, &encoded);
  } else {
    AppendBigEndian(static_cast<uint32_t>(number), bytes, &encoded);
  }
  return encoded;
}

Result<int32_t> DecodeQualifier(ByteView qualifier, int32_t bytes) {
  uint32_t number = 0;
  for (const char byte : qualifier) number = number << 8 | static_cast<uint8_t>(byte);
  if (qualifier.size() == 4 && number <= static_cast<uint32_t>(kReservedQualifiers)) {
    return static_cast<int32_t>(number);
  }
  if (qualifier.size() != static_cast<size_t>(bytes) || (bytes == 4 && number > INT32_MAX)) {
    return Corruption("qualifier " + HexEncode(qualifier) + " is not one of " +
                      std::to_string(bytes) + " encoded bytes");
  }
  if (bytes <= 2) number ^= uint32_t{1} << (8 * bytes - 1);
  return static_cast<int32_t>(number);
}

}  // namespace bennu::sql::catalog
