// Orders of rows that nothing has to be sorted for.
#ifndef BENNU_SRC_SQL_PLAN_ROW_ORDER_H_
#define BENNU_SRC_SQL_PLAN_ROW_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/sql/bind/bound_query.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::plan {

// The direction in which the first table's key has the order of ORDER BY; kAny: neither has, or
// there is no ORDER BY over rows as they are read. The order is the key's columns, from the first
// on, all in the key's direction or all against it; columns that are held to one value may be left
// out. 'merged': the rows come from a join by merging.
KeyDirection DirectionOfOrder(const bind::BoundSelect& select, bool merged);

// The order in which groups come out, and what ORDER BY has to do with it.
struct GroupOrder {
  std::vector<uint32_t> order;   // the groups' indexes in the order in which they make a key
  std::vector<bool> descending;  // by group
  bool by_key = false;  // they are the first columns of the key: they come in order of themselves
  // ORDER BY is that order, or ('backward') the opposite of it. An opposite counts only where the
  // table can be read in it.
  bool is_wanted = false;
  bool backward = false;
};
// Of GROUP BY, or of a DISTINCT that groups nothing else.
GroupOrder OrderOfGroups(const bind::BoundSelect& select);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_ROW_ORDER_H_
