// Short reads: queries of one table whose rows follow from key columns that are compared with
// constants and parameters. A prepared one is run without planning its keys again (exec's
// point_query.h and range_query.h).
#ifndef BENNU_SRC_SQL_PLAN_SHORT_READ_H_
#define BENNU_SRC_SQL_PLAN_SHORT_READ_H_

#include "src/sql/plan/plan_node.h"

namespace bennu::sql::plan {

// The tree below a PointLookupNode or a KeyRangeNode where it can be read so; else the tree as it
// is. What is below SELECT … FROM one table WHERE … [ORDER BY its key] [LIMIT n] can, also where an
// index stands for the table and leads to rows of it; nothing else does, kinds of nodes that come
// later included.
PlanNodePtr ChooseShortRead(PlanNodePtr root);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_SHORT_READ_H_
