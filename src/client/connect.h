// A cluster's tables through the data API: a running `bennu serve`, or a real HBase.
#ifndef BENNU_SRC_CLIENT_CONNECT_H_
#define BENNU_SRC_CLIENT_CONNECT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "bennu/scan.h"
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
  virtual Result<int32_t> PhoenixVersion(const TableName& catalog, ByteView row) = 0;
  virtual Result<bool> KeepsIndexes() = 0;
  // As Table::OpenScanner, with attributes for classes that the servers have loaded.
  virtual Result<std::unique_ptr<Scanner>> OpenScanner(
      const TableName& table, const Scan& scan, const std::map<std::string, Bytes>& attributes) = 0;
};

// Thread-safe. What differs from the data API's letter: docs/client.md.
// IoError, TimedOut: no server of the registry answers. FailedPrecondition: ZooKeeper does not know
// the cluster. InvalidArgument: wrong options.
Result<std::unique_ptr<ClusterConnection>> Connect(const ClientOptions& options);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CONNECT_H_
