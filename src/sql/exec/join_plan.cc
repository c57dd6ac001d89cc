// How a select's joins are opened: merged, or with the right side in a table.
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/hash_join.h"
#include "src/sql/exec/merge_join.h"
#include "src/sql/exec/plan_parts.h"
#include "src/sql/exec/select_plan.h"
#include "src/sql/exec/sort.h"
#include "src/sql/exec/spilled_join.h"
#include "src/sql/functions/make_expr.h"

namespace bennu::sql::exec {

void SelectPlan::SlotsUnder(const bind::FromNode& node, std::vector<uint32_t>* slots,
                            std::vector<DataType>* types) const {
  if (!node.is_leaf()) {
    SlotsUnder(*node.left, slots, types);
    SlotsUnder(*node.right, slots, types);
    return;
  }
  for (uint32_t i = 0; i < select_.slots.size(); ++i) {
    if (select_.slots[i].source != static_cast<uint32_t>(node.source)) continue;
    slots->push_back(i);
    types->push_back(select_.slots[i].type);
  }
}

// FULL joins too, as in the original. A cross product has nothing to be merged by.
bool SelectPlan::Merges(const bind::FromNode& node) const {
  const bool wanted = node.type == bind::JoinType::kFull || HasHint(select_, "USE_SORT_MERGE_JOIN");
  return wanted && !node.is_leaf() && !node.keys.empty();
}

bool SelectPlan::InKeyOrder(const bind::FromNode& node,
                            const std::vector<bind::ExprPtr>& keys) const {
  if (!node.is_leaf()) return false;
  const auto& table = sources_[static_cast<size_t>(node.source)].table;
  if (table == nullptr) return false;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i]->kind != BoundKind::kSlot) return false;
    const bind::Slot& slot = select_.slots[keys[i]->slot];
    if (bind::Scope::IsPseudoColumn(slot.column) || slot.order == SortOrder::kDesc) return false;
    if (table->columns[slot.column].key_position != static_cast<int32_t>(i)) return false;
  }
  return true;
}

Result<Input> SelectPlan::OpenMergeJoin(ExecContext* context, const bind::FromNode& node) const {
  std::vector<bind::ExprPtr> left_keys;
  std::vector<bind::ExprPtr> right_keys;
  std::vector<bool> matches_null;
  for (const bind::JoinKey& key : node.keys) {
    left_keys.push_back(key.left);
    right_keys.push_back(key.right);
    matches_null.push_back(key.matches_null);
  }
  ASSIGN_OR_RETURN(const bind::ExprPtr right_filter, AllOf(node.right_filter));
  const auto drain = [&](const bind::FromNode& side, const std::vector<bind::ExprPtr>& keys,
                         const bind::ExprPtr& filter) -> Result<std::unique_ptr<MergeSide>> {
    ScanWishes wishes;
    wishes.ordered = InKeyOrder(side, keys);
    ASSIGN_OR_RETURN(Input input, OpenFrom(context, side, wishes));
    const std::unique_ptr<Operator> rows = MakeFilter(context, std::move(input.serial), filter);
    std::vector<uint32_t> slots;
    std::vector<DataType> types;
    SlotsUnder(side, &slots, &types);
    return MergeSide::Make(context, rows.get(), {keys, matches_null, wishes.ordered},
                           std::move(slots), std::move(types));
  };
  ASSIGN_OR_RETURN(const bind::ExprPtr left_filter, AllOf(node.left_filter));
  ASSIGN_OR_RETURN(std::unique_ptr<MergeSide> left, drain(*node.left, left_keys, left_filter));
  // What is left would soon be used up by the right side.
  if (context->options().spill != nullptr && context->crowded()) RETURN_IF_ERROR(left->Spill());
  std::unique_ptr<MergeSide> right;
  {
    Step* const step = context->StepOf(&node, StepKind::kJoinBuild);
    const StepTimer timer(step);
    ASSIGN_OR_RETURN(right, drain(*node.right, right_keys, right_filter));
    if (step != nullptr) {
      step->AddRows(right->row_count());
      step->NoteMemory(right->memory_bytes());
    }
  }
  const MergeJoinSpec spec{node.type, node.first_match, node.single_match};
  Input joined{MakeMergeJoin(context, std::move(left), std::move(right), spec), nullptr};
  return MeasureInput(context, std::move(joined), &node, StepKind::kJoin);
}

// The table of the join; or, when it has no room, the partitions of its rows.
Result<std::unique_ptr<SpillPartitions>> SelectPlan::BuildJoin(ExecContext* context,
                                                               const bind::FromNode& node,
                                                               Operator* source,
                                                               const JoinBuild& build,
                                                               JoinSpec* spec) const {
  Step* const step = context->StepOf(&node, StepKind::kJoinBuild);
  const StepTimer timer(step);
  std::unique_ptr<SpillPartitions> overflow;
  if (context->options().spill != nullptr) {
    overflow = std::make_unique<SpillPartitions>(context, /*level=*/0);
  }
  ASSIGN_OR_RETURN(spec->table, JoinTable::Build(context, source, build, overflow.get()));
  if (spec->table == nullptr) return overflow;
  if (step != nullptr) {
    step->AddRows(spec->table->rows().size());
    step->NoteMemory(spec->table->memory_bytes());
  }
  return std::unique_ptr<SpillPartitions>();
}

// 'ordered': the rows must keep the order of the left side, which partitions do not: they are
// numbered before, and sorted by their numbers behind the join.
std::unique_ptr<Operator> SelectPlan::OpenSpilledJoin(ExecContext* context,
                                                      std::unique_ptr<Operator> left,
                                                      const std::shared_ptr<JoinSpec>& spec,
                                                      const std::shared_ptr<JoinBuild>& build,
                                                      std::unique_ptr<SpillPartitions> built,
                                                      bool ordered) const {
  const size_t slot_count = select_.slots.size();
  if (!ordered) {
    return MakeSpilledJoin(context, std::move(left), spec, build, std::move(built), slot_count);
  }
  const DataType number_type{TypeId::kBigint};
  std::vector<uint32_t> slots = spec->left_slots;
  std::vector<DataType> types = spec->left_types;
  if (spec->type != bind::JoinType::kSemi && spec->type != bind::JoinType::kAnti) {
    slots.insert(slots.end(), build->slots.begin(), build->slots.end());
    types.insert(types.end(), build->types.begin(), build->types.end());
  }
  const auto number = static_cast<uint32_t>(slots.size());
  slots.push_back(static_cast<uint32_t>(slot_count));
  types.push_back(number_type);
  spec->left_slots.push_back(static_cast<uint32_t>(slot_count));
  spec->left_types.push_back(number_type);
  std::unique_ptr<Operator> rows = MakeNumberRows(std::move(left), slot_count);
  rows = MakeSpilledJoin(context, std::move(rows), spec, build, std::move(built), slot_count + 1);
  std::vector<bind::ExprPtr> kept;
  for (size_t i = 0; i < slots.size(); ++i) kept.push_back(MakeSlot(slots[i], types[i], ""));
  rows = MakeProject(context, std::move(rows), std::move(kept));
  rows = MakeSort(context, std::move(rows), nullptr, {{number, false, false}}, std::move(types),
                  SIZE_MAX);
  return MakeRemap(std::move(rows), {slots.begin(), slots.end()}, slot_count + 1);
}

Result<Input> SelectPlan::OpenJoin(ExecContext* context, const bind::FromNode& node,
                                   const ScanWishes& wishes) const {
  if (Merges(node)) return OpenMergeJoin(context, node);
  ASSIGN_OR_RETURN(Input right, OpenFrom(context, *node.right, ScanWishes{}));
  ASSIGN_OR_RETURN(bind::ExprPtr right_filter, AllOf(node.right_filter));
  right.serial = MakeFilter(context, std::move(right.serial), std::move(right_filter));
  ASSIGN_OR_RETURN(const bind::ExprPtr left_filter, AllOf(node.left_filter));
  const auto filtered = [context, left_filter](Input input) {
    return WrapInput(std::move(input), [context, left_filter](std::unique_ptr<Operator> child) {
      return MakeFilter(context, std::move(child), left_filter);
    });
  };

  auto spec = std::make_shared<JoinSpec>();
  auto build = std::make_shared<JoinBuild>();
  spec->type = node.type;
  spec->single_match = node.single_match;
  for (const bind::JoinKey& key : node.keys) {
    spec->left_keys.push_back(key.left);
    build->keys.push_back(key.right);
    spec->matches_null.push_back(key.matches_null);
  }
  const bool full = node.type == bind::JoinType::kFull;
  build->matches_null = spec->matches_null;
  build->keep_null_keys = full;
  build->first_only = node.first_match;
  SlotsUnder(*node.right, &build->slots, &build->types);
  SlotsUnder(*node.left, &spec->left_slots, &spec->left_types);
  ASSIGN_OR_RETURN(std::unique_ptr<SpillPartitions> overflow,
                   BuildJoin(context, node, right.serial.get(), *build, spec.get()));
  if (overflow != nullptr) {
    ScanWishes left_wishes;
    left_wishes.ordered = wishes.ordered;
    left_wishes.reversed = wishes.reversed;
    ASSIGN_OR_RETURN(Input left, OpenFrom(context, *node.left, left_wishes));
    left = filtered(std::move(left));
    left.serial = OpenSpilledJoin(context, std::move(left.serial), spec, build, std::move(overflow),
                                  wishes.ordered);
    return MeasureInput(context, std::move(left), &node, StepKind::kJoin);
  }
  ScanWishes left_wishes;
  left_wishes.morsels = wishes.morsels && !full;
  left_wishes.ordered = wishes.ordered;
  left_wishes.reversed = wishes.reversed;
  if (!full) {
    left_wishes.join_keys = wishes.join_keys;
    const bool may_use = !HasHint(select_, "NO_CHILD_PARENT_JOIN_OPTIMIZATION");
    auto found = may_use ? FindJoinKeyValues(select_, node, *spec->table) : std::nullopt;
    if (found.has_value()) {
      left_wishes.join_keys.push_back(std::make_shared<const JoinKeyValues>(*std::move(found)));
    }
  }
  ASSIGN_OR_RETURN(Input left, OpenFrom(context, *node.left, left_wishes));
  left = WrapInput(filtered(std::move(left)), [context, spec](std::unique_ptr<Operator> child) {
    return MakeHashJoin(context, std::move(child), spec);
  });
  return MeasureInput(context, std::move(left), &node, StepKind::kJoin);
}

Result<Input> SelectPlan::OpenFrom(ExecContext* context, const bind::FromNode& node,
                                   const ScanWishes& wishes) const {
  if (node.is_leaf()) return OpenSource(context, static_cast<size_t>(node.source), wishes);
  return OpenJoin(context, node, wishes);
}

}  // namespace bennu::sql::exec
