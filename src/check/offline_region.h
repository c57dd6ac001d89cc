// A region of the catalog, opened without the store around it: its files and what the logs hold of
// it. A check reads it; a repair also writes, as if the edits had stood at the end of the logs.
// One thread at a time.
#ifndef BENNU_SRC_CHECK_OFFLINE_REGION_H_
#define BENNU_SRC_CHECK_OFFLINE_REGION_H_

#include <memory>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/check/check_run.h"
#include "src/engine/region/region.h"

namespace bennu::check {

class OfflineRegion {
 public:
  // 'edits': of the logs, any region's. 'writable': Write may be called, and what is missing of the
  // region's directories is made. The run's Env and layout must outlive this.
  static Result<std::unique_ptr<OfflineRegion>> Open(const CheckRun& run, const RegionInfo& info,
                                                     const TableDescriptor& descriptor,
                                                     bool writable);
  ~OfflineRegion();

  const std::shared_ptr<engine::Region>& region() const { return region_; }
  int64_t NowMillis() { return services_.clock->NowMillis(); }

  // Stamps the batch (puts and deletes) with a time after every cell here and makes it durable in a
  // store file, together with what the logs held.
  Status Write(MutationBatch* batch);

 private:
  OfflineRegion(const CheckRun& run, const RegionInfo& info, const TableDescriptor& descriptor,
                bool writable);

  engine::StoreClock clock_;
  engine::Mvcc mvcc_{0};
  engine::ReadPoints read_points_{&mvcc_};
  engine::WriteGate gate_;
  engine::MemoryBudget memory_;
  hfile::BlockCache cache_;
  engine::RegionServices services_;
  std::shared_ptr<engine::Region> region_;
  uint64_t max_sequence_id_ = 0;
};

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_OFFLINE_REGION_H_
