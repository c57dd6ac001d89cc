// A store served to clients of HBase and of Phoenix: one process as registry, master, region server
// and query server.
#ifndef BENNU_SRC_SERVER_SERVER_H_
#define BENNU_SRC_SERVER_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bennu/status.h"
#include "src/base/tls.h"
#include "src/bennu/opened_store.h"
#include "src/engine/open.h"
#include "src/server/hbase/slow_log.h"
#include "src/server/http/session.h"
#include "src/server/net/io_loops.h"
#include "src/server/phoenix/connections.h"

namespace bennu::server {

// What can change while the server runs. The defaults are HBase's.
struct LiveOptions {
  size_t queued_calls_max = 0;            // 0: ten for each handler
  size_t queued_bytes_max = 1u << 30;     // of calls that wait or run
  size_t request_bytes_max = 256u << 20;  // of one call
  std::chrono::milliseconds scanner_lease{60'000};
  hbase::SlowLog::Bounds slow;
};

struct ServerOptions {
  std::string directory;              // an absolute path where clients are to load HFiles
  std::string address = "127.0.0.1";  // to listen on
  // What clients are told to connect to. Empty: "localhost" for a loopback address, else the
  // address, else the machine's name.
  std::string host;
  // 0: any that is free; unset: not served.
  std::optional<uint16_t> zookeeper_port = 2181;
  std::optional<uint16_t> master_port = 16000;
  std::optional<uint16_t> region_server_port = 16020;
  std::optional<uint16_t> http_port = 16010;
  std::optional<uint16_t> phoenix_port = 8765;  // of Phoenix's query server
  std::string http_address = "127.0.0.1";
  // Without it only a loopback address may be listened on, but for ports of HTTP with users and
  // TLS.
  bool allow_unauthenticated = false;

  phoenix::ConnectionBounds phoenix;

  // A file of users with hashes of their passwords (src/base/password_file.h): who may ask
  // Phoenix's query server and see the pages, by BASIC authentication. Empty: anybody who gets
  // there.
  std::string users_file;
  http::Compress http_compress = http::Compress::kForOtherMachines;

  // TLS on the ports of HBase's RPC and of Phoenix's query server, and of the pages with
  // 'http_tls'; ZooKeeper's protocol has none. Null: none.
  std::optional<TlsOptions> tls;
  bool http_tls = false;
  bool tls_plaintext_too = true;   // see net::TlsListener
  bool tls_verify_address = true;  // the same

  // An absolute path: below it clients may have backups and snapshots written. Empty: nowhere.
  std::string backup_root;
  // The same: below it HFiles may lie that clients have loaded. Empty: anywhere, as long as the
  // address is a loopback one, else nowhere.
  std::string load_root;

  // What connections may hold of messages that are not complete and answers that were not fetched,
  // and again for calls that wait. 0: an eighth of what the process may have, 64 MiB to 2 GiB.
  uint64_t wire_bytes_max = 0;
  bool quotas = false;                                  // quotas can be set and are enforced
  std::chrono::milliseconds space_look_period{60'000};  // between looks for violated space quotas
  size_t io_threads = 0;                                // 0: one per hardware thread
  size_t handler_threads = 0;                           // 0: HBase's default, 30
  LiveOptions live;
  engine::EngineOptions engine;
  // As an HBase without Phoenix: keeps no indexes, and takes no tables with Phoenix's classes. For
  // tests of clients.
  bool without_phoenix = false;
  front::SqlOptions sql;  // of SQL in this process; the statistics count for compactions anyway

  // Called when a client asks the server to stop, or to read its configuration again; they return
  // at once. Without them such a call is refused.
  std::function<void()> stop_asked;
  std::function<void()> reload_asked;
};

// Refuses addresses that other machines reach as long as 'allow_unauthenticated' is not set and a
// port there has no authentication, and what is no address. InvalidArgument.
Status CheckAddress(const ServerOptions& options);

// Thread-safe.
class RunningServer {
 public:
  virtual ~RunningServer() = default;  // Stop()

  // "zookeeper=127.0.0.1:2181 master=… regionserver=… http=… phoenix=…": where it serves.
  virtual std::string Endpoints() const = 0;
  // For calls and scans from now on. The file of users is read again.
  virtual void Reload(const LiveOptions& live) = 0;
  // Takes no further connections and calls, ends calls that run, and lets go of what it has.
  // Idempotent.
  virtual Status Stop() = 0;
};

// What connections may hold, by the options or by the machine's memory.
uint64_t WireBytesMax(const ServerOptions& options);
// What clients resolve to come to an address that is listened on.
std::string AdvertisedHost(const std::string& address);
// Of the ports of HTTP, whose passwords do not go over a network that others may listen to.
std::optional<net::TlsListener> TlsOfHttp(std::optional<net::TlsListener> tls,
                                          const std::string& address);

// Over a store of this process; Stop flushes and closes it.
class Server : public RunningServer {
 public:
  // Takes the ports, opens the store and serves. InvalidArgument, IoError: an address or port that
  // cannot be had; else as engine::OpenEngine.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options);
  // The store that is served, as long as this lives, for protocols of SQL in this process. Nobody
  // has opened SQL over it before, and Stop closes it: sessions must have ended by then.
  virtual front::OpenedStore* store() = 0;
};

}  // namespace bennu::server

#endif  // BENNU_SRC_SERVER_SERVER_H_
