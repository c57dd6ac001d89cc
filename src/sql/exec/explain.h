// EXPLAIN: a query plan as Phoenix words it. Source: phoenix-sql spec section 9.
#ifndef BENNU_SRC_SQL_EXEC_EXPLAIN_H_
#define BENNU_SRC_SQL_EXEC_EXPLAIN_H_

#include <vector>

#include "src/sql/exec/query.h"
#include "src/sql/exec/select_plan.h"
#include "src/sql/exec/subquery.h"

namespace bennu::sql::exec {

// 'subqueries' are not run: conditions on their values are shown as filters.
Result<std::vector<PlanLine>> ExplainQuery(const QueryPlan& plan,
                                           const std::vector<SubqueryPlan>& subqueries,
                                           ExecContext* context);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_EXPLAIN_H_
