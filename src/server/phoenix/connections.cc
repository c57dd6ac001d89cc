#include "src/server/phoenix/connections.h"

#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/server/net/clock.h"

namespace bennu::server::phoenix {

ClientStatement* ClientConnection::Find(uint32_t id) {
  const auto found = statements_.find(id);
  if (found == statements_.end()) return nullptr;
  found->second.used_at = net::MonotonicNow();
  return &found->second;
}

ClientStatement* ClientConnection::Add(uint32_t id) {
  ClientStatement* const added = &statements_[id];
  added->used_at = net::MonotonicNow();
  return added;
}

void ClientConnection::Close(uint32_t id) { statements_.erase(id); }

void ClientConnection::CloseOlderThan(std::chrono::nanoseconds then) {
  std::erase_if(statements_, [then](const auto& entry) { return entry.second.used_at < then; });
}

void ClientConnection::End() {
  statements_.clear();
  session_ = nullptr;
}

void ClientConnection::SetRunning(uint32_t id,
                                  std::shared_ptr<sql::session::SessionStatement> statement) {
  MutexLock lock(&running_mu_);
  running_id_ = id;
  running_ = std::move(statement);
}

void ClientConnection::CancelRunning(std::optional<uint32_t> id) {
  MutexLock lock(&running_mu_);
  if (running_ != nullptr && (!id.has_value() || *id == running_id_)) running_->Cancel();
}

bool ClientConnection::is_running() {
  MutexLock lock(&running_mu_);
  return running_ != nullptr;
}

Status ClientConnections::Add(
    const ConnectionName& name,
    const std::function<Result<std::unique_ptr<sql::session::Session>>()>& open) {
  MutexLock lock(&mu_);
  if (closed_) return FailedPrecondition("the server is stopping");
  if (connections_.contains(name)) {
    return AlreadyExists("Connection already exists: " + name.id);
  }
  if (connections_.size() >= bounds_.connections_max) {
    return ResourceExhausted(fmt::format(
        "there are {} connections already, as many as avatica.connectioncache.maxcapacity allows; "
        "those that nobody uses are closed after {} s",
        connections_.size(), bounds_.connection_idle_max.count()));
  }
  ASSIGN_OR_RETURN(auto session, open());
  connections_[name] =
      std::make_shared<ClientConnection>(name.id, std::move(session), net::MonotonicNow());
  return Status::Ok();
}

std::shared_ptr<ClientConnection> ClientConnections::Find(const ConnectionName& name) {
  MutexLock lock(&mu_);
  const auto found = connections_.find(name);
  if (found == connections_.end()) return nullptr;
  found->second->Touch(net::MonotonicNow());
  return found->second;
}

void ClientConnections::Close(const ConnectionName& name) {
  std::shared_ptr<ClientConnection> connection;
  {
    MutexLock lock(&mu_);
    const auto found = connections_.find(name);
    if (found == connections_.end()) return;
    connection = found->second;
    connections_.erase(found);
  }
  EndAll({connection});
}

void ClientConnections::CloseIdle() {
  const auto now = net::MonotonicNow();
  std::vector<std::shared_ptr<ClientConnection>> idle;
  {
    MutexLock lock(&mu_);
    for (auto entry = connections_.begin(); entry != connections_.end();) {
      ClientConnection* const connection = entry->second.get();
      if (now - connection->used_at() < bounds_.connection_idle_max || connection->is_running()) {
        ++entry;
      } else {
        idle.push_back(entry->second);
        entry = connections_.erase(entry);
      }
    }
  }
  EndAll(idle);
}

void ClientConnections::CloseAll() {
  std::vector<std::shared_ptr<ClientConnection>> all;
  {
    MutexLock lock(&mu_);
    closed_ = true;
    for (const auto& [name, connection] : connections_) all.push_back(connection);
    connections_.clear();
  }
  EndAll(all);
}

size_t ClientConnections::size() const {
  MutexLock lock(&mu_);
  return connections_.size();
}

void ClientConnections::EndAll(const std::vector<std::shared_ptr<ClientConnection>>& connections) {
  for (const std::shared_ptr<ClientConnection>& connection : connections) {
    connection->CancelRunning({});
    MutexLock lock(&connection->mu);
    connection->End();
  }
}

}  // namespace bennu::server::phoenix
