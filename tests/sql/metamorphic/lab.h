// Lab: a store that statements are tried on. Keeps what was done to it, as a script that can be run
// again with `bennu sql`. One thread only.
#ifndef BENNU_TESTS_SQL_METAMORPHIC_LAB_H_
#define BENNU_TESTS_SQL_METAMORPHIC_LAB_H_

#include <memory>
#include <string>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "tests/sql/generator/choices.h"

namespace bennu::sql::testing {

// Each row's values with tabs between.
using Rows = std::vector<std::string>;

class Lab {
 public:
  // The store must be in a directory that 'path' names and that does not exist.
  static Result<std::unique_ptr<Lab>> Open(const std::string& path);

  // A statement that changes something; goes into the script when it succeeds.
  Status Run(const std::string& sql);
  // A query; not a part of the script. Cells whose text has a tab do not occur.
  Result<Rows> Ask(const std::string& sql);

  // What must not show in any answer: memstores written out, files merged, regions split.
  Status Disturb(const std::string& table, Choices* choices);

  // The statements since the last Forget.
  const std::string& script() const { return script_; }
  void Forget() { script_.clear(); }

 private:
  Status Split(const TableName& name, Choices* choices);

  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> connection_;
  std::string script_;
};

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_METAMORPHIC_LAB_H_
