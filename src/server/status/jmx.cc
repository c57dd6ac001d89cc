// JSON as HBase's JMXJsonServlet writes it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/json_text.h"
#include "src/server/status/server_metrics.h"

namespace bennu::server::status {

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

// When files were written, of one region or several.
struct FileTimes {
  int64_t oldest = 0, newest = 0, sum = 0;
  int64_t files = 0;
  void Add(const RegionMetrics& region) {
    if (region.dated_files == 0) return;
    oldest = files == 0 ? region.oldest_file_millis : std::min(oldest, region.oldest_file_millis);
    newest = std::max(newest, region.newest_file_millis);
    sum += region.file_millis_sum;
    files += static_cast<int64_t>(region.dated_files);
  }
  // Without files all are 0, as in HBase.
  void AddTo(const std::string& prefix, int64_t now, Beans* beans) const {
    const auto age = [now, this](int64_t at) {
      return files == 0 ? 0 : std::max<int64_t>(0, now - at);
    };
    beans->Add(prefix + "maxStoreFileAge", age(oldest));
    beans->Add(prefix + "minStoreFileAge", age(newest));
    beans->Add(prefix + "avgStoreFileAge", age(files == 0 ? 0 : sum / files));
  }
};

struct Sums {
  uint64_t regions = 0, stores = 0, files = 0, file_bytes = 0, memstore_bytes = 0;
  uint64_t reads = 0, writes = 0;
  uint64_t index_bytes = 0, root_index_bytes = 0, bloom_bytes = 0;
  size_t largest_store_files = 0, reference_files = 0;
  FileTimes times;
  void Add(const RegionMetrics& region) {
    ++regions;
    index_bytes += region.index_bytes;
    root_index_bytes += region.root_index_bytes;
    bloom_bytes += region.bloom_bytes;
    largest_store_files = std::max(largest_store_files, region.largest_store_files);
    reference_files += region.reference_files;
    times.Add(region);
    stores += region.stores;
    files += region.store_files;
    file_bytes += region.store_file_bytes;
    memstore_bytes += region.memstore_bytes;
    reads += region.reads;
    writes += region.writes;
  }
  // What the beans of the server and of tables have alike.
  void AddFiles(const std::string& prefix, int64_t now, Beans* beans) const {
    beans->Add(prefix + "maxStoreFileCount", largest_store_files);
    times.AddTo(prefix, now, beans);
    beans->Add(prefix + "numReferenceFiles", reference_files);
    beans->Add(prefix + "averageRegionSize",
               regions == 0 ? 0 : (file_bytes + memstore_bytes) / regions);
    beans->Add(prefix + "staticIndexSize", index_bytes);
    beans->Add(prefix + "staticBloomSize", bloom_bytes);
  }
};

// Calls of a method of ClientService.
uint64_t CallsOf(const ServerMetrics& metrics, std::string_view name) {
  for (const MethodCounts& method : metrics.methods) {
    if (method.service == "ClientService" && method.method == name) return method.micros.count;
  }
  return 0;
}

// The one cache under the names of HBase's first level; there is no second.
void AddBlockCache(const engine::EngineStatus& engine, Beans* beans) {
  const uint64_t asked = engine.block_cache_hits + engine.block_cache_misses;
  const auto share = [asked](uint64_t count) {
    return asked == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(asked);
  };
  const uint64_t free = engine.block_cache_capacity_bytes -
                        std::min(engine.block_cache_bytes, engine.block_cache_capacity_bytes);
  constexpr double kPercent = 100.0;
  beans->Add("blockCacheSize", engine.block_cache_bytes);
  beans->Add("blockCacheFreeSize", free);
  beans->Add("blockCacheHitCount", engine.block_cache_hits);
  beans->Add("blockCacheHitCountPrimary", engine.block_cache_hits);
  beans->Add("blockCacheMissCount", engine.block_cache_misses);
  beans->Add("blockCacheMissCountPrimary", engine.block_cache_misses);
  beans->Add("blockCacheEvictionCount", engine.block_cache_evictions);
  beans->Add("blockCacheEvictionCountPrimary", engine.block_cache_evictions);
  beans->Add("blockCacheCountHitPercent", kPercent * share(engine.block_cache_hits));
  beans->Add("blockCacheExpressHitPercent", kPercent * share(engine.block_cache_hits));
  beans->Add("l1CacheSize", engine.block_cache_bytes);
  beans->Add("l1CacheFreeSize", free);
  beans->Add("l1CacheHitCount", engine.block_cache_hits);
  beans->Add("l1CacheMissCount", engine.block_cache_misses);
  beans->Add("l1CacheEvictionCount", engine.block_cache_evictions);
  beans->Add("l1CacheHitRatio", kPercent * share(engine.block_cache_hits));
  beans->Add("l1CacheMissRatio", kPercent * share(engine.block_cache_misses));
  for (const char* none :
       {"l2CacheSize", "l2CacheFreeSize", "l2CacheCount", "l2CacheHitCount", "l2CacheMissCount",
        "l2CacheEvictionCount", "l2CacheHitRatio", "l2CacheMissRatio"}) {
    beans->Add(none, 0);
  }
}

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
  beans->Add("memStoreHeapSize", engine.memstore_bytes);
  beans->Add("memStoreOffHeapSize", 0);
  sums.AddFiles("", metrics.now_millis, beans);
  beans->Add("storeFileIndexSize", sums.root_index_bytes);
  beans->Add("rpcGetRequestCount", CallsOf(metrics, "Get"));
  beans->Add("rpcScanRequestCount", CallsOf(metrics, "Scan"));
  beans->Add("rpcMultiRequestCount", CallsOf(metrics, "Multi"));
  beans->Add("rpcMutateRequestCount", CallsOf(metrics, "Mutate"));
  beans->Add("totalRequestCount", metrics.total_micros.count);
  beans->Add("totalRowActionRequestCount", sums.reads + sums.writes);
  beans->Add("readRequestCount", sums.reads);
  beans->Add("writeRequestCount", sums.writes);
  beans->Add("activeScanners", metrics.scanners);
  AddBlockCache(engine, beans);
  beans->Add("percentFilesLocal", 100.0);
  beans->Add("percentFilesLocalSecondaryRegions", 0.0);
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

// HBase counts some exceptions by name, and the others together. What it counts with the requests
// and never throws here is always 0.
void AddExceptions(const std::map<std::string, uint64_t>& failures, Beans* beans) {
  static constexpr std::array<std::pair<const char*, const char*>, 15> kNames = {{
      {"RegionMovedException", "RegionMovedException"},
      {"OutOfOrderScannerNextException", "OutOfOrderScannerNextException"},
      {"NotServingRegionException", "NotServingRegionException"},
      {"UnknownScannerException", "UnknownScannerException"},
      {"ScannerResetException", "ScannerResetException"},
      {"FailedSanityCheckException", "FailedSanityCheckException"},
      {"RegionTooBusyException", "RegionTooBusyException"},
      {"MultiActionResultTooLarge", "multiResponseTooLarge"},
      {"CallQueueTooBigException", "callQueueTooBig"},
      {"QuotaExceededException", "quotaExceeded"},
      {"RpcThrottlingException", "rpcThrottling"},
      {"CallDroppedException", "callDropped"},
      {"CallTimeoutException", "callTimedOut"},
      {"RequestTooBigException", "requestTooBig"},
      {"", "otherExceptions"},
  }};
  std::map<std::string_view, uint64_t> counts;
  uint64_t all = 0;
  for (const auto& [exception, count] : failures) {
    all += count;
    const auto* const named =
        std::find_if(kNames.begin(), kNames.end() - 1,
                     [&](const auto& entry) { return exception == entry.first; });
    counts[named->second] += count;
  }
  for (const auto& [exception, name] : kNames) {
    beans->Add(std::string("exceptions.") + name, counts[name]);
  }
  beans->Add("exceptions", all);
}

void AddIpc(const ServerMetrics& metrics, std::string_view name, Beans* beans) {
  if (!beans->Begin(fmt::format("Hadoop:service=HBase,name={},sub=IPC", name))) return;
  beans->Text("tag.Context", name == "Master" ? "master" : "regionserver");
  beans->Text("tag.Hostname", metrics.host);
  beans->Add("numCallsInGeneralQueue", metrics.calls_waiting);
  beans->Add("numCallsInReplicationQueue", 0);
  // There is one queue, and nobody proves who he is.
  for (const char* none :
       {"numCallsInPriorityQueue", "numCallsInMetaPriorityQueue", "numCallsInWriteQueue",
        "numCallsInReadQueue", "numCallsInScanQueue", "numActivePriorityHandler",
        "numActiveReplicationHandler", "numActiveWriteHandler", "numActiveReadHandler",
        "numActiveScanHandler", "numLifoModeSwitches", "authenticationSuccesses",
        "authenticationFailures", "authenticationFallbacks", "authorizationSuccesses",
        "authorizationFailures"}) {
    beans->Add(none, 0);
  }
  beans->Add("numOpenConnections", metrics.connections);
  beans->Add("numActiveHandler", metrics.handlers_active);
  beans->Add("numActiveGeneralHandler", metrics.handlers_active);
  beans->Add("receivedBytes", metrics.request_bytes.sum);
  beans->Add("sentBytes", metrics.response_bytes.sum);
  AddExceptions(metrics.failures, beans);
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
    FileTimes times;
    times.Add(region);
    times.AddTo(prefix, metrics.now_millis, beans);
    beans->Add(prefix + "numReferenceFiles", region.reference_files);
    beans->Add(prefix + "lastMajorCompactionAge",
               metrics.now_millis - region.last_major_compaction_millis);
    beans->Add(prefix + "replicaid", 0);
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
    beans->Add(prefix + "regionCount", sums.regions);
    beans->Add(prefix + "storeCount", sums.stores);
    sums.AddFiles(prefix, metrics.now_millis, beans);
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
  beans->Text("tag.drainingRegionServers", "");
  beans->Add("masterActiveTime", metrics.start_millis);
  beans->Add("masterStartTime", metrics.start_millis);
  beans->Add("masterFinishedInitializationTime", metrics.start_millis);
  beans->Add("averageLoad", static_cast<double>(metrics.engine.regions));
  beans->Add("numRegionServers", 1);
  beans->Add("numDeadRegionServers", 0);
  beans->Add("numDrainingRegionServers", 0);
  beans->Add("clusterRequests", metrics.total_micros.count);
  beans->End();
}

// Regions are where they belong from the start on.
void AddAssignment(const ServerMetrics& metrics, Beans* beans) {
  if (!beans->Begin("Hadoop:service=HBase,name=Master,sub=AssignmentManager")) return;
  beans->Text("tag.Context", "master");
  beans->Text("tag.Hostname", metrics.host);
  for (const char* none :
       {"ritCount", "ritCountOverThreshold", "ritOldestAge", "orphanRegionsOnRS",
        "orphanRegionsOnFS", "inconsistentRegions", "holes", "overlaps", "unknownServerRegions",
        "emptyRegionInfoRegions", "deadServerOpenRegions", "unknownServerOpenRegions"}) {
    beans->Add(none, 0);
  }
  beans->End();
}

void AddMemory(const ServerMetrics& metrics, Beans* beans) {
  if (!beans->Begin("Hadoop:service=HBase,name=RegionServer,sub=Memory")) return;
  beans->Text("tag.Context", "regionserver");
  beans->Text("tag.Hostname", metrics.host);
  beans->Add("memStoreSize", metrics.engine.memstore_bytes);
  beans->Add("memStoreOnHeapSize", metrics.engine.memstore_bytes);
  beans->Add("memStoreOffHeapSize", 0);
  beans->Add("blockCacheSize", metrics.engine.block_cache_bytes);
  beans->End();
}

}  // namespace

std::string ToJmx(const ServerMetrics& metrics, std::string_view query) {
  Beans beans(query);
  AddRegionServer(metrics, &beans);
  AddIpc(metrics, "RegionServer", &beans);
  AddRegions(metrics, &beans);
  AddTables(metrics, &beans);
  AddMemory(metrics, &beans);
  AddMaster(metrics, &beans);
  AddAssignment(metrics, &beans);
  AddIpc(metrics, "Master", &beans);
  return beans.Take();
}

}  // namespace bennu::server::status
