// PageFront: the pages of a server's HTTP port: its state for programs, and the console with the
// threads on which its calls run.
#ifndef BENNU_SRC_SERVER_PAGE_FRONT_H_
#define BENNU_SRC_SERVER_PAGE_FRONT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/base/password_file.h"
#include "src/server/console/console.h"
#include "src/server/http/session.h"
#include "src/server/net/channel.h"
#include "src/server/net/handlers.h"
#include "src/server/net/wire_memory.h"
#include "src/server/status/server_metrics.h"

namespace bennu::server {

// Thread-safe, but for its end: Stop comes when no loop serves its sessions any more.
class PageFront {
 public:
  struct Options {
    std::string host;  // a name of this server besides addresses and "localhost"
    http::Compress compress = http::Compress::kForOtherMachines;
    net::WireMemory* memory = nullptr;  // not null; must outlive this
    PasswordFile* users = nullptr;      // null: anybody; must outlive this
  };
  // Answers for programs, without waiting; nothing: the path is none of theirs.
  using ShowStatus = std::function<std::optional<http::Response>(const http::Request&)>;

  // 'sql' must outlive this.
  PageFront(front::SqlHost* sql, std::unique_ptr<console::View> view, ShowStatus show_status,
            const Options& options);

  // A connection of a client's; this must outlive it.
  std::unique_ptr<net::Session> NewSession(std::shared_ptr<net::Channel> channel) {
    return std::make_unique<http::Session>(&port_, std::move(channel));
  }
  void CloseIdle() { console_.CloseIdle(); }
  void SetRequestBytesMax(size_t bytes) {
    port_.request_bytes_max.store(bytes, std::memory_order_relaxed);
  }
  // How long statements of SQL took, whoever sent them.
  hbase::HistogramCounts statement_micros() const { return console_.statement_micros(); }
  status::IndexBuildMetrics index_builds() const;

  // Further requests are refused.
  void StartDraining() { port_.draining.store(true); }
  // Ends what runs. Before SQL is closed, of whose last statements this is still told: it is
  // destroyed behind that.
  void Stop();

 private:
  front::SqlHost* const sql_;
  console::Console console_;
  http::Port port_;
  std::unique_ptr<net::Handlers> handlers_;  // null after Stop
};

}  // namespace bennu::server

#endif  // BENNU_SRC_SERVER_PAGE_FRONT_H_
