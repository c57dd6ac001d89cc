#include "src/sql/exec/join_keys.h"

#include <numeric>
#include <utility>

#include "src/sql/types/coerce.h"

namespace bennu::sql::exec {
namespace {

// Beyond that reading everything is not much slower, and often faster.
constexpr size_t kValuesMax = 1000;

// The slot's column leads the key of its table.
bool LeadsKey(const bind::BoundSelect& select, const bind::Slot& slot) {
  const bind::Source& source = select.sources[slot.source];
  if (source.table == nullptr || bind::Scope::IsPseudoColumn(slot.column)) return false;
  return source.table->columns[slot.column].key_position == 0;
}

// Values of one component of the keys.
std::vector<Value> Component(const GroupTable& groups, size_t component) {
  std::vector<Vector> vectors;
  std::vector<Vector*> out;
  for (const DataType& type : groups.types()) vectors.emplace_back(type, groups.size());
  for (Vector& vector : vectors) out.push_back(&vector);
  std::vector<uint32_t> ids(groups.size());
  std::iota(ids.begin(), ids.end(), 0);
  groups.Emit(ids.data(), ids.size(), out);
  std::vector<Value> values;
  for (size_t i = 0; i < groups.size(); ++i) values.push_back(vectors[component].GetValue(i));
  return values;
}

}  // namespace

std::optional<JoinKeyValues> FindJoinKeyValues(const bind::BoundSelect& select,
                                               const bind::FromNode& node, const JoinTable& table) {
  const bool leaves_out = node.type == bind::JoinType::kInner || node.type == bind::JoinType::kSemi;
  const size_t count = table.groups().size();
  if (!leaves_out || table.cross() || count == 0 || count > kValuesMax) return std::nullopt;
  for (size_t i = 0; i < node.keys.size(); ++i) {
    const bind::JoinKey& key = node.keys[i];
    if (key.left->kind != BoundKind::kSlot) continue;
    const bind::Slot& slot = select.slots[key.left->slot];
    if (!LeadsKey(select, slot)) continue;
    JoinKeyValues result;
    result.source = slot.source;
    bool null_matches = false;
    for (const Value& value : Component(table.groups(), i)) {
      null_matches = null_matches || (value.is_null() && slot.nullable && key.matches_null);
      // What the column cannot hold is in no row.
      Result<Value> coerced = Coerce(value, slot.type);
      if (coerced.ok() && !coerced->is_null()) result.values.push_back(std::move(coerced).value());
    }
    if (!null_matches && !result.values.empty()) return result;
  }
  return std::nullopt;
}

}  // namespace bennu::sql::exec
