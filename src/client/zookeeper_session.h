// ZooKeeperSession: questions to ZooKeeper over one session of its client library.
// Source: hbase-zookeeper spec section 3; zookeeper.h of ZooKeeper's client for C.
#ifndef BENNU_SRC_CLIENT_ZOOKEEPER_SESSION_H_
#define BENNU_SRC_CLIENT_ZOOKEEPER_SESSION_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/client/address.h"
#include "src/client/deadline.h"

struct _zhandle;

namespace bennu::client {

// Thread-safe. Reads only, and watches nothing, so that nothing is lost with a session. The
// library connects again by itself, to the next server, when a connection breaks.
class ZooKeeperSession {
 public:
  // Looks the hosts up and begins to connect; it does not wait for a server. 'chroot': a path below
  // which all others are meant, or empty. 'timeout': after two thirds of it a silent server is
  // left. IoError: no host has an address.
  static Result<std::unique_ptr<ZooKeeperSession>> Open(const std::vector<Address>& servers,
                                                        const std::string& chroot,
                                                        std::chrono::milliseconds timeout);
  // Ends the session. Nobody may be asking.
  ~ZooKeeperSession();
  ZooKeeperSession(const ZooKeeperSession&) = delete;
  ZooKeeperSession& operator=(const ZooKeeperSession&) = delete;

  // The bytes of a znode; nothing: there is no such znode. Errors of both: IoError: every server
  // was tried, and none answers. TimedOut: none does so before 'deadline'. Aborted: the session has
  // expired; another one is needed. FailedPrecondition: clients may not read the znode.
  Result<std::optional<Bytes>> Get(const std::string& path, const Deadline& deadline);
  // The names of a znode's children; nothing: there is no such znode.
  Result<std::optional<std::vector<std::string>>> Children(const std::string& path,
                                                           const Deadline& deadline);

 private:
  class Question;

  ZooKeeperSession(_zhandle* handle, size_t server_count)
      : handle_(handle), server_count_(server_count) {}

  // Sends the question by 'send' until it is answered. False: there is no such znode.
  Result<bool> Ask(const std::string& path, const Deadline& deadline,
                   const std::function<int(const std::shared_ptr<Question>&)>& send,
                   std::shared_ptr<Question>* answered);

  _zhandle* const handle_;
  const size_t server_count_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ZOOKEEPER_SESSION_H_
