// What a query groups by, as the original sees it.
#ifndef BENNU_SRC_SQL_BIND_GROUP_KEYS_H_
#define BENNU_SRC_SQL_BIND_GROUP_KEYS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"

namespace bennu::sql::bind {

// GROUP BY, or the columns of a DISTINCT that groups nothing else.
std::vector<ExprPtr> GroupsOf(const BoundSelect& select);

// An expression that never falls where a key column rises.
struct KeyOrder {
  uint32_t key_column = 0;
  bool exact = true;  // its values differ where the column's do
  bool descending = false;
};

// Of the first table's key: its columns, rounded moments, the starts of texts, wider numbers.
std::optional<KeyOrder> KeyOrderOf(const BoundSelect& select, const Expr& expr);

// Whether an expression over rows can be NULL, as the original knows it.
bool MayBeNull(const Expr& expr);

// True when WHERE leaves one value of the first table's key column, or NULL alone.
bool IsHeld(const BoundSelect& select, uint32_t key_column);

// Groups in the order of the first table's key, from its first column on, but for columns that are
// held: their indexes in that order. Nothing: they do not come so.
std::optional<std::vector<uint32_t>> OrderByKey(const BoundSelect& select,
                                                const std::vector<ExprPtr>& groups);
bool GroupsByKey(const BoundSelect& select, const std::vector<ExprPtr>& groups);

// The same for any groups, as the original puts them into their key: values of fixed width that can
// not be NULL, then those of varying width, then those of fixed width that can.
std::vector<uint32_t> OrderOfGroups(const BoundSelect& select, const std::vector<ExprPtr>& groups);

// 1058: in the key of a group Phoenix can put only one value of bytes that have no end of their own
// (VARBINARY, an array, a BINARY that may be NULL), at its end. It needs none where the groups come
// in the order of the table's key.
Status CheckGroupTypes(const BoundSelect& select);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_GROUP_KEYS_H_
