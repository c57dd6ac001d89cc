#include "src/bennu/opened_cluster.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/base/user_name.h"
#include "src/bennu/engine_options.h"
#include "src/bennu/phoenix_properties.h"
#include "src/client/cluster_config.h"
#include "src/client/cluster_url.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/system_tables.h"

namespace bennu::front {

namespace {

using sql::catalog::TableKey;

// The cluster's disks are not for what a query has no room for here.
std::string SpillDirectory() {
  const char* const folder = std::getenv("TMPDIR");
  return JoinPath(folder == nullptr || *folder == '\0' ? "/tmp" : folder,
                  fmt::format("bennu-spill-{}-{}", getpid(), Env::Default()->RandomU64()));
}

// For an answer when all is done, and only values of sequences are to be given back: a gap in those
// is better than a process that does not end when its cluster is gone.
constexpr std::chrono::milliseconds kPatienceAtTheEnd{2'000};

// Properties of connections, as Phoenix's clients write them into their URL.
constexpr char kTenant[] = "TenantId";
constexpr char kScn[] = "CurrentSCN";

bool IsRead(const std::string& name) {
  const auto& known = PhoenixPropertyNames();
  return name == kTenant || name == kScn || name == "bennu.memory" ||
         std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

Status CheckSqlProperties(const std::string& target, const Configuration& asked,
                          const Configuration& others) {
  ASSIGN_OR_RETURN(const client::ClusterUrl url, client::ParseClusterUrl(target));
  for (const auto& [name, value] : others) {
    if (IsRead(name)) continue;
    const bool of_target = url.properties.contains(name);
    if (!of_target && !asked.contains(name)) continue;
    return InvalidArgument(fmt::format("{} {}: this means nothing to SQL over a cluster",
                                       of_target ? "the target's property" : "-D", name));
  }
  return Status::Ok();
}

Result<std::unique_ptr<OpenedCluster>> OpenedCluster::Open(const std::string& target,
                                                           const DatabaseOptions& options) {
  Configuration phoenix;
  ASSIGN_OR_RETURN(
      client::ClientOptions client,
      client::ReadClusterOptions({target, options.site_file, options.configuration}, &phoenix));
  RETURN_IF_ERROR(CheckSqlProperties(target, {}, phoenix));
  client.user = EffectiveUserName();
  client.threads = options.threads;
  SqlOptions sql;
  sql.memory = PlanMemory(options);
  ASSIGN_OR_RETURN(sql.session, SessionOptionsOf(phoenix));
  ASSIGN_OR_RETURN(sql.features, FeaturesOf(phoenix));
  if (const auto tenant = phoenix.find(kTenant); tenant != phoenix.end()) {
    sql.session.tenant = tenant->second;
  }
  ASSIGN_OR_RETURN(sql.session.scn,
                   NumberOf(phoenix, kScn, sql.session.scn, "milliseconds since 1970"));
  ASSIGN_OR_RETURN(auto connection, client::Connect(client));
  std::unique_ptr<OpenedCluster> cluster(
      new OpenedCluster(client::ShownTarget(target), std::move(client), std::move(connection)));
  const TableName catalog =
      sql::catalog::SystemTable(sql::catalog::kCatalogName, sql.features.system_is_mapped())
          ->physical;
  cluster->indexes_ = std::make_unique<sql::index::ClusterIndexes>(
      cluster->connection_.get(), sql.features,
      sql::index::ClusterIndexes::Servers{
          [connection = cluster->connection_.get()] { return connection->KeepsIndexes(); },
          [connection = cluster->connection_.get()](
              const TableName& table, const Scan& scan,
              const std::map<std::string, Bytes>& attributes) {
            return connection->OpenScanner(table, scan, attributes);
          },
          [connection = cluster->connection_.get(), catalog] {
            return connection->PhoenixVersion(
                catalog,
                sql::catalog::EncodeCatalogKey(
                    {{}, sql::catalog::kSystemSchema, sql::catalog::kCatalogName, {}, {}}));
          }});
  const auto set_up = [opened = cluster.get(), connection = cluster->connection_.get(), catalog,
                       indexes = cluster->indexes_.get()](sql::session::SqlStore* store) {
    store->set_cluster_indexes(indexes);
    store->set_spill_directory(Env::Default(), SpillDirectory());
    store->set_reconnect([opened]() -> Result<std::unique_ptr<Connection>> {
      ASSIGN_OR_RETURN(auto connection, opened->ConnectAgain(kPatienceAtTheEnd));
      return std::unique_ptr<Connection>(std::move(connection));
    });
    store->catalog()->set_definition_observer([connection, catalog](const TableKey& key) {
      const Bytes row = sql::catalog::EncodeCatalogKey({key.tenant, key.schema, key.name, {}, {}});
      const Status told =
          connection->ForgetPhoenixDefinition({catalog, row, key.tenant, key.schema, key.name});
      if (told.ok()) return;
      LogWarning("Phoenix's servers may use the old definition of {} for up to half an hour: {}",
                 sql::catalog::FullTableName(key.schema, key.name), told.ToString());
    });
  };
  cluster->sql_host_ = std::make_unique<SqlHost>(cluster->target_, cluster->connection_.get(),
                                                 std::move(sql), set_up);
  return cluster;
}

Result<std::unique_ptr<client::ClusterConnection>> OpenedCluster::ConnectAgain(
    std::chrono::milliseconds patience) const {
  client::ClientOptions options = options_;
  options.call_timeout = std::min(options.call_timeout, patience);
  options.operation_timeout = std::min(options.operation_timeout, patience);
  options.retries_max = std::min(options.retries_max, 1u);
  return client::Connect(options);
}

}  // namespace bennu::front
