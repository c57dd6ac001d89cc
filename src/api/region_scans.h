// Scans of one region and no other, of a store whose regions are split and merged by others.
#ifndef BENNU_SRC_API_REGION_SCANS_H_
#define BENNU_SRC_API_REGION_SCANS_H_

#include <memory>

#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu::api {

// A Table that can do it. Thread-safe.
class RegionScans {
 public:
  virtual ~RegionScans() = default;

  // The rows of scan.range, which lies inside the region. The scanner follows the region to other
  // servers. NotFound, also from the scanner: there is no such region any more, or no such table;
  // what the scanner has handed out before was read while there was.
  virtual Result<std::unique_ptr<Scanner>> OpenRegionScanner(const RegionInfo& region,
                                                             const Scan& scan) = 0;
};

}  // namespace bennu::api

#endif  // BENNU_SRC_API_REGION_SCANS_H_
