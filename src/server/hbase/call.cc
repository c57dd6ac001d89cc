#include "src/server/hbase/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/slow_parameter.h"
#include "src/server/net/clock.h"

namespace bennu::server::hbase {

namespace {

// HBase's hbase.ipc.min.client.request.timeout.
constexpr uint32_t kTimeoutMinMillis = 20;
constexpr uint64_t kMicrosPerMilli = 1000;
// Cells of an answer that are worth memory of its own rather than another copy.
constexpr size_t kLargeCells = 16u << 10;

// The id within a traceparent of W3C's Trace Context, which OpenTelemetry's clients send:
// "00-<32 hexadecimal digits>-<16, of the span>-<flags>". Empty: there is none.
std::string TraceIdOf(const pb::RequestHeader& header) {
  constexpr size_t kIdBegin = 3, kIdSize = 32;
  if (!header.has_trace_info()) return {};
  const auto& headers = header.trace_info().headers();
  const auto found = headers.find("traceparent");
  if (found == headers.end()) return {};
  const ByteView parent = found->second;
  if (parent.size() <= kIdBegin + kIdSize || parent[kIdBegin - 1] != '-' ||
      parent[kIdBegin + kIdSize] != '-') {
    return {};
  }
  const ByteView id = parent.substr(kIdBegin, kIdSize);
  if (id.find_first_not_of("0123456789abcdef") != ByteView::npos) return {};
  return std::string(id);
}

}  // namespace

size_t SendResponse(net::Channel* channel, pb::ResponseHeader* header,
                    const google::protobuf::MessageLite* result, ByteView cells) {
  if (cells.size() >= kLargeCells) {
    Bytes large;
    rpc::AppendResponse(header, result, cells, &large);
    const size_t size = large.size();
    channel->SendOwned(std::move(large));
    return size;
  }
  thread_local Bytes frame;
  frame.clear();
  rpc::AppendResponse(header, result, cells, &frame);
  channel->Send(frame);
  return frame.size();
}

Call::Call(std::shared_ptr<net::Channel> channel,
           std::shared_ptr<const ClientConnection> connection, const pb::RequestHeader& header,
           const rpc::RequestParts& parts)
    : channel_(std::move(channel)),
      connection_(std::move(connection)),
      id_(header.call_id()),
      method_(header.method_name()),
      trace_id_(TraceIdOf(header)),
      parts_(parts),
      received_(net::MonotonicNow()),
      begun_(received_) {
  if (connection_->metrics != nullptr) connection_->metrics->CallBegins(size());
  if (header.timeout() > 0) {
    deadline_ =
        received_ + std::chrono::milliseconds(std::max(header.timeout(), kTimeoutMinMillis));
  }
}

Call::~Call() {
  if (!answered_) Fail(rpc::RemoteError(rpc::exceptions::kIo, "the call was given up"));
  if (connection_->metrics != nullptr) connection_->metrics->CallEnds();
}

rpc::CellCodec Call::result_codec() const {
  return connection_->has_version ? connection_->codec : rpc::CellCodec::kNone;
}

Status Call::DecompressCells(size_t size_max) {
  if (connection_->compression == rpc::BlockCompression::kNone) return Status::Ok();
  RETURN_IF_ERROR(rpc::DecompressBlock(connection_->compression, parts_.cells, size_max, &cells_));
  parts_.cells = cells_;
  return Status::Ok();
}

void Call::Keep() {
  const size_t parameter_size = parts_.parameter.size();
  kept_.reserve(parameter_size + parts_.cells.size());
  kept_.append(parts_.parameter).append(parts_.cells);
  parts_.parameter = ByteView(kept_).substr(0, parameter_size);
  parts_.cells = ByteView(kept_).substr(parameter_size);
}

Status Call::Parse(google::protobuf::MessageLite* parameter) const {
  if (!parameter->ParseFromArray(parts_.parameter.data(),
                                 static_cast<int>(parts_.parameter.size()))) {
    const std::string type = parameter->GetTypeName();
    return InvalidArgument(
        fmt::format("the parameter of {} is not a {}", method_, type.substr(type.rfind('.') + 1)));
  }
  return Status::Ok();
}

void Call::SetSubject(std::shared_ptr<const ServedRegion> region, ByteView row) {
  region_ = std::move(region);
  row_ = row;
}

void Call::Begin(MethodMetrics* metrics) {
  if (metrics != nullptr) method_metrics_ = metrics;
  begun_ = net::MonotonicNow();
}

void Call::Count(size_t response_bytes) {
  const auto micros = [](std::chrono::nanoseconds time) {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  };
  const uint64_t queued = micros(begun_ - received_);
  const uint64_t processed = micros(net::MonotonicNow() - begun_);
  if (method_metrics_ != nullptr) method_metrics_->micros.Add(queued + processed);
  RpcMetrics* const metrics = connection_->metrics;
  if (metrics == nullptr) return;
  metrics->CallAnswered(queued, processed, response_bytes);
  if (metrics->slow_log()->IsSlow(static_cast<int64_t>(processed / kMicrosPerMilli)) ||
      metrics->slow_log()->IsLarge(response_bytes) ||
      (!trace_id_.empty() && GetLogLevel() <= LogLevel::kDebug)) {
    LogCall(queued, processed, response_bytes);
  }
}

// Those that are slow or large, and at level debug those that a client traces.
void Call::LogCall(uint64_t queue_micros, uint64_t process_micros, size_t response_bytes) {
  SlowLog* const log = connection_->metrics->slow_log();
  SlowCall call;
  call.call_id = id_;
  call.queue_millis = static_cast<int64_t>(queue_micros / kMicrosPerMilli);
  call.processing_millis = static_cast<int64_t>(process_micros / kMicrosPerMilli);
  call.start_millis = Env::Default()->NowMillis() - call.processing_millis;
  call.response_bytes = response_bytes;
  call.client = channel_->peer();
  call.user = connection_->user;
  call.service = connection_->service;
  call.method = method_;
  call.trace_id = trace_id_;
  call.slow = log->IsSlow(call.processing_millis);
  call.large = log->IsLarge(response_bytes);
  if (region_ != nullptr) {
    call.region = ToStringBinary(region_->name);
    call.table = region_->info.table.ToString();
    if (!row_.empty()) call.rows = "row=" + ToStringBinary(row_);
  } else {
    DescribeParameter(method_, parts_.parameter, &call);
  }
  if (call.slow || call.large) return log->Add(std::move(call));
  Log(LogLevel::kDebug, "(traced): {}", DescribeSlowCall(call));
}

void Call::Respond(const google::protobuf::MessageLite& result, ByteView cells) {
  answered_ = true;
  pb::ResponseHeader header;
  header.set_call_id(id_);
  if (connection_->compression == rpc::BlockCompression::kNone) {
    return Count(SendResponse(channel_.get(), &header, &result, cells));
  }
  Bytes compressed;
  if (const Status status = rpc::CompressBlock(connection_->compression, cells, &compressed);
      !status.ok()) {
    return Fail(rpc::RemoteError(status));
  }
  Count(SendResponse(channel_.get(), &header, &result, compressed));
}

void Call::Fail(const rpc::RemoteError& error) {
  answered_ = true;
  pb::ResponseHeader header;
  header.set_call_id(id_);
  error.ToPb(header.mutable_exception());
  const size_t bytes = SendResponse(channel_.get(), &header, nullptr);
  if (method_metrics_ != nullptr) {
    method_metrics_->failures.fetch_add(1, std::memory_order_relaxed);
  }
  if (connection_->metrics != nullptr) connection_->metrics->CallFailed(error.type().name);
  Count(bytes);
}

}  // namespace bennu::server::hbase
