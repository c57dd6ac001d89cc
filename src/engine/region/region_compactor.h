// RegionCompactor: merges the files of a region's stores, one store at a time, and says whether
// that is due. Thread-safe.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_COMPACTOR_H_
#define BENNU_SRC_ENGINE_REGION_REGION_COMPACTOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/status.h"
#include "src/engine/region/region_opener.h"
#include "src/engine/region/region_state.h"

namespace bennu::engine {

class CompactionWatch;

class RegionCompactor {
 public:
  // Both must outlive this.
  RegionCompactor(RegionState* state, RegionOpener* opener)
      : state_(state), services_(state->services), opener_(opener) {}

  // Merges files of each store that needs it ('major': every file of every store) until none does.
  // 'throttle' may be null. Cancelled: a change of the region, which is under way, ended it.
  // 'family', unless empty: in its store alone.
  Status Compact(bool major, CompactionThrottle* throttle = nullptr, ByteView family = {});
  // Finishes a compaction found in the log: moves away inputs whose outputs are in place.
  Status FinishCompaction(ByteView family, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);

  // Compact(false) would do something, in a store that this round over all regions looks at; false
  // while the region is not open.
  bool NeedsCompaction(uint64_t round) const;
  // A store has more files than hbase.hstore.blockingStoreFiles, and may be compacted.
  bool HasTooManyFiles() const;
  // Of the compaction that is at work, whoever asked for it.
  CompactionState at_work() const { return at_work_.load(); }
  // The greatest of its stores; 0 while the region is not open.
  double pressure() const;

  // Of a disabled table, whose regions HBase closes: from now on no compaction begins. One that is
  // under way goes on.
  void SetAtRest(bool at_rest) { at_rest_.store(at_rest); }
  // The one under way ends without a result, or with one that was nearly done, and none begins
  // before Allow().
  void Cancel() { cancelled_.store(true); }
  void Allow() { cancelled_.store(false); }
  // Returns when the one under way has ended so. Later ones may run.
  void Stop();
  // From the first on until the second is called, with compaction_mu held, none goes on or begins.
  // (Whose mutex that is the compiler's analysis cannot see from outside.)
  void AskToStop();
  void LetRun();

 private:
  // Neither the table nor the store's switch forbids compactions.
  bool MayCompact() const;
  // '*watch' is who saw a compaction that was committed.
  Status CompactStore(const StoreSet::Entry& entry, bool major, CompactionThrottle* throttle,
                      bool* did, std::unique_ptr<CompactionWatch>* watch);

  RegionState* const state_;
  const RegionServices* const services_;
  RegionOpener* const opener_;
  std::atomic<CompactionState> at_work_{CompactionState::kNone};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> at_rest_{false};
  int stops_asked_ GUARDED_BY(state_->phase_mu) = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_COMPACTOR_H_
