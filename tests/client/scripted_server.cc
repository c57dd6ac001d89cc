#include "tests/client/scripted_server.h"

#include <sys/socket.h>

#include <utility>

#include "proto/rpc.pb.h"
#include "src/base/check.h"
#include "src/base/coding.h"
#include "src/rpc/frame.h"

namespace bennu::client {

namespace {

// A message that was written already.
Bytes FrameOf(uint32_t call_id, const Reply& reply) {
  pb::ResponseHeader header;
  header.set_call_id(call_id);
  Bytes body;
  if (!reply.exception.empty()) {
    header.mutable_exception()->set_exception_class_name(reply.exception);
    header.mutable_exception()->set_stack_trace(reply.exception + ": " + reply.text);
  } else {
    if (!reply.cells.empty()) {
      header.mutable_cell_block_meta()->set_length(static_cast<uint32_t>(reply.cells.size()));
    }
    AppendVarint(&body, reply.result.size());
    body += reply.result + reply.cells;
  }
  Bytes frame;
  AppendVarint(&frame, header.ByteSizeLong());
  header.AppendToString(&frame);
  frame += body;
  Bytes bytes;
  AppendBE32(&bytes, static_cast<uint32_t>(frame.size()));
  return bytes + frame;
}

}  // namespace

Reply Reply::Of(const google::protobuf::MessageLite& message, Bytes cells) {
  Reply reply;
  reply.result = message.SerializeAsString();
  reply.cells = std::move(cells);
  return reply;
}

Reply Reply::Exception(std::string java_class, std::string text) {
  Reply reply;
  reply.exception = std::move(java_class);
  reply.text = std::move(text);
  return reply;
}

Reply Reply::Drop() {
  Reply reply;
  reply.drop = true;
  return reply;
}

Reply Reply::Raw(Bytes bytes) {
  Reply reply;
  reply.raw = std::move(bytes);
  return reply;
}

Reply Reply::Held() && {
  held = true;
  return std::move(*this);
}

ScriptedServer::ScriptedServer(std::function<Reply(const Received&)> answer)
    : answer_(std::move(answer)), listener_([this](int socket) { Serve(socket); }) {}

void ScriptedServer::Serve(int socket) {
  ++connections_;
  Connection* connection;
  {
    MutexLock lock(&mu_);
    connection = &open_.emplace_back();
    connection->socket = socket;
  }
  char preamble[rpc::kPreambleSize];
  Bytes frame;
  if (!ReadAll(socket, preamble, sizeof(preamble)) || !ReadFrame(socket, &frame)) return;
  pb::ConnectionHeader greeting;
  BENNU_CHECK(greeting.ParseFromString(frame));
  while (ReadFrame(socket, &frame)) {
    pb::RequestHeader header;
    rpc::RequestParts parts;
    BENNU_CHECK(rpc::ParseRequest(frame, &header, &parts).ok());
    const Reply reply = answer_({greeting.service_name(), header.method_name(),
                                 Bytes(parts.parameter), Bytes(parts.cells)});
    if (reply.drop) {
      shutdown(socket, SHUT_RDWR);
      return;
    }
    Bytes bytes = reply.raw.empty() ? FrameOf(header.call_id(), reply) : reply.raw;
    MutexLock lock(&connection->mu);
    if (reply.held) {
      connection->held.push_back(std::move(bytes));
    } else {
      WriteAll(socket, bytes);
    }
  }
}

void ScriptedServer::Release() {
  MutexLock lock(&mu_);
  for (Connection& connection : open_) {
    MutexLock writing(&connection.mu);
    for (const Bytes& bytes : connection.held) WriteAll(connection.socket, bytes);
    connection.held.clear();
  }
}

}  // namespace bennu::client
