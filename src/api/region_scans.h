// Scans of one region and no other, of a store whose regions are split and merged by others, and
// whether a region reads the files of others.
#ifndef BENNU_SRC_API_REGION_SCANS_H_
#define BENNU_SRC_API_REGION_SCANS_H_

#include <memory>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu::api {

// A Table that can do it. Thread-safe.
class RegionScans {
 public:
  virtual ~RegionScans() = default;

  // Table::regions() as they were known last, without a question where all are known. One that was
  // replaced meanwhile shows as NotFound below, and is not known any more then.
  virtual std::vector<RegionInfo> KnownRegions() = 0;

  // The rows of scan.range, which lies inside the region. The scanner follows the region to other
  // servers. NotFound, also from the scanner: there is no such region any more, or no such table;
  // what the scanner has handed out before was read while there was.
  virtual Result<std::unique_ptr<Scanner>> OpenRegionScanner(const RegionInfo& region,
                                                             const Scan& scan) = 0;

  // Whether the region reads halves of the files of regions that it was split or merged from, as no
  // compaction has rewritten them yet. Once that is false it stays false, and is not asked for
  // again. NotFound: as above.
  virtual Result<bool> HasReferences(const RegionInfo& region) = 0;
  // Waits until there are none. Aborted: that takes longer than an operation may.
  virtual Status WaitForCompaction(const RegionInfo& region) = 0;
};

}  // namespace bennu::api

#endif  // BENNU_SRC_API_REGION_SCANS_H_
