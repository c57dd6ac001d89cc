// Binds the expressions of parsed SELECTs without names, for tests of expressions and functions
// alone.
#ifndef BENNU_TESTS_SQL_EXPR_TEST_BINDER_H_
#define BENNU_TESTS_SQL_EXPR_TEST_BINDER_H_

#include <map>
#include <string>

#include "src/sql/expr/make_expr.h"
#include "src/sql/functions/registry.h"
#include "src/sql/parse/literal.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {

// Columns by name: their slots and types.
using TestScope = std::map<std::string, std::pair<size_t, DataType>>;

Result<BoundExprPtr> BindForTest(const parse::Expr& expr, const TestScope& scope = {});
// The same, each typed literal becoming the next slot; its value is added to *literals.
Result<BoundExprPtr> BindLiteralsAsSlots(const parse::Expr& expr, std::vector<Value>* literals);
// Parses and binds; ends the test program's statement with an error text otherwise.
Result<BoundExprPtr> BindTextForTest(std::string_view text, const TestScope& scope = {});

}  // namespace bennu::sql

#endif  // BENNU_TESTS_SQL_EXPR_TEST_BINDER_H_
