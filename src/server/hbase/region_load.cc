#include "src/server/hbase/region_load.h"

#include <algorithm>

#include "src/base/env.h"
#include "src/base/machine_memory.h"

namespace bennu::server::hbase {

namespace {

// As HBase: what is less than one is one, so that little is told from nothing.
uint32_t Megabytes(uint64_t bytes) {
  return bytes == 0 ? 0 : std::max(1u, static_cast<uint32_t>(bytes >> 20));
}
uint32_t Kilobytes(uint64_t bytes) { return static_cast<uint32_t>(bytes >> 10); }

}  // namespace

void FillRegionLoad(const RegionStatus& status, const Regions& regions, pb::RegionLoad* load) {
  pb::RegionSpecifier* const region = load->mutable_region_specifier();
  region->set_type(pb::RegionSpecifier::REGION_NAME);
  region->set_value(status.info.RegionName());
  load->set_stores(static_cast<uint32_t>(status.stores));
  load->set_last_major_compaction_ts(static_cast<uint64_t>(status.last_major_compaction_millis));
  load->set_storefiles(static_cast<uint32_t>(status.store_files));
  load->set_store_uncompressed_size_mb(Megabytes(status.uncompressed_bytes));
  load->set_storefile_size_mb(Megabytes(status.file_bytes));
  load->set_mem_store_size_mb(Megabytes(status.memstore_bytes));
  load->set_storefile_index_size_kb(Kilobytes(status.root_index_bytes));
  load->set_root_index_size_kb(Kilobytes(status.root_index_bytes));
  load->set_total_static_index_size_kb(Kilobytes(status.index_bytes));
  load->set_total_static_bloom_size_kb(Kilobytes(status.bloom_bytes));
  load->set_data_locality(1.0f);
  const auto counters = regions.CountersOf(status.info.EncodedName());
  load->set_compaction_state(
      CompactionStateOf<pb::RegionLoad::CompactionState>(counters.get(), status.compaction));
  if (counters == nullptr) return;
  load->set_read_requests_count(counters->reads.load(std::memory_order_relaxed));
  load->set_write_requests_count(counters->writes.load(std::memory_order_relaxed));
}

CallError FillServerLoad(const Regions& known, pb::ServerLoad* load) {
  Connection* const store = known.store();
  const auto names = store->admin()->ListTables();
  if (!names.ok()) return rpc::RemoteError(names.status());
  for (const TableName& name : *names) {
    const auto enabled = store->admin()->IsTableEnabled(name);
    if (enabled.ok() && !*enabled) continue;
    const auto regions = store->admin()->ListRegions(name);
    if (!regions.ok()) continue;  // dropped meanwhile
    for (const RegionStatus& status : *regions) {
      FillRegionLoad(status, known, load->add_region_loads());
    }
  }
  uint64_t requests = 0;
  for (const pb::RegionLoad& region : load->region_loads()) {
    requests += region.read_requests_count() + region.write_requests_count();
  }
  load->set_total_number_of_requests(requests);
  // HBase's are of the JVM's heap.
  load->set_used_heap_mb(Megabytes(ResidentMemoryBytes(Env::Default())));
  load->set_max_heap_mb(Megabytes(UsableMemoryBytes(Env::Default())));
  const auto now = static_cast<uint64_t>(store->NowMillis());
  load->set_report_start_time(now);
  load->set_report_end_time(now);
  return std::nullopt;
}

}  // namespace bennu::server::hbase
