// Markers that make what a row shows last, for observed writes (src/api/write_observer.h).
//
// Two of HBase's rules let a flush or a compaction change what a row shows without a write of it,
// so that what was derived from the row would be wrong from then on:
//   - a marker hides puts that are written after it with an older timestamp; once a major
//     compaction has dropped the marker, those that it did not read show up;
//   - deleting the newest version brings the one before it to light, even if VERSIONS newer ones
//     were written since, as long as no flush or compaction has dropped it; so does a version that
//     expires by a time to live of its own.
// A put that a marker hides therefore gets a marker of its own beside it, which goes no sooner than
// the put does. A version that VERSIONS newer ones have pushed out is hidden for good by whoever
// deletes one of these, or puts one that expires. A reader sees no difference but that it stays so.
//
// With NEW_VERSION_BEHAVIOR neither can happen.
#ifndef BENNU_SRC_ENGINE_STORE_LASTING_MARKERS_H_
#define BENNU_SRC_ENGINE_STORE_LASTING_MARKERS_H_

#include <cstdint>
#include <memory>
#include <span>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/engine/store/row_change.h"

namespace bennu::engine {

// Adds what the write of 'cells' needs beside it, if anything: a mutation of their row, whose
// markers have timestamps. 'cells': at least one; those of a row that go to 'store'. 'overlay': the
// memstore of them (MakeOverlays). To be called under the row's lock. Errors are those of reading
// the row.
Status AddLastingMarkers(const Store& store, const std::shared_ptr<MemStore>& overlay,
                         std::span<const WrittenCell* const> cells, int64_t now_millis,
                         MutationBatch* markers);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_LASTING_MARKERS_H_
