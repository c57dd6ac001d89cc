#include "src/server/console/cluster_view.h"

#include <map>
#include <string_view>
#include <utility>

#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/machine_memory.h"
#include "src/base/status_macros.h"

namespace bennu::server::console {

namespace {

constexpr std::chrono::milliseconds kPatience{5000};
constexpr uint64_t kMegabyte = 1 << 20;

using RegionLoad = api::ClusterControl::RegionLoad;
using Server = api::ClusterControl::Server;

// Of "table,start key,id.encoded."; a table's name has no comma.
std::string_view TableOf(const RegionLoad& region) {
  return std::string_view(region.name).substr(0, region.name.find(','));
}

void Add(const RegionLoad& region, TableCounts* counts) {
  ++counts->regions;
  counts->store_files += region.store_files;
  counts->file_bytes += region.store_file_mb * kMegabyte;
  counts->memstore_bytes += region.memstore_mb * kMegabyte;
  counts->reads += region.reads;
  counts->writes += region.writes;
}

std::map<TableName, TableCounts> CountByTable(const api::ClusterControl::State& state) {
  std::map<TableName, TableCounts> counts;
  for (const Server& server : state.servers) {
    for (const RegionLoad& region : server.regions) {
      const auto table = TableName::Parse(TableOf(region));
      if (table.ok()) Add(region, &counts[*table]);
    }
  }
  return counts;
}

// 'load' is null for a region that no server has.
Json RegionJson(const RegionInfo& info, const RegionLoad* load, const std::string& server) {
  Json region = {{"region", info.EncodedName()},
                 {"start_key", ToStringBinary(info.start_key)},
                 {"end_key", ToStringBinary(info.end_key)},
                 {"open", load != nullptr}};
  if (load == nullptr) return region;
  region["server"] = server;
  region["store_files"] = load->store_files;
  region["file_bytes"] = load->store_file_mb * kMegabyte;
  region["uncompressed_bytes"] = load->uncompressed_mb * kMegabyte;
  region["memstore_bytes"] = load->memstore_mb * kMegabyte;
  region["last_major_compaction_ms"] = load->last_major_compaction_millis;
  region["reads"] = load->reads;
  region["writes"] = load->writes;
  return region;
}

}  // namespace

Result<client::ClusterConnection*> ClusterView::Connected() {
  MutexLock lock(&mu_);
  if (connection_ == nullptr) {
    ASSIGN_OR_RETURN(connection_, sources_.cluster->ConnectAgain(kPatience));
  }
  return connection_.get();
}

Result<std::shared_ptr<const ClusterView::State>> ClusterView::ReadState() {
  return state_.Get([this]() -> Result<State> {
    ASSIGN_OR_RETURN(client::ClusterConnection* const connection, Connected());
    return connection->control()->ReadState();
  });
}

Result<std::shared_ptr<const std::vector<ListedTable>>> ClusterView::ReadTables() {
  return tables_.Get([this]() -> Result<std::vector<ListedTable>> {
    ASSIGN_OR_RETURN(client::ClusterConnection* const connection, Connected());
    return ListTables(connection, sources_.cluster->sql_host());
  });
}

Result<Json> ClusterView::Overview(size_t sessions) {
  Json json = {
      {"version", sources_.version},
      {"cluster", sources_.cluster->target()},
      {"endpoints", sources_.endpoints},
      {"start_ms", sources_.start_millis},
      {"now_ms", Env::Default()->NowMillis()},
      {"memory",
       {{"resident_bytes", ResidentMemoryBytes(Env::Default())},
        {"max_bytes", sources_.memory_bytes_max}}},
      {"connections", {{"phoenix", sources_.phoenix_connections()}, {"console", sessions}}}};
  const auto state = ReadState();
  if (!state.ok()) {
    json["cluster_error"] = state.status().message();
    return json;
  }
  TableCounts all;
  size_t tables = 0;
  for (const auto& [table, counts] : CountByTable(**state)) {
    if (table.name_space != "hbase") ++tables;
    all.regions += counts.regions;
    all.store_files += counts.store_files;
    all.file_bytes += counts.file_bytes;
    all.memstore_bytes += counts.memstore_bytes;
  }
  json["hbase_version"] = (*state)->hbase_version;
  json["master"] = (*state)->master;
  json["servers"] = {{"live", (*state)->servers.size()}, {"dead", (*state)->dead_servers.size()}};
  json["tables"] = tables;
  json["regions"] = {{"open", all.regions},
                     {"in_transition", (*state)->regions_in_transition.size()}};
  json["store_files"] = {{"count", all.store_files}, {"bytes", all.file_bytes}};
  json["memstores"] = {{"bytes", all.memstore_bytes}};
  return json;
}

Result<Json> ClusterView::Metrics() {
  return Json{{"now_ms", Env::Default()->NowMillis()},
              {"start_ms", sources_.start_millis},
              {"resident_bytes", ResidentMemoryBytes(Env::Default())}};
}

Result<Json> ClusterView::Tables() {
  ASSIGN_OR_RETURN(const auto state, ReadState());
  ASSIGN_OR_RETURN(const auto tables, ReadTables());
  return Json{{"now_ms", Env::Default()->NowMillis()},
              {"tables", WithCounts(*tables, CountByTable(*state))}};
}

Result<Json> ClusterView::Describe(const std::string& text) {
  ASSIGN_OR_RETURN(const TableName name, TableName::Parse(text));
  ASSIGN_OR_RETURN(const auto state, ReadState());
  ASSIGN_OR_RETURN(client::ClusterConnection* const connection, Connected());
  ASSIGN_OR_RETURN(const auto opened, connection->OpenTable(name));
  std::map<std::string_view, std::pair<const Server*, const RegionLoad*>> served;
  for (const Server& server : state->servers) {
    for (const RegionLoad& region : server.regions) served[region.name] = {&server, &region};
  }
  Json table = {{"name", name.ToString()}};
  AddSqlName(sources_.cluster->sql_host(), name, &table);
  const TableDescriptor descriptor = opened->descriptor();
  Json families = Json::array();
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    families.push_back({{"name", ToStringBinary(family.name)}, {"attributes", family.attributes}});
  }
  table["families"] = std::move(families);
  table["attributes"] = descriptor.attributes;
  Json list = Json::array();
  for (const RegionInfo& info : opened->regions()) {
    const std::string region = info.RegionName();
    const auto found = served.find(region);
    const bool is_served = found != served.end();
    list.push_back(RegionJson(info, is_served ? found->second.second : nullptr,
                              is_served ? found->second.first->name : ""));
  }
  table["regions"] = std::move(list);
  return table;
}

}  // namespace bennu::server::console
