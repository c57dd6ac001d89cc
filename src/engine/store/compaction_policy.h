// Which files of a store to merge next. Pure functions of what is there.
// Source: HBase's ExploringCompactionPolicy (ratio based), with its defaults.
#ifndef BENNU_SRC_ENGINE_STORE_COMPACTION_POLICY_H_
#define BENNU_SRC_ENGINE_STORE_COMPACTION_POLICY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/engine/store/store_view.h"

namespace bennu::engine {

struct CompactionRequest {
  std::vector<std::shared_ptr<const StoreFile>> inputs;  // consecutive in age, newest first
  bool all_files = false;  // then delete markers and hidden cells go too
  uint64_t size_bytes = 0;
};

inline constexpr size_t kCompactionFilesMin = 3;   // hbase.hstore.compaction.min
inline constexpr size_t kCompactionFilesMax = 10;  // hbase.hstore.compaction.max
inline constexpr double kCompactionRatio = 1.2;    // hbase.hstore.compaction.ratio
// A store with so many files is slow to read: merge even when no run has the right proportions.
inline constexpr size_t kBlockingFiles = 16;  // hbase.hstore.blockingStoreFiles

// Every file, for a major compaction. No inputs when there is nothing to gain (no file, or one that
// is itself the result of a major compaction without delete markers).
CompactionRequest SelectAllFiles(const StoreView& view);

// The run of files, consecutive in age, in which no file is bigger than the ratio times the others
// together: most files first, then fewest bytes. No inputs when none is worth it. Every file when
// one is a reference, which only a rewriting of all of them gets rid of.
CompactionRequest SelectMinorCompaction(const StoreView& view);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_COMPACTION_POLICY_H_
