// Runs one file of recorded SQL in a store of its own and compares everything that was recorded.
#ifndef BENNU_SRC_CLI_SQLTEST_RUNNER_H_
#define BENNU_SRC_CLI_SQLTEST_RUNNER_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/cli/sqltest_file.h"

namespace bennu::cli {

// What became of one record; empty when it passed, else what was expected and what came.
using SqlTestVerdict = std::string;

class SqlTestRunner {
 public:
  explicit SqlTestRunner(Database* database) : database_(database) {}  // must outlive this

  // Runs the records in order. 'report' gets every counted record with its verdict.
  void Run(const std::vector<SqlTestRecord>& records,
           const std::function<void(const SqlTestRecord&, const SqlTestVerdict&)>& report);

 private:
  SqlTestVerdict RunRecord(const SqlTestRecord& record);
  SqlTestVerdict RunStatement(const SqlTestRecord& record);
  SqlTestVerdict RunQuery(const SqlTestRecord& record);
  SqlTestVerdict RunCells(const SqlTestRecord& record);
  SqlTestVerdict RunDescriptor(const SqlTestRecord& record);
  SqlTestVerdict RunTransaction(const SqlTestRecord& record);
  SqlTestVerdict CheckOutcome(const SqlTestRecord& record, const Status& status,
                              int64_t update_count) const;
  void UseConnection(const SqlTestRecord& record);
  Result<std::unique_ptr<ResultSet>> Execute(const SqlTestRecord& record);

  Database* const database_;
  std::map<std::string, std::unique_ptr<SqlConnection>> connections_;
  SqlConnection* current_ = nullptr;
  std::string connection_error_;  // why the current connection can not be had
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_RUNNER_H_
