#include "src/server/phoenix/connections.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/status_macros.h"
#include "src/base/utf8.h"
#include "src/server/net/clock.h"
#include "src/server/net/peer_log.h"

namespace bennu::server::phoenix {

namespace {

// The beginning of a statement, for one line of the log.
std::string Shown(std::string text) {
  constexpr size_t kBytesMax = 200;
  const bool cut = text.size() > kBytesMax;
  if (cut) text.resize(kBytesMax);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  std::string shown;
  AppendValidUtf8(text, &shown);
  return cut ? shown + " …" : shown;
}

}  // namespace

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
                                  std::shared_ptr<sql::session::SessionStatement> statement,
                                  std::shared_ptr<const http::Caller> caller) {
  MutexLock lock(&running_mu_);
  running_id_ = id;
  running_ = std::move(statement);
  caller_ = std::move(caller);
  abandoned_ = false;
}

void ClientConnection::CancelRunning(std::optional<uint32_t> id) {
  MutexLock lock(&running_mu_);
  if (running_ != nullptr && (!id.has_value() || *id == running_id_)) running_->Cancel();
}

void ClientConnection::CancelAbandoned() {
  MutexLock lock(&running_mu_);
  if (running_ == nullptr || caller_ == nullptr || !caller_->has_left()) return;
  if (!std::exchange(abandoned_, true)) {
    const auto running = running_->Running();
    net::WarnOfPeer(caller_->peer(),
                    fmt::format("the client left, and its statement is cancelled: {}",
                                running.has_value() ? Shown(running->text) : ""));
  }
  running_->Cancel();
}

std::optional<sql::session::RunningStatement> ClientConnection::Running() {
  MutexLock lock(&running_mu_);
  if (running_ == nullptr) return std::nullopt;
  return running_->Running();
}

bool ClientConnection::is_running() {
  MutexLock lock(&running_mu_);
  return running_ != nullptr;
}

Status ClientConnections::Add(
    const ConnectionName& name,
    const std::function<Result<std::unique_ptr<sql::session::Session>>()>& open) {
  {
    MutexLock lock(&mu_);
    RETURN_IF_ERROR(CheckRoom(name));
  }
  // Without the lock, because the first session of all opens SQL, which takes its time.
  ASSIGN_OR_RETURN(auto session, open());
  auto connection =
      std::make_shared<ClientConnection>(name.id, std::move(session), net::MonotonicNow());
  MutexLock lock(&mu_);
  RETURN_IF_ERROR(CheckRoom(name));
  connections_[name] = std::move(connection);
  return Status::Ok();
}

Status ClientConnections::CheckRoom(const ConnectionName& name) const {
  if (closed_) return FailedPrecondition("the server is stopping");
  if (connections_.contains(name)) {
    return AlreadyExists("Connection already exists: " + name.id);
  }
  if (connections_.size() < bounds_.connections_max) return Status::Ok();
  return ResourceExhausted(fmt::format(
      "there are {} connections already, as many as avatica.connectioncache.maxcapacity allows; "
      "those that nobody uses are closed after {} s",
      connections_.size(), bounds_.connection_idle_max.count()));
}

std::shared_ptr<ClientConnection> ClientConnections::Find(const ConnectionName& name) {
  auto found = Peek(name);
  if (found != nullptr) found->Touch(net::MonotonicNow());
  return found;
}

std::shared_ptr<ClientConnection> ClientConnections::Peek(const ConnectionName& name) const {
  MutexLock lock(&mu_);
  const auto found = connections_.find(name);
  return found == connections_.end() ? nullptr : found->second;
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
  std::vector<std::shared_ptr<ClientConnection>> others;
  {
    MutexLock lock(&mu_);
    for (auto entry = connections_.begin(); entry != connections_.end();) {
      ClientConnection* const connection = entry->second.get();
      if (now - connection->used_at() < bounds_.connection_idle_max || connection->is_running()) {
        others.push_back(entry->second);
        ++entry;
      } else {
        idle.push_back(entry->second);
        entry = connections_.erase(entry);
      }
    }
  }
  EndAll(idle);
  for (const std::shared_ptr<ClientConnection>& connection : others) {
    connection->CancelAbandoned();
    // Where calls come in they do it; here no call is expected, so that the lock is free.
    const auto oldest = now - bounds_.statement_idle_max;
    if (connection->used_at() > oldest || connection->is_running()) continue;
    MutexLock lock(&connection->mu);
    connection->CloseOlderThan(oldest);
  }
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
