#include "src/sql/exec/short_query.h"

#include <algorithm>
#include <optional>

#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::exec {

bool IsPlainSelect(const QueryPlan& plan) {
  if (plan.branches().size() != 1 || plan.query().offset != nullptr) return false;
  const SelectPlan& select_plan = *plan.branches()[0];
  const bind::BoundSelect& select = select_plan.select();
  if (select.aggregated || select.distinct || select.never) return false;
  if (select_plan.sources().size() != 1 || select_plan.sources()[0].table == nullptr) return false;
  if (select.segment_start != nullptr || select.segment_stop != nullptr) return false;
  if (!select.offset_key.empty() || select.sources[0].sample_percent < 100) return false;
  // Outputs that are not shown are there for ORDER BY.
  if (select.outputs.size() != select.visible_outputs && !select_plan.key_ordered()) return false;
  if (!select.shown.empty()) return false;
  const std::vector<ScanColumn>& columns = select_plan.sources()[0].columns;
  return std::none_of(columns.begin(), columns.end(),
                      [](const ScanColumn& column) { return column.raw; });
}

const bind::KeyTerm* TermOf(const bind::BoundSelect& select, const bind::Conjunct& conjunct) {
  if (!conjunct.exact || conjunct.terms.size() != 1) return nullptr;
  const bind::KeyTerm& term = select.terms[0][conjunct.terms[0]];
  if (term.kind != bind::KeyTerm::Kind::kCompare) return nullptr;
  const BoundExpr& operand = *select.operands[term.operands[0]];
  const bool own =
      operand.kind == BoundKind::kParameter && operand.slot < EvalContext::kSubqueryBase;
  return own || operand.kind == BoundKind::kConstant ? &term : nullptr;
}

bool EncodeOperand(const Value& value, const KeyColumn& column, Bytes* encoded) {
  encoded->clear();
  // DECIMAL may lose digits to the column's scale. Blanks at the end of text do not count where
  // the column is padded with them.
  const bool same = value.type().id == column.type.id && value.type().id != TypeId::kDecimal;
  const bool text = column.type.id == TypeId::kChar && value.type().id == TypeId::kVarchar;
  if (same || text) return Encode(value, column.type, column.order, encoded).ok();
  if (const std::optional<int64_t> millis = SameMillis(value, column.type)) {
    return Encode(Value::Int(column.type, *millis), column.type, column.order, encoded).ok();
  }
  const Result<Value> coerced = Coerce(value, column.type);
  if (!coerced.ok()) return false;
  const Result<int> order = CompareValues(*coerced, value);
  if (!order.ok() || *order != 0) return false;
  return Encode(*coerced, column.type, column.order, encoded).ok();
}

std::vector<ScanColumn> ColumnsRead(const SelectPlan& plan, const BoundExpr* filter) {
  std::vector<size_t> slots;
  for (size_t i = 0; i < plan.select().visible_outputs; ++i) {
    CollectSlots(*plan.select().outputs[i].expr, &slots);
  }
  if (filter != nullptr) CollectSlots(*filter, &slots);
  std::vector<ScanColumn> columns;
  for (const ScanColumn& column : plan.sources()[0].columns) {
    if (std::find(slots.begin(), slots.end(), column.output) != slots.end()) {
      columns.push_back(column);
    }
  }
  return columns;
}

}  // namespace bennu::sql::exec
