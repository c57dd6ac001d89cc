#include "src/server/hbase/rpc_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "proto/registry.pb.h"
#include "src/base/coding.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/rpc/frame.h"
#include "src/server/net/clock.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// In place of the preamble, from version 2.6 on.
constexpr ByteView kRegistryPreamble = "Regist";
constexpr ByteView kSecurityPreamble = "Securi";
// Before the connection header nobody is known, so that less is believed.
constexpr size_t kConnectionHeaderMax = 64u << 10;
constexpr size_t kVarintBytesMax = 10;
constexpr size_t kKeptHeader = 4u << 10;
// Answers a client that begins with SASL that there is none: status 0, length
// SWITCH_TO_SIMPLE_AUTH.
constexpr ByteView kSwitchToSimple("\0\0\0\0\xff\xff\xff\xa8", 8);

}  // namespace

RpcSession::RpcSession(const RpcPort* port, std::shared_ptr<net::Channel> channel)
    : port_(port), channel_(std::move(channel)) {}

Status RpcSession::Tick() {
  if (state_ == State::kCalls || net::MonotonicNow() - begin_ < port_->greeting_max) {
    return Status::Ok();
  }
  return IoError("no connection header came in time");
}

Result<size_t> RpcSession::Receive(ByteView bytes) {
  if (state_ == State::kPreamble) return ReceivePreamble(bytes);
  if (bytes.size() < rpc::kFrameLengthSize) return 0;
  const size_t length = LoadBE32(bytes.data());
  const size_t length_max = state_ == State::kCalls
                                ? port_->request_bytes_max.load(std::memory_order_relaxed)
                                : kConnectionHeaderMax;
  if (length > length_max) {
    if (state_ == State::kCalls) return RefuseLarge(bytes, length, length_max);
    const std::string message = fmt::format(
        "RPC data length of {} received from {} is greater "
        "than max allowed {}",
        length, channel_->peer(), length_max);
    SendFatal({exceptions::kRequestTooBig, message});
    return Corruption(message);
  }
  if (bytes.size() - rpc::kFrameLengthSize < length) return 0;
  const ByteView frame = bytes.substr(rpc::kFrameLengthSize, length);
  switch (state_) {
    case State::kSaslToken:  // the client hears that none was wanted, and goes on
      state_ = State::kHeader;
      break;
    case State::kHeader:
      RETURN_IF_ERROR(ReadConnectionHeader(frame));
      state_ = State::kCalls;
      break;
    default: RETURN_IF_ERROR(ReadCall(frame));
  }
  return rpc::kFrameLengthSize + length;
}

Result<size_t> RpcSession::ReceivePreamble(ByteView bytes) {
  if (bytes.size() < rpc::kPreambleSize) return 0;
  const ByteView preamble = bytes.substr(0, rpc::kPreambleSize);
  if (preamble == kRegistryPreamble) {
    pb::GetConnectionRegistryResponse response;
    response.set_cluster_id(port_->cluster_id);
    SendUnasked(response);
    channel_->Close();
    return bytes.size();
  }
  if (preamble == kSecurityPreamble) {
    SendFatal({exceptions::kSecurityNotEnabled, "security is not enabled"});
    return rpc::kPreambleSize;  // an ordinary preamble follows
  }
  const ByteView magic = preamble.substr(0, rpc::kPreambleMagic.size());
  const char version = preamble[rpc::kPreambleMagic.size()];
  const char auth = preamble[rpc::kPreambleMagic.size() + 1];
  if (magic != rpc::kPreambleMagic) {
    SendFatal({exceptions::kFatalConnection, "Expected HEADER=HBas but received something else"});
    return Corruption("it does not speak HBase's RPC");
  }
  if (version != rpc::kPreambleVersion) {
    SendFatal({exceptions::kWrongVersion,
               fmt::format("serverVersion=0, clientVersion={}", static_cast<int>(version))});
    return Corruption(fmt::format("it speaks RPC version {}", static_cast<int>(version)));
  }
  if (auth == rpc::kAuthKerberos || auth == rpc::kAuthDigest) {
    channel_->Send(kSwitchToSimple);
    state_ = State::kSaslToken;
    return rpc::kPreambleSize;
  }
  if (auth != rpc::kAuthSimple) {
    SendFatal({exceptions::kBadAuth,
               fmt::format("serverVersion=0, clientVersion=0, authMethod={}", auth)});
    return Corruption("it asks for an unknown way to authenticate");
  }
  state_ = State::kHeader;
  return rpc::kPreambleSize;
}

Status RpcSession::ReadConnectionHeader(ByteView frame) {
  pb::ConnectionHeader header;
  if (!header.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
    return Corruption("its connection header is not a message");
  }
  for (const Service* service : port_->services) {
    if (service->name() == header.service_name()) service_ = service;
  }
  if (service_ == nullptr) {
    return NotFound(fmt::format("it asks for the service '{}'", header.service_name()));
  }
  auto connection = std::make_shared<ClientConnection>();
  connection->service = header.service_name();
  connection->user = header.user_info().effective_user();
  connection->metrics = port_->metrics;
  connection->has_version = header.has_version_info();
  connection->memory = port_->memory;
  connection->cells_bytes_max = port_->request_bytes_max.load(std::memory_order_relaxed);
  ASSIGN_OR_RETURN(connection->codec, rpc::CellCodecOfClass(header.cell_block_codec_class()));
  ASSIGN_OR_RETURN(connection->compression,
                   rpc::BlockCompressionOfClass(header.cell_block_compressor_class()));
  connection_ = std::move(connection);
  return Status::Ok();
}

// As HBase does it: the call whose frame is too large is told so by its number, which a client that
// sends the call again for ever would not learn otherwise.
Result<size_t> RpcSession::RefuseLarge(ByteView bytes, size_t length, size_t length_max) {
  const std::string message =
      fmt::format("RPC data length of {} received from {} is greater than max allowed {}", length,
                  channel_->peer(), length_max);
  ByteView rest = bytes.substr(rpc::kFrameLengthSize);
  uint64_t size = 0;
  const size_t size_size = DecodeVarint64(rest, &size);
  // The header may still be on its way.
  if (size_size == 0 && rest.size() < kVarintBytesMax) return 0;
  if (size_size > 0 && size <= kConnectionHeaderMax && rest.size() - size_size < size) return 0;
  pb::RequestHeader header;
  const bool known = size_size > 0 && size <= kConnectionHeaderMax &&
                     header.ParseFromArray(rest.data() + size_size, static_cast<int>(size)) &&
                     header.has_call_id();
  if (known) {
    Call(channel_, connection_, header, {}).Fail({exceptions::kRequestTooBig, message});
  } else {
    SendFatal({exceptions::kRequestTooBig, message});
  }
  return Corruption(message);
}

// Headers carry what clients like; a large one's memory is not kept for the next.
void RpcSession::ShrinkHeader() {
  if (header_.ByteSizeLong() > kKeptHeader) pb::RequestHeader().Swap(&header_);
}

Status RpcSession::ReadCall(ByteView frame) {
  rpc::RequestParts parts;
  RETURN_IF_ERROR(rpc::ParseRequest(frame, &header_, &parts));
  auto call = std::make_unique<Call>(channel_, connection_, header_, parts);
  if (port_->draining.load(std::memory_order_acquire)) {
    call->Fail({exceptions::kServerStopped, "the server is stopping"});
    return Status::Ok();
  }
  const Method* const method = service_->Find(header_.method_name());
  if (method == nullptr || !header_.request_param()) {
    call->Fail({exceptions::kDoNotRetry, method == nullptr
                                             ? fmt::format("Unknown method {} called on {}",
                                                           header_.method_name(), service_->name())
                                             : std::string("a call without a parameter")});
    return Status::Ok();
  }
  if (method->run_on == RunOn::kLoop) {
    call->Begin(method->metrics.get());
    method->run(std::move(call));
    ShrinkHeader();
    return Status::Ok();
  }
  ShrinkHeader();
  call->Keep();
  // A std::function must be copyable.
  auto shared = std::make_shared<CallPtr>(std::move(call));
  const auto run = [method, shared] {
    // HBase does not answer a call that waited until its client had given up.
    const auto deadline = (*shared)->deadline();
    if (deadline.has_value() && net::MonotonicNow() > *deadline) return (*shared)->Drop();
    (*shared)->Begin(method->metrics.get());
    PrepareAndRun(std::move(*shared), method->run);
  };
  const bool taken = port_->handlers->TrySubmit(run, (*shared)->size());
  if (!taken) {
    (*shared)->Fail({exceptions::kCallQueueTooBig,
                     "Call queue is full, is hbase.ipc.server.max.callqueue.length too small?"});
  }
  return Status::Ok();
}

void RpcSession::SendFatal(const rpc::RemoteError& error) {
  pb::ResponseHeader header;
  header.set_call_id(rpc::kNoCallId);
  error.ToPb(header.mutable_exception());
  SendResponse(channel_.get(), &header, nullptr);
}

void RpcSession::SendUnasked(const google::protobuf::MessageLite& result) {
  pb::ResponseHeader header;
  header.set_call_id(rpc::kNoCallId);
  SendResponse(channel_.get(), &header, &result);
}

}  // namespace bennu::server::hbase
