// The library of scalar functions by name. Source: phoenix-sql spec section 5, functions/ of the
// corpus.
#ifndef BENNU_SRC_SQL_FUNCTIONS_REGISTRY_H_
#define BENNU_SRC_SQL_FUNCTIONS_REGISTRY_H_

#include <string_view>
#include <vector>

#include "src/sql/expr/function_def.h"

namespace bennu::sql {

// Nothing for an unknown name. 'name' is upper case.
const FunctionDef* FindFunction(std::string_view name);

// name(arguments). Errors: 6001 no such function or not with so many arguments; 203 an argument's
// type, or one that must be constant; those of evaluation when it is folded. 'now_millis': the
// statement's time, by which TO_DATE completes years of two digits.
Result<BoundExprPtr> MakeFunction(std::string_view name, std::vector<BoundExprPtr> arguments,
                                  int32_t position = -1, int64_t now_millis = 0);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_REGISTRY_H_
