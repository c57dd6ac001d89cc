// DialoguePartner: whom clients talk to while a dialogue is recorded or replayed.
#ifndef BENNU_TESTS_CLIENT_DIALOGUE_PARTNER_H_
#define BENNU_TESTS_CLIENT_DIALOGUE_PARTNER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/mutex.h"
#include "src/client/address.h"
#include "tests/client/dialogue.h"
#include "tests/client/loopback.h"

namespace bennu::client {

// Listens on a port of its own for each server of the cluster. Thread-safe.
class DialoguePartner {
 public:
  virtual ~DialoguePartner() = default;
  DialoguePartner(const DialoguePartner&) = delete;
  DialoguePartner& operator=(const DialoguePartner&) = delete;

  // Where clients find the cluster: the master's address, to be reached by ReachedAt, and the
  // address of what stands for ZooKeeper.
  virtual Address registry() const = 0;
  Address zookeeper();
  // Where what stands for the server listens: ClientOptions::detour.
  Address ReachedAt(const Address& server);
  // Whether an answer that was given has these bytes.
  virtual bool Answered(std::string_view bytes) const = 0;
  // To be called once no client is there any more. What went wrong, in words.
  virtual std::vector<std::string> Finish() = 0;

 protected:
  DialoguePartner() = default;
  // A connection to the server, on a thread of its own.
  virtual void Serve(const std::string& server, int socket) = 0;
  // Both: nobody is served any more when they return. The destructor of a derived class has to stop
  // what Serve does.
  void FinishConnections();
  void EndConnections();

  mutable Mutex mu_;
  std::vector<std::string> problems_ GUARDED_BY(mu_);

 private:
  uint16_t PortFor(const std::string& server);

  Mutex listeners_mu_;
  std::map<std::string, std::unique_ptr<LoopbackListener>> listeners_ GUARDED_BY(listeners_mu_);
};

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_DIALOGUE_PARTNER_H_
