// What one ZooKeeper session watches. A watch fires once, when its node is seen to have changed:
// before the session's next answer, so that no client reads what is new before it is told, and
// about once a second. Source: hbase-zookeeper spec section 1; ZooKeeper's programmer's guide,
// "Watches".
#ifndef BENNU_SRC_SERVER_ZOOKEEPER_WATCHES_H_
#define BENNU_SRC_SERVER_ZOOKEEPER_WATCHES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/server/net/wire_memory.h"
#include "src/server/zookeeper/znodes.h"

namespace bennu::server::zookeeper {

// One thread at a time.
class Watches {
 public:
  enum class Of : uint8_t { kNode, kChildren };
  // By ZooKeeper's numbers.
  enum class EventType : int32_t { kCreated = 1, kDeleted = 2, kData = 3, kChildren = 4 };
  struct Event {
    EventType type;
    std::string path;
    auto operator<=>(const Event&) const = default;
  };

  // 'znodes' and 'memory' outlive it; 'memory' may be null.
  Watches(const Znodes* znodes, net::WireMemory* memory) : znodes_(znodes), charge_(memory) {}

  // The client has seen 'view'. False: the session watches too much already.
  bool Add(Of what, const std::string& path, ZnodesView* view);
  // Those that have fired by 'view'; they watch no longer.
  std::vector<Event> TakeFired(ZnodesView* view);

  // Sets a watch again that the client had on another connection, 'since_start' if that was one to
  // this process. What may have changed meanwhile is among the next that TakeFired gives. False: as
  // Add. 'existed': as the client knew the node.
  bool Restore(Of what, const std::string& path, bool existed, bool since_start);

 private:
  // Of what the client knows, to be compared with what is there; kMissing: no node.
  using Fingerprint = uint64_t;
  static constexpr Fingerprint kMissing = 0;
  // Nothing that is there has it.
  static constexpr Fingerprint kOutdated = 1;

  static Fingerprint Now(Of what, const std::string& path, ZnodesView* view);
  bool Set(Of what, const std::string& path, Fingerprint known);

  const Znodes* const znodes_;
  net::WireCharge charge_;
  std::map<std::pair<std::string, Of>, Fingerprint> watched_;
  // Of the view that nothing in watched_ fires by; unset: not known.
  std::optional<uint64_t> quiet_;
};

}  // namespace bennu::server::zookeeper

#endif  // BENNU_SRC_SERVER_ZOOKEEPER_WATCHES_H_
