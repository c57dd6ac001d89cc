// KeyTermFinder: what a condition of WHERE says about the row key of one table.
// Source: phoenix-keys spec section 6.
#ifndef BENNU_SRC_SQL_BIND_KEY_TERM_FINDER_H_
#define BENNU_SRC_SQL_BIND_KEY_TERM_FINDER_H_

#include <optional>
#include <vector>

#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/key_term.h"
#include "src/sql/parse/expression.h"

namespace bennu::sql::bind {

class KeyTermFinder {
 public:
  // 'source': index of a table of the scope. Operands found are appended to *operands.
  KeyTermFinder(Scope* scope, uint32_t source, ExpressionBinder* binder,
                std::vector<ExprPtr>* operands);

  // Terms that hold whenever the condition does. *exact: together they are the condition.
  std::vector<KeyTerm> Find(const parse::Expr& condition, bool* exact);

 private:
  using Terms = std::vector<KeyTerm>;

  std::optional<uint32_t> KeyColumn(const parse::Expr& expr);
  std::optional<uint32_t> UnchangedKeyColumn(const parse::Expr& expr);
  std::optional<uint32_t> KeyColumnOfSlot(uint32_t number) const;
  // The number of an operand without columns, of the column's type if it is a parameter.
  std::optional<uint32_t> Operand(const parse::Expr& expr, uint32_t key_column);
  std::optional<uint32_t> AddOperand(ExprPtr bound, uint32_t key_column);
  std::optional<KeyTerm> Compare(const parse::Expr& left, parse::CompareOp op,
                                 const parse::Expr& right);
  // Of a function over a key column that keeps its order: the start of a text, a rounded moment.
  std::optional<KeyTerm> CompareFunction(const parse::Expr& left, CompareOp op,
                                         const parse::Expr& right);
  // A term of the function without its operand.
  std::optional<KeyTerm> FunctionOfKey(const parse::Expr& expr);
  Terms FindComparison(const parse::Expr& expr, bool* exact);
  Terms FindAny(const parse::Expr& expr);
  Terms FindRow(const parse::Expr& left, parse::CompareOp op, const parse::Expr& right,
                bool* exact);
  Terms FindBetween(const parse::Expr& expr, bool* exact);
  Terms FindIn(const parse::Expr& expr, bool* exact);
  Terms FindFunctionIn(const parse::Expr& expr, bool* exact);
  Terms FindRowIn(const parse::Expr& expr, bool* exact);
  Terms FindOr(const parse::Expr& expr, bool* exact);
  bool IsNever(const parse::Expr& condition);

  const Source& source() const { return scope_->sources()[source_]; }

  Scope* const scope_;
  const uint32_t source_;
  ExpressionBinder* const binder_;
  std::vector<ExprPtr>* const operands_;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_KEY_TERM_FINDER_H_
