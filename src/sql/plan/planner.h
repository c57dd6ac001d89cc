// The planner: from a bound query to the tree of nodes that is run and shown.
#ifndef BENNU_SRC_SQL_PLAN_PLANNER_H_
#define BENNU_SRC_SQL_PLAN_PLANNER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::plan {

struct PlanContext {
  Connection* connection = nullptr;  // outlives the plan
  int64_t now_millis = 0;            // of the statement, for DEFAULTs
};

// 'subqueries': what the binder found that is to be run before the query. 'write': the change that
// the rows are for, which becomes the top of the tree; null: the rows are the answer. Errors: 2014
// (OFFSET with a key, but rows in another order); those of OpenTable.
Result<std::shared_ptr<const Plan>> MakePlan(std::unique_ptr<bind::BoundQuery> query,
                                             std::vector<bind::Subquery> subqueries,
                                             const PlanContext& context,
                                             const WriteSpec* write = nullptr);

// The tree of one query. What its nodes refer to goes to plan->selects.
Result<PlanNodePtr> PlanQuery(std::unique_ptr<bind::BoundQuery> query, const PlanContext& context,
                              Plan* plan);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_PLANNER_H_
