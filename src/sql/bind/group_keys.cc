#include "src/sql/bind/group_keys.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/sql/expr/function_def.h"
#include "src/sql/functions/moment_rounding.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

bool HasNoEnd(const Expr& group) {
  if (group.type.id == TypeId::kBinary) return group.kind != BoundKind::kSlot || group.nullable;
  return group.type.id == TypeId::kVarbinary || IsArray(group.type.id);
}

// The rows come in the order of the first table: it stands alone, or leftmost in joins that keep
// the order of their left side.
bool ComesFirst(const FromNode* node) {
  for (; node != nullptr && !node->is_leaf(); node = node->left.get()) {
    if (node->type == JoinType::kFull) return false;
  }
  return node != nullptr && node->source == 0;
}

// SUBSTR(text, 1, n), or without n. The first character is number 0 and number 1.
bool StartsWithFirst(const Expr& call) {
  if (call.function->name != "SUBSTR" || call.children.size() < 2) return false;
  const Expr& start = *call.children[1];
  if (!start.is_constant() || start.is_null_constant()) return false;
  if (start.constant.int64() != 0 && start.constant.int64() != 1) return false;
  if (call.children.size() < 3) return true;
  const Expr& length = *call.children[2];
  return length.is_constant() && (length.is_null_constant() || length.constant.int64() > 0);
}

}  // namespace

std::vector<ExprPtr> GroupsOf(const BoundSelect& select) {
  if (select.aggregated) return select.groups;
  std::vector<ExprPtr> groups;
  if (!select.distinct) return groups;
  for (size_t i = 0; i < select.visible_outputs; ++i) groups.push_back(select.outputs[i].expr);
  return groups;
}

std::optional<KeyOrder> KeyOrderOf(const BoundSelect& select, const Expr& expr) {
  if (expr.kind == BoundKind::kSlot) {
    const Slot& slot = select.slots[expr.slot];
    const catalog::TableMeta* const table = select.sources[slot.source].table.get();
    if (slot.source != 0 || table == nullptr || Scope::IsPseudoColumn(slot.column)) {
      return std::nullopt;
    }
    const catalog::ColumnMeta& column = table->columns[slot.column];
    if (!column.is_key()) return std::nullopt;
    return KeyOrder{static_cast<uint32_t>(column.key_position), true,
                    column.sort_order == SortOrder::kDesc};
  }
  const bool calls = expr.kind == BoundKind::kFunction || expr.kind == BoundKind::kCast;
  if (!calls || expr.children.empty() || expr.children[0]->kind != BoundKind::kSlot) {
    return std::nullopt;
  }
  std::optional<KeyOrder> order = KeyOrderOf(select, *expr.children[0]);
  if (!order.has_value()) return std::nullopt;
  const TypeId type = expr.children[0]->type.id;
  if (expr.kind == BoundKind::kCast) {
    return IsIntegral(type) && IsIntegral(expr.type.id) ? order : std::nullopt;
  }
  order->exact = false;
  if (const auto rounding = MomentRoundingOf(expr); rounding.has_value()) {
    return rounding->unit_millis > 0 ? order : std::nullopt;
  }
  const bool cuts_end = StartsWithFirst(expr) || expr.function->name == "RTRIM";
  return IsString(type) && !order->descending && cuts_end ? order : std::nullopt;
}

bool MayBeNull(const Expr& expr) {
  if (expr.kind == BoundKind::kSlot || expr.children.empty()) return expr.nullable;
  if (expr.kind != BoundKind::kFunction && expr.kind != BoundKind::kCast) return expr.nullable;
  const std::optional<MomentRounding> rounding = MomentRoundingOf(expr);
  if (rounding.has_value() && !rounding->fixed_length) return true;
  // Arguments that were left out are NULL constants. What is cut out of a text may be nothing.
  const bool cuts = expr.kind == BoundKind::kFunction && expr.type.id == TypeId::kVarchar;
  return cuts || std::any_of(expr.children.begin(), expr.children.end(), [](const ExprPtr& child) {
           return !child->is_constant() && MayBeNull(*child);
         });
}

bool IsHeld(const BoundSelect& select, uint32_t key_column) {
  if (select.terms.empty()) return false;
  return std::any_of(select.terms[0].begin(), select.terms[0].end(), [&](const KeyTerm& term) {
    if (term.column != key_column) return false;
    return term.kind == KeyTerm::Kind::kIsNull ||
           (term.kind == KeyTerm::Kind::kCompare && term.op == CompareOp::kEqual);
  });
}

std::optional<std::vector<uint32_t>> OrderByKey(const BoundSelect& select,
                                                const std::vector<ExprPtr>& groups) {
  if (groups.empty() || !ComesFirst(select.from.get())) return std::nullopt;
  std::vector<KeyOrder> orders;
  std::vector<uint32_t> order;
  for (const ExprPtr& group : groups) {
    const std::optional<KeyOrder> of_key = KeyOrderOf(select, *group);
    if (!of_key.has_value()) return std::nullopt;
    order.push_back(static_cast<uint32_t>(orders.size()));
    orders.push_back(*of_key);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return orders[a].key_column < orders[b].key_column;
  });
  uint32_t next = 0;
  bool exact = true;
  for (uint32_t i : order) {
    const uint32_t column = orders[i].key_column;
    if (IsHeld(select, column)) continue;
    while (next < column && IsHeld(select, next)) ++next;
    if (column < next) continue;
    if (column > next || !exact) return std::nullopt;
    exact = orders[i].exact;
    ++next;
  }
  return order;
}

bool GroupsByKey(const BoundSelect& select, const std::vector<ExprPtr>& groups) {
  return OrderByKey(select, groups).has_value();
}

std::vector<uint32_t> OrderOfGroups(const BoundSelect& select, const std::vector<ExprPtr>& groups) {
  if (auto by_key = OrderByKey(select, groups); by_key.has_value()) return *std::move(by_key);
  std::vector<uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  const auto rank = [&](uint32_t i) {
    const bool fixed = IsFixedWidth(groups[i]->type.id);
    return !fixed ? 1 : MayBeNull(*groups[i]) ? 2 : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
  return order;
}

Status CheckGroupTypes(const BoundSelect& select) {
  const std::vector<ExprPtr> groups = GroupsOf(select);
  if (std::count_if(groups.begin(), groups.end(),
                    [](const ExprPtr& group) { return HasNoEnd(*group); }) < 2) {
    return Status::Ok();
  }
  if (GroupsByKey(select, groups)) return Status::Ok();
  const auto last = std::find_if(groups.rbegin(), groups.rend(),
                                 [](const ExprPtr& group) { return HasNoEnd(*group); });
  return MakeSqlError(1058, ToText(**last), (*last)->position);
}

}  // namespace bennu::sql::bind
