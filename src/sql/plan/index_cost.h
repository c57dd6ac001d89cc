// Whether it takes longer to look up rows of a table by way of an index than to read the table.
//
// Phoenix's rules look at the columns of the key alone: a condition on an indexed column counts,
// however many rows meet it. Statistics tell how many those are at least. Only what is sure counts
// against the index, so that without statistics, or where they are too coarse, the rules alone
// decide.
#ifndef BENNU_SRC_SQL_PLAN_INDEX_COST_H_
#define BENNU_SRC_SQL_PLAN_INDEX_COST_H_

#include <cstddef>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/catalog/statistics.h"
#include "src/sql/keys/key_range.h"

namespace bennu::sql::plan {

// What lies in a part of a table.
struct PartSize {
  int64_t rows = 0;
  int64_t bytes = 0;
};

// What the guide posts say that there is in these ranges at least: the parts between two posts that
// lie in one of the ranges.
PartSize SizeAtLeast(const catalog::GuidePosts& posts, const std::vector<RowRange>& ranges);

// For a source of a SELECT that is bound to an index which lacks columns, or has to be held against
// its table. False also where the statistics do not tell, and where the conditions on the key
// depend on parameters.
Result<bool> IsSlowerThanFullScan(const bind::BoundSelect& select, size_t source,
                                  Connection* connection);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_INDEX_COST_H_
