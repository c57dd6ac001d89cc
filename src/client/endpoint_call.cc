#include "src/client/endpoint_call.h"

#include "bennu/cell.h"
#include "proto/client.pb.h"
#include "proto/phoenix_metadata.pb.h"
#include "proto/store_service.pb.h"
#include "src/base/status_macros.h"
#include "src/rpc/store_service.h"

namespace bennu::client {

namespace {

constexpr char kMetaDataService[] = "MetaDataService";
// 5.2: servers take clients that are no newer than they are.
constexpr int32_t kPhoenixVersion = 5 << 16 | 2 << 8;

}  // namespace

CallOutcome TryEndpoint(Cluster* cluster, const TableName& table, ByteView row,
                        const std::string& service, const std::string& method,
                        const google::protobuf::MessageLite& request, Operation* operation,
                        google::protobuf::MessageLite* response, LocationPtr* region) {
  pb::CoprocessorServiceRequest call;
  call.mutable_call()->set_row(Bytes(row));
  call.mutable_call()->set_service_name(service);
  call.mutable_call()->set_method_name(method);
  call.mutable_call()->set_request(request.SerializeAsString());
  CallOutcome outcome =
      cluster->CallRow(table, row, "ExecService", call, call.mutable_region(), operation, region);
  if (!outcome.status.ok()) {
    // HBase's UnknownProtocolException.
    if (outcome.status.message().find("No registered") != std::string::npos) {
      outcome.status = NotSupported(outcome.status.message());
      outcome.remedy = rpc::Remedy::kNone;
    }
    return outcome;
  }
  pb::CoprocessorServiceResponse answer;
  outcome.status = outcome.answer.Parse(&answer);
  if (outcome.status.ok() && !response->ParseFromString(answer.value().value())) {
    outcome.status = Corruption(service + "." + method + " answers with another message");
  }
  return outcome;
}

Status CallEndpoint(Cluster* cluster, const TableName& table, ByteView row,
                    const std::string& service, const std::string& method,
                    const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response) {
  Operation operation(cluster->options(), table, row);
  return Cluster::Retry(&operation, [&] {
    return TryEndpoint(cluster, table, row, service, method, request, &operation, response);
  });
}

Status ForgetPhoenixDefinition(Cluster* cluster, const PhoenixDefinition& definition) {
  pb::ClearTableFromCacheRequest request;
  request.set_tenant_id(definition.tenant);
  request.set_schema_name(definition.schema);
  request.set_table_name(definition.table);
  request.set_client_timestamp(kLatestTimestamp);
  request.set_client_version(kPhoenixVersion);
  pb::ClearTableFromCacheResponse response;
  Status forgotten = CallEndpoint(cluster, definition.catalog, definition.row, kMetaDataService,
                                  "clearTableFromCache", request, &response);
  return forgotten.code() == StatusCode::kNotSupported ? Status::Ok() : forgotten;
}

Result<int32_t> PhoenixVersion(Cluster* cluster, const TableName& catalog, ByteView row) {
  pb::GetVersionRequest request;
  request.set_client_version(kPhoenixVersion);
  pb::GetVersionResponse response;
  RETURN_IF_ERROR(
      CallEndpoint(cluster, catalog, row, kMetaDataService, "getVersion", request, &response));
  return static_cast<int32_t>(response.version() >> 8 & 0xffffff);
}

Result<bool> KeepsIndexes(Cluster* cluster) {
  pb::CoprocessorServiceRequest call;
  call.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  call.mutable_region()->set_value("");
  call.mutable_call()->set_row("");
  call.mutable_call()->set_service_name(rpc::kStoreService);
  call.mutable_call()->set_method_name(rpc::kAbilitiesMethod);
  call.mutable_call()->set_request("");
  pb::CoprocessorServiceResponse answer;
  const Status asked = cluster->CallMaster("ExecMasterService", call, &answer);
  if (asked.code() == StatusCode::kNotSupported) return false;
  RETURN_IF_ERROR(asked);
  pb::StoreAbilities abilities;
  if (!abilities.ParseFromString(answer.value().value())) {
    return Corruption("the master's answer to Abilities is not its message");
  }
  return abilities.keeps_indexes();
}

}  // namespace bennu::client
