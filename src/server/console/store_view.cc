#include "src/server/console/store_view.h"

#include <map>
#include <utility>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/machine_memory.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/root_layout.h"
#include "src/server/console/table_list.h"

namespace bennu::server::console {

namespace {

void Add(const status::RegionMetrics& region, TableCounts* counts) {
  ++counts->regions;
  counts->store_files += region.store_files;
  counts->file_bytes += region.store_file_bytes;
  counts->memstore_bytes += region.memstore_bytes;
  counts->reads += region.reads;
  counts->writes += region.writes;
}

TableCounts CountAll(const status::ServerMetrics& metrics) {
  TableCounts counts;
  for (const status::RegionMetrics& region : metrics.regions) Add(region, &counts);
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

// The bytes of a family's files in all regions; nothing where the store has no directory.
uint64_t FamilyBytes(const StoreSources& sources, const TableName& table,
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

Json IndexBuildsJson(front::OpenedStore* store) {
  const sql::session::IndexBuildCounts builds = store->sql_host()->index_builds();
  const int64_t now = store->engine()->NowMillis();
  Json running = Json::array();
  for (const sql::session::RunningIndexBuild& build : builds.running) {
    Json item = {{"table", build.table},
                 {"index", build.index},
                 {"background", build.in_background},
                 {"start_ms", build.start_millis},
                 {"ms", now - build.start_millis},
                 {"rows", build.rows}};
    if (build.total.has_value()) item["expected_rows"] = *build.total;
    if (!build.tenant.empty()) item["tenant"] = build.tenant;
    running.push_back(std::move(item));
  }
  return {{"completed", builds.completed},
          {"failed", builds.failed},
          {"cancelled", builds.cancelled},
          {"running", std::move(running)}};
}

}  // namespace

Result<Json> StoreView::Overview(size_t sessions) {
  const status::ServerMetrics metrics = sources_.metrics();
  const engine::EngineStatus& engine = metrics.engine;
  const TableCounts all = CountAll(metrics);
  const auto tables = sources_.store->engine()->admin()->ListTables();
  return Json{
      {"version", sources_.version},
      {"server_name", metrics.server_name},
      {"cluster_id", metrics.cluster_id},
      {"endpoints", sources_.endpoints},
      {"directory", sources_.directory},
      {"start_ms", metrics.start_millis},
      {"now_ms", metrics.now_millis},
      {"read_only", engine.read_only},
      {"read_only_reason", engine.read_only_reason},
      {"last_background_error", engine.last_background_error},
      {"memory",
       {{"resident_bytes", ResidentMemoryBytes(Env::Default())},
        {"max_bytes", sources_.memory_bytes_max}}},
      {"block_cache",
       {{"bytes", engine.block_cache_bytes},
        {"max_bytes", engine.block_cache_capacity_bytes},
        {"hits", engine.block_cache_hits},
        {"misses", engine.block_cache_misses},
        {"evictions", engine.block_cache_evictions}}},
      {"memstores", {{"bytes", engine.memstore_bytes}, {"max_bytes", sources_.memstore_bytes_max}}},
      {"log", {{"files", engine.wal_files}}},
      {"tables", tables.ok() ? tables->size() : 0},
      {"regions", {{"open", engine.open_regions}, {"all", engine.regions}}},
      {"store_files", {{"count", all.store_files}, {"bytes", all.file_bytes}}},
      {"connections",
       {{"hbase", metrics.connections},
        {"phoenix", sources_.phoenix_connections()},
        {"console", sessions}}},
      {"calls",
       {{"in_flight", metrics.calls_in_flight},
        {"waiting", metrics.calls_waiting},
        {"scanners", metrics.scanners},
        {"slow", metrics.slow_calls},
        {"large", metrics.large_calls}}}};
}

Result<Json> StoreView::Metrics() {
  const status::ServerMetrics metrics = sources_.metrics();
  const engine::EngineStatus& engine = metrics.engine;
  const TableCounts all = CountAll(metrics);
  uint64_t failures = 0;
  for (const auto& [name, count] : metrics.failures) failures += count;
  return Json{{"now_ms", metrics.now_millis},
              {"start_ms", metrics.start_millis},
              {"reads", all.reads},
              {"writes", all.writes},
              {"calls", ToJson(metrics.total_micros)},
              {"call_failures", failures},
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

Result<Json> StoreView::Tables() {
  const status::ServerMetrics metrics = sources_.metrics();
  std::map<TableName, TableCounts> counts;
  for (const status::RegionMetrics& region : metrics.regions) {
    Add(region, &counts[{region.name_space, region.table}]);
  }
  ASSIGN_OR_RETURN(const auto tables,
                   ListTables(sources_.store->engine(), sources_.store->sql_host()));
  return Json{{"now_ms", metrics.now_millis}, {"tables", WithCounts(tables, counts)}};
}

Result<Json> StoreView::Describe(const std::string& text) {
  ASSIGN_OR_RETURN(const TableName name, TableName::Parse(text));
  ASSIGN_OR_RETURN(const auto opened, sources_.store->engine()->OpenTable(name));
  Admin* const admin = sources_.store->engine()->admin();
  ASSIGN_OR_RETURN(const std::vector<RegionStatus> regions, admin->ListRegions(name));
  const status::ServerMetrics metrics = sources_.metrics();
  std::map<std::string, const status::RegionMetrics*> counted;
  for (const status::RegionMetrics& region : metrics.regions) counted[region.region] = &region;

  Json table = {{"name", name.ToString()}};
  AddSqlName(sources_.store->sql_host(), name, &table);
  const TableDescriptor descriptor = opened->descriptor();
  Json families = Json::array();
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    families.push_back({{"name", ToStringBinary(family.name)},
                        {"file_bytes", FamilyBytes(sources_, name, regions, family.name)},
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

Json StoreView::Maintenance() {
  const engine::EngineStatus engine = sources_.store->engine()->GetStatus();
  return {{"flushes", engine.flushes},
          {"compactions", engine.compactions},
          {"failures", engine.background_failures},
          {"flushes_waiting", engine.flushes_waiting},
          {"compactions_waiting", engine.compactions_waiting},
          {"compactions_on", sources_.store->engine()->compactions_on()},
          {"running", ItemsOf(engine.running)},
          {"ended", ItemsOf(engine.ended)},
          {"index_builds", IndexBuildsJson(sources_.store)}};
}

Json StoreView::SlowCalls() {
  Json calls = Json::array();
  for (const hbase::SlowCall& call : sources_.slow_calls()) {
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
  return calls;
}

}  // namespace bennu::server::console
