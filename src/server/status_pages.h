// The pages of the server's HTTP port: metrics and health.
#ifndef BENNU_SRC_SERVER_STATUS_PAGES_H_
#define BENNU_SRC_SERVER_STATUS_PAGES_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "src/engine/open.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/rpc_metrics.h"
#include "src/server/hbase/scanners.h"
#include "src/server/hbase/service.h"
#include "src/server/http/http_session.h"
#include "src/server/http/server_metrics.h"
#include "src/server/net/handlers.h"

namespace bennu::server {

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
};

http::ServerMetrics CollectMetrics(const StatusSources& sources);

// "/": what there is; "/metrics" for Prometheus; "/jmx", with HBase's beans; "/healthz": 200 while
// reads and writes are served, else 503 and why.
http::Page ShowStatus(const StatusSources& sources, std::string_view path, std::string_view query);

}  // namespace bennu::server

#endif  // BENNU_SRC_SERVER_STATUS_PAGES_H_
