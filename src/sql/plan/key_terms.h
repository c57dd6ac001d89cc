// Conditions on key columns, and what they mean for the scan once their operands are known.
//
// The binder recognises terms (column op constant, IN, LIKE, IS NULL, row values, OR over one
// column) among the conjuncts of WHERE; a run evaluates their operands (literals, parameters) and
// turns them into slots for PlanKeyScan. A term that cannot be used exactly stays a filter.
// Thread rule: terms are immutable after planning. Source: phoenix-keys spec section 6.
#ifndef BENNU_SRC_SQL_PLAN_KEY_TERMS_H_
#define BENNU_SRC_SQL_PLAN_KEY_TERMS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/key_term.h"
#include "src/sql/keys/key_range.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql::plan {

using bind::KeyTerm;

// The value of operand 'i' in this run.
using OperandValues = std::function<Result<Value>(uint32_t operand)>;

struct KeyTermPlan {
  KeyScan scan;
  // By term: the scan returns only rows for which it holds, so that it needs no filter.
  std::vector<bool> absorbed;
  std::vector<KeySlot> slots;  // what the scan was made of; for EXPLAIN
  bool has_ranges = false;     // some term says something of its column; for EXPLAIN
  // By term: absorbed, or the original's skip scan decides it; for EXPLAIN.
  std::vector<bool> skipped;
};

struct KeyTermOptions {
  bool skip_scan_hint = false;   // SKIP_SCAN: also past columns without a condition
  bool range_scan_hint = false;  // RANGE_SCAN
  // Skip scans pay: the store has navigators, or can be told of ranges instead.
  bool may_skip = true;
  // By key column, the type of its values outside of the key, where an index stores them in
  // another one (index_key_value.h). Empty: the columns' own.
  std::vector<DataType> value_types;
};

Result<KeyTermPlan> PlanKeyTerms(const std::shared_ptr<const KeySchema>& schema,
                                 std::span<const KeyTerm> terms, const OperandValues& values,
                                 const KeyTermOptions& options = {});

// The constant part of a LIKE pattern before its first wildcard, escapes resolved; *exact: nothing
// but one '%' follows, so that the prefix says it all.
std::string LikePrefix(std::string_view pattern, bool* exact);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_KEY_TERMS_H_
