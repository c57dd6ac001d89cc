#include "src/sql/exec/select_plan.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/group_keys.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/plan_parts.h"
#include "src/sql/exec/sort.h"
#include "src/sql/functions/make_expr.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

// A column's DEFAULT as a value of its type. A DECIMAL keeps digits behind the column's scale, as
// in Phoenix.
Result<Value> DefaultOf(const catalog::ColumnMeta& column, const PrepareContext& context) {
  ASSIGN_OR_RETURN(const parse::ExprPtr tree, parse::ParseExpression(column.default_text));
  bind::Parameters no_parameters;
  no_parameters.now_millis = context.now_millis;
  bind::ExpressionBinder binder(nullptr, &no_parameters);
  ASSIGN_OR_RETURN(bind::ExprPtr expr, binder.Bind(*tree, bind::ExpressionBinder::Place::kSelect));
  DataType type = column.type;
  if (type.id == TypeId::kDecimal) type = {TypeId::kDecimal};
  ASSIGN_OR_RETURN(expr, MakeCoerce(std::move(expr), type, column.name));
  EvalContext eval({}, context.now_millis);
  return EvaluateConstant(*expr, &eval);
}

bool IsKnown(const bind::Expr& expr, const ExecContext& context) {
  if (expr.kind == BoundKind::kParameter && expr.slot >= EvalContext::kSubqueryBase) {
    return expr.slot - EvalContext::kSubqueryBase < context.subquery_values().size();
  }
  return std::all_of(expr.children.begin(), expr.children.end(),
                     [&](const bind::ExprPtr& child) { return IsKnown(*child, context); });
}

bool IsKnown(const bind::KeyTerm& term, const std::vector<bind::ExprPtr>& operands,
             const ExecContext& context) {
  return std::all_of(term.operands.begin(), term.operands.end(),
                     [&](uint32_t operand) { return IsKnown(*operands[operand], context); }) &&
         std::all_of(term.children.begin(), term.children.end(),
                     [&](const bind::KeyTerm& child) { return IsKnown(child, operands, context); });
}

}  // namespace

Input WrapInput(Input input, Wrap wrap) {
  if (input.parallel != nullptr) {
    return {nullptr, WrapMorsels(std::move(input.parallel), std::move(wrap))};
  }
  return {wrap(std::move(input.serial)), nullptr};
}

Result<std::unique_ptr<SelectPlan>> SelectPlan::Make(bind::BoundSelect select,
                                                     const PrepareContext& context) {
  std::unique_ptr<SelectPlan> plan(new SelectPlan(std::move(select)));
  plan->sources_.resize(plan->select_.sources.size());
  for (size_t i = 0; i < plan->sources_.size(); ++i) {
    RETURN_IF_ERROR(plan->PrepareSource(i, context));
  }
  std::vector<bind::ExprPtr> late;
  for (const bind::Conjunct& conjunct : plan->select_.where) {
    if (conjunct.source < 0) {
      late.push_back(conjunct.expr);
    } else {
      plan->sources_[conjunct.source].conditions.push_back(&conjunct);
    }
  }
  for (size_t i = 0; i < plan->sources_.size(); ++i) {
    SourcePlan& source = plan->sources_[i];
    if (source.table != nullptr) source.guide_posts = plan->GuidePostsOf(i, context);
  }
  ASSIGN_OR_RETURN(plan->late_filter_, AllOf(std::move(late)));
  ASSIGN_OR_RETURN(plan->having_, AllOf(plan->select_.having));
  plan->MatchKeyOrder();
  plan->group_order_ = bind::OrderOfGroups(plan->select_, plan->Groups());
  plan->PrepareAggregates();
  if (!plan->select_.offset_key.empty() && plan->Sorts()) {
    return MakeSqlError(2014, "", -1, "order the rows by the primary key");
  }
  plan->takes_first_groups_ = plan->TakesFirstGroups();
  return plan;
}

// Those of the family that conditions are about, if they are about one other than the first.
std::shared_ptr<catalog::LazyGuidePosts> SelectPlan::GuidePostsOf(
    size_t index, const PrepareContext& context) const {
  const catalog::TableMeta& table = *select_.sources[index].table;
  const auto use = table.other_properties.find("USE_STATS_FOR_PARALLELIZATION");
  if (table.is_system() || (use != table.other_properties.end() && use->second == "false")) {
    return nullptr;
  }
  std::string family;
  for (const bind::Conjunct* condition : sources_[index].conditions) {
    std::vector<size_t> slots;
    CollectSlots(*condition->expr, &slots);
    for (size_t number : slots) {
      const bind::Slot& slot = select_.slots[number];
      if (slot.source != index || bind::Scope::IsPseudoColumn(slot.column)) continue;
      const std::string& read = table.columns[slot.column].family;
      if (!read.empty() && (family.empty() || read == table.empty_family)) family = read;
    }
  }
  if (family.empty()) family = table.empty_family;
  return std::make_shared<catalog::LazyGuidePosts>(context.connection, table.physical, family);
}

Status SelectPlan::PrepareSource(size_t index, const PrepareContext& context) {
  SourcePlan& source = sources_[index];
  const bind::Source& bound = select_.sources[index];
  if (bound.table == nullptr) {
    ASSIGN_OR_RETURN(source.derived,
                     QueryPlan::Make(std::move(select_.derived[bound.derived_query]), context));
    source.derived_slots = bound.slot_of_column;
    return Status::Ok();
  }
  source.table = bound.table;
  // Shares the table's life: the schema is a part of it.
  source.schema = std::shared_ptr<const KeySchema>(bound.table, &bound.table->key_schema);
  ASSIGN_OR_RETURN(source.data, context.connection->OpenTable(bound.table->physical));
  for (uint32_t slot = 0; slot < select_.slots.size(); ++slot) {
    if (select_.slots[slot].source != index) continue;
    ASSIGN_OR_RETURN(ScanColumn column, MakeScanColumn(source, slot, context));
    source.columns.push_back(std::move(column));
  }
  source.key_options.skip_scan_hint = HasHint(select_, "SKIP_SCAN");
  source.key_options.range_scan_hint = HasHint(select_, "RANGE_SCAN");
  return Status::Ok();
}

Result<ScanColumn> SelectPlan::MakeScanColumn(const SourcePlan& source, uint32_t number,
                                              const PrepareContext& context) const {
  const bind::Slot& slot = select_.slots[number];
  const catalog::TableMeta& table = *source.table;
  ScanColumn result;
  result.output = number;
  result.type = slot.type;
  switch (slot.column) {
    case bind::Scope::kRowTimestampColumn:
      result.source = ScanColumn::Source::kTimestamp;
      result.family = table.empty_family;
      result.qualifier = table.empty_qualifier;
      return result;
    case bind::Scope::kRowKeyColumn: result.source = ScanColumn::Source::kRowKey; return result;
    case bind::Scope::kRowSizeColumn: result.source = ScanColumn::Source::kRowSize; return result;
    case bind::Scope::kRawRowSizeColumn:
      result.source = ScanColumn::Source::kRowSize;
      result.raw = true;
      return result;
    default: break;
  }
  const catalog::ColumnMeta& column = table.columns[slot.column];
  if (column.is_key()) {
    result.source = ScanColumn::Source::kKey;
    result.key_column = static_cast<uint32_t>(column.key_position);
    result.order = column.sort_order;
    return result;
  }
  result.family = column.family;
  if (table.single_cell() && !column.dynamic) {
    result.source = ScanColumn::Source::kElement;
    result.qualifier = Bytes(catalog::kSingleCellQualifier);
    result.element = catalog::TableMeta::ArrayElementIndex(column);
  } else {
    result.source = ScanColumn::Source::kCell;
    result.qualifier = column.qualifier;
  }
  if (!column.default_text.empty()) {
    ASSIGN_OR_RETURN(Value value, DefaultOf(column, context));
    if (!value.is_null()) result.default_value = std::move(value);
  }
  return result;
}

// ORDER BY over the key's columns, from the first on, all in the key's direction or all against it.
// Columns that are held to one value may be left out.
void SelectPlan::MatchKeyOrder() {
  if (select_.order.empty() || select_.aggregated || select_.distinct) return;
  // Joins with subqueries of conditions keep the order.
  const bool single =
      std::all_of(select_.sources.begin() + (sources_.empty() ? 0 : 1), select_.sources.end(),
                  [](const bind::Source& other) { return other.hidden; });
  const bool merged = select_.from != nullptr && Merges(*select_.from);
  if (sources_.empty() || !single || merged || sources_[0].table == nullptr) return;
  const catalog::TableMeta& table = *sources_[0].table;
  std::optional<bool> reversed;
  bool exact = true;  // equal so far means equal columns of the key
  uint32_t next = 0;
  for (const bind::OrderField& field : select_.order) {
    const bind::Expr& expr = *select_.outputs[field.output].expr;
    const std::optional<bind::KeyOrder> of_key = bind::KeyOrderOf(select_, expr);
    if (!of_key.has_value()) return;
    const uint32_t key_column = of_key->key_column;
    if (bind::IsHeld(select_, key_column)) continue;
    while (next < key_column && bind::IsHeld(select_, next)) ++next;
    if (key_column < next && exact) continue;  // ordered already
    if (key_column != next || !exact) return;
    const bool against = field.descending != of_key->descending;
    if (reversed.has_value() && *reversed != against) return;
    // NULL is the lowest key in both directions.
    const bool nullable = table.key_column(key_column).nullable || bind::MayBeNull(expr);
    if (nullable && field.nulls_last != against) return;
    exact = of_key->exact;
    reversed = against;
    ++next;
  }
  if (reversed.value_or(false) && HasHint(select_, "FORWARD_SCAN")) return;
  key_ordered_ = true;
  key_reversed_ = reversed.value_or(false);
}

void SelectPlan::PrepareAggregates() {
  // The answers of one aggregate depend on the order of the groups.
  const bool ordered_groups =
      std::any_of(select_.aggregates.begin(), select_.aggregates.end(),
                  [](const bind::AggregatePtr& aggregate) {
                    return aggregate->kind == AggregateKind::kApproxCountDistinct;
                  });
  const bool sorted_later = !select_.order.empty() && !ordered_groups;
  if (select_.aggregated) {
    aggregate_.groups = select_.groups;
    aggregate_.aggregates = select_.aggregates;
    aggregate_.single_row = select_.groups.empty();
    if (!sorted_later) {
      for (uint32_t i : group_order_) {
        aggregate_.order.push_back({i, IsDescending(*select_.groups[i]), false});
      }
    }
  }
  if (select_.distinct) {
    for (uint32_t i = 0; i < select_.visible_outputs; ++i) {
      const bind::Output& output = select_.outputs[i];
      distinct_.groups.push_back(MakeSlot(i, output.type, output.label));
    }
    if (!sorted_later && select_.aggregated) {
      // Of groups that are distinct once more the order is that of what is shown.
      for (uint32_t i = 0; i < select_.visible_outputs; ++i) {
        distinct_.order.push_back({i, false, false});
      }
    } else if (!sorted_later) {
      for (uint32_t i : group_order_) distinct_.order.push_back({i, false, false});
    }
  }
}

std::vector<bind::ExprPtr> SelectPlan::Groups() const {
  if (select_.aggregated) return select_.groups;
  return bind::GroupsOf(select_);
}

bool SelectPlan::IsDescending(const bind::Expr& group) const {
  if (group.kind == BoundKind::kSlot) return select_.slots[group.slot].order == SortOrder::kDesc;
  const std::optional<bind::KeyOrder> of_key = bind::KeyOrderOf(select_, group);
  return of_key.has_value() && of_key->descending && bind::GroupsByKey(select_, Groups());
}

bool SelectPlan::OrdersByGroups(bool* reversed) const {
  std::optional<bool> against;
  for (uint32_t i = 0; i < select_.order.size(); ++i) {
    const bind::OrderField& field = select_.order[i];
    const bind::Expr& output = *select_.outputs[field.output].expr;
    if (select_.aggregated && output.kind != BoundKind::kSlot) return false;
    const size_t group = select_.aggregated ? output.slot : field.output;
    if (i >= group_order_.size() || group != group_order_[i]) return false;
    const bind::Expr& expr = select_.aggregated ? *select_.groups[group] : output;
    const bool this_against = field.descending != IsDescending(expr);
    if (against.has_value() && *against != this_against) return false;
    against = this_against;
    // NULL is the lowest in both directions.
    if (bind::MayBeNull(expr) && field.nulls_last != this_against) return false;
  }
  *reversed = against.value_or(false);
  return true;
}

// Whether reading may stop once there are as many groups as LIMIT asks for: where they come in the
// order that is asked for, or in any if none is. Groups by the first columns of the key come in
// their order.
bool SelectPlan::TakesFirstGroups() const {
  if (select_.aggregated == select_.distinct || !select_.aggregates.empty()) return false;
  if (!select_.having.empty() || (select_.aggregated && select_.groups.empty())) return false;
  bool reversed = false;
  if (!OrdersByGroups(&reversed)) return false;
  if (select_.order.empty()) return true;
  const bool scans_table = sources_.size() == 1 && sources_[0].table != nullptr;
  return !reversed && scans_table && bind::GroupsByKey(select_, Groups());
}

Result<SourceRun> SelectPlan::PlanSource(ExecContext* context, size_t index,
                                         const ScanWishes& wishes) const {
  const SourcePlan& source = sources_[index];
  SourceRun run;
  Evaluator evaluator(context);
  std::vector<Value> more;  // operands behind those of the query
  const plan::OperandValues values = [&](uint32_t operand) -> Result<Value> {
    const size_t own = select_.operands.size();
    if (operand >= own) return more[operand - own];
    return evaluator.Constant(*select_.operands[operand]);
  };
  // EXPLAIN does not know what subqueries give.
  const std::vector<bind::KeyTerm>& all_terms = select_.terms[index];
  std::vector<bind::KeyTerm> terms;
  std::vector<bool> known(all_terms.size());
  for (size_t i = 0; i < all_terms.size(); ++i) {
    known[i] = IsKnown(all_terms[i], select_.operands, *context);
    if (known[i]) terms.push_back(all_terms[i]);
  }
  for (const std::shared_ptr<const JoinKeyValues>& join : wishes.join_keys) {
    if (join->source != index) continue;
    bind::KeyTerm term;
    term.kind = bind::KeyTerm::Kind::kIn;
    for (const Value& value : join->values) {
      term.operands.push_back(static_cast<uint32_t>(select_.operands.size() + more.size()));
      more.push_back(value);
    }
    terms.push_back(std::move(term));
  }
  ASSIGN_OR_RETURN(run.keys, plan::PlanKeyTerms(source.schema, terms, values, source.key_options));
  if (index == 0) RETURN_IF_ERROR(CutToSegment(context, &run.keys.scan));
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]) continue;
    const auto place = static_cast<ptrdiff_t>(i);
    run.keys.absorbed.insert(run.keys.absorbed.begin() + place, false);
    run.keys.skipped.insert(run.keys.skipped.begin() + place, false);
  }
  const auto without = [&](const std::vector<bool>& decided, bool with_unknown) {
    std::vector<bind::ExprPtr> left;
    for (const bind::Conjunct* condition : source.conditions) {
      if (!with_unknown && !IsKnown(*condition->expr, *context)) continue;
      const bool out = condition->exact && !condition->terms.empty() &&
                       std::all_of(condition->terms.begin(), condition->terms.end(),
                                   [&](uint32_t term) { return decided[term]; });
      if (!out) left.push_back(condition->expr);
    }
    return AllOf(std::move(left));
  };
  ASSIGN_OR_RETURN(run.filter, without(run.keys.absorbed, true));
  run.shown_filter = run.filter;
  const bool all_known = std::all_of(
      source.conditions.begin(), source.conditions.end(),
      [&](const bind::Conjunct* condition) { return IsKnown(*condition->expr, *context); });
  if (run.keys.skipped != run.keys.absorbed || !all_known) {
    ASSIGN_OR_RETURN(run.shown_filter, without(run.keys.skipped, false));
  }
  run.spec = std::make_shared<TableScanSpec>();
  run.spec->table = source.table;
  run.spec->data = source.data;
  run.spec->columns = source.columns;
  run.spec->slot_count = select_.slots.size();
  run.spec->keys = run.keys.scan;
  run.spec->sample_percent = select_.sources[index].sample_percent;
  run.spec->cache_blocks = !HasHint(select_, "NO_CACHE");
  run.spec->guide_posts = source.guide_posts;
  return run;
}

Status SelectPlan::CutToSegment(ExecContext* context, KeyScan* keys) const {
  if (select_.segment_start == nullptr && select_.segment_stop == nullptr) return Status::Ok();
  Evaluator evaluator(context);
  const auto bound = [&](const bind::ExprPtr& expr) -> Result<Bytes> {
    if (expr == nullptr) return Bytes();
    ASSIGN_OR_RETURN(const Value value, evaluator.Constant(*expr));
    return value.is_null() ? Bytes() : Bytes(value.bytes());
  };
  ASSIGN_OR_RETURN(const Bytes start, bound(select_.segment_start));
  ASSIGN_OR_RETURN(const Bytes stop, bound(select_.segment_stop));
  if (start.empty() && stop.empty()) return Status::Ok();
  const auto is_outside = [&](const Bytes& row) {
    return row < start || (!stop.empty() && row >= stop);
  };
  std::erase_if(keys->points, is_outside);
  std::vector<RowRange> ranges;
  for (RowRange range : keys->ranges) {
    if (range.start < start) {
      range.start = start;
      range.start_inclusive = true;
    }
    if (!stop.empty() && (range.stop.empty() || range.stop >= stop)) {
      range.stop = stop;
      range.stop_inclusive = false;
    }
    if (range.stop.empty() || range.start < range.stop) ranges.push_back(std::move(range));
  }
  keys->ranges = std::move(ranges);
  if (keys->kind == KeyScan::Kind::kFull) keys->kind = KeyScan::Kind::kRange;
  if (keys->points.empty() && keys->ranges.empty()) keys->kind = KeyScan::Kind::kDegenerate;
  return Status::Ok();
}

// Leaves out what comes before the key of OFFSET, and its row.
Status SelectPlan::BeginBehindOffset(ExecContext* context, bool reversed,
                                     TableScanSpec* spec) const {
  Evaluator evaluator(context);
  std::vector<Value> values;
  for (const bind::ExprPtr& expr : select_.offset_key) {
    ASSIGN_OR_RETURN(Value value, evaluator.Constant(*expr));
    values.push_back(std::move(value));
  }
  ASSIGN_OR_RETURN(Bytes key, spec->table->key_schema.EncodeKey(values));
  const size_t prefix = spec->table->key_schema.prefix_size();
  KeyScan& keys = spec->keys;
  const auto is_before = [&](const Bytes& row) {
    const int order = ByteView(row).substr(prefix).compare(ByteView(key).substr(prefix));
    return reversed ? order >= 0 : order <= 0;
  };
  keys.points.erase(std::remove_if(keys.points.begin(), keys.points.end(), is_before),
                    keys.points.end());
  std::vector<RowRange> ranges;
  for (RowRange range : keys.ranges) {
    // Each bucket of a salted table begins behind the key as it would be there.
    if (prefix > 0) key[0] = range.start.empty() ? '\0' : range.start[0];
    if (reversed) {
      if (range.stop.empty() || range.stop >= key) {
        range.stop = key;
        range.stop_inclusive = false;
      }
    } else if (range.start <= key) {
      range.start = key;
      range.start_inclusive = false;
    }
    const bool empty = !range.stop.empty() && range.start >= range.stop;
    if (!empty) ranges.push_back(std::move(range));
  }
  keys.ranges = std::move(ranges);
  const bool points = keys.kind == KeyScan::Kind::kPoints;
  if (points ? keys.points.empty() : keys.ranges.empty()) keys.kind = KeyScan::Kind::kDegenerate;
  return Status::Ok();
}

Result<Input> SelectPlan::OpenSource(ExecContext* context, size_t index,
                                     const ScanWishes& wishes) const {
  const SourcePlan& source = sources_[index];
  Input input;
  bind::ExprPtr filter;
  if (source.derived != nullptr) {
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> rows, source.derived->Open(context));
    input.serial = MakeRemap(std::move(rows), source.derived_slots, select_.slots.size());
    std::vector<bind::ExprPtr> conditions;
    for (const bind::Conjunct* condition : source.conditions) {
      conditions.push_back(condition->expr);
    }
    ASSIGN_OR_RETURN(filter, AllOf(std::move(conditions)));
  } else {
    ASSIGN_OR_RETURN(SourceRun run, PlanSource(context, index, wishes));
    filter = run.filter;
    run.spec->step = context->StepOf(&source, StepKind::kScan);
    if (run.spec->step != nullptr && !wishes.join_keys.empty()) {
      run.spec->step->SetJoinKeys(run.keys.scan.points.size(), run.keys.scan.ranges.size());
    }
    run.spec->ordered = wishes.ordered;
    run.spec->reversed = wishes.reversed;
    if (wishes.reversed && run.spec->keys.navigator != nullptr) {
      // Jumps go forward only: read the ranges and check every row.
      run.spec->keys.navigator = nullptr;
      std::vector<bind::ExprPtr> all;
      for (const bind::Conjunct* condition : source.conditions) all.push_back(condition->expr);
      ASSIGN_OR_RETURN(filter, AllOf(std::move(all)));
    }
    if (!select_.offset_key.empty()) {
      RETURN_IF_ERROR(BeginBehindOffset(context, wishes.reversed, run.spec.get()));
    }
    const bool counts = filter == nullptr && run.spec->sample_percent >= 100;
    if (counts && wishes.row_limit >= 0) run.spec->row_limit = wishes.row_limit;
    if (wishes.morsels) {
      ASSIGN_OR_RETURN(input.parallel, SplitTableScan(context, run.spec, context->worker_count()));
    }
    if (input.parallel == nullptr) {
      ASSIGN_OR_RETURN(input.serial, OpenTableScan(context, run.spec));
    }
    input = MeasureInput(context, std::move(input), &source, StepKind::kScan);
  }
  if (filter == nullptr) return input;
  input = WrapInput(std::move(input), [context, filter](std::unique_ptr<Operator> child) {
    return MakeFilter(context, std::move(child), filter);
  });
  return MeasureInput(context, std::move(input), &source, StepKind::kFilter);
}

// What the aggregation, or the projection, reads.
Result<Input> SelectPlan::OpenRows(ExecContext* context, int64_t row_limit) const {
  Input input;
  if (select_.never) {
    input.serial = MakeEmpty();
    return input;
  }
  if (select_.from == nullptr) {
    input.serial = MakeSingleRow();
    return input;
  }
  const bool collects = select_.aggregated || select_.distinct || Sorts();
  ScanWishes wishes;
  const bool first_groups = takes_first_groups_ && row_limit >= 0;
  // Which of equal rows is the first depends on the order in which they come.
  const bool in_order = std::any_of(
      select_.aggregates.begin(), select_.aggregates.end(), [](const bind::AggregatePtr& call) {
        return call->kind == AggregateKind::kFirstValue ||
               call->kind == AggregateKind::kLastValue || call->kind == AggregateKind::kNthValue ||
               call->kind == AggregateKind::kFirstValues ||
               call->kind == AggregateKind::kLastValues;
      });
  wishes.morsels = collects && !first_groups && !in_order && !HasHint(select_, "SERIAL");
  wishes.ordered = key_ordered_ || first_groups;
  wishes.reversed = key_reversed_;
  if (!collects && late_filter_ == nullptr) wishes.row_limit = row_limit;
  ASSIGN_OR_RETURN(input, OpenFrom(context, *select_.from, wishes));
  if (late_filter_ == nullptr) return input;
  input = WrapInput(std::move(input),
                    [context, filter = late_filter_](std::unique_ptr<Operator> child) {
                      return MakeFilter(context, std::move(child), filter);
                    });
  return MeasureInput(context, std::move(input), this, StepKind::kLateFilter);
}

Result<std::unique_ptr<Operator>> SelectPlan::Open(ExecContext* context, int64_t row_limit) const {
  ASSIGN_OR_RETURN(Input input, OpenRows(context, row_limit));
  const size_t max_groups =
      takes_first_groups_ && row_limit >= 0 ? static_cast<size_t>(row_limit) : kAllGroups;
  if (select_.aggregated) {
    std::unique_ptr<Operator> groups = MakeHashAggregate(
        context, std::move(input.serial), std::move(input.parallel), &aggregate_, max_groups);
    groups = Measure(std::move(groups), context->StepOf(this, StepKind::kGroups));
    if (having_ != nullptr) {
      groups = Measure(MakeFilter(context, std::move(groups), having_),
                       context->StepOf(this, StepKind::kHaving));
    }
    input = {std::move(groups), nullptr};
  }
  std::vector<bind::ExprPtr> expressions;
  for (const bind::Output& output : select_.outputs) expressions.push_back(output.expr);
  input = WrapInput(std::move(input), [context, expressions](std::unique_ptr<Operator> child) {
    return MakeProject(context, std::move(child), expressions);
  });
  if (select_.distinct) {
    input = {MakeHashAggregate(context, std::move(input.serial), std::move(input.parallel),
                               &distinct_, max_groups),
             nullptr};
    input = MeasureInput(context, std::move(input), this, StepKind::kDistinct);
  }
  if (Sorts()) {
    input = {MakeSort(context, std::move(input.serial), std::move(input.parallel),
                      FieldsOf(select_.order), TypesOf(select_.outputs), SortLimit(row_limit)),
             nullptr};
    input = MeasureInput(context, std::move(input), this, StepKind::kSort);
  }
  if (select_.outputs.size() > select_.visible_outputs) {
    return MakePrefix(std::move(input.serial), select_.visible_outputs);
  }
  return std::move(input.serial);
}

}  // namespace bennu::sql::exec
