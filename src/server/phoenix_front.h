// PhoenixFront: Phoenix's query server on a port, with the threads on which its statements run.
#ifndef BENNU_SRC_SERVER_PHOENIX_FRONT_H_
#define BENNU_SRC_SERVER_PHOENIX_FRONT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/base/password_file.h"
#include "src/bennu/sql_host.h"
#include "src/server/http/session.h"
#include "src/server/net/channel.h"
#include "src/server/net/handlers.h"
#include "src/server/net/wire_memory.h"
#include "src/server/phoenix/avatica_service.h"
#include "src/server/phoenix/connections.h"

namespace bennu::server {

// Thread-safe, but for its end: Stop comes when no loop serves its sessions any more.
class PhoenixFront {
 public:
  struct Options {
    phoenix::ConnectionBounds bounds;
    http::Compress compress = http::Compress::kForOtherMachines;
    std::string host;  // that clients are told
    uint16_t port = 0;
    net::WireMemory* memory = nullptr;  // not null; must outlive this
    PasswordFile* users = nullptr;      // null: anybody; must outlive this
  };
  // 'sql' must outlive this.
  PhoenixFront(front::SqlHost* sql, const Options& options);

  // A connection of a client's; this must outlive it.
  std::unique_ptr<net::Session> NewSession(std::shared_ptr<net::Channel> channel) {
    return std::make_unique<http::Session>(&port_, std::move(channel));
  }
  void CloseIdle() { service_.CloseIdle(); }
  void SetRequestBytesMax(size_t bytes) {
    port_.request_bytes_max.store(bytes, std::memory_order_relaxed);
  }
  size_t connection_count() const { return service_.connection_count(); }

  // Further requests are refused.
  void StartDraining() { port_.draining.store(true); }
  // Calls that have not ended.
  size_t running() const { return handlers_->pending(); }
  // Ends what runs, and the sessions of SQL.
  void Stop();

 private:
  phoenix::AvaticaService service_;
  http::Port port_;
  std::unique_ptr<net::Handlers> handlers_;  // null after Stop
};

}  // namespace bennu::server

#endif  // BENNU_SRC_SERVER_PHOENIX_FRONT_H_
