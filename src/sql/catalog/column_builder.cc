// Single columns of a definition: types, defaults, qualifiers.
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/parse/sql_text.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

constexpr int32_t kMaxDecimalPrecision = 38;

std::string NameOf(const parse::ColumnDef& definition) { return definition.name.ToString(); }

// Length or precision is mandatory, optional or meaningless, depending on the element type.
Status SetLength(const parse::ColumnDef& definition, TypeId element, DataType* type) {
  const parse::TypeSpec& spec = definition.type;
  const std::string detail = "columnName=" + NameOf(definition);
  switch (element) {
    case TypeId::kDecimal:
      if (spec.length < 0) return Status::Ok();
      if (spec.length < 1 || spec.length > kMaxDecimalPrecision) {
        return MakeSqlError(209, detail, spec.position);
      }
      type->max_length = spec.length;
      type->scale = spec.scale < 0 ? 0 : spec.scale;
      return Status::Ok();
    case TypeId::kChar:
    case TypeId::kBinary:
      if (spec.length < 0) return MakeSqlError(207, detail, spec.position);
      [[fallthrough]];
    case TypeId::kVarchar:
    case TypeId::kVarbinary:
    case TypeId::kVarbinaryEncoded:
      if (spec.length == 0) return MakeSqlError(208, detail, spec.position);
      if (spec.length > 0) type->max_length = spec.length;
      return Status::Ok();
    default: return Status::Ok();
  }
}

// What a type that there is not may have been meant to be.
std::string TypeHint(const parse::ColumnDef& definition) {
  const std::string& name = definition.name.name.text;
  const std::string& type = definition.type.name;
  if (TypeByName(name).has_value()) {
    return fmt::format("a column's name comes before its type: {} {}", type, name);
  }
  if (type == "SERIAL" || type == "BIGSERIAL" || type == "IDENTITY") {
    return fmt::format("write {} BIGINT, and fill it from a sequence: NEXT VALUE FOR s", name);
  }
  const std::string_view meant = TypeOfOtherSystem(type);
  return meant.empty() ? "" : fmt::format("write {} {}", name, meant);
}

Result<DataType> BuildType(const parse::ColumnDef& definition) {
  const parse::TypeSpec& spec = definition.type;
  const auto element = TypeByName(spec.name);
  const auto unsupported = [&] {
    return MakeSqlError(201, "Unsupported sql type: " + spec.name, spec.position,
                        TypeHint(definition));
  };
  if (!element.has_value() || IsArray(*element)) return unsupported();
  DataType type{*element};
  if (spec.is_array) {
    if (*element == TypeId::kVarbinary) {
      return MakeSqlError(519, "columnName=" + NameOf(definition), spec.position);
    }
    const auto array = TypeByName(std::string(TypeName(*element)) + " ARRAY");
    if (!array.has_value()) return unsupported();
    type.id = *array;
  }
  RETURN_IF_ERROR(SetLength(definition, *element, &type));
  return type;
}

Status CheckDefault(const parse::ColumnDef& definition, const DdlContext& context,
                    ColumnMeta* column) {
  if (definition.default_value == nullptr) return Status::Ok();
  if (!context.evaluate) return MakeUncodedSqlError("defaults cannot be evaluated here");
  ASSIGN_OR_RETURN(const Value value, context.evaluate(*definition.default_value));
  if (value.is_null()) return Status::Ok();  // the same as no default
  const std::string what = "DEFAULT columnName=" + column->name;
  const auto coerced = Coerce(value, column->type, what);
  if (!coerced.ok()) {
    // Phoenix calls a number that does not fit illegal data here, and a wrong kind a mismatch.
    const bool numbers = IsNumeric(value.type().id) && IsNumeric(column->type.id);
    return numbers && IsSqlError(coerced.status(), 203)
               ? SqlIllegalData("the value does not fit. " + what)
               : coerced.status();
  }
  Bytes encoded;
  RETURN_IF_ERROR(Encode(*coerced, column->type, SortOrder::kAsc, &encoded));
  column->default_text = parse::ToSqlText(*definition.default_value);
  return Status::Ok();
}

}  // namespace

Result<ColumnMeta> BuildColumn(const parse::ColumnDef& definition, const DdlContext& context) {
  ColumnMeta column;
  column.name = definition.name.name.text;
  column.family = definition.name.qualifier.text;
  if (IsLocalFamily(column.family)) {
    return MakeSqlError(1090, "familyName=" + column.family, definition.position);
  }
  ASSIGN_OR_RETURN(column.type, BuildType(definition));
  if (definition.type.array_size > 0) column.array_size = definition.type.array_size;
  column.nullable = definition.nullable.value_or(true);
  if (definition.descending) column.sort_order = SortOrder::kDesc;
  column.row_timestamp = definition.row_timestamp;
  RETURN_IF_ERROR(CheckDefault(definition, context, &column));
  return column;
}

Status AssignQualifier(TableMeta* table, ColumnMeta* column) {
  if (table->encoding_bytes == 0) {
    column->qualifier = column->name;
    return Status::Ok();
  }
  if (table->append_only_schema) {
    // By its place, so that all who add the column at the same time give it the same.
    const int32_t place = column->ordinal - 1 + (table->salt_buckets > 0 ? 1 : 0);
    column->encoded_qualifier = kFirstEncodedQualifier + place;
    if (column->encoded_qualifier > MaxEncodedQualifier(table->encoding_bytes)) {
      return MakeSqlError(1136, "tableName=" + table->FullName());
    }
    column->qualifier = EncodeQualifier(column->encoded_qualifier, table->encoding_bytes);
    return Status::Ok();
  }
  // One counter for the whole table, unless each family is an array of its own.
  const std::string& counter_name = table->single_cell() ? column->family : table->default_family;
  int32_t& next = table->counters.try_emplace(counter_name, kFirstEncodedQualifier).first->second;
  if (next > MaxEncodedQualifier(table->encoding_bytes)) {
    return MakeSqlError(1136, "tableName=" + table->FullName());
  }
  column->encoded_qualifier = next++;
  column->qualifier = EncodeQualifier(column->encoded_qualifier, table->encoding_bytes);
  return Status::Ok();
}

}  // namespace bennu::sql::catalog
