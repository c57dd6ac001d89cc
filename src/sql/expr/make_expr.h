// Building bound expressions: each function checks its operands' types with Phoenix's errors, puts
// in the casts that comparison and arithmetic need, and folds what is constant.
//
// 'position' goes into errors. Errors everywhere: 203 types do not go together; 201, 202, 206 when
// a constant expression fails; for a folded one the same as at run time.
#ifndef BENNU_SRC_SQL_EXPR_MAKE_EXPR_H_
#define BENNU_SRC_SQL_EXPR_MAKE_EXPR_H_

#include <string>
#include <vector>

#include "src/sql/expr/expr.h"

namespace bennu::sql {

BoundExprPtr MakeSlot(size_t slot, const DataType& type, std::string name, bool nullable = true,
                      int32_t position = -1);
BoundExprPtr MakeConstant(Value value, int32_t position = -1);
// 'index' counts from 0.
BoundExprPtr MakeParameter(size_t index, const DataType& type, int32_t position = -1);

// Integers give BIGINT (201 beyond it), any DECIMAL DECIMAL, else a FLOAT or DOUBLE gives DOUBLE;
// dates with numbers and with each other as phoenix-types section 5 says. Division by a constant
// zero: 202.
Result<BoundExprPtr> MakeArithmetic(ArithmeticOp op, BoundExprPtr left, BoundExprPtr right,
                                    int32_t position = -1);
Result<BoundExprPtr> MakeNegate(BoundExprPtr value, int32_t position = -1);  // value * -1
Result<BoundExprPtr> MakeConcat(std::vector<BoundExprPtr> parts, int32_t position = -1);

Result<BoundExprPtr> MakeCompare(ComparisonOp op, BoundExprPtr left, BoundExprPtr right,
                                 int32_t position = -1);
// Lexicographic; both sides of the same length.
Result<BoundExprPtr> MakeRowCompare(ComparisonOp op, std::vector<BoundExprPtr> left,
                                    std::vector<BoundExprPtr> right, int32_t position = -1);
Result<BoundExprPtr> MakeBetween(BoundExprPtr value, BoundExprPtr low, BoundExprPtr high,
                                 bool negated, int32_t position = -1);
Result<BoundExprPtr> MakeIn(BoundExprPtr value, std::vector<BoundExprPtr> list, bool negated,
                            int32_t position = -1);
// The text that a pattern of LIKE without wildcards stands for; none: it has some.
std::optional<std::string> LikePlainText(std::string_view pattern);
// Whether a pattern is nothing but %, which every text matches.
bool LikeAnyText(std::string_view pattern);
Result<BoundExprPtr> MakeLike(BoundExprPtr value, BoundExprPtr pattern, bool negated,
                              bool case_insensitive, int32_t position = -1);
Result<BoundExprPtr> MakeIsNull(BoundExprPtr value, bool negated, int32_t position = -1);

// ARRAY[…]; the elements go into a common type (203 otherwise). 201: no array of that type.
Result<BoundExprPtr> MakeArrayOf(std::vector<BoundExprPtr> elements, int32_t position = -1);
// left op ANY(array), or ALL.
Result<BoundExprPtr> MakeQuantified(ComparisonOp op, BoundExprPtr left, BoundExprPtr array,
                                    bool all, int32_t position = -1);

// Operands are BOOLEAN (203 otherwise). One operand is returned as it is.
Result<BoundExprPtr> MakeAnd(std::vector<BoundExprPtr> operands, int32_t position = -1);
Result<BoundExprPtr> MakeOr(std::vector<BoundExprPtr> operands, int32_t position = -1);
Result<BoundExprPtr> MakeNot(BoundExprPtr operand, int32_t position = -1);

struct CaseBranch {
  BoundExprPtr when;  // BOOLEAN
  BoundExprPtr then;
};
// 'otherwise' may be null: NULL.
Result<BoundExprPtr> MakeCase(std::vector<CaseBranch> branches, BoundExprPtr otherwise,
                              int32_t position = -1);

// CAST(value AS type). 203 when there is no such cast.
Result<BoundExprPtr> MakeCast(BoundExprPtr value, const DataType& type, int32_t position = -1);
// Assignment: for VALUES, defaults, UPSERT SELECT. 203 when the types do not go together; for a
// constant also whether the value fits. 'what' names the target in messages.
Result<BoundExprPtr> MakeCoerce(BoundExprPtr value, const DataType& type, std::string_view what,
                                int32_t position = -1);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_MAKE_EXPR_H_
