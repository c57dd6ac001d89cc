// What the server tells of itself over HTTP: its numbers as of one moment, and how they are
// written. Names and meanings are those of HBase's metrics. Source: HBase's
// MetricsRegionServerSource, MetricsHBaseServerSource, MetricsRegionSource, MetricsTableSource,
// MetricsMasterSource.
#ifndef BENNU_SRC_SERVER_STATUS_SERVER_METRICS_H_
#define BENNU_SRC_SERVER_STATUS_SERVER_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/engine/open.h"
#include "src/server/hbase/histogram.h"

namespace bennu::server::status {

struct RegionMetrics {
  std::string name_space;
  std::string table;
  std::string region;  // the encoded name
  size_t stores = 0;
  size_t store_files = 0;
  uint64_t store_file_bytes = 0;
  uint64_t memstore_bytes = 0;
  uint64_t index_bytes = 0;  // of all levels, uncompressed
  uint64_t root_index_bytes = 0;
  uint64_t bloom_bytes = 0;
  size_t largest_store_files = 0;  // of the family with the most files
  size_t reference_files = 0;
  // When its files were written; 0: unknown, or there is none.
  int64_t oldest_file_millis = 0, newest_file_millis = 0, file_millis_sum = 0;
  size_t dated_files = 0;
  int64_t last_major_compaction_millis = 0;
  uint64_t reads = 0;
  uint64_t writes = 0;
};

struct MethodCounts {
  std::string service;
  std::string method;
  uint64_t failures = 0;
  hbase::HistogramCounts micros;
};

struct ServerMetrics {
  std::string server_name;  // "host,port,startcode"
  std::string host;
  std::string cluster_id;
  std::string zookeeper_quorum;
  int64_t start_millis = 0;
  int64_t now_millis = 0;
  engine::EngineStatus engine;
  std::vector<RegionMetrics> regions;
  std::vector<MethodCounts> methods;         // those that were called
  std::map<std::string, uint64_t> failures;  // calls, by the last part of the exception's class
  size_t connections = 0;
  size_t calls_in_flight = 0;
  size_t calls_waiting = 0;  // for a handler
  size_t handlers_active = 0;
  size_t scanners = 0;
  uint64_t slow_calls = 0;
  uint64_t large_calls = 0;
  hbase::HistogramCounts queue_micros, process_micros, total_micros, request_bytes, response_bytes;
};

// Indexes that SQL builds, and has built since the process began.
struct IndexBuildMetrics {
  struct Running {
    std::string table;
    std::string index;
    std::string tenant;             // empty: everybody's
    uint64_t rows = 0;              // of the table, that are done
    std::optional<uint64_t> total;  // as its statistics have it
  };
  uint64_t completed = 0;
  uint64_t failed = 0;
  uint64_t cancelled = 0;
  uint64_t rows = 0;  // of all
  std::vector<Running> running;
};

// Of any process that serves SQL, a gateway too. Bennu's own names: HBase has no such metrics.
struct ProcessMetrics {
  int64_t start_millis = 0;
  uint64_t resident_bytes = 0;
  size_t phoenix_connections = 0;
  hbase::HistogramCounts statement_micros;
  IndexBuildMetrics index_builds;
};

// In the text format of Prometheus, version 0.0.4.
std::string ToPrometheus(const ServerMetrics& metrics);
std::string ToPrometheus(const ProcessMetrics& metrics);

// As HBase's /jmx: {"beans": […]}. 'query' names a bean as JMX does, "domain:key=value,…", and may
// have '*' and '?'; empty: all.
std::string ToJmx(const ServerMetrics& metrics, std::string_view query);

}  // namespace bennu::server::status

#endif  // BENNU_SRC_SERVER_STATUS_SERVER_METRICS_H_
