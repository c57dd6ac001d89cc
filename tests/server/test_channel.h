// A channel that keeps what is sent.
#ifndef BENNU_TESTS_SERVER_TEST_CHANNEL_H_
#define BENNU_TESTS_SERVER_TEST_CHANNEL_H_

#include <string>
#include <utility>

#include "src/base/mutex.h"
#include "src/server/net/channel.h"

namespace bennu::server {

class TestChannel : public net::Channel {
 public:
  explicit TestChannel(std::string peer = "test:1") : peer_(std::move(peer)) {}
  void Send(ByteView bytes) override {
    MutexLock lock(&mu_);
    sent_.append(bytes);
  }
  void Close() override { closed_ = true; }
  const std::string& peer() const override { return peer_; }

  Bytes Take() {
    MutexLock lock(&mu_);
    Bytes sent;
    sent.swap(sent_);
    return sent;
  }
  bool closed() const { return closed_; }

 private:
  Mutex mu_;
  Bytes sent_ GUARDED_BY(mu_);
  bool closed_ = false;
  const std::string peer_;
};

}  // namespace bennu::server

#endif  // BENNU_TESTS_SERVER_TEST_CHANNEL_H_
