// Channel: a connection to one service of one server, for any number of calls at a time.
// Source: hbase-rpc spec sections 1 and 2; NettyRpcConnection of HBase.
#ifndef BENNU_SRC_CLIENT_CHANNEL_H_
#define BENNU_SRC_CLIENT_CHANNEL_H_

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/tls.h"
#include "src/client/address.h"
#include "src/client/options.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/greeting.h"
#include "src/rpc/remote_failure.h"

namespace bennu::client {

// How cells travel, both ways.
inline constexpr rpc::CellCodec kCodec = rpc::kGreetingCodec;

// A server's answer. 'result' and 'cells' are views into 'frame'.
struct Answer {
  std::shared_ptr<const Bytes> frame;
  ByteView result;
  ByteView cells;

  // Corruption: the result is no such message.
  Status Parse(google::protobuf::MessageLite* message) const;
};

// How a call ended.
struct CallOutcome {
  Status status;  // OK: there is an answer
  rpc::Remedy remedy = rpc::Remedy::kNone;
  // The connection was lost, nobody answered in time, or the server failed while it was at it: it
  // may have been carried out.
  bool in_doubt = false;
  bool lost_server = false;              // there is no connection to the server
  bool overloaded = false;               // the server asks for longer pauses
  std::chrono::milliseconds wait{0};     // the server asks for this pause; 0: it does not say
  std::optional<Address> moved_to = {};  // the server that has the region now
  Answer answer = {};
};

// Of a call that a server refused.
CallOutcome OutcomeOf(rpc::RemoteFailure failure);

// Takes the outcome of a call, once. It runs on the thread that reads all connections, or on that
// of whoever starts the call; it must be short and must not wait.
using CallDone = std::function<void(CallOutcome)>;

// Thread-safe.
class Channel {
 public:
  virtual ~Channel() = default;  // calls that wait fail
  // Sends the call, as soon as the connection stands. 'done' gets its outcome after 'timeout' at
  // the latest. The parameter and the cells are copied before this returns.
  virtual void Start(const std::string& method, const google::protobuf::MessageLite& parameter,
                     ByteView cells, std::chrono::milliseconds timeout, CallDone done) = 0;
  // Starts the call and waits for its outcome.
  CallOutcome Call(const std::string& method, const google::protobuf::MessageLite& parameter,
                   ByteView cells, std::chrono::milliseconds timeout);
  // The connection is lost; every further call fails.
  virtual bool broken() const = 0;
};

// How channels speak TLS.
struct ChannelTls {
  TlsContextPtr context;  // null: they do not
  bool verify_host = true;
};

// The channels of a client, each opened at its first use and again after it was lost, with the
// thread that reads and writes them. Thread-safe.
class Channels {
 public:
  // 'user': whom servers are told; they are not asked to believe it. 'detour': see ClientOptions.
  Channels(std::string user, ChannelTls tls, Detour detour = nullptr);
  ~Channels();

  // Does not wait: a new channel connects while calls are started on it, and gives up after
  // 'timeout'.
  std::shared_ptr<Channel> Get(const Address& address, const std::string& service,
                               std::chrono::milliseconds timeout);

 private:
  class Loop;
  const std::string user_;
  const ChannelTls tls_;
  const Detour detour_;
  const std::unique_ptr<Loop> loop_;
  Mutex mu_;
  std::map<std::pair<Address, std::string>, std::shared_ptr<Channel>> channels_ GUARDED_BY(mu_);
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CHANNEL_H_
