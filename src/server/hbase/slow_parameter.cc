#include "src/server/hbase/slow_parameter.h"

#include <fmt/format.h>

#include <string>

#include "proto/client.pb.h"
#include "src/base/hex.h"

namespace bennu::server::hbase {

namespace {

template <typename Message>
bool Parse(ByteView parameter, Message* message) {
  return message->ParseFromArray(parameter.data(), static_cast<int>(parameter.size()));
}

void SetRegion(const pb::RegionSpecifier& region, SlowCall* call) {
  const std::string& name = region.value();
  call->region = ToStringBinary(name);
  const size_t comma = name.find(',');
  if (comma != std::string::npos) call->table = name.substr(0, comma);
}

void DescribeMulti(const pb::MultiRequest& request, SlowCall* call) {
  for (const pb::RegionAction& region : request.regionaction()) {
    for (const pb::Action& action : region.action()) {
      if (action.has_get()) ++call->gets;
      if (action.has_mutation()) ++call->mutations;
      if (action.has_service_call()) ++call->service_calls;
    }
  }
  if (request.regionaction_size() == 0) return;
  SetRegion(request.regionaction(0).region(), call);
  // Of several regions the table alone can be told.
  if (request.regionaction_size() > 1) call->region.clear();
}

}  // namespace

void DescribeParameter(std::string_view method, ByteView parameter, SlowCall* call) {
  if (method == "Get") {
    pb::GetRequest request;
    if (!Parse(parameter, &request)) return;
    SetRegion(request.region(), call);
    call->rows = "row=" + ToStringBinary(request.get().row());
    call->gets = 1;
  } else if (method == "Mutate") {
    pb::MutateRequest request;
    if (!Parse(parameter, &request)) return;
    SetRegion(request.region(), call);
    call->rows = "row=" + ToStringBinary(request.mutation().row());
    call->mutations = 1;
  } else if (method == "Scan") {
    pb::ScanRequest request;
    if (!Parse(parameter, &request) || !request.has_scan()) return;
    SetRegion(request.region(), call);
    call->rows = fmt::format("startRow={}, stopRow={}", ToStringBinary(request.scan().start_row()),
                             ToStringBinary(request.scan().stop_row()));
  } else if (method == "Multi") {
    pb::MultiRequest request;
    if (Parse(parameter, &request)) DescribeMulti(request, call);
  } else if (method == "ExecService") {
    pb::CoprocessorServiceRequest request;
    if (!Parse(parameter, &request)) return;
    SetRegion(request.region(), call);
    call->service_calls = 1;
  }
}

}  // namespace bennu::server::hbase
