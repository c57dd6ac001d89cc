#include "src/sql/exec/subquery.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/plan_builder.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

using bind::SubqueryKind;

class SubqueryRun {
 public:
  explicit SubqueryRun(const plan::SubqueryPlan& subquery) : subquery_(subquery) {}

  Result<std::vector<Value>> Run(ExecContext* context) {
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> rows, BuildPlan(context, *subquery_.root));
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(rows->Next(&chunk));
      if (chunk.size == 0) return Values();
      switch (subquery_.kind) {
        case SubqueryKind::kExists: return std::vector<Value>{Value::Bool(true)};
        case SubqueryKind::kSingleRow:
          if (!values_.empty() || chunk.size > 1) return MakeSqlError(215, "");
          values_ = RowOf(chunk, 0);
          break;
        default:
          for (size_t row = 0; row < chunk.size; ++row) RETURN_IF_ERROR(Offer(RowOf(chunk, row)));
      }
    }
  }

 private:
  std::vector<Value> RowOf(const DataChunk& chunk, size_t row) const {
    std::vector<Value> values;
    for (size_t i = 0; i < subquery_.types.size(); ++i) {
      values.push_back(chunk.columns[i].GetValue(row));
    }
    return values;
  }

  // Keeps the row when it goes beyond what is known; one with a NULL is no candidate.
  Status Offer(std::vector<Value> row) {
    for (const Value& value : row) {
      if (value.is_null()) return Status::Ok();
    }
    for (size_t i = 0; i < row.size() && !values_.empty(); ++i) {
      ASSIGN_OR_RETURN(const int order, CompareValues(row[i], values_[i]));
      if (order == 0) continue;
      const bool beyond = subquery_.kind == SubqueryKind::kGreatest ? order > 0 : order < 0;
      if (beyond) values_ = std::move(row);
      return Status::Ok();
    }
    if (values_.empty()) values_ = std::move(row);
    return Status::Ok();
  }

  // At the end of the rows.
  std::vector<Value> Values() {
    if (subquery_.kind == SubqueryKind::kExists) return {Value::Bool(false)};
    if (values_.empty()) {
      for (const DataType& type : subquery_.types) values_.push_back(Value::Null(type));
    }
    return std::move(values_);
  }

  const plan::SubqueryPlan& subquery_;
  std::vector<Value> values_;
};

}  // namespace

Status RunSubqueries(const std::vector<plan::SubqueryPlan>& subqueries, ExecContext* context) {
  std::vector<Value> known;
  for (const plan::SubqueryPlan& subquery : subqueries) {
    ASSIGN_OR_RETURN(std::vector<Value> values, SubqueryRun(subquery).Run(context));
    known.insert(known.end(), values.begin(), values.end());
    context->set_subquery_values(known);
  }
  return Status::Ok();
}

}  // namespace bennu::sql::exec
