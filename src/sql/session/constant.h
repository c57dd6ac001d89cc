// Constant expressions of statements: literals at once, everything else by asking the query side
// for "SELECT expression".
#ifndef BENNU_SRC_SQL_SESSION_CONSTANT_H_
#define BENNU_SRC_SQL_SESSION_CONSTANT_H_

#include <optional>

#include "bennu/status.h"
#include "src/sql/exec/query.h"
#include "src/sql/parse/ast.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/types/value.h"

namespace bennu::sql::session {

// Evaluates a constant expression without binds. 504: it names a column. 1031: its value depends on
// the moment (CURRENT_DATE() and the like), which a definition may not.
Result<Value> EvaluateConstant(const parse::Expr& expr, const SqlStore& store,
                               const exec::PrepareContext& context);

// A statement that gives these expressions as one row. Takes them.
Result<std::unique_ptr<exec::PreparedQuery>> PrepareRow(parse::ExprList expressions,
                                                        const SqlStore& store,
                                                        const exec::PrepareContext& context);

// Types of 'more' for those that are kNull in *types; what is behind the end of *types is left out.
void AddTypes(const std::vector<DataType>& more, std::vector<DataType>* types);

// Runs a query of PrepareRow.
Result<std::vector<Value>> FetchRow(const exec::PreparedQuery& query, std::span<const Value> params,
                                    const exec::RunOptions& options);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_CONSTANT_H_
