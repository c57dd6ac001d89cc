// The columns of results that are not those of a query: known from the statement alone.
#ifndef BENNU_SRC_SQL_SESSION_STATEMENT_COLUMNS_H_
#define BENNU_SRC_SQL_SESSION_STATEMENT_COLUMNS_H_

#include <vector>

#include "src/sql/exec/query.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::session {

std::vector<exec::ResultColumn> ExplainColumns();
std::vector<exec::ResultColumn> ShowColumns(parse::ShowKind kind);
// Of CHECK INDEX.
std::vector<exec::ResultColumn> CheckIndexColumns();
// Of TRACE ON and TRACE OFF.
std::vector<exec::ResultColumn> TraceColumns();

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_STATEMENT_COLUMNS_H_
