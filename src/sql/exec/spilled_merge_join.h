// A join by merging whose sides are in temporary files. In memory is no more than the right rows of
// one key.
#ifndef BENNU_SRC_SQL_EXEC_SPILLED_MERGE_JOIN_H_
#define BENNU_SRC_SQL_EXEC_SPILLED_MERGE_JOIN_H_

#include <memory>

#include "src/sql/exec/merge_join.h"

namespace bennu::sql::exec {

// Rows come out as those of MakeMergeJoin; equal ones of a side in the order in which they came.
std::unique_ptr<Operator> MakeSpilledMergeJoin(ExecContext* context,
                                               std::unique_ptr<MergeSide> left,
                                               std::unique_ptr<MergeSide> right,
                                               const MergeJoinSpec& spec);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SPILLED_MERGE_JOIN_H_
