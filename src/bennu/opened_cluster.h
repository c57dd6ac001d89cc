// OpenedCluster: SQL of this process over a cluster that is served elsewhere, an Apache HBase or a
// `bennu serve`.
#ifndef BENNU_SRC_BENNU_OPENED_CLUSTER_H_
#define BENNU_SRC_BENNU_OPENED_CLUSTER_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/bennu/sql_host.h"
#include "src/client/connect.h"
#include "src/client/options.h"
#include "src/sql/index/cluster_indexes.h"

namespace bennu::front {

// InvalidArgument: a property of 'target' or of 'asked' means nothing to SQL over a cluster.
// 'others' are the properties that client::ReadClusterOptions leaves to SQL. Those of them that
// come from a file are not refused, since a site file has many that are meant for somebody else.
Status CheckSqlProperties(const std::string& target,
                          const std::map<std::string, std::string>& asked,
                          const std::map<std::string, std::string>& others);

// Thread-safe.
class OpenedCluster {
 public:
  // 'target': a form of client/cluster_url.h. Errors are those of client::ReadClusterOptions; also
  // CheckSqlProperties of the target, and InvalidArgument: a property of Phoenix's; IoError,
  // TimedOut: nobody answers there.
  static Result<std::unique_ptr<OpenedCluster>> Open(const std::string& target,
                                                     const DatabaseOptions& options);

  OpenedCluster(const OpenedCluster&) = delete;
  OpenedCluster& operator=(const OpenedCluster&) = delete;

  SqlHost* sql_host() { return sql_host_.get(); }
  // How the cluster was named, without what may be a password.
  const std::string& target() const { return target_; }
  // A connection of its own for who would rather know soon than be sure: operations have so much
  // time, and are tried again once. Errors are those of client::Connect. It does not need this.
  Result<std::unique_ptr<client::ClusterConnection>> ConnectAgain(
      std::chrono::milliseconds patience) const;

 private:
  OpenedCluster(std::string target, client::ClientOptions options,
                std::unique_ptr<client::ClusterConnection> connection)
      : target_(std::move(target)),
        options_(std::move(options)),
        connection_(std::move(connection)) {}

  const std::string target_;
  const client::ClientOptions options_;
  const std::unique_ptr<client::ClusterConnection> connection_;
  std::unique_ptr<sql::index::ClusterIndexes> indexes_;  // set by Open
  std::unique_ptr<SqlHost> sql_host_;                    // set by Open; goes before the connection
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_OPENED_CLUSTER_H_
