// Expressions over a table's rows in the form in which Phoenix's clients send them to its servers:
// VInt number of the class, and then what an object of that class writes.
//
// Source: phoenix-pushdown spec section 5, phoenix-keys spec section 4.
#ifndef BENNU_SRC_SQL_INDEX_PHOENIX_EXPRESSION_H_
#define BENNU_SRC_SQL_INDEX_PHOENIX_EXPRESSION_H_

#include <span>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/expr/expr.h"
#include "src/sql/plan/scan_column.h"

namespace bennu::sql::index {

// VInt length, and the bytes.
void AppendByteArray(ByteView bytes, Bytes* text);

// Stateless but for what it is given, which must outlive it.
class PhoenixExpressions {
 public:
  // 'columns' fill in the slots of expressions from rows of 'table'.
  PhoenixExpressions(const catalog::TableMeta& table, std::span<const plan::ScanColumn> columns)
      : table_(table), columns_(columns) {}

  // NotSupported, with what cannot be told in the message, as in "the function RAND": what Phoenix
  // 5.2 does not have, or computes otherwise.
  Result<Bytes> Describe(const BoundExpr& expr) const;
  // What is true where the condition is (null: everywhere) and none of the columns is NULL, and
  // false elsewhere, where it is unknown too.
  Result<Bytes> DescribeCondition(const BoundExpr* condition,
                                  std::span<const catalog::ColumnMeta* const> present) const;
  // The column of the table that a slot holds; null: it is made of something else.
  const catalog::ColumnMeta* ColumnOf(size_t slot) const;

 private:
  Status Append(const BoundExpr& expr, Bytes* text) const;
  Status AppendAll(std::span<const BoundExprPtr> children, Bytes* text) const;
  Status AppendColumn(const catalog::ColumnMeta& column, Bytes* text) const;
  Status AppendKeyColumn(const catalog::ColumnMeta& column, Bytes* text) const;
  Status AppendArithmetic(const BoundExpr& expr, Bytes* text) const;
  Status AppendCase(const BoundExpr& expr, Bytes* text) const;
  // A value that is true where the expression is 'wanted', and false elsewhere: never NULL.
  Status AppendTruth(const BoundExpr& expr, bool wanted, Bytes* text) const;
  Status AppendLogic(const BoundExpr& expr, Bytes* text) const;
  Status AppendCast(const BoundExpr& expr, Bytes* text) const;
  Status AppendLike(const BoundExpr& expr, Bytes* text) const;
  Status AppendFunction(const BoundExpr& expr, Bytes* text) const;
  Status AppendRounding(const BoundExpr& expr, Bytes* text) const;
  Status AppendRoundDecimal(const BoundExpr& child, int32_t digits, Bytes* text) const;

  const catalog::TableMeta& table_;
  const std::span<const plan::ScanColumn> columns_;
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_PHOENIX_EXPRESSION_H_
