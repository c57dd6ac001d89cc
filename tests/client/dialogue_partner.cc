#include "tests/client/dialogue_partner.h"

#include "tests/client/dialogue_wire.h"

namespace bennu::client {

namespace {

constexpr char kLoopback[] = "127.0.0.1";

}  // namespace

Address DialoguePartner::zookeeper() { return {kLoopback, PortFor(kZooKeeper)}; }

Address DialoguePartner::ReachedAt(const Address& server) {
  return {kLoopback, PortFor(server.ToString())};
}

uint16_t DialoguePartner::PortFor(const std::string& server) {
  MutexLock lock(&listeners_mu_);
  std::unique_ptr<LoopbackListener>& listener = listeners_[server];
  if (listener == nullptr) {
    listener =
        std::make_unique<LoopbackListener>([this, server](int socket) { Serve(server, socket); });
  }
  return listener->port();
}

void DialoguePartner::FinishConnections() {
  MutexLock lock(&listeners_mu_);
  for (const auto& [server, listener] : listeners_) listener->Finish();
}

void DialoguePartner::EndConnections() {
  MutexLock lock(&listeners_mu_);
  listeners_.clear();
}

}  // namespace bennu::client
