// What a query groups by, as the original sees it.
#ifndef BENNU_SRC_SQL_BIND_GROUP_KEYS_H_
#define BENNU_SRC_SQL_BIND_GROUP_KEYS_H_

#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"

namespace bennu::sql::bind {

// GROUP BY, or the columns of a DISTINCT that groups nothing else.
std::vector<ExprPtr> GroupsOf(const BoundSelect& select);

// True when the groups come in the order of the only table's key, from its first column on.
bool GroupsByKey(const BoundSelect& select, const std::vector<ExprPtr>& groups);

// 1058: in the key of a group Phoenix can put only one value of bytes that have no end of their own
// (VARBINARY, an array, a BINARY that may be NULL), at its end. It needs none where the groups come
// in the order of the table's key.
Status CheckGroupTypes(const BoundSelect& select);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_GROUP_KEYS_H_
