// ALTER TABLE: columns added and dropped, options set.
//
// A change writes the new rows of the catalog in one batch, the header with the next sequence
// number among them, after the HBase table has got what the new rows need (families), and before
// data that nothing can reach any more is erased.
#include <algorithm>
#include <utility>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/index_columns.h"
#include "src/sql/catalog/indexes_over.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/catalog/undefined.h"
#include "src/sql/catalog/view.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

Status TableError(int code, const TableMeta& table) {
  return MakeSqlError(code, "tableName=" + table.FullName());
}

// Whether the options want cells of another form, for which Phoenix makes a new HBase table.
bool WantOtherCells(const TableMeta& table, const TableOptions& options) {
  return options.encoding_bytes.value_or(table.encoding_bytes) != table.encoding_bytes ||
         options.storage_scheme.value_or(table.storage_scheme) != table.storage_scheme;
}

// What may be said of a table only when it is made. 'had_local_indexes' as its HBase table shows
// it.
Status CheckAlterable(const TableMeta& table, const TableOptions& options, bool had_local_indexes) {
  if (options.salt_buckets.has_value()) {
    return MakeSqlError(1024, "Property: SALT_BUCKETS");
  }
  if (options.default_family.has_value()) {
    return MakeSqlError(1034, "Property: DEFAULT_COLUMN_FAMILY");
  }
  if (options.catalog_texts.contains(kAutoPartitionSequence)) {
    return MakeSqlError(1051, std::string("Property: ") + kAutoPartitionSequence);
  }
  if (options.transactional.value_or(false)) return TableError(1079, table);
  if (options.immutable_rows.has_value() && *options.immutable_rows != table.immutable_rows &&
      table.single_cell()) {
    return TableError(1133, table);
  }
  if (had_local_indexes && WantOtherCells(table, options)) return TableError(912, table);
  if (options.multi_tenant.value_or(false)) {
    if (table.key_columns.size() < 2 || table.key_column(0).nullable) {
      return TableError(1040, table);
    }
  }
  return Status::Ok();
}

// Phoenix makes the new HBase table of the families of the old one, and stumbles over those that
// have lost all their columns.
Status CheckCellsCanChange(const TableMeta& table, const TableOptions& options,
                           const TableDescriptor& descriptor) {
  if (!WantOtherCells(table, options)) return Status::Ok();
  const std::vector<std::string> used = PhysicalFamilies(table);
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    if (std::find(used.begin(), used.end(), family.name) == used.end()) {
      return MakeSqlError(1002, "familyName=" + family.name);
    }
  }
  const bool encoding =
      options.encoding_bytes.value_or(table.encoding_bytes) != table.encoding_bytes;
  return MakeUncodedSqlError(encoding ? "COLUMN_ENCODED_BYTES cannot be changed yet"
                                      : "IMMUTABLE_STORAGE_SCHEME cannot be changed yet");
}

// Options of one family are for those of the columns that the statement adds.
Status CheckFamiliesOfAdded(const TableMeta& table, const parse::AlterTable& statement,
                            const TableOptions& options) {
  for (const auto& [family, attributes] : options.attributes_of_family) {
    const bool adds = std::any_of(statement.add.begin(), statement.add.end(),
                                  [&](const parse::ColumnDef& definition) {
                                    const std::string& named = definition.name.qualifier.text;
                                    return !definition.primary_key &&
                                           (named.empty() ? table.default_family : named) == family;
                                  });
    if (!adds) return MakeSqlError(1052, "familyName=" + family);
  }
  return Status::Ok();
}

// Beside new columns stand only those options of HBase's families that are nothing else to Phoenix.
Status CheckOptionsOfAdded(const std::vector<parse::Property>& properties) {
  for (const parse::Property& property : properties) {
    if (property.name != "TTL" && IsFamilyAttribute(property.name)) continue;
    if (property.name == "SALT_BUCKETS") {
      return MakeSqlError(1024, "Property: SALT_BUCKETS", property.position);
    }
    if (property.name == "DEFAULT_COLUMN_FAMILY") {
      return MakeSqlError(1034, "Property: DEFAULT_COLUMN_FAMILY", property.position);
    }
    return MakeSqlError(1053, "Property: " + property.name, property.position);
  }
  return Status::Ok();
}

Status CheckFamiliesExist(const TableMeta& table, const TableOptions& options) {
  const std::vector<std::string> families = PhysicalFamilies(table);
  for (const auto& [family, attributes] : options.attributes_of_family) {
    if (std::find(families.begin(), families.end(), family) == families.end()) {
      return MakeSqlError(1001, "familyName=" + family);
    }
  }
  return Status::Ok();
}

template <typename T>
void SetIfGiven(const std::optional<T>& given, T* value) {
  if (given.has_value()) *value = *given;
}

Status ApplyOptions(const TableOptions& options, TableMeta* table) {
  SetIfGiven(options.immutable_rows, &table->immutable_rows);
  SetIfGiven(options.store_nulls, &table->store_nulls);
  SetIfGiven(options.multi_tenant, &table->multi_tenant);
  SetIfGiven(options.disable_wal, &table->disable_wal);
  SetIfGiven(options.append_only_schema, &table->append_only_schema);
  SetIfGiven(options.update_cache_frequency_ms, &table->update_cache_frequency_ms);
  SetIfGiven(options.ttl, &table->ttl);
  if (options.ttl.has_value()) {
    table->ttl_condition = TableMeta::IsTtlCondition(table->ttl) ? table->ttl : "";
    if (!table->ttl_condition.empty()) RETURN_IF_ERROR(CheckTtlCondition(*table));
  }
  KeepCatalogTexts(options, table);
  if (table->append_only_schema && table->update_cache_frequency_ms == kUpdateCacheAlways) {
    return TableError(1130, *table);
  }
  return Status::Ok();
}

// Only at the end, nullable, and not behind a column whose end cannot be told.
Status CheckAddedKeyColumn(const TableMeta& table, const parse::ColumnDef& definition,
                           const ColumnMeta& column) {
  const std::string detail = "columnName=" + column.name;
  if (!column.nullable) return MakeSqlError(1006, detail, definition.position);
  if (column.row_timestamp) return MakeSqlError(529, detail, definition.position);
  const ColumnMeta& last = table.key_column(table.key_columns.size() - 1);
  if (last.type.id == TypeId::kVarbinary || IsArray(last.type.id)) {
    return MakeSqlError(1015, "columnName=" + last.name, definition.position);
  }
  if (last.type.id == TypeId::kBson) {
    return MakeSqlError(1156, "columnName=" + last.name, definition.position);
  }
  if (last.nullable && IsFixedWidth(last.type.id)) {
    return MakeSqlError(1023, "columnName=" + last.name, definition.position);
  }
  return Status::Ok();
}

bool IsThere(const TableMeta& table, const ColumnMeta& column) {
  return table.IndexOf(column.family, column.name) >= 0 || table.IndexOf("", column.name) >= 0 ||
         (column.is_key() && table.IndexOf(table.default_family, column.name) >= 0);
}

}  // namespace

Result<parse::AlterTable> AddMissingColumns(const parse::QualifiedName& name,
                                            const std::vector<parse::ColumnDef>& columns,
                                            const std::optional<parse::KeyConstraint>& key) {
  parse::AlterTable alter;
  alter.name = name;
  alter.if_not_exists = true;
  for (const parse::ColumnDef& definition : columns) {
    parse::ColumnDef column;
    column.name = definition.name;
    column.type = definition.type;
    column.nullable = definition.nullable;
    column.default_text = definition.default_text;
    if (!definition.default_text.empty()) {
      ASSIGN_OR_RETURN(column.default_value, parse::ParseExpression(definition.default_text));
    }
    column.primary_key = definition.primary_key;
    if (key.has_value() && definition.name.qualifier.empty()) {
      column.primary_key |= std::any_of(key->columns.begin(), key->columns.end(),
                                        [&](const parse::KeyColumn& of_key) {
                                          return of_key.name.text == definition.name.name.text;
                                        });
    }
    column.descending = definition.descending;
    column.position = definition.position;
    alter.add.push_back(std::move(column));
  }
  return alter;
}

Status Catalog::AlterTable(const parse::AlterTable& statement, const DdlContext& context) {
  const std::string schema =
      statement.name.qualifier.empty() ? context.default_schema : statement.name.qualifier.text;
  const std::string& name = statement.name.name.text;
  if (schema == kSystemSchema) {
    return MakeSqlError(1010, "tableName=" + FullTableName(schema, name),
                        statement.name.position());
  }
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  // A tenant may change its own views only.
  const TableKey key{context.tenant, schema, name};
  ASSIGN_OR_RETURN(const auto held, LockDefinition(key));
  ASSIGN_OR_RETURN(const auto table, FindTable(key, context.timestamp));
  if (table == nullptr || (table->type == TableType::kTable) == statement.is_view) {
    return NothingToChange(key, table.get(), "ALTER",
                           table == nullptr ? OtherCaseAdvice(key, context.timestamp) : "",
                           statement.name.position());
  }
  Status status;
  switch (statement.action) {
    case parse::AlterTableAction::kAddColumns:
      status = AddColumns(*table, statement, context);
      break;
    case parse::AlterTableAction::kDropColumns:
      status = DropColumns(*table, statement, context);
      break;
    case parse::AlterTableAction::kSetProperties:
      status = SetProperties(*table, statement, context);
      break;
  }
  Forget(key);
  for (const std::string& index : table->indexes) Forget({key.tenant, key.schema, index});
  ASSIGN_OR_RETURN(const std::vector<TablePtr> indexed_views, IndexedViews(*table));
  for (const TablePtr& view : indexed_views) {
    for (const std::string& index : view->indexes) Forget({view->tenant, view->schema, index});
  }
  if (table->is_view()) Forget(table->base);
  return status;
}

// ---------------------------------------------------------------- ADD

Status Catalog::AddColumns(const TableMeta& old_table, const parse::AlterTable& statement,
                           const DdlContext& context) {
  if (old_table.is_view()) RETURN_IF_ERROR(CheckViewOptions(statement.properties, true));
  ASSIGN_OR_RETURN(const TableOptions options, ParseOptions(statement.properties));
  RETURN_IF_ERROR(CheckOptionsOfAdded(statement.properties));
  RETURN_IF_ERROR(CheckFamiliesOfAdded(old_table, statement, options));
  TableMeta table = old_table;
  table.sequence_number++;
  // The table whose qualifiers a new column gets one of.
  TableMeta base = old_table;
  if (old_table.is_view() && old_table.view_type != ViewType::kMapped) {
    ASSIGN_OR_RETURN(const TablePtr below, FindTable(old_table.base, context.timestamp));
    if (below != nullptr) base = *below;
  }
  const QualifierCounters counters_before = base.counters;
  std::vector<ColumnMeta> added;
  for (const parse::ColumnDef& definition : statement.add) {
    ASSIGN_OR_RETURN(ColumnMeta column, BuildColumn(definition, context));
    const bool there = table.append_only_schema && statement.if_not_exists &&
                       (column.family.empty() ? table.FindColumn(column.name).ok()
                                              : table.IndexOf(column.family, column.name) >= 0);
    if (there) continue;
    if (definition.primary_key) {
      if (!column.family.empty()) {
        return MakeSqlError(1003, "columnName=" + definition.name.ToString(), definition.position);
      }
      column.key_position = static_cast<int32_t>(table.key_columns.size());
      RETURN_IF_ERROR(CheckAddedKeyColumn(table, definition, column));
      if (table.is_view()) {
        ASSIGN_OR_RETURN(const TablePtr parent, FindTable(table.parent, context.timestamp));
        if (parent != nullptr &&
            !IsFixedWidth(parent->key_column(parent->key_columns.size() - 1).type.id)) {
          return MakeSqlError(1036, "columnName=" + column.name, definition.position);
        }
      }
    } else {
      if (!column.nullable && !table.immutable_rows) {
        return MakeSqlError(1007, "columnName=" + column.name, definition.position);
      }
      if (column.family.empty()) column.family = table.default_family;
      if (!table.ttl_condition.empty() && !table.families.empty() &&
          !table.HasFamily(column.family)) {
        return MakeSqlError(543, "columnName=" + column.name, definition.position);
      }
    }
    const bool was_dropped = std::any_of(
        table.excluded.begin(), table.excluded.end(), [&](const ExcludedColumn& excluded) {
          return excluded.family == column.family && excluded.name == column.name;
        });
    if (was_dropped) return TableError(1010, table);  // its parent still has it
    if (IsThere(table, column)) {
      if (statement.if_not_exists) continue;
      RETURN_IF_ERROR(CheckChildrenAllowAdding(old_table, {column}, context));
      return MakeSqlError(514, "columnName=" + table.FullName() + "." + column.name,
                          definition.position);
    }
    column.ordinal = static_cast<int32_t>(table.columns.size()) + 1;
    if (!column.is_key()) RETURN_IF_ERROR(AssignQualifier(&base, &column));
    table.columns.push_back(column);
    table.Finish();
    RETURN_IF_ERROR(CheckKeyColumns(table));
    added.push_back(std::move(column));
  }
  if (added.empty() && statement.properties.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const std::vector<TablePtr> extended,
                   IndexesToExtend(old_table, statement, context));
  RETURN_IF_ERROR(CheckChildrenAllowAdding(old_table, added, context));
  RETURN_IF_ERROR(ApplyOptions(options, &table));

  if (table.is_view()) {
    if (table.key_columns.size() > old_table.key_columns.size()) {
      RETURN_IF_ERROR(CheckIndexesHoldKey(table, base));
    }
    if (table.view_type != ViewType::kMapped) RETURN_IF_ERROR(AddFamiliesOfView(table, base));
    const int64_t timestamp = NextTimestamp(context);
    table.last_ddl_timestamp = timestamp;
    MutationBatch batch;
    RETURN_IF_ERROR(AppendHeaderRow(table, timestamp, &batch));
    for (const ColumnMeta& column : added) {
      RETURN_IF_ERROR(AppendColumnRow(table, column, timestamp, &batch));
    }
    if (base.counters != counters_before && table.view_type != ViewType::kMapped) {
      base.sequence_number++;
      RETURN_IF_ERROR(AppendCounterRows(base, timestamp, &batch));
      RETURN_IF_ERROR(AppendSequenceNumber(base, timestamp, &batch));
    }
    for (const TablePtr& index : extended) {
      RETURN_IF_ERROR(ExtendIndex(*index, added, timestamp, &batch));
    }
    ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
    return catalog->Write(&batch);
  }
  ASSIGN_OR_RETURN(const auto longer, IndexesWithKeyOf(old_table, added, extended));
  table.counters = base.counters;
  std::vector<std::string> families;  // options of this statement are for the columns' families
  for (const ColumnMeta& column : added) {
    if (!column.is_key()) families.push_back(column.family);
  }
  ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(table.physical));
  TableDescriptor descriptor = physical->descriptor();
  const TableDescriptor before = descriptor;
  RETURN_IF_ERROR(UpdateDescriptor(table, families, options, &descriptor));
  if (!(descriptor == before)) RETURN_IF_ERROR(connection_->admin()->AlterTable(descriptor));

  const int64_t timestamp = NextTimestamp(context);
  table.last_ddl_timestamp = timestamp;
  MutationBatch batch;
  RETURN_IF_ERROR(AppendHeaderRow(table, timestamp, &batch));
  for (const ColumnMeta& column : added) {
    RETURN_IF_ERROR(AppendColumnRow(table, column, timestamp, &batch));
  }
  RETURN_IF_ERROR(AppendCounterRows(table, timestamp, &batch));
  for (const TablePtr& index : extended) {
    RETURN_IF_ERROR(ExtendIndex(*index, added, timestamp, &batch));
  }
  for (const auto& [index, keys] : longer) {
    RETURN_IF_ERROR(ExtendIndex(*index, keys, timestamp, &batch));
  }
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  if (table.empty_family != old_table.empty_family) {
    RETURN_IF_ERROR(MoveEmptyColumn(old_table, &table));
  }
  return catalog->Write(&batch);
}

// ---------------------------------------------------------------- DROP

Result<std::vector<uint32_t>> Catalog::ColumnsToDrop(const TableMeta& old_table,
                                                     const parse::AlterTable& statement,
                                                     const DdlContext& context) {
  std::vector<uint32_t> dropped;
  for (const parse::QualifiedName& name : statement.drop) {
    const auto found =
        name.qualifier.empty()
            ? old_table.FindColumn(name.name.text, name.position())
            : old_table.FindColumn(name.qualifier.text, name.name.text, name.position());
    if (!found.ok()) {
      // One column that is not there and nothing is dropped, as in Phoenix.
      if (statement.if_exists) return std::vector<uint32_t>();
      return found.status();
    }
    if (old_table.columns[*found].is_key()) {
      return MakeSqlError(506, "columnName=" + name.name.text, name.position());
    }
    if (old_table.append_only_schema) {
      return MakeSqlError(1131, "columnName=" + name.name.text, name.position());
    }
    if (TtlConditionNames(old_table, *found)) {
      return MakeSqlError(544, "columnName=" + name.name.text, name.position());
    }
    dropped.push_back(*found);
  }
  std::sort(dropped.begin(), dropped.end());
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
  RETURN_IF_ERROR(CheckChildrenAllowDropping(old_table, dropped, context));
  for (const uint32_t index : dropped) {
    const ColumnMeta& column = old_table.columns[index];
    if (column.view_referenced) return MakeSqlError(1132, "columnName=" + column.name);
  }
  return dropped;
}

Result<std::vector<std::pair<std::string, std::string>>> Catalog::NamesToDrop(
    const TableMeta& table, const parse::AlterTable& statement, const DdlContext& context) {
  ASSIGN_OR_RETURN(const std::vector<uint32_t> columns, ColumnsToDrop(table, statement, context));
  std::vector<std::pair<std::string, std::string>> names;
  for (const uint32_t column : columns) {
    names.emplace_back(table.columns[column].family, table.columns[column].name);
  }
  return names;
}

namespace {

// 301 where one of the indexes of 'table' is made of the column: it came while the statement ran.
Status CheckNotIndexed(const TableMeta& table,
                       const std::vector<std::shared_ptr<const TableMeta>>& indexes,
                       const ColumnMeta& dropped) {
  const int32_t column = table.IndexOf(dropped.family, dropped.name);
  if (column < 0) return Status::Ok();
  for (const auto& index : indexes) {
    if (!IsIndexMadeOf(*index, table, table.columns[static_cast<size_t>(column)])) continue;
    return MakeSqlError(301, "tableName=" + table.FullName(), -1,
                        "the index " + index->name + " was made of " + dropped.name +
                            " meanwhile; run the statement again");
  }
  return Status::Ok();
}

}  // namespace

Status Catalog::DropColumns(const TableMeta& old_table, const parse::AlterTable& statement,
                            const DdlContext& context) {
  ASSIGN_OR_RETURN(const std::vector<uint32_t> dropped,
                   ColumnsToDrop(old_table, statement, context));
  if (dropped.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(std::vector<TablePtr> indexed, IndexedViews(old_table));
  indexed.push_back(std::make_shared<const TableMeta>(old_table));
  for (const TablePtr& table : indexed) {
    ASSIGN_OR_RETURN(const auto indexes, IndexesOf(*table));
    for (const uint32_t column : dropped) {
      RETURN_IF_ERROR(CheckNotIndexed(*table, indexes, old_table.columns[column]));
    }
  }
  if (old_table.is_view()) return DropViewColumns(old_table, dropped, context);
  RETURN_IF_ERROR(DropFromAllIndexes(old_table, dropped, context));
  TableMeta table = old_table;
  table.sequence_number++;
  for (auto it = dropped.rbegin(); it != dropped.rend(); ++it) {
    table.columns.erase(table.columns.begin() + *it);
  }
  for (size_t i = 0; i < table.columns.size(); ++i) {
    table.columns[i].ordinal = static_cast<int32_t>(i) + 1;
  }
  table.Finish();

  const int64_t timestamp = NextTimestamp(context);
  table.last_ddl_timestamp = timestamp;
  // First, since a row without it is not there.
  if (table.empty_family != old_table.empty_family) {
    RETURN_IF_ERROR(MoveEmptyColumn(old_table, &table));
  }
  MutationBatch batch;
  RETURN_IF_ERROR(AppendHeaderRow(table, timestamp, &batch));
  for (size_t i = dropped.front(); i < table.columns.size(); ++i) {
    RETURN_IF_ERROR(AppendOrdinal(table, table.columns[i], timestamp, &batch));
  }
  for (const uint32_t index : dropped) {
    const ColumnMeta& column = old_table.columns[index];
    batch.StartRow(EncodeCatalogKey(
        CatalogKey{table.tenant, table.schema, table.name, column.name, column.family}));
    batch.DeleteFamily(kCatalogFamily, timestamp);
  }
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  RETURN_IF_ERROR(catalog->Write(&batch));
  return EraseColumnData(old_table, dropped, timestamp);
}

// A view's own column goes; one of its parent is noted as left out, and from then on the view has
// nothing of what the parent gets. The data stays: it may be another view's.
Status Catalog::DropViewColumns(const TableMeta& old_view, const std::vector<uint32_t>& dropped,
                                const DdlContext& context) {
  RETURN_IF_ERROR(DropFromAllIndexes(old_view, dropped, context));
  TableMeta view = old_view;
  view.sequence_number++;
  const int64_t timestamp = NextTimestamp(context);
  MutationBatch batch;
  for (const uint32_t index : dropped) {
    const ColumnMeta& column = old_view.columns[index];
    if (column.derived) {
      view.base_column_count = kDivergedColumns;
      RETURN_IF_ERROR(AppendExcludedColumn(view, column, timestamp, &batch));
    } else {
      batch.StartRow(EncodeCatalogKey(
          CatalogKey{view.tenant, view.schema, view.name, column.name, column.family}));
      batch.DeleteFamily(kCatalogFamily, timestamp);
    }
  }
  for (auto it = dropped.rbegin(); it != dropped.rend(); ++it) {
    view.columns.erase(view.columns.begin() + *it);
  }
  view.last_ddl_timestamp = timestamp;
  RETURN_IF_ERROR(AppendHeaderRow(view, timestamp, &batch));
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  return catalog->Write(&batch);
}

// ---------------------------------------------------------------- views over what is changed

// What a view has got by itself, its parent cannot get any more: rows written through the view
// hold it under another qualifier. A key can grow only where no view has grown it already.
Status Catalog::CheckChildrenAllowAdding(const TableMeta& table,
                                         const std::vector<ColumnMeta>& added,
                                         const DdlContext& context) {
  if (added.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const std::vector<TablePtr> views,
                   DescendantViews(table.key(), context.timestamp));
  for (const TablePtr& view : views) {
    if (view->append_only_schema) return TableError(1010, table);
    size_t own_keys_left = view->key_columns.size() - table.key_columns.size();
    bool adds_key = false;
    for (const ColumnMeta& column : added) {
      adds_key = adds_key || column.is_key();
      const int32_t index = view->IndexOf(column.family, column.name);
      if (index < 0) continue;
      const ColumnMeta& existing = view->columns[static_cast<size_t>(index)];
      const bool encoded = table.encoding_bytes > 0 && !existing.is_key();
      if (encoded || existing.type != column.type || existing.sort_order != column.sort_order) {
        return TableError(1010, table);
      }
      if (!column.is_key()) continue;
      if (existing.key_position != column.key_position) return TableError(1010, table);
      --own_keys_left;
    }
    if (adds_key && own_keys_left > 0) return TableError(1010, table);
  }
  return Status::Ok();
}

Status Catalog::CheckChildrenAllowDropping(const TableMeta& table,
                                           const std::vector<uint32_t>& dropped,
                                           const DdlContext& context) {
  ASSIGN_OR_RETURN(const std::vector<TablePtr> views,
                   DescendantViews(table.key(), context.timestamp));
  for (const TablePtr& view : views) {
    for (const uint32_t index : dropped) {
      const ColumnMeta& column = table.columns[index];
      const int32_t inherited = view->IndexOf(column.family, column.name);
      if (inherited >= 0 && view->columns[static_cast<size_t>(inherited)].view_referenced) {
        return TableError(1010, table);
      }
    }
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- SET

Status Catalog::AlterIndexTables(const TableMeta& table, const TableOptions& options) {
  if (AttributesOfIndex(options.family_attributes).empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto indexes, IndexesOver(this, std::make_shared<const TableMeta>(table)));
  for (const auto& [index, owner] : indexes) {
    if (index->is_local_index()) continue;
    ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(index->physical));
    TableDescriptor descriptor = physical->descriptor();
    SetAttributesOfIndex(options.family_attributes, /*is_table=*/false, &descriptor);
    if (descriptor == physical->descriptor()) continue;
    RETURN_IF_ERROR(connection_->admin()->AlterTable(descriptor));
  }
  return Status::Ok();
}

Status Catalog::SetProperties(const TableMeta& old_table, const parse::AlterTable& statement,
                              const DdlContext& context) {
  if (old_table.is_view()) RETURN_IF_ERROR(CheckViewOptions(statement.properties, true));
  ASSIGN_OR_RETURN(const TableOptions options, ParseOptions(statement.properties));
  ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(old_table.physical));
  TableDescriptor descriptor = physical->descriptor();
  RETURN_IF_ERROR(CheckAlterable(old_table, options, HasLocalFamilies(descriptor)));
  RETURN_IF_ERROR(CheckCellsCanChange(old_table, options, descriptor));
  RETURN_IF_ERROR(CheckFamiliesExist(old_table, options));
  TableMeta table = old_table;
  table.sequence_number++;
  if (options.multi_tenant.has_value() && *options.multi_tenant != table.multi_tenant) {
    ASSIGN_OR_RETURN(const std::vector<TablePtr> views, ChildViews(table.key(), context.timestamp));
    if (!views.empty()) return TableError(1010, table);
  }
  RETURN_IF_ERROR(ApplyOptions(options, &table));
  if (table.is_view()) {
    const int64_t timestamp = NextTimestamp(context);
    table.last_ddl_timestamp = timestamp;
    MutationBatch batch;
    RETURN_IF_ERROR(AppendHeaderRow(table, timestamp, &batch));
    ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
    return catalog->Write(&batch);
  }

  const TableDescriptor before = descriptor;
  RETURN_IF_ERROR(UpdateDescriptor(table, PhysicalFamilies(table), options, &descriptor));
  // A time to live holds for all families, also those that no column uses any more.
  if (options.ttl.has_value()) {
    for (ColumnFamilyDescriptor& family : descriptor.families) {
      family.attributes["TTL"] = options.family_attributes.at("TTL");
    }
  }
  SetAttributesOfIndex(options.family_attributes, /*is_table=*/true, &descriptor);
  if (!(descriptor == before)) RETURN_IF_ERROR(connection_->admin()->AlterTable(descriptor));
  RETURN_IF_ERROR(AlterIndexTables(table, options));

  const int64_t timestamp = NextTimestamp(context);
  table.last_ddl_timestamp = timestamp;
  MutationBatch batch;
  RETURN_IF_ERROR(AppendHeaderRow(table, timestamp, &batch));
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  return catalog->Write(&batch);
}

}  // namespace bennu::sql::catalog
