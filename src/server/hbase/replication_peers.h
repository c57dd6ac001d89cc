// Replication peers: other clusters that a table's changes are to be sent to. Operators and clients
// may add, look at, change and remove them as at HBase's master; Bennu sends them nothing.
// Source: ReplicationPeerManager of HBase 2.5.
#ifndef BENNU_SRC_SERVER_HBASE_REPLICATION_PEERS_H_
#define BENNU_SRC_SERVER_HBASE_REPLICATION_PEERS_H_

#include <map>
#include <string>
#include <vector>

#include "proto/replication.pb.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/engine/directory/root_layout.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

// Thread-safe. Every change is on the disk when it returns; after an error nothing has changed.
class ReplicationPeers {
 public:
  // 'env' outlives it. A file that is damaged fails the calls, not the server.
  ReplicationPeers(Env* env, const std::string& root);

  CallError Add(const pb::AddReplicationPeerRequest& request);
  CallError Remove(const std::string& id);
  CallError SetState(const std::string& id, pb::ReplicationState::State state);
  // The cluster and the endpoint stay; properties that are not named stay, too.
  CallError Update(const pb::UpdateReplicationPeerConfigRequest& request);
  CallError Get(const std::string& id, pb::ReplicationPeerDescription* peer) const;
  // By id.
  CallError List(std::vector<pb::ReplicationPeerDescription>* peers) const;

 private:
  using Peers = std::map<std::string, pb::ReplicationPeerDescription>;

  CallError CheckFile() const REQUIRES(mu_);
  CallError Find(const std::string& id, pb::ReplicationPeerDescription* peer) const REQUIRES(mu_);
  CallError Save(Peers peers) REQUIRES(mu_);

  Env* const env_;
  const engine::RootLayout layout_;
  mutable Mutex mu_;
  Status damage_ GUARDED_BY(mu_);
  Peers peers_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_REPLICATION_PEERS_H_
