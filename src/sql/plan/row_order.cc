#include "src/sql/plan/row_order.h"

#include <algorithm>

#include "src/sql/bind/group_keys.h"
#include "src/sql/plan/plan_parts.h"

namespace bennu::sql::plan {
namespace {

bool IsDescending(const bind::BoundSelect& select, const bind::Expr& group, bool by_key) {
  if (group.kind == BoundKind::kSlot) return select.slots[group.slot].order == SortOrder::kDesc;
  const std::optional<bind::KeyOrder> of_key = bind::KeyOrderOf(select, group);
  return of_key.has_value() && of_key->descending && by_key;
}

// Whether ORDER BY is the order of the groups, or the opposite of it.
bool MatchesGroups(const bind::BoundSelect& select, GroupOrder* groups) {
  std::optional<bool> backward;
  for (uint32_t i = 0; i < select.order.size(); ++i) {
    const bind::OrderField& field = select.order[i];
    const bind::Expr& output = *select.outputs[field.output].expr;
    if (select.aggregated && output.kind != BoundKind::kSlot) return false;
    const size_t group = select.aggregated ? output.slot : field.output;
    if (i >= groups->order.size() || group != groups->order[i]) return false;
    const bind::Expr& expr = select.aggregated ? *select.groups[group] : output;
    const bool against = field.descending != IsDescending(select, expr, groups->by_key);
    if (backward.has_value() && *backward != against) return false;
    backward = against;
    // NULL is the lowest in both directions.
    if (bind::MayBeNull(expr) && field.nulls_last != against) return false;
  }
  groups->backward = backward.value_or(false);
  return true;
}

}  // namespace

KeyDirection DirectionOfOrder(const bind::BoundSelect& select, bool merged) {
  if (select.order.empty() || select.aggregated || select.distinct || merged) {
    return KeyDirection::kAny;
  }
  // Joins with subqueries of conditions keep the order.
  const bool single = !select.sources.empty() && select.sources[0].table != nullptr &&
                      std::all_of(select.sources.begin() + 1, select.sources.end(),
                                  [](const bind::Source& other) { return other.hidden; });
  if (!single) return KeyDirection::kAny;
  const catalog::TableMeta& table = *select.sources[0].table;
  std::optional<bool> backward;
  bool exact = true;  // equal so far means equal columns of the key
  uint32_t next = 0;
  for (const bind::OrderField& field : select.order) {
    const bind::Expr& expr = *select.outputs[field.output].expr;
    const std::optional<bind::KeyOrder> of_key = bind::KeyOrderOf(select, expr);
    if (!of_key.has_value()) return KeyDirection::kAny;
    const uint32_t key_column = of_key->key_column;
    if (bind::IsHeld(select, key_column)) continue;
    while (next < key_column && bind::IsHeld(select, next)) ++next;
    if (key_column < next && exact) continue;  // ordered already
    if (key_column != next || !exact) return KeyDirection::kAny;
    const bool against = field.descending != of_key->descending;
    if (backward.has_value() && *backward != against) return KeyDirection::kAny;
    // NULL is the lowest key in both directions.
    const bool nullable = table.key_column(key_column).nullable || bind::MayBeNull(expr);
    if (nullable && field.nulls_last != against) return KeyDirection::kAny;
    exact = of_key->exact;
    backward = against;
    ++next;
  }
  if (!backward.value_or(false)) return KeyDirection::kForward;
  return HasHint(select, "FORWARD_SCAN") ? KeyDirection::kAny : KeyDirection::kBackward;
}

GroupOrder OrderOfGroups(const bind::BoundSelect& select) {
  const std::vector<bind::ExprPtr> groups =
      select.aggregated ? select.groups : bind::GroupsOf(select);
  GroupOrder result;
  result.order = bind::OrderOfGroups(select, groups);
  result.by_key = bind::GroupsByKey(select, groups);
  for (const bind::ExprPtr& group : groups) {
    result.descending.push_back(IsDescending(select, *group, result.by_key));
  }
  result.is_wanted = MatchesGroups(select, &result);
  if (result.backward) {
    // DISTINCT is not read backwards, as in the original.
    result.is_wanted =
        result.is_wanted && select.aggregated && result.by_key && !HasHint(select, "FORWARD_SCAN");
  }
  return result;
}

}  // namespace bennu::sql::plan
