#include "src/sql/exec/plan_parts.h"

#include <algorithm>
#include <utility>

#include "src/sql/functions/make_expr.h"

namespace bennu::sql::exec {

bool HasHint(const bind::BoundSelect& select, std::string_view name) {
  return std::any_of(select.hints.begin(), select.hints.end(),
                     [name](const parse::Hint& hint) { return hint.name == name; });
}

Result<bind::ExprPtr> AllOf(std::vector<bind::ExprPtr> conditions) {
  if (conditions.empty()) return bind::ExprPtr();
  return MakeAnd(std::move(conditions));
}

std::vector<DataType> TypesOf(const std::vector<bind::Output>& outputs) {
  std::vector<DataType> types;
  for (const bind::Output& output : outputs) types.push_back(output.type);
  return types;
}

std::vector<SortField> FieldsOf(const std::vector<bind::OrderField>& order) {
  std::vector<SortField> fields;
  for (const bind::OrderField& field : order) {
    fields.push_back({field.output, field.descending, field.nulls_last});
  }
  return fields;
}

Input MeasureInput(ExecContext* context, Input input, const void* part, StepKind kind) {
  Step* const step = context->StepOf(part, kind);
  if (step == nullptr) return input;
  return WrapInput(std::move(input), [step](std::unique_ptr<Operator> child) {
    return Measure(std::move(child), step);
  });
}

size_t SortLimit(int64_t row_limit) {
  return row_limit < 0 ? SIZE_MAX : static_cast<size_t>(row_limit);
}

}  // namespace bennu::sql::exec
