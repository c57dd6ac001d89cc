// Subqueries that are run before the query which uses their values.
#ifndef BENNU_SRC_SQL_EXEC_SUBQUERY_H_
#define BENNU_SRC_SQL_EXEC_SUBQUERY_H_

#include <vector>

#include "bennu/status.h"
#include "src/sql/exec/operator.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

// Runs all, in order, and gives their values to the context. 215: a subquery that must give a
// single row gave more.
Status RunSubqueries(const std::vector<plan::SubqueryPlan>& subqueries, ExecContext* context);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SUBQUERY_H_
