// HTTP/1.1 on one connection, for all that the server answers by it.
#ifndef BENNU_SRC_SERVER_HTTP_SESSION_H_
#define BENNU_SRC_SERVER_HTTP_SESSION_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/base/password_file.h"
#include "src/server/http/caller.h"
#include "src/server/http/message.h"
#include "src/server/net/channel.h"
#include "src/server/net/clock.h"
#include "src/server/net/handlers.h"
#include "src/server/net/wire_memory.h"

namespace bennu::server::http {

// When answers are compressed for clients that take it: it costs more time than a connection within
// one machine does.
enum class Compress : uint8_t { kNever, kForOtherMachines, kAlways };

// What the connections of a port share; outlives them.
struct Port {
  // Runs on a handler's thread, and may wait.
  std::function<Response(Request&&)> answer;
  // Asked before, on the connection's own thread: it must not wait. Nothing: 'answer' is asked.
  // Null: there is no such thing. With 'users' it is asked after they are known, but for what
  // 'is_open' tells.
  std::function<std::optional<Response>(const Request&)> answer_at_once;

  // The bytes that 'answer' takes beside the request's own, known before it is asked: they count to
  // the server's memory for messages. Null: none to speak of.
  std::function<size_t(const Request&)> work_size;

  net::Handlers* handlers = nullptr;
  net::WireMemory* memory = nullptr;  // may be null
  std::string host;                   // a name of this server besides addresses and "localhost"
  // Who may ask, by BASIC authentication. Null: anybody who gets here.
  PasswordFile* users = nullptr;
  // What is answered without a user, from 'answer_at_once'. Null: nothing.
  std::function<bool(const Request&)> is_open;
  // Whether a browser may send requests of a page that came from here. Those of other pages are
  // always refused.
  bool own_pages = false;
  Compress compress = Compress::kForOtherMachines;
  // A connection that nobody uses is closed after so long.
  std::chrono::nanoseconds idle_max = std::chrono::minutes(10);
  // Of one request, compressed or not.
  std::atomic<size_t> request_bytes_max{256u << 20};
  std::atomic<bool> draining{false};
};

// A request is answered before the next one is looked at.
class Session final : public net::Session {
 public:
  Session(const Port* port, std::shared_ptr<net::Channel> channel);
  ~Session() override;

  Result<size_t> Receive(ByteView bytes) override;
  bool IsBusy() const override;
  size_t unfinished_bytes() const override;
  bool AnswerUnfinished(Unfinished why) override;
  Status Tick() override;

 private:
  struct Parser;
  // How the answer to a request is to be sent.
  struct Manner {
    bool with_body = true;
    bool keep_alive = true;
    bool compress = false;
  };
  enum class State : uint8_t {
    kIdle,
    kBusy,
    kAwaited,  // busy, and what came in meanwhile waits for the answer
  };
  // What outlives the session with a call that runs.
  struct Work {
    std::atomic<State> state{State::kIdle};
  };

  void Begin();
  // Why the request is not looked at at all; nothing: it is.
  std::optional<Response> Objection(const Request& request) const;
  Manner MannerOf(const Request& request, bool keep_alive) const;
  void RunOnHandler(Request request, Manner manner);
  void ContinueIfExpected();
  Status Refuse(unsigned status, const std::string& reason);

  // Takes what it needs of the request; its method and path stay.
  static Response Answer(const Port& port, Request* request);
  static void Send(net::Channel* channel, Response response, Manner manner);

  const Port* const port_;
  const std::shared_ptr<net::Channel> channel_;
  const std::shared_ptr<Work> work_ = std::make_shared<Work>();
  const std::shared_ptr<Caller> caller_;
  std::unique_ptr<Parser> parser_;
  net::WireCharge body_charge_;
  std::chrono::nanoseconds heard_ = net::MonotonicNow();
};

}  // namespace bennu::server::http

#endif  // BENNU_SRC_SERVER_HTTP_SESSION_H_
