#include "src/server/hbase/admin_service.h"

#include <memory>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "proto/admin.pb.h"
#include "proto/quota_calls.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/env.h"
#include "src/base/log.h"
#include "src/engine/directory/root_layout.h"
#include "src/server/hbase/region_load.h"

namespace bennu::server::hbase {

namespace {

// A table's values that are kept apart (MOB) are compacted by the master, which is asked about them
// as about a region: "TABLE,.mob,0.ENCODED.". False: it is none of those.
bool DescribeMobRegion(ByteView name, pb::RegionInfo* info) {
  constexpr ByteView kMiddle = ",.mob,0.";
  const size_t comma = name.find(',');
  if (comma == ByteView::npos || !name.substr(comma).starts_with(kMiddle)) return false;
  const auto table = TableName::Parse(name.substr(0, comma));
  if (!table.ok()) return false;
  info->set_region_id(0);
  api::TableNameToPb(*table, info->mutable_table_name());
  info->set_start_key(".mob");
  return true;
}

}  // namespace

AdminService::AdminService(engine::Engine* store, Regions* regions, const Identity* identity,
                           std::string root, SlowLog* slow_log, Quotas* quotas,
                           const OperatorRequests* requests)
    : Service("AdminService"),
      store_(store),
      regions_(regions),
      identity_(identity),
      root_(std::move(root)),
      slow_log_(slow_log),
      quotas_(quotas),
      requests_(requests) {
  AddRegionQuestions();
  AddRegionChanges();
  AddServer();
  AddSlowLog();
}

void AdminService::AddRegionQuestions() {
  AddUnary<pb::GetRegionInfoRequest, pb::GetRegionInfoResponse>(
      "GetRegionInfo", RunOn::kHandler,
      [this](const pb::GetRegionInfoRequest& request,
             pb::GetRegionInfoResponse* response) -> CallError {
        ServedRegionPtr region;
        if (CallError error = regions_->Find(request.region(), &region); error) {
          if (!DescribeMobRegion(request.region().value(), response->mutable_region_info())) {
            return error;
          }
          response->set_compaction_state(pb::GetRegionInfoResponse::NONE);
          return std::nullopt;
        }
        api::RegionInfoToPb(region->info, response->mutable_region_info());
        if (request.compaction_state()) {
          const auto at_work = store_->admin()->GetCompactionState(region->info.EncodedName());
          response->set_compaction_state(
              CompactionStateOf<pb::GetRegionInfoResponse::CompactionState>(
                  region->counters.get(), at_work.ok() ? *at_work : CompactionState::kNone));
        }
        response->set_splittable(true);
        response->set_mergeable(true);
        return std::nullopt;
      });
  AddUnary<pb::GetStoreFileRequest, pb::GetStoreFileResponse>(
      "GetStoreFile", RunOn::kHandler,
      [this](const pb::GetStoreFileRequest& request,
             pb::GetStoreFileResponse* response) -> CallError {
        ServedRegionPtr region;
        if (CallError error = regions_->Find(request.region(), &region); error) {
          return error;
        }
        std::vector<std::string> families(request.family().begin(), request.family().end());
        if (families.empty()) {
          for (const auto& family : region->descriptor.families) families.push_back(family.name);
        }
        const engine::RootLayout layout(root_);
        for (const std::string& family : families) {
          if (CallError error = region->CheckFamily(family); error) return error;
          const std::string directory = JoinPath(
              layout.RegionDirectory(region->info.table, region->info.EncodedName()), family);
          const auto names = store_->env()->ListDirectory(directory);
          if (!names.ok()) continue;  // nothing was ever flushed
          for (const std::string& name : *names) {
            if (!name.starts_with('.')) response->add_store_file(JoinPath(directory, name));
          }
        }
        return std::nullopt;
      });
  AddUnary<pb::GetOnlineRegionRequest, pb::GetOnlineRegionResponse>(
      "GetOnlineRegion", RunOn::kHandler, [this](const auto&, auto* response) -> CallError {
        const auto names = store_->admin()->ListTables();
        if (!names.ok()) return rpc::RemoteError(names.status());
        for (const TableName& name : *names) {
          const auto table = store_->OpenTable(name);
          if (!table.ok()) continue;
          const auto enabled = store_->admin()->IsTableEnabled(name);
          if (enabled.ok() && !*enabled) continue;
          for (const RegionInfo& info : (*table)->regions()) {
            api::RegionInfoToPb(info, response->add_region_info());
          }
        }
        return std::nullopt;
      });
  AddUnary<pb::GetRegionLoadRequest, pb::GetRegionLoadResponse>(
      "GetRegionLoad", RunOn::kHandler,
      [this](const pb::GetRegionLoadRequest& request,
             pb::GetRegionLoadResponse* response) -> CallError {
        if (!request.has_table_name()) {
          pb::ServerLoad load;
          CallError error = FillServerLoad(*regions_, &load);
          response->mutable_region_loads()->Swap(load.mutable_region_loads());
          return error;
        }
        const auto regions =
            store_->admin()->ListRegions(api::TableNameFromPb(request.table_name()));
        if (regions.status().code() == StatusCode::kNotFound) return std::nullopt;  // it has none
        if (!regions.ok()) return rpc::RemoteError(regions.status());
        for (const RegionStatus& status : *regions) {
          FillRegionLoad(status, *regions_, response->add_region_loads());
        }
        return std::nullopt;
      });
}

void AdminService::AddRegionChanges() {
  AddUnary<pb::FlushRegionRequest, pb::FlushRegionResponse>(
      "FlushRegion", RunOn::kHandler,
      [this](const pb::FlushRegionRequest& request,
             pb::FlushRegionResponse* response) -> CallError {
        ServedRegionPtr region;
        if (CallError error = regions_->Find(request.region(), &region); error) {
          return error;
        }
        if (!request.family().empty()) {
          if (CallError error = region->CheckFamily(request.family()); error) return error;
        }
        const Status status =
            store_->admin()->FlushRegion(region->info.EncodedName(), request.family());
        if (!status.ok()) return rpc::RemoteError(status);
        response->set_last_flush_time(static_cast<uint64_t>(store_->NowMillis()));
        response->set_flushed(true);
        return std::nullopt;
      });
  AddUnary<pb::CompactRegionRequest, pb::CompactRegionResponse>(
      "CompactRegion", RunOn::kHandler,
      [this](const pb::CompactRegionRequest& request, pb::CompactRegionResponse*) -> CallError {
        ServedRegionPtr region;
        if (CallError error = regions_->Find(request.region(), &region); error) {
          return error;
        }
        const Bytes& family = request.family();
        if (!family.empty()) {
          if (CallError error = region->CheckFamily(family); error) return error;
        }
        if (!store_->compactions_on()) return std::nullopt;
        QueueCompaction(region, family, request.major());
        return std::nullopt;
      });
  AddUnary<pb::CompactionSwitchRequest, pb::CompactionSwitchResponse>(
      "CompactionSwitch", RunOn::kHandler,
      [this](const pb::CompactionSwitchRequest& request,
             pb::CompactionSwitchResponse* response) -> CallError {
        response->set_prev_state(store_->SwitchCompactions(request.enabled()));
        return std::nullopt;
      });
  AddUnary<pb::ClearCompactionQueuesRequest, pb::ClearCompactionQueuesResponse>(
      "ClearCompactionQueues", RunOn::kLoop, [](const auto& request, auto*) -> CallError {
        for (const std::string& queue : request.queue_name()) {
          if (queue == "long" || queue == "short") continue;
          return rpc::RemoteError(rpc::exceptions::kDoNotRetry, "Unknown queue name " + queue);
        }
        return std::nullopt;
      });
  AddUnary<pb::ClearRegionBlockCacheRequest, pb::ClearRegionBlockCacheResponse>(
      "ClearRegionBlockCache", RunOn::kHandler,
      [this](const pb::ClearRegionBlockCacheRequest& request, auto* response) -> CallError {
        size_t blocks = 0;
        for (const pb::RegionSpecifier& asked : request.region()) {
          ServedRegionPtr region;
          if (CallError error = regions_->Find(asked, &region); error) return error;
          const auto dropped = store_->DropCachedBlocks(region->info.EncodedName());
          if (!dropped.ok()) return rpc::RemoteError(dropped.status());
          blocks += *dropped;
        }
        response->mutable_stats()->set_evicted_blocks(static_cast<int64_t>(blocks));
        response->mutable_stats()->set_max_cache_size(
            static_cast<int64_t>(store_->GetStatus().block_cache_capacity_bytes));
        return std::nullopt;
      });
}

// HBase answers once the compaction is queued. One that waits already does for those who ask again.
void AdminService::QueueCompaction(const ServedRegionPtr& region, const Bytes& family, bool major) {
  const std::tuple asked(region->info.EncodedName(), family, major);
  {
    MutexLock lock(&mu_);
    if (!compactions_.insert(asked).second) return;
  }
  std::atomic<int>* const running =
      major ? &region->counters->major_compactions : &region->counters->minor_compactions;
  running->fetch_add(1);
  store_->RunInBackground([this, region, asked, running] {
    {
      MutexLock lock(&mu_);
      compactions_.erase(asked);
    }
    const auto& [encoded, family, major] = asked;
    const Status status = store_->admin()->CompactRegion(encoded, family, major);
    if (!status.ok()) {
      LogWarning("compaction of region {} of {}: {}", encoded, region->info.table.ToString(),
                 status.ToString());
    }
    running->fetch_sub(1);
  });
}

void AdminService::AddServer() {
  AddUnary<pb::GetServerInfoRequest, pb::GetServerInfoResponse>(
      "GetServerInfo", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        identity_->RegionServerToPb(response->mutable_server_info()->mutable_server_name());
        return std::nullopt;
      });
  AddUnary<pb::UpdateConfigurationRequest, pb::UpdateConfigurationResponse>(
      "UpdateConfiguration", RunOn::kLoop,
      [this](const auto&, auto*) -> CallError { return requests_->Reload(); });
  Add("StopServer", RunOn::kLoop, [this](CallPtr call) {
    pb::StopServerRequest request;
    if (const Status status = call->Parse(&request); !status.ok()) {
      return call->Fail(rpc::RemoteError(status));
    }
    if (const CallError error = requests_->Stop(call->connection().user, request.reason()); error) {
      return call->Fail(*error);
    }
    call->Respond(pb::StopServerResponse());
  });
  AddUnary<pb::GetSpaceQuotaSnapshotsRequest, pb::GetSpaceQuotaSnapshotsResponse>(
      "GetSpaceQuotaSnapshots", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        if (quotas_ == nullptr) return std::nullopt;
        for (const auto& [table, snapshot] : quotas_->space()->view().tables) {
          const auto name = TableName::Parse(table);
          if (!name.ok()) continue;
          auto* const told = response->add_snapshots();
          api::TableNameToPb(*name, told->mutable_table_name());
          told->mutable_snapshot()->CopyFrom(snapshot);
        }
        return std::nullopt;
      });
  AddUnary<pb::RollWALWriterRequest, pb::RollWALWriterResponse>(
      "RollWALWriter", RunOn::kHandler, [this](const auto&, auto*) -> CallError {
        const Status status = store_->RollLog();
        if (!status.ok()) return rpc::RemoteError(status);
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
