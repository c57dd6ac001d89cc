// What the short reads of prepared statements (point_query.h, range_query.h) have in common. Which
// queries are read so the planner decides (plan/short_read.h).
#ifndef BENNU_SRC_SQL_EXEC_SHORT_QUERY_H_
#define BENNU_SRC_SQL_EXEC_SHORT_QUERY_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "src/base/mutex.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/types/value.h"

namespace bennu::sql::exec {

// The value of a constant or parameter.
inline const Value& ValueOf(const BoundExpr& operand, std::span<const Value> params) {
  return operand.kind == BoundKind::kConstant ? operand.constant : params[operand.slot];
}

// Replaces *encoded by the bytes of 'value', which is not NULL, in the column. False when it does
// not fit exactly: take the long way.
bool EncodeOperand(const Value& value, const KeyColumn& column, Bytes* encoded);

// What runs use, kept from one to the next; as many as there are at one time. Thread-safe.
template <typename Run>
class RunPool {
 public:
  // Null: there is none.
  std::unique_ptr<Run> Take() {
    MutexLock lock(&mu_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<Run> run = std::move(free_.back());
    free_.pop_back();
    return run;
  }
  void GiveBack(std::unique_ptr<Run> run) {
    MutexLock lock(&mu_);
    free_.push_back(std::move(run));
  }

 private:
  Mutex mu_;
  std::vector<std::unique_ptr<Run>> free_ GUARDED_BY(mu_);
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SHORT_QUERY_H_
