#include "src/sql/plan/planner.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/plan/plan_parts.h"
#include "src/sql/plan/select_planner.h"
#include "src/sql/plan/short_read.h"
#include "src/sql/plan/write_planner.h"

namespace bennu::sql::plan {
namespace {

// The selects of a UNION ALL, in the order that the whole is to have.
Result<std::unique_ptr<PlanNode>> PlanUnion(bind::BoundQuery* query, const PlanContext& context,
                                            Plan* plan) {
  const bool limited = query->limit != nullptr && query->order.empty();
  auto all = std::make_unique<UnionNode>();
  for (bind::BoundSelect& branch : query->branches) {
    ASSIGN_OR_RETURN(PlanNodePtr child, PlanSelect(std::move(branch), limited, context, plan));
    all->children.push_back(std::move(child));
  }
  if (query->order.empty()) return std::unique_ptr<PlanNode>(std::move(all));
  auto sort = std::make_unique<SortNode>();
  sort->child = std::move(all);
  sort->fields = FieldsOf(query->order);
  sort->types = TypesOf(query->columns);
  sort->visible = sort->types.size();
  return std::unique_ptr<PlanNode>(std::move(sort));
}

}  // namespace

Result<PlanNodePtr> PlanQuery(std::unique_ptr<bind::BoundQuery> query, const PlanContext& context,
                              Plan* plan) {
  PlanNodePtr root;
  const bind::BoundSelect* single = nullptr;
  if (query->branches.size() == 1) {
    const size_t place = plan->selects.size();
    ASSIGN_OR_RETURN(
        root, PlanSelect(std::move(query->branches[0]), query->limit != nullptr, context, plan));
    single = &plan->selects[place]->select;
  } else {
    ASSIGN_OR_RETURN(root, PlanUnion(query.get(), context, plan));
  }
  if (query->limit != nullptr || query->offset != nullptr) {
    auto limit = std::make_unique<LimitNode>();
    limit->child = std::move(root);
    limit->limit = std::move(query->limit);
    limit->offset = std::move(query->offset);
    root = std::move(limit);
  }
  if (single != nullptr && !single->shown.empty()) {
    auto sequences = std::make_unique<SequencesNode>();
    sequences->select = single;
    sequences->child = std::move(root);
    for (const bind::Output& output : single->shown) sequences->shown.push_back(output.expr);
    root = std::move(sequences);
  }
  return root;
}

Result<std::shared_ptr<const Plan>> MakePlan(std::unique_ptr<bind::BoundQuery> query,
                                             std::vector<bind::Subquery> subqueries,
                                             const PlanContext& context, const WriteSpec* write) {
  auto plan = std::make_shared<Plan>();
  for (bind::Subquery& subquery : subqueries) {
    SubqueryPlan planned;
    planned.kind = subquery.kind;
    planned.types = TypesOf(subquery.query->columns);
    planned.types.resize(subquery.value_count);
    ASSIGN_OR_RETURN(planned.root, PlanQuery(std::move(subquery.query), context, plan.get()));
    plan->subqueries.push_back(std::move(planned));
  }
  plan->columns = query->columns;
  const std::vector<bind::Source>& sources = query->branches[0].sources;
  const bool on_client =
      sources.size() != 1 || sources[0].access != nullptr || !plan->subqueries.empty();
  ASSIGN_OR_RETURN(plan->root, PlanQuery(std::move(query), context, plan.get()));
  if (plan->subqueries.empty()) plan->root = ChooseShortRead(std::move(plan->root));
  if (write != nullptr) plan->root = PlanWrite(*write, std::move(plan->root), on_client);
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace bennu::sql::plan
