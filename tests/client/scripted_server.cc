#include "tests/client/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "proto/rpc.pb.h"
#include "src/base/check.h"
#include "src/base/coding.h"
#include "src/rpc/frame.h"

namespace bennu::client {

namespace {

bool ReadAll(int socket, char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = recv(socket, bytes, size, 0);
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool WriteAll(int socket, const Bytes& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool ReadFrame(int socket, Bytes* frame) {
  char length[rpc::kFrameLengthSize];
  if (!ReadAll(socket, length, sizeof(length))) return false;
  frame->resize(LoadBE32(length));
  return ReadAll(socket, frame->data(), frame->size());
}

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
    : answer_(std::move(answer)) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  BENNU_CHECK(bind(listener_, plain, sizeof(address)) == 0);
  BENNU_CHECK(listen(listener_, 64) == 0);
  socklen_t size = sizeof(address);
  BENNU_CHECK(getsockname(listener_, plain, &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  DropConnections();
  MutexLock lock(&mu_);
  for (auto& connection : open_) {
    connection->thread.join();
    close(connection->socket);
  }
}

void ScriptedServer::Accept() {
  while (!stopping_) {
    const int socket = accept(listener_, nullptr, nullptr);
    if (socket < 0) continue;
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ++connections_;
    MutexLock lock(&mu_);
    open_.push_back(std::make_unique<Connection>());
    Connection* const connection = open_.back().get();
    connection->socket = socket;
    connection->thread = std::thread([this, connection] { Serve(connection); });
  }
}

void ScriptedServer::Serve(Connection* connection) {
  const int socket = connection->socket;
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
  for (auto& connection : open_) {
    MutexLock writing(&connection->mu);
    for (const Bytes& bytes : connection->held) WriteAll(connection->socket, bytes);
    connection->held.clear();
  }
}

void ScriptedServer::DropConnections() {
  MutexLock lock(&mu_);
  for (auto& connection : open_) shutdown(connection->socket, SHUT_RDWR);
}

}  // namespace bennu::client
