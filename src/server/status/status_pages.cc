#include "src/server/status/status_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "bennu/admin.h"
#include "src/engine/directory/meta_rows.h"

namespace bennu::server::status {

namespace {

constexpr char kIndex[] =
    "bennu serve; a browser gets the console here\n\n"
    "/metrics   for Prometheus\n"
    "/jmx       HBase's beans as JSON; ?qry=Hadoop:service=HBase,name=RegionServer,sub=*\n"
    "/healthz   200 while reads and writes are served, else 503\n";

constexpr char kGatewayIndex[] =
    "bennu serve --cluster; a browser gets the console here\n\n"
    "/metrics   for Prometheus\n"
    "/healthz   200 while it serves, whatever the cluster does; else 503\n";
constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

bool IsMetrics(std::string_view path) { return path == "/metrics" || path == "/prometheus"; }

bool IsReading(const http::Request& request) {
  return request.method == "GET" || request.method == "HEAD";
}

http::Response RefuseMethod() {
  constexpr unsigned kWrongMethod = 405;
  http::Response refused = http::Refused(kWrongMethod, "only GET and HEAD are answered");
  refused.headers = {{"Allow", "GET, HEAD"}};
  return refused;
}

void CollectRegions(const StatusSources& sources, ServerMetrics* metrics) {
  Admin* const admin = sources.engine->admin();
  const auto tables = admin->ListTables();
  if (!tables.ok()) return;
  std::unordered_set<std::string> names;
  for (const TableName& table : *tables) {
    const auto regions = admin->ListRegions(table);
    if (!regions.ok()) continue;  // dropped meanwhile
    const auto opened = sources.engine->OpenTable(table);
    const size_t stores = opened.ok() ? (*opened)->descriptor().families.size() : 0;
    for (const RegionStatus& status : *regions) {
      RegionMetrics& region = metrics->regions.emplace_back();
      region.name_space = table.name_space;
      region.table = table.qualifier;
      region.region = status.info.EncodedName();
      region.stores = stores;
      region.store_files = status.store_files;
      region.store_file_bytes = status.file_bytes;
      region.memstore_bytes = status.memstore_bytes;
      region.index_bytes = status.index_bytes;
      region.root_index_bytes = status.root_index_bytes;
      region.bloom_bytes = status.bloom_bytes;
      region.largest_store_files = status.largest_store_files;
      region.reference_files = status.reference_files;
      region.oldest_file_millis = status.oldest_file_millis;
      region.newest_file_millis = status.newest_file_millis;
      region.file_millis_sum = status.file_millis_sum;
      region.dated_files = status.dated_files;
      region.last_major_compaction_millis = status.last_major_compaction_millis;
      names.insert(region.region);
    }
  }
  names.insert(engine::MetaRegionInfo().EncodedName());
  const auto counters = sources.regions->Counters(names);
  for (RegionMetrics& region : metrics->regions) {
    const auto found = counters.find(region.region);
    if (found == counters.end()) continue;
    region.reads = found->second->reads.load(std::memory_order_relaxed);
    region.writes = found->second->writes.load(std::memory_order_relaxed);
  }
}

void CollectCalls(const StatusSources& sources, ServerMetrics* metrics) {
  hbase::RpcMetrics* const rpc = sources.rpc;
  metrics->failures = rpc->failures();
  metrics->connections = sources.connections();
  metrics->calls_in_flight = rpc->in_flight();
  const size_t pending = sources.handlers->pending();
  metrics->handlers_active = std::min(pending, sources.handlers->thread_count());
  metrics->calls_waiting = pending - metrics->handlers_active;
  metrics->scanners = sources.scanners->size();
  metrics->slow_calls = rpc->slow_log()->slow_count();
  metrics->large_calls = rpc->slow_log()->large_count();
  metrics->queue_micros = rpc->queue_micros().Read();
  metrics->process_micros = rpc->process_micros().Read();
  metrics->total_micros = rpc->total_micros().Read();
  metrics->request_bytes = rpc->request_bytes().Read();
  metrics->response_bytes = rpc->response_bytes().Read();
  for (const hbase::Service* service : sources.services) {
    for (const auto& [name, method] : service->methods()) {
      hbase::HistogramCounts counts = method.metrics->micros.Read();
      if (counts.count == 0) continue;
      metrics->methods.push_back({service->name(), name,
                                  method.metrics->failures.load(std::memory_order_relaxed),
                                  counts});
    }
  }
  std::sort(metrics->methods.begin(), metrics->methods.end(), [](const auto& a, const auto& b) {
    return std::tie(a.service, a.method) < std::tie(b.service, b.method);
  });
}

constexpr unsigned kUnavailable = 503;

http::Response ShowHealth(const StatusSources& sources) {
  http::Response page;
  if (sources.stopping()) return {kUnavailable, page.type, "the server is stopping\n"};
  const engine::EngineStatus status = sources.engine->GetStatus();
  if (status.read_only) {
    return {kUnavailable, page.type, "read only: " + status.read_only_reason + "\n"};
  }
  page.body = "ok\n";
  return page;
}

}  // namespace

ServerMetrics CollectMetrics(const StatusSources& sources) {
  ServerMetrics metrics;
  const hbase::Identity& identity = *sources.identity;
  metrics.server_name = identity.RegionServerName();
  metrics.host = identity.host;
  metrics.cluster_id = identity.cluster_id;
  metrics.zookeeper_quorum = sources.zookeeper_port == 0
                                 ? ""
                                 : fmt::format("{}:{}", identity.host, sources.zookeeper_port);
  metrics.start_millis = identity.start_code;
  metrics.now_millis = sources.engine->NowMillis();
  metrics.engine = sources.engine->GetStatus();
  CollectRegions(sources, &metrics);
  CollectCalls(sources, &metrics);
  return metrics;
}

std::optional<http::Response> ShowStatus(const StatusSources& sources,
                                         const http::Request& request) {
  const std::string& path = request.path;
  http::Response page;
  if (IsMetrics(path)) {
    page.type = kMetricsType;
    page.body = ToPrometheus(CollectMetrics(sources)) + ToPrometheus(sources.process());
  } else if (path == "/jmx") {
    page.type = "application/json; charset=utf-8";
    page.body = ToJmx(CollectMetrics(sources), http::QueryParameter(request.query, "qry"));
  } else if (path == "/healthz") {
    page = ShowHealth(sources);
  } else if (path == "/") {
    page.body = kIndex;
  } else {
    return std::nullopt;
  }
  return IsReading(request) ? page : RefuseMethod();
}

std::optional<http::Response> ShowGateway(const GatewaySources& sources,
                                          const http::Request& request) {
  const std::string& path = request.path;
  http::Response page;
  if (IsMetrics(path)) {
    page.type = kMetricsType;
    page.body = ToPrometheus(sources.process());
  } else if (path == "/healthz") {
    const bool stopping = sources.stopping();
    page.status = stopping ? kUnavailable : page.status;
    page.body = stopping ? "the server is stopping\n" : "ok\n";
  } else if (path == "/") {
    page.body = kGatewayIndex;
  } else {
    return std::nullopt;
  }
  return IsReading(request) ? page : RefuseMethod();
}

}  // namespace bennu::server::status
