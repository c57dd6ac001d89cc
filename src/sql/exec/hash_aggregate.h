// GROUP BY and aggregates without groups, by hashing; in parallel over morsels with a partial state
// for each thread, merged at the end.
#ifndef BENNU_SRC_SQL_EXEC_HASH_AGGREGATE_H_
#define BENNU_SRC_SQL_EXEC_HASH_AGGREGATE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/sql/bind/expr.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/sort_key.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

using plan::AggregateSpec;

constexpr size_t kAllGroups = SIZE_MAX;

// Output: a column for each group expression, then one for each aggregate. 'child' or 'morsels' is
// set. Past 'max_groups' groups nothing more is read ('child' only; not for aggregates). 'spec'
// must outlive the operator.
std::unique_ptr<Operator> MakeHashAggregate(ExecContext* context, std::unique_ptr<Operator> child,
                                            std::unique_ptr<Morsels> morsels,
                                            const AggregateSpec* spec,
                                            size_t max_groups = kAllGroups);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_HASH_AGGREGATE_H_
