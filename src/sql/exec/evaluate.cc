#include "src/sql/exec/evaluate.h"

namespace bennu::sql::exec {

Status Evaluator::FilterNotFalse(const bind::Expr& condition, const DataChunk& chunk,
                                 SelectionVector* selection) {
  RETURN_IF_ERROR(Evaluate(condition, chunk, &scratch_));
  selection->Clear();
  for (uint32_t row = 0; row < chunk.size; ++row) {
    if (scratch_.IsNull(row) || scratch_.At<uint8_t>(row) != 0) selection->Append(row);
  }
  return Status::Ok();
}

}  // namespace bennu::sql::exec
