// ZooKeeper's protocol, read only: enough for HBase's clients to find the server.
// Source: hbase-zookeeper spec sections 1 to 4; ZooKeeper's jute records.
#ifndef BENNU_SRC_SERVER_ZOOKEEPER_ZK_SESSION_H_
#define BENNU_SRC_SERVER_ZOOKEEPER_ZK_SESSION_H_

#include <chrono>
#include <memory>
#include <string>

#include "src/server/net/channel.h"
#include "src/server/net/clock.h"
#include "src/server/zookeeper/watches.h"
#include "src/server/zookeeper/znodes.h"

namespace bennu::server::zookeeper {

class ZkSession final : public net::Session {
 public:
  // 'znodes' and 'memory', which may be null, outlive the session.
  ZkSession(const Znodes* znodes, std::shared_ptr<net::Channel> channel,
            net::WireMemory* memory = nullptr)
      : znodes_(znodes), channel_(std::move(channel)), watches_(znodes, memory) {}

  Result<size_t> Receive(ByteView bytes) override;
  Status Tick() override;

 private:
  Status Connect(ByteView frame);
  Status Answer(ByteView frame);
  Status AnswerWord(ByteView word);  // "ruok" and its like
  // False: there are too many. The rest of the request is 'rest'.
  Result<bool> RestoreWatches(ByteView rest);
  void SendFired(ZnodesView* view);

  const Znodes* const znodes_;
  const std::shared_ptr<net::Channel> channel_;
  Watches watches_;
  bool connected_ = false;
  std::chrono::milliseconds timeout_{40'000};
  std::chrono::nanoseconds heard_ = net::MonotonicNow();
};

}  // namespace bennu::server::zookeeper

#endif  // BENNU_SRC_SERVER_ZOOKEEPER_ZK_SESSION_H_
