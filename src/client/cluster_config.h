// From what a user says to how a client connects: the target, hbase-site.xml, and properties.
#ifndef BENNU_SRC_CLIENT_CLUSTER_CONFIG_H_
#define BENNU_SRC_CLIENT_CLUSTER_CONFIG_H_

#include <map>
#include <string>

#include "bennu/status.h"
#include "src/client/options.h"

namespace bennu::client {

struct ClusterRequest {
  std::string target;  // a form of cluster_url.h
  // A file in the syntax of hbase-site.xml. Empty: the one in the folder that the variable
  // HBASE_CONF_DIR of the environment names, if it is there.
  std::string config_file;
  // By HBase's names, such as those of the option -D. They win over the properties in the target,
  // and these over the file.
  std::map<std::string, std::string> properties;
};

// Read are the properties that SetOption knows, and those by which a cluster is found:
// hbase.zookeeper.quorum, hbase.zookeeper.property.clientPort, zookeeper.znode.parent,
// zookeeper.session.timeout, hbase.client.registry.impl, hbase.client.bootstrap.servers and
// hbase.masters. Others of the file are for somebody else, but for Phoenix's. Others of the target
// and of 'properties', and Phoenix's of the file, are put into 'others'; with null the former are
// refused.
//
// The caller sets what no property says: ClientOptions::user, threads and load_tools.
//
// InvalidArgument: names the target's part, the property or the file's line that is wrong, and what
// to do; no value that may be a password is shown. NotSupported: Kerberos is asked for. NotFound,
// IoError: the file. Thread-safe, as long as nobody changes the environment.
Result<ClientOptions> ReadClusterOptions(const ClusterRequest& request,
                                         std::map<std::string, std::string>* others = nullptr);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CLUSTER_CONFIG_H_
