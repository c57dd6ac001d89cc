#include "src/sql/bind/group_keys.h"

#include <algorithm>

#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

bool HasNoEnd(const Expr& group) {
  if (group.type.id == TypeId::kBinary) return group.kind != BoundKind::kSlot || group.nullable;
  return group.type.id == TypeId::kVarbinary || IsArray(group.type.id);
}

}  // namespace

std::vector<ExprPtr> GroupsOf(const BoundSelect& select) {
  if (select.aggregated) return select.groups;
  std::vector<ExprPtr> groups;
  if (!select.distinct) return groups;
  for (size_t i = 0; i < select.visible_outputs; ++i) groups.push_back(select.outputs[i].expr);
  return groups;
}

bool GroupsByKey(const BoundSelect& select, const std::vector<ExprPtr>& groups) {
  if (select.sources.size() != 1 || select.sources[0].table == nullptr) return false;
  std::vector<int32_t> positions;
  for (const ExprPtr& group : groups) {
    if (group->kind != BoundKind::kSlot) return false;
    const Slot& slot = select.slots[group->slot];
    if (Scope::IsPseudoColumn(slot.column)) return false;
    positions.push_back(select.sources[0].table->columns[slot.column].key_position);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] != static_cast<int32_t>(i)) return false;
  }
  return !positions.empty();
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
