// A cluster on which files of recorded SQL run one after another. What a file leaves behind goes
// before the next one, so that each begins with the tables of SYSTEM as they were made.
#ifndef BENNU_SRC_CLI_SQLTEST_CLUSTER_H_
#define BENNU_SRC_CLI_SQLTEST_CLUSTER_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"

namespace bennu::cli {

// One thread only. Nobody else may use the cluster's tables meanwhile.
class SqlTestCluster {
 public:
  // Makes the tables of SYSTEM where the cluster has none. 'conf': properties as of --conf.
  // FailedPrecondition: the cluster has other tables, which a run would drop. Errors are also those
  // of Database::Open.
  static Result<std::unique_ptr<SqlTestCluster>> Open(const std::string& target,
                                                      const std::vector<std::string>& conf);

  // A database of its own for each file, which knows nothing of the definitions before it.
  Result<std::unique_ptr<Database>> OpenDatabase() const;

  // Drops all tables but SYSTEM's, and deletes what SYSTEM's tables did not have in the beginning.
  // 'without_markers': delete markers go as well, which would hide what is written at an earlier
  // time.
  Status Clean(bool without_markers);

 private:
  using CellPlace = std::tuple<Bytes, Bytes, int64_t>;  // family, qualifier, timestamp
  using Rows = std::map<Bytes, std::set<CellPlace>>;

  SqlTestCluster(std::string target, std::vector<std::string> conf)
      : target_(std::move(target)), conf_(std::move(conf)) {}

  static Result<Rows> RowsOf(Table* table);

  const std::string target_;
  const std::vector<std::string> conf_;
  std::unique_ptr<Database> database_;  // for this class alone
  std::map<TableName, Rows> system_;    // as they were in the beginning
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_CLUSTER_H_
