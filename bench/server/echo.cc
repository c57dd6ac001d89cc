#include "bench/server/echo.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bench/server/load.h"
#include "src/base/coding.h"

namespace bennu::bench {

namespace {

constexpr size_t kBuffer = 256u << 10;
constexpr size_t kLength = 4;

class EchoLoop {
 public:
  explicit EchoLoop(size_t response_bytes)
      : epoll_(epoll_create1(0)), response_(response_bytes, '\0'), buffer_(kBuffer) {
    StoreBE32(response_.data(), static_cast<uint32_t>(response_bytes - kLength));
    response_[kLength] = 2;  // the header's length; in it the call's number
    response_[kLength + 1] = kCallIdTag;
  }

  void Add(int socket) const {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = socket;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  }

  void Run() {
    std::array<epoll_event, 128> events;
    while (true) {
      const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) Serve(events[i].data.fd);
    }
  }

 private:
  void Serve(int socket) {
    const ssize_t size = read(socket, buffer_.data(), buffer_.size());
    std::string& rest = rests_[socket];
    if (size <= 0) {
      rest.clear();
      close(socket);
      return;
    }
    rest.append(buffer_.data(), static_cast<size_t>(size));
    size_t begin = 0;
    answers_.clear();
    while (rest.size() - begin >= kLength) {
      const size_t frame = kLength + LoadBE32(rest.data() + begin);
      if (rest.size() - begin < frame) break;
      response_[kCallIdOffset] = rest[begin + kCallIdOffset];
      answers_ += response_;
      begin += frame;
    }
    rest.erase(0, begin);
    for (size_t sent = 0; sent < answers_.size();) {
      const ssize_t written =
          send(socket, answers_.data() + sent, answers_.size() - sent, MSG_NOSIGNAL);
      if (written > 0) {
        sent += static_cast<size_t>(written);
      } else {
        pollfd wait = {socket, POLLOUT, 0};
        if (poll(&wait, 1, -1) < 0 || (wait.revents & POLLOUT) == 0) return;
      }
    }
  }

  const int epoll_;
  std::string response_;
  std::vector<char> buffer_;
  std::string answers_;
  std::unordered_map<int, std::string> rests_;  // by socket: what came of a frame that is not whole
};

}  // namespace

int EchoMain(size_t response_bytes) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, length) != 0 || listen(listener, SOMAXCONN) != 0 ||
      getsockname(listener, any, &length) != 0) {
    return 1;
  }
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::vector<EchoLoop> loops;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (size_t i = 0; i < cores; ++i) loops.emplace_back(response_bytes);
  std::vector<std::thread> threads;
  for (EchoLoop& loop : loops) threads.emplace_back([&loop] { loop.Run(); });
  for (size_t next = 0;; ++next) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    loops[next % loops.size()].Add(socket);
  }
}

}  // namespace bennu::bench
