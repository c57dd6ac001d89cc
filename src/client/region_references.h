// RegionReferences: which regions still read files of the regions that they were made from.
#ifndef BENNU_SRC_CLIENT_REGION_REFERENCES_H_
#define BENNU_SRC_CLIENT_REGION_REFERENCES_H_

#include <set>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/mutex.h"

namespace bennu::client {

class Cluster;

// A region that was split or merged reads halves of other regions' files, by references, until a
// compaction has rewritten them. It never gets such files later, so that a region without
// references is asked once. Thread-safe. Source: HRegion.isMergeable, RSRpcServices.getRegionInfo.
class RegionReferences {
 public:
  // 'cluster' must outlive this.
  explicit RegionReferences(Cluster* cluster) : cluster_(cluster) {}

  // As api::RegionScans says.
  Result<bool> Has(const RegionInfo& region) EXCLUDES(mu_);
  Status WaitUntilGone(const RegionInfo& region) EXCLUDES(mu_);

 private:
  Cluster* const cluster_;
  Mutex mu_;
  std::set<Bytes> without_ GUARDED_BY(mu_);  // names of regions
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_REGION_REFERENCES_H_
