// The two sides of a connection, whatever its protocol: a Session reads what comes in, a Channel
// takes what goes out.
#ifndef BENNU_SRC_SERVER_NET_CHANNEL_H_
#define BENNU_SRC_SERVER_NET_CHANNEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::server::net {

// A client that has so many bytes of answers to fetch is not read any further, and gets no further
// calls done.
inline constexpr size_t kUnsentMax = 8u << 20;

// Thread-safe. Outlives its connection: what is sent after the end is dropped.
class Channel {
 public:
  virtual ~Channel() = default;

  // Sends the bytes after all that was sent before. Copies; never blocks.
  virtual void Send(ByteView bytes) = 0;
  // The same without a copy, where that is possible.
  virtual void SendOwned(Bytes bytes) { Send(bytes); }
  // Ends the connection once what was sent is gone, or after a while.
  virtual void Close() = 0;
  // On the connection's thread only: runs the task there once what has come in by now, on all of
  // the thread's connections, was dealt with.
  virtual void Later(std::function<void()> task) { task(); }
  // What was sent and the client has not fetched yet, in bytes.
  virtual size_t unsent() const { return 0; }
  // Whether the server has memory for so much more that waits to be fetched.
  virtual bool HasRoomFor(size_t) const { return true; }
  virtual const std::string& peer() const = 0;  // "address:port"
};

// One thread at a time, that of its connection's loop.
class Session {
 public:
  virtual ~Session() = default;  // the connection has ended

  // 'bytes' came in and were not consumed yet. Returns how many are consumed now; the others are
  // handed in again with what follows them. An error ends the connection and goes to the log.
  virtual Result<size_t> Receive(ByteView bytes) = 0;
  // Whether no further message is taken before an answer was sent. What comes in meanwhile waits.
  // Whoever ends this after it was said sends something then, be it nothing. Any thread.
  virtual bool IsBusy() const { return false; }
  // What was consumed of a message whose end is not there; 0: there is none such.
  virtual size_t unfinished_bytes() const { return 0; }
  enum class Unfinished : uint8_t {
    kLate,  // its time is over
    kLeft,  // the peer sends nothing more
  };
  // The rest of a message does not come, whether bytes of it were consumed or not; the connection
  // ends. Whether an answer was sent that says so.
  virtual bool AnswerUnfinished(Unfinished) { return false; }
  // Called about once a second. An error ends the connection and goes to the log.
  virtual Status Tick() { return Status::Ok(); }
};

// Called on the loop's thread.
using SessionFactory = std::function<std::unique_ptr<Session>(std::shared_ptr<Channel>)>;

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_CHANNEL_H_
