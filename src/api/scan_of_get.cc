#include "src/api/scan_of_get.h"

namespace bennu {

void MakeScanOf(const Get& get, Scan* scan) {
  scan->range.start = get.row;
  scan->range.stop = get.row;
  scan->range.stop_inclusive = true;
  scan->time_range = get.time_range;
  scan->family_time_ranges = get.family_time_ranges;
  if (scan->columns != get.columns) scan->columns = get.columns;
  scan->max_versions = get.max_versions;
  scan->max_results_per_family = get.max_results_per_family;
  scan->row_offset_per_family = get.row_offset_per_family;
  scan->cache_blocks = get.cache_blocks;
  scan->consistency = get.consistency;
  scan->replica_id = get.replica_id;
}

}  // namespace bennu
