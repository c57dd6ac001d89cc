// SHOW TABLES, SHOW SCHEMAS and SHOW CREATE TABLE from the catalog.
#ifndef BENNU_SRC_SQL_SESSION_SHOW_H_
#define BENNU_SRC_SQL_SESSION_SHOW_H_

#include <string>

#include "bennu/status.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/ast.h"
#include "src/sql/session/session.h"

namespace bennu::sql::session {

// 1012: SHOW CREATE TABLE of a table that is not there.
Result<StatementResult> Show(const parse::Show& show, const std::string& default_schema,
                             const std::string& tenant, catalog::Catalog* catalog);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_SHOW_H_
