// TcpChannel: a connection to one service of one server over TCP, with or without TLS.
//
// A caller sends its frame itself where nobody else is sending, and no other thread has to wake for
// it. What the system does not take at once, what is called for meanwhile, and all that goes
// through TLS waits in 'outbox_' for the thread that reads all connections, which sends what has
// gathered as one. What comes is read into a buffer that holds many small answers; a larger one
// gets memory of its own, which grows with the bytes that have really come.
//
// One timer watches over the calls of a channel. It is set to the earliest end of any, and looks at
// all of them when it rings; as nearly all have the same time, that is once in a timeout, and not
// once in a call.
#ifndef BENNU_SRC_CLIENT_TCP_CHANNEL_H_
#define BENNU_SRC_CLIENT_TCP_CHANNEL_H_

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proto/rpc.pb.h"
#include "src/client/channel.h"
#include "src/client/deadline.h"

namespace bennu::client {

// Thread-safe. 'context' must outlive it. Its socket and timer belong to the context's one thread;
// 'mu_' guards what callers touch.
class TcpChannel final : public Channel, public std::enable_shared_from_this<TcpChannel> {
 public:
  // 'address': the server's own, for TLS and for errors. Gives up if the server has not accepted
  // the connection after 'connect_timeout'.
  TcpChannel(boost::asio::io_context* context, const Address& address, ChannelTls tls,
             std::chrono::milliseconds connect_timeout);

  // On the context's thread. 'reached_at': where the server's address is connected to. The greeting
  // goes before all calls.
  void Connect(const Address& reached_at, Bytes greeting);
  // On the context's thread: all calls fail, those under way and further ones.
  void Break(const std::string& reason);

  void Start(const std::string& method, const google::protobuf::MessageLite& parameter,
             ByteView cells, std::chrono::milliseconds timeout, CallDone done) override;
  bool broken() const override;

 private:
  using TlsSocket = boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>;
  using ErrorCode = boost::system::error_code;
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  struct Waiter {
    CallDone done;
    Deadline deadline;
    bool sent;
    std::string method;
    std::chrono::milliseconds timeout;
  };
  struct Frame {
    uint32_t call_id;  // kNoCallId: the rest of one whose begin was sent
    Bytes bytes;
  };
  enum class Sender { kNobody, kCaller, kLoop };

  // On the thread of a caller, which has become the sender.
  void Send(Bytes frame);
  // On any thread, by the sender, once it sends no longer.
  void PassToLoop();

  // ---- on the context's thread
  void Begin(Bytes greeting);
  void Greet(Bytes greeting);
  void Flush();
  void Write(std::vector<Bytes> frames);
  void Close();
  void ReadMore();
  void TakeFrames();
  void ReadRest();
  // False: the connection is broken now.
  bool Handle(std::shared_ptr<Bytes> frame);
  void Deliver(const pb::ResponseHeader& header, Answer answer);
  void SetTimer();
  void EndLateCalls();

  template <typename Handler>
  void AsyncReadSome(boost::asio::mutable_buffer buffer, Handler handler) {
    if (tls_) return tls_->async_read_some(buffer, std::move(handler));
    socket_.async_read_some(buffer, std::move(handler));
  }
  template <typename Buffers, typename Handler>
  void AsyncWrite(const Buffers& buffers, Handler handler) {
    if (tls_) return boost::asio::async_write(*tls_, buffers, std::move(handler));
    boost::asio::async_write(socket_, buffers, std::move(handler));
  }

  // Of a call that was never sent, or that nobody answered.
  static CallOutcome Failed(Status status, bool sent);

  boost::asio::io_context* const context_;
  const std::string name_;
  const std::string host_;
  const ChannelTls tls_options_;
  const std::chrono::milliseconds connect_timeout_;
  const Deadline connect_deadline_;
  std::atomic<uint32_t> last_id_ = 0;
  int descriptor_ = -1;  // the sender's; set before it can be a caller, open while it is one

  // ---- the context's thread's
  boost::asio::ip::tcp::socket socket_;
  std::optional<TlsSocket> tls_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::steady_timer timer_;
  bool connected_ = false;
  std::array<char, 64 << 10> buffer_;  // [begin_, end_) has come and was not looked at
  size_t begin_ = 0;
  size_t end_ = 0;
  std::shared_ptr<Bytes> large_;  // a frame that is larger than the buffer, as far as it has come
  size_t large_size_ = 0;         // of all of it

  mutable Mutex mu_;
  std::string problem_ GUARDED_BY(mu_);            // not empty: the connection is gone
  Sender sender_ GUARDED_BY(mu_) = Sender::kLoop;  // which connects first
  std::vector<Frame> outbox_ GUARDED_BY(mu_);
  std::unordered_map<uint32_t, Waiter> waiters_ GUARDED_BY(mu_);
  uint64_t timer_rings_ GUARDED_BY(mu_) = kNever;  // Env's monotonic clock
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_TCP_CHANNEL_H_
