// Reads of a row that secondary replicas of its region may answer.
// Source: RpcRetryingCallerWithReadReplicas of HBase; "Timeline-consistent High Available Reads" of
// its reference guide.
#ifndef BENNU_SRC_CLIENT_REPLICA_GET_H_
#define BENNU_SRC_CLIENT_REPLICA_GET_H_

#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "proto/client.pb.h"
#include "src/client/cluster.h"
#include "src/client/operation.h"

namespace bennu::client {

// Whether the read is for the primary alone, as nearly all are.
template <typename Read>
bool ReadsPrimary(const Read& read) {
  return read.replica_id == 0 || (read.consistency == Consistency::kStrong && read.replica_id < 0);
}

// The name and the server of a replica of the region; null: of its primary.
inline const Bytes& NameOf(const RegionLocation& region, const RegionReplica* replica) {
  return replica == nullptr ? region.name : replica->name;
}
inline const Address& ServerOf(const RegionLocation& region, const RegionReplica* replica) {
  return replica == nullptr ? *region.server : replica->server;
}
// The replica with this id. Null: the region has none on a server at the moment.
const RegionReplica* FindReplica(const RegionLocation& region, int32_t id);
// What is told then.
Status NoReplica(const RegionLocation& region, int32_t id);

// One attempt of 'operation' at the Get, of which '*request' is the call but for its region: asks
// the replica that it names; or the primary, and the secondaries too when it has not answered after
// ClientOptions::primary_patience_get or failed. The first answer counts. Its Result says whether
// it is stale.
CallOutcome CallReplicas(Cluster* cluster, const TableName& table, const Get& get,
                         pb::GetRequest* request, Operation* operation);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_REPLICA_GET_H_
