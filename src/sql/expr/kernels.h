// Loops over vectors that evaluation is made of. For this folder and the library of functions.
//
// Each takes operands that may be constant vectors, and writes rows [0, count) of 'out', which is
// flat, of the result's type and without NULLs beforehand.
#ifndef BENNU_SRC_SQL_EXPR_KERNELS_H_
#define BENNU_SRC_SQL_EXPR_KERNELS_H_

#include "src/sql/expr/expr.h"

namespace bennu::sql {

// out's row is NULL where in's is.
void MergeNulls(const Vector& in, size_t count, Vector* out);
// Reads a vector row by row whether it is constant or flat.
template <typename T>
class Reader {
 public:
  explicit Reader(const Vector& vector)
      : data_(vector.data<T>()), mask_(vector.is_constant() ? 0 : ~size_t{0}) {}
  const T& operator[](size_t row) const { return data_[row & mask_]; }

 private:
  const T* const data_;
  const size_t mask_;
};

// ---- arithmetic.cc
Status ArithmeticKernel(const BoundExpr& expr, const Vector& left, const Vector& right,
                        size_t count, Vector* out);

// ---- compare.cc: both sides of the physical type of 'type'
void CompareKernel(ComparisonOp op, const Vector& left, const Vector& right, size_t count,
                   Vector* out);
// Three-way, of rows that are not NULL.
int CompareRows(const Vector& left, size_t left_row, const Vector& right, size_t right_row);

// ---- cast.cc
// 'text' is for messages.
Status CastKernel(const Vector& in, const DataType& to, bool implicit_cast, size_t count,
                  Vector* out);

// ---- like.cc
// What LIKE compares with when the pattern has no wildcard; nothing when it has one.
std::optional<std::string> TextOfPattern(std::string_view pattern);
std::shared_ptr<const FunctionState> CompileLike(std::string_view pattern, bool case_insensitive);
void LikeKernel(const Vector& text, const FunctionState& compiled, bool negated, size_t count,
                Vector* out);
bool LikeMatches(std::string_view text, std::string_view pattern, bool case_insensitive);
// A CHAR and a pattern that was bound: without wildcards it is an equality, for which blanks at the
// end do not count.
bool CharLikeMatches(std::string_view text, std::string_view pattern);

// ---- in_set.cc
// Constants of 'type', none of them NULL.
std::shared_ptr<const FunctionState> BuildInSet(const std::vector<Value>& values,
                                                const DataType& type);
// out = value is in the set.
void InSetKernel(const Vector& value, const FunctionState& set, size_t count, Vector* out);

// ---- array_kernels.cc
// ARRAY[…] row by row.
Status ArrayKernel(const BoundExpr& expr, std::span<const Vector* const> elements, size_t count,
                   Vector* out);
// Of a kQuantified expression: the comparison over slot 0, an element, and slot 1, the value that
// it is compared with.
struct QuantifiedState : FunctionState {
  BoundExprPtr compare;
  DataType element;
};
Status QuantifiedKernel(const BoundExpr& expr, const Vector& array, const Vector& left,
                        size_t count, EvalContext* context, Vector* out);

// ---- text_of.cc: as '||' and TO_CHAR without a format write a value
void AppendConcatText(const Vector& vector, size_t row, std::string* out);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_KERNELS_H_
