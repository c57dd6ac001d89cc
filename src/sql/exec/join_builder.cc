#include "src/sql/exec/join_builder.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/hash_join.h"
#include "src/sql/exec/merge_join.h"
#include "src/sql/exec/sort.h"
#include "src/sql/exec/spilled_join.h"
#include "src/sql/expr/make_expr.h"

namespace bennu::sql::exec {
namespace {

// By which EXPLAIN ANALYZE knows the join, of whatever kind it is.
const void* Key(const plan::JoinNode& join) { return &join; }

// The table of the join; or, when it has no room, the partitions of its rows.
Result<std::unique_ptr<SpillPartitions>> BuildTable(ExecContext* context,
                                                    const plan::HashJoinNode& node,
                                                    Operator* source, const JoinBuild& build,
                                                    JoinSpec* spec) {
  Step* const step = context->StepOf(Key(node), StepKind::kJoinBuild);
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
std::unique_ptr<Operator> OpenSpilledJoin(ExecContext* context, size_t slot_count,
                                          std::unique_ptr<Operator> left,
                                          const std::shared_ptr<JoinSpec>& spec,
                                          const std::shared_ptr<JoinBuild>& build,
                                          std::unique_ptr<SpillPartitions> built, bool ordered) {
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

}  // namespace

Result<Input> BuildHashJoin(ExecContext* context, const plan::HashJoinNode& node,
                            const InputWishes& wishes, InputSource* source) {
  const bind::FromNode& join = *node.join;
  auto spec = std::make_shared<JoinSpec>();
  auto build = std::make_shared<JoinBuild>();
  spec->type = join.type;
  spec->single_match = join.single_match;
  for (const bind::JoinKey& key : join.keys) {
    spec->left_keys.push_back(key.left);
    build->keys.push_back(key.right);
    spec->matches_null.push_back(key.matches_null);
  }
  build->matches_null = spec->matches_null;
  build->keep_null_keys = join.type == bind::JoinType::kFull;
  build->first_only = join.first_match;
  build->slots = node.right_slots;
  build->types = node.right_types;
  spec->left_slots = node.left_slots;
  spec->left_types = node.left_types;
  std::unique_ptr<SpillPartitions> overflow;
  {
    ASSIGN_OR_RETURN(Input right, source->Build(*node.right, {}));
    right = FilterInput(context, std::move(right), node.right_filter);
    ASSIGN_OR_RETURN(overflow, BuildTable(context, node, right.serial.get(), *build, spec.get()));
  }
  InputWishes below;
  below.serial = wishes.serial || overflow != nullptr;
  below.planned = wishes.planned;
  below.forward = wishes.forward;
  if (overflow != nullptr) {
    ASSIGN_OR_RETURN(Input left, source->Build(*node.left, below));
    left = FilterInput(context, std::move(left), node.left_filter);
    left.serial = OpenSpilledJoin(context, node.select->slots.size(), std::move(left.serial), spec,
                                  build, std::move(overflow), node.keeps_order && !wishes.forward);
    return MeasureInput(context, std::move(left), Key(node));
  }
  if (join.type != bind::JoinType::kFull) below.join_keys = wishes.join_keys;
  if (node.finds_keys) {
    if (auto found = FindJoinKeyValues(*node.select, join, *spec->table); found.has_value()) {
      below.join_keys.push_back(std::make_shared<const JoinKeyValues>(*std::move(found)));
    }
  }
  ASSIGN_OR_RETURN(Input left, source->Build(*node.left, below));
  left = FilterInput(context, std::move(left), node.left_filter);
  left = WrapInput(std::move(left), [context, spec](std::unique_ptr<Operator> child) {
    return MakeHashJoin(context, std::move(child), spec);
  });
  return MeasureInput(context, std::move(left), Key(node));
}

Result<Input> BuildMergeJoin(ExecContext* context, const plan::MergeJoinNode& node,
                             InputSource* source) {
  std::vector<bind::ExprPtr> left_keys;
  std::vector<bind::ExprPtr> right_keys;
  std::vector<bool> matches_null;
  for (const bind::JoinKey& key : node.join->keys) {
    left_keys.push_back(key.left);
    right_keys.push_back(key.right);
    matches_null.push_back(key.matches_null);
  }
  ASSIGN_OR_RETURN(Input left_rows, source->Build(*node.left, {}));
  left_rows = FilterInput(context, std::move(left_rows), node.left_filter);
  ASSIGN_OR_RETURN(std::unique_ptr<MergeSide> left,
                   MergeSide::Make(context, left_rows.serial.get(),
                                   {left_keys, matches_null, node.left_in_order}, node.left_slots,
                                   node.left_types));
  left_rows.serial = nullptr;
  // What is left would soon be used up by the right side.
  if (context->options().spill != nullptr && context->crowded()) RETURN_IF_ERROR(left->Spill());
  std::unique_ptr<MergeSide> right;
  {
    Step* const step = context->StepOf(Key(node), StepKind::kJoinBuild);
    const StepTimer timer(step);
    ASSIGN_OR_RETURN(Input right_rows, source->Build(*node.right, {}));
    right_rows = FilterInput(context, std::move(right_rows), node.right_filter);
    ASSIGN_OR_RETURN(right, MergeSide::Make(context, right_rows.serial.get(),
                                            {right_keys, matches_null, node.right_in_order},
                                            node.right_slots, node.right_types));
    if (step != nullptr) {
      step->AddRows(right->row_count());
      step->NoteMemory(right->memory_bytes());
    }
  }
  const MergeJoinSpec spec{node.join->type, node.join->first_match, node.join->single_match};
  Input joined{MakeMergeJoin(context, std::move(left), std::move(right), spec), nullptr};
  return MeasureInput(context, std::move(joined), Key(node));
}

}  // namespace bennu::sql::exec
