// RowChange: what a row looks like before and after a write of it, for observers of writes
// (src/api/write_observer.h).
//
// The way that is always right lays the cells of the write over the store as one more memstore, and
// reads the row by the rules that every reader goes by. Most writes are newer than all that the row
// has; for them "after" is made of "before" (AddNewest), which reads the row once and makes no
// memstore.
#ifndef BENNU_SRC_ENGINE_STORE_ROW_CHANGE_H_
#define BENNU_SRC_ENGINE_STORE_ROW_CHANGE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "bennu/cell.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/engine/store/store.h"

namespace bennu::engine {

// What cells of overlays have: later than every write that there is, and visible to the reader of
// everything.
inline constexpr uint64_t kOverlaySequenceId = std::numeric_limits<uint64_t>::max() - 1;

// The cells of a write, each with the index of its store, as a source of merging reads: a memstore
// for each of 'store_count' stores, null where it has none. As in a memstore the last of several
// equal cells counts.
struct WrittenCell {
  Cell cell;
  uint32_t store = 0;
};
std::vector<std::shared_ptr<MemStore>> MakeOverlays(std::span<const WrittenCell> cells,
                                                    size_t store_count);

// Appends the cells of 'get' that a reader of everything sees, store by store, and what they lie in
// to *pins. 'overlays': empty, or those of the stores. 'get' has neither filter nor snapshot.
Status ReadNewestRow(std::span<const std::shared_ptr<Store>> stores, const Get& get,
                     int64_t now_millis, std::span<const std::shared_ptr<MemStore>> overlays,
                     std::vector<Cell>* cells, std::vector<std::shared_ptr<const void>>* pins);

// Whether AddNewest may be used for these cells of one row: all have one timestamp, are puts
// without tags or markers of whole columns and families, and no family has rules of its own for
// them. The row must have nothing of that timestamp or later.
bool MayAddNewest(std::span<const WrittenCell> cells, std::span<const FamilyRules* const> families,
                  int64_t now_millis);
// What becomes of 'before' by the cells of the write. 'get': which columns are asked for. The
// result points into both.
void AddNewest(std::span<const Cell> before, std::span<const WrittenCell> cells, const Get& get,
               std::vector<Cell>* after);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_ROW_CHANGE_H_
