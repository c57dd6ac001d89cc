// EXPLAIN: a plan as Phoenix words it. Source: phoenix-sql spec section 9.
#ifndef BENNU_SRC_SQL_EXEC_PHOENIX_PLAN_H_
#define BENNU_SRC_SQL_EXEC_PHOENIX_PLAN_H_

#include <vector>

#include "src/sql/exec/operator.h"
#include "src/sql/exec/query.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

// The lines; with what each step did when the context is one of EXPLAIN ANALYZE, whose run is over.
// Subqueries are not run: conditions on their values are shown as filters.
// The line of a change is missing from EXPLAIN ANALYZE: the session adds it, with the time until
// all is written.
Result<std::vector<PlanLine>> PhoenixPlan(const plan::Plan& plan, ExecContext* context);

// Puts the line of a change above those of its query.
void AddWriteLine(plan::WriteWay way, std::vector<PlanLine>* lines);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_PHOENIX_PLAN_H_
