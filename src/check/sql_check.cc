#include "src/check/sql_check.h"

#include <fmt/format.h>

#include <memory>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/system_tables.h"

namespace bennu::check {

namespace {

using sql::catalog::TableMeta;

void CheckPhysical(CheckRun* run, Connection* connection, const TableMeta& table,
                   const std::string& path) {
  const auto physical = connection->OpenTable(table.physical);
  if (!physical.ok()) {
    run->Fault(path, fmt::format("{} {}: {}", table.is_view() ? "view" : "table", table.FullName(),
                                 physical.status().message()));
    return;
  }
  const TableDescriptor descriptor = (*physical)->descriptor();
  for (const sql::catalog::ColumnMeta& column : table.columns) {
    if (column.is_key() || column.family.empty()) continue;
    if (descriptor.FindFamily(column.family) != nullptr) continue;
    run->Fault(
        path, fmt::format("table {}: column {} is in family {}, which table {} does not have",
                          table.FullName(), column.name, column.family, table.physical.ToString()));
    return;
  }
  if (!table.empty_family.empty() && descriptor.FindFamily(table.empty_family) == nullptr) {
    run->Fault(path, fmt::format("table {}: its rows are marked in family {}, which table {} does "
                                 "not have",
                                 table.FullName(), table.empty_family, table.physical.ToString()));
  }
  // Rows of a salted table begin with their bucket, and Phoenix cuts it there.
  if (!table.is_salted() || table.is_view()) return;
  for (const RegionInfo& region : (*physical)->regions()) {
    if (region.start_key.empty()) continue;
    const auto bucket = static_cast<uint8_t>(region.start_key[0]);
    if (bucket < table.salt_buckets) continue;
    run->Warn(path, fmt::format("table {} has {} salt buckets, yet a region begins at bucket {}",
                                table.FullName(), table.salt_buckets, bucket));
    return;
  }
}

}  // namespace

Status CheckSqlCatalog(CheckRun* run, Connection* connection) {
  // As the store has it: its configuration is not told.
  const TableName mapped = sql::catalog::SystemTable(sql::catalog::kCatalogName, true)->physical;
  sql::catalog::Features features;
  ASSIGN_OR_RETURN(features.map_namespaces, connection->admin()->TableExists(mapped));
  ASSIGN_OR_RETURN(const auto catalog, sql::catalog::Catalog::Open(connection, features));
  const std::string path = run->layout.TableDirectory(
      sql::catalog::SystemTable(sql::catalog::kCatalogName, features.map_namespaces)->physical);
  const auto listings = catalog->ListTables();
  if (!listings.ok()) {
    if (listings.status().code() == StatusCode::kIoError) return listings.status();
    run->Fault(path, "the catalog cannot be listed: " + listings.status().message());
    return Status::Ok();
  }
  for (const sql::catalog::TableListing& listing : *listings) {
    // Rows of a type of their own: links, functions, sequences.
    if (listing.type == sql::catalog::TableType::kSystem) continue;
    const auto table = catalog->GetTable(listing.schema, listing.name);
    if (table.ok()) {
      CheckPhysical(run, connection, **table, path);
      continue;
    }
    const std::string name = sql::catalog::FullTableName(listing.schema, listing.name);
    if (table.status().code() == StatusCode::kIoError) return table.status();
    // Views over what was dropped stay in the catalog until a clean-up comes by, as with Phoenix.
    const auto* error = table.status().sql_error();
    const bool is_orphan =
        listing.type == sql::catalog::TableType::kView && error != nullptr && error->code == 1012;
    run->Add(
        is_orphan ? Level::kWarning : Level::kFault, path,
        fmt::format("{} is in the catalog and cannot be used: {}", name, table.status().message()));
  }
  return Status::Ok();
}

}  // namespace bennu::check
