// The planner of one SELECT.
#ifndef BENNU_SRC_SQL_PLAN_SELECT_PLANNER_H_
#define BENNU_SRC_SQL_PLAN_SELECT_PLANNER_H_

#include "bennu/status.h"
#include "src/sql/plan/plan_node.h"
#include "src/sql/plan/planner.h"

namespace bennu::sql::plan {

// The nodes whose rows are the visible outputs in the wanted order, without LIMIT. What they refer
// to is added to plan->selects, before what derived tables add. 'limited': a LIMIT above may say
// that the first rows are enough. Errors: see MakePlan.
Result<PlanNodePtr> PlanSelect(bind::BoundSelect&& select, bool limited, const PlanContext& context,
                               Plan* plan);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_SELECT_PLANNER_H_
