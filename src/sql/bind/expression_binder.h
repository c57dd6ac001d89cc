// ExpressionBinder: syntax trees of expressions to bound ones.
#ifndef BENNU_SRC_SQL_BIND_EXPRESSION_BINDER_H_
#define BENNU_SRC_SQL_BIND_EXPRESSION_BINDER_H_

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/expr.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/bind/scope.h"
#include "src/sql/bind/sequence_use.h"
#include "src/sql/parse/expression.h"

namespace bennu::sql::bind {

// CAST's and DDL's type. Error 201: no such type.
Result<DataType> TypeOf(const parse::TypeSpec& spec);
ComparisonOp ComparisonOf(parse::CompareOp op);
// 203 when the expression is no condition.
Status CheckCondition(const Expr& expr);

// The operand 'value' of a row comparison with a component of 'type': as in Phoenix a DECIMAL
// constant becomes a whole number unless the component is a DECIMAL, down for < and <=, up for >
// and >=.
Result<ExprPtr> RoundForRow(ComparisonOp op, const DataType& type, ExprPtr value);

// (left) op (right), component by component; both of the same length, at least one.
Result<ExprPtr> CompareRowsBound(ComparisonOp op, std::vector<ExprPtr> left,
                                 std::vector<ExprPtr> right, int32_t position);
// 'expr', a comparison of 'row', but NULL where all of the row is: Phoenix has no bytes to compare.
Result<ExprPtr> NullForNulls(const std::vector<ExprPtr>& row, ExprPtr expr, int32_t position);

// Binds an operand as the place where it stands asks for; a parameter that stands alone gets the
// wanted type.
using BindOperand = std::function<Result<ExprPtr>(const parse::Expr& expr, const DataType& wanted)>;

// Binds conditions with subqueries.
class SubqueryHandler {
 public:
  virtual ~SubqueryHandler() = default;
  // A kInSubquery, kExists, kSubquery, or kComparison with a subquery, inside another expression.
  // 'may_join': it stands below the aggregation.
  virtual Result<ExprPtr> BindInside(const parse::Expr& expr, const BindOperand& operand,
                                     bool may_join) = 0;
};

// What the aggregation of a SELECT gives to the expressions above it.
struct Aggregation {
  std::vector<const parse::Expr*> group_trees;  // GROUP BY as written, aliases resolved
  std::vector<ExprPtr> groups;
  std::vector<AggregatePtr> aggregates;
};

// One SELECT's expressions. One thread; everything given must outlive it.
class ExpressionBinder {
 public:
  // Where an expression stands decides what may be in it.
  enum class Place : uint8_t { kWhere, kGroupBy, kSelect, kHaving, kOn };

  // 'scope' null: nothing may name a column (VALUES, LIMIT).
  ExpressionBinder(Scope* scope, Parameters* parameters);

  // Names of select items that expressions may use from now on; null: none. A name that is also a
  // column of another meaning is ambiguous (502), as in Phoenix.
  using Aliases = std::vector<std::pair<std::string, const parse::Expr*>>;
  void set_aliases(const Aliases* aliases) { aliases_ = aliases; }
  // Null: subqueries are refused.
  void set_subqueries(SubqueryHandler* subqueries) { subqueries_ = subqueries; }
  // Where the sequences that are met from now on are noted; null: none may be there (1205).
  // 'default_schema': of their names without one.
  void set_sequences(std::vector<SequenceUse>* sequences, const std::string* default_schema) {
    sequences_ = sequences;
    default_schema_ = default_schema;
  }
  // The tree that an alias stands for, or 'expr' itself.
  Result<const parse::Expr*> ResolveAlias(const parse::Expr& expr);

  // Over the scope's slots; an aggregate is an error (1016, 1017).
  Result<ExprPtr> Bind(const parse::Expr& expr, Place place);
  // Over the output of the aggregation, which gets the aggregates that are met. 1018, in HAVING
  // 1019: a column that is not grouped by.
  Result<ExprPtr> BindAggregated(const parse::Expr& expr, Place place, Aggregation* aggregation);
  // As Bind; a parameter that stands alone gets the wanted type.
  // 'compared': if it is a parameter nothing but its value counts; see Parameters.
  Result<ExprPtr> BindTyped(const parse::Expr& expr, Place place, const DataType& wanted,
                            bool compared = false);
  // The constant that 'member' of the list of 'in' was bound to; null when it was bound to
  // something else, or 'in' has not been bound.
  ExprPtr ConstantMember(const parse::Expr& in, size_t member) const;

 private:
  Result<ExprPtr> BindNode(const parse::Expr& expr);
  Result<ExprPtr> BindKind(const parse::Expr& expr);
  // 'compared': as BindTyped.
  Result<ExprPtr> BindNodeOrParameter(const parse::Expr& expr, const DataType& wanted,
                                      bool compared = false);
  Result<std::vector<ExprPtr>> BindAll(const parse::ExprList& list, size_t from);
  Result<ExprPtr> BindColumn(const parse::Expr& expr);
  // The scope's slot that 'expr' is.
  Result<ExprPtr> BindSlot(uint32_t number, const parse::Expr& expr);
  Result<ExprPtr> BindFunction(const parse::Expr& expr);
  Result<ExprPtr> BindRowFunction(const parse::Expr& expr);
  Result<ExprPtr> BindAggregate(const parse::Expr& expr);
  Result<ExprPtr> BindSequence(const parse::Expr& expr);
  Result<ExprPtr> BindCase(const parse::Expr& expr);
  Result<ExprPtr> BindComparison(const parse::Expr& expr);
  Result<ExprPtr> BindArray(const parse::Expr& expr);
  Result<ExprPtr> BindArrayElement(const parse::Expr& expr);
  Result<ExprPtr> BindQuantified(const parse::Expr& expr);
  Result<ExprPtr> BindBetween(const parse::Expr& expr);
  Result<ExprPtr> BindIn(const parse::Expr& expr);
  Result<ExprPtr> BindValueIn(const parse::Expr& expr);
  Result<ExprPtr> BindRowIn(const parse::Expr& expr);
  Result<ExprPtr> BindArithmetic(const parse::Expr& expr);
  Status BindPair(const parse::Expr& a, const parse::Expr& b, bool compared, ExprPtr* left,
                  ExprPtr* right);
  Result<ExprPtr> CompareRows(ComparisonOp op, const parse::Expr& left, const parse::Expr& right,
                              int32_t position);
  Result<ExprPtr> BindSubquery(const parse::Expr& expr);
  // The group's column that 'expr' is, or null.
  Result<ExprPtr> FindGroup(const parse::Expr& expr);
  ExprPtr MakeParameterOf(const parse::Expr& bind, const DataType& wanted, bool compared = false);
  // The same beside 'partner', which is noted in the parameters when it is 'compared' with it.
  ExprPtr MakeParameterBeside(const parse::Expr& bind, const ExprPtr& partner, bool compared);
  // Whether the type of 'expr' is the same whatever the parameters are.
  bool HasFixedType(const Expr& expr) const;

  Scope* const scope_;
  Parameters* const parameters_;
  Place place_ = Place::kSelect;
  Aggregation* aggregation_ = nullptr;  // null: below it
  bool in_aggregate_ = false;           // among an aggregate's arguments
  bool only_truth_counts_ = false;      // here NULL is as good as false
  const Aliases* aliases_ = nullptr;
  SubqueryHandler* subqueries_ = nullptr;
  std::vector<SequenceUse>* sequences_ = nullptr;
  const std::string* default_schema_ = nullptr;
  const parse::Expr* root_ = nullptr;  // what is being bound, for messages
  // Of each list of values its members that are constants, else null: lists may be long, and the
  // key is made of the same members.
  std::unordered_map<const parse::Expr*, std::vector<ExprPtr>> list_constants_;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_EXPRESSION_BINDER_H_
