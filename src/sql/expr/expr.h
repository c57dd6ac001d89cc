// Bound expressions: names resolved, types known, evaluated a vector at a time.
//
// Made by the Make… functions (make_expr.h) and MakeFunction
// (sql/functions/registry.h), which check types with
// Phoenix's errors and fold constants; evaluated by Evaluate and EvaluateFilter (evaluate.h). A
// tree is immutable and shared: any number of threads may evaluate it at a time, each with an
// EvalContext of its own.
#ifndef BENNU_SRC_SQL_EXPR_EXPR_H_
#define BENNU_SRC_SQL_EXPR_EXPR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql {

struct BoundExpr;
using BoundExprPtr = std::shared_ptr<const BoundExpr>;
class EvalContext;
struct FunctionDef;

enum class BoundKind : uint8_t {
  kSlot,        // column 'slot' of the chunk
  kConstant,    // 'constant'
  kParameter,   // EvalContext::parameter('slot'), coerced to 'type'
  kFunction,    // 'function' over the children
  kArithmetic,  // two children, 'arithmetic'
  kCompare,     // two children, 'compare', after conversion to the type 'operand_type'
  // (a, b) op (c, d): children a, b, c, d, and last the same as AND, OR and kCompare
  kRowCompare,
  kAnd,
  kOr,
  kNot,
  kIsNull,  // 'negated': IS NOT NULL
  kCase,    // when, then, when, then, …, else (always there, maybe a NULL constant)
  kCast,    // one child to 'type'
  kIn,      // children[0] in the constants 'list'; a list with other members becomes an OR
  kLike,    // children[0] like children[1]
  kConcat,  // children as text, NULL as nothing
  kArray,   // ARRAY[children]
  // children[1] 'compare' ANY (ALL when 'negated') of the elements of the array children[0]
  kQuantified,
};

enum class ArithmeticOp : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo };
enum class ComparisonOp : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

// a op b is b Flip(op) a; not (a op b) is a Negate(op) b.
ComparisonOp FlipComparison(ComparisonOp op);
ComparisonOp NegateComparison(ComparisonOp op);

// What a function prepared from its constant arguments: a compiled pattern, a parsed format.
struct FunctionState {
  virtual ~FunctionState() = default;
};

struct BoundExpr {
  BoundKind kind = BoundKind::kConstant;
  DataType type;
  std::vector<BoundExprPtr> children;
  int32_t position = -1;  // byte offset in the statement, -1 when unknown

  size_t slot = 0;          // kSlot, kParameter
  bool nullable = true;     // kSlot: may hold NULL
  bool descending = false;  // kSlot: of a key, stored the other way round
  std::string name;         // kSlot, kConstant; kOr, kCase of a row's IN: how labels show it
  Value constant;           // kConstant
  std::shared_ptr<const Vector> constant_vector;  // kConstant: the same as a constant vector
  std::vector<Value> list;                        // kIn: of 'operand_type', none NULL
  bool list_has_null = false;                     // kIn: NULL was in the list too
  const FunctionDef* function = nullptr;
  std::shared_ptr<const FunctionState> state;  // kFunction, kLike, kIn: prepared, may be null
  ArithmeticOp arithmetic = ArithmeticOp::kAdd;
  ComparisonOp compare = ComparisonOp::kEqual;
  DataType operand_type;          // kCompare, kIn: in which type both sides are compared
  bool negated = false;           // kIsNull, kIn, kLike; kCompare: was written as NOT (…)
  bool case_insensitive = false;  // kLike
  bool implicit_cast = false;     // kCast: put in by us, a failure is a type error of the caller
  bool hidden_cast = false;       // kCast: labels leave it out
  bool folded = false;            // kConstant: what an expression came to, not a literal

  // Evaluating it on a row may fail (a division, an overflow, a cast), so that it must not see rows
  // for which a CASE or an AND has decided otherwise.
  bool can_fail = false;
  // Same arguments, same result, whenever it is called (not RAND, sequences; NOW() is, within a
  // statement).
  bool deterministic = true;

  bool is_constant() const { return kind == BoundKind::kConstant; }
  bool is_null_constant() const { return is_constant() && constant.is_null(); }
};

// Statement-wide facts and scratch memory. One thread. What it is given must outlive it.
class EvalContext {
 public:
  // Parameters from this number on are not the statement's own: what its subqueries gave.
  static constexpr size_t kSubqueryBase = size_t{1} << 24;

  EvalContext() = default;
  EvalContext(std::span<const Value> params, int64_t now_millis,
              std::span<const Value> subquery_values = {})
      : params_(params), subquery_values_(subquery_values), now_millis_(now_millis) {}
  EvalContext(EvalContext&&) = default;
  EvalContext& operator=(EvalContext&&) = default;

  // Null when there is no such parameter.
  const Value* parameter(size_t slot) const {
    const bool own = slot < kSubqueryBase;
    const std::span<const Value> values = own ? params_ : subquery_values_;
    const size_t index = own ? slot : slot - kSubqueryBase;
    return index < values.size() ? &values[index] : nullptr;
  }
  int64_t now_millis() const { return now_millis_; }  // of the statement, epoch milliseconds

  // Vectors for intermediate results, kept from chunk to chunk.
  std::unique_ptr<Vector> TakeVector();
  void GiveBack(std::unique_ptr<Vector> vector);

 private:
  std::span<const Value> params_;
  std::span<const Value> subquery_values_;
  int64_t now_millis_ = 0;
  std::vector<std::unique_ptr<Vector>> free_;
};

// How Phoenix prints the expression in column labels, plans and messages: A, (A + 1), COUNT(1),
// TO_BIGINT(A), UPPER(V, ); NULL prints as nothing.
std::string ToText(const BoundExpr& expr);
// " = ", " >= " …, as ToText has it.
const char* ComparisonSign(ComparisonOp op);
// A constant as it stands in labels: 'x', DATE '2020-01-01 00:00:00.000', X'00ff', 1.5, true.
std::string LiteralText(const Value& value);
// The same in lists and ranges of keys, where moments stand without their type.
std::string UntypedLiteralText(const Value& value);

// Equal trees give equal values: same shape, slots, constants. Positions and names are ignored.
bool SameBoundExpr(const BoundExpr& a, const BoundExpr& b);
// Adds each slot that is read below 'expr', once.
void CollectSlots(const BoundExpr& expr, std::vector<size_t>* slots);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_EXPR_H_
