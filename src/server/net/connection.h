// One TCP connection on its loop. For io_loops.cc.
#ifndef BENNU_SRC_SERVER_NET_CONNECTION_H_
#define BENNU_SRC_SERVER_NET_CONNECTION_H_

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "src/base/mutex.h"
#include "src/server/net/channel.h"
#include "src/server/net/tls_stream.h"
#include "src/server/net/wire_memory.h"

namespace bennu::server::net {

class Connection;

// What the connections of one thread share.
struct Loop {
  explicit Loop(size_t buffer_size) : buffer(buffer_size) {}

  boost::asio::io_context context{1};
  boost::asio::steady_timer timer{context};
  std::thread thread;
  // Of the loop's thread alone.
  std::vector<char> buffer;  // reads end here first: an idle connection holds none
  std::unordered_set<std::shared_ptr<Connection>> connections;
  std::atomic<size_t> connection_count{0};
};

class Connection final : public Channel, public std::enable_shared_from_this<Connection> {
 public:
  // 'tls' and 'memory': null for none. 'message_ticks_max': see ListenOptions::message_time_max.
  // 'place' is kept as long as the connection.
  Connection(Loop* loop, boost::asio::ip::tcp::socket socket, const TlsListener* tls,
             size_t message_ticks_max, WireMemory* memory, std::shared_ptr<void> place);

  // ---- on the loop's thread
  void Start(const SessionFactory& factory);
  void Tick();
  // Drops what was not sent.
  void Shut(const Status& reason);

  void Send(ByteView bytes) override;
  void SendOwned(Bytes bytes) override;
  void Close() override;
  void Later(std::function<void()> task) override;
  size_t unsent() const override;
  bool HasRoomFor(size_t bytes) const override;
  const std::string& peer() const override { return peer_; }

 private:
  void AwaitInput();
  void ReadInput();
  // The peer sends nothing more.
  void EndInput();
  // Goes on with what came in while too much was unsent.
  void ResumeInput();
  // Hands the session what there is, and sends what it answers. False: no more is to be read now.
  bool Process(ByteView bytes);
  // After the end was said: what still comes in is thrown away, so that the client gets to read it.
  void DropInput();
  // Whether the client begins with TLS, where it need not.
  Status ChooseProtocol();
  bool IsStalled();
  // Counts a tick of a message that is not there yet. IoError: it takes too long.
  Status CheckMessageTime();
  IoResult ReadSome();
  IoResult WriteSome();
  // Hands the session what came in.
  Status Deliver(ByteView bytes);
  // On another thread than the loop's: sends at once what the socket takes, without a turn of the
  // loop, when nothing is to go before it. Returns how many bytes it took.
  size_t SendAtOnce(ByteView bytes) REQUIRES(mu_);
  void ScheduleFlush() REQUIRES(mu_);
  void Flush();
  void AwaitOutput();
  void EndOutput();

  Loop* const loop_;
  boost::asio::ip::tcp::socket socket_;
  const int descriptor_;  // the socket's, open as long as gone_ is not set
  std::string peer_;
  const TlsListener* tls_listener_;  // null once it is known that the client speaks without
  std::unique_ptr<TlsStream> tls_;   // null: not, or not yet
  std::unique_ptr<Session> session_;
  const size_t message_ticks_max_;
  WireMemory* const memory_;  // may be null
  const std::shared_ptr<void> place_;
  size_t message_ticks_ = 0;  // since the message began of which rest_ is a part
  Bytes rest_;                // came in, not consumed
  WireCharge rest_charge_;
  bool held_back_ = false;  // rest_ may have whole messages, which wait until enough is sent
  bool lingers_ = false;    // input is dropped until the peer closes, or Tick ends it
  Bytes sending_;           // of which sent_ bytes are gone
  size_t sent_ = 0;
  size_t sent_since_tick_ = 0;
  int stalled_ticks_ = 0;
  bool awaiting_input_ = false;
  bool awaiting_output_ = false;
  bool delivering_ = false;  // what is sent now is flushed afterwards
  bool shut_ = false;

  std::atomic<bool> is_plain_;  // known to be without TLS

  mutable Mutex mu_;
  Bytes queued_ GUARDED_BY(mu_);
  WireCharge unsent_ GUARDED_BY(mu_);  // queued_ and what is left of sending_
  bool gone_ GUARDED_BY(mu_) = false;  // what is sent is dropped
  bool flush_scheduled_ GUARDED_BY(mu_) = false;
  bool all_sent_ GUARDED_BY(mu_) = true;  // of what the loop has taken out of queued_
  bool closing_ GUARDED_BY(mu_) = false;
  int closing_ticks_ GUARDED_BY(mu_) = 0;  // since closing_ was set
};

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_CONNECTION_H_
