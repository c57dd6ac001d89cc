#include "src/sql/bind/subquery_binder.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

using parse::ExprKind;
using parse::Quantifier;

const parse::Expr& WithoutParentheses(const parse::Expr& expr) {
  const parse::Expr* inner = &expr;
  while (inner->kind == ExprKind::kRowValue && inner->children.size() == 1) {
    inner = inner->children[0].get();
  }
  return *inner;
}

bool IsNotExists(const parse::Expr& expr) {
  return expr.kind == ExprKind::kNot &&
         WithoutParentheses(*expr.children[0]).kind == ExprKind::kExists;
}

Status NeedsJoin(int32_t position) {
  return MakeUncodedSqlError("a subquery of this kind cannot stand in HAVING", position,
                             "select from a derived table and put the condition into WHERE");
}

// SELECT * FROM (query).
BoundSelect SelectAll(std::unique_ptr<BoundQuery> query) {
  BoundSelect select;
  Source source;
  for (const Output& output : query->columns) {
    source.slot_of_column.push_back(static_cast<int32_t>(source.derived.size()));
    select.slots.push_back(Slot{0, static_cast<uint32_t>(source.derived.size()), output.type,
                                SortOrder::kAsc, output.nullable, output.label, output.label});
    source.derived.push_back({output.label, output.label, output.type, output.nullable});
  }
  for (uint32_t i = 0; i < select.slots.size(); ++i) {
    const Slot& slot = select.slots[i];
    select.outputs.push_back(
        {MakeSlot(i, slot.type, slot.text, slot.nullable), slot.name, slot.type, slot.nullable});
  }
  select.sources.push_back(std::move(source));
  select.derived.push_back(std::move(query));
  select.from = std::make_unique<FromNode>();
  select.from->source = 0;
  select.terms.resize(1);
  select.visible_outputs = select.outputs.size();
  return select;
}

std::unique_ptr<BoundQuery> QueryOf(BoundSelect select) {
  auto query = std::make_unique<BoundQuery>();
  for (size_t i = 0; i < select.visible_outputs; ++i) {
    const Output& output = select.outputs[i];
    query->columns.push_back({nullptr, output.label, output.type, output.nullable, output.origin});
  }
  query->branches.push_back(std::move(select));
  return query;
}

// SELECT the least (or greatest) value, and the columns behind it, of each of which it gives one
// row: FROM (query) GROUP BY those columns.
Result<std::unique_ptr<BoundQuery>> ExtremePerGroup(std::unique_ptr<BoundQuery> query,
                                                    bool greatest, int32_t position) {
  BoundSelect select = SelectAll(std::move(query));
  select.aggregated = true;
  std::vector<Output> outputs;
  for (size_t i = 1; i < select.outputs.size(); ++i) {
    select.groups.push_back(select.outputs[i].expr);
  }
  ASSIGN_OR_RETURN(AggregateCall call,
                   BindAggregate(greatest ? "MAX" : "MIN", {select.outputs[0].expr}, false, false,
                                 nullptr, position));
  const size_t group_count = select.groups.size();
  outputs.push_back({MakeSlot(group_count, call.type, call.text), call.text, call.type, true});
  select.aggregates.push_back(std::make_shared<const AggregateCall>(std::move(call)));
  for (size_t i = 0; i < group_count; ++i) {
    const Output& column = select.outputs[i + 1];
    outputs.push_back({MakeSlot(i, column.type, column.label), column.label, column.type, true});
  }
  select.outputs = std::move(outputs);
  return QueryOf(std::move(select));
}

}  // namespace

bool IsSubqueryCondition(const parse::Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kInSubquery:
    case ExprKind::kExists: return true;
    case ExprKind::kNot: return IsNotExists(expr);
    case ExprKind::kComparison: return expr.children[1]->kind == ExprKind::kSubquery;
    default: return false;
  }
}

SubqueryBinder::SubqueryBinder(const BindContext& context, Scope* scope, FromBinder* from,
                               Parameters* parameters, BoundSelect* result)
    : context_(context), scope_(scope), from_(from), parameters_(parameters), result_(result) {}

Result<ExprPtr> SubqueryBinder::BindPart(const parse::Expr& part) {
  // Operands of their own: the part is not inside another expression.
  const BindOperand operand = [this](const parse::Expr& tree, const DataType& wanted) {
    ExpressionBinder binder(scope_, parameters_);
    return binder.BindTyped(tree, ExpressionBinder::Place::kWhere, wanted);
  };
  Use use;
  use.operand = &operand;
  use.top = true;
  use.negated = part.negated;
  switch (part.kind) {
    case ExprKind::kInSubquery: return BindIn(part, use);
    case ExprKind::kExists: return BindExists(part, use);
    case ExprKind::kNot:
      use.negated = true;
      return BindExists(WithoutParentheses(*part.children[0]), use);
    default:
      return part.quantifier == Quantifier::kNone ? BindScalar(part, use)
                                                  : BindQuantified(part, use);
  }
}

Result<ExprPtr> SubqueryBinder::BindInside(const parse::Expr& expr, const BindOperand& operand,
                                           bool may_join) {
  if (const auto known = values_.find(&expr); known != values_.end()) return known->second;
  Use use;
  use.operand = &operand;
  use.may_join = may_join;
  use.negated = expr.negated;
  Result<ExprPtr> bound = ExprPtr();
  switch (expr.kind) {
    case ExprKind::kInSubquery: bound = BindIn(expr, use); break;
    case ExprKind::kExists: bound = BindExists(expr, use); break;
    case ExprKind::kComparison:
      bound =
          expr.quantifier == Quantifier::kNone ? BindScalar(expr, use) : BindQuantified(expr, use);
      break;
    default:
      return MakeUncodedSqlError("a subquery cannot stand here", expr.position,
                                 "compare a value with it");
  }
  if (bound.ok()) values_[&expr] = *bound;
  return bound;
}

// ---------------------------------------------------------------- the kinds of conditions

Result<SubqueryBinder::Membership> SubqueryBinder::JoinMembers(const parse::Expr& expr,
                                                               const parse::Select& members,
                                                               const MemberRules& rules,
                                                               const Use& use) {
  if (!use.may_join) return NeedsJoin(expr.position);
  const auto left = RowItems(*expr.children[0]);
  SubqueryWishes wishes;
  wishes.distinct = true;
  wishes.marked = !use.top;
  ASSIGN_OR_RETURN(SubqueryParts parts, BindSelect(members, wishes));
  if (parts.selected != left.size()) return MakeSqlError(216, "", expr.position);
  Membership membership;
  for (size_t i = 0; i < left.size(); ++i) {
    ASSIGN_OR_RETURN(ExprPtr operand, (*use.operand)(*left[i], parts.query->columns[i].type));
    membership.operands.push_back(std::move(operand));
  }
  membership.marker = parts.marker;
  JoinType type = JoinType::kLeft;
  if (use.top) type = rules.negated ? JoinType::kAnti : JoinType::kSemi;
  FromNode* node = nullptr;
  ASSIGN_OR_RETURN(membership.source, Join(std::move(parts), type, &node));
  node->first_match = true;
  for (size_t i = 0; i < membership.operands.size(); ++i) {
    RETURN_IF_ERROR(from_->AddKey(membership.operands[i],
                                  ColumnOf(membership.source, i, expr.position), rules.matches_null,
                                  node));
  }
  return membership;
}

Result<ExprPtr> SubqueryBinder::BindIn(const parse::Expr& expr, const Use& use) {
  ASSIGN_OR_RETURN(
      const Membership membership,
      JoinMembers(expr, *expr.subquery, {.negated = use.negated, .matches_null = true}, use));
  if (use.top) return ExprPtr();
  return AskMatch(membership.source, membership.marker, use.negated, expr.position);
}

Result<ExprPtr> SubqueryBinder::BindExists(const parse::Expr& expr, const Use& use) {
  SubqueryWishes wishes;
  wishes.existence = true;
  wishes.marked = !use.top;
  ASSIGN_OR_RETURN(SubqueryParts parts, BindSelect(*expr.subquery, wishes));
  if (parts.correlations.empty()) {
    std::vector<ExprPtr> value =
        RunBefore(SubqueryKind::kExists, std::move(parts.query), 1, expr.position);
    if (!use.negated) return value[0];
    return MakeNot(std::move(value[0]), expr.position);
  }
  if (!use.may_join) return NeedsJoin(expr.position);
  const size_t marker = parts.marker;
  JoinType type = JoinType::kLeft;
  if (use.top) type = use.negated ? JoinType::kAnti : JoinType::kSemi;
  FromNode* node = nullptr;
  ASSIGN_OR_RETURN(const uint32_t source, Join(std::move(parts), type, &node));
  node->first_match = true;
  if (use.top) return ExprPtr();
  return AskMatch(source, marker, use.negated, expr.position);
}

Result<ExprPtr> SubqueryBinder::BindScalar(const parse::Expr& expr, const Use& use) {
  const parse::Expr& subquery = *expr.children[1];
  ASSIGN_OR_RETURN(SubqueryParts parts, BindSelect(*subquery.subquery, SubqueryWishes{}));
  const size_t count = parts.selected;
  if (parts.correlations.empty()) {
    std::vector<ExprPtr> values =
        RunBefore(SubqueryKind::kSingleRow, std::move(parts.query), count, expr.position);
    if (count == 1) values_[&subquery] = values[0];
    return CompareWith(expr, std::move(values), use);
  }
  if (!use.may_join) return NeedsJoin(expr.position);
  const bool single = parts.single_row;
  FromNode* node = nullptr;
  ASSIGN_OR_RETURN(const uint32_t source,
                   Join(std::move(parts), use.top ? JoinType::kInner : JoinType::kLeft, &node));
  node->single_match = !single;
  std::vector<ExprPtr> values;
  for (size_t i = 0; i < count; ++i) values.push_back(ColumnOf(source, i, expr.position));
  ASSIGN_OR_RETURN(ExprPtr compared, CompareWith(expr, values, use));
  if (!use.top || expr.compare != parse::CompareOp::kEqual || count > 1) return compared;
  // As recorded: between the ANDs of WHERE, NULL equals what a subquery of the row gives as NULL.
  ASSIGN_OR_RETURN(ExprPtr operand, (*use.operand)(*expr.children[0], values[0]->type));
  ASSIGN_OR_RETURN(ExprPtr left_null, MakeIsNull(std::move(operand), false, expr.position));
  ASSIGN_OR_RETURN(ExprPtr right_null, MakeIsNull(values[0], false, expr.position));
  ASSIGN_OR_RETURN(ExprPtr nulls, MakeAnd({std::move(left_null), std::move(right_null)}));
  return MakeOr({std::move(compared), std::move(nulls)}, expr.position);
}

Result<ExprPtr> SubqueryBinder::BindQuantified(const parse::Expr& expr, const Use& use) {
  const bool any = expr.quantifier == Quantifier::kAny;
  if (any && expr.compare == parse::CompareOp::kEqual) return BindMember(expr, use);
  if (!any && expr.compare == parse::CompareOp::kNotEqual) return BindNoMember(expr, use);
  return BindExtremes(expr, use);
}

// x = ANY (…): as IN, but NULL is equal to nothing, and the answer for it is NULL.
Result<ExprPtr> SubqueryBinder::BindMember(const parse::Expr& expr, const Use& use) {
  const bool negated = expr.compare == parse::CompareOp::kNotEqual;
  ASSIGN_OR_RETURN(const Membership membership,
                   JoinMembers(expr, *expr.children[1]->subquery,
                               {.negated = negated, .matches_null = false}, use));
  ASSIGN_OR_RETURN(ExprPtr is_null,
                   MakeIsNull(membership.operands[0], /*negated=*/use.top, expr.position));
  if (use.top) return negated ? is_null : ExprPtr();
  ASSIGN_OR_RETURN(ExprPtr match,
                   AskMatch(membership.source, membership.marker, negated, expr.position));
  std::vector<CaseBranch> branches;
  branches.push_back({std::move(is_null), MakeConstant(Value::Null({TypeId::kBoolean}))});
  return MakeCase(std::move(branches), std::move(match), expr.position);
}

// x <> ALL (…) wants at least one row to differ from.
Result<ExprPtr> SubqueryBinder::BindNoMember(const parse::Expr& expr, const Use& use) {
  ASSIGN_OR_RETURN(std::vector<ExprPtr> least, Extreme(expr, /*greatest=*/false, use));
  ASSIGN_OR_RETURN(ExprPtr some, MakeIsNull(least[0], /*negated=*/true, expr.position));
  ASSIGN_OR_RETURN(ExprPtr differs, BindMember(expr, use));
  if (differs == nullptr) return some;
  return MakeAnd({std::move(some), std::move(differs)}, expr.position);
}

Result<ExprPtr> SubqueryBinder::BindExtremes(const parse::Expr& expr, const Use& use) {
  using parse::CompareOp;
  const bool any = expr.quantifier == Quantifier::kAny;
  const CompareOp op = expr.compare;
  if (op == CompareOp::kEqual || op == CompareOp::kNotEqual) {
    ASSIGN_OR_RETURN(std::vector<ExprPtr> low, Extreme(expr, false, use));
    ASSIGN_OR_RETURN(std::vector<ExprPtr> high, Extreme(expr, true, use));
    ASSIGN_OR_RETURN(ExprPtr with_low, CompareWith(expr, std::move(low), use));
    ASSIGN_OR_RETURN(ExprPtr with_high, CompareWith(expr, std::move(high), use));
    std::vector<ExprPtr> both = {std::move(with_low), std::move(with_high)};
    return any ? MakeOr(std::move(both), expr.position) : MakeAnd(std::move(both), expr.position);
  }
  const bool below = op == CompareOp::kLess || op == CompareOp::kLessOrEqual;
  ASSIGN_OR_RETURN(std::vector<ExprPtr> values, Extreme(expr, /*greatest=*/below == any, use));
  return CompareWith(expr, std::move(values), use);
}

Result<std::vector<ExprPtr>> SubqueryBinder::Extreme(const parse::Expr& expr, bool greatest,
                                                     const Use& use) {
  ASSIGN_OR_RETURN(SubqueryParts parts, BindSelect(*expr.children[1]->subquery, SubqueryWishes{}));
  const size_t count = parts.selected;
  if (count != RowItems(*expr.children[0]).size()) return MakeSqlError(216, "", expr.position);
  if (parts.correlations.empty()) {
    return RunBefore(greatest ? SubqueryKind::kGreatest : SubqueryKind::kLeast,
                     std::move(parts.query), count, expr.position);
  }
  if (!use.may_join) return NeedsJoin(expr.position);
  if (count > 1) {
    return MakeUncodedSqlError("ANY and ALL of rows over a correlated subquery are not supported",
                               expr.position);
  }
  ASSIGN_OR_RETURN(parts.query, ExtremePerGroup(std::move(parts.query), greatest, expr.position));
  FromNode* node = nullptr;
  ASSIGN_OR_RETURN(const uint32_t source,
                   Join(std::move(parts), use.top ? JoinType::kInner : JoinType::kLeft, &node));
  return std::vector<ExprPtr>{ColumnOf(source, 0, expr.position)};
}

// ---------------------------------------------------------------- parts

std::vector<ExprPtr> SubqueryBinder::RunBefore(SubqueryKind kind, std::unique_ptr<BoundQuery> query,
                                               size_t value_count, int32_t position) {
  const int64_t rows_needed = kind == SubqueryKind::kExists ? 1 : 2;
  const bool all = kind == SubqueryKind::kLeast || kind == SubqueryKind::kGreatest;
  if (!all && query->limit == nullptr) query->limit = MakeConstant(Value::Bigint(rows_needed));
  Subquery subquery;
  subquery.kind = kind;
  subquery.value_count = value_count;
  if (!context_.subqueries->empty()) {
    const Subquery& last = context_.subqueries->back();
    subquery.first = last.first + last.value_count;
  }
  std::vector<ExprPtr> values;
  for (size_t i = 0; i < value_count; ++i) {
    const DataType type =
        kind == SubqueryKind::kExists ? DataType{TypeId::kBoolean} : query->columns[i].type;
    values.push_back(
        MakeParameter(EvalContext::kSubqueryBase + subquery.first + i, type, position));
  }
  subquery.query = std::move(query);
  context_.subqueries->push_back(std::move(subquery));
  return values;
}

Result<SubqueryParts> SubqueryBinder::BindSelect(const parse::Select& select,
                                                 const SubqueryWishes& wishes) {
  SubqueryWishes all = wishes;
  all.is_outer = [this](const parse::Expr& column) { return scope_->Resolve(column).ok(); };
  ASSIGN_OR_RETURN(SubqueryParts parts, BindSubquery(select, context_, all, parameters_));
  if (!parts.plain) {
    // A UNION ALL: as a set, and marked, it is a derived table.
    BoundSelect whole = SelectAll(std::move(parts.query));
    whole.distinct = wishes.distinct;
    if (wishes.marked) {
      whole.outputs.push_back({MakeConstant(Value::Bool(true)), "", {TypeId::kBoolean}, false});
      whole.visible_outputs = whole.outputs.size();
    }
    parts.marker = whole.outputs.size() - 1;
    parts.query = QueryOf(std::move(whole));
  }
  return parts;
}

Result<uint32_t> SubqueryBinder::Join(SubqueryParts parts, JoinType type, FromNode** node) {
  if (result_->from == nullptr) {
    return MakeUncodedSqlError("a subquery of this kind needs a table in FROM");
  }
  std::vector<std::pair<ExprPtr, size_t>> keys;
  for (const Correlation& correlation : parts.correlations) {
    ASSIGN_OR_RETURN(ExprPtr outer, BindOuter(*correlation.outer));
    keys.emplace_back(std::move(outer), correlation.column);
  }
  ASSIGN_OR_RETURN(const uint32_t source, from_->JoinHidden(std::move(parts.query), type, node));
  for (auto& [outer, column] : keys) {
    RETURN_IF_ERROR(from_->AddKey(std::move(outer), ColumnOf(source, column, -1),
                                  /*matches_null=*/true, *node));
  }
  return source;
}

ExprPtr SubqueryBinder::ColumnOf(uint32_t source, size_t column, int32_t position) {
  const uint32_t number = scope_->SlotOf(source, static_cast<uint32_t>(column));
  const Slot& slot = scope_->slots()[number];
  return MakeSlot(number, slot.type, slot.text, true, position);
}

Result<ExprPtr> SubqueryBinder::CompareWith(const parse::Expr& expr, std::vector<ExprPtr> values,
                                            const Use& use) {
  const auto left = RowItems(*expr.children[0]);
  // As in comparisons of rows the shorter side says how many components count.
  const size_t count = std::min(left.size(), values.size());
  std::vector<ExprPtr> operands;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(ExprPtr operand, (*use.operand)(*left[i], values[i]->type));
    operands.push_back(std::move(operand));
  }
  values.resize(count);
  return CompareRowsBound(ComparisonOf(expr.compare), std::move(operands), std::move(values),
                          expr.position);
}

Result<ExprPtr> SubqueryBinder::BindOuter(const parse::Expr& expr) {
  ExpressionBinder binder(scope_, parameters_);
  return binder.Bind(expr, ExpressionBinder::Place::kWhere);
}

Result<ExprPtr> SubqueryBinder::AskMatch(uint32_t source, size_t column, bool negated,
                                         int32_t position) {
  return MakeIsNull(ColumnOf(source, column, position), /*negated=*/!negated, position);
}

}  // namespace bennu::sql::bind
