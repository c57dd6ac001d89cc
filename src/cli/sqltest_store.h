// The scratch store of one file of recorded SQL, and what hostile modes do to it; or a cluster, to
// which they do nothing.
#ifndef BENNU_SRC_CLI_SQLTEST_STORE_H_
#define BENNU_SRC_CLI_SQLTEST_STORE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/cli/sqltest_cluster.h"
#include "src/cli/sqltest_modes.h"
#include "src/server/server.h"

namespace bennu::cli {

// Owns its directory while it lives; the caller removes it. One thread only, but the database that
// it holds may be used by others between the calls.
class SqlTestStore {
 public:
  // 'conf': properties as of --conf.
  static Result<std::unique_ptr<SqlTestStore>> Open(const std::string& directory,
                                                    const SqlTestModes& modes,
                                                    const std::vector<std::string>& conf);

  // Of SQL over a cluster, which is clean. 'cluster' need not outlive it.
  static Result<std::unique_ptr<SqlTestStore>> OpenOn(const SqlTestCluster& cluster);

  Database* database() { return database_.get(); }  // another one after Restart; null: served
  // Another one after Restart.
  Connection* connection();
  Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& options);
  const std::string& directory() const { return directory_; }
  const SqlTestModes& modes() const { return modes_; }
  bool is_cluster() const { return directory_.empty(); }

  Status FlushAll();
  Status CompactAll(bool major);
  // Closes and opens again. Nothing that came from here may be in use any more.
  Status Restart();
  // Opens what a process that dies now leaves behind: a copy of the directory, made while the store
  // is open. Nothing may write meanwhile. Then as Restart.
  Status RestartKilled();

 private:
  SqlTestStore(std::string directory, const SqlTestModes& modes, std::vector<std::string> conf)
      : directory_(std::move(directory)), modes_(modes), conf_(std::move(conf)) {}
  Status OpenStore();
  void Close();
  Status ForEachTable(const std::function<Status(Admin*, const TableName&)>& work);

  const std::string directory_;
  const SqlTestModes modes_;
  const std::vector<std::string> conf_;
  // One of them; both where the database is over the server, which goes last.
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<Database> database_;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_STORE_H_
