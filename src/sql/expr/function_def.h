// What a scalar function is to the tree that calls it: an expression of kind kFunction points to
// its FunctionDef, and neither binding, evaluation nor labels know more of the function than stands
// here. So the tree does not depend on the library of functions (sql/functions), which defines
// them.
#ifndef BENNU_SRC_SQL_EXPR_FUNCTION_DEF_H_
#define BENNU_SRC_SQL_EXPR_FUNCTION_DEF_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "src/sql/expr/expr.h"

namespace bennu::sql {

// Arguments that are constant vectors stay so: read them with At and IsNull, or look at
// is_constant once. 'out' is flat, of the expression's type, without NULLs. Writes rows [0, count).
using FunctionEvaluate = Status (*)(const BoundExpr& expr, std::span<const Vector* const> args,
                                    size_t count, EvalContext* context, Vector* out);
// Settles type, state and flags of 'expr', whose children are checked and complete.
using FunctionBind = Status (*)(BoundExpr* expr);

// How labels and plans show a call.
struct FunctionText {
  std::string_view name;
  size_t argument_count = 0;       // the first ones alone are shown
  bool shows_result_type = false;  // the arguments stand in TO_<the result's type>(…)
};

struct ArgumentSpec {
  std::vector<TypeId> types;  // allowed ones, in Phoenix's order; empty: any
  bool optional = false;
  bool constant = false;     // must be a constant
  Value default_value = {};  // for a missing optional one
};

struct FunctionDef {
  std::string_view name;
  std::vector<ArgumentSpec> arguments;
  TypeId result;  // kNull: 'bind' sets the type
  FunctionEvaluate evaluate;
  FunctionBind bind = nullptr;
  bool can_fail = false;
  bool deterministic = true;
  bool null_in_null_out = true;  // NULL of an argument that is not defaulted makes the result NULL
  // COALESCE: the second argument counts where the first is NULL, and must not fail elsewhere.
  bool second_where_null = false;
  // After 'bind': is the value the first argument, so that nothing is left to do? May be null.
  bool (*is_identity)(const BoundExpr& expr) = nullptr;
  // Null: labels show the name and all arguments.
  FunctionText (*text)(const BoundExpr& expr) = nullptr;
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_FUNCTION_DEF_H_
