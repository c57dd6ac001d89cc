#include "src/server/hbase/call.h"
#include "src/server/net/clock.h"

#include <fmt/format.h>

#include <algorithm>

namespace bennu::server::hbase {

namespace {

// HBase's hbase.ipc.min.client.request.timeout.
constexpr uint32_t kTimeoutMinMillis = 20;

}  // namespace

void SendResponse(net::Channel* channel, pb::ResponseHeader* header,
                  const google::protobuf::MessageLite* result, ByteView cells) {
  thread_local Bytes frame;
  frame.clear();
  rpc::AppendResponse(header, result, cells, &frame);
  channel->Send(frame);
}

Call::Call(std::shared_ptr<net::Channel> channel,
           std::shared_ptr<const ClientConnection> connection, const pb::RequestHeader& header,
           const rpc::RequestParts& parts)
    : channel_(std::move(channel)),
      connection_(std::move(connection)),
      id_(header.call_id()),
      method_(header.method_name()),
      parts_(parts) {
  if (connection_->metrics != nullptr) connection_->metrics->CallBegins();
  if (header.timeout() > 0) {
    deadline_ = net::MonotonicNow() +
                std::chrono::milliseconds(std::max(header.timeout(), kTimeoutMinMillis));
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
    return InvalidArgument(
        fmt::format("the parameter of {} is not a {}", method_, parameter->GetTypeName()));
  }
  return Status::Ok();
}

void Call::Respond(const google::protobuf::MessageLite& result, ByteView cells) {
  answered_ = true;
  pb::ResponseHeader header;
  header.set_call_id(id_);
  if (connection_->compression == rpc::BlockCompression::kNone) {
    return SendResponse(channel_.get(), &header, &result, cells);
  }
  Bytes compressed;
  if (const Status status = rpc::CompressBlock(connection_->compression, cells, &compressed);
      !status.ok()) {
    return Fail(rpc::RemoteError(status));
  }
  SendResponse(channel_.get(), &header, &result, compressed);
}

void Call::Fail(const rpc::RemoteError& error) {
  answered_ = true;
  pb::ResponseHeader header;
  header.set_call_id(id_);
  error.ToPb(header.mutable_exception());
  SendResponse(channel_.get(), &header, nullptr);
}

}  // namespace bennu::server::hbase
