// A cluster's tables through the data API: a running `bennu serve`, or a real HBase.
#ifndef BENNU_SRC_CLIENT_CONNECT_H_
#define BENNU_SRC_CLIENT_CONNECT_H_

#include <memory>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/api/cluster_control.h"
#include "src/client/endpoint_call.h"
#include "src/client/options.h"

namespace bennu::client {

// A connection to a cluster, and what an operator may ask of it.
class ClusterConnection : public Connection {
 public:
  virtual api::ClusterControl* control() = 0;  // lives as long as this
  // See endpoint_call.h.
  virtual Status ForgetPhoenixDefinition(const PhoenixDefinition& definition) = 0;
  virtual Result<bool> KeepsIndexes() = 0;
};

// Thread-safe. What differs from the data API's letter: docs/client.md.
// IoError, TimedOut: no server of the registry answers. FailedPrecondition: ZooKeeper does not know
// the cluster. InvalidArgument: wrong options.
Result<std::unique_ptr<ClusterConnection>> Connect(const ClientOptions& options);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CONNECT_H_
