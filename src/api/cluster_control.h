// ClusterControl: what an operator asks of a cluster's master and servers, beyond Admin: switches,
// work that is done from time to time, servers, procedures and their locks.
//
// Thread-safe. Errors are those of the calls; a server's own exceptions keep their messages.
// Source: HBase's Admin and Hbck.
#ifndef BENNU_SRC_API_CLUSTER_CONTROL_H_
#define BENNU_SRC_API_CLUSTER_CONTROL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu::api {

class ClusterControl {
 public:
  enum class Switch {
    kBalancer,
    kNormalizer,
    kCatalogJanitor,
    kCleanerChore,
    kSnapshotCleanup,
    kSplit,
    kMerge,
    kRpcThrottle,
  };

  // A region as its server tells of it.
  struct RegionLoad {
    std::string name;  // as RegionInfo::RegionName
    uint64_t stores = 0;
    uint64_t store_files = 0;
    uint64_t uncompressed_mb = 0;
    uint64_t store_file_mb = 0;
    uint64_t memstore_mb = 0;
    uint64_t reads = 0;
    uint64_t writes = 0;
    int64_t last_major_compaction_millis = 0;  // 0: not known
    double locality = 0;
  };
  // "host,port,startcode".
  using ServerName = std::string;
  struct Server {
    ServerName name;
    uint64_t requests_per_second = 0;
    uint64_t used_heap_mb = 0;
    uint64_t max_heap_mb = 0;
    std::vector<RegionLoad> regions;
  };
  struct State {
    std::string hbase_version;
    ServerName master;  // empty: none at the moment
    std::vector<ServerName> backup_masters;
    std::vector<Server> servers;
    std::vector<ServerName> dead_servers;
    std::vector<ServerName> unknown_servers;
    std::vector<std::string> regions_in_transition;  // names
  };

  struct Procedure {
    uint64_t id = 0;
    std::string class_name;
    std::string state;  // of HBase's ProcedureState
    int64_t submitted_millis = 0;
    int64_t updated_millis = 0;
  };
  struct Lock {
    std::string type;  // "TABLE"; of HBase's LockedResourceType
    std::string name;
    std::optional<uint64_t> owner;  // the procedure that has it for itself
    int64_t shared_count = 0;
    std::vector<uint64_t> waiting;  // procedures
  };
  struct CompactionsBefore {
    ServerName server;
    bool on = false;
  };

  // Whom a quota is for: a user, of all or of one table or namespace; a table; a namespace; or
  // "all" region servers.
  struct QuotaTarget {
    std::optional<std::string> user, table, name_space, region_server;
  };
  struct ThrottleLimit {
    uint64_t amount = 0;
    std::string unit;  // of time: "sec", "min", "hour" or "day"
    bool per_cluster = false;
  };
  struct SpaceLimit {
    uint64_t bytes = 0;
    std::string policy;  // "NO_INSERTS"; of HBase's SpaceViolationPolicy
  };
  // As HBase's shell lists it.
  struct QuotaText {
    std::string owner;  // "USER => u, TABLE => t"
    std::string settings;
  };
  // What a table with a space quota takes.
  struct SpaceUse {
    std::string table;
    uint64_t usage = 0;
    uint64_t limit = 0;
    std::optional<std::string> violated;  // the policy that counts for that reason
  };

  virtual ~ClusterControl() = default;

  // What it was before.
  virtual Result<bool> SetSwitch(Switch which, bool on) = 0;
  virtual Result<bool> GetSwitch(Switch which) = 0;
  // Whether it ran.
  virtual Result<bool> RunBalancer(bool force) = 0;
  virtual Result<bool> RunNormalizer() = 0;
  virtual Result<bool> RunCleanerChore() = 0;
  virtual Result<bool> RunHbckChore() = 0;
  // How many entries went.
  virtual Result<int64_t> RunCatalogJanitor() = 0;

  // Servers tell of their regions every few seconds, so that regions that are new or have moved may
  // be missing, or told of by the server before.
  virtual Result<State> ReadState() = 0;
  // Which server each region of the table is on, by the region's name, as hbase:meta says. Regions
  // for which it names no server are left out.
  virtual Result<std::map<std::string, ServerName>> ServersOfRegions(const TableName& table) = 0;
  virtual Result<bool> IsInMaintenanceMode() = 0;
  virtual Result<std::vector<ServerName>> ListDecommissioned() = 0;
  // Those that could not be cleared.
  virtual Result<std::vector<ServerName>> ClearDeadServers(
      const std::vector<ServerName>& servers) = 0;

  // ---- of one region server; a name without the start code is enough
  virtual Status RollLog(const ServerName& server) = 0;
  virtual Status UpdateConfiguration(const ServerName& server) = 0;
  virtual Status ClearCompactionQueues(const ServerName& server,
                                       const std::vector<std::string>& queues) = 0;
  virtual Status CompactServer(const ServerName& server, bool major) = 0;
  virtual Status StopServer(const ServerName& server) = 0;
  virtual Status StopMaster() = 0;
  // Of those named, or of all when there are none.
  virtual Result<std::vector<CompactionsBefore>> SwitchCompactions(
      bool on, const std::vector<ServerName>& servers) = 0;

  // ---- regions, by their encoded or whole names
  virtual Status AssignRegion(const std::string& region) = 0;
  virtual Status UnassignRegion(const std::string& region, bool force) = 0;
  // To the server, or to one that the master chooses.
  virtual Status MoveRegion(const std::string& region, const std::optional<ServerName>& server) = 0;
  // How many blocks went.
  virtual Result<uint64_t> ClearBlockCache(const TableName& table) = 0;

  // ---- quotas
  // 'type': of HBase's ThrottleType; empty: all of the target's throttles. No limit: takes it away.
  // InvalidArgument: no such type or unit.
  virtual Status SetThrottle(const QuotaTarget& target, const std::string& type,
                             const std::optional<ThrottleLimit>& limit) = 0;
  virtual Status SetSpaceLimit(const QuotaTarget& target,
                               const std::optional<SpaceLimit>& limit) = 0;
  virtual Status SetGlobalBypass(const std::string& user, bool bypass) = 0;
  // In the order of hbase:quota.
  virtual Result<std::vector<QuotaText>> ListQuotas() = 0;
  virtual Result<std::vector<SpaceUse>> ListSpaceUse() = 0;
  // Of all tables, by name.
  virtual Result<std::vector<SpaceUse>> ListTableSizes() = 0;

  // ---- procedures
  virtual Result<std::vector<Procedure>> ListProcedures() = 0;
  virtual Result<std::vector<Lock>> ListLocks() = 0;
  virtual Result<bool> AbortProcedure(uint64_t id, bool may_interrupt) = 0;
};

}  // namespace bennu::api

#endif  // BENNU_SRC_API_CLUSTER_CONTROL_H_
