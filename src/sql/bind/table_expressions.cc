#include "src/sql/bind/table_expressions.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/parse/parser.h"

namespace bennu::sql::bind {
namespace {

using Place = ExpressionBinder::Place;

}  // namespace

TableExpressions::TableExpressions(std::shared_ptr<const catalog::TableMeta> table, Names names)
    : binder_(&scope_, &parameters_) {
  Source source;
  source.alias = table->name;
  source.schema = table->schema;
  source.table = std::move(table);
  // The first source of a scope cannot clash with another.
  static_cast<void>(scope_.Add(std::move(source), -1));
  if (names == Names::kOfCatalog) scope_.Restrict(0);
}

Result<ExprPtr> TableExpressions::Bind(const parse::Expr& expr) {
  return binder_.Bind(expr, Place::kGroupBy);
}

Result<ExprPtr> TableExpressions::BindText(const std::string& text) {
  ASSIGN_OR_RETURN(const parse::ExprPtr tree, parse::ParseExpression(text));
  return Bind(*tree);
}

Result<ExprPtr> TableExpressions::BindCondition(const parse::Expr& expr) {
  ASSIGN_OR_RETURN(ExprPtr bound, binder_.Bind(expr, Place::kWhere));
  RETURN_IF_ERROR(CheckCondition(*bound));
  return bound;
}

}  // namespace bennu::sql::bind
