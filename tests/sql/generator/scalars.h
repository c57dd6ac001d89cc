// Values made of a table's columns by functions, operators and casts, as SQL text. Well typed, but
// they may fail where a value is out of a function's or type's domain. Nothing depends on the
// clock.
#ifndef BENNU_TESTS_SQL_GENERATOR_SCALARS_H_
#define BENNU_TESTS_SQL_GENERATOR_SCALARS_H_

#include <string>
#include <vector>

#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/expressions.h"
#include "tests/sql/generator/model.h"

namespace bennu::sql::testing {

class ScalarMaker {
 public:
  // 'choices' and 'table' must outlive this.
  ScalarMaker(Choices* choices, const TableModel* table, const std::string& prefix = "")
      : choices_(choices), table_(table), prefix_(prefix), expressions_(choices, table, prefix) {}

  // Of any type.
  std::string Any(int depth = 2);
  std::string Number(int depth);
  std::string Text(int depth);
  std::string Time(int depth);
  std::string Bytes(int depth);
  std::string Array(int depth);
  // A comparison between values of one type.
  std::string Condition(int depth);

 private:
  // A column of one of the kinds, or else a constant of the first one.
  std::string ColumnOf(const std::vector<Kind>& kinds);
  std::string Pick(const std::vector<std::string>& from) { return choices_->Pick(from); }

  // The operands of CASE and COALESCE; see ExpressionMaker::Scalar.
  template <typename F>
  std::string Ascending(F make) {
    ++ascending_;
    std::string text = make();
    --ascending_;
    return text;
  }

  Choices* const choices_;
  const TableModel* const table_;
  const std::string prefix_;
  ExpressionMaker expressions_;
  int ascending_ = 0;  // more than 0: no descending columns
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_SCALARS_H_
