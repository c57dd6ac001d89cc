// HTTP/1.1 on one connection of Phoenix's clients: each POST is a message, and so is each answer.
#ifndef BENNU_SRC_SERVER_PHOENIX_AVATICA_SESSION_H_
#define BENNU_SRC_SERVER_PHOENIX_AVATICA_SESSION_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "src/server/net/channel.h"
#include "src/server/net/clock.h"
#include "src/server/net/handlers.h"
#include "src/server/net/wire_memory.h"
#include "src/server/phoenix/avatica_service.h"

namespace bennu::server::phoenix {

// What the connections of the port share; outlives them.
struct AvaticaPort {
  AvaticaService* service = nullptr;
  net::Handlers* handlers = nullptr;
  net::WireMemory* memory = nullptr;  // may be null
  std::string host;                   // a name of this server besides addresses and "localhost"
  // As for calls of HBase's clients.
  std::atomic<size_t> request_bytes_max{256u << 20};
  std::atomic<bool> draining{false};
};

// A request is answered before the next one is looked at.
class AvaticaSession final : public net::Session {
 public:
  AvaticaSession(const AvaticaPort* port, std::shared_ptr<net::Channel> channel);
  ~AvaticaSession() override;

  Result<size_t> Receive(ByteView bytes) override;
  bool IsBusy() const override;
  Status Tick() override;

 private:
  struct Parser;
  // What outlives the session with a call that runs.
  enum class State : uint8_t {
    kIdle,
    kBusy,
    kAwaited,  // busy, and what came in meanwhile waits for the answer
  };
  struct Work {
    std::atomic<State> state{State::kIdle};
  };

  void Begin();
  void ContinueIfExpected();
  Status Refuse(unsigned status, const std::string& reason);

  const AvaticaPort* const port_;
  const std::shared_ptr<net::Channel> channel_;
  const std::shared_ptr<Work> work_ = std::make_shared<Work>();
  std::unique_ptr<Parser> parser_;
  net::WireCharge body_charge_;
  std::chrono::nanoseconds heard_ = net::MonotonicNow();
};

}  // namespace bennu::server::phoenix

#endif  // BENNU_SRC_SERVER_PHOENIX_AVATICA_SESSION_H_
