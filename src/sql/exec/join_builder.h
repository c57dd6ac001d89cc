// How joins are run: merged, or with the right side in a table.
#ifndef BENNU_SRC_SQL_EXEC_JOIN_BUILDER_H_
#define BENNU_SRC_SQL_EXEC_JOIN_BUILDER_H_

#include "bennu/status.h"
#include "src/sql/exec/input.h"

namespace bennu::sql::exec {

// Reads the right side before it returns, into memory or, when it has no room there, into temporary
// files. 'wishes' are about the rows of the left side.
Result<Input> BuildHashJoin(ExecContext* context, const plan::HashJoinNode& node,
                            const InputWishes& wishes, InputSource* source);
// Reads both sides before it returns.
Result<Input> BuildMergeJoin(ExecContext* context, const plan::MergeJoinNode& node,
                             InputSource* source);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_JOIN_BUILDER_H_
