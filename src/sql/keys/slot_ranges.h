// The rows that slots allow, as ranges that a store without navigators can be told.
#ifndef BENNU_SRC_SQL_KEYS_SLOT_RANGES_H_
#define BENNU_SRC_SQL_KEYS_SLOT_RANGES_H_

#include <cstddef>
#include <vector>

#include "bennu/scan.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"

namespace bennu::sql {

// Ranges, in ascending order, that together hold all rows that the slots allow, and perhaps others:
// each combination of the points of the leading slots, with the ranges of the slot behind them.
// What later slots say is left out, and as many leading ones are taken as make no more than 'max'
// ranges, over all buckets of a salted table. Empty: they say nothing in so few ranges.
std::vector<RowRange> RangesOfSlots(const KeySchema& schema, const std::vector<KeySlot>& slots,
                                    size_t max);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_KEYS_SLOT_RANGES_H_
