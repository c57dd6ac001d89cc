// Sockets of tests that play a server: on the loopback device, blocking, a thread per connection.
#ifndef BENNU_TESTS_CLIENT_LOOPBACK_H_
#define BENNU_TESTS_CLIENT_LOOPBACK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <thread>

#include "bennu/bytes.h"
#include "src/base/mutex.h"

namespace bennu::client {

// False: the connection has ended.
bool ReadAll(int socket, char* bytes, size_t size);
bool WriteAll(int socket, ByteView bytes);
// What follows four bytes with its length; RPC and ZooKeeper have the same. False also for a length
// that no test needs.
bool ReadFrame(int socket, Bytes* frame);
// To a port of this machine, by IPv4. -1: nobody listens there.
int ConnectToLoopback(uint16_t port);

// Listens on a free port. 'serve' runs on a thread of each connection, which ends when it returns;
// the socket's number stays taken.
class LoopbackListener {
 public:
  explicit LoopbackListener(std::function<void(int socket)> serve);
  ~LoopbackListener();  // ends all connections
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;

  uint16_t port() const { return port_; }
  // Shuts all connections down.
  void Drop();
  // Takes no more connections, and waits until those that there were have been served to their end.
  void Finish();

 private:
  struct Connection {
    int socket;
    std::thread thread;
  };

  void Accept();
  void StopAccepting();

  const std::function<void(int)> serve_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  Mutex mu_;
  std::list<Connection> connections_ GUARDED_BY(mu_);
  std::thread acceptor_;
};

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_LOOPBACK_H_
