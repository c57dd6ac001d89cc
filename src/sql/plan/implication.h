// Does one condition follow from others? For partial indexes, which have the rows that meet theirs.
#ifndef BENNU_SRC_SQL_PLAN_IMPLICATION_H_
#define BENNU_SRC_SQL_PLAN_IMPLICATION_H_

#include <vector>

#include "src/sql/bind/expr.h"

namespace bennu::sql::plan {

// 'wanted' is true of every row of which all of 'known' are. All are over the same slots. Finds
// what follows by comparisons with constants, IN lists, IS NOT NULL, AND and OR; false where it
// does not know.
bool Follows(const std::vector<const bind::Expr*>& known, const bind::Expr& wanted);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_IMPLICATION_H_
