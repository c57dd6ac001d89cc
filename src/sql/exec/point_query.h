// PointQuery: the short path of SELECT … WHERE every key column = something.
//
// No operators, no planning, no other thread: the key is put together, the row is read through
// Table::GetCells, decoded and handed out. What a run needs is kept for the next one.
#ifndef BENNU_SRC_SQL_EXEC_POINT_QUERY_H_
#define BENNU_SRC_SQL_EXEC_POINT_QUERY_H_

#include <memory>
#include <span>
#include <vector>

#include "src/sql/exec/query.h"
#include "src/sql/exec/select_plan.h"
#include "src/sql/exec/short_query.h"

namespace bennu::sql::exec {

class PointRun;

// Immutable but for the runs it keeps. Thread-safe.
class PointQuery : public std::enable_shared_from_this<PointQuery> {
 public:
  // Null when the query is of another kind. 'plan' is kept.
  static std::shared_ptr<PointQuery> TryMake(std::shared_ptr<const QueryPlan> plan);
  ~PointQuery();

  // Null when these parameters do not make a key (one does not fit its column): take the long way.
  Result<std::unique_ptr<RowStream>> Open(std::span<const Value> params, const RunOptions& options);

 private:
  friend class PointStream;
  explicit PointQuery(std::shared_ptr<const QueryPlan> plan);

  bool Match();
  // Appends the row key; false when a value does not fit, *absent when it can be in no row.
  bool MakeKey(std::span<const Value> params, PointRun* run, bool* absent) const;

  const std::shared_ptr<const QueryPlan> plan_;
  const SelectPlan* const select_;
  std::vector<const BoundExpr*> key_operands_;  // by key column: a constant or a parameter
  bind::ExprPtr filter_;                        // what else WHERE says; null: nothing
  std::vector<ScanColumn> columns_;             // that outputs and filter look at
  RunPool<PointRun> runs_;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_POINT_QUERY_H_
