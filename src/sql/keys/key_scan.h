// From conditions on key columns to what a table scan needs: row ranges, points, a navigator.
//
// A slot holds what is allowed for one key column (or, spanning, for several at once as a row value
// constructor), as OR-ed ranges; slots stand for consecutive columns from the first and are AND-ed.
// Source: phoenix-keys spec sections 6 and 7.
#ifndef BENNU_SRC_SQL_KEYS_KEY_SCAN_H_
#define BENNU_SRC_SQL_KEYS_KEY_SCAN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/sql/keys/key_range.h"
#include "src/sql/keys/key_schema.h"

namespace bennu::sql {

class KeyMatcher;

struct KeySlot {
  std::vector<KeyRange> ranges;  // coalesced: sorted, disjoint; none: nothing is allowed
  uint32_t span = 0;             // columns covered beyond the first

  static KeySlot Everything() { return {{KeyRange::Everything()}, 0}; }
};

struct KeyScan {
  enum class Kind : uint8_t {
    kDegenerate,  // no row can match; 'ranges' is empty
    kPoints,      // exactly the rows in 'points'; 'ranges' is empty
    kRange,       // 'ranges' alone
    kSkip,        // 'ranges', narrowed by 'navigator'
    kFull,        // the whole table
  };
  Kind kind = Kind::kFull;
  std::vector<Bytes> points;     // whole row keys, salted, ascending
  std::vector<RowRange> ranges;  // ascending: one, or one for each bucket of a salted table
  std::shared_ptr<const RowNavigator> navigator;  // knows of the salt byte; null unless kSkip
  // What conditions on later key columns rule out of 'ranges', though they are no slots: a scan may
  // jump past such rows, and has to check them otherwise. Knows of the salt byte; may be null.
  std::shared_ptr<const RowNavigator> jumps;
  std::shared_ptr<const KeyMatcher> matcher;  // knows a part of that; may be null
  TimeRange time_range;                       // narrowed by the ROW_TIMESTAMP column's slot
  // The slots hold exactly the rows that are read: no condition that made them needs to be checked
  // again. False when a range scan reads rows that its later slots do not allow.
  bool exact = true;
};

struct KeyScanOptions {
  bool allow_skip_scan = true;  // else kRange, with exact == false where it matters
  size_t max_points = 50'000;   // more keys than this are read by a skip scan instead
};

// Slots cover leading columns only; none: the full table.
KeyScan PlanKeyScan(const std::shared_ptr<const KeySchema>& schema, std::vector<KeySlot> slots,
                    const KeyScanOptions& options = {});

// The range behind each salt byte, ascending; as it is where the table is not salted.
std::vector<RowRange> OverBuckets(const KeySchema& schema, const RowRange& range);

// The lowest and highest row (without salt) that the slots allow: start inclusive, stop exclusive.
RowRange ComposeRowRange(const KeySchema& schema, const std::vector<KeySlot>& slots);

// The components of a row value constructor on the columns from 'first_column' on, joined as the
// bound of a spanning slot (key_range.h). Each component as Encode gives it; empty: NULL.
Bytes JoinComponents(const KeySchema& schema, size_t first_column,
                     std::span<const ByteView> encoded);

// Cell timestamps of rows whose ROW_TIMESTAMP column lies in 'ranges' (coalesced, not empty).
TimeRange RowTimestampRange(const KeyColumn& column, std::span<const KeyRange> ranges);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_KEYS_KEY_SCAN_H_
