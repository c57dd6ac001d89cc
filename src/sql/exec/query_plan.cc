// QueryPlan: the selects of a UNION ALL, their order and limits.
#include <fmt/format.h>

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/plan_parts.h"
#include "src/sql/exec/select_plan.h"
#include "src/sql/exec/sequence_operator.h"
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

// The values of sequences are given out last, to the rows that are left.
Result<std::unique_ptr<Operator>> ShowSequences(ExecContext* context,
                                                std::unique_ptr<Operator> rows,
                                                const bind::BoundSelect& select) {
  if (select.shown.empty()) return rows;
  ASSIGN_OR_RETURN(rows, MakeSequences(context, std::move(rows), select.sequences));
  std::vector<bind::ExprPtr> expressions;
  for (const bind::Output& output : select.shown) expressions.push_back(output.expr);
  return MakeProject(context, std::move(rows), std::move(expressions));
}

}  // namespace

Result<std::unique_ptr<QueryPlan>> QueryPlan::Make(std::unique_ptr<bind::BoundQuery> query,
                                                   const PrepareContext& context) {
  auto plan = std::make_unique<QueryPlan>();
  for (bind::BoundSelect& branch : query->branches) {
    ASSIGN_OR_RETURN(std::unique_ptr<SelectPlan> select,
                     SelectPlan::Make(std::move(branch), context));
    plan->branches_.push_back(std::move(select));
  }
  query->branches.clear();
  plan->query_ = std::move(query);
  return plan;
}

Result<int64_t> QueryPlan::Limit(ExecContext* context) const {
  return CountOf(query_->limit, -1, context);
}

Result<int64_t> QueryPlan::Offset(ExecContext* context) const {
  return CountOf(query_->offset, 0, context);
}

Result<std::unique_ptr<Operator>> QueryPlan::Open(ExecContext* context) const {
  ASSIGN_OR_RETURN(const int64_t limit, Limit(context));
  ASSIGN_OR_RETURN(const int64_t offset, Offset(context));
  const int64_t wanted = limit < 0 || limit > INT64_MAX - offset ? -1 : limit + offset;
  if (branches_.size() == 1) {
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> rows, branches_[0]->Open(context, wanted));
    rows = MakeLimit(std::move(rows), limit, offset);
    rows = Measure(std::move(rows), context->StepOf(branches_[0].get(), StepKind::kLimit));
    return ShowSequences(context, std::move(rows), branches_[0]->select());
  }
  std::vector<std::unique_ptr<Operator>> children;
  for (const std::unique_ptr<SelectPlan>& branch : branches_) {
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> rows,
                     branch->Open(context, query_->order.empty() ? wanted : -1));
    children.push_back(std::move(rows));
  }
  std::unique_ptr<Operator> rows =
      Measure(MakeUnion(std::move(children)), context->StepOf(this, StepKind::kUnion));
  if (!query_->order.empty()) {
    rows = MakeSort(context, std::move(rows), nullptr, FieldsOf(query_->order),
                    TypesOf(query_->columns), SortLimit(wanted));
    rows = Measure(std::move(rows), context->StepOf(this, StepKind::kSort));
  }
  rows = MakeLimit(std::move(rows), limit, offset);
  return Measure(std::move(rows), context->StepOf(this, StepKind::kLimit));
}

}  // namespace bennu::sql::exec
