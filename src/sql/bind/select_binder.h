// The binder of SELECT: names, types and clauses of a whole query.
#ifndef BENNU_SRC_SQL_BIND_SELECT_BINDER_H_
#define BENNU_SRC_SQL_BIND_SELECT_BINDER_H_

#include <memory>
#include <string>
#include <vector>

#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::bind {

struct BindContext {
  catalog::Catalog* catalog = nullptr;
  std::string default_schema;
  int64_t as_of = kLatestTimestamp;  // tables as they were before then
  std::string tenant;                // sees its rows of multi-tenant tables; empty: all
};

// Binds 'select'. Types of parameters go to *parameter_types, by index from 0. Errors: Phoenix's
// (203, 214, 217, 502, 504, 511, 525, 526, 1001, 1012, 1016 to 1019, 1057, 2003 …), without code
// for features that are not there.
Result<std::unique_ptr<BoundQuery>> BindQuery(const parse::Select& select,
                                              const BindContext& context,
                                              std::vector<DataType>* parameter_types);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_SELECT_BINDER_H_
