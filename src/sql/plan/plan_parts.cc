#include "src/sql/plan/plan_parts.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::plan {

bool HasHint(const bind::BoundSelect& select, std::string_view name) {
  return std::any_of(select.hints.begin(), select.hints.end(),
                     [name](const parse::Hint& hint) { return hint.name == name; });
}

Result<bind::ExprPtr> AllOf(std::vector<bind::ExprPtr> conditions) {
  if (conditions.empty()) return bind::ExprPtr();
  return MakeAnd(std::move(conditions));
}

Result<bind::ExprPtr> AllOf(const std::vector<const bind::Conjunct*>& conditions) {
  std::vector<bind::ExprPtr> expressions;
  for (const bind::Conjunct* condition : conditions) expressions.push_back(condition->expr);
  return AllOf(std::move(expressions));
}

std::vector<const bind::Conjunct*> ConditionsOn(const bind::BoundSelect& select, int32_t source) {
  std::vector<const bind::Conjunct*> conditions;
  for (const bind::Conjunct& conjunct : select.where) {
    if (conjunct.source == source) conditions.push_back(&conjunct);
  }
  return conditions;
}

Result<FilterParts> SplitFilter(const IndexedTable& indexed, const bind::ExprPtr& filter) {
  FilterParts parts;
  if (filter == nullptr) return parts;
  std::vector<bind::ExprPtr> conditions{filter};
  if (filter->kind == BoundKind::kAnd) conditions = filter->children;
  std::vector<bind::ExprPtr> before;
  std::vector<bind::ExprPtr> behind;
  for (bind::ExprPtr& condition : conditions) {
    std::vector<size_t> slots;
    CollectSlots(*condition, &slots);
    const bool waits =
        std::any_of(indexed.columns.begin(), indexed.columns.end(), [&](const ScanColumn& column) {
          return std::find(slots.begin(), slots.end(), column.output) != slots.end();
        });
    (waits ? behind : before).push_back(std::move(condition));
  }
  ASSIGN_OR_RETURN(parts.before, AllOf(std::move(before)));
  ASSIGN_OR_RETURN(parts.behind, AllOf(std::move(behind)));
  return parts;
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

}  // namespace bennu::sql::plan
