// Stripes: how the files of a striped store divide its rows. Each stripe is a range of rows with
// files of its own, as if it were a small region; files of level 0 may hold any row.
//
// Nothing keeps the stripes but their files: each says in its file info where its stripe begins and
// ends. If these ranges do not follow each other from the first row to the last, every file counts
// as level 0 and the stripes are made again. Source: StripeStoreFileManager of 2.5 (HBASE-7667).
#ifndef BENNU_SRC_ENGINE_STORE_STRIPES_H_
#define BENNU_SRC_ENGINE_STORE_STRIPES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bennu/bytes.h"
#include "src/engine/store/compaction_config.h"
#include "src/engine/store/compaction_policy.h"
#include "src/engine/store/compaction_request.h"

namespace bennu::engine {

// File info: the stripe's rows, [start, end); empty at either end of the region.
inline constexpr ByteView kStripeStartKey = "STRIPE_START_KEY";
inline constexpr ByteView kStripeEndKey = "STRIPE_END_KEY";

struct Stripes {
  struct Stripe {
    Bytes start;
    Bytes end;
    StoreFiles files;  // newest first
  };
  std::vector<Stripe> stripes;  // in key order; empty: there are none yet
  StoreFiles level0;            // newest first

  // 'files': newest first.
  static Stripes Of(const StoreFiles& files);
};

// How a flush is cut: into the stripes that there are, or into the first ones, of about equally
// many cells; 'count_cells' is asked only then. Empty: it goes to level 0.
std::vector<StripeOutput> StripesOfFlush(const StoreView& view, const StripeConfig& config,
                                         const std::function<uint64_t()>& count_cells);

// What to merge when nobody asked; no inputs when nothing is worth it.
CompactionRequest SelectStriped(const StoreView& view, const CompactionConfig& config,
                                const CompactionMoment& moment);

// How many files the store has beyond those that no merge spares it: one of each stripe but one.
size_t CountedFiles(const StoreView& view);

// Every file, into the stripes that there are, or into the first ones.
CompactionRequest SelectAllStriped(const StoreView& view, const CompactionConfig& config);

// Where a region is split so that no stripe is cut: the border that halves the store best. Nothing
// when there is none that does it well enough.
std::optional<Bytes> StripeSplitPoint(const StoreView& view, const StripeConfig& config);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_STRIPES_H_
