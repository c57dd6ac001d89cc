// What a row shows later if nobody writes it, as its cells expire: for observers of writes
// (src/api/write_observer.h).
#ifndef BENNU_SRC_ENGINE_STORE_LATER_ROWS_H_
#define BENNU_SRC_ENGINE_STORE_LATER_ROWS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bennu/cell.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/cell/expiry.h"
#include "src/engine/store/store.h"

namespace bennu::engine {

// Fills *later, which is empty, as api::RowChange wants it. 'cells': what ReadNewestRow gives now,
// asked for the same. 'ttls': of the stores' families. Most rows are not read again.
Status FindLaterRows(std::span<const std::shared_ptr<Store>> stores, const cell::FamilyTtls& ttls,
                     const api::WriteObserver& observer, const Get& get,
                     std::span<const std::shared_ptr<MemStore>> overlays,
                     std::span<const Cell> cells, std::vector<api::LaterRow>* later,
                     std::vector<std::shared_ptr<const void>>* pins);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_LATER_ROWS_H_
