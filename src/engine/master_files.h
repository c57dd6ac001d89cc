// Replication peers of a store, which servers keep in its .bennu.peers: HBase 2.5 has them in
// ZooKeeper, and nothing of it stays below a root directory.
//
//   checksum: CRC32C of what follows, big-endian, 4 bytes | ReplicationPeersFile
#ifndef BENNU_SRC_ENGINE_PEERS_FILE_H_
#define BENNU_SRC_ENGINE_PEERS_FILE_H_

#include "bennu/status.h"
#include "proto/replication.pb.h"
#include "src/base/env.h"
#include "src/engine/root_layout.h"

namespace bennu::engine {

// No peers where there is no such file. Corruption: it is damaged.
Result<pb::ReplicationPeersFile> ReadPeers(Env* env, const RootLayout& layout);
// Durable when it returns; after an error what was there before is there still.
Status WritePeers(Env* env, const RootLayout& layout, const pb::ReplicationPeersFile& peers);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_PEERS_FILE_H_
