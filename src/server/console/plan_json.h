// What EXPLAIN ANALYZE found, as JSON: a tree of operators.
#ifndef BENNU_SRC_SERVER_CONSOLE_PLAN_JSON_H_
#define BENNU_SRC_SERVER_CONSOLE_PLAN_JSON_H_

#include "src/server/console/json.h"
#include "src/sql/exec/plan_tree.h"

namespace bennu::server::console {

// {"totals": {…}, "nodes": [{"name", "detail", "rows", "ms", "memory_bytes", "notes", "children"},
// …]}; rows, time and memory are left out where nothing was counted.
Json ToJson(const sql::exec::PlanTree& plan);

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_PLAN_JSON_H_
