// The values of sequences, put beside the rows that a query gives.
#ifndef BENNU_SRC_SQL_EXEC_SEQUENCE_OPERATOR_H_
#define BENNU_SRC_SQL_EXEC_SEQUENCE_OPERATOR_H_

#include <memory>
#include <vector>

#include "src/sql/bind/bound_query.h"
#include "src/sql/exec/operator.h"

namespace bennu::sql::exec {

// The child's columns and behind them a BIGINT for each sequence. Checks at once that all of them
// can be used (1201, 1205 without a source, 1215 a count below one).
Result<std::unique_ptr<Operator>> MakeSequences(ExecContext* context,
                                                std::unique_ptr<Operator> child,
                                                const std::vector<bind::SequenceUse>& uses);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SEQUENCE_OPERATOR_H_
