// EXPLAIN: a query plan as Phoenix words it. Source: phoenix-sql spec section 9.
#ifndef BENNU_SRC_SQL_EXEC_EXPLAIN_H_
#define BENNU_SRC_SQL_EXEC_EXPLAIN_H_

#include <vector>

#include "src/sql/exec/query.h"
#include "src/sql/exec/select_plan.h"

namespace bennu::sql::exec {

Result<std::vector<PlanLine>> ExplainQuery(const QueryPlan& plan, ExecContext* context);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_EXPLAIN_H_
