// What the console shows of the store and the server: numbers as of the call, as JSON.
#ifndef BENNU_SRC_SERVER_CONSOLE_STATUS_H_
#define BENNU_SRC_SERVER_CONSOLE_STATUS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/bennu/opened_store.h"
#include "src/server/console/json.h"
#include "src/server/console/statement_log.h"
#include "src/server/hbase/slow_log.h"
#include "src/server/status/server_metrics.h"

namespace bennu::server::console {

// Where the numbers come from; all outlive the console.
struct Sources {
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

// ---- the answers of GET; docs/console.md describes each
Json OverviewJson(const Sources& sources, size_t sessions);
Json MetricsJson(const Sources& sources, const StatementLog& statements);
Result<Json> TablesJson(const Sources& sources);
// With its regions, and the sizes of its families. NotFound.
Result<Json> TableJson(const Sources& sources, const std::string& name);
Json MaintenanceJson(const Sources& sources);
Result<Json> StatementsJson(const Sources& sources);
Json SlowJson(const Sources& sources, const StatementLog& statements);

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_STATUS_H_
