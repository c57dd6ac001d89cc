#include "src/server/hbase/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/kept_buffer.h"
#include "src/base/log.h"
#include "src/base/message_size.h"
#include "src/base/status_macros.h"
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
// A thread keeps no larger buffer than this for its next answer.
constexpr size_t kKeptFrame = 256u << 10;
// Parameters up to this size take no memory worth counting.
constexpr size_t kParsedFreely = 16u << 10;
// Cells are compressed to a tenth or so.
constexpr size_t kUsualRatio = 16;
constexpr size_t kInflatedMin = 64u << 10;
// What frames' lengths can say, less some for the header.
constexpr size_t kFrameBytesMax = (size_t{1} << 31) - (1u << 20);

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
  Recycle(&frame, kKeptFrame);
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
      charge_(connection_->memory),
      received_(net::MonotonicNow()),
      begun_(received_) {
  if (connection_->metrics != nullptr) connection_->metrics->CallBegins(size());
  if (header.timeout() > 0) {
    deadline_ =
        received_ + std::chrono::milliseconds(std::max(header.timeout(), kTimeoutMinMillis));
  }
}

Call::~Call() {
  try {
    if (!answered_) Fail(rpc::RemoteError(rpc::exceptions::kIo, "the call was given up"));
  } catch (const std::bad_alloc&) {
    LogError("there is no memory to say that a call of {} was given up", method_);
  }
  if (connection_->metrics != nullptr) connection_->metrics->CallEnds();
}

rpc::CellCodec Call::get_codec() const {
  return connection_->has_version ? connection_->codec : rpc::CellCodec::kNone;
}

bool Call::is_compressed() const {
  return connection_->compression != rpc::BlockCompression::kNone && !parts_.cells.empty() &&
         !inflated_;
}

// How large the block becomes only its inflating tells, so that more is asked for step by step.
Status Call::Inflate() {
  if (!is_compressed()) return Status::Ok();
  const size_t charged = charge_.bytes();
  for (size_t step = std::max(parts_.cells.size() * kUsualRatio, kInflatedMin);;
       step *= kUsualRatio) {
    const size_t size_max = std::min(step, connection_->cells_bytes_max);
    if (!charge_.TrySet(charged + size_max)) {
      return ResourceExhausted("the memory for requests is used up");
    }
    Bytes cells;
    const Status status =
        rpc::DecompressBlock(connection_->compression, parts_.cells, size_max, &cells);
    if (!status.ok() && size_max < connection_->cells_bytes_max) continue;
    RETURN_IF_ERROR(status);
    cells_ = std::move(cells);
    charge_.Set(charged + cells_.size());
    parts_.cells = cells_;
    inflated_ = true;
    return Status::Ok();
  }
}

void Call::Keep() {
  const size_t parameter_size = parts_.parameter.size();
  kept_.reserve(parameter_size + parts_.cells.size());
  kept_.append(parts_.parameter).append(parts_.cells);
  parts_.parameter = ByteView(kept_).substr(0, parameter_size);
  parts_.cells = ByteView(kept_).substr(parameter_size);
}

Status Call::Parse(google::protobuf::MessageLite* parameter) {
  if (parts_.parameter.size() > kParsedFreely &&
      !charge_.TrySet(charge_.bytes() + ParsedSize(parts_.parameter))) {
    return ResourceExhausted(
        fmt::format("the memory for requests is used up; the parameter of {} has {} bytes", method_,
                    parts_.parameter.size()));
  }
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

// The cells are copied twice: into the block or message, and into the frame.
CallError Call::ReserveAnswer(const Cell* cells, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += cells[i].key_length + cells[i].value_length;
  if (bytes < kLargeCells || charge_.TrySet(charge_.bytes() + 2 * bytes)) return std::nullopt;
  return rpc::RemoteError(
      rpc::exceptions::kCallQueueTooBig,
      fmt::format("the memory for answers is used up ({} bytes more are wanted); bennu.wire.memory "
                  "says how much there is",
                  2 * bytes));
}

CallError Call::CheckAnswerSize(size_t bytes) const {
  if (bytes > kFrameBytesMax) {
    return rpc::RemoteError(rpc::exceptions::kDoNotRetry,
                            fmt::format("the answer to {} has {} bytes, and a frame no more than "
                                        "{}; ask for less at a time",
                                        method_, bytes, kFrameBytesMax));
  }
  if (channel_->HasRoomFor(bytes)) return std::nullopt;
  return rpc::RemoteError(
      rpc::exceptions::kCallQueueTooBig,
      fmt::format("the memory for answers is used up; this one has {} bytes", bytes));
}

void Call::Respond(const google::protobuf::MessageLite& result, ByteView cells) {
  charge_.Set(0);  // what is sent is counted by the connection
  if (CallError error = CheckAnswerSize(result.ByteSizeLong() + cells.size()); error) {
    return Fail(*error);
  }
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

void PrepareAndRun(CallPtr call, const std::function<void(CallPtr)>& run) {
  if (call->channel()->unsent() > net::kUnsentMax) {
    return call->Fail({rpc::exceptions::kCallQueueTooBig,
                       fmt::format("{} bytes of answers are still to be fetched by this client",
                                   call->channel()->unsent())});
  }
  if (const Status status = call->Inflate(); !status.ok()) {
    const bool full = status.code() == StatusCode::kResourceExhausted;
    return call->Fail({full ? rpc::exceptions::kCallQueueTooBig : rpc::exceptions::kDoNotRetry,
                       status.message()});
  }
  // The call is answered when it goes.
  try {
    run(std::move(call));
  } catch (const std::bad_alloc&) {
    LogError("a handler found no memory for a call");
  }
}

}  // namespace bennu::server::hbase
