#include "src/engine/store/later_rows.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "src/base/status_macros.h"
#include "src/cell/expiry.h"
#include "src/engine/store/row_change.h"

namespace bennu::engine {

namespace {

// When the next cell goes that the observer depends on, or else the row; a row may have many
// others.
int64_t NextLastMoment(std::span<const Cell> cells, const cell::FamilyTtls& ttls,
                       const api::WriteObserver& observer) {
  int64_t next = cell::kNeverExpires;
  int64_t of_row = std::numeric_limits<int64_t>::min();
  for (const Cell& cell : cells) {
    const int64_t last = cell::LastMoment(cell, ttls.Of(cell.family()));
    of_row = std::max(of_row, last);
    if (last < next && observer.DependsOn(cell.family(), cell.qualifier())) next = last;
  }
  return std::min(next, of_row);
}

}  // namespace

Status FindLaterRows(std::span<const std::shared_ptr<Store>> stores, const cell::FamilyTtls& ttls,
                     const api::WriteObserver& observer, const Get& get,
                     std::span<const std::shared_ptr<MemStore>> overlays,
                     std::span<const Cell> cells, std::vector<api::LaterRow>* later,
                     std::vector<std::shared_ptr<const void>>* pins) {
  if (ttls.ExpireTogether(cells)) return Status::Ok();
  std::vector<Cell> current(cells.begin(), cells.end());
  while (!current.empty()) {
    const int64_t last = NextLastMoment(current, ttls, observer);
    if (last == cell::kNeverExpires) return Status::Ok();
    api::LaterRow next;
    next.from = last + 1;
    // Behind a cell that goes by a time of its own an older one may show.
    if (std::any_of(current.begin(), current.end(), cell::HasOwnTtl)) {
      RETURN_IF_ERROR(ReadNewestRow(stores, get, next.from, overlays, &next.cells, pins));
    } else {
      std::copy_if(
          current.begin(), current.end(), std::back_inserter(next.cells),
          [&](const Cell& cell) { return cell::LastMoment(cell, ttls.Of(cell.family())) > last; });
    }
    current = next.cells;
    later->push_back(std::move(next));
  }
  return Status::Ok();
}

}  // namespace bennu::engine
