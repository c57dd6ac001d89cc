// SELECT SCAN_START_KEY(), SCAN_END_KEY() FROM t WHERE TOTAL_SEGMENTS() = n: the table in at most n
// parts, for a reader that wants to read them one by one or side by side.
#ifndef BENNU_SRC_SQL_EXEC_SEGMENT_QUERY_H_
#define BENNU_SRC_SQL_EXEC_SEGMENT_QUERY_H_

#include <memory>

#include "bennu/status.h"
#include "src/sql/exec/query.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::exec {

// Whether the WHERE clause asks for TOTAL_SEGMENTS() = n. As in Phoenix whatever else stands there
// then has no effect.
bool IsSegmentQuery(const parse::Select& select);

// A row for each part: regions of the table, as many together as it takes. Errors: 221 when n is
// not positive; 1012; without code for anything else in the select list, or more than one table.
Result<std::unique_ptr<PreparedQuery>> PrepareSegmentQuery(const parse::Select& select,
                                                           const PrepareContext& context);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SEGMENT_QUERY_H_
