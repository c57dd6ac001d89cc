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

// Thread-safe.
class Znodes {
 public:
  // 'list_tables': "T" or "ns:T", each with whether it is enabled. 'list_namespaces': names.
  struct Sources {
    std::function<std::map<std::string, bool>()> list_tables;
    std::function<std::vector<std::string>()> list_namespaces;
    std::function<bool()> is_balancer_on;
  };
  Znodes(const hbase::Identity& identity, Sources sources);

  // Whether the node, or that there is none, stays as it is as long as the process runs.
  bool IsConstant(const std::string& path) const;
  // Milliseconds since 1970, of when the constant nodes came to be what they are.
  int64_t start_millis() const { return start_millis_; }

 private:
  friend class ZnodesView;

  std::map<std::string, Bytes> nodes_;  // by path; those that never change
  const Sources sources_;
  const int64_t start_millis_;
};

// All nodes at one moment: what changes is asked for once, when it is first looked at. One thread
// at a time.
class ZnodesView {
 public:
  // 'znodes' outlives it.
  explicit ZnodesView(const Znodes* znodes) : znodes_(znodes) {}

  // Unset: there is no such node.
  std::optional<Bytes> Data(const std::string& path);
  // Names, not paths; unset: there is no such node.
  std::optional<std::vector<std::string>> Children(const std::string& path);
  // Of all that changes: views that differ there have others, most likely.
  uint64_t Fingerprint();

 private:
  const std::map<std::string, bool>& tables();
  const std::vector<std::string>& namespaces();
  bool is_balancer_on();

  const Znodes* const znodes_;
  std::optional<std::map<std::string, bool>> tables_;
  std::optional<std::vector<std::string>> namespaces_;
  std::optional<bool> is_balancer_on_;
};

}  // namespace bennu::server::zookeeper

#endif  // BENNU_SRC_SERVER_ZOOKEEPER_ZNODES_H_
