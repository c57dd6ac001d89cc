#include "src/sql/plan/short_read.h"

#include <algorithm>
#include <utility>

#include "src/sql/expr/evaluate.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/plan/plan_parts.h"

namespace bennu::sql::plan {
namespace {

// The key of an index may store values in other types than theirs.
bool ConvertsKey(const ScanNode& scan, size_t column) {
  const std::vector<DataType>& values = scan.key_options.value_types;
  return !values.empty() && values[column].id != scan.schema->columns()[column].type.id;
}

bool ConvertsKey(const ScanNode& scan) {
  for (size_t i = 0; i < scan.schema->column_count(); ++i) {
    if (ConvertsKey(scan, i)) return true;
  }
  return false;
}

// A whole number in the key of an index has the bytes of the DECIMAL that is equal to it.
bool IsWholeAsDecimal(const ScanNode& scan, size_t column) {
  return IsIntegral(scan.key_options.value_types[column].id) &&
         scan.schema->columns()[column].type.id == TypeId::kDecimal;
}

// The parts of a query that is Limit? Sort? Project Scan.
class PlainSelect : public DefaultVisitor {
 public:
  static PlainSelect Of(const PlanNode& root) {
    PlainSelect found;
    // Visitors that do not fail.
    if (!root.Accept(&found).ok()) found.scan_ = nullptr;
    return found;
  }

  const ScanNode* scan() const { return scan_; }  // null: it is something else
  const bind::BoundSelect& select() const { return *scan_->select; }
  const LimitNode* limit() const { return limit_; }  // null: none
  // The rows come in the wanted order, if there is one, without being sorted.
  bool in_order() const { return sort_ == nullptr || sort_->scan != nullptr; }

  Status Visit(const LimitNode& node) override {
    if (limit_ != nullptr || sort_ != nullptr || project_ || node.offset != nullptr) {
      return Status::Ok();
    }
    limit_ = &node;
    return node.child->Accept(this);
  }
  Status Visit(const SortNode& node) override {
    if (sort_ != nullptr || project_) return Status::Ok();
    sort_ = &node;
    return node.child->Accept(this);
  }
  Status Visit(const ProjectNode& node) override {
    if (project_) return Status::Ok();
    project_ = true;
    return node.child->Accept(this);
  }
  Status Visit(const ScanNode& node) override {
    const bool plain = project_ && !node.is_segment && !node.skips_offset &&
                       node.select->sources[node.source].sample_percent >= 100 &&
                       (node.indexed == nullptr || node.indexed->key_slot < 0) &&
                       std::none_of(node.columns.begin(), node.columns.end(),
                                    [](const ScanColumn& column) { return column.raw; });
    if (plain) scan_ = &node;
    return Status::Ok();
  }

 private:
  const LimitNode* limit_ = nullptr;
  const SortNode* sort_ = nullptr;
  bool project_ = false;
  const ScanNode* scan_ = nullptr;
};

// The condition "key column op constant or parameter" that the conjunct is; null: it is something
// else, or more than that.
const KeyTerm* TermOf(const bind::BoundSelect& select, const bind::Conjunct& conjunct) {
  if (!conjunct.exact || conjunct.terms.size() != 1) return nullptr;
  const KeyTerm& term = select.terms[0][conjunct.terms[0]];
  if (term.kind != KeyTerm::Kind::kCompare) return nullptr;
  const BoundExpr& operand = *select.operands[term.operands[0]];
  const bool own =
      operand.kind == BoundKind::kParameter && operand.slot < EvalContext::kSubqueryBase;
  return own || operand.kind == BoundKind::kConstant ? &term : nullptr;
}

// Sets the parts that both kinds of nodes have. 'conditions': what the key's columns do not say.
// False: the conditions are too many.
bool Fill(const PlainSelect& plain, std::vector<bind::ExprPtr> conditions, ShortReadNode* node) {
  const bind::BoundSelect& select = plain.select();
  if (!conditions.empty()) {
    Result<bind::ExprPtr> filter = MakeAnd(std::move(conditions));
    if (!filter.ok()) return false;
    node->filter = std::move(filter).value();
  }
  node->select = &select;
  node->scan = plain.scan();
  if (node->scan->merges()) {
    Result<FilterParts> parts = SplitFilter(*node->scan->indexed, node->filter);
    if (!parts.ok()) return false;
    node->index_filter = std::move(parts->before);
    node->filter = std::move(parts->behind);
  }
  // Columns of the key are mostly there for the conditions that became the key.
  std::vector<size_t> slots;
  for (size_t i = 0; i < select.visible_outputs; ++i) {
    CollectSlots(*select.outputs[i].expr, &slots);
  }
  for (const bind::ExprPtr& filter : {node->filter, node->index_filter}) {
    if (filter != nullptr) CollectSlots(*filter, &slots);
  }
  const ScanNode* const scan = plain.scan();
  for (const ScanColumn& column : scan->columns) {
    if (std::find(slots.begin(), slots.end(), column.output) != slots.end()) {
      node->columns.push_back(column);
    }
  }
  return true;
}

std::unique_ptr<PointLookupNode> MatchPoint(const PlainSelect& plain) {
  const ScanNode& scan = *plain.scan();
  if (plain.limit() != nullptr || scan.merges() || ConvertsKey(scan)) return nullptr;
  const bind::BoundSelect& select = plain.select();
  auto node = std::make_unique<PointLookupNode>();
  node->key_operands.assign(plain.scan()->schema->column_count(), nullptr);
  std::vector<bind::ExprPtr> others;
  for (const bind::Conjunct& conjunct : select.where) {
    const KeyTerm* const term = TermOf(select, conjunct);
    if (term != nullptr && term->op == CompareOp::kEqual &&
        node->key_operands[term->column] == nullptr) {
      node->key_operands[term->column] = select.operands[term->operands[0]].get();
    } else {
      others.push_back(conjunct.expr);
    }
  }
  for (const BoundExpr* operand : node->key_operands) {
    if (operand == nullptr) return nullptr;
  }
  return Fill(plain, std::move(others), node.get()) ? std::move(node) : nullptr;
}

// False when it is not a bound of the first column without an equality, or one too many.
bool AddBound(const PlainSelect& plain, const KeyTerm& term, KeyRangeNode* node) {
  if (term.column != node->equal.size()) return false;
  const bool descending = plain.scan()->schema->columns()[term.column].order == SortOrder::kDesc;
  KeyRangeNode::Bound bound{plain.select().operands[term.operands[0]].get(), false};
  bool is_lower = false;
  switch (descending ? Mirror(term.op) : term.op) {
    case CompareOp::kLessOrEqual: bound.inclusive = true; break;
    case CompareOp::kLess: break;
    case CompareOp::kGreaterOrEqual: bound.inclusive = is_lower = true; break;
    case CompareOp::kGreater: is_lower = true; break;
    default: return false;
  }
  return std::exchange(is_lower ? node->lower : node->upper, bound).operand == nullptr;
}

// Other types have rules of their own for what lies between two values.
bool HasPlainBytes(const KeyRangeNode& node) {
  const KeySchema& schema = *node.scan->schema;
  if (node.equal.size() == schema.column_count()) return false;
  for (size_t i = 0; i < node.equal.size(); ++i) {
    if (ConvertsKey(*node.scan, i)) {
      if (!IsWholeAsDecimal(*node.scan, i)) return false;
    } else if (!schema.IsFixed(i) && schema.columns()[i].type.id != TypeId::kVarchar) {
      return false;
    }
  }
  if (node.lower.operand == nullptr && node.upper.operand == nullptr) return true;
  if (ConvertsKey(*node.scan, node.equal.size())) return false;
  const KeyColumn& column = schema.columns()[node.equal.size()];
  if (column.type.id == TypeId::kVarchar) return column.order == SortOrder::kAsc;
  return schema.IsFixed(node.equal.size()) && column.type.id != TypeId::kBinary;
}

std::unique_ptr<KeyRangeNode> MatchRange(const PlainSelect& plain) {
  if (!plain.in_order()) return nullptr;
  const bind::BoundSelect& select = plain.select();
  auto node = std::make_unique<KeyRangeNode>();
  if (plain.limit() != nullptr) {
    node->limit = plain.limit()->limit;
    if (node->limit->kind != BoundKind::kConstant && node->limit->kind != BoundKind::kParameter) {
      return nullptr;
    }
  }
  node->equal.assign(plain.scan()->schema->column_count(), nullptr);
  std::vector<const KeyTerm*> bounds;
  std::vector<bind::ExprPtr> others;
  size_t used = 0;
  for (const bind::Conjunct& conjunct : select.where) {
    const KeyTerm* const term = TermOf(select, conjunct);
    used += term != nullptr;
    if (term == nullptr) {
      others.push_back(conjunct.expr);
    } else if (term->op != CompareOp::kEqual) {
      bounds.push_back(term);
    } else if (std::exchange(node->equal[term->column], select.operands[term->operands[0]].get()) !=
               nullptr) {
      return nullptr;
    }
  }
  // What a condition says of the key in another way is of use to the planner.
  if (used == 0 || used != select.terms[0].size()) return nullptr;
  const auto first_open = std::find(node->equal.begin(), node->equal.end(), nullptr);
  if (std::any_of(first_open, node->equal.end(),
                  [](const auto* operand) { return operand != nullptr; })) {
    return nullptr;
  }
  node->equal.erase(first_open, node->equal.end());
  for (const KeyTerm* term : bounds) {
    if (!AddBound(plain, *term, node.get())) return nullptr;
  }
  if (!Fill(plain, std::move(others), node.get()) || !HasPlainBytes(*node)) return nullptr;
  return node;
}

}  // namespace

PlanNodePtr ChooseShortRead(PlanNodePtr root) {
  const PlainSelect plain = PlainSelect::Of(*root);
  if (plain.scan() == nullptr) return root;
  if (auto point = MatchPoint(plain); point != nullptr) {
    point->otherwise = std::move(root);
    return point;
  }
  if (auto range = MatchRange(plain); range != nullptr) {
    range->otherwise = std::move(root);
    return range;
  }
  return root;
}

}  // namespace bennu::sql::plan
