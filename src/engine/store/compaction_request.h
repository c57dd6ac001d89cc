// CompactionRequest: which files of a store to merge, and how the result is cut into files.
#ifndef BENNU_SRC_ENGINE_STORE_COMPACTION_REQUEST_H_
#define BENNU_SRC_ENGINE_STORE_COMPACTION_REQUEST_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

using StoreFiles = std::vector<std::shared_ptr<const StoreFile>>;

// Rows that are written by themselves, into files that are one stripe each.
struct StripeOutput {
  Bytes start;                // inclusive
  Bytes end;                  // exclusive; empty: to the end
  bool drop_markers = false;  // every file that may hold these rows is among the inputs
  // Every file of the stripe is among the inputs. If nothing is left an empty file keeps its place.
  bool replaces_stripe = false;
  // A new stripe begins at the first row after so many cells, while there are fewer than
  // 'count_max'.
  uint64_t cells_per_stripe = std::numeric_limits<uint64_t>::max();
  size_t count_max = 1;
};

struct CompactionRequest {
  StoreFiles inputs;       // newest first
  bool all_files = false;  // of the store: then delete markers and hidden cells go too
  // All files are taken since the time for that has come. Where somebody asked for it the caller
  // knows.
  bool is_major = false;
  // Whatever the log would bring back has expired as well: if nothing is left, no file need say up
  // to where the store is flushed.
  bool only_expired = false;
  uint64_t size_bytes = 0;
  // Date-tiered: ascending; a cell goes into the file of the last border at or before its
  // timestamp, those before the first one into the first. Empty: one file.
  std::vector<int64_t> time_borders;
  // Striped: in key order. Empty: the result is not striped.
  std::vector<StripeOutput> stripes;
};

// 'inputs' as a request for one file.
CompactionRequest MakeCompactionRequest(StoreFiles inputs, bool all_files);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_COMPACTION_REQUEST_H_
