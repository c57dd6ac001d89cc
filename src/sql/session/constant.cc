#include "src/sql/session/constant.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {

Result<std::unique_ptr<exec::PreparedQuery>> PrepareRow(parse::ExprList expressions,
                                                        const SqlStore& store,
                                                        const exec::PrepareContext& context) {
  parse::Select select;
  for (parse::ExprPtr& expr : expressions) {
    select.items.push_back(parse::SelectItem{std::move(expr), {}});
  }
  return store.prepare_query()(select, context);
}

void AddTypes(const std::vector<DataType>& more, std::vector<DataType>* types) {
  for (size_t i = 0; i < std::min(more.size(), types->size()); ++i) {
    if ((*types)[i].id == TypeId::kNull) (*types)[i] = more[i];
  }
}

Result<std::vector<Value>> FetchRow(const exec::PreparedQuery& query, std::span<const Value> params,
                                    const exec::RunOptions& options) {
  ASSIGN_OR_RETURN(const auto rows, query.Open(params, options));
  DataChunk chunk;
  RETURN_IF_ERROR(rows->Next(&chunk));
  if (chunk.size != 1)
    return Internal("a constant row has " + std::to_string(chunk.size) + " rows");
  std::vector<Value> values;
  for (const Vector& column : chunk.columns) values.push_back(column.GetValue(0));
  return values;
}

Result<Value> EvaluateConstant(const parse::Expr& expr, const SqlStore& store,
                               const exec::PrepareContext& context) {
  if (const parse::Expr* column = bind::FindColumnIn(expr)) {
    return MakeSqlError(504, "columnName=" + column->column.text, column->position);
  }
  if (bind::DependsOnMoment(expr)) return MakeSqlError(1031, "", expr.position);
  ASSIGN_OR_RETURN(std::optional<Value> literal, bind::LiteralOf(expr));
  if (literal.has_value()) return *std::move(literal);
  parse::ExprList expressions;
  expressions.push_back(expr.Clone());
  ASSIGN_OR_RETURN(const auto query, PrepareRow(std::move(expressions), store, context));
  exec::RunOptions options;
  options.now_millis = context.now_millis;
  ASSIGN_OR_RETURN(std::vector<Value> values, FetchRow(*query, {}, options));
  return std::move(values[0]);
}

}  // namespace bennu::sql::session
