#include "src/shell/cluster_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/hex.h"

namespace bennu::shell {

namespace {

using api::ClusterControl;

// "host,port,startcode" as "host:port startcode".
std::string ServerText(std::string name) {
  if (const size_t first = name.find(','); first != std::string::npos) {
    name[first] = ':';
    if (const size_t second = name.find(',', first); second != std::string::npos) {
      name[second] = ' ';
    }
  }
  return name;
}

std::string Ratio(uint64_t stored, uint64_t uncompressed) {
  if (uncompressed == 0) return "";
  return fmt::format(", compressionRatio={:.4f}",
                     static_cast<double>(stored) / static_cast<double>(uncompressed));
}

// Source: HBase's ServerMetricsBuilder.ServerMetricsImpl.toString.
std::string LoadText(const ClusterControl::Server& server) {
  ClusterControl::RegionLoad all;
  for (const auto& region : server.regions) {
    all.stores += region.stores;
    all.store_files += region.store_files;
    all.uncompressed_mb += region.uncompressed_mb;
    all.store_file_mb += region.store_file_mb;
    all.memstore_mb += region.memstore_mb;
    all.reads += region.reads;
    all.writes += region.writes;
  }
  return fmt::format(
      "requestsPerSecond={:.1f}, numberOfOnlineRegions={}, usedHeapMB={}, maxHeapMB={}, "
      "numberOfStores={}, numberOfStorefiles={}, storefileUncompressedSizeMB={}, "
      "storefileSizeMB={}{}, memstoreSizeMB={}, readRequestsCount={}, writeRequestsCount={}, "
      "coprocessors=[]",
      static_cast<double>(server.requests_per_second), server.regions.size(), server.used_heap_mb,
      server.max_heap_mb, all.stores, all.store_files, all.uncompressed_mb, all.store_file_mb,
      Ratio(all.store_file_mb, all.uncompressed_mb), all.memstore_mb, all.reads, all.writes);
}

// Source: HBase's RegionMetricsBuilder.RegionMetricsImpl.toString.
std::string LoadText(const ClusterControl::RegionLoad& region) {
  return fmt::format(
      "storeCount={}, storeFileCount={}, uncompressedStoreFileSizeMB={}, storeFileSizeMB={}{}, "
      "memStoreSizeMB={}, readRequestCount={}, writeRequestCount={}, lastMajorCompactionTimestamp="
      "{}, dataLocality={:.1f}",
      region.stores, region.store_files, region.uncompressed_mb, region.store_file_mb,
      Ratio(region.store_file_mb, region.uncompressed_mb), region.memstore_mb, region.reads,
      region.writes, region.last_major_compaction_millis, region.locality);
}

void PrintServers(const std::vector<std::string>& names, Printer* printer) {
  for (const std::string& name : names) printer->Line("    " + ServerText(name));
}

void PrintSummary(const ClusterControl::State& state, Printer* printer) {
  size_t regions = 0;
  for (const auto& server : state.servers) regions += server.regions.size();
  const auto servers = static_cast<double>(std::max<size_t>(state.servers.size(), 1));
  printer->Line(
      fmt::format("{} active master, {} backup masters, {} servers, {} dead, {:.4f} "
                  "average load",
                  state.master.empty() ? 0 : 1, state.backup_masters.size(), state.servers.size(),
                  state.dead_servers.size(), static_cast<double>(regions) / servers));
}

}  // namespace

void PrintClusterStatus(const ClusterControl::State& state, std::string_view format,
                        Printer* printer) {
  if (format == "summary") return PrintSummary(state, printer);
  const bool detailed = format == "detailed";
  if (format == "replication" || detailed) printer->Line("version " + state.hbase_version);
  if (format == "replication") {
    printer->Line(fmt::format("{} live servers", state.servers.size()));
    for (const auto& server : state.servers) PrintServers({server.name}, printer);
    return;
  }
  if (detailed) {
    printer->Line(fmt::format("{} regionsInTransition", state.regions_in_transition.size()));
    for (const std::string& region : state.regions_in_transition) printer->Line("    " + region);
  }
  printer->Line("active master:  " + ServerText(state.master));
  printer->Line(fmt::format("{} backup masters", state.backup_masters.size()));
  PrintServers(state.backup_masters, printer);
  if (detailed) printer->Line("master coprocessors: []");
  printer->Line(fmt::format("{} live servers", state.servers.size()));
  uint64_t load = 0;
  size_t regions = 0;
  for (const auto& server : state.servers) {
    PrintServers({server.name}, printer);
    printer->Line("        " + LoadText(server));
    load += server.requests_per_second;
    regions += server.regions.size();
    if (!detailed) continue;
    for (const auto& region : server.regions) {
      printer->Line(fmt::format("        \"{}\"", ToStringBinary(region.name)));
      printer->Line("            " + LoadText(region));
    }
  }
  printer->Line(fmt::format("{} dead servers", state.dead_servers.size()));
  PrintServers(state.dead_servers, printer);
  if (!detailed) printer->Line(fmt::format("Aggregate load: {}, regions: {}", load, regions));
}

}  // namespace bennu::shell
