// A join of which neither side has room in memory, and whose keys divide its rows no further: there
// are none, or too many rows have the same. As much of the right side as there is room for is put
// into a table, which all of the left side is read for; then the next of it.
#ifndef BENNU_SRC_SQL_EXEC_BLOCKED_JOIN_H_
#define BENNU_SRC_SQL_EXEC_BLOCKED_JOIN_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "src/sql/exec/hash_join.h"
#include "src/sql/exec/operator.h"

namespace bennu::sql::exec {

// 'open_left' gives the same 'left_rows' rows in the same order each time. 'spec' has no table, and
// is not of kSemi or kAnti; of kFull only without keys. Each row of the right side counts. Rows
// come out in no certain order. A block is one chunk at least, however little memory there is.
// Errors: 999 when there is no room for a bit for each row of the left side, which LEFT joins with
// keys need.
std::unique_ptr<Operator> MakeBlockedJoin(
    ExecContext* context, std::function<Result<std::unique_ptr<Operator>>()> open_left,
    uint64_t left_rows, std::unique_ptr<Operator> right, std::shared_ptr<const JoinSpec> spec,
    std::shared_ptr<const JoinBuild> build);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_BLOCKED_JOIN_H_
