// PlanTree: what one run of a query did, as the tree of its operators. EXPLAIN ANALYZE prints the
// same run in Phoenix's words (phoenix_plan.h), which are about servers and clients; this one is
// for those who draw the tree.
#ifndef BENNU_SRC_SQL_EXEC_PLAN_TREE_H_
#define BENNU_SRC_SQL_EXEC_PLAN_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

class ExecContext;

struct PlanTreeNode {
  // What a step did. The time is its own, without that of the nodes below, summed over threads.
  struct Did {
    uint64_t rows = 0;
    uint64_t nanos = 0;
    uint64_t memory_bytes = 0;  // the most that it held on one thread
  };

  std::string name;    // "Scan", "Hash join"
  std::string detail;  // what it works on: a table, a condition, the columns of an order
  std::optional<Did> did;
  std::vector<std::string> notes;  // a line each: key ranges, filters, what was read
  std::vector<PlanTreeNode> children;
};

// Of the whole run.
struct PlanTotals {
  uint64_t rows = 0;
  uint64_t nanos = 0;
  uint64_t morsels = 0;
  uint64_t threads = 0;
  uint64_t memory_bytes = 0;
  uint64_t spilled_bytes = 0;
};

struct PlanTree {
  std::vector<PlanTreeNode> roots;  // the query, then the subqueries that were run before it
  PlanTotals totals;
};

// 'context': of EXPLAIN ANALYZE, whose run is over. The totals are left to the caller.
Result<PlanTree> MakePlanTree(const plan::Plan& plan, ExecContext* context);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_PLAN_TREE_H_
