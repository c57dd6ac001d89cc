#include "src/server/hbase/endpoints.h"

#include <fmt/format.h>

#include <vector>

#include "proto/endpoints.pb.h"
#include "src/base/hex.h"
#include "src/rpc/requests.h"
#include "src/server/hbase/aggregates.h"
#include "src/server/hbase/client_service.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

constexpr char kAggregateResponse[] =
    "org.apache.hadoop.hbase.protobuf.generated.AggregateProtos$AggregateResponse";
constexpr char kMutateRowsResponse[] =
    "org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos$MutateRowsResponse";

CallError NotSuchMessage(const std::string& method) {
  return rpc::RemoteError(exceptions::kDoNotRetry,
                          fmt::format("the parameter of {} is damaged", method));
}

// Puts and deletes of several rows of the region, all or none.
CallError MutateRows(const ServedRegion& region, const pb::MutateRowsRequest& request,
                     Nonces* nonces, pb::MutateRowsResponse* response) {
  if (request.condition_size() > 1) {
    return rpc::RemoteError(exceptions::kDoNotRetry, "MutateRows with more than one condition");
  }
  MutationBatch batch;
  rpc::CellBlockReader none(rpc::CellCodec::kNone, {});
  for (const pb::MutationProto& mutation : request.mutation_request()) {
    if (ReadsBeforeWriting(mutation)) {
      return rpc::RemoteError(exceptions::kDoNotRetry, "MutateRows takes puts and deletes only");
    }
    if (!region.info.Contains(mutation.row())) {
      return rpc::RemoteError(
          exceptions::kWrongRegion,
          fmt::format("Requested row out of range '{}'", ToStringBinary(mutation.row())));
    }
    if (CallError error = ReadMutationOf(region, mutation, &none, &batch); error) return error;
  }
  response->set_processed(true);
  if (batch.empty()) return std::nullopt;
  NonceGuard nonce(nonces, request.nonce_group(), request.nonce());
  if (!nonce.first()) return std::nullopt;
  Status status;
  if (request.condition_size() == 1) {
    Table::Condition condition;
    status = rpc::ReadCondition(request.condition(0), &condition);
    if (!status.ok()) return rpc::RemoteError(status);
    const auto checked = region.table->CheckAndWrite(condition, &batch);
    if (!checked.ok()) return rpc::RemoteError(checked.status());
    response->set_processed(*checked);
  } else {
    std::vector<Row> results;
    status = region.table->MutateAtomically(&batch, &results);
    if (!status.ok()) return rpc::RemoteError(status);
  }
  nonce.set_done();
  return std::nullopt;
}

}  // namespace

void ClipToRegion(const RegionInfo& region, Scan* scan) {
  RowRange& range = scan->range;
  Bytes& low = scan->reversed ? range.stop : range.start;
  bool& low_inclusive = scan->reversed ? range.stop_inclusive : range.start_inclusive;
  Bytes& high = scan->reversed ? range.start : range.stop;
  bool& high_inclusive = scan->reversed ? range.start_inclusive : range.stop_inclusive;
  if (low < region.start_key) {
    low = region.start_key;
    low_inclusive = true;
  }
  if (!region.end_key.empty() && (high.empty() || high >= region.end_key)) {
    high = region.end_key;
    high_inclusive = false;
  }
}

CallError RunEndpoint(const ServedRegion& region, const pb::CoprocessorServiceCall& call,
                      Nonces* nonces, pb::NameBytesPair* value) {
  const std::string& service = call.service_name();
  const std::string& method = call.method_name();
  if (service == "AggregateService") {
    pb::AggregateRequest request;
    pb::AggregateResponse response;
    if (!request.ParseFromString(call.request())) return NotSuchMessage(method);
    if (CallError error = Aggregate(region, method, request, &response); error) return error;
    value->set_name(kAggregateResponse);
    response.SerializeToString(value->mutable_value());
    return std::nullopt;
  }
  if (service == "MultiRowMutationService" && method == "MutateRows") {
    pb::MutateRowsRequest request;
    pb::MutateRowsResponse response;
    if (!request.ParseFromString(call.request())) return NotSuchMessage(method);
    if (CallError error = MutateRows(region, request, nonces, &response); error) return error;
    value->set_name(kMutateRowsResponse);
    response.SerializeToString(value->mutable_value());
    return std::nullopt;
  }
  return rpc::RemoteError(exceptions::kUnknownProtocol,
                          fmt::format("No registered coprocessor service found for {}.{} in "
                                      "region {}",
                                      service, method, ToStringBinary(region.name)));
}

}  // namespace bennu::server::hbase
