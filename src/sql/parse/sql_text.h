// Expressions as the catalog keeps them.
#ifndef BENNU_SRC_SQL_PARSE_SQL_TEXT_H_
#define BENNU_SRC_SQL_PARSE_SQL_TEXT_H_

#include <string>

#include "src/sql/parse/expression.h"

namespace bennu::sql::parse {

// As ToText, with Phoenix's details: a blank before the names of functions and before ARRAY, no
// blanks behind commas, dates with their time. Source: COLUMN_DEF in ddl/defaults of the corpus.
std::string ToSqlText(const Expr& expr);

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_SQL_TEXT_H_
