// Quotas: throttles, where hbase.quota.enabled is set; else as a master answers that has them off.
#include "proto/quota.pb.h"
#include "proto/quota_calls.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

void MasterService::AddQuotas() {
  AddUnary<pb::SetQuotaRequest, pb::SetQuotaResponse>(
      "SetQuota", RunOn::kHandler, [this](const pb::SetQuotaRequest& request, auto*) -> CallError {
        if (quotas_ != nullptr) return quotas_->Set(request);
        return rpc::RemoteError(rpc::exceptions::kDoNotRetry,
                                "java.lang.UnsupportedOperationException: quota support disabled");
      });
  AddUnary<pb::SwitchRpcThrottleRequest, pb::SwitchRpcThrottleResponse>(
      "SwitchRpcThrottle", RunOn::kHandler,
      [this](const pb::SwitchRpcThrottleRequest& request, auto* response) -> CallError {
        response->set_previous_rpc_throttle_enabled(false);
        if (quotas_ == nullptr) return std::nullopt;
        bool previous = false;
        CallError error =
            switches_->Set(Switch::kRpcThrottle, request.rpc_throttle_enabled(), &previous);
        if (!error) response->set_previous_rpc_throttle_enabled(previous);
        return error;
      });
  AddUnary<pb::IsRpcThrottleEnabledRequest, pb::IsRpcThrottleEnabledResponse>(
      "IsRpcThrottleEnabled", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        response->set_rpc_throttle_enabled(quotas_ != nullptr &&
                                           switches_->IsOn(Switch::kRpcThrottle));
        return std::nullopt;
      });
  AddUnary<pb::SwitchExceedThrottleQuotaRequest, pb::SwitchExceedThrottleQuotaResponse>(
      "SwitchExceedThrottleQuota", RunOn::kLoop,
      [this](const pb::SwitchExceedThrottleQuotaRequest& request,
             pb::SwitchExceedThrottleQuotaResponse* response) -> CallError {
        if (quotas_ != nullptr && request.exceed_throttle_quota_enabled()) {
          return rpc::RemoteError(rpc::exceptions::kDoNotRetry,
                                  "throttles cannot be exceeded here; set larger ones");
        }
        response->set_previous_exceed_throttle_quota_enabled(false);
        return std::nullopt;
      });
  AddUnary<pb::GetSpaceQuotaRegionSizesRequest, pb::GetSpaceQuotaRegionSizesResponse>(
      "GetSpaceQuotaRegionSizes", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        if (quotas_ == nullptr) return std::nullopt;
        for (const auto& [table, size] : quotas_->space()->view().table_sizes) {
          const auto name = TableName::Parse(table);
          if (!name.ok()) continue;
          auto* const sizes = response->add_sizes();
          api::TableNameToPb(*name, sizes->mutable_table_name());
          sizes->set_size(size);
        }
        return std::nullopt;
      });
  AddUnary<pb::GetQuotaStatesRequest, pb::GetQuotaStatesResponse>(
      "GetQuotaStates", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        if (quotas_ == nullptr) return std::nullopt;
        const SpaceQuotas::View view = quotas_->space()->view();
        for (const auto& [table, snapshot] : view.tables) {
          const auto name = TableName::Parse(table);
          if (!name.ok()) continue;
          auto* const told = response->add_table_snapshots();
          api::TableNameToPb(*name, told->mutable_table_name());
          told->mutable_snapshot()->CopyFrom(snapshot);
        }
        for (const auto& [name, snapshot] : view.namespaces) {
          auto* const told = response->add_ns_snapshots();
          told->set_namespace_(name);
          told->mutable_snapshot()->CopyFrom(snapshot);
        }
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
