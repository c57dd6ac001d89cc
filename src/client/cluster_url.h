// How users name a cluster: in HBase's connection URIs, in Phoenix's JDBC URLs, or as HOST:PORT.
//
//   hbase://zk1,zk2:2181/hbase           ZooKeeper, and the znode of the cluster
//   hbase+zk://zk1,zk2:2181/hbase        the same
//   hbase+rpc://m1:16000,m2:16000        masters or region servers
//   hbase:  hbase+zk:  hbase+rpc:        what the configuration names
//     each with ?NAME=VALUE&NAME=VALUE   properties; %XX is a byte
//   jdbc:phoenix:zk1,zk2:2181:/hbase     ZooKeeper; also jdbc:phoenix+zk:
//   jdbc:phoenix+rpc:m1\:16000,m2\:16000 masters or region servers; also jdbc:phoenix+master:
//     each with ;NAME=VALUE;NAME=VALUE   properties
//   m1:16000,m2:16000                    masters or region servers
//
// Source: ConnectionFactory of HBase 3; ConnectionInfo of Phoenix 5.2.
#ifndef BENNU_SRC_CLIENT_CLUSTER_URL_H_
#define BENNU_SRC_CLIENT_CLUSTER_URL_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/client/address.h"

namespace bennu::client {

enum class RegistryKind { kRpc, kZooKeeper };

struct ClusterUrl {
  std::optional<RegistryKind> registry;  // nothing: as the configuration says
  // Empty: those that the configuration names. A port at the end of the list is that of all servers
  // without one; where none is given, ports are 0.
  std::vector<Address> servers;
  std::string znode_parent;  // empty: not given; else "/…", not ending with a slash
  std::map<std::string, std::string> properties;
};

// Pure functions.

// 'text' as it may be shown: without properties, which may be passwords.
std::string ShownTarget(std::string_view text);

// Whether 'text' has one of the forms above, be it with a mistake. A directory of such a name is
// written "./…".
bool LooksLikeCluster(std::string_view text);

// InvalidArgument: names the part that is wrong, but no value of a property, since that may be a
// password.
Result<ClusterUrl> ParseClusterUrl(std::string_view text);

// "/a/b" from "/a/b" or "/a/b/". InvalidArgument: not the path of a znode.
Result<std::string> ParseZnodePath(std::string_view text);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CLUSTER_URL_H_
