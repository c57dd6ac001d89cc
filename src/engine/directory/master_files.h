// What servers keep of an HBase master's own state: HBase 2.5 has it in ZooKeeper, and nothing of
// it stays below a root directory. Replication peers are in .bennu.peers, switches in
// .bennu.switches.
//
//   checksum: CRC32C of what follows, big-endian, 4 bytes | ReplicationPeersFile or SwitchesFile
#ifndef BENNU_SRC_ENGINE_DIRECTORY_MASTER_FILES_H_
#define BENNU_SRC_ENGINE_DIRECTORY_MASTER_FILES_H_

#include "bennu/status.h"
#include "proto/replication.pb.h"
#include "proto/switches_file.pb.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"

namespace bennu::engine {

// No peers, or no switches, where there is no such file. Corruption: it is damaged.
Result<pb::ReplicationPeersFile> ReadPeers(Env* env, const RootLayout& layout);
Result<pb::SwitchesFile> ReadSwitches(Env* env, const RootLayout& layout);
// Durable when they return; after an error what was there before is there still.
Status WritePeers(Env* env, const RootLayout& layout, const pb::ReplicationPeersFile& peers);
Status WriteSwitches(Env* env, const RootLayout& layout, const pb::SwitchesFile& switches);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_MASTER_FILES_H_
