// The calls that were slow or large, for HBase's Admin and shell (get_slowlog_responses).
// Source: hbase-rpc spec, Admin.proto; HBase's RSRpcServices.getLogEntries, LogHandlerUtils.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "proto/region.pb.h"
#include "proto/slow_log.pb.h"
#include "src/server/hbase/admin_service.h"

namespace bennu::server::hbase {

namespace {

constexpr std::string_view kRequestClass = "AdminProtos$SlowLogResponseRequest";
constexpr char kResponseClass[] =
    "org.apache.hadoop.hbase.shaded.protobuf.generated.AdminProtos$SlowLogResponses";

// The client's address with its port, or without.
bool IsClient(const SlowCall& call, const std::string& asked) {
  return call.client == asked || call.client.substr(0, call.client.rfind(':')) == asked;
}

bool Fits(const SlowCall& call, const pb::SlowLogResponseRequest& request) {
  const bool all = request.filter_by_operator() == pb::SlowLogResponseRequest::AND;
  bool asked = false;
  bool any = false;
  bool every = true;
  const auto look = [&](const std::string& wanted, bool fits) {
    if (wanted.empty()) return;
    asked = true;
    any |= fits;
    every &= fits;
  };
  look(request.region_name(), call.region == request.region_name());
  look(request.table_name(), call.table == request.table_name());
  look(request.client_address(), IsClient(call, request.client_address()));
  look(request.user_name(), call.user == request.user_name());
  return !asked || (all ? every : any);
}

int32_t Clamped(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, 0, std::numeric_limits<int32_t>::max()));
}

void ToPb(const SlowCall& call, pb::SlowLogPayload* payload) {
  payload->set_start_time(call.start_millis);
  payload->set_processing_time(Clamped(call.processing_millis));
  payload->set_queue_time(Clamped(call.queue_millis));
  payload->set_response_size(static_cast<int64_t>(call.response_bytes));
  payload->set_client_address(call.client);
  payload->set_server_class("HRegionServer");
  payload->set_method_name(call.method);
  payload->set_call_details(fmt::format("{}(callId={})", call.method, call.call_id));
  if (!call.rows.empty()) payload->set_param(call.rows);
  payload->set_user_name(call.user);
  payload->set_region_name(call.region.empty() ? call.table : call.region);
  payload->set_multi_gets(static_cast<int32_t>(call.gets));
  payload->set_multi_mutations(static_cast<int32_t>(call.mutations));
  payload->set_multi_service_calls(static_cast<int32_t>(call.service_calls));
  payload->set_type(call.slow && call.large ? pb::SlowLogPayload::ALL
                    : call.slow             ? pb::SlowLogPayload::SLOW_LOG
                                            : pb::SlowLogPayload::LARGE_LOG);
}

void List(const SlowLog& log, bool large, const pb::SlowLogResponseRequest& request,
          pb::SlowLogResponses* response) {
  for (const SlowCall& call : log.List()) {
    if (static_cast<uint32_t>(response->slow_log_payloads_size()) >= request.limit()) break;
    if ((large ? call.large : call.slow) && Fits(call, request)) {
      ToPb(call, response->add_slow_log_payloads());
    }
  }
}

}  // namespace

void AdminService::AddSlowLog() {
  // Clients before 2.4 have a method for each kind.
  for (const bool large : {false, true}) {
    AddUnary<pb::SlowLogResponseRequest, pb::SlowLogResponses>(
        large ? "GetLargeLogResponses" : "GetSlowLogResponses", RunOn::kHandler,
        [this, large](const pb::SlowLogResponseRequest& request,
                      pb::SlowLogResponses* response) -> CallError {
          List(*slow_log_, large, request, response);
          return std::nullopt;
        });
  }
  AddUnary<pb::LogRequest, pb::LogEntry>(
      "GetLogEntries", RunOn::kHandler,
      [this](const pb::LogRequest& request, pb::LogEntry* response) -> CallError {
        pb::SlowLogResponseRequest asked;
        if (!request.log_class_name().ends_with(kRequestClass) ||
            !asked.ParseFromString(request.log_message())) {
          return rpc::RemoteError(
              rpc::exceptions::kDoNotRetry,
              fmt::format("Invalid request params: no log of {}", request.log_class_name()));
        }
        pb::SlowLogResponses calls;
        List(*slow_log_, asked.log_type() == pb::SlowLogResponseRequest::LARGE_LOG, asked, &calls);
        response->set_log_class_name(kResponseClass);
        calls.SerializeToString(response->mutable_log_message());
        return std::nullopt;
      });
  AddUnary<pb::ClearSlowLogResponseRequest, pb::ClearSlowLogResponses>(
      "ClearSlowLogsResponses", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        response->set_is_cleaned(slow_log_->Clear());
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
