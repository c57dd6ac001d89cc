// Expressions over the columns of one table that are part of a definition and not of a statement:
// what an index is made of, and the condition on its rows.
#ifndef BENNU_SRC_SQL_BIND_TABLE_EXPRESSIONS_H_
#define BENNU_SRC_SQL_BIND_TABLE_EXPRESSIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/expr.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/bind/scope.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/expression.h"

namespace bennu::sql::bind {

// All expressions share the slots, which are given out as columns are met. One thread.
class TableExpressions {
 public:
  // As a statement names columns, or as the catalog does: without the table, and those that are
  // hidden from a tenant, too.
  enum class Names : uint8_t { kOfStatement, kOfCatalog };
  explicit TableExpressions(std::shared_ptr<const catalog::TableMeta> table,
                            Names names = Names::kOfStatement);
  TableExpressions(const TableExpressions&) = delete;
  TableExpressions& operator=(const TableExpressions&) = delete;

  // 504 and kin; 1016: an aggregate; 1205: a sequence; without code a parameter or a subquery.
  Result<ExprPtr> Bind(const parse::Expr& expr);
  // The same of a text that the catalog keeps.
  Result<ExprPtr> BindText(const std::string& text);
  // The same of a condition; 1017: an aggregate. 203: it is none.
  Result<ExprPtr> BindCondition(const parse::Expr& expr);

  const std::vector<Slot>& slots() const { return scope_.slots(); }

 private:
  Scope scope_;
  Parameters parameters_;
  ExpressionBinder binder_;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_TABLE_EXPRESSIONS_H_
