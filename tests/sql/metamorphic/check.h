// Check: the queries of one relation and what they answered.
#ifndef BENNU_TESTS_SQL_METAMORPHIC_CHECK_H_
#define BENNU_TESTS_SQL_METAMORPHIC_CHECK_H_

#include <optional>
#include <string>
#include <vector>

#include "tests/sql/metamorphic/relations.h"

namespace bennu::sql::testing {

class Check {
 public:
  explicit Check(const Trial& trial) : lab_(trial.lab) {}

  // In the order in which they come; none when the query fails.
  Rows Ask(const std::string& sql);
  Rows AskSorted(const std::string& sql);
  // A statement that changes something.
  void Run(const std::string& sql);

  void Equal(const Rows& expected, const Rows& actual, const std::string& what);
  void That(bool holds, const std::string& what);

  // Nothing when all held. Nothing too when every query failed: then the generator was wrong, which
  // Failures remembers. A query that fails where another one does not is a finding.
  std::optional<Finding> Verdict() &&;

 private:
  Lab* const lab_;
  Finding finding_;
  std::vector<std::string> errors_;
  size_t answers_ = 0;
};

// All rows of several answers, sorted.
Rows Together(std::vector<Rows> parts);
Rows WithoutDuplicates(Rows rows);

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_METAMORPHIC_CHECK_H_
