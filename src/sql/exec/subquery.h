// Subqueries that are run before the query which uses their values.
#ifndef BENNU_SRC_SQL_EXEC_SUBQUERY_H_
#define BENNU_SRC_SQL_EXEC_SUBQUERY_H_

#include <memory>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/exec/select_plan.h"

namespace bennu::sql::exec {

// Immutable.
struct SubqueryPlan {
  bind::SubqueryKind kind = bind::SubqueryKind::kExists;
  size_t value_count = 1;
  std::unique_ptr<QueryPlan> plan;
};

Result<std::vector<SubqueryPlan>> PlanSubqueries(std::vector<bind::Subquery> subqueries,
                                                 const PrepareContext& context);

// Runs all, in order, and gives their values to the context. 215: a subquery that must give a
// single row gave more.
Status RunSubqueries(const std::vector<SubqueryPlan>& subqueries, ExecContext* context);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SUBQUERY_H_
