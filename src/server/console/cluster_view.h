// ClusterView: the console of a gateway. What it shows of tables, regions and servers is the
// cluster's, as its master tells it; the rest is this process's.
#ifndef BENNU_SRC_SERVER_CONSOLE_CLUSTER_VIEW_H_
#define BENNU_SRC_SERVER_CONSOLE_CLUSTER_VIEW_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/api/cluster_control.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/bennu/opened_cluster.h"
#include "src/server/console/kept.h"
#include "src/server/console/table_list.h"
#include "src/server/console/view.h"

namespace bennu::server::console {

// Where the rest comes from; all outlive the view.
struct ClusterSources {
  front::OpenedCluster* cluster = nullptr;
  std::string version;    // of the program
  std::string endpoints;  // where it serves, as RunningServer::Endpoints has it
  int64_t start_millis = 0;
  uint64_t memory_bytes_max = 0;  // that the process may have
  std::function<size_t()> phoenix_connections;
};

// A cluster that does not answer keeps a call waiting for a few seconds, and the answer is the
// error then; what the process knows of itself it tells all the same.
class ClusterView final : public View {
 public:
  explicit ClusterView(ClusterSources sources) : sources_(std::move(sources)) {}

  Result<Json> Overview(size_t sessions) override;
  Result<Json> Metrics() override;
  Result<Json> Tables() override;
  Result<Json> Describe(const std::string& table) override;
  Json Maintenance() override { return Json::object(); }
  Json SlowCalls() override { return nullptr; }

  // Whether the cluster's master has answered lately.
  Status CheckCluster() { return ReadState().status(); }

 private:
  using State = api::ClusterControl::State;

  Result<client::ClusterConnection*> Connected();
  Result<std::shared_ptr<const State>> ReadState();
  Result<std::shared_ptr<const std::vector<ListedTable>>> ReadTables();

  const ClusterSources sources_;
  Mutex mu_;  // held while a connection is opened
  // For pages alone, since it is impatient. Null: not yet.
  std::unique_ptr<client::ClusterConnection> connection_ GUARDED_BY(mu_);
  Kept<State> state_{std::chrono::seconds(2)};
  Kept<std::vector<ListedTable>> tables_{std::chrono::seconds(5)};
};

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_CLUSTER_VIEW_H_
