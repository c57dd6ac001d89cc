// What makes one query of the selects of a UNION ALL.
#ifndef BENNU_SRC_SQL_BIND_UNION_BINDER_H_
#define BENNU_SRC_SQL_BIND_UNION_BINDER_H_

#include <cstdint>
#include <optional>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::bind {

// The number that an expression of ORDER BY or GROUP BY is; none when it is something else.
std::optional<int64_t> OrdinalOf(const parse::Expr& expr);

// Columns of one type in all branches. 525: numbers of columns differ; 526: types without a common
// one.
Status UniteTypes(BoundQuery* query);
// Phoenix orders each branch too, so that each must know the names of ORDER BY. Here all rows are
// ordered at once.
void DropBranchOrder(BoundSelect* branch);
// Fills the query's order. 504, 2003.
Status BindUnionOrder(const parse::Select& select, BoundQuery* query);
// Phoenix makes up names for columns of a union that have none.
void NameUnionColumns(const parse::Select& select, BoundQuery* query);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_UNION_BINDER_H_
