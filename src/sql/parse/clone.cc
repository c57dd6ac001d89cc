// Copies of syntax trees.
//
// Each function binds every member of its struct to a name: when a member is added, it does not
// compile until the new one is copied, too.
#include <utility>

#include "src/sql/parse/ast.h"
#include "src/sql/parse/expression.h"

namespace bennu::sql::parse {
namespace {

template <typename Node>
std::unique_ptr<Node> CloneNode(const std::unique_ptr<Node>& node) {
  return node == nullptr ? nullptr : std::make_unique<Node>(node->Clone());
}

ExprPtr CloneNode(const ExprPtr& expr) { return expr == nullptr ? nullptr : expr->Clone(); }

template <typename Struct>
std::vector<Struct> CloneAll(const std::vector<Struct>& structs) {
  std::vector<Struct> copies;
  copies.reserve(structs.size());
  for (const Struct& one : structs) copies.push_back(one.Clone());
  return copies;
}

template <typename Node>
std::vector<std::unique_ptr<Node>> CloneAll(const std::vector<std::unique_ptr<Node>>& nodes) {
  std::vector<std::unique_ptr<Node>> copies;
  copies.reserve(nodes.size());
  for (const std::unique_ptr<Node>& node : nodes) copies.push_back(CloneNode(node));
  return copies;
}

}  // namespace

ExprPtr Expr::Clone() const {
  const auto& [kind_, position_, end_, height_, children_, literal_, text_, type_name_, bind_index_,
               schema_, table_, column_, function_name_, distinct_, star_argument_, within_group_,
               within_group_order_, within_group_ascending_, has_operand_, has_else_, cast_type_,
               negated_, case_insensitive_, compare_, quantifier_, subquery_, sequence_op_,
               sequence_] = *this;
  auto copy = std::make_unique<Expr>(kind_, position_);
  copy->end = end_;
  copy->height = height_;
  copy->children = CloneAll(children_);
  copy->literal = literal_;
  copy->text = text_;
  copy->type_name = type_name_;
  copy->bind_index = bind_index_;
  copy->schema = schema_;
  copy->table = table_;
  copy->column = column_;
  copy->function_name = function_name_;
  copy->distinct = distinct_;
  copy->star_argument = star_argument_;
  copy->within_group = within_group_;
  copy->within_group_order = CloneAll(within_group_order_);
  copy->within_group_ascending = within_group_ascending_;
  copy->has_operand = has_operand_;
  copy->has_else = has_else_;
  copy->cast_type = cast_type_;
  copy->negated = negated_;
  copy->case_insensitive = case_insensitive_;
  copy->compare = compare_;
  copy->quantifier = quantifier_;
  copy->subquery = CloneNode(subquery_);
  copy->sequence_op = sequence_op_;
  copy->sequence = sequence_;
  return copy;
}

OrderItem OrderItem::Clone() const {
  const auto& [expr_, descending_, nulls_last_, position_] = *this;
  return {CloneNode(expr_), descending_, nulls_last_, position_};
}

ColumnDef ColumnDef::Clone() const {
  const auto& [name_, type_, nullable_, default_value_, default_text_, primary_key_, descending_,
               row_timestamp_, encoded_qualifier_, position_] = *this;
  return {name_,        type_,       nullable_,      CloneNode(default_value_), default_text_,
          primary_key_, descending_, row_timestamp_, encoded_qualifier_,        position_};
}

TableRef TableRef::Clone() const {
  const auto& [kind_, position_, alias_, name_, dynamic_columns_, sample_percent_, subquery_,
               join_type_, left_, right_, on_, bind_index_] = *this;
  return {kind_,
          position_,
          alias_,
          name_,
          CloneAll(dynamic_columns_),
          CloneNode(sample_percent_),
          CloneNode(subquery_),
          join_type_,
          CloneNode(left_),
          CloneNode(right_),
          CloneNode(on_),
          bind_index_};
}

SelectItem SelectItem::Clone() const {
  const auto& [expr_, alias_] = *this;
  return {CloneNode(expr_), alias_};
}

Select Select::Clone() const {
  const auto& [position_, end_, hints_, distinct_, items_, from_, where_, group_by_, having_,
               union_all_, order_by_, limit_, offset_, offset_columns_, offset_values_] = *this;
  return {position_,
          end_,
          hints_,
          distinct_,
          CloneAll(items_),
          CloneAll(from_),
          CloneNode(where_),
          CloneAll(group_by_),
          CloneNode(having_),
          CloneAll(union_all_),
          CloneAll(order_by_),
          CloneNode(limit_),
          CloneNode(offset_),
          CloneAll(offset_columns_),
          CloneAll(offset_values_)};
}

}  // namespace bennu::sql::parse
