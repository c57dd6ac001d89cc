// Relations between queries that must hold whatever the data: what one query answers follows from
// the answers of others. Ternary logic partitioning and counting without an optimizer are
// SQLancer's ideas (Rigger and Su, 2020).
#ifndef BENNU_TESTS_SQL_METAMORPHIC_RELATIONS_H_
#define BENNU_TESTS_SQL_METAMORPHIC_RELATIONS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/model.h"
#include "tests/sql/metamorphic/lab.h"

namespace bennu::sql::testing {

// The same rows, stored in several ways.
struct Subject {
  TableModel model;
  std::vector<std::string> tables;
};

// What a relation is tried on. The pointers must outlive it.
struct Trial {
  Lab* lab = nullptr;
  Choices* choices = nullptr;
  const Subject* first = nullptr;
  const Subject* second =
      nullptr;  // for joins; what its tables hold has nothing to do with first's
};

// Why a relation does not hold: what is wrong, and the statements that show it.
struct Finding {
  std::string what;
  std::vector<std::string> queries;
};

struct Relation {
  const char* name;
  std::optional<Finding> (*check)(const Trial& trial);
};

const std::vector<Relation>& Relations();

// Sum of the queries that failed although the generator means them to work, with an example of each
// message; for the report at the end of a run.
class Failures {
 public:
  static Failures& Seen();
  void Add(const std::string& message, const std::string& sql);
  size_t count() const { return count_; }
  const std::vector<std::pair<std::string, std::string>>& examples() const { return examples_; }

 private:
  size_t count_ = 0;
  std::vector<std::pair<std::string, std::string>> examples_;
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_METAMORPHIC_RELATIONS_H_
