// Input: rows to come, on the way from one node's operators to the next one's.
#ifndef BENNU_SRC_SQL_EXEC_INPUT_H_
#define BENNU_SRC_SQL_EXEC_INPUT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/status.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/exec/join_keys.h"
#include "src/sql/exec/operator.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

struct ScanRun;  // scan_run.h

// From one operator or from several morsels: exactly one is set. Only what is below an aggregation
// or a sort comes in morsels (ScanNode::parallel).
struct Input {
  std::unique_ptr<Operator> serial;
  std::unique_ptr<Morsels> parallel;
};

// What a run asks of the rows of a node, beyond what the plan says.
struct InputWishes {
  int64_t row_limit = -1;  // rows that are wanted at most
  bool serial = false;     // not in morsels
  // Of a sort that may have nothing to do, and of aggregates that servers may compute: what the
  // scan is going to read, so that this is not planned twice; null: not known. 'forward': the scan
  // need not go backwards, since the sort is done.
  std::shared_ptr<ScanRun> planned;
  bool forward = false;
  // What joins above have found out about the row keys.
  std::vector<std::shared_ptr<const JoinKeyValues>> join_keys;
};

// Where joins get the rows of their sides from.
class InputSource {
 public:
  virtual ~InputSource() = default;
  virtual Result<Input> Build(const plan::PlanNode& node, InputWishes wishes) = 0;
};

// Puts an operator on top of either kind of input.
Input WrapInput(Input input, Wrap wrap);
// Rows for which the condition is true; null: all of them.
Input FilterInput(ExecContext* context, Input input, bind::ExprPtr condition);
// For EXPLAIN ANALYZE; in other runs the input stays as it is.
Input MeasureInput(ExecContext* context, Input input, const void* node,
                   StepKind kind = StepKind::kRows);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_INPUT_H_
