// Built-in scalar functions by name. Source: phoenix-sql spec section 5, functions/ of the corpus.
#ifndef BENNU_SRC_SQL_FUNCTIONS_REGISTRY_H_
#define BENNU_SRC_SQL_FUNCTIONS_REGISTRY_H_

#include <span>
#include <string_view>
#include <vector>

#include "src/sql/functions/expr.h"

namespace bennu::sql {

// Arguments that are constant vectors stay so: read them with At and IsNull, or look at
// is_constant once. 'out' is flat, of the expression's type, without NULLs. Writes rows [0, count).
using FunctionEvaluate = Status (*)(const BoundExpr& expr, std::span<const Vector* const> args,
                                    size_t count, EvalContext* context, Vector* out);
// Settles type, state and flags of 'expr', whose children are checked and complete.
using FunctionBind = Status (*)(BoundExpr* expr);

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
};

// Nothing for an unknown name. 'name' is upper case.
const FunctionDef* FindFunction(std::string_view name);

// name(arguments). Errors: 6001 no such function or not with so many arguments; 203 an argument's
// type, or one that must be constant; those of evaluation when it is folded. 'now_millis': the
// statement's time, by which TO_DATE completes years of two digits.
Result<BoundExprPtr> MakeFunction(std::string_view name, std::vector<BoundExprPtr> arguments,
                                  int32_t position = -1, int64_t now_millis = 0);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_REGISTRY_H_
