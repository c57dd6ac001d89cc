#include "src/sql/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bennu/admin.h"
#include "src/api/known_tables.h"
#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/removal.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/catalog/undefined.h"
#include "src/sql/catalog/view.h"
#include "src/sql/parse/token.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

// A table's name as a statement has to write it.
std::string Written(const std::string& schema, const std::string& name) {
  const auto part = [](const std::string& text) {
    const auto tokens = parse::Tokenize(text);
    const bool plain = tokens.ok() && tokens->size() == 2 &&
                       tokens->front().type == parse::TokenType::kName &&
                       tokens->front().text == text;
    return plain ? text : '"' + text + '"';
  };
  return schema.empty() ? part(name) : part(schema) + "." + part(name);
}

// Of a definition whose header has the key: the header, or a row that leads to another definition,
// which has no column's name.
bool IsHeaderOrLink(ByteView row, const Bytes& header) {
  return row == header || row.starts_with(header + Bytes("\0\0", 2));
}

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::Open(Connection* connection, const Features& features) {
  std::unique_ptr<Catalog> catalog(new Catalog(connection, features));
  RETURN_IF_ERROR(catalog->CheckMapping());
  return catalog;
}

Result<std::shared_ptr<Table>> Catalog::OpenCatalogTable() {
  return api::OpenKnownTable(connection_, System(kCatalogName)->physical);
}

// ---------------------------------------------------------------- looking up

Result<std::shared_ptr<const TableMeta>> Catalog::GetTable(std::string_view schema,
                                                           std::string_view name, int64_t position,
                                                           int64_t as_of,
                                                           const std::string& tenant) {
  if (schema == kSystemSchema) {
    if (const auto& table = System(name)) {
      MutexLock lock(&ddl_mu_);
      RETURN_IF_ERROR(EnsureSystemTables());
      return table;
    }
  }
  TableKey key{tenant, std::string(schema), std::string(name)};
  ASSIGN_OR_RETURN(TablePtr table, FindTable(key, as_of));
  if (table == nullptr && !tenant.empty()) {
    key.tenant.clear();
    ASSIGN_OR_RETURN(table, FindTable(key, as_of));
  }
  if (table == nullptr) {
    const Status undefined = Undefined(schema, name, position);
    // Names of no statement are looked up to see whether there is a table.
    return position < 0 ? undefined : WithHint(undefined, OtherCaseAdvice(key, as_of));
  }
  if (tenant.empty() || !table->multi_tenant) return table;
  return SeenByTenant(table, tenant, as_of);
}

std::string Catalog::OtherCaseAdvice(const TableKey& missing, int64_t as_of) {
  const TableKey upper = {missing.tenant, parse::UpperCaseName(missing.schema),
                          parse::UpperCaseName(missing.name)};
  const TableKey lower_name = {missing.tenant, missing.schema, Lower(missing.name)};
  const TableKey lower = {missing.tenant, Lower(missing.schema), Lower(missing.name)};
  for (const TableKey& key : {upper, lower_name, lower}) {
    const auto found = FindTable(key, as_of);
    if (!found.ok() || *found == nullptr) continue;
    return fmt::format("there is {}: a name without double quotes is read in capital letters",
                       Written(key.schema, key.name));
  }
  return "";
}

Result<Catalog::TablePtr> Catalog::SeenByTenant(const TablePtr& table, const std::string& tenant,
                                                int64_t as_of) {
  const bool kept = as_of == kLatestTimestamp;
  if (kept) {
    if (TablePtr seen = cache_.FindSeen(tenant, table->key())) return seen;
  }
  ASSIGN_OR_RETURN(TableMeta seen, ForTenant(*table, tenant));
  auto shared = std::make_shared<const TableMeta>(std::move(seen));
  if (kept) cache_.KeepSeen(tenant, table, shared);
  return TablePtr(shared);
}

Result<Catalog::TablePtr> Catalog::FindTable(const TableKey& key, int64_t as_of) {
  uint64_t fingerprint = 0;
  if (as_of != kLatestTimestamp) return ReadTable(key, as_of, &fingerprint);
  NameRecorder::Note(key);
  const uint64_t statement = statement_.load(std::memory_order_relaxed);
  std::optional<DefinitionCache::Entry> known = cache_.Find(key);
  if (known.has_value() && shared_) {
    if (known->table->is_view() && !known->table->parent.name.empty()) {
      // A parent that was changed takes its views out of the cache.
      RETURN_IF_ERROR(FindTable(known->table->parent, as_of).status());
      known = cache_.Find(key);
    }
    if (known.has_value() && IsStale(*known)) {
      ASSIGN_OR_RETURN(const uint64_t now, ReadFingerprint(key));
      if (now == known->fingerprint) {
        cache_.Confirm(key, statement, connection_->NowMillis());
      } else {
        cache_.Forget(key);
        known.reset();
      }
    }
  }
  if (known.has_value()) return known->table;
  const uint64_t version_before = cache_.version();
  ASSIGN_OR_RETURN(TablePtr table, ReadTable(key, as_of, &fingerprint));
  if (table != nullptr) {
    cache_.Keep(key, {table, fingerprint, statement, connection_->NowMillis()}, version_before);
  }
  return table;
}

void Catalog::BeginStatement() {
  if (!shared_) return;
  if (writes_ == nullptr) {
    statement_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const Writes writes = writes_();
  if (writes.newest == writes_known_.load(std::memory_order_acquire)) return;
  statement_.fetch_add(1, std::memory_order_relaxed);
  // Behind the statement's number, so that who finds this one known looks again, too. What is not
  // visible yet has to be looked for once more.
  if (writes.newest <= writes.visible) {
    writes_known_.store(writes.newest, std::memory_order_release);
  }
}

bool Catalog::IsStale(const DefinitionCache::Entry& entry) const {
  if (entry.statement == statement_.load(std::memory_order_relaxed)) return false;
  if (writes_ != nullptr) return true;  // which is seldom
  const int64_t often_ms = entry.table->update_cache_frequency_ms;
  if (often_ms == kUpdateCacheNever) return false;
  return connection_->NowMillis() - entry.looked_ms >= often_ms;
}

Result<uint64_t> Catalog::ReadFingerprint(const TableKey& key) {
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  // Phoenix leaves the header as it is when a table gets an index.
  const Bytes header = EncodeCatalogKey({key.tenant, key.schema, key.name, {}, {}});
  Scan scan;
  scan.range = {header, true, header + Bytes("\0\1", 2), false};
  uint64_t fingerprint = 0;
  RETURN_IF_ERROR(ForEachRow(catalog.get(), scan, [&](const CatalogRow& row) {
    if (IsHeaderOrLink(row.key, header)) {
      fingerprint = Fingerprint(fingerprint, row.cells, row.cell_count);
    }
    return Status::Ok();
  }));
  return fingerprint;
}

Status Catalog::LookAgain(const std::set<TableKey>& names) {
  if (!shared_) return Status::Ok();
  // What is not in the cache was forgotten with a version of its own.
  for (const TableKey& key : names) {
    if (cache_.Find(key).has_value()) RETURN_IF_ERROR(FindTable(key, kLatestTimestamp).status());
  }
  return Status::Ok();
}

Result<Catalog::TablePtr> Catalog::ReadTable(const TableKey& key, int64_t as_of,
                                             uint64_t* fingerprint) {
  const TablePtr none;
  auto catalog = OpenCatalogTable();
  if (!catalog.ok()) {
    if (catalog.status().code() == StatusCode::kNotFound) return none;
    return catalog.status();
  }
  Scan scan;
  scan.range = RowsOfTable(key);
  if (as_of != kLatestTimestamp) scan.time_range.max = as_of;
  const Bytes header = EncodeCatalogKey({key.tenant, key.schema, key.name, {}, {}});
  TableReader reader;
  RETURN_IF_ERROR(ForEachRow(catalog->get(), scan, [&](const CatalogRow& row) {
    if (IsHeaderOrLink(row.key, header)) {
      *fingerprint = Fingerprint(*fingerprint, row.cells, row.cell_count);
    }
    return reader.Add(row);
  }));
  if (!reader.found()) return none;
  ASSIGN_OR_RETURN(TableMeta table, reader.Finish());
  if (table.is_view() && !table.parent.name.empty()) {
    ASSIGN_OR_RETURN(const TablePtr parent, FindTable(table.parent, as_of));
    if (parent == nullptr) return Undefined(table.parent.schema, table.parent.name, -1);
    RETURN_IF_ERROR(InheritFromParent(*parent, evaluate_, &table));
  }
  return std::make_shared<const TableMeta>(std::move(table));
}

void Catalog::Forget(const TableKey& key) {
  cache_.Forget(key);
  if (changed_) changed_(key);
}

Result<Catalog::DefinitionLocks> Catalog::LockDefinition(const TableKey& name,
                                                         const TableKey& over) {
  if (!shared_) return DefinitionLocks();
  ASSIGN_OR_RETURN(const auto mutexes, connection_->OpenTable(System("MUTEX")->physical));
  // A store of this process ends with it, and so do its locks.
  const Durability durability = remote_ ? Durability::kUseDefault : Durability::kSkipWal;
  for (;;) {
    ASSIGN_OR_RETURN(const TableKey below, TableBelow(over));
    std::vector<TableKey> keys = {below};
    if (name != below) keys.push_back(name);
    DefinitionLocks locks;
    for (const TableKey& key : keys) {
      ASSIGN_OR_RETURN(auto lock, DefinitionLock::Take(mutexes, key, durability));
      locks.push_back(std::move(lock));
    }
    // Definitions too that a table lets be kept for long.
    Invalidate();
    ASSIGN_OR_RETURN(const TableKey below_now, TableBelow(over));
    if (below_now != below) continue;
    for (const TableKey& key : keys) RETURN_IF_ERROR(PassTimesOf(key));
    return locks;
  }
}

Result<TableKey> Catalog::TableBelow(const TableKey& key) {
  const auto found = FindTable(key, kLatestTimestamp);
  // What is left of a view whose parent is gone.
  if (IsSqlError(found.status(), 1012)) return key;
  RETURN_IF_ERROR(found.status());
  const TablePtr& table = *found;
  if (table == nullptr) return key;
  if (table->is_index()) return TableBelow({key.tenant, key.schema, table->data_table_name});
  return table->is_view() && !table->base.name.empty() ? table->base : key;
}

Status Catalog::PassTimesOf(const TableKey& key) {
  if (!shared_) return Status::Ok();
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  Scan scan;
  scan.range = RowsOfTable(key);
  scan.raw = true;
  int64_t newest_ms = last_ddl_ms_;
  RETURN_IF_ERROR(ForEachRow(catalog.get(), scan, [&](const CatalogRow& row) {
    for (size_t i = 0; i < row.cell_count; ++i) {
      newest_ms = std::max(newest_ms, row.cells[i].timestamp());
    }
    return Status::Ok();
  }));
  last_ddl_ms_ = newest_ms;
  return Status::Ok();
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

// ---------------------------------------------------------------- SYSTEM tables

Status Catalog::CreatePhysical(const TableDescriptor& wanted, const std::vector<Bytes>& splits) {
  // An upgrade may have given the classes to the SYSTEM tables meanwhile, by whomever.
  if (!phoenix_runs_) {
    ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
    phoenix_runs_ = NamesPhoenixClasses(catalog->descriptor());
  }
  const TableDescriptor descriptor = WithKnownClasses(wanted);
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
  if (merged == table->descriptor()) return Status::Ok();
  return connection_->admin()->AlterTable(merged);
}

TableDescriptor Catalog::WithKnownClasses(TableDescriptor descriptor) const {
  if (phoenix_runs_) return descriptor;
  std::erase_if(descriptor.attributes, [](const auto& attribute) {
    return IsPhoenixClassAttribute(attribute.first, attribute.second);
  });
  return descriptor;
}

Status Catalog::EnsureSystemTables() {
  if (system_tables_checked_) return Status::Ok();
  const TableName& physical = System(kCatalogName)->physical;
  ASSIGN_OR_RETURN(const bool exists, connection_->admin()->TableExists(physical));
  if (exists && remote_) {
    ASSIGN_OR_RETURN(const auto catalog, connection_->OpenTable(physical));
    phoenix_runs_ = NamesPhoenixClasses(catalog->descriptor());
  } else if (!exists) {
    Status created = CreateSystemTables();
    // HBase's master looks for the classes of a new table. A cluster without Phoenix does without.
    if (!created.ok() && remote_ && created.message().find("org.apache.phoenix") != Bytes::npos) {
      phoenix_runs_ = false;
      created = CreateSystemTables();
    }
    RETURN_IF_ERROR(created);
  }
  system_tables_checked_ = true;
  return Status::Ok();
}

// The catalog's own table comes last, so that a crash in between only makes this run again.
Status Catalog::CreateSystemTables() {
  MutationBatch batch;
  const bool mapped = features_.system_is_mapped();
  if (mapped) RETURN_IF_ERROR(EnsureNamespace(std::string(kSystemSchema)));
  const auto& tables = SystemTables(mapped);
  for (auto it = tables.rbegin(); it != tables.rend(); ++it) {
    TableOptions options;
    if (!(*it)->ttl.empty()) options.family_attributes["TTL"] = (*it)->ttl;
    ASSIGN_OR_RETURN(const TableDescriptor descriptor, MakeDescriptor(**it, options));
    // SYSTEM.LOG is salted, but gets one region like the others: nothing is written to it here,
    // and where regions begin is no part of a salted key's meaning.
    Status status = connection_->admin()->CreateTable(WithKnownClasses(descriptor), {});
    if (!status.ok() && status.code() != StatusCode::kAlreadyExists) return status;
    // Which Phoenix comes to a cluster, now or later, is not known: 5.3 takes what 5.2 made.
    RETURN_IF_ERROR(remote_
                        ? AppendTableRows(AsOfPhoenix52(**it), kMetadataVersionTimestamp52, &batch)
                        : AppendTableRows(**it, kMetadataVersionTimestamp, &batch));
  }
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  return catalog->Write(&batch);
}

// ---------------------------------------------------------------- definitions

// Two definitions never share a millisecond: the markers of a DROP would hide a later CREATE.
int64_t Catalog::NextTimestamp(const DdlContext& context) {
  if (context.timestamp != kLatestTimestamp) return context.timestamp;
  last_ddl_ms_ = std::max(last_ddl_ms_ + 1, connection_->NowMillis());
  return last_ddl_ms_;
}

Status Catalog::CreateTable(const parse::CreateTable& statement, const DdlContext& context) {
  const parse::Name& qualifier = statement.name.qualifier;
  RETURN_IF_ERROR(CheckSchema(qualifier.empty() ? context.default_schema : qualifier.text,
                              statement.name.position()));
  ASSIGN_OR_RETURN(NewTable table, BuildTable(statement, context));
  if (!context.tenant.empty()) {
    return MakeSqlError(1030, "tableName=" + table.meta.FullName(), statement.name.position());
  }
  if (context.read_only) return MakeSqlError(518, "");
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto held, LockDefinition(table.meta.key()));
  ASSIGN_OR_RETURN(const bool taken, IsTaken(table.meta.key(), context.timestamp));
  if (taken) {
    if (!statement.if_not_exists) {
      return MakeSqlError(1013, "tableName=" + table.meta.FullName(), statement.name.position());
    }
    if (!table.meta.append_only_schema) return Status::Ok();
    ASSIGN_OR_RETURN(const TablePtr existing, FindTable(table.meta.key(), context.timestamp));
    if (existing == nullptr || existing->is_view()) return Status::Ok();
    ASSIGN_OR_RETURN(const parse::AlterTable missing,
                     AddMissingColumns(statement.name, statement.columns, statement.key));
    const Status added = AddColumns(*existing, missing, context);
    Forget(existing->key());
    return added;
  }
  ASSIGN_OR_RETURN(const bool was_there, connection_->admin()->TableExists(table.descriptor.name));
  RETURN_IF_ERROR(CreatePhysical(table.descriptor, table.splits));
  // Before the definition: once there is one, its rows are all there.
  if (was_there && !statement.no_verify) {
    RETURN_IF_ERROR(AddEmptyCells(table.meta, table.meta.empty_family));
  }
  const int64_t timestamp = NextTimestamp(context);
  RETURN_IF_ERROR(SweepOrphans(table.meta.key(), timestamp));
  // What is left of a view of that name, which is older than any new definition.
  RETURN_IF_ERROR(EraseRows(table.meta.key(), timestamp - 1));
  table.meta.last_ddl_timestamp = timestamp;
  MutationBatch batch;
  RETURN_IF_ERROR(AppendTableRows(table.meta, timestamp, &batch));
  ASSIGN_OR_RETURN(const auto catalog, OpenCatalogTable());
  RETURN_IF_ERROR(catalog->Write(&batch));
  Forget(table.meta.key());
  return Status::Ok();
}

Result<Catalog::Doomed> Catalog::FindDoomed(const parse::Drop& statement,
                                            const DdlContext& context) {
  Doomed doomed;
  TableKey& key = doomed.key;
  key.tenant = context.tenant;
  key.schema =
      statement.name.qualifier.empty() ? context.default_schema : statement.name.qualifier.text;
  key.name = statement.name.name.text;
  if (key.schema == kSystemSchema) {
    return MakeSqlError(1010, "tableName=" + FullTableName(key.schema, key.name),
                        statement.name.position());
  }
  const auto found = FindTable(key, context.timestamp);
  const auto type =
      statement.kind == parse::ObjectKind::kView ? TableType::kView : TableType::kTable;
  TablePtr table;
  if (found.ok()) {
    table = *found;
  } else if (!IsSqlError(found.status(), 1012) || !statement.if_exists) {
    return found.status();
  } else if (type == TableType::kView) {
    doomed.is_orphan = true;
    return doomed;
  }
  if (table == nullptr) {
    if (statement.if_exists) return doomed;
    return NothingToChange(key, nullptr, "DROP", OtherCaseAdvice(key, context.timestamp),
                           statement.name.position());
  }
  ASSIGN_OR_RETURN(const std::vector<TablePtr> children, ChildViews(key, context.timestamp));
  if (!children.empty() && !statement.cascade) {
    return MakeSqlError(1010, "tableName=" + table->FullName(), statement.name.position(),
                        "DROP … CASCADE drops the views over it too");
  }
  if (table->type != type) {
    if (statement.if_exists) return doomed;
    return NothingToChange(key, table.get(), "DROP", "", statement.name.position());
  }
  doomed.table = std::move(table);
  ASSIGN_OR_RETURN(doomed.views, DescendantViews(key, context.timestamp));
  return doomed;
}

Result<std::vector<Catalog::IndexAndTable>> Catalog::IndexesGoneWithView(
    const parse::Drop& statement, const DdlContext& context) {
  std::vector<IndexAndTable> gone;
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const Doomed doomed, FindDoomed(statement, context));
  if (doomed.table == nullptr || !doomed.table->is_view()) return gone;
  std::vector<TablePtr> owners = doomed.views;
  owners.push_back(doomed.table);
  for (const TablePtr& owner : owners) {
    ASSIGN_OR_RETURN(const std::vector<TablePtr> indexes, IndexesOf(*owner, context.timestamp));
    for (const TablePtr& index : indexes) gone.push_back({index, owner});
  }
  return gone;
}

// Over a cluster the HBase table goes first: a crash in between leaves a definition without data,
// which can be dropped again, and never old rows that a new table of the same name would show.
Status Catalog::DropTable(const parse::Drop& statement, const DdlContext& context,
                          std::vector<std::shared_ptr<const TableMeta>>* left) {
  const std::string& schema =
      statement.name.qualifier.empty() ? context.default_schema : statement.name.qualifier.text;
  MutexLock lock(&ddl_mu_);
  RETURN_IF_ERROR(EnsureSystemTables());
  ASSIGN_OR_RETURN(const auto held,
                   LockDefinition({context.tenant, schema, statement.name.name.text}));
  ASSIGN_OR_RETURN(const Doomed doomed, FindDoomed(statement, context));
  // What is left of a view without its parent.
  if (doomed.is_orphan) return EraseRows(doomed.key, NextTimestamp(context));
  if (doomed.table == nullptr) return Status::Ok();  // IF EXISTS
  const TableMeta& table = *doomed.table;
  Removal removal(connection_);
  // What a crash in between leaves of the views Phoenix's servers then drop.
  if (remote_ && !doomed.views.empty()) RETURN_IF_ERROR(AddDropTask(doomed.key, &removal));
  bool had_local_indexes = false;
  if (!table.is_view()) {
    const auto storage = connection_->OpenTable(table.physical);
    had_local_indexes = storage.ok() && HasLocalFamilies((*storage)->descriptor());
    removal.DropTable(table.physical);
  }
  std::vector<IndexAndTable> removed;
  for (const TablePtr& view : doomed.views) {
    RETURN_IF_ERROR(PassTimesOf(view->key()));
    RETURN_IF_ERROR(RemoveIndexesOf(*view, context, &removal, &removed));
  }
  // Nobody writes the table any more, so that nothing is missed by its indexes.
  RETURN_IF_ERROR(RemoveIndexesOf(table, context, &removal, &removed));
  if (!table.is_view()) {
    RETURN_IF_ERROR(ForgetViewIndexes(table, had_local_indexes, NextTimestamp(context), &removal));
  }
  const int64_t timestamp = NextTimestamp(context);
  std::vector<TablePtr> gone = doomed.views;
  gone.push_back(doomed.table);
  MutationBatch* const definitions = removal.RowsOf(System(kCatalogName)->physical);
  for (const TablePtr& one : gone) {
    RETURN_IF_ERROR(AppendErasure(one->key(), timestamp, definitions));
  }
  for (const TablePtr& one : gone) {
    if (!one->is_view() || one->view_type == ViewType::kMapped) continue;
    MutationBatch* const links = removal.RowsOf(System("CHILD_LINK")->physical);
    links->StartRow(EncodeChildLink(one->parent, one->key()));
    links->DeleteFamily(kCatalogFamily, timestamp);
  }
  RETURN_IF_ERROR(removal.Run());
  for (const IndexAndTable& one : removed) {
    Forget(one.index->key());
    Forget(one.table->key());
    if (table.is_view() && one.index->shares_its_table()) left->push_back(one.index);
  }
  for (const TablePtr& one : gone) Forget(one->key());
  return Status::Ok();
}

}  // namespace bennu::sql::catalog
