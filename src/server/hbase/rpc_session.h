// HBase's RPC on one connection: preamble, connection header, then calls.
// Source: hbase-rpc spec sections 1 and 2.
#ifndef BENNU_SRC_SERVER_HBASE_RPC_SESSION_H_
#define BENNU_SRC_SERVER_HBASE_RPC_SESSION_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "src/rpc/exceptions.h"
#include "src/server/hbase/service.h"
#include "src/server/net/channel.h"
#include "src/server/net/clock.h"
#include "src/server/net/handlers.h"

namespace bennu::server::hbase {

// What the connections of one port share; outlives them. Only its atomics change while it serves.
struct RpcPort {
  std::vector<const Service*> services;
  net::Handlers* handlers = nullptr;
  std::string cluster_id;
  // HBase's hbase.ipc.max.request.size.
  std::atomic<size_t> request_bytes_max{256u << 20};
  // Set: calls are refused in such a way that clients try again, elsewhere or later.
  std::atomic<bool> draining{false};
  RpcMetrics* metrics = nullptr;      // may be null
  net::WireMemory* memory = nullptr;  // the same
  // A connection that has not said what it wants by then is ended.
  std::chrono::seconds greeting_max{30};
};

class RpcSession final : public net::Session {
 public:
  RpcSession(const RpcPort* port, std::shared_ptr<net::Channel> channel);

  Result<size_t> Receive(ByteView bytes) override;
  Status Tick() override;

 private:
  enum class State { kPreamble, kSaslToken, kHeader, kCalls };

  Result<size_t> ReceivePreamble(ByteView bytes);
  Status ReadConnectionHeader(ByteView frame);
  Status ReadCall(ByteView frame);
  Result<size_t> RefuseLarge(ByteView bytes, size_t length, size_t length_max);
  void ShrinkHeader();
  // An answer that belongs to no call.
  void SendFatal(const rpc::RemoteError& error);
  void SendUnasked(const google::protobuf::MessageLite& result);

  const RpcPort* const port_;
  const std::shared_ptr<net::Channel> channel_;
  const std::chrono::nanoseconds begin_ = net::MonotonicNow();
  State state_ = State::kPreamble;
  std::shared_ptr<const ClientConnection> connection_;
  const Service* service_ = nullptr;
  pb::RequestHeader header_;  // its memory is used again
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_RPC_SESSION_H_
