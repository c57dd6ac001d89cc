#include "src/sql/catalog/index_builder.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/parse/sql_text.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

// Names of columns as they are read again later: without the table, with the family unless it is
// the default one.
void NormalizeColumns(const TableMeta& table, std::string_view alias, parse::Expr* expr) {
  if (expr->kind == parse::ExprKind::kColumn) {
    const bool names_table = expr->table.text == table.name || expr->table.text == alias;
    const auto found = expr->table.empty() || names_table
                           ? table.FindColumn(expr->column.text)
                           : table.FindColumn(expr->table.text, expr->column.text);
    if (!found.ok()) return;
    const ColumnMeta& column = table.columns[*found];
    expr->schema = {};
    expr->table = {};
    if (!column.is_key() && column.family != table.default_family) {
      expr->table.text = column.family;
    }
  }
  for (const parse::ExprPtr& child : expr->children) NormalizeColumns(table, alias, child.get());
}

class IndexBuilder {
 public:
  IndexBuilder(const parse::CreateIndex& statement, const DdlContext& context,
               const TableMeta& table, const TableDescriptor& storage)
      : statement_(statement), context_(context), table_(table), storage_(storage) {}

  Result<NewTable> Build() {
    SetName();
    RETURN_IF_ERROR(ReadOptions());
    if (table_.row_timestamp_column >= 0 && !table_.immutable_rows) return Error(1088);
    AddPrefix();
    RETURN_IF_ERROR(AddIndexed());
    AddRestOfKey();
    RETURN_IF_ERROR(AddIncluded());
    RETURN_IF_ERROR(ReadCondition());
    SetKeyTypes();
    for (ColumnMeta& column : index_.columns) {
      if (!column.is_key()) RETURN_IF_ERROR(AssignQualifier(&index_, &column));
    }
    RETURN_IF_ERROR(CheckKeyColumns(index_));
    index_.Finish();
    NewTable result;
    ASSIGN_OR_RETURN(result.descriptor, MakeDescriptor(index_, options_));
    if (index_.is_view_index()) AddFamiliesOfTable(&result.descriptor);
    ASSIGN_OR_RETURN(result.splits, SplitPoints(index_, statement_.splits, context_));
    result.meta = std::move(index_);
    return result;
  }

 private:
  // An index of any view over the table finds its families there.
  void AddFamiliesOfTable(TableDescriptor* descriptor) const {
    for (const ColumnFamilyDescriptor& of_table : storage_.families) {
      if (descriptor->FindFamily(of_table.name) != nullptr) continue;
      ColumnFamilyDescriptor family = descriptor->families.front();
      family.name = of_table.name;
      descriptor->families.push_back(std::move(family));
    }
    std::sort(descriptor->families.begin(), descriptor->families.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  Status Error(int code) const { return MakeSqlError(code, "tableName=" + index_.FullName()); }
  Status ColumnError(int code, const std::string& column, int64_t position) const {
    return MakeSqlError(code, "columnName=" + index_.FullName() + "." + column, position);
  }

  void SetName() {
    index_.type = TableType::kIndex;
    index_.tenant = context_.tenant;
    index_.schema = table_.schema;
    index_.name = statement_.name.name.text;
    index_.namespace_mapped = table_.namespace_mapped;
    index_.multi_tenant = table_.multi_tenant;
    index_.data_table_name = table_.name;
    index_.index_type = statement_.uncovered ? IndexType::kUncovered : IndexType::kGlobal;
    if (statement_.local) index_.index_type = IndexType::kLocal;
    index_.index_state = IndexState::kBuilding;
    index_.built_later = statement_.async;
    SetPlace();
  }

  void SetPlace() {
    // The catalog gives it its own number.
    if (statement_.local || table_.shares_index_table()) index_.view_index_id = 0;
    if (statement_.local) {
      index_.physical = table_.physical;
      index_.default_family = std::string(kLocalFamilyPrefix) + table_.default_family;
      index_.default_family_given = true;
    } else if (table_.shares_index_table()) {
      index_.physical = ViewIndexTableName(table_.physical);
      // The same one for all that share the HBase table.
      index_.default_family_given = true;
    } else {
      // Without a column that it includes it has the family '0', whatever the table calls its own.
      index_.physical = PhysicalTableName(index_.schema, index_.name, index_.namespace_mapped);
    }
  }

  Status ReadOptions() {
    for (const parse::Property& property : statement_.properties) {
      RETURN_IF_ERROR(CheckConsistency(property));
      if (!IsSharedByFamilies(property.name)) continue;
      return MakeSqlError(10949, "Property: " + property.name, property.position,
                          "set it for the table; its indexes follow");
    }
    ASSIGN_OR_RETURN(options_, ParseOptions(statement_.properties));
    const bool has_own_salt = options_.salt_buckets.has_value() && !table_.shares_index_table();
    index_.salt_buckets = has_own_salt ? *options_.salt_buckets : table_.salt_buckets;
    if (statement_.local) RETURN_IF_ERROR(CheckLocalOptions());
    // The region of its rows, which is that of the table's, is all that their salt would say.
    if (statement_.local) index_.salt_buckets = 0;
    index_.immutable_rows = options_.immutable_rows.value_or(table_.immutable_rows);
    index_.disable_wal = options_.disable_wal.value_or(table_.disable_wal);
    index_.update_cache_frequency_ms =
        options_.update_cache_frequency_ms.value_or(table_.update_cache_frequency_ms);
    index_.encoding_bytes = options_.encoding_bytes.value_or(table_.encoding_bytes);
    index_.storage_scheme = options_.storage_scheme.value_or(
        index_.encoding_bytes == 0 ? StorageScheme::kOneCellPerColumn : table_.storage_scheme);
    if (index_.single_cell() && index_.encoding_bytes == 0) return Error(1137);
    if (options_.default_family.has_value() && !table_.shares_index_table()) {
      index_.default_family = *options_.default_family;
      index_.default_family_given = true;
    }
    KeepCatalogTexts(options_, &index_);
    if (storage_.families.empty()) return Status::Ok();
    for (const auto& [name, value] : AttributesOfIndex(storage_.families.front().attributes)) {
      options_.family_attributes[name] = value;
    }
    return Status::Ok();
  }

  static Status CheckConsistency(const parse::Property& property) {
    if (property.name != "CONSISTENCY") return Status::Ok();
    ASSIGN_OR_RETURN(const std::string text, TextOf(property));
    return text == "STRONG" ? Status::Ok() : ConsistencyUnsupported(text, property.position);
  }

  Status CheckLocalOptions() const {
    if (options_.salt_buckets.has_value()) return MakeSqlError(1110, "");
    if (!statement_.splits.empty()) return MakeSqlError(1109, "");
    if (options_.default_family.has_value()) return MakeSqlError(1069, "");
    return Status::Ok();
  }

  // What stands before the indexed columns: the number of a view's index, and the tenant.
  void AddPrefix() {
    if (index_.is_view_index()) {
      ColumnMeta id;
      id.name = kIndexIdColumn;
      id.type = {index_.view_index_id_type};
      id.nullable = false;
      // It is the first one.
      static_cast<void>(AddKeyColumn(std::move(id), -1));
    }
    if (!table_.multi_tenant) return;
    ColumnMeta tenant = IndexKeyColumn(table_.key_column(0));
    tenant.index_expression = table_.key_column(0).name;
    static_cast<void>(AddKeyColumn(std::move(tenant), -1));
  }

  // Behind the columns that are there; its type is that of the values yet.
  Status AddKeyColumn(ColumnMeta column, int64_t position) {
    if (!names_.insert(column.name).second) return ColumnError(514, column.name, position);
    column.key_position = key_count_++;
    column.ordinal = static_cast<int32_t>(index_.columns.size()) + 1;
    index_.columns.push_back(std::move(column));
    return Status::Ok();
  }

  Status AddIndexed() {
    for (const parse::IndexColumn& indexed : statement_.columns) {
      ASSIGN_OR_RETURN(const IndexedExpression bound, context_.bind_indexed(*indexed.expr, table_));
      ColumnMeta column;
      column.index_expression = IndexExpressionText(table_, *indexed.expr);
      if (bound.column >= 0) {
        const ColumnMeta& of_table = table_.columns[static_cast<size_t>(bound.column)];
        column.name = IndexColumnName(of_table);
        column.row_timestamp = of_table.row_timestamp;
        indexed_keys_.insert(of_table.key_position);
      } else {
        column.name = ":" + column.index_expression;
        std::replace(column.name.begin(), column.name.end(), '"', '\'');
      }
      column.type = bound.type;
      column.nullable = bound.nullable;
      column.sort_order = indexed.descending ? SortOrder::kDesc : SortOrder::kAsc;
      RETURN_IF_ERROR(AddKeyColumn(std::move(column), indexed.expr->position));
    }
    return Status::Ok();
  }

  void AddRestOfKey() {
    for (size_t i = 0; i < table_.key_columns.size(); ++i) {
      const ColumnMeta& of_table = table_.key_column(i);
      const bool is_there =
          indexed_keys_.contains(static_cast<int32_t>(i)) || (table_.multi_tenant && i == 0);
      // What is the same in all rows of the view is left out.
      const bool is_held = table_.shares_index_table() && !of_table.view_constant.empty();
      if (is_there || is_held) continue;
      // No other column of the index can have its name.
      static_cast<void>(AddKeyColumn(IndexKeyColumn(of_table), -1));
    }
  }

  Status AddIncluded() {
    for (const parse::QualifiedName& name : statement_.include) {
      const auto found =
          name.qualifier.empty() || name.qualifier.text == table_.name
              ? table_.FindColumn(name.name.text, name.position())
              : table_.FindColumn(name.qualifier.text, name.name.text, name.position());
      RETURN_IF_ERROR(found.status());
      const ColumnMeta& of_table = table_.columns[*found];
      ColumnMeta column = IncludedColumn(of_table);
      const bool indexed = std::any_of(
          index_.columns.begin(), index_.columns.end(),
          [&](const ColumnMeta& other) { return other.is_key() && other.name == column.name; });
      const bool by_statement = !of_table.is_key() || indexed_keys_.contains(of_table.key_position);
      if (indexed && by_statement) return MakeSqlError(514, "", name.position());
      if (of_table.is_key()) continue;
      if (statement_.local) column.family.insert(0, kLocalFamilyPrefix);
      if (!names_.insert(column.name).second) {
        return ColumnError(514, column.name, name.position());
      }
      column.ordinal = static_cast<int32_t>(index_.columns.size()) + 1;
      index_.columns.push_back(std::move(column));
    }
    return Status::Ok();
  }

  Status ReadCondition() {
    if (statement_.where == nullptr) return Status::Ok();
    RETURN_IF_ERROR(context_.check_index_where(*statement_.where, table_));
    index_.index_where = IndexExpressionText(table_, *statement_.where);
    return Status::Ok();
  }

  void SetKeyTypes() {
    for (ColumnMeta& column : index_.columns) {
      if (!column.is_key() || column.name == kIndexIdColumn) continue;
      const bool last = column.key_position + 1 == key_count_;
      column.type = IndexKeyType(column.type, column.nullable, last);
    }
  }

  const parse::CreateIndex& statement_;
  const DdlContext& context_;
  const TableMeta& table_;
  const TableDescriptor& storage_;
  TableOptions options_;
  TableMeta index_;
  int32_t key_count_ = 0;
  std::set<std::string> names_;
  std::set<int32_t> indexed_keys_;  // positions in the table's key; -1 stands for other columns
};

}  // namespace

std::string IndexExpressionText(const TableMeta& table, const parse::Expr& expr,
                                std::string_view alias) {
  const parse::ExprPtr copy = expr.Clone();
  NormalizeColumns(table, alias, copy.get());
  return parse::ToSqlText(*copy);
}

std::string IndexColumnName(const ColumnMeta& column) { return column.family + ":" + column.name; }

int32_t ColumnOfIndexName(const TableMeta& table, std::string_view name) {
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) return -1;
  return table.IndexOf(name.substr(0, colon), name.substr(colon + 1));
}

ColumnMeta IndexKeyColumn(const ColumnMeta& column) {
  ColumnMeta key;
  key.name = IndexColumnName(column);
  key.index_expression = "\"" + column.name + "\"";
  key.type = column.type;
  key.nullable = column.nullable;
  key.sort_order = column.sort_order;
  key.row_timestamp = column.row_timestamp;
  return key;
}

ColumnMeta IncludedColumn(const ColumnMeta& column) {
  ColumnMeta included;
  included.name = IndexColumnName(column);
  included.family = column.family;
  included.type = column.type;
  included.array_size = column.array_size;
  included.nullable = column.nullable;
  included.sort_order = column.sort_order;
  included.default_text = column.default_text;
  return included;
}

DataType IndexKeyType(const DataType& type, bool nullable, bool last) {
  DataType result = type;
  if (nullable && IsFixedWidth(type.id)) {
    if (type.id == TypeId::kChar) {
      result = {TypeId::kVarchar};
      result.max_length = type.max_length;
    } else if (type.id == TypeId::kBinary) {
      result = {TypeId::kVarbinary};
      result.max_length = type.max_length;
    } else {
      result = {TypeId::kDecimal};
    }
  }
  if (result.id == TypeId::kVarbinary && !last) result.id = TypeId::kVarbinaryEncoded;
  return result;
}

Status ConsistencyUnsupported(std::string_view consistency, int64_t position) {
  return MakeUncodedSqlError(
      "CONSISTENCY = " + std::string(consistency) + " is not supported: indexes never lag behind",
      position, "leave it out, or say STRONG, which every index is");
}

Result<NewTable> BuildIndex(const parse::CreateIndex& statement, const DdlContext& context,
                            const TableMeta& table, const TableDescriptor& storage) {
  return IndexBuilder(statement, context, table, storage).Build();
}

}  // namespace bennu::sql::catalog
