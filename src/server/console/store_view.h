// StoreView: the console of a server that holds a store: numbers of both as of the call.
#ifndef BENNU_SRC_SERVER_CONSOLE_STORE_VIEW_H_
#define BENNU_SRC_SERVER_CONSOLE_STORE_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/bennu/opened_store.h"
#include "src/server/console/view.h"
#include "src/server/hbase/slow_log.h"
#include "src/server/status/server_metrics.h"

namespace bennu::server::console {

// Where the numbers come from; all outlive the view.
struct StoreSources {
  front::OpenedStore* store = nullptr;
  std::string version;    // of the program
  std::string endpoints;  // where it serves, as Server::Endpoints has it
  std::string directory;  // of the store; ":memory:" has none
  uint64_t memstore_bytes_max = 0;
  uint64_t memory_bytes_max = 0;  // that the process may have
  std::function<status::ServerMetrics()> metrics;
  std::function<std::vector<hbase::SlowCall>()>
      slow_calls;  // kept only where the server is told to
  std::function<size_t()> phoenix_connections;
};

class StoreView final : public View {
 public:
  explicit StoreView(StoreSources sources) : sources_(std::move(sources)) {}

  Result<Json> Overview(size_t sessions) override;
  Result<Json> Metrics() override;
  Result<Json> Tables() override;
  Result<Json> Describe(const std::string& table) override;
  Json Maintenance() override;
  Json SlowCalls() override;

 private:
  const StoreSources sources_;
};

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_STORE_VIEW_H_
