#include "src/sql/plan/select_planner.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/plan/plan_parts.h"
#include "src/sql/plan/row_order.h"
#include "src/sql/plan/scan_planner.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::plan {
namespace {

class SelectPlanner {
 public:
  // 'nodes' has the SELECT already, and stays where it is.
  SelectPlanner(SelectNodes* nodes, bool limited, const PlanContext& context, Plan* plan)
      : nodes_(nodes), select_(nodes->select), limited_(limited), context_(context), plan_(plan) {}

  Result<PlanNodePtr> Run() {
    RETURN_IF_ERROR(PlanSources());
    merged_ = select_.from != nullptr && Merges(*select_.from);
    direction_ = DirectionOfOrder(select_, merged_);
    groups_ = OrderOfGroups(select_);
    takes_first_ = TakesFirstGroups();
    if (!select_.offset_key.empty() && !select_.order.empty() && direction_ == KeyDirection::kAny) {
      return MakeSqlError(2014, "", -1, "order the rows by the primary key");
    }
    ASSIGN_OR_RETURN(PlanNodePtr rows, PlanRows());
    if (select_.aggregated) {
      ASSIGN_OR_RETURN(rows, PlanGroups(std::move(rows)));
    }
    const bool sorts = Sorts();
    auto project = std::make_unique<ProjectNode>();
    project->nodes = nodes_;
    project->child = std::move(rows);
    // Those behind the visible ones are there for the sort.
    const size_t count = sorts ? select_.outputs.size() : select_.visible_outputs;
    for (size_t i = 0; i < count; ++i) project->expressions.push_back(select_.outputs[i].expr);
    rows = std::move(project);
    if (select_.distinct) rows = PlanDistinct(std::move(rows));
    if (sorts) rows = PlanSort(std::move(rows));
    return rows;
  }

 private:
  // How the tables of FROM are to be read.
  struct Wishes {
    KeyDirection direction = KeyDirection::kAny;
    bool parallel = false;
  };

  // ---- decisions

  // FULL joins are merged too, as in the original. A cross product has nothing to be merged by.
  bool Merges(const bind::FromNode& node) const {
    const bool wanted =
        node.type == bind::JoinType::kFull || HasHint(select_, "USE_SORT_MERGE_JOIN");
    return wanted && !node.is_leaf() && !node.keys.empty();
  }

  // A table that gives its rows in the order of 'keys': they are the first columns of its key.
  bool InKeyOrder(const bind::FromNode& node, const std::vector<bind::ExprPtr>& keys) const {
    if (!node.is_leaf()) return false;
    const catalog::TableMeta* const table =
        select_.sources[static_cast<size_t>(node.source)].table.get();
    if (table == nullptr) return false;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i]->kind != BoundKind::kSlot) return false;
      const bind::Slot& slot = select_.slots[keys[i]->slot];
      if (bind::Scope::IsPseudoColumn(slot.column) || slot.order == SortOrder::kDesc) return false;
      if (table->columns[slot.column].key_position != static_cast<int32_t>(i)) return false;
    }
    return true;
  }

  // Whether reading may stop once there are as many groups as LIMIT asks for: where they come in
  // the order that is asked for, or in any if none is. Groups by the first columns of the key come
  // in their order, or backwards in the opposite one.
  bool TakesFirstGroups() const {
    if (!limited_ || select_.aggregated == select_.distinct || !select_.aggregates.empty()) {
      return false;
    }
    if (!select_.having.empty() || (select_.aggregated && select_.groups.empty())) return false;
    if (!groups_.is_wanted) return false;
    if (select_.order.empty()) return true;
    return select_.sources.size() == 1 && select_.sources[0].table != nullptr && groups_.by_key;
  }

  // Groups that come out in the wanted order need not be sorted. With a LIMIT it is cheaper to sort
  // the few that are wanted than to bring all of them into order.
  bool GroupsAreSorted() const {
    if (select_.aggregated == select_.distinct || !groups_.is_wanted) return false;
    return !limited_ || takes_first_;
  }

  bool Sorts() const {
    if (select_.order.empty()) return false;
    return !select_.aggregated && !select_.distinct ? true : !GroupsAreSorted();
  }

  // ---- where rows come from

  Status PlanSources() {
    const size_t count = select_.sources.size();
    std::vector<std::unique_ptr<bind::BoundQuery>> derived = std::move(nodes_->select.derived);
    nodes_->scans.resize(count);
    nodes_->derived.resize(count);
    scans_.resize(count);
    derived_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const bind::Source& source = select_.sources[i];
      if (source.table != nullptr) {
        ASSIGN_OR_RETURN(scans_[i], PlanScan(select_, i, context_));
        nodes_->scans[i] = scans_[i].get();
        continue;
      }
      auto node = std::make_unique<DerivedNode>();
      node->select = &select_;
      ASSIGN_OR_RETURN(node->query,
                       PlanQuery(std::move(derived[source.derived_query]), context_, plan_));
      node->slots = source.slot_of_column;
      node->conditions = ConditionsOn(select_, static_cast<int32_t>(i));
      ASSIGN_OR_RETURN(node->filter, AllOf(node->conditions));
      nodes_->derived[i] = node.get();
      derived_[i] = std::move(node);
    }
    return Status::Ok();
  }

  // What the aggregation, or the projection, reads.
  Result<PlanNodePtr> PlanRows() {
    if (select_.from == nullptr) {
      PlanNodePtr row = std::make_unique<SingleRowNode>();
      return select_.never ? Nothing(std::move(row)) : std::move(row);
    }
    const bool sorts_rows = !select_.order.empty() && direction_ == KeyDirection::kAny;
    const bool collects = select_.aggregated || select_.distinct || sorts_rows;
    // Which of equal rows is the first depends on the order in which they come.
    const bool in_order = std::any_of(select_.aggregates.begin(), select_.aggregates.end(),
                                      [](const bind::AggregatePtr& call) {
                                        return call->kind == AggregateKind::kFirstValue ||
                                               call->kind == AggregateKind::kLastValue ||
                                               call->kind == AggregateKind::kNthValue ||
                                               call->kind == AggregateKind::kFirstValues ||
                                               call->kind == AggregateKind::kLastValues;
                                      });
    Wishes wishes;
    wishes.parallel = collects && !takes_first_ && !in_order && !HasHint(select_, "SERIAL");
    wishes.direction = direction_;
    if (takes_first_) {
      wishes.direction = groups_.backward ? KeyDirection::kBackward : KeyDirection::kForward;
    }
    ASSIGN_OR_RETURN(PlanNodePtr rows, PlanFrom(*select_.from, wishes));
    if (select_.never) rows = Nothing(std::move(rows));
    ASSIGN_OR_RETURN(bind::ExprPtr condition, AllOf(ConditionsOn(select_, -1)));
    if (condition == nullptr) return rows;
    return PlanFilter(std::move(rows), std::move(condition), &nodes_->late_filter);
  }

  static PlanNodePtr Nothing(PlanNodePtr source) {
    auto nothing = std::make_unique<EmptyNode>();
    nothing->source = std::move(source);
    return nothing;
  }

  Result<PlanNodePtr> PlanFrom(const bind::FromNode& node, const Wishes& wishes) {
    if (!node.is_leaf()) {
      return Merges(node) ? PlanMergeJoin(node) : PlanHashJoin(node, wishes);
    }
    const auto source = static_cast<size_t>(node.source);
    if (derived_[source] != nullptr) return PlanNodePtr(std::move(derived_[source]));
    scans_[source]->direction = wishes.direction;
    scans_[source]->parallel = wishes.parallel;
    return PlanNodePtr(std::move(scans_[source]));
  }

  Status FillJoin(const bind::FromNode& from, const Wishes& left, const Wishes& right,
                  JoinNode* join) {
    join->select = &select_;
    join->join = &from;
    nodes_->joins[&from] = join;
    ASSIGN_OR_RETURN(join->left, PlanFrom(*from.left, left));
    ASSIGN_OR_RETURN(join->right, PlanFrom(*from.right, right));
    ASSIGN_OR_RETURN(join->left_filter, AllOf(from.left_filter));
    ASSIGN_OR_RETURN(join->right_filter, AllOf(from.right_filter));
    SlotsUnder(*from.left, &join->left_slots, &join->left_types);
    SlotsUnder(*from.right, &join->right_slots, &join->right_types);
    return Status::Ok();
  }

  Result<PlanNodePtr> PlanMergeJoin(const bind::FromNode& from) {
    std::vector<bind::ExprPtr> left_keys;
    std::vector<bind::ExprPtr> right_keys;
    for (const bind::JoinKey& key : from.keys) {
      left_keys.push_back(key.left);
      right_keys.push_back(key.right);
    }
    auto join = std::make_unique<MergeJoinNode>();
    join->left_in_order = InKeyOrder(*from.left, left_keys);
    join->right_in_order = InKeyOrder(*from.right, right_keys);
    const auto wish = [](bool in_order) {
      return Wishes{in_order ? KeyDirection::kForward : KeyDirection::kAny, false};
    };
    RETURN_IF_ERROR(
        FillJoin(from, wish(join->left_in_order), wish(join->right_in_order), join.get()));
    return PlanNodePtr(std::move(join));
  }

  Result<PlanNodePtr> PlanHashJoin(const bind::FromNode& from, const Wishes& wishes) {
    const bool full = from.type == bind::JoinType::kFull;
    auto join = std::make_unique<HashJoinNode>();
    join->keeps_order = wishes.direction != KeyDirection::kAny;
    join->finds_keys = !full && !HasHint(select_, "NO_CHILD_PARENT_JOIN_OPTIMIZATION");
    Wishes left = wishes;
    // It remembers which rows of the table have matched.
    left.parallel = left.parallel && !full;
    RETURN_IF_ERROR(FillJoin(from, left, Wishes(), join.get()));
    return PlanNodePtr(std::move(join));
  }

  void SlotsUnder(const bind::FromNode& node, std::vector<uint32_t>* slots,
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

  // ---- what is done with rows

  static PlanNodePtr PlanFilter(PlanNodePtr child, bind::ExprPtr condition,
                                const FilterNode** place) {
    auto filter = std::make_unique<FilterNode>();
    filter->child = std::move(child);
    filter->condition = std::move(condition);
    *place = filter.get();
    return filter;
  }

  // The order in which groups leave an aggregation that puts them as ORDER BY wants them.
  std::vector<SortField> WantedOrder() const {
    std::vector<SortField> order;
    for (uint32_t i : groups_.order) {
      order.push_back({i, groups_.descending[i] != groups_.backward, groups_.backward});
    }
    return order;
  }

  Result<PlanNodePtr> PlanGroups(PlanNodePtr rows) {
    auto groups = std::make_unique<AggregateNode>();
    groups->child = std::move(rows);
    groups->spec.groups = select_.groups;
    groups->spec.aggregates = select_.aggregates;
    groups->spec.single_row = select_.groups.empty();
    // The answers of one aggregate depend on the order of the groups.
    const bool ordered =
        std::any_of(select_.aggregates.begin(), select_.aggregates.end(),
                    [](const bind::AggregatePtr& aggregate) {
                      return aggregate->kind == AggregateKind::kApproxCountDistinct;
                    });
    const bool sorted = !select_.order.empty() && GroupsAreSorted();
    if (sorted) {
      groups->spec.order = WantedOrder();
    } else if (select_.order.empty() || ordered) {
      for (uint32_t i : groups_.order) {
        groups->spec.order.push_back({i, groups_.descending[i], false});
      }
    }
    groups->takes_first = takes_first_;
    groups->in_wanted_order = groups_.is_wanted;
    groups->backward = groups_.backward;
    nodes_->groups = groups.get();
    ASSIGN_OR_RETURN(bind::ExprPtr having, AllOf(select_.having));
    if (having == nullptr) return PlanNodePtr(std::move(groups));
    return PlanFilter(std::move(groups), std::move(having), &nodes_->having);
  }

  PlanNodePtr PlanDistinct(PlanNodePtr rows) {
    auto distinct = std::make_unique<AggregateNode>();
    distinct->child = std::move(rows);
    for (uint32_t i = 0; i < select_.visible_outputs; ++i) {
      const bind::Output& output = select_.outputs[i];
      distinct->spec.groups.push_back(MakeSlot(i, output.type, output.label));
    }
    const auto add = [&](uint32_t i) { distinct->spec.order.push_back({i, false, false}); };
    if (!select_.order.empty()) {
      if (GroupsAreSorted()) distinct->spec.order = WantedOrder();
    } else if (select_.aggregated) {
      // Of groups that are distinct once more the order is that of what is shown.
      for (uint32_t i = 0; i < select_.visible_outputs; ++i) add(i);
    } else {
      for (uint32_t i : groups_.order) add(i);
    }
    distinct->takes_first = takes_first_;
    distinct->in_wanted_order = groups_.is_wanted;
    nodes_->distinct = distinct.get();
    return distinct;
  }

  PlanNodePtr PlanSort(PlanNodePtr rows) {
    auto sort = std::make_unique<SortNode>();
    sort->child = std::move(rows);
    sort->fields = FieldsOf(select_.order);
    sort->types = TypesOf(select_.outputs);
    sort->visible = select_.visible_outputs;
    if (direction_ != KeyDirection::kAny) sort->scan = nodes_->scans[0];
    nodes_->sort = sort.get();
    return sort;
  }

  SelectNodes* const nodes_;
  const bind::BoundSelect& select_;
  const bool limited_;
  const PlanContext& context_;
  Plan* const plan_;
  // By source; each is taken by the part of FROM that it stands in.
  std::vector<std::unique_ptr<ScanNode>> scans_;
  std::vector<std::unique_ptr<DerivedNode>> derived_;
  bool merged_ = false;  // the outermost join
  KeyDirection direction_ = KeyDirection::kAny;
  GroupOrder groups_;
  bool takes_first_ = false;
};

}  // namespace

Result<PlanNodePtr> PlanSelect(bind::BoundSelect&& select, bool limited, const PlanContext& context,
                               Plan* plan) {
  plan->selects.push_back(std::make_unique<SelectNodes>());
  SelectNodes* const nodes = plan->selects.back().get();
  nodes->select = std::move(select);
  return SelectPlanner(nodes, limited, context, plan).Run();
}

}  // namespace bennu::sql::plan
