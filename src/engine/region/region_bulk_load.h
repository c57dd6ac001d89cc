// RegionBulkLoad: one load of files into a region.
//
//   1. the region is frozen (writers wait) and flushed: what is older is in older files, so that
//   the
//      load's id n can be the stores' newest without hiding entries of the log from a replay (as
//      HBase does it);
//   2. the journal decides (bulk_load_journal.h); the files are moved, as "<name>_SeqId_<n>_", and
//      opened; the journal goes. An error so far moves everything back;
//   3. the BULK_LOAD marker is appended: a write like any other, with an id m > n. The stores get
//      the files, their cells under m; when the marker is synced the read point moves over m and
//      they are visible, in all families at once.
//
// Readers of moments before m never see the files, so a scan or snapshot that began before goes on
// without them. From the next opening on the cells have n, of which all moments are later.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_BULK_LOAD_H_
#define BENNU_SRC_ENGINE_REGION_REGION_BULK_LOAD_H_

#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/engine/region/bulk_load_journal.h"
#include "src/engine/region/region_flusher.h"
#include "src/engine/region/region_state.h"

namespace bennu::engine {

class RegionBulkLoad {
 public:
  // 'state', of a region that is open, and 'flusher' must outlive this.
  RegionBulkLoad(RegionState* state, RegionFlusher* flusher, std::vector<BulkLoadFile> files);

  // Once, while the region is frozen. See Region::BulkLoad.
  Status Run();

 private:
  struct LoadedStore {
    std::shared_ptr<Store> store;
    std::vector<std::shared_ptr<const StoreFile>> files;
  };

  Status Move();
  Status Undo(const Status& reason);
  Status Publish(const Bytes& marker);
  Status AwaitReadPoint();

  RegionState* const state_;
  const RegionServices* const services_;
  RegionFlusher* const flusher_;
  std::vector<BulkLoadFile> files_;  // by family
  std::vector<LoadedStore> loaded_;  // what Move leaves for Publish
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_BULK_LOAD_H_
