#include "tests/client/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "src/base/check.h"
#include "src/base/coding.h"

namespace bennu::client {

namespace {

constexpr uint32_t kFrameMax = 64 << 20;

sockaddr_in LoopbackAddress(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void SendAtOnce(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

bool ReadAll(int socket, char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = recv(socket, bytes, size, 0);
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool WriteAll(int socket, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool ReadFrame(int socket, Bytes* frame) {
  char length[sizeof(uint32_t)];
  if (!ReadAll(socket, length, sizeof(length))) return false;
  const uint32_t size = LoadBE32(length);
  if (size > kFrameMax) return false;
  frame->resize(size);
  return ReadAll(socket, frame->data(), frame->size());
}

int ConnectToLoopback(uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = LoopbackAddress(port);
  if (connect(made, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(made);
    return -1;
  }
  SendAtOnce(made);
  return made;
}

LoopbackListener::LoopbackListener(std::function<void(int socket)> serve)
    : serve_(std::move(serve)) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = LoopbackAddress(0);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  BENNU_CHECK(bind(listener_, plain, sizeof(address)) == 0);
  BENNU_CHECK(listen(listener_, 64) == 0);
  socklen_t size = sizeof(address);
  BENNU_CHECK(getsockname(listener_, plain, &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

LoopbackListener::~LoopbackListener() {
  StopAccepting();
  Drop();
  Finish();
}

void LoopbackListener::Accept() {
  while (!stopping_) {
    const int made = accept(listener_, nullptr, nullptr);
    if (made < 0) continue;
    SendAtOnce(made);
    MutexLock lock(&mu_);
    Connection& connection = connections_.emplace_back(Connection{made, {}});
    connection.thread = std::thread([this, made] {
      serve_(made);
      shutdown(made, SHUT_RDWR);
    });
  }
}

void LoopbackListener::Drop() {
  MutexLock lock(&mu_);
  for (const Connection& connection : connections_) shutdown(connection.socket, SHUT_RDWR);
}

void LoopbackListener::StopAccepting() {
  if (stopping_.exchange(true)) return;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
}

void LoopbackListener::Finish() {
  StopAccepting();
  std::list<Connection> connections;
  {
    MutexLock lock(&mu_);
    connections.swap(connections_);
  }
  for (Connection& connection : connections) {
    connection.thread.join();
    close(connection.socket);
  }
}

}  // namespace bennu::client
