// The planner of UPSERT and DELETE: how a change gets at the rows that it writes.
#ifndef BENNU_SRC_SQL_PLAN_WRITE_PLANNER_H_
#define BENNU_SRC_SQL_PLAN_WRITE_PLANNER_H_

#include <memory>

#include "src/sql/bind/change_binder.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::plan {

WriteSpec PlanUpsert(const bind::BoundUpsert& upsert);

// A DELETE that names whole keys reads nothing. Where the values of a run turn out to be no keys,
// it is planned again without 'points'.
WriteSpec PlanDelete(bind::BoundDelete statement);

// The rows of a change of this kind come from a query.
bool ReadsRows(WriteWay way);

// The top of a change's tree. 'rows' is null when it reads nothing. 'on_client': the query is more
// than a scan of the table that is written to.
PlanNodePtr PlanWrite(const WriteSpec& spec, PlanNodePtr rows, bool on_client = false);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_WRITE_PLANNER_H_
