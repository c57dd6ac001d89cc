// PointQuery: runs of a PointLookupNode.
//
// No operators, no planning, no other thread: the key is put together, the row is read through
// Table::GetCells, decoded and handed out. What a run needs is kept for the next one.
#ifndef BENNU_SRC_SQL_EXEC_POINT_QUERY_H_
#define BENNU_SRC_SQL_EXEC_POINT_QUERY_H_

#include <memory>
#include <span>

#include "src/sql/exec/query.h"
#include "src/sql/exec/short_query.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

class PointRun;

// Immutable but for the runs it keeps. Thread-safe.
class PointQuery : public std::enable_shared_from_this<PointQuery> {
 public:
  // 'node' is of 'plan', which is kept.
  PointQuery(std::shared_ptr<const plan::Plan> plan, const plan::PointLookupNode* node);
  ~PointQuery();

  // Null when these parameters do not make a key (one does not fit its column): take the long way.
  Result<std::unique_ptr<RowStream>> Open(std::span<const Value> params, const RunOptions& options);

 private:
  friend class PointStream;
  // Appends the row key; false when a value does not fit, *absent when it can be in no row.
  bool MakeKey(std::span<const Value> params, PointRun* run, bool* absent) const;

  const std::shared_ptr<const plan::Plan> plan_;
  const plan::PointLookupNode* const node_;
  RunPool<PointRun> runs_;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_POINT_QUERY_H_
