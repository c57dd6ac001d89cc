// What a client finds below /hbase.
// Source: hbase-zookeeper spec section 2.
#ifndef BENNU_SRC_SERVER_ZOOKEEPER_ZNODES_H_
#define BENNU_SRC_SERVER_ZOOKEEPER_ZNODES_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "src/server/hbase/identity.h"

namespace bennu::server::zookeeper {

// Thread-safe; what changes is asked for each time.
class Znodes {
 public:
  // 'list_tables': "T" or "ns:T", each with whether it is enabled. 'list_namespaces': names.
  struct Sources {
    std::function<std::map<std::string, bool>()> list_tables;
    std::function<std::vector<std::string>()> list_namespaces;
  };
  Znodes(const hbase::Identity& identity, Sources sources);

  // Unset: there is no such node.
  std::optional<Bytes> Data(const std::string& path) const;
  // Names, not paths; unset: there is no such node.
  std::optional<std::vector<std::string>> Children(const std::string& path) const;

 private:
  std::map<std::string, Bytes> nodes_;  // by path; those that never change
  const Sources sources_;
};

}  // namespace bennu::server::zookeeper

#endif  // BENNU_SRC_SERVER_ZOOKEEPER_ZNODES_H_
