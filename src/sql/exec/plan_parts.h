// Small questions that the parts of a plan share.
#ifndef BENNU_SRC_SQL_EXEC_PLAN_PARTS_H_
#define BENNU_SRC_SQL_EXEC_PLAN_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/exec/select_plan.h"
#include "src/sql/exec/sort.h"
#include "src/sql/types/type.h"

namespace bennu::sql::exec {

bool HasHint(const bind::BoundSelect& select, std::string_view name);
// Null for no conditions.
Result<bind::ExprPtr> AllOf(std::vector<bind::ExprPtr> conditions);
std::vector<DataType> TypesOf(const std::vector<bind::Output>& outputs);
std::vector<SortField> FieldsOf(const std::vector<bind::OrderField>& order);
// How many rows a sort has to give, of a limit that is -1 for none.
size_t SortLimit(int64_t row_limit);
// For EXPLAIN ANALYZE; in other runs the input stays as it is.
Input MeasureInput(ExecContext* context, Input input, const void* part, StepKind kind);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_PLAN_PARTS_H_
