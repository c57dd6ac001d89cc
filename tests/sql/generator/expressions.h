// Expressions over a table's columns that are well typed and do not fail, as SQL text.
#ifndef BENNU_TESTS_SQL_GENERATOR_EXPRESSIONS_H_
#define BENNU_TESTS_SQL_GENERATOR_EXPRESSIONS_H_

#include <string>
#include <vector>

#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/model.h"

namespace bennu::sql::testing {

struct ExpressionOptions {
  // LIKE takes NULL for the empty text in a select list, and only there.
  bool like = true;
  bool rows = true;  // row values: (K0, K1) > (1, 'a')
};

class ExpressionMaker {
 public:
  // 'choices' and 'table' must outlive this. 'prefix' stands before each column, such as "A.".
  ExpressionMaker(Choices* choices, const TableModel* table, std::string prefix = "",
                  ExpressionOptions options = {})
      : choices_(choices), table_(table), prefix_(std::move(prefix)), options_(options) {}

  std::string Predicate(int depth = 2);
  // Over the key's columns as far as possible: what becomes ranges, points and skip scans.
  std::string KeyPredicate(int depth = 2);
  // A value of that kind; a column of the table where there is one. What is computed is not
  // computed of descending columns, which the real CASE and COALESCE give with their bits turned.
  std::string Scalar(Kind kind, int depth = 1);
  // Any column, with the prefix.
  std::string AnyColumn();
  // One to group by: none whose groups Phoenix shows with their ends cut off.
  std::string GroupColumn();
  // A column of one of the whole numbers' kinds; Z when there is no other.
  std::string WholeColumn();

 private:
  std::string Name(const Column& column) const { return prefix_ + column.name; }
  const Column& PickColumn();
  const Column& PickKeyColumn();
  std::string Simple(const Column& column, int depth);
  std::string RowComparison();
  std::string Junction(int depth, bool keys);
  std::string SignedColumn();
  std::string WholeScalar(int depth);
  std::string TextScalar(int depth);

  Choices* const choices_;
  const TableModel* const table_;
  const std::string prefix_;
  const ExpressionOptions options_;
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_EXPRESSIONS_H_
