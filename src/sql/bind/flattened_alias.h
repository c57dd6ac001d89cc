// Names that mean two things once a derived table is merged into the query around it.
#ifndef BENNU_SRC_SQL_BIND_FLATTENED_ALIAS_H_
#define BENNU_SRC_SQL_BIND_FLATTENED_ALIAS_H_

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::bind {

// 502 when 'select', whose FROM is the one derived table 'query' (from 'inner'), refers without a
// qualifier to an alias that is also a column, another one, of a table in the derived table's FROM.
// Phoenix looks names up once it has merged the two, and so refuses them where it merges.
Status CheckFlattenedAliases(const parse::Select& select, const parse::Select& inner,
                             const BoundQuery& query);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_FLATTENED_ALIAS_H_
