// What is written here for a function of another system.
#ifndef BENNU_SRC_SQL_EXPR_FUNCTION_ADVICE_H_
#define BENNU_SRC_SQL_EXPR_FUNCTION_ADVICE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu::sql {

// A hint for a name, in upper case, that is no function; empty: none. Pure function.
std::string FunctionAdvice(std::string_view name);
// The same for a name that is no column but would be a function without parentheses elsewhere.
std::string BareFunctionAdvice(std::string_view name);

// Error 6001, with what advice there is.
Status UndefinedFunction(std::string_view name, int64_t position);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_FUNCTION_ADVICE_H_
