#include "src/server/hbase/meta_service.h"

#include "proto/master.pb.h"
#include "proto/registry.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/engine/directory/meta_rows.h"

namespace bennu::server::hbase {

namespace {

// Procedure::NO_PROC_ID as a uint64 of protobuf's.
constexpr uint64_t kNoProcedure = UINT64_MAX;

}  // namespace

ClientMetaService::ClientMetaService(const Identity* identity) : Service("ClientMetaService") {
  AddUnary<pb::GetClusterIdRequest, pb::GetClusterIdResponse>(
      "GetClusterId", RunOn::kLoop, [identity](const auto&, auto* response) -> CallError {
        response->set_cluster_id(identity->cluster_id);
        return std::nullopt;
      });
  AddUnary<pb::GetActiveMasterRequest, pb::GetActiveMasterResponse>(
      "GetActiveMaster", RunOn::kLoop, [identity](const auto&, auto* response) -> CallError {
        identity->MasterToPb(response->mutable_server_name());
        return std::nullopt;
      });
  AddUnary<pb::GetMastersRequest, pb::GetMastersResponse>(
      "GetMasters", RunOn::kLoop, [identity](const auto&, auto* response) -> CallError {
        pb::GetMastersResponseEntry* const entry = response->add_master_servers();
        identity->MasterToPb(entry->mutable_server_name());
        entry->set_is_active(true);
        return std::nullopt;
      });
  AddUnary<pb::GetBootstrapNodesRequest, pb::GetBootstrapNodesResponse>(
      "GetBootstrapNodes", RunOn::kLoop, [identity](const auto&, auto* response) -> CallError {
        identity->RegionServerToPb(response->add_server_name());
        return std::nullopt;
      });
  AddUnary<pb::GetMetaRegionLocationsRequest, pb::GetMetaRegionLocationsResponse>(
      "GetMetaRegionLocations", RunOn::kLoop, [identity](const auto&, auto* response) -> CallError {
        pb::RegionLocation* const location = response->add_meta_locations();
        api::RegionInfoToPb(engine::MetaRegionInfo(), location->mutable_region_info());
        identity->RegionServerToPb(location->mutable_server_name());
        location->set_seq_num(-1);
        return std::nullopt;
      });
}

HbckService::HbckService() : Service("HbckService") {
  AddUnary<pb::RunHbckChoreRequest, pb::RunHbckChoreResponse>(
      "RunHbckChore", RunOn::kLoop, [](const auto&, auto* response) -> CallError {
        response->set_ran(true);
        return std::nullopt;
      });
  AddUnary<pb::FixMetaRequest, pb::FixMetaResponse>(
      "FixMeta", RunOn::kLoop, [](const auto&, auto*) -> CallError { return std::nullopt; });
  // Regions are where they belong, so that no procedure brings them there.
  const auto none = [](const auto& request, auto* response) -> CallError {
    for (int i = 0; i < request.region_size(); ++i) response->add_pid(kNoProcedure);
    return std::nullopt;
  };
  AddUnary<pb::AssignsRequest, pb::AssignsResponse>("Assigns", RunOn::kLoop, none);
  AddUnary<pb::AssignsRequest, pb::AssignsResponse>("Unassigns", RunOn::kLoop, none);
  // No procedure is stuck.
  AddUnary<pb::BypassProcedureRequest, pb::BypassProcedureResponse>(
      "BypassProcedure", RunOn::kLoop, [](const auto& request, auto* response) -> CallError {
        for (int i = 0; i < request.proc_id_size(); ++i) response->add_bypassed(false);
        return std::nullopt;
      });
  AddUnary<pb::ScheduleServerCrashProcedureRequest, pb::ScheduleServerCrashProcedureResponse>(
      "ScheduleServerCrashProcedure", RunOn::kLoop,
      [](const auto& request, auto* response) -> CallError {
        for (int i = 0; i < request.servername_size(); ++i) response->add_pid(kNoProcedure);
        return std::nullopt;
      });
  AddUnary<pb::ScheduleServerCrashProcedureRequest, pb::ScheduleServerCrashProcedureResponse>(
      "ScheduleSCPsForUnknownServers", RunOn::kLoop,
      [](const auto&, auto*) -> CallError { return std::nullopt; });
  for (const char* method : {"SetTableStateInMeta", "SetRegionStateInMeta"}) {
    Add(method, RunOn::kLoop, [](CallPtr call) {
      call->Fail({rpc::exceptions::kDoNotRetry,
                  "states stand in hbase:meta as they are, and are not set by hand; a table is "
                  "enabled and disabled by the master"});
    });
  }
}

BootstrapNodeService::BootstrapNodeService(const Identity* identity)
    : Service("BootstrapNodeService") {
  AddUnary<pb::GetAllBootstrapNodesRequest, pb::GetAllBootstrapNodesResponse>(
      "GetAllBootstrapNodes", RunOn::kLoop, [identity](const auto&, auto* response) -> CallError {
        identity->RegionServerToPb(response->add_node());
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
