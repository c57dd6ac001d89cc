#include "src/sql/bind/column_default.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/assign.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/parse/parser.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::bind {

Result<Value> DefaultOf(const catalog::ColumnMeta& column, int64_t now_millis) {
  ASSIGN_OR_RETURN(const parse::ExprPtr tree, parse::ParseExpression(column.default_text));
  Parameters no_parameters;
  no_parameters.now_millis = now_millis;
  ExpressionBinder binder(nullptr, &no_parameters);
  ASSIGN_OR_RETURN(ExprPtr expr, binder.Bind(*tree, ExpressionBinder::Place::kSelect));
  DataType type = column.type;
  if (type.id == TypeId::kDecimal) type = {TypeId::kDecimal};
  ASSIGN_OR_RETURN(expr, MakeCoerce(std::move(expr), type, column.name));
  EvalContext eval({}, now_millis);
  ASSIGN_OR_RETURN(Value value, EvaluateConstant(*expr, &eval));
  const bool padded = type.id == TypeId::kChar || type.id == TypeId::kBinary;
  if (!padded || value.is_null()) return value;
  // As a stored one, to which it is equal.
  Bytes stored;
  RETURN_IF_ERROR(Encode(value, type, SortOrder::kAsc, &stored));
  return Value::String(type, std::move(stored));
}

Result<Bytes> EncodedDefaultOf(const catalog::ColumnMeta& column, int64_t now_millis) {
  Bytes encoded;
  if (column.default_text.empty()) return encoded;
  ASSIGN_OR_RETURN(const Value value, DefaultOf(column, now_millis));
  RETURN_IF_ERROR(EncodeAssigned(value, column, &encoded));
  return encoded;
}

}  // namespace bennu::sql::bind
