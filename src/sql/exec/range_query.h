// RangeQuery: runs of a KeyRangeNode, which read a few neighbouring rows by a prepared statement.
//
// Which rows these are is known when the statement is prepared, but for the bytes of the bounds. A
// run puts those together and scans; decoder, vectors and the request are kept for the next run.
// The bytes are those that PlanKeyTerms finds (sql/plan, sql/keys).
#ifndef BENNU_SRC_SQL_EXEC_RANGE_QUERY_H_
#define BENNU_SRC_SQL_EXEC_RANGE_QUERY_H_

#include <memory>
#include <span>

#include "src/sql/exec/query.h"
#include "src/sql/exec/short_query.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

class RangeRun;

// Immutable but for the runs it keeps. Thread-safe.
class RangeQuery : public std::enable_shared_from_this<RangeQuery> {
 public:
  // 'node' is of 'plan', which is kept; 'connection' must outlive this.
  RangeQuery(std::shared_ptr<const plan::Plan> plan, const plan::KeyRangeNode* node,
             Connection* connection);
  ~RangeQuery();

  // Null when these parameters make no range (one does not fit its column), and where the long way
  // moves fewer rows of an index: take the long way.
  std::unique_ptr<RowStream> Open(std::span<const Value> params, const RunOptions& options);

 private:
  friend class RangeStream;
  std::unique_ptr<RangeRun> MakeRun() const;
  // Sets the ranges and the time range of run->spec. False when a value does not fit, *nothing when
  // no row can be meant.
  bool MakeRanges(std::span<const Value> params, RangeRun* run, bool* nothing) const;
  bool EncodeBounds(std::span<const Value> params, RangeRun* run, bool* nothing) const;
  bool IsFixedBound() const;
  void MakeStart(RangeRun* run) const;
  void MakeStop(RangeRun* run) const;
  // False: not a number of rows.
  bool TakeLimit(std::span<const Value> params, int64_t* limit) const;

  const std::shared_ptr<const plan::Plan> plan_;
  const plan::KeyRangeNode* const node_;
  const KeySchema* const schema_;
  Connection* const connection_;
  RunPool<RangeRun> runs_;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_RANGE_QUERY_H_
