// The pages of the server's HTTP port: metrics and health.
#ifndef BENNU_SRC_SERVER_STATUS_STATUS_PAGES_H_
#define BENNU_SRC_SERVER_STATUS_STATUS_PAGES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "src/engine/open.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/rpc_metrics.h"
#include "src/server/hbase/scanners.h"
#include "src/server/hbase/service.h"
#include "src/server/http/message.h"
#include "src/server/net/handlers.h"
#include "src/server/status/server_metrics.h"

namespace bennu::server::status {

// Where the numbers come from; all outlive the pages.
struct StatusSources {
  engine::Engine* engine = nullptr;
  hbase::Regions* regions = nullptr;
  hbase::Scanners* scanners = nullptr;
  net::Handlers* handlers = nullptr;
  hbase::RpcMetrics* rpc = nullptr;
  const hbase::Identity* identity = nullptr;
  uint16_t zookeeper_port = 0;
  std::vector<const hbase::Service*> services;
  std::function<size_t()> connections;
  std::function<bool()> stopping;
  std::function<ProcessMetrics()> process;
};

ServerMetrics CollectMetrics(const StatusSources& sources);

struct GatewaySources {
  std::function<bool()> stopping;
  std::function<ProcessMetrics()> process;
};

// "/": what there is; "/metrics" for Prometheus; "/jmx", with HBase's beans; "/healthz": 200 while
// reads and writes are served, else 503 and why.
// Nothing: this is none of their paths. Does not wait.
std::optional<http::Response> ShowStatus(const StatusSources& sources,
                                         const http::Request& request);
// The pages of a gateway: the same, but for "/jmx".
std::optional<http::Response> ShowGateway(const GatewaySources& sources,
                                          const http::Request& request);

}  // namespace bennu::server::status

#endif  // BENNU_SRC_SERVER_STATUS_STATUS_PAGES_H_
