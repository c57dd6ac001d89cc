#include <array>
#include <string_view>

#include "src/server/status/prometheus_writer.h"
#include "src/server/status/server_metrics.h"

namespace bennu::server::status {

namespace {

using hbase::HistogramCounts;
using Writer = PrometheusWriter;

// In bytes.
constexpr std::array<uint64_t, 6> kSizeBounds = {256,       1 << 10, 16 << 10,
                                                 256 << 10, 4 << 20, 64 << 20};

void WriteServer(const ServerMetrics& metrics, Writer* out) {
  out->Begin("hbase_server_info", "gauge", "Who the server is");
  out->Value(1, {{"server_name", metrics.server_name}, {"cluster_id", metrics.cluster_id}});
  out->One("hbase_server_start_time_seconds", "gauge", "When it started, since 1970",
           static_cast<double>(metrics.start_millis) / 1000);
  const engine::EngineStatus& engine = metrics.engine;
  out->One("hbase_server_read_only", "gauge", "1 when writes are refused, after a fault",
           engine.read_only ? 1 : 0);
  out->One("hbase_server_regions", "gauge", "Regions", engine.regions);
  out->One("hbase_server_open_regions", "gauge", "Regions that were used", engine.open_regions);
  out->One("hbase_server_memstore_bytes", "gauge", "Data that is in no file yet",
           engine.memstore_bytes);
  out->One("hbase_server_wal_files", "gauge", "Files of the write-ahead log", engine.wal_files);
  out->One("hbase_server_flushes_total", "counter", "Flushes", engine.flushes);
  out->One("hbase_server_compactions_total", "counter", "Compactions", engine.compactions);
  out->One("hbase_server_background_failures_total", "counter",
           "Flushes and compactions that failed, and are tried again", engine.background_failures);
  out->One("hbase_block_cache_bytes", "gauge", "Bytes of cached blocks", engine.block_cache_bytes);
  out->One("hbase_block_cache_capacity_bytes", "gauge", "Bytes that may be cached",
           engine.block_cache_capacity_bytes);
  out->One("hbase_block_cache_hits_total", "counter", "Blocks that were cached when asked for",
           engine.block_cache_hits);
  out->One("hbase_block_cache_misses_total", "counter", "Blocks that were not",
           engine.block_cache_misses);
  out->One("hbase_block_cache_evictions_total", "counter", "Blocks that had to go for others",
           engine.block_cache_evictions);
}

void WriteCalls(const ServerMetrics& metrics, Writer* out) {
  out->One("hbase_rpc_connections", "gauge", "Open connections", metrics.connections);
  out->One("hbase_rpc_calls_in_flight", "gauge", "Calls that are not answered yet",
           metrics.calls_in_flight);
  out->One("hbase_rpc_queue_length", "gauge", "Calls that wait for a handler",
           metrics.calls_waiting);
  out->One("hbase_rpc_active_handlers", "gauge", "Handlers that work on a call",
           metrics.handlers_active);
  out->One("hbase_rpc_scanners", "gauge", "Scanners that clients have open", metrics.scanners);
  out->One("hbase_rpc_slow_calls_total", "counter",
           "Calls that took longer than hbase.ipc.warn.response.time", metrics.slow_calls);
  out->One("hbase_rpc_large_calls_total", "counter",
           "Answers larger than hbase.ipc.warn.response.size", metrics.large_calls);
  out->Begin("hbase_rpc_exceptions_total", "counter", "Calls that failed, by exception");
  for (const auto& [name, count] : metrics.failures) out->Value(count, {{"exception", name}});
  const auto times = [out](std::string_view name, std::string_view help,
                           const HistogramCounts& counts) {
    out->Begin(name, "histogram", help);
    out->Histogram(counts, kTimeBounds, kMicrosPerSecond);
  };
  times("hbase_rpc_queue_time_seconds", "Time that calls waited", metrics.queue_micros);
  times("hbase_rpc_processing_time_seconds", "Time that calls were worked on",
        metrics.process_micros);
  times("hbase_rpc_total_time_seconds", "Time from request to answer", metrics.total_micros);
  out->Begin("hbase_rpc_request_bytes", "histogram", "Sizes of requests");
  out->Histogram(metrics.request_bytes, kSizeBounds, 1);
  out->Begin("hbase_rpc_response_bytes", "histogram", "Sizes of answers");
  out->Histogram(metrics.response_bytes, kSizeBounds, 1);
  out->Begin("hbase_rpc_method_time_seconds", "histogram",
             "Time from request to answer, by method");
  for (const MethodCounts& method : metrics.methods) {
    out->Histogram(method.micros, kTimeBounds, kMicrosPerSecond,
                   {{"service", method.service}, {"method", method.method}});
  }
  out->Begin("hbase_rpc_method_failures_total", "counter", "Calls that failed, by method");
  for (const MethodCounts& method : metrics.methods) {
    out->Value(method.failures, {{"service", method.service}, {"method", method.method}});
  }
}

void WriteRegions(const ServerMetrics& metrics, Writer* out) {
  const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                        auto RegionMetrics::*value) {
    out->Begin(name, type, help);
    for (const RegionMetrics& region : metrics.regions) {
      out->Value(
          region.*value,
          {{"namespace", region.name_space}, {"table", region.table}, {"region", region.region}});
    }
  };
  each("hbase_region_read_requests_total", "counter",
       "Gets, rows that scans answered with or aggregates read", &RegionMetrics::reads);
  each("hbase_region_write_requests_total", "counter", "Mutations", &RegionMetrics::writes);
  each("hbase_region_store_files", "gauge", "HFiles", &RegionMetrics::store_files);
  each("hbase_region_store_file_bytes", "gauge", "Bytes of HFiles",
       &RegionMetrics::store_file_bytes);
  each("hbase_region_memstore_bytes", "gauge", "Data that is in no file yet",
       &RegionMetrics::memstore_bytes);
}

// The rows of a running build are labelled with its table, its index and, if it has one, its
// tenant.
void WriteIndexBuilds(const IndexBuildMetrics& builds, Writer* out) {
  out->One("bennu_index_builds_running", "gauge", "Indexes that are being built",
           builds.running.size());
  const auto labels = [](const IndexBuildMetrics::Running& build) {
    Writer::Labels all = {{"table", build.table}, {"index", build.index}};
    if (!build.tenant.empty()) all.emplace_back("tenant", build.tenant);
    return all;
  };
  out->Begin("bennu_index_build_rows", "gauge",
             "Rows of the table that are done, of indexes that are being built");
  for (const auto& build : builds.running) out->Value(build.rows, labels(build));
  out->Begin("bennu_index_build_expected_rows", "gauge",
             "Rows that the table has by its statistics, where it has some");
  for (const auto& build : builds.running) {
    if (build.total.has_value()) out->Value(*build.total, labels(build));
  }
  out->Begin("bennu_index_builds_total", "counter", "Indexes whose building ended, by outcome");
  out->Value(builds.completed, {{"outcome", "completed"}});
  out->Value(builds.failed, {{"outcome", "failed"}});
  out->Value(builds.cancelled, {{"outcome", "cancelled"}});
  out->One("bennu_index_build_rows_total", "counter", "Rows of tables that were done for indexes",
           builds.rows);
}

}  // namespace

std::string ToPrometheus(const ServerMetrics& metrics) {
  Writer out;
  WriteServer(metrics, &out);
  WriteCalls(metrics, &out);
  WriteRegions(metrics, &out);
  return out.Take();
}

std::string ToPrometheus(const ProcessMetrics& metrics) {
  Writer out;
  out.One("bennu_start_time_seconds", "gauge", "When the process began to serve, since 1970",
          static_cast<double>(metrics.start_millis) / 1000);
  out.One("bennu_resident_memory_bytes", "gauge", "Memory of the process", metrics.resident_bytes);
  out.One("bennu_phoenix_connections", "gauge", "Connections that Phoenix's clients have open",
          metrics.phoenix_connections);
  out.Begin("bennu_sql_statement_time_seconds", "histogram",
            "Time that statements of SQL ran, whoever sent them");
  out.Histogram(metrics.statement_micros, kTimeBounds, kMicrosPerSecond);
  WriteIndexBuilds(metrics.index_builds, &out);
  return out.Take();
}

}  // namespace bennu::server::status
