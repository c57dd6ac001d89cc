// Aggregates without groups that the servers of a remote store compute: COUNT(*), and SUM, MIN and
// MAX of an UNSIGNED_LONG column, whose values are stored as HBase's own classes read them.
#ifndef BENNU_SRC_SQL_EXEC_SERVER_AGGREGATE_H_
#define BENNU_SRC_SQL_EXEC_SERVER_AGGREGATE_H_

#include <memory>

#include "src/sql/exec/operator.h"
#include "src/sql/exec/scan_run.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

// Whether the servers may be asked for the node's aggregates over this run of the scan below it: no
// condition is left to check here, rows count as they are, and none of the aggregates is another.
bool MayAggregateAtServers(ExecContext* context, const plan::AggregateNode& node,
                           const ScanRun& run);

// Whether they do. Asks a region of the table for one row: whether it has the class that counts is
// not known before.
bool AggregatesAtServers(ExecContext* context, const plan::AggregateNode& node);

// The run of the scan below the node; null: servers have nothing to do with its aggregates.
Result<std::unique_ptr<ScanRun>> PlanForServers(ExecContext* context,
                                                const plan::AggregateNode& node);

// A column for each aggregate, in one row. Where the servers have nothing for it, or a sum could
// pass what they count in, 'otherwise' gives the row. 'node' must outlive the operator.
std::unique_ptr<Operator> MakeServerAggregate(ExecContext* context, const plan::AggregateNode& node,
                                              ScanRun run, std::unique_ptr<Operator> otherwise);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SERVER_AGGREGATE_H_
