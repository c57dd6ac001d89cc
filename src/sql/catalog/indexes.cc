// CREATE, ALTER and DROP INDEX, as far as the catalog goes: what an index is, and its states. What
// its rows are is sql/index's.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/index_builder.h"
#include "src/sql/catalog/indexes_over.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/removal.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/undefined.h"
#include "src/sql/catalog/view.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {

Result<std::vector<std::shared_ptr<const TableMeta>>> Catalog::IndexesOf(const TableMeta& table,
                                                                         int64_t as_of) {
  std::vector<TablePtr> indexes;
  for (const std::string& name : table.indexes) {
    ASSIGN_OR_RETURN(TablePtr index, FindTable({table.tenant, table.schema, name}, as_of));
    // A link whose index is gone is what a DROP INDEX left that a crash cut short.
    if (index != nullptr && index->is_index()) indexes.push_back(std::move(index));
  }
  return indexes;
}

Result<std::shared_ptr<const TableMeta>> Catalog::CreateIndex(const parse::CreateIndex& statement,
                                                              const DdlContext& context) {
  const std::string& schema =
      statement.table.qualifier.empty() ? context.default_schema : statement.table.qualifier.text;
  const std::string& name = statement.table.name.text;
  const int64_t position = statement.table.position();
  if (schema == kSystemSchema) {
    return MakeSqlError(306, "tableName=" + FullTableName(schema, name), position);
  }
  const TableKey key{context.tenant, schema, statement.name.name.text};
  const auto find_table = [&] {
    return GetTable(schema, name, position, context.timestamp, context.tenant);
  };
  ASSIGN_OR_RETURN(TablePtr table, find_table());
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto held, LockDefinition(key, table->key()));
  // Others may have changed or dropped it before the lock.
  ASSIGN_OR_RETURN(table, find_table());
  // A tenant has views of its own, and indexes of these alone.
  if (table->tenant != context.tenant) {
    return MakeUncodedSqlError(
        "An index may only be created for a VIEW through a tenant-specific connection", position,
        "make a view of " + table->FullName() + " on this connection, and an index of that");
  }
  ASSIGN_OR_RETURN(const auto storage, connection_->OpenTable(table->physical));
  ASSIGN_OR_RETURN(NewTable index, BuildIndex(statement, context, *table, storage->descriptor()));
  RETURN_IF_ERROR(CheckIsNoIndex(*table, position));
  ASSIGN_OR_RETURN(const bool taken, IsTaken(key, context.timestamp));
  if (taken) {
    if (statement.if_not_exists) return TablePtr();
    return MakeSqlError(1013, "tableName=" + index.meta.FullName(), statement.name.position());
  }
  RETURN_IF_ERROR(CheckViewsHaveSameKey(*table, context));
  if (!statement.local) {
    RETURN_IF_ERROR(MakeWayFor(index.meta, statement.name.position()));
    RETURN_IF_ERROR(CreatePhysical(index.descriptor, index.splits));
  }
  const int64_t timestamp = NextTimestamp(context);
  if (index.meta.shares_its_table()) {
    const TableKey base = table->shares_index_table() ? table->base : table->key();
    RETURN_IF_ERROR(NumberIndex(base, timestamp, &index.meta));
  }
  if (statement.local) {
    RETURN_IF_ERROR(MakeRoomForLocalIndex(*table, index.meta, index.descriptor));
  }
  RETURN_IF_ERROR(EraseRows(key, timestamp - 1));
  index.meta.last_ddl_timestamp = timestamp;
  MutationBatch batch;
  RETURN_IF_ERROR(AppendTableRows(index.meta, timestamp, &batch));
  RETURN_IF_ERROR(AppendIndexLink(*table, index.meta, timestamp, &batch));
  if (index.meta.shares_its_table()) {
    RETURN_IF_ERROR(AppendSharedIndexLinks(*table, index.meta, timestamp, &batch));
  }
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  RETURN_IF_ERROR(catalog->Write(&batch));
  Forget(key);
  Forget(table->key());
  return std::make_shared<const TableMeta>(std::move(index.meta));
}

// Where the index's HBase table is to be there may be that of an index which a crash kept from
// being dropped as a whole (RemoveIndex). What its rows say has changed since. Rows of anybody
// else's are neither taken for the index's nor deleted.
Status Catalog::MakeWayFor(const TableMeta& index, int64_t position) {
  if (index.shares_its_table()) return Status::Ok();
  ASSIGN_OR_RETURN(const bool exists, connection_->admin()->TableExists(index.physical));
  if (!exists) return Status::Ok();
  ASSIGN_OR_RETURN(const TablePtr known, FindTable(index.key(), kLatestTimestamp));
  ASSIGN_OR_RETURN(const auto there, connection_->OpenTable(index.physical));
  const TableDescriptor descriptor = there->descriptor();
  if (known == nullptr && IsDescriptorOfIndex(descriptor, index)) {
    return connection_->admin()->DropTable(index.physical);
  }
  Scan scan;
  scan.row_limit = 1;
  ASSIGN_OR_RETURN(const auto scanner, there->OpenScanner(scan));
  CellBatch rows;
  RETURN_IF_ERROR(scanner->Next(1, &rows));
  if (rows.row_count() == 0) return Status::Ok();
  return MakeUncodedSqlError("HBase has a table " + index.physical.ToString() +
                                 " with rows, which are not those of an index of " +
                                 FullTableName(index.schema, index.data_table_name),
                             position, "give the index another name, or drop that table");
}

// Rows of a view with a longer key, of which several would be one in the index.
Status Catalog::CheckViewsHaveSameKey(const TableMeta& table, const DdlContext& context) {
  const TableKey& base = table.shares_index_table() ? table.base : table.key();
  ASSIGN_OR_RETURN(const std::vector<TablePtr> views, DescendantViews(base, context.timestamp));
  for (const TablePtr& view : views) {
    ASSIGN_OR_RETURN(const bool clash, HasLongerKeyInRows(*view, table));
    if (clash) return MakeSqlError(10955, "");
  }
  return Status::Ok();
}

Status Catalog::CheckIndexesHoldKey(const TableMeta& view, const TableMeta& base) {
  ASSIGN_OR_RETURN(const std::vector<TablePtr> views, IndexedViews(base));
  for (const TablePtr& indexed : views) {
    ASSIGN_OR_RETURN(const bool clash, HasLongerKeyInRows(view, *indexed));
    if (clash) return MakeSqlError(10956, "tableName=" + view.FullName());
  }
  return Status::Ok();
}

// Both are views over one table. As far as the beginnings of their keys tell: rows that other
// conditions keep apart count as common ones.
Result<bool> Catalog::HasLongerKeyInRows(const TableMeta& view, const TableMeta& other) {
  const auto name = [](const TableMeta& table, size_t i) { return table.key_column(i).name; };
  bool longer = view.key_columns.size() > other.key_columns.size();
  for (size_t i = 0; !longer && i < view.key_columns.size(); ++i) {
    longer = name(view, i) != name(other, i);
  }
  if (!longer) return false;
  Bytes prefix = RowPrefix(view);
  if (!view.tenant.empty()) {
    ASSIGN_OR_RETURN(const TableMeta seen, ForTenant(view, view.tenant));
    prefix = RowPrefix(seen);
  }
  const Bytes of_other = RowPrefix(other);
  return prefix.starts_with(of_other) || of_other.starts_with(prefix);
}

Result<Catalog::IndexAndTable> Catalog::FindIndex(const parse::QualifiedName& table,
                                                  const parse::Name& name,
                                                  const DdlContext& context) {
  IndexAndTable found;
  const std::string& schema =
      table.qualifier.empty() ? context.default_schema : table.qualifier.text;
  const std::string full_name = FullTableName(schema, name.text);
  ASSIGN_OR_RETURN(found.index, FindTable({context.tenant, schema, name.text}, context.timestamp));
  if (found.index == nullptr || !found.index->is_index()) {
    return MakeSqlError(1042, "tableName=" + full_name, name.position);
  }
  if (found.index->data_table_name != table.name.text) {
    return MakeSqlError(536, "tableName=" + full_name, table.position(),
                        "it is an index of " + found.index->data_table_name);
  }
  ASSIGN_OR_RETURN(found.table, GetTable(schema, table.name.text, table.position(),
                                         context.timestamp, context.tenant));
  return found;
}

Result<std::shared_ptr<const TableMeta>> Catalog::SetIndexState(const TableMeta& index,
                                                                IndexState state,
                                                                const DdlContext& context) {
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto held, LockDefinition(index.key()));
  ASSIGN_OR_RETURN(const TablePtr current, FindTable(index.key(), context.timestamp));
  if (current == nullptr || !current->is_index()) {
    return MakeSqlError(1042, "tableName=" + index.FullName());
  }
  // Writes may have passed it by meanwhile, so that whoever has built it must not make it active.
  if (state == IndexState::kActive && index.index_state == IndexState::kBuilding &&
      current->index_state != IndexState::kBuilding) {
    return MakeUncodedSqlError("the state of index " + index.FullName() +
                                   " was changed by another statement while it was built",
                               -1, "ALTER INDEX … REBUILD builds it again");
  }
  TableMeta changed = *current;
  changed.index_state = state;
  const int64_t timestamp = NextTimestamp(context);
  changed.last_ddl_timestamp = timestamp;
  MutationBatch batch;
  RETURN_IF_ERROR(AppendIndexState(changed, timestamp, &batch));
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  RETURN_IF_ERROR(catalog->Write(&batch));
  Forget(index.key());
  return std::make_shared<const TableMeta>(std::move(changed));
}

Status Catalog::DropIndex(const TableMeta& table, const TableMeta& index,
                          const DdlContext& context) {
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto held, LockDefinition(index.key(), table.key()));
  Removal removal(connection_);
  RETURN_IF_ERROR(RemoveIndex(table, index, NextTimestamp(context), &removal));
  RETURN_IF_ERROR(removal.Run());
  Forget(index.key());
  Forget(table.key());
  return Status::Ok();
}

// Over a cluster the definition goes first: from then on nobody reads or writes the index's rows,
// which then go with their HBase table. What a crash leaves between the two is an HBase table
// without a name in SQL, which the next index of that name replaces.
Status Catalog::RemoveIndex(const TableMeta& table, const TableMeta& index, int64_t timestamp,
                            Removal* removal) {
  MutationBatch* const batch = removal->RowsOf(System(kCatalogName)->physical);
  batch->StartRow(
      EncodeCatalogKey(CatalogKey{table.tenant, table.schema, table.name, {}, index.name}));
  batch->DeleteFamily(kCatalogFamily, timestamp);
  RETURN_IF_ERROR(AppendErasure(index.key(), timestamp, batch));
  // Others have rows there, too.
  if (!index.shares_its_table()) removal->DropTable(index.physical);
  return Status::Ok();
}

Status Catalog::RemoveIndexesOf(const TableMeta& view, const DdlContext& context, Removal* removal,
                                std::vector<IndexAndTable>* removed) {
  ASSIGN_OR_RETURN(const std::vector<TablePtr> indexes, IndexesOf(view, context.timestamp));
  for (const TablePtr& index : indexes) {
    RETURN_IF_ERROR(RemoveIndex(view, *index, NextTimestamp(context), removal));
    removed->push_back({index, std::make_shared<const TableMeta>(view)});
  }
  return Status::Ok();
}

// Indexes that include the columns lose them first, so that none has what its table does not have.
// Those that are made of them are gone already.
Status Catalog::DropFromIndexes(const TableMeta& table, const std::vector<uint32_t>& columns,
                                const DdlContext& context) {
  ASSIGN_OR_RETURN(const std::vector<TablePtr> indexes, IndexesOf(table, context.timestamp));
  for (const TablePtr& index : indexes) {
    parse::AlterTable alter;
    for (const uint32_t column : columns) {
      ColumnMeta included = IncludedColumn(table.columns[column]);
      if (index->is_local_index()) included.family.insert(0, kLocalFamilyPrefix);
      if (index->IndexOf(included.family, included.name) < 0) continue;
      parse::QualifiedName name;
      name.qualifier.text = included.family;
      name.name.text = included.name;
      alter.drop.push_back(std::move(name));
    }
    if (alter.drop.empty()) continue;
    RETURN_IF_ERROR(DropColumns(*index, alter, context));
    Forget(index->key());
  }
  return Status::Ok();
}

// Views over the table lose the columns with it.
Status Catalog::DropFromAllIndexes(const TableMeta& table, const std::vector<uint32_t>& columns,
                                   const DdlContext& context) {
  RETURN_IF_ERROR(DropFromIndexes(table, columns, context));
  ASSIGN_OR_RETURN(const std::vector<TablePtr> views,
                   DescendantViews(table.key(), context.timestamp));
  for (const TablePtr& view : views) {
    std::vector<uint32_t> of_view;
    for (const uint32_t column : columns) {
      const int32_t found = view->IndexOf(table.columns[column].family, table.columns[column].name);
      if (found >= 0) of_view.push_back(static_cast<uint32_t>(found));
    }
    RETURN_IF_ERROR(DropFromIndexes(*view, of_view, context));
  }
  return Status::Ok();
}

// The indexes that ALTER TABLE … ADD … CASCADE INDEX names. 906: one of them is none of the
// table's; 907: a local one.
Result<std::vector<std::shared_ptr<const TableMeta>>> Catalog::IndexesToExtend(
    const TableMeta& table, const parse::AlterTable& statement, const DdlContext& context) {
  std::vector<TablePtr> extended;
  if (!statement.cascade_all && statement.cascade_indexes.empty()) return extended;
  ASSIGN_OR_RETURN(const std::vector<TablePtr> indexes, IndexesOf(table, context.timestamp));
  size_t named = 0;
  for (const TablePtr& index : indexes) {
    const bool is_named =
        std::any_of(statement.cascade_indexes.begin(), statement.cascade_indexes.end(),
                    [&](const parse::Name& name) { return name.text == index->name; });
    named += is_named ? 1 : 0;
    if (!statement.cascade_all && !is_named) continue;
    if (index->index_type == IndexType::kLocal) {
      return MakeSqlError(907, "tableName=" + index->name, statement.name.position());
    }
    extended.push_back(index);
  }
  if (named < statement.cascade_indexes.size()) {
    std::string names;
    for (const parse::Name& name : statement.cascade_indexes) {
      names += (names.empty() ? "" : ",") + name.text;
    }
    return MakeSqlError(906, " tableName=" + names, statement.cascade_indexes.front().position);
  }
  return extended;
}

// An index has the whole key of its table's rows: the columns that the key gets, every index gets.
Result<std::vector<std::pair<Catalog::TablePtr, std::vector<ColumnMeta>>>>
Catalog::IndexesWithKeyOf(const TableMeta& table, const std::vector<ColumnMeta>& added,
                          const std::vector<TablePtr>& extended) {
  std::vector<std::pair<TablePtr, std::vector<ColumnMeta>>> longer;
  std::vector<ColumnMeta> keys;
  std::copy_if(added.begin(), added.end(), std::back_inserter(keys),
               [](const ColumnMeta& column) { return column.is_key(); });
  if (keys.empty()) return longer;
  ASSIGN_OR_RETURN(const auto indexes, IndexesOver(this, std::make_shared<const TableMeta>(table)));
  for (const auto& one : indexes) {
    const TablePtr& index = one.index;
    const ColumnMeta& last = index->key_column(index->key_columns.size() - 1);
    // Its end could not be told any more.
    if (last.type.id == TypeId::kVarbinary || IsArray(last.type.id)) {
      return MakeSqlError(1015, "columnName=" + index->FullName() + "." + last.name);
    }
    const bool is_extended =
        std::any_of(extended.begin(), extended.end(),
                    [&](const TablePtr& other) { return other->key() == index->key(); });
    if (!is_extended) longer.emplace_back(index, keys);
  }
  return longer;
}

Status Catalog::ExtendIndex(const TableMeta& index, const std::vector<ColumnMeta>& added,
                            int64_t timestamp, MutationBatch* batch) {
  TableMeta extended = index;
  extended.sequence_number++;
  extended.last_ddl_timestamp = timestamp;
  std::vector<ColumnMeta> columns;
  for (const ColumnMeta& column : added) {
    ColumnMeta included = column.is_key() ? IndexKeyColumn(column) : IncludedColumn(column);
    included.ordinal = static_cast<int32_t>(extended.columns.size()) + 1;
    if (column.is_key()) {
      included.type = IndexKeyType(column.type, column.nullable, /*last=*/true);
      included.key_position = static_cast<int32_t>(extended.key_columns.size());
      extended.key_columns.push_back(static_cast<uint32_t>(extended.columns.size()));
    } else {
      RETURN_IF_ERROR(AssignQualifier(&extended, &included));
    }
    extended.columns.push_back(included);
    columns.push_back(std::move(included));
  }
  extended.Finish();
  if (extended.empty_family != index.empty_family) {
    RETURN_IF_ERROR(MoveEmptyColumn(index, &extended));
  }
  ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(index.physical));
  TableDescriptor descriptor = physical->descriptor();
  const TableDescriptor before = descriptor;
  RETURN_IF_ERROR(UpdateDescriptor(extended, {}, TableOptions(), &descriptor));
  if (!(descriptor == before)) RETURN_IF_ERROR(connection_->admin()->AlterTable(descriptor));
  RETURN_IF_ERROR(AppendHeaderRow(extended, timestamp, batch));
  for (const ColumnMeta& column : columns) {
    RETURN_IF_ERROR(AppendColumnRow(extended, column, timestamp, batch));
  }
  return AppendCounterRows(extended, timestamp, batch);
}

}  // namespace bennu::sql::catalog
