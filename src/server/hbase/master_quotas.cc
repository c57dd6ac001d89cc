// Quotas, of which there are none, as a master answers that has them switched off.
#include "proto/quota.pb.h"
#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

void MasterService::AddQuotas() {
  AddUnary<pb::SetQuotaRequest, pb::SetQuotaResponse>(
      "SetQuota", RunOn::kLoop, [](const auto&, auto*) -> CallError {
        return rpc::RemoteError(rpc::exceptions::kDoNotRetry,
                                "java.lang.UnsupportedOperationException: quota support disabled");
      });
  AddUnary<pb::GetSpaceQuotaRegionSizesRequest, pb::GetSpaceQuotaRegionSizesResponse>(
      "GetSpaceQuotaRegionSizes", RunOn::kLoop,
      [](const auto&, auto*) -> CallError { return std::nullopt; });
  AddUnary<pb::GetQuotaStatesRequest, pb::GetQuotaStatesResponse>(
      "GetQuotaStates", RunOn::kLoop, [](const auto&, auto*) -> CallError { return std::nullopt; });
}

}  // namespace bennu::server::hbase
