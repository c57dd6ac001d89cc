#include "src/server/hbase/endpoints.h"

#include <fmt/format.h>

#include <future>
#include <span>
#include <utility>
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

// A condition and, like HBase, WrongRegionException or NoSuchColumnFamilyException when it is of
// another region or of no family.
CallError ReadConditionOf(const ServedRegion& region, const pb::Condition& message,
                          Table::Condition* condition) {
  if (!region.info.Contains(message.row())) {
    return rpc::RemoteError(
        exceptions::kWrongRegion,
        fmt::format("Requested row out of range for row lock on HRegion {}, row='{}'",
                    ToStringBinary(region.name), ToStringBinary(message.row())));
  }
  return region.ReadCondition(message, condition);
}

CallError ReadMutationsOf(const ServedRegion& region, const pb::MutateRowsRequest& request,
                          MutationBatch* batch) {
  rpc::CellBlockReader none(rpc::CellCodec::kNone, {});
  for (const pb::MutationProto& mutation : request.mutation_request()) {
    if (!region.info.Contains(mutation.row())) {
      // After a row of this region it is no use to look for another one.
      return rpc::RemoteError(
          batch->empty() ? exceptions::kWrongRegion : exceptions::kDoNotRetry,
          fmt::format("Requested row out of range '{}'", ToStringBinary(mutation.row())));
    }
    if (CallError error = ReadMutationOf(region, mutation, &none, batch); error) return error;
  }
  return std::nullopt;
}

// Writes the batch if all conditions hold; waits for it.
Status CheckAndWait(engine::AsyncWrites* writes, std::span<const Table::Condition> conditions,
                    MutationBatch* batch, bool* held) {
  Table::CheckedResult checked;
  std::promise<Status> ended;
  writes->CheckRowsAndMutateAsync(conditions, batch, &checked,
                                  [&ended](Status status) { ended.set_value(std::move(status)); });
  writes->LeadLog();
  Status status = ended.get_future().get();
  *held = checked.success;
  return status;
}

// Changes of several rows of the region, all or none.
CallError MutateRows(const ServedRegion& region, const pb::MutateRowsRequest& request,
                     Nonces* nonces, pb::MutateRowsResponse* response) {
  MutationBatch batch;
  if (CallError error = ReadMutationsOf(region, request, &batch); error) return error;
  std::vector<Table::Condition> conditions(static_cast<size_t>(request.condition_size()));
  for (size_t i = 0; i < conditions.size(); ++i) {
    const pb::Condition& message = request.condition(static_cast<int>(i));
    if (CallError error = ReadConditionOf(region, message, &conditions[i]); error) return error;
  }
  response->set_processed(true);
  if (batch.empty() && conditions.empty()) return std::nullopt;
  NonceGuard nonce(nonces, request.nonce_group(), request.nonce());
  if (!nonce.first()) return std::nullopt;
  Status status;
  if (conditions.empty()) {
    std::vector<Row> results;
    status = region.table->MutateAtomically(&batch, &results);
  } else {
    bool held = false;
    status = CheckAndWait(region.table.get(), conditions, &batch, &held);
    response->set_processed(held);
  }
  if (!status.ok()) return rpc::RemoteError(status);
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
