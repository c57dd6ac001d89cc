// ScanRun: what one run reads of a table, now that the values of its parameters are known.
//
// Decided here, once, for who runs the plan and for who shows it: which rows are read, what is left
// to check of them, and whether they come in the order that the plan hopes for.
#ifndef BENNU_SRC_SQL_EXEC_SCAN_RUN_H_
#define BENNU_SRC_SQL_EXEC_SCAN_RUN_H_

#include <memory>
#include <vector>

#include "bennu/status.h"
#include "src/sql/exec/join_keys.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/table_scan.h"
#include "src/sql/plan/key_terms.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

struct ScanRun {
  std::shared_ptr<TableScanSpec> spec;  // in the order of the node's direction where it has one
  bind::ExprPtr filter;                 // what the scan's keys leave to check; null: nothing
  bind::ExprPtr shown_filter;           // what they leave to the original; for EXPLAIN
  // Where the store is remote: conditions that its servers check as well, and those that they do
  // not; for EXPLAIN.
  std::vector<bind::ExprPtr> shown_carried, shown_left;
  plan::KeyTermPlan keys;
  // It reads some keys and passes over those between.
  bool skips = false;
  // Rows come in the node's direction. As in the original a scan that skips does not go backwards:
  // it reads forward, and the rows are sorted.
  bool in_order = false;
};

// 'join_keys': what joins above have found out about the row keys, of this and other tables.
Result<ScanRun> PlanScanRun(
    ExecContext* context, const plan::ScanNode& node,
    const std::vector<std::shared_ptr<const JoinKeyValues>>& join_keys = {});

// Leaves out of 'spec' what comes before the key of OFFSET, in the node's direction, and its row.
Status BeginBehindOffset(ExecContext* context, const plan::ScanNode& node, TableScanSpec* spec);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SCAN_RUN_H_
