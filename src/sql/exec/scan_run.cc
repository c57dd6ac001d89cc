#include "src/sql/exec/scan_run.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/remote_filter.h"
#include "src/sql/plan/plan_parts.h"
#include "src/sql/types/index_key_value.h"

namespace bennu::sql::exec {
namespace {

using plan::KeyDirection;
using plan::ScanNode;

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

// Leaves out what SCAN_START_KEY() and SCAN_END_KEY() do.
Status CutToSegment(ExecContext* context, const bind::BoundSelect& select, KeyScan* keys) {
  Evaluator evaluator(context);
  const auto bound = [&](const bind::ExprPtr& expr) -> Result<Bytes> {
    if (expr == nullptr) return Bytes();
    ASSIGN_OR_RETURN(const Value value, evaluator.Constant(*expr));
    return value.is_null() ? Bytes() : Bytes(value.bytes());
  };
  ASSIGN_OR_RETURN(const Bytes start, bound(select.segment_start));
  ASSIGN_OR_RETURN(const Bytes stop, bound(select.segment_stop));
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

// Conditions of which the terms that 'decided' marks leave something to check. EXPLAIN does not
// know what subqueries give: without 'with_unknown' conditions on their values are left out.
Result<bind::ExprPtr> Without(ExecContext* context, const ScanNode& node,
                              const std::vector<bool>& decided, bool with_unknown) {
  std::vector<bind::ExprPtr> left;
  for (const bind::Conjunct* condition : node.conditions) {
    if (!with_unknown && !IsKnown(*condition->expr, *context)) continue;
    const bool out = condition->exact && !condition->terms.empty() &&
                     std::all_of(condition->terms.begin(), condition->terms.end(),
                                 [&](uint32_t term) { return decided[term]; });
    if (!out) left.push_back(condition->expr);
  }
  return plan::AllOf(std::move(left));
}

Status PlanKeys(ExecContext* context, const ScanNode& node,
                const std::vector<std::shared_ptr<const JoinKeyValues>>& join_keys,
                plan::KeyTermPlan* keys) {
  const bind::BoundSelect& select = *node.select;
  Evaluator evaluator(context);
  std::vector<Value> more;  // operands behind those of the query
  const plan::OperandValues values = [&](uint32_t operand) -> Result<Value> {
    const size_t own = select.operands.size();
    if (operand >= own) return more[operand - own];
    return evaluator.Constant(*select.operands[operand]);
  };
  const std::vector<bind::KeyTerm>& all_terms = select.terms[node.source];
  std::vector<bind::KeyTerm> terms;
  std::vector<bool> known(all_terms.size());
  for (size_t i = 0; i < all_terms.size(); ++i) {
    known[i] = IsKnown(all_terms[i], select.operands, *context);
    if (known[i]) terms.push_back(all_terms[i]);
  }
  for (const std::shared_ptr<const JoinKeyValues>& join : join_keys) {
    if (join->source != node.source) continue;
    bind::KeyTerm term;
    term.kind = bind::KeyTerm::Kind::kIn;
    for (const Value& value : join->values) {
      term.operands.push_back(static_cast<uint32_t>(select.operands.size() + more.size()));
      more.push_back(value);
    }
    terms.push_back(std::move(term));
  }
  ASSIGN_OR_RETURN(*keys, plan::PlanKeyTerms(node.schema, terms, values, node.key_options));
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]) continue;
    const auto place = static_cast<ptrdiff_t>(i);
    keys->absorbed.insert(keys->absorbed.begin() + place, false);
    keys->skipped.insert(keys->skipped.begin() + place, false);
  }
  return node.is_segment ? CutToSegment(context, select, &keys->scan) : Status::Ok();
}

// Has the servers leave out what they can.
Status CarryConditions(ExecContext* context, const ScanNode& node, ScanRun* run) {
  run->spec->remote = true;
  RemoteFilter made;
  // As of an earlier moment servers see cells that have been deleted by then, or written over.
  const bool past = context->options().time_range.markers_max != kLatestTimestamp;
  if (!past) {
    // A scan backwards cannot jump, and keys of a local index have their region before them.
    const bool whole_keys = !run->spec->reversed && !node.table->is_local_index();
    ASSIGN_OR_RETURN(made, MakeRemoteFilter(context, node.columns,
                                            whole_keys ? node.schema.get() : nullptr, run->filter));
  } else if (run->filter != nullptr) {
    made.left_out.push_back(run->filter);
  }
  FilterPtr rows;
  if (run->keys.scan.kind == KeyScan::Kind::kSkip && !run->spec->reversed &&
      !node.table->is_local_index()) {
    rows = MakeSlotFilter(*node.schema, run->keys.slots);
  }
  run->spec->filter = BothFilters(std::move(rows), std::move(made.filter));
  run->shown_carried = std::move(made.carried);
  run->shown_left = std::move(made.left_out);
  return Status::Ok();
}

}  // namespace

Result<ScanRun> PlanScanRun(ExecContext* context, const ScanNode& node,
                            const std::vector<std::shared_ptr<const JoinKeyValues>>& join_keys) {
  ScanRun run;
  RETURN_IF_ERROR(PlanKeys(context, node, join_keys, &run.keys));
  ASSIGN_OR_RETURN(run.filter, Without(context, node, run.keys.absorbed, true));
  run.shown_filter = run.filter;
  const bool all_known = std::all_of(
      node.conditions.begin(), node.conditions.end(),
      [&](const bind::Conjunct* condition) { return IsKnown(*condition->expr, *context); });
  if (run.keys.skipped != run.keys.absorbed || !all_known) {
    ASSIGN_OR_RETURN(run.shown_filter, Without(context, node, run.keys.skipped, false));
  }
  const KeyScan& scan = run.keys.scan;
  run.skips = scan.kind == KeyScan::Kind::kSkip || scan.points.size() > 1;
  run.in_order = node.direction == KeyDirection::kForward ||
                 (node.direction == KeyDirection::kBackward && !run.skips);
  run.spec = std::make_shared<TableScanSpec>();
  run.spec->table = node.table;
  run.spec->data = node.data;
  run.spec->columns = node.columns;
  run.spec->slot_count = node.select->slots.size();
  run.spec->keys = scan;
  run.spec->ordered = node.direction != KeyDirection::kAny;
  run.spec->reversed = node.direction == KeyDirection::kBackward;
  run.spec->sample_percent = node.select->sources[node.source].sample_percent;
  run.spec->cache_blocks = node.cache_blocks;
  if (node.indexed != nullptr && node.indexed->has_marks) run.spec->verified_by = node.indexed;
  run.spec->guide_posts = node.guide_posts;
  if (context->connection()->capabilities().remote) {
    RETURN_IF_ERROR(CarryConditions(context, node, &run));
  }
  return run;
}

Status BeginBehindOffset(ExecContext* context, const ScanNode& node, TableScanSpec* spec) {
  const bool reversed = node.direction == KeyDirection::kBackward;
  Evaluator evaluator(context);
  std::vector<Value> values;
  const bind::Source& source = node.select->sources[node.source];
  for (const bind::ExprPtr& expr : node.select->offset_key) {
    ASSIGN_OR_RETURN(Value value, evaluator.Constant(*expr));
    const auto column = static_cast<uint32_t>(values.size());
    const DataType& type = source.KeyType(column);
    const DataType& stored = source.read().key_column(column).type;
    if (type.id != stored.id) {
      ASSIGN_OR_RETURN(value, ToIndexKeyValue(value, type, stored));
    }
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

}  // namespace bennu::sql::exec
