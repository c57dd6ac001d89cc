#include "src/sql/exec/plan_builder.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/hash_aggregate.h"
#include "src/sql/exec/join_builder.h"
#include "src/sql/exec/join_keys.h"
#include "src/sql/exec/scan_run.h"
#include "src/sql/exec/sequence_operator.h"
#include "src/sql/exec/server_aggregate.h"
#include "src/sql/exec/sort.h"
#include "src/sql/exec/table_merge.h"
#include "src/sql/plan/plan_parts.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql::exec {
namespace {

Result<int64_t> CountOf(const bind::ExprPtr& expr, int64_t absent, ExecContext* context) {
  if (expr == nullptr) return absent;
  ASSIGN_OR_RETURN(Value value, Evaluator(context).Constant(*expr));
  if (value.is_null()) return absent;
  // As the original: counts are INTEGERs, and a literal beyond BIGINT is no number of the grammar.
  if (value.type().id == TypeId::kDecimal) {
    return MakeSqlError(601, fmt::format("For input string: \"{}\"", ToText(value)));
  }
  ASSIGN_OR_RETURN(value, Coerce(value, {TypeId::kBigint}, "LIMIT and OFFSET"));
  if (value.int64() > INT32_MAX) {
    return MakeSqlError(201, fmt::format("BIGINT value {} cannot be cast to Integer without "
                                         "changing its value",
                                         value.int64()));
  }
  // A bound number below zero limits nothing, as in the original.
  return value.int64() < 0 ? absent : value.int64();
}

// How many rows a sort or an aggregation has to give, of a limit that is -1 for none.
size_t CountOrAll(int64_t row_limit) {
  return row_limit < 0 ? SIZE_MAX : static_cast<size_t>(row_limit);
}

// Makes the operator of one node after the other, each with what the one above asks of it.
class PlanBuilder : public plan::PlanVisitor, public InputSource {
 public:
  explicit PlanBuilder(ExecContext* context) : context_(context) {}

  Result<Input> Build(const plan::PlanNode& node, InputWishes wishes) override {
    InputWishes outer = std::exchange(wishes_, std::move(wishes));
    const Status status = node.Accept(this);
    wishes_ = std::move(outer);
    RETURN_IF_ERROR(status);
    return std::move(input_);
  }

  Status Visit(const plan::SingleRowNode& /*node*/) override { return Give(MakeSingleRow()); }

  Status Visit(const plan::EmptyNode& /*node*/) override { return Give(MakeEmpty()); }

  Status Visit(const plan::ScanNode& node) override {
    ScanRun run;
    if (wishes_.planned != nullptr && wishes_.join_keys.empty()) {
      run = std::move(*wishes_.planned);
    } else {
      ASSIGN_OR_RETURN(run, PlanScanRun(context_, node, wishes_.join_keys));
    }
    bind::ExprPtr filter = run.filter;
    TableScanSpec* const spec = run.spec.get();
    spec->step = context_->StepOf(&node, StepKind::kRows);
    if (spec->step != nullptr && !wishes_.join_keys.empty()) {
      spec->step->SetJoinKeys(spec->keys.points.size(), spec->keys.ranges.size());
    }
    if (wishes_.forward) spec->ordered = spec->reversed = false;
    if (spec->reversed && spec->keys.navigator != nullptr) {
      // Jumps go forward only: read the ranges and check every row.
      spec->keys.navigator = nullptr;
      ASSIGN_OR_RETURN(filter, plan::AllOf(node.conditions));
    }
    if (node.skips_offset) RETURN_IF_ERROR(BeginBehindOffset(context_, node, spec));
    if (node.merges()) return GiveMerged(node, std::move(run.spec), filter);
    const bool counts = filter == nullptr && spec->sample_percent >= 100;
    if (counts && wishes_.row_limit >= 0) spec->row_limit = wishes_.row_limit;
    ASSIGN_OR_RETURN(Input input, OpenScan(node, std::move(run.spec)));
    RETURN_IF_ERROR(GiveFiltered(&node, std::move(input), filter));
    MakeKeys(node);
    return Status::Ok();
  }

  Status Visit(const plan::DerivedNode& node) override {
    ASSIGN_OR_RETURN(Input input, Build(*node.query, {}));
    input = WrapInput(std::move(input), [&node](std::unique_ptr<Operator> child) {
      return MakeRemap(std::move(child), node.slots, node.select->slots.size());
    });
    return GiveFiltered(&node, std::move(input), node.filter);
  }

  Status Visit(const plan::HashJoinNode& node) override {
    const InputWishes wishes = wishes_;
    ASSIGN_OR_RETURN(input_, BuildHashJoin(context_, node, wishes, this));
    return Status::Ok();
  }

  Status Visit(const plan::MergeJoinNode& node) override {
    ASSIGN_OR_RETURN(input_, BuildMergeJoin(context_, node, this));
    return Status::Ok();
  }

  Status Visit(const plan::FilterNode& node) override {
    InputWishes below;
    below.serial = wishes_.serial;
    below.planned = wishes_.planned;
    below.forward = wishes_.forward;
    ASSIGN_OR_RETURN(Input input, Build(*node.child, std::move(below)));
    input = FilterInput(context_, std::move(input), node.condition);
    input_ = MeasureInput(context_, std::move(input), &node);
    return Status::Ok();
  }

  Status Visit(const plan::AggregateNode& node) override {
    const size_t max_groups = node.takes_first ? CountOrAll(wishes_.row_limit) : kAllGroups;
    ASSIGN_OR_RETURN(const auto planned, PlanForServers(context_, node));
    InputWishes below;
    if (planned != nullptr) below.planned = std::make_shared<ScanRun>(*planned);
    // Its array tells in which order values came.
    below.serial =
        std::any_of(node.spec.aggregates.begin(), node.spec.aggregates.end(),
                    [](const auto& call) { return call->kind == AggregateKind::kCollectDistinct; });
    ASSIGN_OR_RETURN(Input input, Build(*node.child, std::move(below)));
    auto rows = MakeHashAggregate(context_, std::move(input.serial), std::move(input.parallel),
                                  &node.spec, max_groups);
    if (planned != nullptr && MayAggregateAtServers(context_, node, *planned)) {
      rows = MakeServerAggregate(context_, node, std::move(*planned), std::move(rows));
    }
    return Give(Measure(std::move(rows), context_->StepOf(&node, StepKind::kRows)));
  }

  Status Visit(const plan::ProjectNode& node) override {
    ASSIGN_OR_RETURN(Input input, Build(*node.child, wishes_));
    // Morsels are opened when the builder is gone.
    input_ =
        WrapInput(std::move(input), [context = context_, &node](std::unique_ptr<Operator> child) {
          return MakeProject(context, std::move(child), node.expressions);
        });
    return Status::Ok();
  }

  Status Visit(const plan::SortNode& node) override {
    const int64_t row_limit = wishes_.row_limit;
    InputWishes below;
    bool sorts = true;
    if (node.scan != nullptr) {
      ASSIGN_OR_RETURN(ScanRun run, PlanScanRun(context_, *node.scan));
      sorts = !run.in_order;
      // Keys that are known come in the wanted order, too, and the first of them are enough.
      const bool ordered = run.in_order || run.keys.scan.kind == KeyScan::Kind::kPoints;
      below.planned = std::make_shared<ScanRun>(std::move(run));
      below.forward = !ordered;
      if (ordered) below.row_limit = row_limit;
    }
    ASSIGN_OR_RETURN(Input input, Build(*node.child, std::move(below)));
    if (sorts) {
      input = {MakeSort(context_, std::move(input.serial), std::move(input.parallel), node.fields,
                        node.types, CountOrAll(row_limit)),
               nullptr};
      input = MeasureInput(context_, std::move(input), &node);
    }
    if (node.visible == node.types.size()) {
      input_ = std::move(input);
      return Status::Ok();
    }
    return Give(MakePrefix(std::move(input.serial), node.visible));
  }

  Status Visit(const plan::LimitNode& node) override {
    ASSIGN_OR_RETURN(const int64_t limit, LimitOf(context_, node));
    ASSIGN_OR_RETURN(const int64_t offset, OffsetOf(context_, node));
    InputWishes below;
    below.row_limit = limit < 0 || limit > INT64_MAX - offset ? -1 : limit + offset;
    ASSIGN_OR_RETURN(Input input, Build(*node.child, std::move(below)));
    return Give(Measure(MakeLimit(std::move(input.serial), limit, offset),
                        context_->StepOf(&node, StepKind::kRows)));
  }

  Status Visit(const plan::UnionNode& node) override {
    std::vector<std::unique_ptr<Operator>> children;
    for (const plan::PlanNodePtr& child : node.children) {
      InputWishes below;
      below.row_limit = wishes_.row_limit;
      ASSIGN_OR_RETURN(Input input, Build(*child, std::move(below)));
      children.push_back(std::move(input.serial));
    }
    return Give(Measure(MakeUnion(std::move(children)), context_->StepOf(&node, StepKind::kRows)));
  }

  // The values of sequences are given out last, to the rows that are left.
  Status Visit(const plan::SequencesNode& node) override {
    ASSIGN_OR_RETURN(Input input, Build(*node.child, {}));
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> rows,
                     MakeSequences(context_, std::move(input.serial), node.select->sequences));
    return Give(MakeProject(context_, std::move(rows), node.shown));
  }

  // The session writes the rows.
  Status Visit(const plan::WriteNode& node) override { return node.child->Accept(this); }

  // Who can run these does so without operators; other runs go the long way.
  Status Visit(const plan::PointLookupNode& node) override { return node.otherwise->Accept(this); }
  Status Visit(const plan::KeyRangeNode& node) override { return node.otherwise->Accept(this); }

 private:
  Status Give(std::unique_ptr<Operator> rows) {
    input_ = {std::move(rows), nullptr};
    return Status::Ok();
  }
  Result<Input> OpenScan(const plan::ScanNode& node, std::shared_ptr<const TableScanSpec> spec) {
    Input input;
    if (node.parallel && !wishes_.serial) {
      ASSIGN_OR_RETURN(input.parallel, SplitTableScan(context_, spec, context_->worker_count()));
    }
    if (input.parallel == nullptr) {
      ASSIGN_OR_RETURN(input.serial, OpenTableScan(context_, std::move(spec)));
    }
    return MeasureInput(context_, std::move(input), &node);
  }

  // A scan of an index, with what the index lacks. What needs only the index is checked first, so
  // that fewer rows are looked up.
  Status GiveMerged(const plan::ScanNode& node, std::shared_ptr<TableScanSpec> spec,
                    const bind::ExprPtr& filter) {
    ASSIGN_OR_RETURN(const plan::FilterParts parts, plan::SplitFilter(*node.indexed, filter));
    const int64_t row_limit = parts.behind == nullptr ? wishes_.row_limit : -1;
    wishes_.serial = wishes_.serial || row_limit >= 0;
    ReadKeysForMerge(spec.get());
    ASSIGN_OR_RETURN(Input input, OpenScan(node, std::move(spec)));
    Step* const step = context_->StepOf(&node, StepKind::kMerge);
    // Morsels are opened when the builder is gone.
    input = WrapInput(std::move(input), [context = context_, &node, before = parts.before,
                                         row_limit, step](std::unique_ptr<Operator> child) {
      return MakeTableMerge(context, std::move(child), node.indexed.get(), node.schema.get(),
                            node.select->slots.size(), before, row_limit, step);
    });
    input = FilterInput(context_, std::move(input), parts.behind);
    if (filter != nullptr) {
      input = MeasureInput(context_, std::move(input), &node, StepKind::kFilter);
    }
    input_ = std::move(input);
    MakeKeys(node);
    return Status::Ok();
  }

  // Makes keys of the table's rows from those of the index, where they are wanted.
  void MakeKeys(const plan::ScanNode& node) {
    if (node.indexed == nullptr || node.indexed->key_slot < 0) return;
    input_ = WrapInput(std::move(input_), [&node](std::unique_ptr<Operator> child) {
      return MakeTableKeys(std::move(child), node.indexed.get(), node.schema.get());
    });
  }

  Status GiveFiltered(const void* node, Input input, const bind::ExprPtr& filter) {
    if (filter != nullptr) {
      input = FilterInput(context_, std::move(input), filter);
      input = MeasureInput(context_, std::move(input), node, StepKind::kFilter);
    }
    input_ = std::move(input);
    return Status::Ok();
  }

  ExecContext* const context_;
  InputWishes wishes_;  // of the node above
  Input input_;         // of the node that was visited last
};

}  // namespace

Result<int64_t> LimitOf(ExecContext* context, const plan::LimitNode& node) {
  return CountOf(node.limit, -1, context);
}

Result<int64_t> OffsetOf(ExecContext* context, const plan::LimitNode& node) {
  return CountOf(node.offset, 0, context);
}

Result<std::unique_ptr<Operator>> BuildPlan(ExecContext* context, const plan::PlanNode& root) {
  ASSIGN_OR_RETURN(Input input, PlanBuilder(context).Build(root, {}));
  return std::move(input.serial);
}

}  // namespace bennu::sql::exec
