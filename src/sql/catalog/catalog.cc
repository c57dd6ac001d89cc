#include "src/sql/catalog/catalog.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

constexpr size_t kCatalogRowsPerBatch = 1000;

Status Undefined(std::string_view schema, std::string_view name, int64_t position) {
  return MakeSqlError(1012, "tableName=" + FullTableName(schema, name), position);
}

// Calls 'use' with each row of the scan.
Status ForEachRow(Table* table, const Scan& scan,
                  const std::function<Status(const CatalogRow&)>& use) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table->OpenScanner(scan));
  CellBatch batch;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(kCatalogRowsPerBatch, &batch));
    if (batch.row_count() == 0) return Status::Ok();
    for (size_t i = 0; i < batch.row_count(); ++i) {
      const uint32_t begin = batch.row_starts[i];
      RETURN_IF_ERROR(
          use(CatalogRow{batch.cells[begin].row(), &batch.cells[begin], batch.row_end(i) - begin}));
    }
  }
}

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::Open(Connection* connection) {
  return std::unique_ptr<Catalog>(new Catalog(connection));
}

Result<std::shared_ptr<Table>> Catalog::OpenCatalogTable() {
  return connection_->OpenTable(SystemTable(kCatalogName)->physical);
}

// ---------------------------------------------------------------- looking up

Result<std::shared_ptr<const TableMeta>> Catalog::GetTable(std::string_view schema,
                                                           std::string_view name, int64_t position,
                                                           int64_t as_of) {
  if (schema == kSystemSchema) {
    if (const auto& table = SystemTable(name)) {
      MutexLock lock(&ddl_mu_);
      RETURN_IF_ERROR(EnsureSystemTables());
      return table;
    }
  }
  ASSIGN_OR_RETURN(auto table, FindTable(std::string(schema), std::string(name), as_of));
  if (table == nullptr) return Undefined(schema, name, position);
  return table;
}

Result<std::shared_ptr<const TableMeta>> Catalog::FindTable(const std::string& schema,
                                                            const std::string& name,
                                                            int64_t as_of) {
  if (as_of != kLatestTimestamp) return ReadTable(schema, name, as_of);
  uint64_t version_before = 0;
  {
    MutexLock lock(&cache_mu_);
    const auto it = cache_.find(Key(schema, name));
    if (it != cache_.end()) return it->second;
    version_before = version_.load(std::memory_order_relaxed);
  }
  ASSIGN_OR_RETURN(auto table, ReadTable(schema, name, as_of));
  if (table == nullptr) return table;
  MutexLock lock(&cache_mu_);
  // Something may have changed since the rows were read: then the answer is right, but not to keep.
  if (version_.load(std::memory_order_relaxed) == version_before) {
    cache_[Key(schema, name)] = table;
  }
  return table;
}

Result<std::shared_ptr<const TableMeta>> Catalog::ReadTable(const std::string& schema,
                                                            const std::string& name,
                                                            int64_t as_of) {
  const std::shared_ptr<const TableMeta> none;
  auto catalog = OpenCatalogTable();
  if (!catalog.ok()) {
    if (catalog.status().code() == StatusCode::kNotFound) return none;
    return catalog.status();
  }
  Scan scan;
  scan.range = RowsOfTable(schema, name);
  if (as_of != kLatestTimestamp) scan.time_range.max = as_of;
  TableReader reader;
  RETURN_IF_ERROR(
      ForEachRow(catalog->get(), scan, [&](const CatalogRow& row) { return reader.Add(row); }));
  if (!reader.found()) return none;
  ASSIGN_OR_RETURN(TableMeta table, reader.Finish());
  return std::make_shared<const TableMeta>(std::move(table));
}

void Catalog::Forget(const std::string& schema, const std::string& name) {
  MutexLock lock(&cache_mu_);
  cache_.erase(Key(schema, name));
  version_.fetch_add(1, std::memory_order_acq_rel);
}

void Catalog::Invalidate() {
  MutexLock lock(&cache_mu_);
  cache_.clear();
  version_.fetch_add(1, std::memory_order_acq_rel);
}

Result<std::vector<TableListing>> Catalog::ListTables(std::optional<std::string> schema) {
  std::vector<TableListing> listings;
  auto catalog = OpenCatalogTable();
  if (!catalog.ok()) {
    if (catalog.status().code() == StatusCode::kNotFound) return listings;
    return catalog.status();
  }
  Scan scan;
  scan.columns[Bytes(kCatalogFamily)] = {"TABLE_TYPE"};
  RETURN_IF_ERROR(ForEachRow(catalog->get(), scan, [&](const CatalogRow& row) {
    const CatalogKey key = ParseCatalogKey(row.key);
    // Rows of links carry a type too, but it is that of the other end.
    if (!key.tenant.empty() || !key.column.empty() || !key.family.empty()) return Status::Ok();
    if (schema.has_value() && key.schema != *schema) return Status::Ok();
    const char type = TableTypeOfHeader(row);
    if (type != 0) {
      listings.push_back(TableListing{std::string(key.schema), std::string(key.table),
                                      static_cast<TableType>(type)});
    }
    return Status::Ok();
  }));
  std::sort(listings.begin(), listings.end(), [](const TableListing& a, const TableListing& b) {
    return std::tie(a.schema, a.name) < std::tie(b.schema, b.name);
  });
  return listings;
}

Result<std::vector<std::string>> Catalog::ListSchemas() {
  ASSIGN_OR_RETURN(const std::vector<TableListing> listings, ListTables());
  std::set<std::string> schemas;
  for (const TableListing& listing : listings) schemas.insert(listing.schema);
  return std::vector<std::string>(schemas.begin(), schemas.end());
}

// ---------------------------------------------------------------- SYSTEM tables

Status Catalog::CreatePhysical(const TableDescriptor& descriptor,
                               const std::vector<Bytes>& splits) {
  Status status = connection_->admin()->CreateTable(descriptor, splits);
  if (status.code() != StatusCode::kAlreadyExists) return status;
  // A table that HBase has and Phoenix does not know is taken over, as Phoenix does: its families
  // stay, and what is missing is added.
  ASSIGN_OR_RETURN(const auto table, connection_->OpenTable(descriptor.name));
  TableDescriptor merged = table->descriptor();
  for (const auto& [name, value] : descriptor.attributes) merged.attributes[name] = value;
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    if (merged.FindFamily(family.name) == nullptr) merged.families.push_back(family);
  }
  std::sort(merged.families.begin(), merged.families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return connection_->admin()->AlterTable(merged);
}

// The catalog's own table comes last, so that a crash in between only makes this run again.
Status Catalog::EnsureSystemTables() {
  if (system_tables_checked_) return Status::Ok();
  const TableMeta& catalog_meta = *SystemTable(kCatalogName);
  ASSIGN_OR_RETURN(const bool exists, connection_->admin()->TableExists(catalog_meta.physical));
  if (!exists) {
    MutationBatch batch;
    const auto& tables = SystemTables();
    for (auto it = tables.rbegin(); it != tables.rend(); ++it) {
      TableOptions options;
      if (!(*it)->ttl.empty()) options.family_attributes["TTL"] = (*it)->ttl;
      ASSIGN_OR_RETURN(const TableDescriptor descriptor, MakeDescriptor(**it, options));
      // SYSTEM.LOG is salted, but gets one region like the others: nothing is written to it here,
      // and where regions begin is no part of a salted key's meaning.
      Status status = connection_->admin()->CreateTable(descriptor, {});
      if (!status.ok() && status.code() != StatusCode::kAlreadyExists) return status;
      RETURN_IF_ERROR(AppendTableRows(**it, kMetadataVersionTimestamp, &batch));
    }
    ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
    RETURN_IF_ERROR(catalog->Write(&batch));
  }
  system_tables_checked_ = true;
  return Status::Ok();
}

// ---------------------------------------------------------------- definitions

// Two definitions never share a millisecond: the markers of a DROP would hide a later CREATE.
int64_t Catalog::NextTimestamp(const DdlContext& context) {
  if (context.timestamp != kLatestTimestamp) return context.timestamp;
  last_ddl_ms_ = std::max(last_ddl_ms_ + 1, connection_->NowMillis());
  return last_ddl_ms_;
}

Status Catalog::CreateTable(const parse::CreateTable& statement, const DdlContext& context) {
  ASSIGN_OR_RETURN(NewTable table, BuildTable(statement, context));
  if (context.read_only) return MakeSqlError(518, "");
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  const auto existing = FindTable(table.meta.schema, table.meta.name, context.timestamp);
  // A view of that name is there too, though it can not be read yet.
  if (!existing.ok() && existing.status().code() != StatusCode::kSql) return existing.status();
  if (!existing.ok() || *existing != nullptr) {
    if (statement.if_not_exists) return Status::Ok();
    return MakeSqlError(1013, "tableName=" + table.meta.FullName(), statement.name.position());
  }
  RETURN_IF_ERROR(CreatePhysical(table.descriptor, table.splits));
  const int64_t timestamp = NextTimestamp(context);
  table.meta.last_ddl_timestamp = timestamp;
  MutationBatch batch;
  RETURN_IF_ERROR(AppendTableRows(table.meta, timestamp, &batch));
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  RETURN_IF_ERROR(catalog->Write(&batch));
  Forget(table.meta.schema, table.meta.name);
  return Status::Ok();
}

// The HBase table goes first: a crash in between leaves a definition without data, which can be
// dropped again, and never old rows that a new table of the same name would show.
Status Catalog::DropTable(const parse::Drop& statement, const DdlContext& context) {
  const std::string schema =
      statement.name.qualifier.empty() ? context.default_schema : statement.name.qualifier.text;
  const std::string& name = statement.name.name.text;
  if (schema == kSystemSchema) {
    return MakeSqlError(1010, "tableName=" + FullTableName(schema, name),
                        statement.name.position());
  }
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto table, FindTable(schema, name, context.timestamp));
  if (table == nullptr || table->type != TableType::kTable) {
    if (statement.if_exists) return Status::Ok();
    return Undefined(schema, name, statement.name.position());
  }
  if (!table->indexes.empty()) {
    return MakeUncodedSqlError("dropping a table with indexes is not supported yet: " +
                               table->FullName());
  }
  Status dropped = connection_->admin()->DropTable(table->physical);
  if (!dropped.ok() && dropped.code() != StatusCode::kNotFound) return dropped;

  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  const int64_t timestamp = NextTimestamp(context);
  MutationBatch batch;
  Scan scan;
  scan.range = RowsOfTable(schema, name);
  RETURN_IF_ERROR(ForEachRow(catalog.get(), scan, [&](const CatalogRow& row) {
    batch.StartRow(row.key);
    batch.DeleteFamily(kCatalogFamily, timestamp);
    return Status::Ok();
  }));
  RETURN_IF_ERROR(catalog->Write(&batch));
  Forget(schema, name);
  return Status::Ok();
}

}  // namespace bennu::sql::catalog
