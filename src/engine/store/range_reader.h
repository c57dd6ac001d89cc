// Reads a few neighbouring rows of one family where they are at hand, without a StoreScanner: most
// short ranges lie in one block of one file.
#ifndef BENNU_SRC_ENGINE_STORE_RANGE_READER_H_
#define BENNU_SRC_ENGINE_STORE_RANGE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/engine/store/store.h"

namespace bennu::engine {

// Whether ReadRangeAtHand may be asked for the scan: it is bounded, reads what is visible, and
// wants whole rows without a filter or navigator.
bool IsShortScan(const Scan& scan);

// As RowRangeReader::ReadRange, for the rows that one store has of the scan's range.
Result<bool> ReadRangeAtHand(const Store& store, const Scan& scan, uint64_t read_point,
                             int64_t now_millis, size_t rows_max, CellBatch* batch,
                             std::vector<std::shared_ptr<const void>>* pins,
                             Scanner::Metrics* metrics);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_RANGE_READER_H_
