// What is read of a table of FROM, before it is known from where to where.
#ifndef BENNU_SRC_SQL_PLAN_SCAN_PLANNER_H_
#define BENNU_SRC_SQL_PLAN_SCAN_PLANNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bennu/status.h"
#include "src/sql/plan/plan_node.h"
#include "src/sql/plan/planner.h"

namespace bennu::sql::plan {

// A node of the source, which is a table, with its columns and conditions; in any order. 'select'
// outlives it. Errors: those of OpenTable and of DEFAULTs.
Result<std::unique_ptr<ScanNode>> PlanScan(const bind::BoundSelect& select, size_t source,
                                           const PlanContext& context);

// How a scan of 'table' fills in the slot, as the chunk's column 'output'. Errors: those of the
// column's DEFAULT.
Result<ScanColumn> ColumnOfSlot(const catalog::TableMeta& table, const bind::Slot& slot,
                                uint32_t output, int64_t now_millis);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_SCAN_PLANNER_H_
