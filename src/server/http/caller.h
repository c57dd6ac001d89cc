// Caller: whether the client that sent a request still waits for its answer, so that work for
// nobody can be ended.
#ifndef BENNU_SRC_SERVER_HTTP_CALLER_H_
#define BENNU_SRC_SERVER_HTTP_CALLER_H_

#include <atomic>
#include <string>
#include <utility>

namespace bennu::server::http {

// Of one connection; shared by the connection and by the call that runs for it. Thread-safe.
class Caller {
 public:
  explicit Caller(std::string peer) : peer_(std::move(peer)) {}

  const std::string& peer() const { return peer_; }  // "address:port"
  // The connection has ended. Readers poll: one that still sees false looks again.
  void Leave() { left_.store(true, std::memory_order_release); }
  bool has_left() const { return left_.load(std::memory_order_acquire); }

 private:
  const std::string peer_;
  std::atomic<bool> left_{false};
};

}  // namespace bennu::server::http

#endif  // BENNU_SRC_SERVER_HTTP_CALLER_H_
