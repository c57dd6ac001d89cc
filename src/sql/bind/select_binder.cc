#include "src/sql/bind/select_binder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/bind/from_binder.h"
#include "src/sql/bind/group_keys.h"
#include "src/sql/bind/key_term_finder.h"
#include "src/sql/bind/subquery_binder.h"
#include "src/sql/bind/union_binder.h"
#include "src/sql/catalog/view.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/value.h"

namespace bennu::sql::bind {
namespace {

using Place = ExpressionBinder::Place;

void Columns(const parse::Expr& expr, std::vector<const parse::Expr*>* columns) {
  if (expr.kind == parse::ExprKind::kColumn) columns->push_back(&expr);
  for (const parse::ExprPtr& child : expr.children) Columns(*child, columns);
}

// The parts between the ANDs.
void SplitAnd(const parse::Expr& expr, std::vector<const parse::Expr*>* parts) {
  if (expr.kind == parse::ExprKind::kAnd) {
    for (const parse::ExprPtr& child : expr.children) SplitAnd(*child, parts);
  } else if (expr.kind == parse::ExprKind::kRowValue && expr.children.size() == 1) {
    SplitAnd(*expr.children[0], parts);
  } else {
    parts->push_back(&expr);
  }
}

Result<ExprPtr> BindCount(const parse::ExprPtr& expr, Parameters* parameters) {
  if (expr == nullptr) return ExprPtr();
  // Values of all types are taken for a count.
  const std::span<const Value> values = std::exchange(parameters->values, {});
  ExpressionBinder binder(nullptr, parameters);
  Result<ExprPtr> count = binder.BindTyped(*expr, Place::kSelect, {TypeId::kBigint});
  parameters->values = values;
  return count;
}

bool HasSequence(const Expr& expr) {
  if (expr.kind == BoundKind::kSlot && expr.slot >= kSequenceSlot) return true;
  return std::any_of(expr.children.begin(), expr.children.end(),
                     [](const ExprPtr& child) { return HasSequence(*child); });
}

class SelectBinder {
 public:
  // 'wishes': null unless it is a subquery of a condition. 'accesses': see FromBinder.
  SelectBinder(const BindContext& context, Parameters* parameters, const SubqueryWishes* wishes,
               const Accesses& accesses, BoundSelect* result)
      : context_(context),
        binder_(&scope_, parameters),
        result_(*result),
        from_(context, &scope_, &binder_, parameters, result),
        subqueries_(context, &scope_, &from_, parameters, result),
        wishes_(wishes) {
    binder_.set_subqueries(&subqueries_);
    from_.set_accesses(&accesses);
  }

  // 'order_by' is the select's own, or that of the union it belongs to.
  Status Bind(const parse::Select& select, const std::vector<parse::OrderItem>& order_by) {
    result_.hints = select.hints;
    result_.distinct = select.distinct;
    RETURN_IF_ERROR(from_.Bind(select));
    for (const parse::SelectItem& item : select.items) {
      if (!item.alias.empty()) aliases_.emplace_back(item.alias.text, item.expr.get());
    }
    if (select.where != nullptr) RETURN_IF_ERROR(BindWhere(*select.where));
    RETURN_IF_ERROR(BindViewConditions());
    RETURN_IF_ERROR(BindGroups(select, order_by));
    const bool exists = wishes_ != nullptr && wishes_->existence && !correlated_.empty();
    for (const parse::SelectItem& item : select.items) {
      if (!exists) RETURN_IF_ERROR(BindItem(item));
    }
    if (!result_.sequences.empty()) {
      // A subquery of a condition knows what is around it.
      if (wishes_ != nullptr && wishes_->is_outer) return MakeSqlError(1205, "", select.position);
      PlaceSequences();
    }
    AddCorrelations();
    result_.visible_outputs = result_.outputs.size();
    for (const parse::OrderItem& item : order_by) {
      if (!exists) RETURN_IF_ERROR(BindOrder(item));
    }
    result_.groups = std::move(aggregation_.groups);
    result_.aggregates = std::move(aggregation_.aggregates);
    if (!select.offset_columns.empty()) RETURN_IF_ERROR(BindOffset(select));
    RETURN_IF_ERROR(PlaceConditions());
    result_.sources = scope_.sources();
    for (Source& source : result_.sources) {
      if (source.access != nullptr) source.table = source.access->index;
    }
    result_.slots = scope_.slots();
    const bool joined = wishes_ != nullptr && wishes_->is_outer;
    if (!joined) RETURN_IF_ERROR(CheckGroupTypes(result_));
    return Status::Ok();
  }

  // Of a subquery, once it is bound.
  std::vector<Correlation> TakeCorrelations() { return std::move(correlations_); }
  size_t selected() const { return selected_; }

 private:
  struct WherePart {
    const parse::Expr* tree;
    Conjunct conjunct;
    int32_t view = -1;  // the source whose view's condition it is; -1: of the statement
  };
  // local = outer, between the ANDs of a subquery's WHERE.
  struct Correlated {
    const parse::Expr* local;
    ExprPtr bound;  // 'local'
    const parse::Expr* outer;
  };
  enum class Side : uint8_t { kNone, kLocal, kOuter, kBoth };

  Status BindWhere(const parse::Expr& where) {
    std::vector<const parse::Expr*> parts;
    SplitAnd(where, &parts);
    // Columns print with their table as soon as there is a join.
    scope_.set_force_qualified(std::any_of(parts.begin(), parts.end(), [](const auto* part) {
      return part->kind == parse::ExprKind::kInSubquery;
    }));
    for (const parse::Expr* part : parts) {
      ASSIGN_OR_RETURN(const bool taken, TakeCorrelation(*part));
      if (!taken) RETURN_IF_ERROR(BindCondition(*part));
    }
    scope_.set_force_qualified(false);
    return Status::Ok();
  }

  // Rows that a view or a tenant does not show are not there, whatever joins follow.
  Status BindViewConditions() {
    for (uint32_t i = 0; i < scope_.sources().size(); ++i) {
      const auto table = scope_.sources()[i].table;
      if (table == nullptr) continue;
      const IndexAccess* const access = scope_.sources()[i].access.get();
      const std::string implied = access != nullptr ? access->implied : "";
      ASSIGN_OR_RETURN(parse::ExprPtr condition,
                       catalog::ConditionOf(*table, context_.with_expired, implied));
      if (access != nullptr && access->index->is_view_index()) {
        ASSIGN_OR_RETURN(parse::ExprPtr id, catalog::IndexIdCondition(*access->index));
        condition = catalog::JoinConditions(std::move(id), std::move(condition));
      }
      if (condition == nullptr) continue;
      view_conditions_.push_back(std::move(condition));
      scope_.Restrict(static_cast<int32_t>(i));
      const size_t before = where_.size();
      const Status bound = BindWhere(*view_conditions_.back());
      scope_.Restrict(-1);
      RETURN_IF_ERROR(bound);
      for (size_t part = before; part < where_.size(); ++part) {
        where_[part].view = static_cast<int32_t>(i);
      }
    }
    return Status::Ok();
  }

  Side SideOf(const parse::Expr& expr) {
    std::vector<const parse::Expr*> columns;
    Columns(expr, &columns);
    bool local = false;
    bool outer = false;
    for (const parse::Expr* column : columns) {
      const bool known = scope_.Resolve(*column).ok();
      const bool is_outer = !known && wishes_->is_outer(*column);
      outer = outer || is_outer;
      local = local || !is_outer;
    }
    if (local) return outer ? Side::kBoth : Side::kLocal;
    return outer ? Side::kOuter : Side::kNone;
  }

  // Takes a part that refers to the query around this one.
  Result<bool> TakeCorrelation(const parse::Expr& part) {
    if (wishes_ == nullptr || !wishes_->is_outer) return false;
    const Side side = SideOf(part);
    if (side == Side::kNone || side == Side::kLocal) return false;
    const bool equality = part.kind == parse::ExprKind::kComparison &&
                          part.compare == parse::CompareOp::kEqual &&
                          part.quantifier == parse::Quantifier::kNone;
    for (size_t i = 0; equality && i < 2; ++i) {
      const parse::Expr& local = *part.children[i];
      const parse::Expr& outer = *part.children[1 - i];
      if (SideOf(local) != Side::kLocal || SideOf(outer) != Side::kOuter) continue;
      ASSIGN_OR_RETURN(ExprPtr bound, binder_.Bind(local, Place::kWhere));
      correlated_.push_back({&local, std::move(bound), &outer});
      return true;
    }
    return MakeUncodedSqlError(
        "Does not support non-standard or non-equi correlated-subquery conditions.", part.position,
        "refer to the outer row by equalities between the ANDs of the subquery's WHERE");
  }

  // An aggregate gives a value for each of their values.
  void GroupByCorrelations() {
    for (const Correlated& correlated : correlated_) {
      aggregation_.group_trees.push_back(correlated.local);
      aggregation_.groups.push_back(correlated.bound);
    }
  }

  // Puts the columns by which the subquery is joined behind what it selects.
  void AddCorrelations() {
    selected_ = result_.outputs.size();
    if (wishes_ == nullptr) return;
    result_.distinct |= wishes_->distinct || (wishes_->existence && !correlated_.empty());
    for (size_t i = 0; i < correlated_.size(); ++i) {
      ExprPtr expr = correlated_[i].bound;
      if (result_.aggregated) expr = MakeSlot(i, expr->type, ToText(*expr));
      correlations_.push_back({correlated_[i].outer, result_.outputs.size()});
      result_.outputs.push_back({expr, ToText(*expr), expr->type, true});
    }
    if (!wishes_->marked) return;
    result_.outputs.push_back({MakeConstant(Value::Bool(true)), "", {TypeId::kBoolean}, false});
  }

  // Takes SCAN_START_KEY() = key and SCAN_END_KEY() = key.
  Result<bool> TakeSegment(const parse::Expr& part) {
    if (part.kind != parse::ExprKind::kComparison || part.compare != parse::CompareOp::kEqual ||
        part.quantifier != parse::Quantifier::kNone) {
      return false;
    }
    for (size_t i = 0; i < 2; ++i) {
      const parse::Expr& call = *part.children[i];
      if (call.kind != parse::ExprKind::kFunction || !call.children.empty()) continue;
      const bool is_start = call.function_name == "SCAN_START_KEY";
      if (!is_start && call.function_name != "SCAN_END_KEY") continue;
      const bool single = scope_.visible_count() == 1 && scope_.sources()[0].table != nullptr;
      if (!single) {
        return MakeUncodedSqlError(call.function_name + "() needs a query over a single table",
                                   call.position);
      }
      ASSIGN_OR_RETURN(ExprPtr key, binder_.BindTyped(*part.children[1 - i], Place::kWhere,
                                                      {TypeId::kVarbinary}));
      std::vector<size_t> slots;
      CollectSlots(*key, &slots);
      if (!slots.empty()) {
        return MakeUncodedSqlError(call.function_name + "() is compared with constants",
                                   part.position);
      }
      (is_start ? result_.segment_start : result_.segment_stop) = std::move(key);
      return true;
    }
    return false;
  }

  Status BindCondition(const parse::Expr& part) {
    ASSIGN_OR_RETURN(const bool segment, TakeSegment(part));
    if (segment) return Status::Ok();
    ExprPtr expr;
    if (IsSubqueryCondition(part)) {
      ASSIGN_OR_RETURN(expr, subqueries_.BindPart(part));
      if (expr == nullptr) return Status::Ok();
    } else {
      ASSIGN_OR_RETURN(expr, binder_.BindTyped(part, Place::kWhere, {TypeId::kBoolean}));
    }
    if (expr->type.id == TypeId::kNull && part.kind == parse::ExprKind::kLiteral) {
      return SqlTypeMismatch("BOOLEAN for ");
    }
    RETURN_IF_ERROR(CheckCondition(*expr));
    if (expr->is_constant()) {
      if (expr->constant.is_null() || !expr->constant.boolean()) result_.never = true;
      return Status::Ok();
    }
    where_.push_back({&part, Conjunct{std::move(expr), -1, {}, false}, -1});
    return Status::Ok();
  }

  // Finds out where each condition is applied, and what it says about keys.
  Status PlaceConditions() {
    result_.terms.resize(scope_.sources().size());
    for (WherePart& part : where_) {
      Conjunct& conjunct = part.conjunct;
      if (part.view >= 0) {
        conjunct.source = part.view;
        scope_.Restrict(part.view);
        FindTerms(*part.tree, &conjunct);
        scope_.Restrict(-1);
        result_.where.push_back(std::move(conjunct));
        continue;
      }
      std::vector<size_t> slots;
      CollectSlots(*conjunct.expr, &slots);
      std::set<uint32_t> sources;
      for (size_t slot : slots) sources.insert(scope_.slots()[slot].source);
      if (sources.size() == 1 && !from_.IsNullSupplied(*sources.begin())) {
        conjunct.source = static_cast<int32_t>(*sources.begin());
        FindTerms(*part.tree, &conjunct);
      } else if (sources.size() > 1) {
        ASSIGN_OR_RETURN(const bool taken, from_.TakeJoinKey(conjunct));
        if (taken) continue;
      }
      result_.where.push_back(std::move(conjunct));
    }
    return Status::Ok();
  }

  void FindTerms(const parse::Expr& tree, Conjunct* conjunct) {
    const auto source = static_cast<uint32_t>(conjunct->source);
    if (scope_.sources()[source].table == nullptr) return;
    KeyTermFinder finder(&scope_, source, &binder_, &result_.operands);
    for (KeyTerm& term : finder.Find(tree, &conjunct->exact)) {
      std::vector<KeyTerm>& terms = result_.terms[source];
      conjunct->terms.push_back(static_cast<uint32_t>(terms.size()));
      terms.push_back(std::move(term));
    }
  }

  Status BindGroups(const parse::Select& select, const std::vector<parse::OrderItem>& order_by) {
    binder_.set_aliases(&aliases_);
    bool aggregates = select.having != nullptr || !select.group_by.empty();
    for (const parse::SelectItem& item : select.items) aggregates |= HasAggregate(*item.expr);
    for (const parse::OrderItem& item : order_by) aggregates |= HasAggregate(*item.expr);
    const bool exists = wishes_ != nullptr && wishes_->existence && !correlated_.empty();
    result_.aggregated =
        aggregates && !(exists && select.group_by.empty() && select.having == nullptr);
    if (result_.aggregated) GroupByCorrelations();
    for (const parse::ExprPtr& group : select.group_by) {
      ASSIGN_OR_RETURN(const parse::Expr* tree, binder_.ResolveAlias(*group));
      ASSIGN_OR_RETURN(ExprPtr expr, binder_.Bind(*tree, Place::kGroupBy));
      // Groups nothing: by constants alone there is one row, also of no rows.
      if (expr->is_constant()) continue;
      aggregation_.group_trees.push_back(tree);
      aggregation_.groups.push_back(std::move(expr));
    }
    if (select.having != nullptr) RETURN_IF_ERROR(BindHaving(*select.having));
    binder_.set_aliases(nullptr);
    return Status::Ok();
  }

  // As Phoenix, conditions over grouped columns alone are applied before grouping.
  Status BindHaving(const parse::Expr& having) {
    std::vector<const parse::Expr*> parts;
    SplitAnd(having, &parts);
    for (const parse::Expr* part : parts) {
      if (IsOverGroupColumns(*part)) {
        RETURN_IF_ERROR(BindCondition(*part));
        continue;
      }
      ASSIGN_OR_RETURN(ExprPtr expr, binder_.BindAggregated(*part, Place::kHaving, &aggregation_));
      RETURN_IF_ERROR(CheckCondition(*expr));
      result_.having.push_back(std::move(expr));
    }
    return Status::Ok();
  }

  bool IsOverGroupColumns(const parse::Expr& part) {
    if (HasAggregate(part)) return false;
    std::vector<const parse::Expr*> columns;
    Columns(part, &columns);
    for (const parse::Expr* column : columns) {
      const Result<uint32_t> slot = scope_.Resolve(*column);
      if (!slot.ok()) return false;
      const bool grouped = std::any_of(
          aggregation_.groups.begin(), aggregation_.groups.end(), [&](const ExprPtr& group) {
            return group->kind == BoundKind::kSlot && group->slot == *slot;
          });
      if (!grouped) return false;
    }
    return !columns.empty();
  }

  Result<ExprPtr> BindOutput(const parse::Expr& expr) {
    if (result_.aggregated) return binder_.BindAggregated(expr, Place::kSelect, &aggregation_);
    return binder_.Bind(expr, Place::kSelect);
  }

  Status BindItem(const parse::SelectItem& item) {
    if (item.expr->kind == parse::ExprKind::kStar) return BindStar(*item.expr);
    if (!result_.distinct) binder_.set_sequences(&result_.sequences, &context_.default_schema);
    Result<ExprPtr> bound = BindOutput(*item.expr);
    binder_.set_sequences(nullptr, nullptr);
    ASSIGN_OR_RETURN(ExprPtr expr, std::move(bound));
    Output output;
    output.origin.name = LabelOf(*item.expr, *expr);
    // As in Phoenix, an expression is of the first table, whatever it is made of.
    if (scope_.visible_count() > 0) output.origin.table = TableOf(scope_.sources()[0], 0);
    output.origin.case_sensitive =
        item.alias.empty() ? NamesAreQuoted(*item.expr) : item.alias.quoted;
    output.label = !item.alias.empty() ? item.alias.text : output.origin.name;
    output.type = expr->type;
    output.nullable = MayBeNull(*expr);
    output.expr = std::move(expr);
    if (HasSequence(*output.expr)) {
      columns_.push_back(Column{-1, std::move(output)});
      return Status::Ok();
    }
    AddColumn(std::move(output));
    return Status::Ok();
  }

  void AddColumn(Output output) {
    columns_.push_back(Column{static_cast<int32_t>(result_.outputs.size()), {}});
    result_.outputs.push_back(std::move(output));
  }

  // What an expression with sequences reads of a row becomes outputs, over which it is computed
  // when the row is sure to be shown.
  ExprPtr Lift(const ExprPtr& expr) {
    if (expr->kind == BoundKind::kSlot && expr->slot >= kSequenceSlot) return expr;
    if (!HasSequence(*expr)) {
      std::vector<size_t> slots;
      CollectSlots(*expr, &slots);
      if (slots.empty()) return expr;
      result_.outputs.push_back({expr, "", expr->type, true});
      return MakeSlot(result_.outputs.size() - 1, expr->type, ToText(*expr));
    }
    auto copy = std::make_shared<Expr>(*expr);
    for (ExprPtr& child : copy->children) child = Lift(child);
    return copy;
  }

  // Sequences are the slots behind the outputs.
  ExprPtr Renumber(const ExprPtr& expr) const {
    if (expr->kind == BoundKind::kSlot && expr->slot >= kSequenceSlot) {
      return MakeSlot(result_.outputs.size() + (expr->slot - kSequenceSlot), expr->type, expr->name,
                      expr->nullable, expr->position);
    }
    if (!HasSequence(*expr)) return expr;
    auto copy = std::make_shared<Expr>(*expr);
    for (ExprPtr& child : copy->children) child = Renumber(child);
    return copy;
  }

  void PlaceSequences() {
    for (Column& column : columns_) {
      if (column.output < 0) column.own.expr = Lift(column.own.expr);
    }
    for (const Column& column : columns_) {
      if (column.output < 0) {
        Output shown = column.own;
        shown.expr = Renumber(shown.expr);
        result_.shown.push_back(std::move(shown));
        continue;
      }
      const auto index = static_cast<size_t>(column.output);
      const Output& output = result_.outputs[index];
      result_.shown.push_back({MakeSlot(index, output.type, output.label, output.nullable),
                               output.label, output.type, output.nullable, output.origin});
    }
  }

  // What getTableName says of a column of the source.
  static std::string TableOf(const Source& source, size_t column) {
    if (source.has_alias) return source.alias;
    if (source.table != nullptr) return source.table->FullName();
    if (!source.alias.empty() || column >= source.derived.size()) return source.alias;
    return source.derived[column].table;
  }

  // Whether the columns of the expression are all written in quotes.
  static bool NamesAreQuoted(const parse::Expr& tree) {
    std::vector<const parse::Expr*> columns;
    Columns(tree, &columns);
    return std::all_of(columns.begin(), columns.end(),
                       [](const parse::Expr* column) { return column->column.quoted; });
  }

  // False only where it is sure that it has a value whatever the row.
  bool MayBeNull(const Expr& expr) const {
    switch (expr.kind) {
      case BoundKind::kConstant: return expr.constant.is_null();
      case BoundKind::kSlot: return !IsCount(expr.slot) && expr.nullable;
      case BoundKind::kIsNull:  // of what may be NULL, as Phoenix has it
      case BoundKind::kArithmetic:
      case BoundKind::kCompare:
      case BoundKind::kAnd:
      case BoundKind::kOr:
      case BoundKind::kNot:
        return std::any_of(expr.children.begin(), expr.children.end(),
                           [this](const ExprPtr& child) { return MayBeNull(*child); });
      default: return true;
    }
  }
  // Of the group's columns, which are the slots behind an aggregation.
  bool IsCount(size_t slot) const {
    const size_t groups = aggregation_.groups.size();
    if (!result_.aggregated || slot < groups || slot - groups >= aggregation_.aggregates.size()) {
      return false;
    }
    const AggregateKind kind = aggregation_.aggregates[slot - groups]->kind;
    return kind == AggregateKind::kCountAll || kind == AggregateKind::kCount ||
           kind == AggregateKind::kCountDistinct;
  }

  std::string LabelOf(const parse::Expr& tree, const Expr& expr) {
    if (tree.kind != parse::ExprKind::kColumn) return ToText(expr);
    const Result<uint32_t> number = scope_.Resolve(tree);
    if (!number.ok()) return ToText(expr);
    const Slot& slot = scope_.slots()[*number];
    const Source& source = scope_.sources()[slot.source];
    if (scope_.qualified() && tree.table.text == source.alias) {
      return source.alias + "." + tree.column.text;
    }
    return scope_.qualified() ? tree.column.text : slot.name;
  }

  Status BindStar(const parse::Expr& star) {
    using Columns = std::vector<std::pair<uint32_t, uint32_t>>;
    ASSIGN_OR_RETURN(const Columns columns, scope_.Expand(star));
    for (const auto& [source, column] : columns) {
      const uint32_t number = scope_.SlotOf(source, column);
      const Slot& slot = scope_.slots()[number];
      ExprPtr expr;
      if (result_.aggregated) {
        for (size_t i = 0; i < aggregation_.groups.size(); ++i) {
          const Expr& group = *aggregation_.groups[i];
          if (group.kind == BoundKind::kSlot && group.slot == number) {
            expr = MakeSlot(i, slot.type, slot.text, slot.nullable, star.position);
          }
        }
        if (expr == nullptr) return MakeSqlError(1018, slot.text, star.position);
      } else {
        expr = MakeSlot(number, slot.type, slot.text, slot.nullable, star.position);
      }
      const bool case_sensitive = std::any_of(slot.name.begin(), slot.name.end(),
                                              [](char c) { return c >= 'a' && c <= 'z'; });
      // A derived table's column has the name that it got there.
      const Source& from = scope_.sources()[source];
      AddColumn({std::move(expr),
                 from.table == nullptr ? from.derived[column].name : slot.name,
                 slot.type,
                 slot.nullable,
                 {slot.name, TableOf(from, column), case_sensitive}});
    }
    return Status::Ok();
  }

  Status BindOrder(const parse::OrderItem& item) {
    OrderField field;
    field.descending = item.descending;
    field.nulls_last = item.nulls_last;
    if (const auto ordinal = OrdinalOf(*item.expr); ordinal.has_value()) {
      if (*ordinal < 1 || *ordinal > static_cast<int64_t>(columns_.size())) {
        return MakeSqlError(2003, "", item.position);
      }
      const int32_t output = columns_[static_cast<size_t>(*ordinal - 1)].output;
      if (output < 0) return MakeSqlError(1205, "", item.position);
      field.output = static_cast<uint32_t>(output);
      result_.order.push_back(field);
      return Status::Ok();
    }
    binder_.set_aliases(&aliases_);
    Result<ExprPtr> bound = BindOutput(*item.expr);
    binder_.set_aliases(nullptr);
    if (!bound.ok()) return bound.status();
    const ExprPtr expr = std::move(bound).value();
    if (expr->is_constant()) return Status::Ok();  // orders nothing
    size_t output = 0;
    while (output < result_.outputs.size() &&
           !SameBoundExpr(*result_.outputs[output].expr, *expr)) {
      ++output;
    }
    if (output == result_.outputs.size()) {
      if (result_.distinct) {
        return MakeSqlError(511, ToText(*expr), item.position);
      }
      result_.outputs.push_back({expr, "", expr->type, true});
    }
    field.output = static_cast<uint32_t>(output);
    result_.order.push_back(field);
    return Status::Ok();
  }

  // OFFSET (a, b) = (1, 2) names the whole key of the only table, or of the index that is read.
  Status BindOffset(const parse::Select& select) {
    const bool one_table = scope_.sources().size() == 1 && scope_.sources()[0].table != nullptr;
    if (!one_table || result_.aggregated || !select.union_all.empty()) {
      return MakeSqlError(2016, "", select.position,
                          "only a query that lists rows of one table can begin at a key");
    }
    const Source& source = scope_.sources()[0];
    const catalog::TableMeta& read = source.read();
    std::vector<ExprPtr> key;
    if (read.is_view_index()) {
      key.push_back(
          MakeConstant(Value::Int(DataType{read.view_index_id_type}, *read.view_index_id)));
    }
    ASSIGN_OR_RETURN(const bool named, BindOffsetKey(select, &key));
    if (named) {
      result_.offset_key = std::move(key);
    } else {
      result_.offset_refused =
          MakeSqlError(2014, "", select.offset_columns[0]->position,
                       "name all columns of the key of the table, or of an index that has all "
                       "columns of the query, in order, each with a value");
    }
    return Status::Ok();
  }

  // Appends the values to 'key', which has those in front of them. False: they are not the key.
  Result<bool> BindOffsetKey(const parse::Select& select, std::vector<ExprPtr>* key) {
    const catalog::TableMeta& read = scope_.sources()[0].read();
    const size_t before = key->size();
    const size_t count = read.key_columns.size() - before;
    if (select.offset_columns.size() != count || select.offset_values.size() != count) return false;
    for (size_t i = 0; i < count; ++i) {
      const auto key_column = static_cast<uint32_t>(before + i);
      const catalog::ColumnMeta& column = read.key_column(key_column);
      ASSIGN_OR_RETURN(const ExprPtr name, binder_.Bind(*select.offset_columns[i], Place::kWhere));
      if (name->kind != BoundKind::kSlot) return false;
      if (scope_.slots()[name->slot].column != read.key_columns[key_column]) return false;
      const DataType type = scope_.sources()[0].KeyType(key_column);
      ASSIGN_OR_RETURN(ExprPtr value,
                       binder_.BindTyped(*select.offset_values[i], Place::kWhere, type));
      if (value->is_null_constant() && !column.nullable) {
        return MakeSqlError(2015, "RVC Offset must specify the tables PKs.", value->position);
      }
      Result<ExprPtr> coerced = MakeCoerce(std::move(value), type, column.name);
      std::vector<size_t> slots;
      if (coerced.ok()) CollectSlots(**coerced, &slots);
      if (!coerced.ok() || !slots.empty()) return false;
      key->push_back(std::move(coerced).value());
    }
    return true;
  }

  // A column of the result: the output that it is, or an expression of its own (with sequences).
  struct Column {
    int32_t output = -1;
    Output own;
  };

  const BindContext& context_;
  Scope scope_;
  ExpressionBinder binder_;
  std::vector<Column> columns_;
  BoundSelect& result_;
  FromBinder from_;
  ExpressionBinder::Aliases aliases_;
  Aggregation aggregation_;
  std::vector<WherePart> where_;
  std::vector<parse::ExprPtr> view_conditions_;  // 'where_' refers to their parts
  SubqueryBinder subqueries_;
  const SubqueryWishes* const wishes_;
  std::vector<Correlated> correlated_;
  std::vector<Correlation> correlations_;
  size_t selected_ = 0;
};

}  // namespace

namespace {

struct OneSelect {
  std::unique_ptr<BoundSelect> select = std::make_unique<BoundSelect>();
  std::vector<Correlation> correlations;
  size_t selected = 0;
};

// Binds a SELECT, once for each way to its rows that may be the best.
class ChoosingBinder {
 public:
  ChoosingBinder(const parse::Select& select, const std::vector<parse::OrderItem>& order_by,
                 const BindContext& context, Parameters* parameters, const SubqueryWishes* wishes)
      : select_(select),
        order_by_(order_by),
        context_(context),
        parameters_(parameters),
        wishes_(wishes),
        subqueries_before_(context.subqueries->size()) {}

  Result<OneSelect> Bind() {
    ASSIGN_OR_RETURN(OneSelect best, Choose());
    RETURN_IF_ERROR(best.select->offset_refused);
    return best;
  }

 private:
  Result<OneSelect> Choose() {
    AccessChooser* const chooser = context_.chooser;
    if (chooser == nullptr || context_.as_of != kLatestTimestamp) return BindWith({});
    if (const auto it = chooser->chosen.find(&select_); it != chooser->chosen.end()) {
      return BindWith(it->second);
    }
    ASSIGN_OR_RETURN(OneSelect best, BindWith({}));
    Accesses accesses(best.select->sources.size());
    bool is_last = true;  // 'best' is what was bound last
    for (size_t source = 0; source < accesses.size(); ++source) {
      ASSIGN_OR_RETURN(const Accesses candidates, chooser->CandidatesFor(*best.select, source));
      for (const auto& candidate : candidates) {
        Accesses tried = accesses;
        tried[source] = candidate;
        Result<OneSelect> bound = BindWith(tried);
        is_last = false;
        // What is wrong with the statement was said when it was bound to its tables, but for values
        // of an index's key.
        if (IsSqlError(bound.status(), 2015)) best.select->offset_refused = bound.status();
        if (!bound.ok()) continue;
        ASSIGN_OR_RETURN(const bool possible, chooser->IsPossible(*bound->select, source));
        if (!possible) continue;
        if (!chooser->IsBetter(*bound->select, *best.select, source)) continue;
        accesses = std::move(tried);
        best = std::move(bound).value();
        is_last = true;
      }
    }
    RETURN_IF_ERROR(best.select->offset_refused);
    chooser->chosen[&select_] = accesses;
    // The subqueries are those of what was bound last.
    return is_last ? std::move(best) : BindWith(accesses);
  }

  Result<OneSelect> BindWith(const Accesses& accesses) {
    context_.subqueries->resize(subqueries_before_);
    OneSelect bound;
    SelectBinder binder(context_, parameters_, wishes_, accesses, bound.select.get());
    RETURN_IF_ERROR(binder.Bind(select_, order_by_));
    bound.correlations = binder.TakeCorrelations();
    bound.selected = binder.selected();
    bound.select->limited = select_.limit != nullptr;
    return bound;
  }

  const parse::Select& select_;
  const std::vector<parse::OrderItem>& order_by_;
  const BindContext& context_;
  Parameters* const parameters_;
  const SubqueryWishes* const wishes_;
  const size_t subqueries_before_;
};

}  // namespace

Result<std::unique_ptr<BoundQuery>> BindQuery(const parse::Select& select,
                                              const BindContext& context, Parameters* parameters) {
  ASSIGN_OR_RETURN(SubqueryParts parts,
                   BindSubquery(select, context, SubqueryWishes{}, parameters));
  return std::move(parts.query);
}

Result<SubqueryParts> BindSubquery(const parse::Select& select, const BindContext& context,
                                   const SubqueryWishes& wishes, Parameters* parameters) {
  SubqueryParts parts;
  auto query = std::make_unique<BoundQuery>();
  const bool is_union = !select.union_all.empty();
  {
    ChoosingBinder binder(select, select.order_by, context, parameters,
                          is_union ? nullptr : &wishes);
    ASSIGN_OR_RETURN(OneSelect bound, binder.Bind());
    query->branches.push_back(std::move(*bound.select));
    BoundSelect& first = query->branches.back();
    parts.correlations = std::move(bound.correlations);
    parts.selected = bound.selected;
    parts.marker = first.visible_outputs - 1;
    parts.single_row = first.aggregated && select.group_by.empty();
    parts.plain = !is_union;
    if (is_union) DropBranchOrder(&first);
  }
  for (const std::unique_ptr<parse::Select>& branch : select.union_all) {
    ChoosingBinder binder(*branch, select.order_by, context, parameters, nullptr);
    ASSIGN_OR_RETURN(OneSelect bound, binder.Bind());
    DropBranchOrder(bound.select.get());
    query->branches.push_back(std::move(*bound.select));
  }
  const BoundSelect& first = query->branches[0];
  for (const BoundSelect& branch : query->branches) {
    if (is_union && !branch.shown.empty()) {
      return MakeUncodedSqlError("sequences in a UNION ALL are not supported", select.position);
    }
  }
  const bool sequences = !first.shown.empty();
  const size_t column_count = sequences ? first.shown.size() : first.visible_outputs;
  for (size_t i = 0; i < column_count; ++i) {
    const Output& output = sequences ? first.shown[i] : first.outputs[i];
    query->columns.push_back({nullptr, output.label, output.type, output.nullable, output.origin});
  }
  if (is_union) {
    RETURN_IF_ERROR(UniteTypes(query.get()));
    RETURN_IF_ERROR(BindUnionOrder(select, query.get()));
    NameUnionColumns(select, query.get());
  }
  ASSIGN_OR_RETURN(query->limit, BindCount(select.limit, parameters));
  ASSIGN_OR_RETURN(query->offset, BindCount(select.offset, parameters));
  parts.query = std::move(query);
  return parts;
}

}  // namespace bennu::sql::bind
