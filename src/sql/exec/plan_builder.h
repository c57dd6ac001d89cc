// From a plan to operators: one run of it.
#ifndef BENNU_SRC_SQL_EXEC_PLAN_BUILDER_H_
#define BENNU_SRC_SQL_EXEC_PLAN_BUILDER_H_

#include <cstdint>
#include <memory>

#include "bennu/status.h"
#include "src/sql/exec/operator.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

// The operator that gives the rows of 'root'. Joins read their right sides before this returns, as
// Phoenix does. The plan and the context must outlive it. Errors: those of the expressions that
// decide what is read (keys, LIMIT), of storage, 999.
Result<std::unique_ptr<Operator>> BuildPlan(ExecContext* context, const plan::PlanNode& root);

// Values of LIMIT (-1: none) and OFFSET in this run. 601, 201: they are no numbers of rows.
Result<int64_t> LimitOf(ExecContext* context, const plan::LimitNode& node);
Result<int64_t> OffsetOf(ExecContext* context, const plan::LimitNode& node);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_PLAN_BUILDER_H_
