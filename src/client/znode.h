// What HBase keeps in ZooKeeper for its clients, decoded.
//
//   OFFSET  SIZE
//        0     1  FF, if the writer put its name in front; else the payload begins here
//        1     4  length of the name, big-endian
//        5     n  name, such as "master:16000" and 8 random bytes
//      5+n     4  "PBUF"
//      9+n        protobuf message
//
// Source: hbase-zookeeper spec sections 1 and 2; RecoverableZooKeeper and ProtobufUtil of HBase.
#ifndef BENNU_SRC_CLIENT_ZNODE_H_
#define BENNU_SRC_CLIENT_ZNODE_H_

#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/client/address.h"

namespace bennu::client {

// Pure functions, for bytes that a stranger may have written. Corruption: the bytes are not what
// HBase writes; the message does not name the znode, which the caller knows.

// Of "hbaseid".
Result<std::string> ClusterIdOfZnode(ByteView data);
// Of "master": the active master.
Result<Address> MasterOfZnode(ByteView data);
// Of "meta-region-server": who has hbase:meta. Aborted: hbase:meta is not open there.
Result<Address> MetaServerOfZnode(ByteView data);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ZNODE_H_
