// How a client behaves. The defaults are HBase's, but for those noted.
#ifndef BENNU_SRC_CLIENT_OPTIONS_H_
#define BENNU_SRC_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/base/tls.h"
#include "src/client/address.h"
#include "src/client/load_tools.h"

namespace bennu::client {

// A ZooKeeper that knows the cluster.
struct ZooKeeperQuorum {
  std::vector<Address> servers;  // hbase.zookeeper.quorum, with their ports
  // ZooKeeper's own: a path, such as "/chroot", below which all others are meant. Empty: none.
  std::string chroot;
  std::string parent = "/hbase";  // zookeeper.znode.parent
  // zookeeper.session.timeout: the most that is asked for. A client, for whom nothing hangs on a
  // session, asks for less: see ZooKeeperRegistry.
  std::chrono::milliseconds session_timeout{90'000};
  // How long a session is kept that nobody uses; HBase's zookeeper.keep-alive.time.
  std::chrono::milliseconds keep_alive{60'000};
};

// Where a server of the cluster is really reached; it gets the address by which the cluster knows
// the server. A client calls it before each connection, on the thread that reads and writes all of
// them: it must not wait.
using Detour = std::function<Address(const Address&)>;

struct ClientOptions {
  // Where to ask for the cluster (ClientMetaService): masters, region servers, or both.
  std::vector<Address> registry;
  // Set: asked instead of 'registry'.
  std::optional<ZooKeeperQuorum> zookeeper;
  // For servers that this machine reaches by a tunnel or a proxy. Null: they are where they say.
  // What is remembered of a server and what errors say of it keep its own address, which TLS checks
  // as well. 'zookeeper' names its servers as they are reached.
  Detour detour;
  std::string user;  // whom servers are told
  // hbase.rpc.timeout: for one call, and for a connection.
  std::chrono::milliseconds call_timeout{60'000};
  // For an operation with all that is tried for it. HBase's is 20 minutes.
  std::chrono::milliseconds operation_timeout{60'000};
  std::chrono::milliseconds pause{100};  // hbase.client.pause: the first wait before a retry
  // hbase.client.pause.server.overloaded: likewise, after a server said that it has too much to do.
  // Less than 'pause' means 'pause', as in HBase.
  std::chrono::milliseconds pause_overloaded{0};
  // hbase.client.retries.number: how often an operation is tried again, if its time lasts.
  uint32_t retries_max = 15;
  // hbase.client.scanner.max.result.size: of one answer of a scan.
  uint64_t scan_bytes_max = 2 << 20;
  // hbase.client.max.perrequest.heapsize: a request of a batch ends with the mutation that reaches
  // so many bytes. HBase's is 4 MB of Java objects, which are about 2 MB on the wire.
  uint64_t request_bytes_max = 2 << 20;
  // hbase.client.max.perserver.tasks: requests of one batch that are under way to one server. With
  // two a server has the next one at hand when it has answered the first.
  uint32_t requests_per_server_max = 2;
  // hbase.client.keyvalue.maxsize: a Put of a cell with more bytes than this is not sent.
  uint64_t cell_bytes_max = 10 << 20;
  // How long a read with Consistency::kTimeline waits for its primary before it asks the secondary
  // replicas as well. hbase.client.primaryCallTimeout.get, hbase.client.replicaCallTimeout.scan.
  std::chrono::microseconds primary_patience_get{10'000};
  std::chrono::microseconds primary_patience_scan{1'000'000};
  // hbase.client.netty.tls.enabled, and hbase.rpc.tls.*: certificates and whom to trust. Unset: no
  // TLS.
  bool tls_enabled = false;
  TlsOptions tls;
  bool tls_verify_host = true;            // hbase.client.netty.tls.verify.server.hostname
  size_t threads = 0;                     // for what runs side by side; 0: one per hardware thread
  std::shared_ptr<LoadTools> load_tools;  // null: bulk loads are refused
};

// One of HBase's properties by its name: hbase.rpc.timeout, hbase.client.operation.timeout,
// hbase.client.pause, hbase.client.pause.server.overloaded (milliseconds),
// hbase.client.retries.number (0 or more), hbase.client.scanner.max.result.size,
// hbase.client.max.perrequest.heapsize and hbase.client.keyvalue.maxsize (bytes; 0 for the latter:
// no limit), hbase.client.max.perserver.tasks, hbase.client.primaryCallTimeout.get and
// hbase.client.replicaCallTimeout.scan (microseconds),
// hbase.client.netty.tls.enabled, hbase.client.netty.tls.verify.server.hostname (true or false),
// hbase.rpc.tls.{keystore,truststore}.{location,type,password}, .enabledProtocols, .ciphersuites.
// InvalidArgument: another one, or not such a value.
Status SetOption(std::string_view name, std::string_view value, ClientOptions* options);
// Whether SetOption knows the name.
bool IsOption(std::string_view name);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_OPTIONS_H_
