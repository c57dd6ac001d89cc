#include "src/client/rpc_registry.h"

#include <utility>

#include "proto/registry.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

constexpr char kRegistryService[] = "ClientMetaService";

}  // namespace

Status RpcRegistry::Ask(const std::string& method, const google::protobuf::MessageLite& request,
                        google::protobuf::MessageLite* response) {
  Status last = InvalidArgument("no server's address is given");
  for (const Address& node : nodes_) {
    CallOutcome outcome =
        channels_->Get(node, kRegistryService, timeout_)->Call(method, request, {}, timeout_);
    if (outcome.status.ok()) return outcome.answer.Parse(response);
    last = std::move(outcome.status);
  }
  return last;
}

Result<std::string> RpcRegistry::ClusterId() {
  pb::GetClusterIdResponse response;
  RETURN_IF_ERROR(Ask("GetClusterId", pb::GetClusterIdRequest(), &response));
  return response.cluster_id();
}

Result<Address> RpcRegistry::ActiveMaster() {
  pb::GetActiveMasterResponse response;
  RETURN_IF_ERROR(Ask("GetActiveMaster", pb::GetActiveMasterRequest(), &response));
  if (!response.has_server_name()) {
    return Status(StatusCode::kAborted, "the cluster has no active master at the moment");
  }
  return Address::FromPb(response.server_name());
}

Result<RegionLocation> RpcRegistry::MetaRegion() {
  pb::GetMetaRegionLocationsResponse response;
  RETURN_IF_ERROR(Ask("GetMetaRegionLocations", pb::GetMetaRegionLocationsRequest(), &response));
  for (const pb::RegionLocation& known : response.meta_locations()) {
    if (known.region_info().replica_id() != 0 || !known.has_server_name()) continue;
    RegionLocation location;
    location.info = api::RegionInfoFromPb(known.region_info());
    location.name = location.info.RegionName();
    location.server = Address::FromPb(known.server_name());
    return location;
  }
  return Status(StatusCode::kAborted, "hbase:meta is on no server at the moment");
}

}  // namespace bennu::client
