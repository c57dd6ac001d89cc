#include "bench/server/load.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "proto/rpc.pb.h"
#include "src/base/coding.h"
#include "src/rpc/frame.h"

namespace bennu::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBuffer = 256u << 10;
constexpr size_t kLength = rpc::kFrameLengthSize;

[[noreturn]] void Give(const std::string& reason) {
  fmt::print(stderr, "the load: {}\n", reason);
  std::exit(1);
}

void SendAll(int socket, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) Give("the server is gone");
    sent += static_cast<size_t>(size);
  }
}

// A blocking socket on which the greeting was sent.
int Connect(const LoadOptions& options) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    Give(fmt::format("no connection to port {}: errno {}", options.port, errno));
  }
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  SendAll(socket, options.greeting);
  return socket;
}

// 'frame' with its length. Only the header is looked at: the field after the number is the
// exception.
void CheckAnswer(const char* frame, size_t size) {
  constexpr char kExceptionTag = 0x12;
  if (size <= kCallIdOffset || frame[kCallIdOffset - 1] != kCallIdTag) Give("not an answer");
  if (frame[kLength] <= 2 || frame[kCallIdOffset + 1] != kExceptionTag) return;
  pb::ResponseHeader header;
  rpc::ResponseParts parts;
  const auto parsed = rpc::ParseResponse(ByteView(frame, size).substr(kLength), &header, &parts);
  if (!parsed.ok()) Give(parsed.message());
  if (header.has_exception()) {
    Give(header.exception().exception_class_name() + " " + header.exception().stack_trace());
  }
}

class Load {
 public:
  Load(const LoadOptions& options, const NextFrame& next)
      : options_(options), next_(next), epoll_(epoll_create1(0)), buffer_(kBuffer) {
    connections_.resize(options.connections);
    for (size_t i = 0; i < options.connections; ++i) {
      Connection& connection = connections_[i];
      connection.socket = Connect(options);
      fcntl(connection.socket, F_SETFL, O_NONBLOCK);
      connection.begun.resize(options.depth);
      epoll_event event = {};
      event.events = EPOLLIN | EPOLLOUT | EPOLLET;
      event.data.u64 = i;
      epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket, &event);
    }
  }
  ~Load() {
    for (const Connection& connection : connections_) close(connection.socket);
    close(epoll_);
  }

  LoadResult Run() {
    const auto start = Clock::now();
    end_ = start + std::chrono::duration_cast<Clock::duration>(
                       std::chrono::duration<double>(options_.seconds_max));
    for (Connection& connection : connections_) {
      for (size_t slot = 0; slot < options_.depth; ++slot) Begin(&connection, slot);
      Write(&connection);
    }
    std::array<epoll_event, 128> events;
    while (under_way_ > 0) {
      const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        Connection* const connection = &connections_[events[i].data.u64];
        Read(connection);
        Write(connection);
      }
    }
    result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::sort(micros_.begin(), micros_.end());
    const auto quantile = [this](size_t percent) {
      return micros_.empty() ? 0 : micros_[(micros_.size() - 1) * percent / 100];
    };
    result_.p50_micros = quantile(50);
    result_.p99_micros = quantile(99);
    return result_;
  }

 private:
  struct Connection {
    int socket = -1;
    std::string out;
    size_t sent = 0;
    std::string rest;  // of an answer that is not whole
    std::vector<Clock::time_point> begun;
  };

  void Begin(Connection* connection, size_t slot) {
    if (begun_ >= options_.calls) return;
    ++begun_;
    ++under_way_;
    const size_t offset = connection->out.size();
    next_(&connection->out);
    connection->out[offset + kCallIdOffset] = static_cast<char>(slot);
    connection->begun[slot] = Clock::now();
  }

  void Write(Connection* connection) {
    while (connection->sent < connection->out.size()) {
      const ssize_t size = send(connection->socket, connection->out.data() + connection->sent,
                                connection->out.size() - connection->sent, MSG_NOSIGNAL);
      if (size < 0 && errno == EAGAIN) return;
      if (size <= 0) Give("the server is gone");
      connection->sent += static_cast<size_t>(size);
    }
    connection->out.clear();
    connection->sent = 0;
  }

  void Read(Connection* connection) {
    while (true) {
      const ssize_t size = read(connection->socket, buffer_.data(), buffer_.size());
      if (size < 0 && errno == EAGAIN) return;
      if (size <= 0) Give("the server is gone");
      result_.response_bytes += static_cast<uint64_t>(size);
      ByteView bytes(buffer_.data(), static_cast<size_t>(size));
      if (!connection->rest.empty()) {
        connection->rest.append(bytes);
        bytes = connection->rest;
      }
      const size_t taken = Take(connection, bytes);
      bytes.remove_prefix(taken);
      if (connection->rest.empty()) {
        connection->rest = bytes;
      } else {
        connection->rest.erase(0, taken);
      }
      if (static_cast<size_t>(size) < buffer_.size()) return;  // edge-triggered: the next one tells
    }
  }

  // Returns the bytes of whole answers.
  size_t Take(Connection* connection, ByteView bytes) {
    const size_t size = bytes.size();
    const auto now = Clock::now();
    while (bytes.size() >= kLength) {
      const size_t frame = kLength + LoadBE32(bytes.data());
      if (bytes.size() < frame) break;
      CheckAnswer(bytes.data(), frame);
      const auto slot = static_cast<uint8_t>(bytes[kCallIdOffset]);
      const std::chrono::duration<float, std::micro> took = now - connection->begun[slot];
      micros_.push_back(took.count());
      ++result_.calls;
      --under_way_;
      bytes.remove_prefix(frame);
      if (now < end_) Begin(connection, slot);
    }
    return size - bytes.size();
  }

  const LoadOptions& options_;
  const NextFrame& next_;
  const int epoll_;
  std::vector<char> buffer_;
  std::vector<Connection> connections_;
  std::vector<float> micros_;
  uint64_t begun_ = 0;
  uint64_t under_way_ = 0;
  Clock::time_point end_;
  LoadResult result_;
};

}  // namespace

LoadResult RunLoad(const LoadOptions& options, const NextFrame& next) {
  return Load(options, next).Run();
}

IdleConnections::IdleConnections(const LoadOptions& options, const NextFrame& next) {
  std::string frame;
  next(&frame);
  for (size_t i = 0; i < options.connections; ++i) {
    sockets_.push_back(Connect(options));
    SendAll(sockets_.back(), frame);
  }
  std::string answer;
  for (const int socket : sockets_) {
    char length[kLength];
    if (recv(socket, length, kLength, MSG_WAITALL) != kLength) Give("the server is gone");
    answer.resize(LoadBE32(length));
    if (recv(socket, answer.data(), answer.size(), MSG_WAITALL) !=
        static_cast<ssize_t>(answer.size())) {
      Give("the server is gone");
    }
  }
}

IdleConnections::~IdleConnections() {
  for (const int socket : sockets_) close(socket);
}

}  // namespace bennu::bench
