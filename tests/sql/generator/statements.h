// Statements of Phoenix's grammar that need not make sense: any function over anything, unknown
// names, numbers out of all range. For a fuzzer: whatever comes, there is an answer or an error.
#ifndef BENNU_TESTS_SQL_GENERATOR_STATEMENTS_H_
#define BENNU_TESTS_SQL_GENERATOR_STATEMENTS_H_

#include <string>
#include <vector>

#include "tests/sql/generator/choices.h"

namespace bennu::sql::testing {

class StatementMaker {
 public:
  // 'choices' must outlive this.
  explicit StatementMaker(Choices* choices) : choices_(choices) {}

  // The definitions that the statements' names refer to, with some rows.
  static const std::vector<std::string>& Fixture();

  std::string Statement();

 private:
  // ---- parts of queries
  std::string Select(int depth);
  std::string SingleSelect(int depth);
  std::string TableReference(int depth);
  std::string Joined(int depth);
  std::string Hint();

  // ---- expressions
  std::string Expression(int depth);
  std::string Leaf();
  std::string Number();
  std::string Text();
  std::string Call(int depth);
  std::string Aggregate(int depth);
  std::string Condition(int depth);
  std::string Type();
  std::string List(int depth, size_t count_max);
  std::string Column();
  std::string Table();

  // ---- other statements
  std::string Create();
  std::string ColumnDefinition(size_t index);
  std::string Option();
  std::string Upsert();
  std::string Alter();
  std::string Other();

  const std::string& Pick(const std::vector<std::string>& from) { return choices_->Pick(from); }

  Choices* const choices_;
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_STATEMENTS_H_
