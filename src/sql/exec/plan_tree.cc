#include "src/sql/exec/plan_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/analysis.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/key_range_text.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/plan_builder.h"
#include "src/sql/exec/scan_run.h"

namespace bennu::sql::exec {
namespace {

using plan::PlanNode;

std::string KindOf(const ScanRun& run) {
  switch (run.keys.scan.kind) {
    case KeyScan::Kind::kPoints:
      return fmt::format("Point lookup on {} key{}", run.keys.scan.points.size(),
                         run.keys.scan.points.size() == 1 ? "" : "s");
    case KeyScan::Kind::kSkip: return "Skip scan";
    case KeyScan::Kind::kRange: return "Range scan";
    default: return "Full scan";
  }
}

std::string TextsOf(const std::vector<bind::ExprPtr>& expressions, size_t count) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < count && i < expressions.size(); ++i) {
    texts.push_back(ToText(*expressions[i]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Goes down the tree and puts each node that does something into the node above it. Nodes that only
// name columns, and those that choose a short way, are passed over.
class TreeMaker : public plan::DefaultVisitor {
 public:
  TreeMaker(ExecContext* context, std::vector<PlanTreeNode>* into)
      : context_(context), into_(into) {}

  Status VisitOther() override { return Internal("EXPLAIN ANALYZE met a node without a name"); }

  Status Visit(const plan::SingleRowNode& /*node*/) override {
    Add("One row", "");
    return Status::Ok();
  }
  Status Visit(const plan::EmptyNode& /*node*/) override {
    Add("No rows", "the condition is false for all of them");
    return Status::Ok();
  }
  Status Visit(const plan::PointLookupNode& node) override { return node.otherwise->Accept(this); }
  Status Visit(const plan::KeyRangeNode& node) override { return node.otherwise->Accept(this); }
  Status Visit(const plan::ProjectNode& node) override { return node.child->Accept(this); }
  Status Visit(const plan::WriteNode& node) override {
    return node.child == nullptr ? Status::Ok() : node.child->Accept(this);
  }

  Status Visit(const plan::ScanNode& node) override {
    ASSIGN_OR_RETURN(const ScanRun run, PlanScanRun(context_, node));
    const std::string table = node.table->physical.ToString();
    PlanTreeNode scan;
    scan.name = KindOf(run);
    scan.detail = node.indexed == nullptr
                      ? table
                      : fmt::format("index {} of {}", table, node.indexed->table->FullName());
    scan.did = DidOf(&node, StepKind::kRows);
    const std::string ranges = RangeText(node.table->key_schema, run.keys.slots);
    if (run.keys.scan.kind != KeyScan::Kind::kPoints && !ranges.empty()) {
      scan.notes.push_back("keys" + ranges);
    }
    if (const Step* const step = Find(&node, StepKind::kRows); step != nullptr) {
      for (std::string& line : step->ScanTexts()) scan.notes.push_back(std::move(line));
    }
    if (node.merges()) {
      PlanTreeNode merge;
      merge.name = "Lookup";
      merge.detail = node.indexed->table->FullName();
      merge.did = DidOf(&node, StepKind::kMerge);
      scan = Above(std::move(merge), std::move(scan));
    }
    if (run.filter != nullptr) {
      PlanTreeNode filter;
      filter.name = "Filter";
      filter.detail = ToText(*run.filter);
      filter.did = DidOf(&node, StepKind::kFilter);
      scan = Above(std::move(filter), std::move(scan));
    }
    into_->push_back(std::move(scan));
    return Status::Ok();
  }

  Status Visit(const plan::DerivedNode& node) override {
    if (node.filter == nullptr) return node.query->Accept(this);
    return Down("Filter", ToText(*node.filter), DidOf(&node, StepKind::kFilter), *node.query);
  }
  Status Visit(const plan::FilterNode& node) override {
    return Down("Filter", ToText(*node.condition), DidOf(&node), *node.child);
  }
  Status Visit(const plan::AggregateNode& node) override {
    const std::string groups = TextsOf(node.spec.groups, node.spec.groups.size());
    const bool distinct = node.spec.aggregates.empty();
    return Down(distinct ? "Distinct" : "Aggregate",
                groups.empty() ? "into one row" : "by " + groups, DidOf(&node), *node.child);
  }
  Status Visit(const plan::SortNode& node) override {
    // A scan in the order of its key sorts nothing.
    if (Find(&node, StepKind::kRows) == nullptr) return node.child->Accept(this);
    return Down(
        "Sort",
        fmt::format("by {} column{}", node.fields.size(), node.fields.size() == 1 ? "" : "s"),
        DidOf(&node), *node.child);
  }
  Status Visit(const plan::LimitNode& node) override {
    ASSIGN_OR_RETURN(const int64_t limit, LimitOf(context_, node));
    ASSIGN_OR_RETURN(const int64_t offset, OffsetOf(context_, node));
    std::string detail = limit < 0 ? "" : fmt::format("{} row{}", limit, limit == 1 ? "" : "s");
    if (offset > 0) detail += fmt::format("{}behind {}", detail.empty() ? "" : " ", offset);
    return Down("Limit", detail, DidOf(&node), *node.child);
  }
  Status Visit(const plan::SequencesNode& node) override {
    return Down("Sequences", "", std::nullopt, *node.child);
  }
  Status Visit(const plan::UnionNode& node) override {
    PlanTreeNode all;
    all.name = "Union all";
    all.did = DidOf(&node);
    for (const plan::PlanNodePtr& child : node.children) {
      RETURN_IF_ERROR(Below(&all, *child));
    }
    into_->push_back(std::move(all));
    return Status::Ok();
  }
  Status Visit(const plan::HashJoinNode& node) override { return Join("Hash join", node); }
  Status Visit(const plan::MergeJoinNode& node) override { return Join("Merge join", node); }

 private:
  const Step* Find(const void* node, StepKind kind) const {
    const Analysis* const analysis = context_->options().analysis;
    return analysis == nullptr ? nullptr : analysis->Find(node, kind);
  }
  std::optional<PlanTreeNode::Did> DidOf(const void* node, StepKind kind = StepKind::kRows) const {
    const Step* const step = Find(node, kind);
    if (step == nullptr) return std::nullopt;
    return PlanTreeNode::Did{step->rows(), step->nanos(), step->memory_bytes()};
  }

  void Add(std::string name, std::string detail) {
    PlanTreeNode node;
    node.name = std::move(name);
    node.detail = std::move(detail);
    into_->push_back(std::move(node));
  }
  static PlanTreeNode Above(PlanTreeNode upper, PlanTreeNode lower) {
    upper.children.push_back(std::move(lower));
    return upper;
  }
  Status Below(PlanTreeNode* upper, const PlanNode& child) {
    std::vector<PlanTreeNode>* const outer = std::exchange(into_, &upper->children);
    const Status status = child.Accept(this);
    into_ = outer;
    return status;
  }
  Status Down(std::string name, std::string detail, std::optional<PlanTreeNode::Did> did,
              const PlanNode& child) {
    PlanTreeNode node;
    node.name = std::move(name);
    node.detail = std::move(detail);
    node.did = did;
    RETURN_IF_ERROR(Below(&node, child));
    into_->push_back(std::move(node));
    return Status::Ok();
  }

  static std::string_view TypeOf(bind::JoinType type) {
    switch (type) {
      case bind::JoinType::kInner: return "inner";
      case bind::JoinType::kLeft: return "left";
      case bind::JoinType::kFull: return "full";
      case bind::JoinType::kSemi: return "semi";
      case bind::JoinType::kAnti: return "anti";
    }
    return "";
  }

  Status Join(std::string name, const plan::JoinNode& node) {
    PlanTreeNode join;
    join.name = std::move(name);
    std::vector<std::string> keys;
    for (const bind::JoinKey& key : node.join->keys) {
      keys.push_back(ToText(*key.left) + " = " + ToText(*key.right));
    }
    join.detail = fmt::format("{}{}{}", TypeOf(node.join->type), keys.empty() ? "" : ": ",
                              fmt::join(keys, " AND "));
    join.did = DidOf(&node);
    RETURN_IF_ERROR(Below(&join, *node.left));
    RETURN_IF_ERROR(Below(&join, *node.right));
    if (const auto built = DidOf(&node, StepKind::kJoinBuild); built.has_value()) {
      PlanTreeNode build;
      build.name = "Build";
      build.detail = "the right side, in memory";
      build.did = built;
      join.children.back() = Above(std::move(build), std::move(join.children.back()));
    }
    into_->push_back(std::move(join));
    return Status::Ok();
  }

  ExecContext* const context_;
  std::vector<PlanTreeNode>* into_;
};

}  // namespace

Result<PlanTree> MakePlanTree(const plan::Plan& plan, ExecContext* context) {
  PlanTree tree;
  TreeMaker maker(context, &tree.roots);
  RETURN_IF_ERROR(plan.root->Accept(&maker));
  for (const plan::SubqueryPlan& subquery : plan.subqueries) {
    PlanTreeNode node;
    node.name = "Subquery";
    node.detail = "run first, for its value";
    TreeMaker below(context, &node.children);
    RETURN_IF_ERROR(subquery.root->Accept(&below));
    tree.roots.push_back(std::move(node));
  }
  return tree;
}

}  // namespace bennu::sql::exec
