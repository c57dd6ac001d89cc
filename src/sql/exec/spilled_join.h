// A hash join whose built side has no room in memory: both sides are divided by the hashes of their
// keys into temporary files, and joined a partition at a time; by blocks (blocked_join.h) where
// there are no keys, or too many rows have the same.
#ifndef BENNU_SRC_SQL_EXEC_SPILLED_JOIN_H_
#define BENNU_SRC_SQL_EXEC_SPILLED_JOIN_H_

#include <memory>

#include "src/sql/exec/hash_join.h"
#include "src/sql/exec/spill_partitions.h"

namespace bennu::sql::exec {

// 'built': the right side's rows, as JoinTable::Build left them. 'spec' has no table; 'slot_count':
// columns of the chunks. Rows come out in no certain order.
std::unique_ptr<Operator> MakeSpilledJoin(ExecContext* context, std::unique_ptr<Operator> probe,
                                          std::shared_ptr<const JoinSpec> spec,
                                          std::shared_ptr<const JoinBuild> build,
                                          std::unique_ptr<SpillPartitions> built,
                                          size_t slot_count);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SPILLED_JOIN_H_
