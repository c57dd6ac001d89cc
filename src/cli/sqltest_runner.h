// Runs one file of recorded SQL in a store of its own and compares everything that was recorded.
#ifndef BENNU_SRC_CLI_SQLTEST_RUNNER_H_
#define BENNU_SRC_CLI_SQLTEST_RUNNER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/cli/sqltest_file.h"
#include "src/cli/sqltest_modes.h"
#include "src/cli/sqltest_splits.h"
#include "src/cli/sqltest_store.h"

namespace bennu::cli {

// What became of one record; empty when it passed, else what was expected and what came.
using SqlTestVerdict = std::string;

class SqlTestRunner {
 public:
  // Gets every counted record with its verdict, or without one when the modes leave nothing to
  // compare.
  using Report = std::function<void(const SqlTestRecord&, const std::optional<SqlTestVerdict>&)>;

  // 'store' must outlive this.
  explicit SqlTestRunner(SqlTestStore* store) : store_(store), modes_(store->modes()) {}

  // Gathers the rows' keys while running, for a later run. Must outlive this.
  void CollectKeys(SqlTestKeys* keys) { collected_keys_ = keys; }
  // Where tables get their borders, in the mode 'split'. Must outlive this.
  void SplitBy(const SqlTestKeys* keys) { split_keys_ = keys; }

  // Runs the records in order.
  void Run(const std::vector<SqlTestRecord>& records, const Report& report);

 private:
  struct Session {
    ConnectOptions options;
    std::unique_ptr<SqlConnection> connection;            // null: it could not be opened
    std::vector<std::unique_ptr<SqlConnection>> writers;  // who send the same, mode 'writers'
    bool pending = false;                                 // has changes that are not committed
  };

  SqlTestVerdict RunRecord(const SqlTestRecord& record);
  SqlTestVerdict RunIndexed(const SqlTestRecord& record, bool repeated);
  SqlTestVerdict RunStatement(const SqlTestRecord& record);
  SqlTestVerdict RunRepeated(const SqlTestRecord& record);
  SqlTestVerdict RunQuery(const SqlTestRecord& record, bool by_index);
  SqlTestVerdict RunCells(const SqlTestRecord& record);
  SqlTestVerdict RunDescriptor(const SqlTestRecord& record);
  SqlTestVerdict RunTransaction(const SqlTestRecord& record);
  SqlTestVerdict CheckOutcome(const SqlTestRecord& record, const Status& status,
                              int64_t update_count) const;
  SqlTestVerdict CompareRows(const SqlTestRecord& record, const std::vector<ColumnInfo>& columns,
                             bool by_index, std::vector<std::string> rows) const;
  bool LooksBack(const SqlTestRecord& record) const;
  bool ShowsIndexes(const SqlTestRecord& record);
  void AwaitNextMillisecond();
  void UseConnection(const SqlTestRecord& record);
  void SetAutocommit(bool on);
  Result<std::unique_ptr<ResultSet>> Execute(SqlConnection* connection,
                                             const SqlTestRecord& record) const;

  // ---- what the modes do
  void NotePending(const SqlTestRecord& record);
  Status Collect();
  Status AfterWrite(const SqlTestRecord& record);
  bool IsIndexed() const;
  Status BeforeDrop();
  Status AfterDefinition(const SqlTestRecord& record);
  Status RestartStore();

  SqlTestStore* const store_;
  const SqlTestModes modes_;
  SqlTestKeys* collected_keys_ = nullptr;
  const SqlTestKeys* split_keys_ = nullptr;
  SqlTestTraits traits_;
  bool lacks_index_ = false;  // that the records made, and the mode does not
  std::map<std::string, Session> sessions_;
  Session* current_ = nullptr;
  std::string connection_error_;  // why the current connection cannot be had
  std::set<TableName> tables_;    // after the last definition, SYSTEM's left out
  std::set<TableName> salted_;    // those that the mode salted
  std::set<TableName> split_;     // those that the mode split
  int writes_ = 0;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_RUNNER_H_
