#include "src/client/cluster_control.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "proto/admin.pb.h"
#include "proto/cluster_status.pb.h"
#include "proto/lock.pb.h"
#include "proto/master.pb.h"
#include "proto/procedure.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/status_macros.h"
#include "src/client/address.h"

namespace bennu::client {

namespace {

constexpr char kStopReason[] = "asked for by a client";  // as the server's log will have it
constexpr size_t kEncodedNameSize = 32;

std::string NameOf(const std::string& host, uint32_t port, uint64_t start_code) {
  return fmt::format("{},{},{}", host, port, start_code);
}

std::string NameOf(const pb::ServerName& server) {
  return NameOf(server.host_name(), server.port(), server.start_code());
}

std::vector<std::string> NamesOf(
    const google::protobuf::RepeatedPtrField<pb::ServerName>& servers) {
  std::vector<std::string> names;
  for (const pb::ServerName& server : servers) names.push_back(NameOf(server));
  return names;
}

// "host,port" or "host,port,startcode", also with a colon before the port.
Status ReadServerName(const std::string& text, pb::ServerName* server) {
  std::string address = text;
  const size_t comma = address.find(',');
  if (comma != std::string::npos) {
    const size_t second = address.find(',', comma + 1);
    if (second != std::string::npos) {
      uint64_t start_code = 0;
      for (const char c : address.substr(second + 1)) {
        if (c < '0' || c > '9') return InvalidArgument("no name of a server: " + text);
        start_code = start_code * 10 + static_cast<uint64_t>(c - '0');
      }
      server->set_start_code(start_code);
      address.resize(second);
    }
    address[comma] = ':';
  }
  const auto parsed = ParseAddress(address);
  if (!parsed.ok()) {
    return InvalidArgument(
        fmt::format("'{}' is no name of a server; it is its host, port and start code, as in "
                    "'host187.example.com,16020,1289493121758'",
                    text));
  }
  server->set_host_name(parsed->host);
  server->set_port(parsed->port);
  return Status::Ok();
}

Result<Address> AddressOf(const std::string& text) {
  pb::ServerName server;
  RETURN_IF_ERROR(ReadServerName(text, &server));
  return Address::FromPb(server);
}

void SetRegionName(const std::string& name, pb::RegionSpecifier* region) {
  const bool encoded =
      name.size() == kEncodedNameSize && name.find_first_not_of("0123456789abcdef") == name.npos;
  region->set_type(encoded ? pb::RegionSpecifier::ENCODED_REGION_NAME
                           : pb::RegionSpecifier::REGION_NAME);
  region->set_value(name);
}

api::ClusterControl::RegionLoad LoadOf(const pb::RegionLoad& message) {
  api::ClusterControl::RegionLoad load;
  load.name = message.region_specifier().value();
  load.stores = message.stores();
  load.store_files = message.storefiles();
  load.uncompressed_mb = message.store_uncompressed_size_mb();
  load.store_file_mb = message.storefile_size_mb();
  load.memstore_mb = message.mem_store_size_mb();
  load.reads = message.read_requests_count();
  load.writes = message.write_requests_count();
  load.last_major_compaction_millis = static_cast<int64_t>(message.last_major_compaction_ts());
  load.locality = message.data_locality();
  return load;
}

std::string StateName(pb::ProcedureState state) {
  switch (state) {
    case pb::INITIALIZING: return "INITIALIZING";
    case pb::RUNNABLE: return "RUNNABLE";
    case pb::WAITING: return "WAITING";
    case pb::WAITING_TIMEOUT: return "WAITING_TIMEOUT";
    case pb::ROLLEDBACK: return "ROLLEDBACK";
    case pb::SUCCESS: return "SUCCESS";
    case pb::FAILED: break;
  }
  return "FAILED";
}

std::string TypeName(pb::LockedResourceType type) {
  switch (type) {
    case pb::SERVER: return "SERVER";
    case pb::NAMESPACE: return "NAMESPACE";
    case pb::TABLE: return "TABLE";
    case pb::REGION: return "REGION";
    case pb::PEER: break;
  }
  return "PEER";
}

}  // namespace

template <typename SetRequest, typename SetResponse>
Result<bool> RemoteControl::Set(const std::string& method, bool on, void (SetRequest::*ask)(bool),
                                bool (SetResponse::*previous)() const) {
  SetRequest request;
  (request.*ask)(on);
  SetResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster(method, request, &response));
  return (response.*previous)();
}

template <typename GetRequest, typename GetResponse>
Result<bool> RemoteControl::Ask(const std::string& method, bool (GetResponse::*value)() const) {
  GetResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster(method, GetRequest(), &response));
  return (response.*value)();
}

Result<bool> RemoteControl::SetSwitch(Switch which, bool on) {
  switch (which) {
    case Switch::kBalancer:
      return Set("SetBalancerRunning", on, &pb::SetBalancerRunningRequest::set_on,
                 &pb::SetBalancerRunningResponse::prev_balance_value);
    case Switch::kNormalizer:
      return Set("SetNormalizerRunning", on, &pb::SetNormalizerRunningRequest::set_on,
                 &pb::SetNormalizerRunningResponse::prev_normalizer_value);
    case Switch::kCatalogJanitor:
      return Set("EnableCatalogJanitor", on, &pb::EnableCatalogJanitorRequest::set_enable,
                 &pb::EnableCatalogJanitorResponse::prev_value);
    case Switch::kCleanerChore:
      return Set("SetCleanerChoreRunning", on, &pb::SetCleanerChoreRunningRequest::set_on,
                 &pb::SetCleanerChoreRunningResponse::prev_value);
    case Switch::kSnapshotCleanup:
      return Set("SwitchSnapshotCleanup", on, &pb::SetSnapshotCleanupRequest::set_enabled,
                 &pb::SetSnapshotCleanupResponse::prev_snapshot_cleanup);
    case Switch::kRpcThrottle:
      return Set("SwitchRpcThrottle", on, &pb::SwitchRpcThrottleRequest::set_rpc_throttle_enabled,
                 &pb::SwitchRpcThrottleResponse::previous_rpc_throttle_enabled);
    case Switch::kSplit:
    case Switch::kMerge: break;
  }
  pb::SetSplitOrMergeEnabledRequest request;
  request.set_enabled(on);
  request.add_switch_types(which == Switch::kSplit ? pb::SPLIT : pb::MERGE);
  pb::SetSplitOrMergeEnabledResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("SetSplitOrMergeEnabled", request, &response));
  if (response.prev_value_size() != 1) {
    return Corruption("the master does not say what the switch was before");
  }
  return response.prev_value(0);
}

Result<bool> RemoteControl::GetSwitch(Switch which) {
  switch (which) {
    case Switch::kBalancer:
      return Ask<pb::IsBalancerEnabledRequest>("IsBalancerEnabled",
                                               &pb::IsBalancerEnabledResponse::enabled);
    case Switch::kNormalizer:
      return Ask<pb::IsNormalizerEnabledRequest>("IsNormalizerEnabled",
                                                 &pb::IsNormalizerEnabledResponse::enabled);
    case Switch::kCatalogJanitor:
      return Ask<pb::IsCatalogJanitorEnabledRequest>("IsCatalogJanitorEnabled",
                                                     &pb::IsCatalogJanitorEnabledResponse::value);
    case Switch::kCleanerChore:
      return Ask<pb::IsCleanerChoreEnabledRequest>("IsCleanerChoreEnabled",
                                                   &pb::IsCleanerChoreEnabledResponse::value);
    case Switch::kSnapshotCleanup:
      return Ask<pb::IsSnapshotCleanupEnabledRequest>(
          "IsSnapshotCleanupEnabled", &pb::IsSnapshotCleanupEnabledResponse::enabled);
    case Switch::kRpcThrottle:
      return Ask<pb::IsRpcThrottleEnabledRequest>(
          "IsRpcThrottleEnabled", &pb::IsRpcThrottleEnabledResponse::rpc_throttle_enabled);
    case Switch::kSplit:
    case Switch::kMerge: break;
  }
  pb::IsSplitOrMergeEnabledRequest request;
  request.set_switch_type(which == Switch::kSplit ? pb::SPLIT : pb::MERGE);
  pb::IsSplitOrMergeEnabledResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("IsSplitOrMergeEnabled", request, &response));
  return response.enabled();
}

Result<bool> RemoteControl::RunBalancer(bool force) {
  return Set("Balance", force, &pb::BalanceRequest::set_ignore_rit,
             &pb::BalanceResponse::balancer_ran);
}

Result<bool> RemoteControl::RunNormalizer() {
  return Ask<pb::NormalizeRequest>("Normalize", &pb::NormalizeResponse::normalizer_ran);
}

Result<bool> RemoteControl::RunCleanerChore() {
  return Ask<pb::RunCleanerChoreRequest>("RunCleanerChore",
                                         &pb::RunCleanerChoreResponse::cleaner_chore_ran);
}

Result<bool> RemoteControl::RunHbckChore() {
  pb::RunHbckChoreResponse response;
  RETURN_IF_ERROR(cluster_->CallHbck("RunHbckChore", pb::RunHbckChoreRequest(), &response));
  return response.ran();
}

Result<int64_t> RemoteControl::RunCatalogJanitor() {
  pb::RunCatalogScanResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("RunCatalogScan", pb::RunCatalogScanRequest(), &response));
  return response.scan_result();
}

Result<api::ClusterControl::State> RemoteControl::ReadState() {
  pb::GetClusterStatusResponse response;
  RETURN_IF_ERROR(
      cluster_->CallMaster("GetClusterStatus", pb::GetClusterStatusRequest(), &response));
  const pb::ClusterStatus& status = response.cluster_status();
  State state;
  state.hbase_version = status.hbase_version().version();
  if (status.has_master()) state.master = NameOf(status.master());
  state.backup_masters = NamesOf(status.backup_masters());
  state.dead_servers = NamesOf(status.dead_servers());
  state.unknown_servers = NamesOf(status.unknown_servers());
  for (const pb::RegionInTransition& region : status.regions_in_transition()) {
    state.regions_in_transition.push_back(region.spec().value());
  }
  for (const pb::LiveServerInfo& live : status.live_servers()) {
    Server& server = state.servers.emplace_back();
    const pb::ServerLoad& load = live.server_load();
    server.name = NameOf(live.server());
    server.requests_per_second = load.number_of_requests();
    server.used_heap_mb = load.used_heap_mb();
    server.max_heap_mb = load.max_heap_mb();
    for (const pb::RegionLoad& region : load.region_loads()) {
      server.regions.push_back(LoadOf(region));
    }
  }
  return state;
}

Result<std::map<std::string, std::string>> RemoteControl::ServersOfRegions(const TableName& table) {
  ASSIGN_OR_RETURN(const auto regions, cluster_->ReadRegions(table));
  std::map<std::string, ServerName> servers;
  for (const RegionLocation& region : regions) {
    // That of hbase:meta is not in hbase:meta.
    if (!region.server.has_value() || region.start_code == 0) continue;
    servers[region.name] = NameOf(region.server->host, region.server->port, region.start_code);
  }
  return servers;
}

Result<bool> RemoteControl::IsInMaintenanceMode() {
  return Ask<pb::IsInMaintenanceModeRequest>("IsMasterInMaintenanceMode",
                                             &pb::IsInMaintenanceModeResponse::inmaintenancemode);
}

Result<std::vector<std::string>> RemoteControl::ListDecommissioned() {
  pb::ListDecommissionedRegionServersResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("ListDecommissionedRegionServers",
                                       pb::ListDecommissionedRegionServersRequest(), &response));
  return NamesOf(response.server_name());
}

Result<std::vector<std::string>> RemoteControl::ClearDeadServers(
    const std::vector<ServerName>& servers) {
  pb::ClearDeadServersRequest request;
  for (const std::string& server : servers) {
    RETURN_IF_ERROR(ReadServerName(server, request.add_server_name()));
  }
  pb::ClearDeadServersResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("ClearDeadServers", request, &response));
  return NamesOf(response.server_name());
}

Status RemoteControl::RollLog(const ServerName& server) {
  ASSIGN_OR_RETURN(const Address address, AddressOf(server));
  pb::RollWALWriterResponse response;
  return cluster_->CallServer(address, "RollWALWriter", pb::RollWALWriterRequest(), &response);
}

Status RemoteControl::UpdateConfiguration(const ServerName& server) {
  ASSIGN_OR_RETURN(const Address address, AddressOf(server));
  pb::UpdateConfigurationResponse response;
  return cluster_->CallServer(address, "UpdateConfiguration", pb::UpdateConfigurationRequest(),
                              &response);
}

Status RemoteControl::ClearCompactionQueues(const ServerName& server,
                                            const std::vector<std::string>& queues) {
  ASSIGN_OR_RETURN(const Address address, AddressOf(server));
  pb::ClearCompactionQueuesRequest request;
  for (const std::string& queue : queues) request.add_queue_name(queue);
  pb::ClearCompactionQueuesResponse response;
  return cluster_->CallServer(address, "ClearCompactionQueues", request, &response);
}

Status RemoteControl::CompactServer(const ServerName& server, bool major) {
  ASSIGN_OR_RETURN(const Address address, AddressOf(server));
  pb::GetOnlineRegionResponse online;
  RETURN_IF_ERROR(
      cluster_->CallServer(address, "GetOnlineRegion", pb::GetOnlineRegionRequest(), &online));
  for (const pb::RegionInfo& message : online.region_info()) {
    pb::CompactRegionRequest request;
    request.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
    request.mutable_region()->set_value(api::RegionInfoFromPb(message).RegionName());
    request.set_major(major);
    pb::CompactRegionResponse response;
    RETURN_IF_ERROR(cluster_->CallServer(address, "CompactRegion", request, &response));
  }
  return Status::Ok();
}

Status RemoteControl::StopServer(const ServerName& server) {
  ASSIGN_OR_RETURN(const Address address, AddressOf(server));
  pb::StopServerRequest request;
  request.set_reason(kStopReason);
  pb::StopServerResponse response;
  return cluster_->CallServer(address, "StopServer", request, &response);
}

Status RemoteControl::StopMaster() {
  pb::StopMasterResponse response;
  return cluster_->CallMaster("StopMaster", pb::StopMasterRequest(), &response);
}

Result<std::vector<api::ClusterControl::CompactionsBefore>> RemoteControl::SwitchCompactions(
    bool on, const std::vector<ServerName>& servers) {
  std::vector<ServerName> names = servers;
  if (names.empty()) {
    ASSIGN_OR_RETURN(const State state, ReadState());
    for (const Server& server : state.servers) names.push_back(server.name);
  }
  std::vector<CompactionsBefore> before;
  for (const ServerName& name : names) {
    ASSIGN_OR_RETURN(const Address address, AddressOf(name));
    pb::CompactionSwitchRequest request;
    request.set_enabled(on);
    pb::CompactionSwitchResponse response;
    RETURN_IF_ERROR(cluster_->CallServer(address, "CompactionSwitch", request, &response));
    before.push_back({name, response.prev_state()});
  }
  return before;
}

Status RemoteControl::AssignRegion(const std::string& region) {
  pb::AssignRegionRequest request;
  SetRegionName(region, request.mutable_region());
  pb::AssignRegionResponse response;
  return cluster_->CallMaster("AssignRegion", request, &response);
}

Status RemoteControl::UnassignRegion(const std::string& region, bool force) {
  pb::UnassignRegionRequest request;
  SetRegionName(region, request.mutable_region());
  request.set_force(force);
  pb::UnassignRegionResponse response;
  return cluster_->CallMaster("UnassignRegion", request, &response);
}

Status RemoteControl::MoveRegion(const std::string& region,
                                 const std::optional<ServerName>& server) {
  pb::MoveRegionRequest request;
  SetRegionName(region, request.mutable_region());
  if (server.has_value()) {
    RETURN_IF_ERROR(ReadServerName(*server, request.mutable_dest_server_name()));
  }
  pb::MoveRegionResponse response;
  return cluster_->CallMaster("MoveRegion", request, &response);
}

Result<uint64_t> RemoteControl::ClearBlockCache(const TableName& table) {
  ASSIGN_OR_RETURN(const auto regions, cluster_->ReadRegions(table));
  std::map<Address, pb::ClearRegionBlockCacheRequest> requests;
  for (const RegionLocation& region : regions) {
    if (region.server.has_value()) SetRegion(region, requests[*region.server].add_region());
  }
  uint64_t blocks = 0;
  for (const auto& [address, request] : requests) {
    pb::ClearRegionBlockCacheResponse response;
    RETURN_IF_ERROR(cluster_->CallServer(address, "ClearRegionBlockCache", request, &response));
    blocks += static_cast<uint64_t>(response.stats().evicted_blocks());
  }
  return blocks;
}

Result<std::vector<api::ClusterControl::Procedure>> RemoteControl::ListProcedures() {
  pb::GetProceduresResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("GetProcedures", pb::GetProceduresRequest(), &response));
  std::vector<Procedure> procedures;
  for (const pb::Procedure& message : response.procedure()) {
    procedures.push_back({message.proc_id(), message.class_name(), StateName(message.state()),
                          static_cast<int64_t>(message.submitted_time()),
                          static_cast<int64_t>(message.last_update())});
  }
  return procedures;
}

Result<std::vector<api::ClusterControl::Lock>> RemoteControl::ListLocks() {
  pb::GetLocksResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("GetLocks", pb::GetLocksRequest(), &response));
  std::vector<Lock> locks;
  for (const pb::LockedResource& message : response.lock()) {
    Lock& lock = locks.emplace_back();
    lock.type = TypeName(message.resource_type());
    lock.name = message.resource_name();
    if (message.lock_type() == pb::EXCLUSIVE) {
      lock.owner = message.exclusive_lock_owner_procedure().proc_id();
    }
    lock.shared_count = message.shared_lock_count();
    for (const pb::Procedure& waiting : message.waitingprocedures()) {
      lock.waiting.push_back(waiting.proc_id());
    }
  }
  return locks;
}

Result<bool> RemoteControl::AbortProcedure(uint64_t id, bool may_interrupt) {
  pb::AbortProcedureRequest request;
  request.set_proc_id(id);
  request.set_mayinterruptifrunning(may_interrupt);
  pb::AbortProcedureResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("AbortProcedure", request, &response));
  return response.is_procedure_aborted();
}

}  // namespace bennu::client
