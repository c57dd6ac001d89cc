// The definition of a table for another HBase table that holds the same cells: a clone of a
// snapshot, an import under another name.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

// Could the rows of the copy be read by this definition?
Status CheckSource(const TableMeta& source, int64_t older_than) {
  const bool is_table = source.type == TableType::kTable;
  const bool is_mapped =
      source.is_view() && source.view_type == ViewType::kMapped && source.view_statement.empty();
  if (!is_table && !is_mapped) {
    return InvalidArgument(source.FullName() +
                           " is neither a table of SQL nor a view of an HBase table; only the "
                           "definitions of these can be copied");
  }
  // What HBase's cells hold is no matter of when a view of them was made.
  if (is_mapped) return Status::Ok();
  // Columns that were added since then are NULL in the copy. If all of them are newer, the name
  // means another table now.
  const auto oldest = std::min_element(
      source.columns.begin(), source.columns.end(),
      [](const ColumnMeta& a, const ColumnMeta& b) { return a.timestamp < b.timestamp; });
  if (oldest != source.columns.end() && oldest->timestamp > older_than) {
    return InvalidArgument(fmt::format(
        "SQL's table {} was made after these rows were written ({} and {}, milliseconds since "
        "1970), so that its definition may not fit the rows",
        source.FullName(), oldest->timestamp, older_than));
  }
  return Status::Ok();
}

}  // namespace

Result<TableKey> Catalog::KeyOfPhysical(const TableName& name) const {
  const TableKey key = ParsePhysicalName(name.ToString());
  if (PhysicalTableName(key.schema, key.name, features_.map_namespaces) == name) return key;
  return InvalidArgument(
      features_.map_namespaces
          ? fmt::format("SQL has no name for the HBase table {}: where schemas are namespaces, a "
                        "table with a dot in its name belongs to no schema",
                        name.ToString())
          : fmt::format(
                "SQL has no name for the HBase table {}: schemas are not namespaces in this "
                "store (phoenix.schema.isNamespaceMappingEnabled). SQL could name it {}.{}",
                name.ToString(), name.name_space, name.qualifier));
}

Status Catalog::CopyTable(const TableName& source, const TableName& copy, int64_t older_than,
                          const std::function<Status()>& make) {
  ASSIGN_OR_RETURN(const TableKey source_key, KeyOfPhysical(source));
  ASSIGN_OR_RETURN(const TableKey key, KeyOfPhysical(copy));
  if (key.schema == kSystemSchema) return MakeSqlError(1010, "tableName=" + copy.ToString());
  RETURN_IF_ERROR(CheckSchema(key.schema, -1));
  MutexLock lock(&ddl_mu_);
  const auto find_source = [&]() -> Result<TablePtr> {
    ASSIGN_OR_RETURN(TablePtr found, FindTable(source_key, kLatestTimestamp));
    if (found == nullptr || found->physical != source) {
      return NotFound("SQL knows no table " + source.ToString() + " in this store");
    }
    return found;
  };
  RETURN_IF_ERROR(find_source().status());
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto held, LockDefinition(key, source_key));
  ASSIGN_OR_RETURN(const TablePtr found, find_source());
  RETURN_IF_ERROR(CheckSource(*found, older_than));
  ASSIGN_OR_RETURN(const bool taken, IsTaken(key, kLatestTimestamp));
  if (taken) return MakeSqlError(1013, "tableName=" + FullTableName(key.schema, key.name));
  RETURN_IF_ERROR(make());

  // Families that only columns of later than the rows have are added, and those of local indexes,
  // which the copy has none of, go.
  ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(copy));
  TableDescriptor descriptor = physical->descriptor();
  std::erase_if(descriptor.families, [](const auto& family) { return IsLocalFamily(family.name); });
  RETURN_IF_ERROR(UpdateDescriptor(*found, {}, TableOptions(), &descriptor));
  if (!(descriptor.families == physical->descriptor().families)) {
    RETURN_IF_ERROR(connection_->admin()->AlterTable(descriptor));
  }

  const int64_t timestamp = NextTimestamp(DdlContext());
  RETURN_IF_ERROR(SweepOrphans(key, timestamp));
  // What is left of a view of that name, which is older than any new definition.
  RETURN_IF_ERROR(EraseRows(key, timestamp - 1));
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  MutationBatch batch;
  Scan scan;
  scan.range = RowsOfTable(source_key);
  RETURN_IF_ERROR(ForEachRow(catalog.get(), scan, [&](const CatalogRow& row) {
    return AppendCopiedRow(row, *found, key, timestamp, &batch);
  }));
  RETURN_IF_ERROR(catalog->Write(&batch));
  Forget(key);
  return Status::Ok();
}

}  // namespace bennu::sql::catalog
