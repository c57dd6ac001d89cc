#include "src/sql/bind/flattened_alias.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include "src/base/status_macros.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/expr/aggregate.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

bool IsAggregate(const parse::Select& select) {
  return select.having != nullptr || !select.group_by.empty() ||
         std::any_of(select.items.begin(), select.items.end(),
                     [](const parse::SelectItem& item) { return HasAggregate(*item.expr); });
}

// Aliases of 'inner' that name a column beside what they stand for.
std::set<std::string> Ambiguous(const parse::Select& inner, const BoundQuery& query) {
  std::set<std::string> names;
  for (const parse::SelectItem& item : inner.items) {
    if (item.alias.empty()) continue;
    const std::string& alias = item.alias.text;
    const parse::Expr& expr = *item.expr;
    if (expr.kind == parse::ExprKind::kColumn && expr.column.text == alias) continue;
    for (const Source& source : query.branches[0].sources) {
      if (source.hidden || source.table == nullptr) continue;
      if (source.table->FindColumn(alias, -1).ok()) names.insert(alias);
    }
  }
  return names;
}

Status CheckNames(const parse::Expr& expr, const std::set<std::string>& ambiguous) {
  const bool bare = expr.kind == parse::ExprKind::kColumn && expr.table.empty();
  if (bare && ambiguous.contains(expr.column.text)) {
    return MakeSqlError(502, fmt::format("columnName={}", expr.column.text), expr.position,
                        "the derived table's own table has a column of this name; choose another "
                        "alias, or write the derived table's alias before the name");
  }
  for (const parse::ExprPtr& child : expr.children) RETURN_IF_ERROR(CheckNames(*child, ambiguous));
  return Status::Ok();
}

}  // namespace

Status CheckFlattenedAliases(const parse::Select& select, const parse::Select& inner,
                             const BoundQuery& query) {
  if (query.branches.size() != 1) return Status::Ok();
  const std::set<std::string> ambiguous = Ambiguous(inner, query);
  if (ambiguous.empty()) return Status::Ok();
  // What follows is the order in which Phoenix merges clauses, and gives up.
  const bool limited = inner.limit != nullptr;
  if (select.where != nullptr) {
    if (limited || (IsAggregate(inner) && inner.group_by.empty())) return Status::Ok();
    RETURN_IF_ERROR(CheckNames(*select.where, ambiguous));
  }
  const bool grouped = IsAggregate(inner) || inner.distinct;
  if ((select.distinct || IsAggregate(select)) && (limited || grouped)) return Status::Ok();
  for (const parse::ExprPtr& group : select.group_by) {
    RETURN_IF_ERROR(CheckNames(*group, ambiguous));
  }
  for (const parse::SelectItem& item : select.items) {
    RETURN_IF_ERROR(CheckNames(*item.expr, ambiguous));
  }
  if (limited) return Status::Ok();
  for (const parse::OrderItem& item : select.order_by) {
    RETURN_IF_ERROR(CheckNames(*item.expr, ambiguous));
  }
  return Status::Ok();
}

}  // namespace bennu::sql::bind
