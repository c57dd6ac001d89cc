#include "src/server/console/status.h"

#include <map>
#include <utility>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/machine_memory.h"
#include "src/base/status_macros.h"
#include "src/engine/root_layout.h"
#include "src/sql/session/sql_store.h"

namespace bennu::server::console {

namespace {

constexpr double kNanosPerMilli = 1e6;

struct Counts {
  size_t regions = 0;
  size_t store_files = 0;
  uint64_t file_bytes = 0;
  uint64_t memstore_bytes = 0;
  uint64_t reads = 0;
  uint64_t writes = 0;

  void Add(const status::RegionMetrics& region) {
    ++regions;
    store_files += region.store_files;
    file_bytes += region.store_file_bytes;
    memstore_bytes += region.memstore_bytes;
    reads += region.reads;
    writes += region.writes;
  }
  void AddTo(Json* json) const {
    (*json)["regions"] = regions;
    (*json)["store_files"] = store_files;
    (*json)["file_bytes"] = file_bytes;
    (*json)["memstore_bytes"] = memstore_bytes;
    (*json)["reads"] = reads;
    (*json)["writes"] = writes;
  }
};

Counts CountAll(const status::ServerMetrics& metrics) {
  Counts counts;
  for (const status::RegionMetrics& region : metrics.regions) counts.Add(region);
  return counts;
}

std::string_view NameOf(engine::WorkItem::Kind kind) {
  switch (kind) {
    case engine::WorkItem::Kind::kFlush: return "flush";
    case engine::WorkItem::Kind::kMinorCompaction: return "compaction";
    case engine::WorkItem::Kind::kMajorCompaction: return "major compaction";
  }
  return "";
}

std::string_view NameOf(CompactionState state) {
  switch (state) {
    case CompactionState::kNone: return "none";
    case CompactionState::kMinor: return "minor";
    case CompactionState::kMajor: return "major";
    case CompactionState::kMajorAndMinor: return "major and minor";
  }
  return "";
}

Json ItemsOf(const std::vector<engine::WorkItem>& items) {
  Json list = Json::array();
  for (const engine::WorkItem& item : items) {
    Json json = {{"kind", NameOf(item.kind)},
                 {"table", item.table},
                 {"region", item.region},
                 {"start_ms", item.start_millis},
                 {"ms", static_cast<double>(item.nanos) / kNanosPerMilli}};
    if (!item.family.empty()) json["family"] = item.family;
    if (!item.error.empty()) json["error"] = item.error;
    list.push_back(std::move(json));
  }
  return list;
}

std::shared_ptr<const sql::catalog::TableMeta> SqlTableOf(const Sources& sources,
                                                          const TableName& name) {
  const auto sql = sources.store->Sql();
  if (!sql.ok()) return nullptr;
  sql::catalog::Catalog* const catalog = (*sql)->catalog();
  const auto key = catalog->KeyOfPhysical(name);
  if (!key.ok()) return nullptr;
  auto table = catalog->GetTable(key->schema, key->name);
  return table.ok() ? std::move(table).value() : nullptr;
}

void AddSqlName(const Sources& sources, const TableName& name, Json* json) {
  const auto table = SqlTableOf(sources, name);
  if (table == nullptr) return;
  (*json)["sql_name"] = table->FullName();
  (*json)["sql_type"] = table->is_index()                                 ? "index"
                        : table->is_view()                                ? "view"
                        : table->type == sql::catalog::TableType::kSystem ? "system"
                                                                          : "table";
  if (table->is_salted()) (*json)["salt_buckets"] = table->salt_buckets;
}

// The bytes of a family's files in all regions; nothing where the store has no directory.
uint64_t FamilyBytes(const Sources& sources, const TableName& table,
                     const std::vector<RegionStatus>& regions, const Bytes& family) {
  Env* const env = sources.store->engine()->env();
  const engine::RootLayout layout(sources.directory);
  uint64_t bytes = 0;
  for (const RegionStatus& region : regions) {
    const std::string directory =
        JoinPath(layout.RegionDirectory(table, region.info.EncodedName()), family);
    const auto files = env->ListDirectory(directory);
    if (!files.ok()) continue;  // nothing was flushed yet, or the region is gone
    for (const std::string& file : *files) {
      const auto size = env->FileSize(JoinPath(directory, file));
      if (size.ok()) bytes += *size;
    }
  }
  return bytes;
}

Json RegionJson(const RegionStatus& status, const status::RegionMetrics* counted) {
  return {{"region", status.info.EncodedName()},
          {"start_key", ToStringBinary(status.info.start_key)},
          {"end_key", ToStringBinary(status.info.end_key)},
          {"open", status.open},
          {"store_files", status.store_files},
          {"file_bytes", status.file_bytes},
          {"uncompressed_bytes", status.uncompressed_bytes},
          {"memstore_bytes", status.memstore_bytes},
          {"index_bytes", status.index_bytes},
          {"bloom_bytes", status.bloom_bytes},
          {"compaction", NameOf(status.compaction)},
          {"last_major_compaction_ms", status.last_major_compaction_millis},
          {"reads", counted == nullptr ? 0 : counted->reads},
          {"writes", counted == nullptr ? 0 : counted->writes}};
}

}  // namespace

Json OverviewJson(const Sources& sources, size_t sessions) {
  const status::ServerMetrics metrics = sources.metrics();
  const engine::EngineStatus& engine = metrics.engine;
  const Counts all = CountAll(metrics);
  const auto tables = sources.store->engine()->admin()->ListTables();
  return {
      {"version", sources.version},
      {"server_name", metrics.server_name},
      {"cluster_id", metrics.cluster_id},
      {"endpoints", sources.endpoints},
      {"directory", sources.directory},
      {"start_ms", metrics.start_millis},
      {"now_ms", metrics.now_millis},
      {"read_only", engine.read_only},
      {"read_only_reason", engine.read_only_reason},
      {"last_background_error", engine.last_background_error},
      {"memory",
       {{"resident_bytes", ResidentMemoryBytes(Env::Default())},
        {"max_bytes", sources.memory_bytes_max}}},
      {"block_cache",
       {{"bytes", engine.block_cache_bytes},
        {"max_bytes", engine.block_cache_capacity_bytes},
        {"hits", engine.block_cache_hits},
        {"misses", engine.block_cache_misses},
        {"evictions", engine.block_cache_evictions}}},
      {"memstores", {{"bytes", engine.memstore_bytes}, {"max_bytes", sources.memstore_bytes_max}}},
      {"log", {{"files", engine.wal_files}}},
      {"tables", tables.ok() ? tables->size() : 0},
      {"regions", {{"open", engine.open_regions}, {"all", engine.regions}}},
      {"store_files", {{"count", all.store_files}, {"bytes", all.file_bytes}}},
      {"connections",
       {{"hbase", metrics.connections},
        {"phoenix", sources.phoenix_connections()},
        {"console", sessions}}},
      {"calls",
       {{"in_flight", metrics.calls_in_flight},
        {"waiting", metrics.calls_waiting},
        {"scanners", metrics.scanners},
        {"slow", metrics.slow_calls},
        {"large", metrics.large_calls}}}};
}

Json MetricsJson(const Sources& sources, const StatementLog& statements) {
  const status::ServerMetrics metrics = sources.metrics();
  const engine::EngineStatus& engine = metrics.engine;
  const Counts all = CountAll(metrics);
  uint64_t failures = 0;
  for (const auto& [name, count] : metrics.failures) failures += count;
  return {{"now_ms", metrics.now_millis},
          {"start_ms", metrics.start_millis},
          {"reads", all.reads},
          {"writes", all.writes},
          {"calls", ToJson(metrics.total_micros)},
          {"call_failures", failures},
          {"statements", ToJson(statements.micros())},
          {"request_bytes", metrics.request_bytes.sum},
          {"response_bytes", metrics.response_bytes.sum},
          {"block_cache_hits", engine.block_cache_hits},
          {"block_cache_misses", engine.block_cache_misses},
          {"block_cache_bytes", engine.block_cache_bytes},
          {"memstore_bytes", engine.memstore_bytes},
          {"resident_bytes", ResidentMemoryBytes(Env::Default())},
          {"flushes", engine.flushes},
          {"compactions", engine.compactions}};
}

Result<Json> TablesJson(const Sources& sources) {
  const status::ServerMetrics metrics = sources.metrics();
  std::map<TableName, Counts> counts;
  for (const status::RegionMetrics& region : metrics.regions) {
    counts[{region.name_space, region.table}].Add(region);
  }
  Admin* const admin = sources.store->engine()->admin();
  ASSIGN_OR_RETURN(const std::vector<TableName> names, admin->ListTables());
  Json tables = Json::array();
  for (const TableName& name : names) {
    const auto opened = sources.store->engine()->OpenTable(name);
    if (!opened.ok()) continue;  // dropped meanwhile
    const auto enabled = admin->IsTableEnabled(name);
    Json table = {{"name", name.ToString()}};
    AddSqlName(sources, name, &table);
    table["enabled"] = !enabled.ok() || *enabled;
    Json families = Json::array();
    for (const ColumnFamilyDescriptor& family : (*opened)->descriptor().families) {
      families.push_back(ToStringBinary(family.name));
    }
    table["families"] = std::move(families);
    counts[name].AddTo(&table);
    tables.push_back(std::move(table));
  }
  return Json{{"now_ms", metrics.now_millis}, {"tables", std::move(tables)}};
}

Result<Json> TableJson(const Sources& sources, const std::string& text) {
  ASSIGN_OR_RETURN(const TableName name, TableName::Parse(text));
  ASSIGN_OR_RETURN(const auto opened, sources.store->engine()->OpenTable(name));
  Admin* const admin = sources.store->engine()->admin();
  ASSIGN_OR_RETURN(const std::vector<RegionStatus> regions, admin->ListRegions(name));
  const status::ServerMetrics metrics = sources.metrics();
  std::map<std::string, const status::RegionMetrics*> counted;
  for (const status::RegionMetrics& region : metrics.regions) counted[region.region] = &region;

  Json table = {{"name", name.ToString()}};
  AddSqlName(sources, name, &table);
  const TableDescriptor descriptor = opened->descriptor();
  Json families = Json::array();
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    families.push_back({{"name", ToStringBinary(family.name)},
                        {"file_bytes", FamilyBytes(sources, name, regions, family.name)},
                        {"attributes", family.attributes}});
  }
  table["families"] = std::move(families);
  table["attributes"] = descriptor.attributes;
  Json list = Json::array();
  for (const RegionStatus& region : regions) {
    const auto found = counted.find(region.info.EncodedName());
    list.push_back(RegionJson(region, found == counted.end() ? nullptr : found->second));
  }
  table["regions"] = std::move(list);
  return table;
}

Json MaintenanceJson(const Sources& sources) {
  const engine::EngineStatus engine = sources.store->engine()->GetStatus();
  return {{"flushes", engine.flushes},
          {"compactions", engine.compactions},
          {"failures", engine.background_failures},
          {"flushes_waiting", engine.flushes_waiting},
          {"compactions_waiting", engine.compactions_waiting},
          {"compactions_on", sources.store->engine()->compactions_on()},
          {"running", ItemsOf(engine.running)},
          {"ended", ItemsOf(engine.ended)}};
}

Result<Json> StatementsJson(const Sources& sources) {
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, sources.store->Sql());
  const int64_t now = sources.store->engine()->NowMillis();
  Json list = Json::array();
  for (const sql::session::RunningStatement& running : sql->statements()->List("")) {
    Json json = {{"id", running.id},
                 {"text", running.text.substr(0, StatementLog::kTextBytesMax)},
                 {"start_ms", running.start_millis},
                 {"ms", now - running.start_millis},
                 {"rows_read", running.progress.rows_read},
                 {"rows_returned", running.progress.rows_returned},
                 {"parts", running.progress.morsels},
                 {"parts_done", running.progress.morsels_done},
                 {"memory_bytes", running.progress.memory_bytes}};
    if (!running.tenant.empty()) json["tenant"] = running.tenant;
    list.push_back(std::move(json));
  }
  return Json{{"now_ms", now}, {"statements", std::move(list)}};
}

Json SlowJson(const Sources& sources, const StatementLog& log) {
  Json statements = Json::array();
  for (const SlowStatement& slow : log.Slow()) {
    Json json = {{"text", slow.text},
                 {"start_ms", slow.start_millis},
                 {"ms", static_cast<double>(slow.nanos) / kNanosPerMilli},
                 {"rows_read", slow.rows_read},
                 {"rows_returned", slow.rows_returned}};
    if (!slow.tenant.empty()) json["tenant"] = slow.tenant;
    statements.push_back(std::move(json));
  }
  Json calls = Json::array();
  for (const hbase::SlowCall& call : sources.slow_calls()) {
    calls.push_back({{"method", call.method},
                     {"service", call.service},
                     {"table", call.table},
                     {"region", call.region},
                     {"rows", call.rows},
                     {"client", call.client},
                     {"user", call.user},
                     {"start_ms", call.start_millis},
                     {"queue_ms", call.queue_millis},
                     {"ms", call.processing_millis},
                     {"response_bytes", call.response_bytes},
                     {"slow", call.slow},
                     {"large", call.large}});
  }
  return {{"statement_ms_min", static_cast<double>(log.slow_nanos()) / kNanosPerMilli},
          {"statements", std::move(statements)},
          {"calls", std::move(calls)}};
}

}  // namespace bennu::server::console
