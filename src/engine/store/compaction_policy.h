// Which files of a store to merge next: what the policies of HBase's default engine say. Pure
// functions of what is there; all take files newest first, as StoreView has them.
// Source: ExploringCompactionPolicy, RatioBasedCompactionPolicy, FIFOCompactionPolicy and
// SortedCompactionPolicy of 2.5.
#ifndef BENNU_SRC_ENGINE_STORE_COMPACTION_POLICY_H_
#define BENNU_SRC_ENGINE_STORE_COMPACTION_POLICY_H_

#include <cstdint>
#include <optional>

#include "src/engine/store/compaction_config.h"
#include "src/engine/store/compaction_request.h"
#include "src/engine/store/store_view.h"

namespace bennu::engine {

// What a selection depends on beside the files.
struct CompactionMoment {
  int64_t now_millis = 0;
  bool off_peak = false;
  int32_t ttl_seconds = kTtlForever;  // of the family; forever when MIN_VERSIONS may keep cells
};

// Every file, for a major compaction. No inputs when there is none.
CompactionRequest SelectAllFiles(const StoreView& view);

// FIFO, whoever asks: nothing is merged; files of which every cell has expired go, and those
// without cells that say nothing of the store's state that a file that stays does not.
CompactionRequest SelectExpired(const StoreView& view, const CompactionMoment& moment);

// What a compaction that nobody asked for takes: all files when a major compaction is due or one is
// a reference, which only a rewriting of all of them gets rid of; else a minor compaction by
// config.policy. No inputs when nothing is worth it.
CompactionRequest SelectByDefaultEngine(const StoreView& view, const CompactionConfig& config,
                                        const CompactionMoment& moment);

// The run of 'files', consecutive in age, that the policy takes. 'files_min' and 'files_max' bound
// it; 'is_stuck': the store has so many files that some must be merged in any case.
struct RunLimits {
  size_t files_min;
  size_t files_max;
  bool is_stuck;
};
StoreFiles SelectRun(const StoreFiles& files, CompactionPolicy policy,
                     const CompactionConfig& config, const RunLimits& limits, bool off_peak);

// When files of these names get their next major compaction after the last; 0: never. The jitter
// depends on the names alone, so that asking again gives the same.
int64_t MajorCompactionPauseMillis(const StoreFiles& files, const CompactionConfig& config);

// Whether the time for a major compaction has come and it would change anything, for a store whose
// files are not cut by time.
bool IsMajorCompactionDue(const StoreFiles& files, const CompactionConfig& config,
                          const CompactionMoment& moment);

// The oldest of the times at which the files were written; nothing when one does not tell.
std::optional<int64_t> OldestCreation(const StoreFiles& files);

// How near the store is to having too many files: 0 when nothing is to be done, above 1 when it has
// more than the blocking number. Source: DefaultStoreFileManager.getCompactionPressure.
double CompactionPressure(const StoreView& view, const CompactionConfig& config);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_COMPACTION_POLICY_H_
