// The binder of SELECT: names, types and clauses of a whole query.
#ifndef BENNU_SRC_SQL_BIND_SELECT_BINDER_H_
#define BENNU_SRC_SQL_BIND_SELECT_BINDER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/sql/bind/access_chooser.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::bind {

struct BindContext {
  catalog::Catalog* catalog = nullptr;
  std::string default_schema;
  int64_t as_of = kLatestTimestamp;  // tables as they were before then
  bool with_expired = false;         // rows that met a TTL condition are shown too
  std::string tenant;                // sees its rows of multi-tenant tables; empty: all
  // Gets the subqueries that are to be run before the query, each before those that need its
  // values. Must not be null.
  std::vector<Subquery>* subqueries = nullptr;
  AccessChooser* chooser = nullptr;  // null: the tables themselves are read
  // Whether a table with indexes may be written, so that the store keeps them in step. Null: it
  // keeps none, and refuses all tables that have some.
  std::function<Status(const catalog::TableMeta&)> check_indexes;
};

// Binds 'select'. Types of parameters go to parameters->types. Errors: Phoenix's
// (203, 214, 217, 502, 504, 511, 525, 526, 1001, 1012, 1016 to 1019, 1057, 2003 …), without code
// for features that are not there.
Result<std::unique_ptr<BoundQuery>> BindQuery(const parse::Select& select,
                                              const BindContext& context, Parameters* parameters);

// How a subquery of a condition is bound.
struct SubqueryWishes {
  // Whether a column that the subquery does not know is one of the query around it.
  std::function<bool(const parse::Expr& column)> is_outer;
  bool distinct = false;   // its rows as a set
  bool existence = false;  // what it selects does not matter once it depends on the row around it
  bool marked = false;     // with a last column that is true in every row
};

// An equality of the subquery's WHERE with an expression of the query around it.
struct Correlation {
  const parse::Expr* outer = nullptr;
  size_t column = 0;  // of the subquery's columns: they stand behind those that it selects
};

struct SubqueryParts {
  std::unique_ptr<BoundQuery> query;      // without the conditions of 'correlations'
  std::vector<Correlation> correlations;  // empty: it can be run by itself
  size_t selected = 0;                    // columns before those of the correlations
  size_t marker = 0;                      // the column of 'marked'
  bool single_row = false;                // an aggregate: at most one row for each row around it
  bool plain = true;                      // false: a UNION ALL, neither distinct nor marked
};

// Errors as BindQuery; without code for a WHERE that refers to the row around it otherwise than by
// equalities.
Result<SubqueryParts> BindSubquery(const parse::Select& select, const BindContext& context,
                                   const SubqueryWishes& wishes, Parameters* parameters);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_SELECT_BINDER_H_
