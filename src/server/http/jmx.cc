// JSON as HBase's JMXJsonServlet writes it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/json_text.h"
#include "src/server/http/server_metrics.h"

namespace bennu::server::http {

namespace {

using hbase::HistogramCounts;

constexpr uint64_t kMicrosPerMilli = 1000;

// '*' stands for any text, '?' for one character.
bool Matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

class Beans {
 public:
  explicit Beans(std::string_view query) : query_(query) {}

  // Starts a bean; false when the query does not ask for it.
  bool Begin(std::string_view name) {
    if (!query_.empty() && !Matches(query_, name)) return false;
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += "  {\n    \"name\" : ";
    AppendJsonString(name, &text_);
    Text("modelerType", name.substr(name.find(",name=") + 6));
    return true;
  }
  void End() { text_ += "\n  }"; }

  void Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(value, &text_);
  }
  template <typename Number>
  void Add(std::string_view key, Number value) {
    Key(key);
    text_ += fmt::format("{}", value);
  }
  // 'unit': what values are divided by.
  void Spread(std::string_view key, const HistogramCounts& counts, uint64_t unit) {
    static constexpr std::array<std::pair<const char*, double>, 8> kQuantiles = {{
        {"_25th_percentile", 0.25},
        {"_median", 0.5},
        {"_75th_percentile", 0.75},
        {"_90th_percentile", 0.9},
        {"_95th_percentile", 0.95},
        {"_98th_percentile", 0.98},
        {"_99th_percentile", 0.99},
        {"_99.9th_percentile", 0.999},
    }};
    const std::string name(key);
    Add(name + "_num_ops", counts.count);
    Add(name + "_min", counts.Min() / unit);
    Add(name + "_max", counts.max / unit);
    Add(name + "_mean", counts.Mean() / static_cast<double>(unit));
    for (const auto& [suffix, share] : kQuantiles) {
      Add(name + suffix, counts.Quantile(share) / unit);
    }
  }
  std::string Take() { return "{\n  \"beans\" : [" + std::move(text_) + "\n  ]\n}\n"; }

 private:
  void Key(std::string_view key) {
    text_ += ",\n    ";
    AppendJsonString(key, &text_);
    text_ += " : ";
  }

  const std::string_view query_;
  bool first_ = true;
  std::string text_;
};

struct Sums {
  uint64_t stores = 0, files = 0, file_bytes = 0, memstore_bytes = 0, reads = 0, writes = 0;
  void Add(const RegionMetrics& region) {
    stores += region.stores;
    files += region.store_files;
    file_bytes += region.store_file_bytes;
    memstore_bytes += region.memstore_bytes;
    reads += region.reads;
    writes += region.writes;
  }
};

void AddTags(const ServerMetrics& metrics, std::string_view context, Beans* beans) {
  beans->Text("tag.zookeeperQuorum", metrics.zookeeper_quorum);
  beans->Text("tag.serverName", metrics.server_name);
  beans->Text("tag.clusterId", metrics.cluster_id);
  beans->Text("tag.Context", context);
  beans->Text("tag.Hostname", metrics.host);
}

void AddRegionServer(const ServerMetrics& metrics, Beans* beans) {
  if (!beans->Begin("Hadoop:service=HBase,name=RegionServer,sub=Server")) return;
  Sums sums;
  for (const RegionMetrics& region : metrics.regions) sums.Add(region);
  const engine::EngineStatus& engine = metrics.engine;
  AddTags(metrics, "regionserver", beans);
  beans->Add("regionServerStartTime", metrics.start_millis);
  beans->Add("regionCount", engine.regions);
  beans->Add("storeCount", sums.stores);
  beans->Add("hlogFileCount", engine.wal_files);
  beans->Add("storeFileCount", sums.files);
  beans->Add("storeFileSize", sums.file_bytes);
  beans->Add("memStoreSize", engine.memstore_bytes);
  beans->Add("totalRequestCount", metrics.total_micros.count);
  beans->Add("totalRowActionRequestCount", sums.reads + sums.writes);
  beans->Add("readRequestCount", sums.reads);
  beans->Add("writeRequestCount", sums.writes);
  beans->Add("activeScanners", metrics.scanners);
  beans->Add("blockCacheSize", engine.block_cache_bytes);
  beans->Add("blockCacheFreeSize",
             engine.block_cache_capacity_bytes -
                 std::min(engine.block_cache_bytes, engine.block_cache_capacity_bytes));
  beans->Add("blockCacheHitCount", engine.block_cache_hits);
  beans->Add("blockCacheMissCount", engine.block_cache_misses);
  beans->Add("blockCacheEvictionCount", engine.block_cache_evictions);
  const uint64_t asked = engine.block_cache_hits + engine.block_cache_misses;
  beans->Add("blockCacheCountHitPercent",
             asked == 0 ? 0.0
                        : 100.0 * static_cast<double>(engine.block_cache_hits) /
                              static_cast<double>(asked));
  beans->Add("percentFilesLocal", 100.0);
  // Calls of single methods, as HBase counts its operations.
  for (const MethodCounts& method : metrics.methods) {
    if (method.service != "ClientService") continue;
    if (method.method == "Get") beans->Spread("Get", method.micros, kMicrosPerMilli);
    if (method.method == "Mutate") beans->Spread("Mutate", method.micros, kMicrosPerMilli);
    if (method.method == "Multi") beans->Spread("Multi", method.micros, kMicrosPerMilli);
    if (method.method == "Scan") beans->Spread("ScanTime", method.micros, kMicrosPerMilli);
  }
  beans->End();
}

void AddIpc(const ServerMetrics& metrics, std::string_view name, Beans* beans) {
  if (!beans->Begin(fmt::format("Hadoop:service=HBase,name={},sub=IPC", name))) return;
  beans->Text("tag.Context", name == "Master" ? "master" : "regionserver");
  beans->Text("tag.Hostname", metrics.host);
  beans->Add("numCallsInGeneralQueue", metrics.calls_waiting);
  beans->Add("numCallsInReplicationQueue", 0);
  beans->Add("numCallsInPriorityQueue", 0);
  beans->Add("numOpenConnections", metrics.connections);
  beans->Add("numActiveHandler", metrics.handlers_active);
  beans->Add("receivedBytes", metrics.request_bytes.sum);
  beans->Add("sentBytes", metrics.response_bytes.sum);
  uint64_t failures = 0;
  for (const auto& [exception, count] : metrics.failures) {
    failures += count;
    beans->Add("exceptions." + exception, count);
  }
  beans->Add("exceptions", failures);
  beans->Spread("QueueCallTime", metrics.queue_micros, kMicrosPerMilli);
  beans->Spread("ProcessCallTime", metrics.process_micros, kMicrosPerMilli);
  beans->Spread("TotalCallTime", metrics.total_micros, kMicrosPerMilli);
  beans->Spread("RequestSize", metrics.request_bytes, 1);
  beans->Spread("ResponseSize", metrics.response_bytes, 1);
  beans->End();
}

void AddRegions(const ServerMetrics& metrics, Beans* beans) {
  if (!beans->Begin("Hadoop:service=HBase,name=RegionServer,sub=Regions")) return;
  beans->Text("tag.Context", "regionserver");
  beans->Text("tag.Hostname", metrics.host);
  for (const RegionMetrics& region : metrics.regions) {
    const std::string prefix = fmt::format("Namespace_{}_table_{}_region_{}_metric_",
                                           region.name_space, region.table, region.region);
    beans->Add(prefix + "storeCount", region.stores);
    beans->Add(prefix + "storeFileCount", region.store_files);
    beans->Add(prefix + "storeFileSize", region.store_file_bytes);
    beans->Add(prefix + "memStoreSize", region.memstore_bytes);
    beans->Add(prefix + "readRequestCount", region.reads);
    beans->Add(prefix + "writeRequestCount", region.writes);
  }
  beans->Add("numRegions", metrics.regions.size());
  beans->End();
}

void AddTables(const ServerMetrics& metrics, Beans* beans) {
  if (!beans->Begin("Hadoop:service=HBase,name=RegionServer,sub=Tables")) return;
  beans->Text("tag.Context", "regionserver");
  beans->Text("tag.Hostname", metrics.host);
  std::map<std::pair<std::string, std::string>, Sums> tables;
  for (const RegionMetrics& region : metrics.regions) {
    tables[{region.name_space, region.table}].Add(region);
  }
  for (const auto& [table, sums] : tables) {
    const std::string prefix =
        fmt::format("Namespace_{}_table_{}_metric_", table.first, table.second);
    beans->Add(prefix + "readRequestCount", sums.reads);
    beans->Add(prefix + "writeRequestCount", sums.writes);
    beans->Add(prefix + "totalRequestCount", sums.reads + sums.writes);
    beans->Add(prefix + "memStoreSize", sums.memstore_bytes);
    beans->Add(prefix + "storeFileCount", sums.files);
    beans->Add(prefix + "storeFileSize", sums.file_bytes);
    beans->Add(prefix + "tableSize", sums.file_bytes + sums.memstore_bytes);
  }
  beans->Add("numTables", tables.size());
  beans->End();
}

void AddMaster(const ServerMetrics& metrics, Beans* beans) {
  if (!beans->Begin("Hadoop:service=HBase,name=Master,sub=Server")) return;
  AddTags(metrics, "master", beans);
  beans->Text("tag.isActiveMaster", "true");
  beans->Text("tag.liveRegionServers", metrics.server_name);
  beans->Text("tag.deadRegionServers", "");
  beans->Add("masterActiveTime", metrics.start_millis);
  beans->Add("masterStartTime", metrics.start_millis);
  beans->Add("averageLoad", static_cast<double>(metrics.engine.regions));
  beans->Add("numRegionServers", 1);
  beans->Add("numDeadRegionServers", 0);
  beans->Add("clusterRequests", metrics.total_micros.count);
  beans->End();
}

}  // namespace

std::string ToJmx(const ServerMetrics& metrics, std::string_view query) {
  Beans beans(query);
  AddRegionServer(metrics, &beans);
  AddIpc(metrics, "RegionServer", &beans);
  AddRegions(metrics, &beans);
  AddTables(metrics, &beans);
  AddMaster(metrics, &beans);
  AddIpc(metrics, "Master", &beans);
  return beans.Take();
}

}  // namespace bennu::server::http
