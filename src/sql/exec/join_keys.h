// What the built side of a join says about the row keys of the other side.
#ifndef BENNU_SRC_SQL_EXEC_JOIN_KEYS_H_
#define BENNU_SRC_SQL_EXEC_JOIN_KEYS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/sql/bind/bound_query.h"
#include "src/sql/exec/hash_join.h"
#include "src/sql/types/value.h"

namespace bennu::sql::exec {

// Only rows of 'source' whose first key column has one of the values can match.
struct JoinKeyValues {
  uint32_t source = 0;
  std::vector<Value> values;  // of the column's type, none NULL, at least one
};

// Nothing when the join's keys do not hold a first key column, or there are too many values for
// look-ups to be better than a scan. Source: the DYNAMIC SERVER FILTER of Phoenix's plans.
std::optional<JoinKeyValues> FindJoinKeyValues(const bind::BoundSelect& select,
                                               const bind::FromNode& node, const JoinTable& table);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_JOIN_KEYS_H_
