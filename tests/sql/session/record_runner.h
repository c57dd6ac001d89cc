// Runs the records of a recorded file on sessions over a store that starts empty.
#ifndef BENNU_TESTS_SQL_SESSION_RECORD_RUNNER_H_
#define BENNU_TESTS_SQL_SESSION_RECORD_RUNNER_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/sqltest_file.h"

namespace bennu::sql::session {

enum class Outcome { kPassed, kFailed, kSkipped };

struct RecordResult {
  Outcome outcome = Outcome::kPassed;
  std::string difference;  // of a failed record
};

class RecordRunner {
 public:
  // Without a planner, queries are skipped, and so is what depends on statements that need one.
  explicit RecordRunner(PrepareQueryFunction planner);

  RecordResult Run(const testing::TestRecord& record);

 private:
  RecordResult RunStatement(const testing::TestRecord& record);
  RecordResult RunQuery(const testing::TestRecord& record);
  RecordResult CompareCells(const testing::TestRecord& record, bool raw);
  RecordResult CompareDescriptor(const testing::TestRecord& record);
  RecordResult Judge(const testing::TestRecord& record, const Status& status);
  Status OpenConnection(const testing::TestRecord& record);
  bool NeedsPlanner(const Status& status) const;

  const bool has_planner_;
  testing::MemoryStore store_;
  std::unique_ptr<SqlStore> sql_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
  Session* current_ = nullptr;
  std::set<std::string> incomplete_tables_;  // a skipped statement would have changed them
};

}  // namespace bennu::sql::session

#endif  // BENNU_TESTS_SQL_SESSION_RECORD_RUNNER_H_
