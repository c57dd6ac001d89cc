// What is asked of an expression as it was written, before its names are resolved. Pure functions.
#ifndef BENNU_SRC_SQL_BIND_EXPRESSION_PARTS_H_
#define BENNU_SRC_SQL_BIND_EXPRESSION_PARTS_H_

#include <optional>
#include <vector>

#include "bennu/status.h"
#include "src/sql/parse/expression.h"
#include "src/sql/types/value.h"

namespace bennu::sql::bind {

// Whether an aggregate function stands in the expression, not inside one of its subqueries.
bool HasAggregate(const parse::Expr& expr);

// The components of (a, b); anything else as the only one. They belong to 'expr'.
std::vector<const parse::Expr*> RowItems(const parse::Expr& expr);

// The first column that the expression names, in reading order; null when it names none.
const parse::Expr* FindColumnIn(const parse::Expr& expr);

// Whether a value of a sequence stands in the expression.
bool NamesSequence(const parse::Expr& expr);

// Whether the expression's value depends on when it is asked for: CURRENT_DATE() and kin, RAND, a
// sequence.
bool DependsOnMoment(const parse::Expr& expr);

// The value of a literal, or of a negated number; nothing for other expressions. Errors as
// parse::LiteralValue.
Result<std::optional<Value>> LiteralOf(const parse::Expr& expr);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_EXPRESSION_PARTS_H_
