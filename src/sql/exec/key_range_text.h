// The key ranges of a scan as EXPLAIN's lines show them.
#ifndef BENNU_SRC_SQL_EXEC_KEY_RANGE_TEXT_H_
#define BENNU_SRC_SQL_EXEC_KEY_RANGE_TEXT_H_

#include <string>
#include <vector>

#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"

namespace bennu::sql::exec {

// " ['x',~5] - ['x',*]"; nothing when there are no ranges, unless they are those of buckets.
// Descending values carry a ~. 'first': what stands before the first column in each; empty:
// nothing.
std::string RangeText(const KeySchema& schema, const std::vector<KeySlot>& slots,
                      const std::string& first = {});

// "SKIP SCAN ON 6 KEYS": in all buckets, up to the first column that the scan says nothing of.
std::string SkipText(const KeySchema& schema, const std::vector<KeySlot>& slots);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_KEY_RANGE_TEXT_H_
