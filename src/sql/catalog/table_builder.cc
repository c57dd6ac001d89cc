#include "src/sql/catalog/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/view.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

using parse::ColumnDef;
using parse::CreateTable;

constexpr int32_t kDefaultEncodedBytes = 2;

Status ColumnError(int code, const TableMeta& table, const std::string& column,
                   int64_t position = -1) {
  return MakeSqlError(code, "columnName=" + table.FullName() + "." + column, position);
}

Status TableError(int code, const TableMeta& table) {
  return MakeSqlError(code, "tableName=" + table.FullName());
}

bool IsRowTimestampType(TypeId type) {
  return IsDateTime(type) || type == TypeId::kBigint || type == TypeId::kUnsignedLong;
}

// ---------------------------------------------------------------- columns and key

class Builder {
 public:
  Builder(const CreateTable& statement, const DdlContext& context)
      : statement_(statement), context_(context) {}

  Result<NewTable> Build() {
    RETURN_IF_ERROR(ReadNameAndOptions());
    RETURN_IF_ERROR(ReadColumns());
    RETURN_IF_ERROR(CheckConstraint());
    RETURN_IF_ERROR(CheckTable());
    RETURN_IF_ERROR(AssignQualifiers());
    table_.Finish();
    if (!table_.ttl_condition.empty()) RETURN_IF_ERROR(CheckTtl());
    NewTable result;
    ASSIGN_OR_RETURN(result.descriptor, MakeDescriptor(table_, options_));
    ASSIGN_OR_RETURN(result.splits, SplitPoints(table_, statement_.splits, context_));
    result.meta = std::move(table_);
    return result;
  }

 private:
  Status ReadNameAndOptions() {
    table_.schema = statement_.name.qualifier.empty() ? context_.default_schema
                                                      : statement_.name.qualifier.text;
    table_.name = statement_.name.name.text;
    table_.namespace_mapped = context_.features.map_namespaces;
    table_.physical = PhysicalTableName(table_.schema, table_.name, table_.namespace_mapped);
    if (table_.schema == kSystemSchema) return TableError(1010, table_);
    ASSIGN_OR_RETURN(options_, ParseOptions(statement_.properties));
    table_.salt_buckets = options_.salt_buckets.value_or(0);
    table_.immutable_rows = options_.immutable_rows.value_or(statement_.immutable);
    table_.store_nulls = options_.store_nulls.value_or(false);
    table_.multi_tenant = options_.multi_tenant.value_or(false);
    table_.disable_wal = options_.disable_wal.value_or(false);
    table_.append_only_schema = options_.append_only_schema.value_or(false);
    table_.update_cache_frequency_ms =
        options_.update_cache_frequency_ms.value_or(kUpdateCacheAlways);
    table_.ttl = options_.ttl.value_or("");
    if (TableMeta::IsTtlCondition(table_.ttl)) table_.ttl_condition = table_.ttl;
    KeepCatalogTexts(options_, &table_);
    if (options_.default_family.has_value()) {
      table_.default_family = *options_.default_family;
      table_.default_family_given = true;
    }
    if (statement_.key.has_value()) table_.pk_name = statement_.key->name.text;
    RETURN_IF_ERROR(CheckPartitionColumn());
    return ReadEncoding();
  }

  // The first column, behind the tenant's, gets values of the sequence.
  Status CheckPartitionColumn() const {
    if (!table_.other_properties.contains(kAutoPartitionSequence)) return Status::Ok();
    const size_t place = table_.multi_tenant ? 1 : 0;
    if (place >= statement_.columns.size()) return TableError(1086, table_);
    ASSIGN_OR_RETURN(const ColumnMeta column, BuildColumn(statement_.columns[place], context_));
    return IsNumeric(column.type.id) ? Status::Ok() : TableError(1086, table_);
  }

  Status ReadEncoding() {
    table_.encoding_bytes = options_.encoding_bytes.value_or(kDefaultEncodedBytes);
    if (!table_.immutable_rows) return Status::Ok();  // one cell per column, whatever was asked
    table_.storage_scheme = options_.storage_scheme.value_or(
        table_.multi_tenant ? StorageScheme::kOneCellPerColumn
                            : StorageScheme::kSingleCellArrayWithOffsets);
    if (table_.single_cell() && table_.encoding_bytes == 0) return TableError(1137, table_);
    return Status::Ok();
  }

  const parse::KeyColumn* FindInConstraint(const ColumnDef& definition) const {
    if (!statement_.key.has_value() || !definition.name.qualifier.empty()) return nullptr;
    for (const parse::KeyColumn& key : statement_.key->columns) {
      if (key.name.text == definition.name.name.text) return &key;
    }
    return nullptr;
  }

  Status ReadColumns() {
    // Types first: Phoenix finds their faults while it parses, before any other.
    for (const ColumnDef& definition : statement_.columns) {
      ASSIGN_OR_RETURN(ColumnMeta column, BuildColumn(definition, context_));
      table_.columns.push_back(std::move(column));
    }
    for (size_t i = 0; i < statement_.columns.size(); ++i) {
      table_.columns[i].ordinal = static_cast<int32_t>(i) + 1;
      RETURN_IF_ERROR(PlaceColumn(statement_.columns[i], &table_.columns[i]));
      RETURN_IF_ERROR(CheckDuplicate(i));
    }
    return Status::Ok();
  }

  Status PlaceColumn(const ColumnDef& definition, ColumnMeta* column) {
    const parse::KeyColumn* in_constraint = FindInConstraint(definition);
    if (definition.primary_key) {
      if (!column->family.empty()) {
        return MakeSqlError(1003, "columnName=" + definition.name.ToString(), definition.position);
      }
      if (inline_key_seen_ || statement_.key.has_value()) {
        return MakeSqlError(510, "columnName=" + column->name, definition.position);
      }
      inline_key_seen_ = true;
      // A key of one column cannot be NULL; saying so is allowed, saying the opposite is not.
      if (definition.nullable.value_or(false)) {
        return MakeSqlError(1000, "columnName=" + column->name, definition.position);
      }
      column->nullable = false;
    } else if (in_constraint != nullptr) {
      if (in_constraint->descending) column->sort_order = SortOrder::kDesc;
      column->row_timestamp = in_constraint->row_timestamp;
      if (statement_.key->columns.size() == 1) {
        if (definition.nullable.value_or(false)) {
          return MakeSqlError(1000, "columnName=" + column->name, definition.position);
        }
        column->nullable = false;
      }
    } else {
      if (!column->nullable && !table_.immutable_rows) {
        return ColumnError(1007, table_, column->name, definition.position);
      }
      if (column->family.empty()) column->family = table_.default_family;
      return Status::Ok();
    }
    column->family.clear();
    column->key_position = key_count_++;
    return CheckRowTimestamp(definition, *column);
  }

  Status CheckRowTimestamp(const ColumnDef& definition, const ColumnMeta& column) {
    if (!column.row_timestamp) return Status::Ok();
    const std::string detail = "columnName=" + column.name;
    if (row_timestamp_seen_) return MakeSqlError(527, detail, definition.position);
    row_timestamp_seen_ = true;
    if (!IsRowTimestampType(column.type.id)) return MakeSqlError(530, detail, definition.position);
    if (!column.default_text.empty()) return MakeSqlError(1032, detail, definition.position);
    return Status::Ok();
  }

  Status CheckDuplicate(size_t index) {
    const ColumnMeta& column = table_.columns[index];
    for (size_t i = 0; i < index; ++i) {
      const ColumnMeta& other = table_.columns[i];
      if (other.name != column.name) continue;
      const bool clash = other.family == column.family ||
                         (other.is_key() && column.family == table_.default_family) ||
                         (column.is_key() && other.family == table_.default_family);
      if (clash) {
        return ColumnError(514, table_, column.name, statement_.columns[index].position);
      }
    }
    return Status::Ok();
  }

  // With such a TTL, Phoenix wants NOT NULL of every key column that could do without.
  Status CheckTtl() const {
    for (size_t i = 0; i < statement_.columns.size(); ++i) {
      const ColumnMeta& column = table_.columns[i];
      if (!column.is_key() || !IsFixedWidth(column.type.id)) continue;
      if (statement_.columns[i].nullable.value_or(true)) {
        return SqlIllegalData("PK columns may not be both fixed width and nullable: " +
                              column.name + " tableName=" + table_.FullName());
      }
    }
    return CheckTtlCondition(table_);
  }

  // Every column of the constraint is there, and in the order of the declarations.
  Status CheckConstraint() {
    if (!statement_.key.has_value()) return Status::Ok();
    std::set<std::string> declared;
    for (const ColumnMeta& column : table_.columns) {
      if (column.is_key()) declared.insert(column.name);
    }
    for (const parse::KeyColumn& key : statement_.key->columns) {
      if (!declared.contains(key.name.text)) {
        return ColumnError(504, table_, key.name.text, key.name.position);
      }
    }
    // One of them twice.
    if (statement_.key->columns.size() != declared.size()) return TableError(512, table_);
    size_t next = 0;
    for (const ColumnMeta& column : table_.columns) {
      if (!column.is_key()) continue;
      if (statement_.key->columns[next++].name.text != column.name) {
        return ColumnError(1004, table_, column.name, statement_.key->position);
      }
    }
    return Status::Ok();
  }

  Status CheckTable() {
    if (options_.transactional.value_or(false)) return TableError(1078, table_);
    if (key_count_ == 0) {
      return WithHint(TableError(509, table_),
                      "write PRIMARY KEY behind a column's type, or CONSTRAINT pk PRIMARY KEY (a, "
                      "b) behind the last column");
    }
    RETURN_IF_ERROR(CheckKeyColumns(table_));
    if (table_.multi_tenant) {
      const auto first = std::find_if(table_.columns.begin(), table_.columns.end(),
                                      [](const ColumnMeta& column) { return column.is_key(); });
      if (key_count_ < 2 || first->nullable) return TableError(1040, table_);
    }
    if (table_.append_only_schema && table_.update_cache_frequency_ms == kUpdateCacheAlways) {
      return TableError(1130, table_);
    }
    return Status::Ok();
  }

  // ---------------------------------------------------------------- qualifiers

  Status AssignQualifiers() {
    const bool given =
        std::any_of(statement_.columns.begin(), statement_.columns.end(),
                    [](const ColumnDef& definition) { return definition.encoded_qualifier >= 0; });
    if (given && table_.encoding_bytes > 0) return TakeGivenQualifiers();
    for (ColumnMeta& column : table_.columns) {
      if (!column.is_key()) RETURN_IF_ERROR(AssignQualifier(&table_, &column));
    }
    for (const parse::QualifierCounter& counter : statement_.counters) {
      int32_t& next = table_.counters[counter.family];
      next = std::max(next, counter.value);
    }
    return Status::Ok();
  }

  Status TakeGivenQualifiers() {
    std::set<std::pair<std::string, int32_t>> used;
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      ColumnMeta& column = table_.columns[i];
      if (column.is_key()) continue;
      const ColumnDef& definition = statement_.columns[i];
      const int32_t number = definition.encoded_qualifier;
      if (number < 0) return ColumnError(1150, table_, column.name, definition.position);
      if (number < kFirstEncodedQualifier || number > MaxEncodedQualifier(table_.encoding_bytes)) {
        return ColumnError(1148, table_, column.name, definition.position);
      }
      const std::string& counter = table_.single_cell() ? column.family : table_.default_family;
      if (!used.emplace(counter, number).second) {
        return ColumnError(1149, table_, column.name, definition.position);
      }
      column.encoded_qualifier = number;
      column.qualifier = EncodeQualifier(number, table_.encoding_bytes);
      int32_t& next = table_.counters[counter];
      next = std::max(next, number + 1);
    }
    for (const parse::QualifierCounter& counter : statement_.counters) {
      int32_t& next = table_.counters[counter.family];
      next = std::max(next, counter.value);
    }
    return Status::Ok();
  }

  const CreateTable& statement_;
  const DdlContext& context_;
  TableOptions options_;
  TableMeta table_;
  int32_t key_count_ = 0;
  bool inline_key_seen_ = false;
  bool row_timestamp_seen_ = false;
};

}  // namespace

Status CheckKeyColumns(const TableMeta& table) {
  std::vector<const ColumnMeta*> keys;
  for (const ColumnMeta& column : table.columns) {
    if (column.is_key()) keys.push_back(&column);
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    const ColumnMeta& column = *keys[i];
    const bool last = i + 1 == keys.size();
    const TypeId type = column.type.id;
    // Those of a local index move with their regions, which takes the table's key from theirs, and
    // the place where a document ends cannot be told there.
    if (type == TypeId::kJson && table.is_local_index()) {
      return MakeSqlError(
          512, "JSON is not supported in the key of a local index, columnName=" + column.name, -1,
          "index a value of it, as with JSON_VALUE, or INCLUDE the column");
    }
    // An index of a whole document can be made, as in Phoenix, and is kept up, but never read.
    if (type == TypeId::kJson && !table.is_index()) {
      return MakeSqlError(512, "JSON is not supported as primary key, columnName=" + column.name);
    }
    if (type == TypeId::kVarbinary && column.sort_order == SortOrder::kDesc) {
      return ColumnError(1056, table, column.name);
    }
    if (!last && (type == TypeId::kVarbinary || IsArray(type))) {
      return ColumnError(1005, table, column.name);
    }
    if (!last && type == TypeId::kBson) return ColumnError(1157, table, column.name);
    if (column.nullable && IsFixedWidth(type)) {
      return MakeUncodedSqlError("PK columns may not be both fixed width and nullable: " +
                                 column.name);
    }
  }
  return Status::Ok();
}

Result<std::vector<Bytes>> SplitPoints(const TableMeta& table, const parse::ExprList& splits,
                                       const DdlContext& context) {
  if (splits.empty()) return table.key_schema.SaltSplitPoints();
  std::set<Bytes> points;
  for (const parse::ExprPtr& expr : splits) {
    if (!context.evaluate) return MakeUncodedSqlError("SPLIT ON cannot be evaluated here");
    const auto value = context.evaluate(*expr);
    if (!value.ok()) {
      if (IsSqlError(value.status(), 504)) return MakeSqlError(1105, "", expr->position);
      return value.status();
    }
    Bytes encoded;
    RETURN_IF_ERROR(Encode(*value, value->type(), SortOrder::kAsc, &encoded));
    encoded = table.key_schema.PadSplitPoint(encoded);
    if (!encoded.empty()) points.insert(std::move(encoded));
  }
  return std::vector<Bytes>(points.begin(), points.end());
}

Result<NewTable> BuildTable(const parse::CreateTable& statement, const DdlContext& context) {
  return Builder(statement, context).Build();
}

}  // namespace bennu::sql::catalog
