// Schemas as namespaces: CREATE and DROP SCHEMA, and where the SYSTEM tables lie.
// Source: phoenix-storage.md section 1; MetaDataClient.createSchema and dropSchema of Phoenix 5.3.
#include <set>

#include "bennu/admin.h"
#include "src/api/store_tools.h"
#include "src/api/table_changes.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

// What stands for a table's name in the row of the schema itself.
constexpr std::string_view kNoTable = " ";

CatalogKey SchemaKey(std::string_view schema) { return {"", schema, kNoTable, "", ""}; }

// HBase's own names; in capitals they are others.
bool IsReserved(std::string_view name) { return name == "default" || name == "hbase"; }

Status NoSuchSchema(const std::string& schema, int64_t position) {
  return MakeSqlError(722, "schemaName=" + schema, position);
}

}  // namespace

const std::shared_ptr<const TableMeta>& Catalog::System(std::string_view name) const {
  return SystemTable(name, features_.system_is_mapped());
}

Status Catalog::EnsureNamespace(const std::string& name) {
  Status created = connection_->admin()->CreateNamespace(name);
  return created.code() == StatusCode::kAlreadyExists ? Status::Ok() : created;
}

// Phoenix refuses a client that would look for them elsewhere.
Status Catalog::CheckMapping() {
  const bool mapped = features_.system_is_mapped();
  Admin* const admin = connection_->admin();
  ASSIGN_OR_RETURN(const bool here,
                   admin->TableExists(SystemTable(kCatalogName, mapped)->physical));
  if (here) return Status::Ok();
  const TableName other = SystemTable(kCatalogName, !mapped)->physical;
  ASSIGN_OR_RETURN(const bool elsewhere, admin->TableExists(other));
  if (!elsewhere) return Status::Ok();
  return MakeSqlError(726, other.ToString() + " is found", -1,
                      std::string("open the store with "
                                  "phoenix.schema.isNamespaceMappingEnabled=") +
                          (mapped ? "false" : "true"));
}

Result<bool> Catalog::HasSchema(const std::string& schema) {
  if (schema == kSystemSchema) return true;  // it comes with the first definition
  const auto catalog = OpenCatalogTable();
  if (!catalog.ok()) {
    if (catalog.status().code() == StatusCode::kNotFound) return false;
    return catalog.status();
  }
  Get get;
  get.row = EncodeCatalogKey(SchemaKey(schema));
  ASSIGN_OR_RETURN(const Row row, (*catalog)->GetRow(get));
  return !row.empty();
}

Status Catalog::CheckSchema(const std::string& schema, int64_t position) {
  if (!features_.map_namespaces || schema.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const bool exists, HasSchema(schema));
  return exists ? Status::Ok() : NoSuchSchema(schema, position);
}

// The namespace first: a crash in between leaves one that the next try takes over.
Status Catalog::CreateSchema(const parse::CreateSchema& statement, const DdlContext& context) {
  const std::string& name = statement.name.text;
  if (!features_.map_namespaces) {
    return MakeSqlError(725, "schemaName=" + name, statement.name.position,
                        "write the schema in front of the table's name, or open the store with "
                        "phoenix.schema.isNamespaceMappingEnabled=true");
  }
  if (IsReserved(name)) {
    return MakeSqlError(724, "schemaName=" + name, statement.name.position);
  }
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const bool exists, HasSchema(name));
  if (exists) {
    if (statement.if_not_exists) return Status::Ok();
    return MakeSqlError(721, "schemaName=" + name, statement.name.position);
  }
  RETURN_IF_ERROR(EnsureNamespace(name));
  MutationBatch batch;
  batch.StartRow(EncodeCatalogKey(SchemaKey(name)));
  batch.Put(kCatalogFamily, System(kCatalogName)->empty_qualifier,
            System(kCatalogName)->empty_value, NextTimestamp(context));
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  return catalog->Write(&batch);
}

// In one step, or over a cluster the row last: a DROP that a crash interrupted can be repeated.
Status Catalog::DropSchema(const parse::Drop& statement, const DdlContext& context) {
  const std::string& name = statement.name.name.text;
  const int64_t position = statement.name.position();
  MutexLock lock(&ddl_mu_);
  bool exists = false;
  if (features_.map_namespaces) {
    RETURN_IF_ERROR(EnsureSystemTables());
    ASSIGN_OR_RETURN(exists, HasSchema(name));
  }
  if (!exists) return statement.if_exists ? Status::Ok() : NoSuchSchema(name, position);
  ASSIGN_OR_RETURN(const std::vector<TableListing> tables, ListTables(name));
  if (!tables.empty()) return MakeSqlError(723, "schemaName=" + name, position);
  const TableName& physical = System(kCatalogName)->physical;
  api::TableRows rows;
  rows[physical].StartRow(EncodeCatalogKey(SchemaKey(name)));
  rows[physical].DeleteFamily(kCatalogFamily, NextTimestamp(context));
  api::TableChanges* const changes = StoreTools::Changes(connection_);
  const Status dropped = changes != nullptr ? changes->DropNamespaceWith(name, rows)
                                            : connection_->admin()->DropNamespace(name);
  if (dropped.code() == StatusCode::kFailedPrecondition) {
    return MakeSqlError(723, "schemaName=" + name, position,
                        "HBase's namespace has tables that SQL does not know");
  }
  if (!dropped.ok() && dropped.code() != StatusCode::kNotFound) return dropped;
  if (dropped.ok() && changes != nullptr) return Status::Ok();
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  return catalog->Write(&rows[physical]);
}

Result<std::vector<std::string>> Catalog::ListSchemas() {
  std::set<std::string> schemas;
  if (features_.map_namespaces) {
    schemas.insert(std::string(kSystemSchema));
    ASSIGN_OR_RETURN(const std::vector<std::string> namespaces,
                     connection_->admin()->ListNamespaces());
    for (const std::string& name : namespaces) {
      ASSIGN_OR_RETURN(const bool made, HasSchema(name));
      if (made) schemas.insert(name);
    }
  } else {
    ASSIGN_OR_RETURN(const std::vector<TableListing> listings, ListTables());
    for (const TableListing& listing : listings) schemas.insert(listing.schema);
  }
  return std::vector<std::string>(schemas.begin(), schemas.end());
}

}  // namespace bennu::sql::catalog
