// RegionFlusher: brings what the memstores of a region hold into files, all stores at one sequence
// id. Writers stop for the switch of pointers only. Thread-safe.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_FLUSHER_H_
#define BENNU_SRC_ENGINE_REGION_REGION_FLUSHER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "bennu/status.h"
#include "src/engine/region/region_markers.h"
#include "src/engine/region/region_state.h"

namespace bennu::engine {

class RegionFlusher {
 public:
  // 'state' must outlive this.
  explicit RegionFlusher(RegionState* state) : state_(state), services_(state->services) {}

  // Writes all memstores to files, or the one of 'family' unless it is empty. Returns when done;
  // nothing to do is fine.
  Status Flush(ByteView family = {});
  // The same during recovery: everything replayed has an id up to 'sequence_id'.
  Status FlushReplayed(uint64_t sequence_id);
  // Hands 'use' the stores while no flush is under way, so that their files are of one moment: what
  // was written to several families is in the files of all of them or of none. 'flush': after a
  // flush. 'use' must not flush or change the region.
  Status UseFiles(bool flush, const std::function<void(const StoreSet&)>& use);
  // Sets active memstores aside that are due by their families' IN_MEMORY_COMPACTION, and compacts
  // what was set aside.
  Status CompactInMemory();

 private:
  Status FlushLocked(ByteView family) REQUIRES(state_->flush_mu);
  // 'is_whole': no other store holds anything, so that the log need not be kept any longer.
  Status WriteStores(const std::vector<StoreSet::Entry>& flushing, uint64_t sequence_id,
                     bool logged, bool is_whole) REQUIRES(state_->flush_mu);
  Status LogFlush(FlushAction action, const std::vector<StoreSet::Entry>& flushing,
                  const std::vector<PendingFiles>& files, uint64_t sequence_id, bool sync);
  void ReleaseLog(uint64_t sequence_id);

  RegionState* const state_;
  const RegionServices* const services_;
  uint64_t set_aside_bytes_ GUARDED_BY(state_->flush_mu) = 0;  // of the flush under way
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_FLUSHER_H_
