#include "src/client/aggregate_call.h"

#include <string>
#include <utility>

#include "proto/endpoints.pb.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/client/endpoint_call.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

namespace {

using api::ServerAggregate;

constexpr char kService[] = "AggregateService";
constexpr char kLongs[] = "org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter";
// GetRowNum takes the first column that is asked for off the scan, and then counts rows that have
// any cell of the family. So it gets one to take, which is in no row.
constexpr ByteView kTakenOff("\0", 1);

const char* MethodOf(ServerAggregate what) {
  switch (what) {
    case ServerAggregate::kCount: return "GetRowNum";
    case ServerAggregate::kSum: return "GetSum";
    case ServerAggregate::kMin: return "GetMin";
    case ServerAggregate::kMax: return "GetMax";
  }
  return "";
}

Result<std::optional<int64_t>> ValueOf(ServerAggregate what, const pb::AggregateResponse& answer) {
  std::optional<int64_t> value;
  if (answer.first_part_size() == 0) return value;
  const std::string& part = answer.first_part(0);
  pb::LongMsg message;
  if (what == ServerAggregate::kCount && part.size() == sizeof(int64_t)) {
    value = static_cast<int64_t>(LoadBE64(part.data()));
  } else if (what != ServerAggregate::kCount && message.ParseFromString(part)) {
    value = message.long_msg();
  } else {
    return Corruption(std::string(kService) + "." + MethodOf(what) +
                      " answers with something else than a number");
  }
  return value;
}

// Whether the scan's range ends within the region.
bool EndsIn(const RegionInfo& region, const RowRange& range) {
  if (region.end_key.empty()) return true;
  return !range.stop.empty() &&
         (range.stop < region.end_key || (range.stop == region.end_key && !range.stop_inclusive));
}

}  // namespace

Result<std::optional<int64_t>> AggregateRegions(Cluster* cluster, const TableName& table,
                                                ServerAggregate what, const Scan& scan) {
  if (cluster->missing_endpoints()->Has(table, kService)) {
    return NotSupported("the regions of " + table.ToString() + " have no " + kService);
  }
  Scan asked = scan;
  if (what == ServerAggregate::kCount && !asked.columns.empty()) {
    auto& qualifiers = asked.columns.begin()->second;
    if (!qualifiers.empty()) qualifiers.emplace(kTakenOff);
  }
  pb::AggregateRequest request;
  request.set_interpreter_class_name(kLongs);
  RETURN_IF_ERROR(rpc::WriteScan(asked, request.mutable_scan()));
  std::optional<int64_t> total;
  // A server answers for the rows of the scan that are in the region that is called, and a region
  // is never another one: where it was split meanwhile the call fails, and is made again.
  for (Bytes row = scan.range.start;;) {
    pb::AggregateResponse answer;
    LocationPtr region;
    Operation operation(cluster->options(), table, row);
    const Status called = Cluster::Retry(&operation, [&] {
      CallOutcome outcome = TryEndpoint(cluster, table, row, kService, MethodOf(what), request,
                                        &operation, &answer, &region);
      // It would take as long again; a scan has as many calls as it wants.
      if (outcome.status.code() == StatusCode::kTimedOut) outcome.remedy = rpc::Remedy::kNone;
      return outcome;
    });
    if (called.code() == StatusCode::kNotSupported || called.code() == StatusCode::kTimedOut) {
      cluster->missing_endpoints()->Note(table, kService);
      return NotSupported(called.message());
    }
    RETURN_IF_ERROR(called);
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, ValueOf(what, answer));
    total = api::Combined(what, total, value);
    if (EndsIn(region->info, scan.range)) return total;
    row = region->info.end_key;
  }
}

}  // namespace bennu::client
