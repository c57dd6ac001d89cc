// RemoteControl: ClusterControl by RPC.
#ifndef BENNU_SRC_CLIENT_CLUSTER_CONTROL_H_
#define BENNU_SRC_CLIENT_CLUSTER_CONTROL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bennu/table.h"
#include "src/api/cluster_control.h"
#include "src/client/cluster.h"

namespace bennu::client {

class RemoteControl final : public api::ClusterControl {
 public:
  // Both must outlive this.
  RemoteControl(Cluster* cluster, Connection* connection)
      : cluster_(cluster), connection_(connection) {}

  Result<bool> SetSwitch(Switch which, bool on) override;
  Result<bool> GetSwitch(Switch which) override;
  Result<bool> RunBalancer(bool force) override;
  Result<bool> RunNormalizer() override;
  Result<bool> RunCleanerChore() override;
  Result<bool> RunHbckChore() override;
  Result<int64_t> RunCatalogJanitor() override;

  Result<State> ReadState() override;
  Result<std::map<std::string, ServerName>> ServersOfRegions(const TableName& table) override;
  Result<bool> IsInMaintenanceMode() override;
  Result<std::vector<ServerName>> ListDecommissioned() override;
  Result<std::vector<ServerName>> ClearDeadServers(const std::vector<ServerName>& servers) override;

  Status RollLog(const ServerName& server) override;
  Status UpdateConfiguration(const ServerName& server) override;
  Status ClearCompactionQueues(const ServerName& server,
                               const std::vector<std::string>& queues) override;
  Status CompactServer(const ServerName& server, bool major) override;
  Status StopServer(const ServerName& server) override;
  Status StopMaster() override;
  Result<std::vector<CompactionsBefore>> SwitchCompactions(
      bool on, const std::vector<ServerName>& servers) override;

  Status AssignRegion(const std::string& region) override;
  Status UnassignRegion(const std::string& region, bool force) override;
  Status MoveRegion(const std::string& region, const std::optional<ServerName>& server) override;
  Result<uint64_t> ClearBlockCache(const TableName& table) override;

  Status SetThrottle(const QuotaTarget& target, const std::string& type,
                     const std::optional<ThrottleLimit>& limit) override;
  Status SetSpaceLimit(const QuotaTarget& target, const std::optional<SpaceLimit>& limit) override;
  Status SetGlobalBypass(const std::string& user, bool bypass) override;
  Result<std::vector<QuotaText>> ListQuotas() override;
  Result<std::vector<SpaceUse>> ListSpaceUse() override;
  Result<std::vector<SpaceUse>> ListTableSizes() override;

  Result<std::vector<Procedure>> ListProcedures() override;
  Result<std::vector<Lock>> ListLocks() override;
  Result<bool> AbortProcedure(uint64_t id, bool may_interrupt) override;

 private:
  template <typename SetRequest, typename SetResponse>
  Result<bool> Set(const std::string& method, bool on, void (SetRequest::*ask)(bool),
                   bool (SetResponse::*previous)() const);
  template <typename GetRequest, typename GetResponse>
  Result<bool> Ask(const std::string& method, bool (GetResponse::*value)() const);

  Cluster* const cluster_;
  Connection* const connection_;  // to the same
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CLUSTER_CONTROL_H_
