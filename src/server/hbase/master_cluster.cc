// The cluster: one server, which is always there, and the switches of a master.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "proto/client.pb.h"
#include "proto/region.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/server/hbase/master_service.h"
#include "src/server/hbase/region_load.h"

namespace bennu::server::hbase {

namespace {

bool Wants(const pb::GetClusterStatusRequest& request, pb::Option option) {
  if (request.options().empty()) return true;
  for (const int wanted : request.options()) {
    if (wanted == option) return true;
  }
  return false;
}

// What a balancer that keeps no log of its doings tells.
CallError BalancerLog(const pb::LogRequest& request, pb::LogEntry* response) {
  for (const char* kind : {"BalancerDecisions", "BalancerRejections"}) {
    if (!request.log_class_name().ends_with(fmt::format("MasterProtos${}Request", kind))) continue;
    response->set_log_class_name(fmt::format(
        "org.apache.hadoop.hbase.shaded.protobuf.generated.MasterProtos${}Response", kind));
    response->set_log_message("");
    return std::nullopt;
  }
  return rpc::RemoteError(
      rpc::exceptions::kDoNotRetry,
      fmt::format("Invalid request params: no log of {}", request.log_class_name()));
}

}  // namespace

template <typename SetRequest, typename SetResponse, typename GetRequest, typename GetResponse>
void MasterService::AddSwitch(Switch which, const std::string& set_method,
                              const std::string& get_method, bool (SetRequest::*asked)() const,
                              void (SetResponse::*set_previous)(bool),
                              void (GetResponse::*set_value)(bool)) {
  AddUnary<SetRequest, SetResponse>(
      set_method, RunOn::kHandler,
      [this, which, asked, set_previous](const SetRequest& request,
                                         SetResponse* response) -> CallError {
        bool previous = false;
        CallError error = switches_->Set(which, (request.*asked)(), &previous);
        if (!error) (response->*set_previous)(previous);
        return error;
      });
  AddUnary<GetRequest, GetResponse>(
      get_method, RunOn::kLoop,
      [this, which, set_value](const GetRequest&, GetResponse* response) -> CallError {
        (response->*set_value)(switches_->IsOn(which));
        return std::nullopt;
      });
}

void MasterService::AddCluster() {
  AddUnary<pb::IsMasterRunningRequest, pb::IsMasterRunningResponse>(
      "IsMasterRunning", RunOn::kLoop, [](const auto&, auto* response) -> CallError {
        response->set_is_master_running(true);
        return std::nullopt;
      });
  AddUnary<pb::IsInMaintenanceModeRequest, pb::IsInMaintenanceModeResponse>(
      "IsMasterInMaintenanceMode", RunOn::kLoop, [](const auto&, auto* response) -> CallError {
        response->set_inmaintenancemode(false);
        return std::nullopt;
      });
  AddUnary<pb::SecurityCapabilitiesRequest, pb::SecurityCapabilitiesResponse>(
      "getSecurityCapabilities", RunOn::kLoop, [](const auto&, auto* response) -> CallError {
        response->add_capabilities(pb::SecurityCapabilitiesResponse::SIMPLE_AUTHENTICATION);
        return std::nullopt;
      });
  AddUnary<pb::GetClusterStatusRequest, pb::GetClusterStatusResponse>(
      "GetClusterStatus", RunOn::kHandler,
      [this](const pb::GetClusterStatusRequest& request,
             pb::GetClusterStatusResponse* response) -> CallError {
        pb::ClusterStatus* const status = response->mutable_cluster_status();
        if (Wants(request, pb::HBASE_VERSION)) {
          status->mutable_hbase_version()->set_version(kHBaseVersion);
        }
        if (Wants(request, pb::CLUSTER_ID)) {
          status->mutable_cluster_id()->set_cluster_id(identity_->cluster_id);
        }
        if (Wants(request, pb::MASTER)) identity_->MasterToPb(status->mutable_master());
        if (Wants(request, pb::SERVERS_NAME)) {
          identity_->RegionServerToPb(status->add_servers_name());
        }
        if (Wants(request, pb::BALANCER_ON)) {
          status->set_balancer_on(switches_->IsOn(Switch::kBalancer));
        }
        status->set_master_info_port(0);  // there are no pages for people
        // What servers do stands in their loads.
        if (Wants(request, pb::LIVE_SERVERS) || Wants(request, pb::TASKS)) {
          pb::LiveServerInfo* const live = status->add_live_servers();
          identity_->RegionServerToPb(live->mutable_server());
          if (CallError error = FillServerLoad(*regions_, live->mutable_server_load()); error) {
            return error;
          }
        }
        if (Wants(request, pb::TABLE_TO_REGIONS_COUNT)) {
          const auto names = store_->admin()->ListTables();
          if (!names.ok()) return rpc::RemoteError(names.status());
          for (const TableName& name : *names) {
            const auto table = store_->OpenTable(name);
            if (!table.ok()) continue;
            // As HBase, which counts none of a disabled table's.
            const auto enabled = store_->admin()->IsTableEnabled(name);
            const bool open = !enabled.ok() || *enabled;
            const auto count = open ? static_cast<uint32_t>((*table)->regions().size()) : 0;
            pb::TableRegionStatesCount* const states = status->add_table_region_states_count();
            api::TableNameToPb(name, states->mutable_table_name());
            pb::RegionStatesCount* const counts = states->mutable_region_states_count();
            counts->set_open_regions(count);
            counts->set_split_regions(0);
            counts->set_closed_regions(0);
            counts->set_regions_in_transition(0);
            counts->set_total_regions(count);
          }
        }
        return std::nullopt;
      });
  // As a master without the coprocessor that would answer; what they carry does not matter.
  for (const char* method : {"Grant", "Revoke", "GetUserPermissions", "HasUserPermissions"}) {
    Add(method, RunOn::kLoop, [](CallPtr call) {
      call->Fail({rpc::exceptions::kDoNotRetry,
                  "java.lang.UnsupportedOperationException: "
                  "org.apache.hadoop.hbase.security.access.AccessController is not loaded"});
    });
  }
  AddUnary<pb::LogRequest, pb::LogEntry>("GetLogEntries", RunOn::kLoop, BalancerLog);
  // A balancer, a normalizer and a janitor have nothing to do between one server and itself.
  AddUnary<pb::BalanceRequest, pb::BalanceResponse>(
      "Balance", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        response->set_balancer_ran(switches_->IsOn(Switch::kBalancer));
        response->set_moves_calculated(0);
        response->set_moves_executed(0);
        return std::nullopt;
      });
  AddUnary<pb::NormalizeRequest, pb::NormalizeResponse>(
      "Normalize", RunOn::kHandler,
      [this](const pb::NormalizeRequest& request, pb::NormalizeResponse* response) -> CallError {
        // HBase, whose switch is off, looks no further.
        if (switches_->IsOn(Switch::kNormalizer) && request.has_namespace_()) {
          pb::NamespaceDescriptor found;
          if (CallError error = ReadNamespace(request.namespace_(), &found); error) return error;
        }
        response->set_normalizer_ran(switches_->IsOn(Switch::kNormalizer));
        return std::nullopt;
      });
  AddUnary<pb::RunCatalogScanRequest, pb::RunCatalogScanResponse>(
      "RunCatalogScan", RunOn::kLoop, [](const auto&, auto* response) -> CallError {
        response->set_scan_result(0);
        return std::nullopt;
      });
  AddUnary<pb::RunCleanerChoreRequest, pb::RunCleanerChoreResponse>(
      "RunCleanerChore", RunOn::kHandler, [this](const auto&, auto* response) -> CallError {
        const Status status = store_->CleanUp();
        if (!status.ok()) return rpc::RemoteError(status);
        response->set_cleaner_chore_ran(true);
        return std::nullopt;
      });
  // The master keeps nothing of its own that could be flushed.
  AddUnary<pb::FlushMasterStoreRequest, pb::FlushMasterStoreResponse>(
      "FlushMasterStore", RunOn::kLoop,
      [](const auto&, auto*) -> CallError { return std::nullopt; });
  AddUnary<pb::ListDecommissionedRegionServersRequest, pb::ListDecommissionedRegionServersResponse>(
      "ListDecommissionedRegionServers", RunOn::kLoop,
      [](const auto&, auto*) -> CallError { return std::nullopt; });
  AddUnary<pb::ClearDeadServersRequest, pb::ClearDeadServersResponse>(
      "ClearDeadServers", RunOn::kLoop, [](const auto& request, auto* response) -> CallError {
        // None was dead: they are those that are left.
        response->mutable_server_name()->CopyFrom(request.server_name());
        return std::nullopt;
      });
}

CallError MasterService::CheckSwitch(Switch which, const char* name) const {
  if (switches_->IsOn(which)) return std::nullopt;
  return rpc::RemoteError(rpc::exceptions::kDoNotRetry, fmt::format("{} switch is off!", name));
}

void MasterService::AddStops() {
  // One process is master and region servers.
  const auto stop = [this](CallPtr call, const auto& response) {
    const CallError error = requests_->Stop(call->connection().user, "its master is to stop");
    if (error) return call->Fail(*error);
    call->Respond(response);
  };
  Add("StopMaster", RunOn::kLoop,
      [stop](CallPtr call) { stop(std::move(call), pb::StopMasterResponse()); });
  Add("Shutdown", RunOn::kLoop,
      [stop](CallPtr call) { stop(std::move(call), pb::ShutdownResponse()); });
}

void MasterService::AddSwitches() {
  const auto of_type = [](int type) { return type == pb::SPLIT ? Switch::kSplit : Switch::kMerge; };
  AddUnary<pb::SetSplitOrMergeEnabledRequest, pb::SetSplitOrMergeEnabledResponse>(
      "SetSplitOrMergeEnabled", RunOn::kHandler,
      [this, of_type](const auto& request, auto* response) -> CallError {
        for (const int type : request.switch_types()) {
          bool previous = false;
          CallError error = switches_->Set(of_type(type), request.enabled(), &previous);
          if (error) return error;
          response->add_prev_value(previous);
        }
        return std::nullopt;
      });
  AddUnary<pb::IsSplitOrMergeEnabledRequest, pb::IsSplitOrMergeEnabledResponse>(
      "IsSplitOrMergeEnabled", RunOn::kLoop,
      [this, of_type](const auto& request, auto* response) -> CallError {
        response->set_enabled(switches_->IsOn(of_type(request.switch_type())));
        return std::nullopt;
      });
  AddSwitch<pb::SetBalancerRunningRequest, pb::SetBalancerRunningResponse,
            pb::IsBalancerEnabledRequest, pb::IsBalancerEnabledResponse>(
      Switch::kBalancer, "SetBalancerRunning", "IsBalancerEnabled",
      &pb::SetBalancerRunningRequest::on, &pb::SetBalancerRunningResponse::set_prev_balance_value,
      &pb::IsBalancerEnabledResponse::set_enabled);
  AddSwitch<pb::SetNormalizerRunningRequest, pb::SetNormalizerRunningResponse,
            pb::IsNormalizerEnabledRequest, pb::IsNormalizerEnabledResponse>(
      Switch::kNormalizer, "SetNormalizerRunning", "IsNormalizerEnabled",
      &pb::SetNormalizerRunningRequest::on,
      &pb::SetNormalizerRunningResponse::set_prev_normalizer_value,
      &pb::IsNormalizerEnabledResponse::set_enabled);
  AddSwitch<pb::EnableCatalogJanitorRequest, pb::EnableCatalogJanitorResponse,
            pb::IsCatalogJanitorEnabledRequest, pb::IsCatalogJanitorEnabledResponse>(
      Switch::kCatalogJanitor, "EnableCatalogJanitor", "IsCatalogJanitorEnabled",
      &pb::EnableCatalogJanitorRequest::enable, &pb::EnableCatalogJanitorResponse::set_prev_value,
      &pb::IsCatalogJanitorEnabledResponse::set_value);
  AddSwitch<pb::SetCleanerChoreRunningRequest, pb::SetCleanerChoreRunningResponse,
            pb::IsCleanerChoreEnabledRequest, pb::IsCleanerChoreEnabledResponse>(
      Switch::kCleanerChore, "SetCleanerChoreRunning", "IsCleanerChoreEnabled",
      &pb::SetCleanerChoreRunningRequest::on, &pb::SetCleanerChoreRunningResponse::set_prev_value,
      &pb::IsCleanerChoreEnabledResponse::set_value);
  AddSwitch<pb::SetSnapshotCleanupRequest, pb::SetSnapshotCleanupResponse,
            pb::IsSnapshotCleanupEnabledRequest, pb::IsSnapshotCleanupEnabledResponse>(
      Switch::kSnapshotCleanup, "SwitchSnapshotCleanup", "IsSnapshotCleanupEnabled",
      &pb::SetSnapshotCleanupRequest::enabled,
      &pb::SetSnapshotCleanupResponse::set_prev_snapshot_cleanup,
      &pb::IsSnapshotCleanupEnabledResponse::set_enabled);
}

}  // namespace bennu::server::hbase
