#include "src/client/connect.h"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "src/api/known_tables.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "src/base/thread_pool.h"
#include "src/client/admin.h"
#include "src/client/cluster.h"
#include "src/client/cluster_control.h"
#include "src/client/table.h"
#include "src/client/table_scanner.h"

namespace bennu::client {

namespace {

// Tables that are handed out again, so that dropped ones do not add up.
constexpr size_t kTablesKept = 10'000;

class OpenCluster final : public ClusterConnection, public api::KnownTables {
 public:
  OpenCluster(const ClientOptions& options, TlsContextPtr tls)
      : cluster_(options, std::move(tls)),
        admin_(&cluster_),
        control_(&cluster_, this),
        pool_("client", options.threads > 0
                            ? options.threads
                            : std::max<size_t>(std::thread::hardware_concurrency(), 1)) {}

  Status Open() { return cluster_.Connect(); }

  Result<std::shared_ptr<Table>> OpenTable(const TableName& name) override {
    ASSIGN_OR_RETURN(TableDescriptor descriptor, ReadDescriptor(&cluster_, name));
    return std::shared_ptr<Table>(
        std::make_shared<ClusterTable>(&cluster_, &pool_, std::move(descriptor)));
  }
  Result<std::shared_ptr<Table>> OpenKnownTable(const TableName& name) override {
    if (auto known = KnownTable(name); known != nullptr) return known;
    ASSIGN_OR_RETURN(auto table, OpenTable(name));
    MutexLock lock(&mu_);
    if (known_.size() >= kTablesKept) known_.clear();
    known_[name] = table;
    return table;
  }
  std::shared_ptr<Table> KnownTable(const TableName& name) override {
    MutexLock lock(&mu_);
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : found->second;
  }
  Admin* admin() override { return &admin_; }
  api::ClusterControl* control() override { return &control_; }
  Status ForgetPhoenixDefinition(const PhoenixDefinition& definition) override {
    return client::ForgetPhoenixDefinition(&cluster_, definition);
  }
  Result<int32_t> PhoenixVersion(const TableName& catalog, ByteView row) override {
    return client::PhoenixVersion(&cluster_, catalog, row);
  }
  Result<bool> KeepsIndexes() override { return client::KeepsIndexes(&cluster_); }
  Result<std::unique_ptr<Scanner>> OpenScanner(
      const TableName& table, const Scan& scan,
      const std::map<std::string, Bytes>& attributes) override {
    auto scanner = std::make_unique<TableScanner>(&cluster_, table, scan, attributes);
    RETURN_IF_ERROR(scanner->Open());
    return std::unique_ptr<Scanner>(std::move(scanner));
  }
  // A cluster has no moment over all its regions, and its servers know no navigators.
  Capabilities capabilities() const override { return {.remote = true, .shared = true}; }
  std::shared_ptr<const Snapshot> TakeSnapshot() override { return nullptr; }
  int64_t NowMillis() override { return Env::Default()->NowMillis(); }
  ThreadPool* QueryPool() override { return &pool_; }

 private:
  Cluster cluster_;
  ClusterAdmin admin_;
  RemoteControl control_;
  Mutex mu_;
  std::map<TableName, std::shared_ptr<Table>> known_ GUARDED_BY(mu_);
  ThreadPool pool_;  // ends first: what runs there asks the cluster
};

}  // namespace

Result<std::unique_ptr<ClusterConnection>> Connect(const ClientOptions& options) {
  TlsContextPtr tls;
  if (options.tls_enabled) {
    ASSIGN_OR_RETURN(tls, MakeClientTls(options.tls));
  }
  auto connection = std::make_unique<OpenCluster>(options, std::move(tls));
  const Status status = connection->Open();
  if (!status.ok() && !options.zookeeper.has_value()) {
    return Status(status.code(), status.message() +
                                     "; expected the RPC port of a master or region server, such "
                                     "as 16000, and not ZooKeeper's, which is named as "
                                     "hbase://HOST:2181");
  }
  RETURN_IF_ERROR(status);
  return std::unique_ptr<ClusterConnection>(std::move(connection));
}

}  // namespace bennu::client
