// Shared by the makers of bound expressions. For this folder and the library of functions.
#ifndef BENNU_SRC_SQL_EXPR_MAKE_INTERNAL_H_
#define BENNU_SRC_SQL_EXPR_MAKE_INTERNAL_H_

#include <memory>
#include <string>

#include "src/sql/expr/expr.h"

namespace bennu::sql {

// can_fail and deterministic of 'expr' also say what its children are.
void InheritFlags(BoundExpr* expr);
// 'expr', or its value when nothing in it can change. Its flags and type are complete.
Result<BoundExprPtr> Fold(std::shared_ptr<BoundExpr> expr, int64_t now_millis = 0);
// The error with a place, unless it has one.
Status AtPosition(const Status& error, int32_t position);
// 203 "VARCHAR for (1 + 'a')".
Status MismatchFor(TypeId type, const std::string& text, int32_t position);
// 203 "DATE and VARCHAR for A = 'x'".
Status MismatchFor(TypeId a, TypeId b, const std::string& text, int32_t position);
// 'value' as 'type' for a comparison or a calculation; itself when it is that already.
Result<BoundExprPtr> Convert(BoundExprPtr value, const DataType& type);

// 'value', a conversion of 'original' that labels do not show.
BoundExprPtr HideConversion(BoundExprPtr value, const BoundExpr& original);
// 'value', in labels 'text' if it is a constant.
BoundExprPtr Relabel(BoundExprPtr value, std::string text);

// The same for a kernel, which looks at physical types only.
Result<BoundExprPtr> ConvertPhysical(BoundExprPtr value, const DataType& type);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_MAKE_INTERNAL_H_
