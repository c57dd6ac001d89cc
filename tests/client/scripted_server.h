// A server that speaks HBase's frames and answers what a test says: also late, wrongly or not at
// all.
#ifndef BENNU_TESTS_CLIENT_SCRIPTED_SERVER_H_
#define BENNU_TESTS_CLIENT_SCRIPTED_SERVER_H_

#include <google/protobuf/message_lite.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "src/base/mutex.h"
#include "tests/client/loopback.h"

namespace bennu::client {

struct Received {
  std::string service;
  std::string method;
  Bytes parameter;
  Bytes cells;

  template <typename Message>
  Message Parse() const {
    Message message;
    message.ParseFromString(parameter);
    return message;
  }
};

struct Reply {
  static Reply Of(const google::protobuf::MessageLite& message, Bytes cells = {});
  static Reply Exception(std::string java_class, std::string text = "scripted");
  static Reply Drop();            // closes the connection instead
  static Reply Raw(Bytes bytes);  // sends these bytes instead of an answer
  // Holds the answer back until ScriptedServer::Release; later ones overtake it.
  Reply Held() &&;

  Bytes result;
  Bytes cells;
  std::string exception;
  std::string text;
  Bytes raw;
  bool drop = false;
  bool held = false;
};

// Listens on a free port of the loopback device. Each connection has a thread, on which 'answer'
// runs.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<Reply(const Received&)> answer);

  uint16_t port() const { return listener_.port(); }
  // Sends all answers that are held back.
  void Release();
  // Closes all connections.
  void DropConnections() { listener_.Drop(); }
  // Connections that were opened so far.
  int connections() const { return connections_.load(); }

 private:
  struct Connection {
    int socket;
    Mutex mu;  // of writing
    std::vector<Bytes> held GUARDED_BY(mu);
  };

  void Serve(int socket);

  const std::function<Reply(const Received&)> answer_;
  std::atomic<int> connections_ = 0;
  Mutex mu_;
  std::list<Connection> open_ GUARDED_BY(mu_);  // and those that have ended
  LoopbackListener listener_;                   // ends first: what it serves uses the rest
};

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_SCRIPTED_SERVER_H_
