// The threads that sockets are read and written on, and the ports they listen on.
#ifndef BENNU_SRC_SERVER_NET_IO_LOOPS_H_
#define BENNU_SRC_SERVER_NET_IO_LOOPS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bennu/status.h"
#include "src/server/net/channel.h"
#include "src/server/net/tls_stream.h"
#include "src/server/net/wire_memory.h"

namespace bennu::server::net {

struct ListenOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any that is free
  size_t connections_max = 20'000;
  // Of one address, unless it is this machine's own.
  size_t connections_per_address_max = 5'000;
  // What they may hold; may be null, for no bound. Must outlive the loops.
  WireMemory* memory = nullptr;
  std::optional<TlsListener> tls = std::nullopt;
  // A client that began a message so long ago is cut off; large ones have a second more for each
  // 16 KiB that came. Who says nothing at all is the session's to judge.
  std::chrono::seconds message_time_max{60};
};

// InvalidArgument: it is no IP address.
Status CheckIpAddress(const std::string& address);

// A fixed number of threads; each connection belongs to one of them for its life. Thread-safe.
class IoLoops {
 public:
  explicit IoLoops(size_t thread_count);
  ~IoLoops();  // Stop()
  IoLoops(const IoLoops&) = delete;
  IoLoops& operator=(const IoLoops&) = delete;

  // Takes the port, so that clients can connect and wait. Returns its number. IoError names the
  // address and the remedy.
  Result<uint16_t> Bind(const ListenOptions& options);
  // Serves those who connect to a bound port, until Stop.
  void Serve(uint16_t port, SessionFactory factory);
  // Takes no further connections; those there are go on.
  void StopListening();
  // Ends all connections, after what was sent to them is gone or a second has passed, and joins the
  // threads. Idempotent.
  void Stop();

  size_t connection_count() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_IO_LOOPS_H_
