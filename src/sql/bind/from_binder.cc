#include "src/sql/bind/from_binder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include "src/base/status_macros.h"
#include "src/sql/bind/flattened_alias.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/functions/registry.h"
#include "src/sql/parse/literal.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

bool Subset(const std::set<uint32_t>& part, const std::set<uint32_t>& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// A plain select over one table, whose columns a surrounding query may see through.
bool IsSimple(const BoundQuery& query) {
  if (query.branches.size() != 1 || query.limit != nullptr || query.offset != nullptr) return false;
  const BoundSelect& select = query.branches[0];
  return !select.aggregated && !select.distinct && select.order.empty() &&
         select.sources.size() == 1 && select.shown.empty();
}

// Of TABLESAMPLE.
Result<double> PercentOf(const parse::Expr& literal) {
  const bool number = literal.literal == parse::LiteralKind::kInteger ||
                      literal.literal == parse::LiteralKind::kDecimal;
  if (literal.literal == parse::LiteralKind::kNull) return 100;
  if (!number) return MakeSqlError(601, "TABLESAMPLE takes a percentage", literal.position);
  ASSIGN_OR_RETURN(Value value, parse::LiteralValue(literal));
  ASSIGN_OR_RETURN(value, Coerce(value, {TypeId::kDouble}));
  if (value.is_null() || value.real() < 0 || value.real() > 100) {
    return MakeSqlError(601, "TableSamplingRate is out of bound of 0 and 100", literal.position);
  }
  return value.real();
}

// The key as a value whose equal values have equal memory.
Result<ExprPtr> KeyAs(ExprPtr expr, const DataType& common) {
  if (expr->type.id == common.id && expr->type.id != TypeId::kChar) return expr;
  if (expr->type.id == TypeId::kChar) {
    const int32_t position = expr->position;
    return MakeFunction("RTRIM", {std::move(expr)}, position);
  }
  const PhysicalType physical = PhysicalTypeOf(expr->type.id);
  if (physical == PhysicalTypeOf(common.id) && physical == PhysicalType::kInt64) return expr;
  const int32_t position = expr->position;
  return MakeCast(std::move(expr), DataType{common.id}, position);
}

}  // namespace

FromBinder::FromBinder(const BindContext& context, Scope* scope, ExpressionBinder* binder,
                       Parameters* parameters, BoundSelect* result)
    : context_(context), scope_(scope), binder_(binder), parameters_(parameters), result_(result) {}

Status FromBinder::Bind(const parse::Select& select) {
  for (const parse::TableRefPtr& ref : select.from) RETURN_IF_ERROR(AddSources(*ref));
  const bool derived =
      select.from.size() == 1 && select.from[0]->kind == parse::TableRefKind::kSubquery;
  if (derived) {
    RETURN_IF_ERROR(
        CheckFlattenedAliases(select, *select.from[0]->subquery, *result_->derived.back()));
  }
  for (const parse::TableRefPtr& ref : select.from) {
    ASSIGN_OR_RETURN(Node node, MakeNode(*ref));
    if (result_->from == nullptr) {
      result_->from = std::move(node);
    } else {
      auto cross = std::make_unique<FromNode>();
      cross->left = std::move(result_->from);
      cross->right = std::move(node);
      result_->from = std::move(cross);
    }
  }
  return Status::Ok();
}

Status FromBinder::AddSources(const parse::TableRef& ref) {
  switch (ref.kind) {
    case parse::TableRefKind::kNamed: return AddTable(ref);
    case parse::TableRefKind::kSubquery: return AddDerived(ref);
    case parse::TableRefKind::kJoin:
      RETURN_IF_ERROR(AddSources(*ref.left));
      return AddSources(*ref.right);
    case parse::TableRefKind::kBind:
      return MakeUncodedSqlError("a parameter in the place of a table is not supported",
                                 ref.position);
  }
  return Status::Ok();
}

Status FromBinder::AddTable(const parse::TableRef& ref) {
  double sample_percent = 100;
  if (ref.sample_percent != nullptr) {
    ASSIGN_OR_RETURN(sample_percent, PercentOf(*ref.sample_percent));
  }
  const std::string& schema =
      ref.name.qualifier.text.empty() ? context_.default_schema : ref.name.qualifier.text;
  ASSIGN_OR_RETURN(std::shared_ptr<const catalog::TableMeta> table,
                   context_.catalog->GetTable(schema, ref.name.name.text, ref.name.position(),
                                              context_.as_of, context_.tenant));
  if (table->is_index() && table->has_document_in_key()) {
    return MakeUncodedSqlError(
        "index " + table->FullName() + " has JSON documents in its key, and cannot be read",
        ref.name.position(), "read its table");
  }
  if (!ref.dynamic_columns.empty()) {
    std::vector<catalog::ColumnMeta> columns;
    for (const parse::ColumnDef& definition : ref.dynamic_columns) {
      catalog::ColumnMeta column;
      column.name = definition.name.name.text;
      column.family = definition.name.qualifier.text;
      ASSIGN_OR_RETURN(column.type, TypeOf(definition.type));
      column.dynamic = true;
      columns.push_back(std::move(column));
    }
    ASSIGN_OR_RETURN(catalog::TableMeta with, table->WithDynamicColumns(columns));
    table = std::make_shared<const catalog::TableMeta>(std::move(with));
  }
  Source source;
  source.alias = ref.alias.empty() ? table->name : ref.alias.text;
  source.has_alias = !ref.alias.empty();
  if (!source.has_alias) source.schema = table->schema;
  const size_t place = scope_->sources().size();
  if (accesses_ != nullptr && place < accesses_->size()) {
    const auto& access = (*accesses_)[place];
    if (access != nullptr && access->table == table) source.access = access;
  }
  source.table = std::move(table);
  source.sample_percent = sample_percent;
  return scope_->Add(std::move(source), ref.position);
}

Status FromBinder::AddDerived(const parse::TableRef& ref) {
  ASSIGN_OR_RETURN(std::unique_ptr<BoundQuery> query,
                   BindQuery(*ref.subquery, context_, parameters_));
  Source source;
  source.alias = ref.alias.text;
  source.derived_query = result_->derived.size();
  const bool simple = IsSimple(*query);
  const parse::Select& select = *ref.subquery;
  for (size_t i = 0; i < query->columns.size(); ++i) {
    const Output& output = query->columns[i];
    DerivedColumn column;
    column.name = output.label;
    // E.NAME of a join is known as NAME outside.
    const bool plain = i < select.items.size() && select.items.size() == query->columns.size() &&
                       select.items[i].alias.empty() &&
                       select.items[i].expr->kind == parse::ExprKind::kColumn;
    if (plain) column.name = select.items[i].expr->column.text;
    column.label = column.name;
    if (simple) {
      const BoundSelect& inner = query->branches[0];
      const Expr& expr = *inner.outputs[i].expr;
      column.label = expr.kind == BoundKind::kSlot ? inner.slots[expr.slot].name : ToText(expr);
    }
    column.type = output.type;
    column.nullable = output.nullable;
    column.table = output.origin.table;
    source.derived.push_back(std::move(column));
  }
  result_->derived.push_back(std::move(query));
  return scope_->Add(std::move(source), ref.position);
}

Result<uint32_t> FromBinder::JoinHidden(std::unique_ptr<BoundQuery> query, JoinType type,
                                        FromNode** node) {
  Source source;
  source.hidden = true;
  source.derived_query = result_->derived.size();
  for (const Output& output : query->columns) {
    source.derived.push_back({output.label, output.label, output.type, output.nullable});
  }
  result_->derived.push_back(std::move(query));
  RETURN_IF_ERROR(scope_->Add(std::move(source), -1));
  const auto number = static_cast<uint32_t>(scope_->sources().size() - 1);
  auto join = std::make_unique<FromNode>();
  join->type = type;
  join->left = std::move(result_->from);
  join->right = std::make_unique<FromNode>();
  join->right->source = static_cast<int32_t>(number);
  if (type == JoinType::kLeft) null_supplied_.insert(number);
  *node = join.get();
  result_->from = std::move(join);
  return number;
}

Result<FromBinder::Node> FromBinder::MakeNode(const parse::TableRef& ref) {
  auto node = std::make_unique<FromNode>();
  if (ref.kind != parse::TableRefKind::kJoin) {
    node->source = static_cast<int32_t>(next_source_++);
    return node;
  }
  ASSIGN_OR_RETURN(node->left, MakeNode(*ref.left));
  ASSIGN_OR_RETURN(node->right, MakeNode(*ref.right));
  switch (ref.join_type) {
    case parse::JoinType::kInner: node->type = JoinType::kInner; break;
    case parse::JoinType::kLeft: node->type = JoinType::kLeft; break;
    case parse::JoinType::kRight:
      // A LEFT join seen from the other side.
      std::swap(node->left, node->right);
      node->type = JoinType::kLeft;
      node->turned = true;
      break;
    case parse::JoinType::kFull: node->type = JoinType::kFull; break;
  }
  if (node->type != JoinType::kInner) Collect(*node->right, &null_supplied_);
  if (node->type == JoinType::kFull) Collect(*node->left, &null_supplied_);
  if (ref.on != nullptr) RETURN_IF_ERROR(BindOn(*ref.on, node.get()));
  return node;
}

Status FromBinder::BindOn(const parse::Expr& on, FromNode* node) {
  if (on.kind == parse::ExprKind::kRowValue && on.children.size() == 1) {
    return BindOn(*on.children[0], node);
  }
  if (on.kind != parse::ExprKind::kAnd) return BindOnPart(on, node);
  for (const parse::ExprPtr& part : on.children) RETURN_IF_ERROR(BindOn(*part, node));
  return Status::Ok();
}

// (a, b) = (c, d) joins as a = c AND b = d does.
Result<bool> FromBinder::TakeOnKeys(const parse::Expr& one, const parse::Expr& other,
                                    FromNode* node) {
  std::vector<std::pair<const parse::Expr*, const parse::Expr*>> pairs = {{&one, &other}};
  if (parse::IsRow(one) || parse::IsRow(other)) {
    if (one.children.size() != other.children.size() || !parse::IsRow(one) || !parse::IsRow(other))
      return false;
    pairs.clear();
    for (size_t i = 0; i < one.children.size(); ++i) {
      pairs.emplace_back(one.children[i].get(), other.children[i].get());
    }
  }
  const std::set<uint32_t> left = SourcesUnder(*node->left);
  const std::set<uint32_t> right = SourcesUnder(*node->right);
  std::vector<std::pair<ExprPtr, ExprPtr>> keys;
  for (const auto& [first, second] : pairs) {
    ASSIGN_OR_RETURN(ExprPtr a, binder_->Bind(*first, ExpressionBinder::Place::kOn));
    ASSIGN_OR_RETURN(ExprPtr b, binder_->Bind(*second, ExpressionBinder::Place::kOn));
    const std::set<uint32_t> of_a = SourcesOf(*a);
    const std::set<uint32_t> of_b = SourcesOf(*b);
    if (of_a.empty() || of_b.empty()) return false;
    if (Subset(of_a, left) && Subset(of_b, right)) {
      keys.emplace_back(std::move(a), std::move(b));
    } else if (Subset(of_a, right) && Subset(of_b, left)) {
      keys.emplace_back(std::move(b), std::move(a));
    } else {
      return false;
    }
  }
  for (auto& [a, b] : keys) {
    RETURN_IF_ERROR(AddKey(std::move(a), std::move(b), /*matches_null=*/true, node));
  }
  return true;
}

Status FromBinder::BindOnPart(const parse::Expr& part, FromNode* node) {
  const std::set<uint32_t> joined = SourcesUnder(node->turned ? *node->left : *node->right);
  auto refuse = [&part]() {
    return MakeSqlError(217, "", part.position,
                        "list the tables with commas and put the condition into WHERE");
  };
  const bool equality = part.kind == parse::ExprKind::kComparison &&
                        part.compare == parse::CompareOp::kEqual &&
                        part.quantifier == parse::Quantifier::kNone;
  if (equality) {
    ASSIGN_OR_RETURN(const bool joins, TakeOnKeys(*part.children[0], *part.children[1], node));
    if (joins) return Status::Ok();
  }
  ASSIGN_OR_RETURN(ExprPtr condition, binder_->Bind(part, ExpressionBinder::Place::kOn));
  const std::set<uint32_t> sources = SourcesOf(*condition);
  if (!Subset(sources, joined)) return refuse();
  RETURN_IF_ERROR(CheckCondition(*condition));
  const bool always =
      condition->is_constant() && !condition->is_null_constant() && condition->constant.boolean();
  if (always) return Status::Ok();
  (node->turned ? node->left_filter : node->right_filter).push_back(std::move(condition));
  return Status::Ok();
}

Status FromBinder::AddKey(ExprPtr left, ExprPtr right, bool matches_null, FromNode* node) {
  std::optional<DataType> common = CommonComparisonType(left->type, right->type);
  // Which of them stands on the left was not said by the condition.
  if (!common.has_value()) common = CommonComparisonType(right->type, left->type);
  if (!common.has_value()) {
    return SqlTypeMismatch(fmt::format(
        "On-clause LHS expression and RHS expression must be comparable. LHS type: {}, RHS type: "
        "{}",
        TypeName(left->type.id), TypeName(right->type.id)));
  }
  JoinKey key;
  key.matches_null = matches_null;
  ASSIGN_OR_RETURN(key.left, KeyAs(std::move(left), *common));
  ASSIGN_OR_RETURN(key.right, KeyAs(std::move(right), *common));
  node->keys.push_back(std::move(key));
  return Status::Ok();
}

Result<bool> FromBinder::TakeJoinKey(const Conjunct& conjunct) {
  const Expr& expr = *conjunct.expr;
  if (result_->from == nullptr || expr.kind != BoundKind::kCompare ||
      expr.compare != ComparisonOp::kEqual) {
    return false;
  }
  return TakeJoinKey(result_->from.get(), expr.children[0], expr.children[1]);
}

Result<bool> FromBinder::TakeJoinKey(FromNode* node, const ExprPtr& left, const ExprPtr& right) {
  if (node->is_leaf() || node->type == JoinType::kFull) return false;
  const std::set<uint32_t> of_left = SourcesOf(*left);
  const std::set<uint32_t> of_right = SourcesOf(*right);
  if (of_left.empty() || of_right.empty()) return false;
  const std::set<uint32_t> under_left = SourcesUnder(*node->left);
  const std::set<uint32_t> under_right = SourcesUnder(*node->right);
  if (Subset(of_left, under_left) && Subset(of_right, under_left)) {
    return TakeJoinKey(node->left.get(), left, right);
  }
  if (node->type != JoinType::kInner) return false;
  if (Subset(of_left, under_right) && Subset(of_right, under_right)) {
    return TakeJoinKey(node->right.get(), left, right);
  }
  if (Subset(of_left, under_left) && Subset(of_right, under_right)) {
    RETURN_IF_ERROR(AddKey(left, right, /*matches_null=*/false, node));
    return true;
  }
  if (Subset(of_left, under_right) && Subset(of_right, under_left)) {
    RETURN_IF_ERROR(AddKey(right, left, /*matches_null=*/false, node));
    return true;
  }
  return false;
}

std::set<uint32_t> FromBinder::SourcesOf(const Expr& expr) const {
  std::vector<size_t> slots;
  CollectSlots(expr, &slots);
  std::set<uint32_t> sources;
  for (size_t slot : slots) sources.insert(scope_->slots()[slot].source);
  return sources;
}

void FromBinder::Collect(const FromNode& node, std::set<uint32_t>* sources) {
  if (node.is_leaf()) {
    sources->insert(static_cast<uint32_t>(node.source));
    return;
  }
  Collect(*node.left, sources);
  Collect(*node.right, sources);
}

std::set<uint32_t> FromBinder::SourcesUnder(const FromNode& node) {
  std::set<uint32_t> sources;
  Collect(node, &sources);
  return sources;
}

}  // namespace bennu::sql::bind
