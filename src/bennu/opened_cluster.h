// OpenedCluster: SQL of this process over a cluster that is served elsewhere, an Apache HBase or a
// `bennu serve`.
#ifndef BENNU_SRC_BENNU_OPENED_CLUSTER_H_
#define BENNU_SRC_BENNU_OPENED_CLUSTER_H_

#include <memory>
#include <string>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/bennu/sql_host.h"
#include "src/client/connect.h"

namespace bennu::front {

// Thread-safe.
class OpenedCluster {
 public:
  // 'target': a form of client/cluster_url.h. Errors are those of client::ReadClusterOptions; also
  // InvalidArgument: a property of Phoenix's; IoError, TimedOut: nobody answers there.
  static Result<std::unique_ptr<OpenedCluster>> Open(const std::string& target,
                                                     const DatabaseOptions& options);

  OpenedCluster(const OpenedCluster&) = delete;
  OpenedCluster& operator=(const OpenedCluster&) = delete;

  SqlHost* sql_host() { return sql_host_.get(); }

 private:
  explicit OpenedCluster(std::unique_ptr<client::ClusterConnection> connection)
      : connection_(std::move(connection)) {}

  const std::unique_ptr<client::ClusterConnection> connection_;
  std::unique_ptr<SqlHost> sql_host_;  // set by Open; goes before the connection
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_OPENED_CLUSTER_H_
