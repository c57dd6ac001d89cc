// The connections that clients of Phoenix have opened, with their statements and results.
//
// A client names its connection and its statements in each call; nothing is bound to a socket. What
// nobody has named for a while is closed, as Avatica's server does it.
#ifndef BENNU_SRC_SERVER_PHOENIX_CONNECTIONS_H_
#define BENNU_SRC_SERVER_PHOENIX_CONNECTIONS_H_

#include <atomic>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/server/http/caller.h"
#include "src/server/phoenix/result_frames.h"
#include "src/sql/session/session.h"
#include "src/sql/session/statements.h"

namespace bennu::server::phoenix {

// A statement that a client has made, and its result.
struct ClientStatement {
  std::string sql;                     // of what was prepared; empty: nothing
  std::optional<uint64_t> rows_max;    // of a result; unset: no bound
  std::chrono::nanoseconds used_at{};  // when a call named it last
  // What runs, or ran last. Others may only cancel it.
  std::shared_ptr<sql::session::SessionStatement> running;
  std::optional<ResultFrames> result;  // of 'running', before which it goes
};

// Clients choose the ids; nobody gets at the connections of another user.
struct ConnectionName {
  std::string user;  // empty where nobody has to say who they are
  std::string id;

  auto operator<=>(const ConnectionName&) const = default;
};

// One Phoenix connection. One call at a time works on it, with mu held.
class ClientConnection {
 public:
  ClientConnection(std::string id, std::unique_ptr<sql::session::Session> session,
                   std::chrono::nanoseconds now)
      : id_(std::move(id)), session_(std::move(session)), used_at_(now.count()) {}

  // Held by the call that works on the connection.
  Mutex mu;

  const std::string& id() const { return id_; }
  sql::session::Session* session() REQUIRES(mu) { return session_.get(); }
  // Null: there is no such statement. Counts as a use.
  ClientStatement* Find(uint32_t id) REQUIRES(mu);
  ClientStatement* Add(uint32_t id) REQUIRES(mu);
  size_t statement_count() REQUIRES(mu) { return statements_.size(); }
  void Close(uint32_t id) REQUIRES(mu);
  // Statements that nobody has named since then.
  void CloseOlderThan(std::chrono::nanoseconds then) REQUIRES(mu);
  // Discards what is pending and closes all statements; calls that come later find it gone.
  void End() REQUIRES(mu);
  bool ended() REQUIRES(mu) { return session_ == nullptr; }

  // Which statement the call that holds mu runs, and for whom (null: for somebody who stays), so
  // that others can look at it and end it.
  void SetRunning(uint32_t id, std::shared_ptr<sql::session::SessionStatement> statement,
                  std::shared_ptr<const http::Caller> caller);
  void ClearRunning() { SetRunning(0, nullptr, nullptr); }
  // What runs now, if it is this one; unset: whatever runs.
  void CancelRunning(std::optional<uint32_t> id);
  // Ends what runs for a client that has left. Call now and then until it has ended: a statement
  // that is about to begin does not see the first call.
  void CancelAbandoned();
  bool is_running();
  // How far it is. Nothing: no statement runs.
  std::optional<sql::session::RunningStatement> Running();

  void Touch(std::chrono::nanoseconds now) { used_at_.store(now.count()); }
  std::chrono::nanoseconds used_at() const { return std::chrono::nanoseconds(used_at_.load()); }

 private:
  const std::string id_;
  std::unique_ptr<sql::session::Session> session_ GUARDED_BY(mu);  // null once it has ended
  std::map<uint32_t, ClientStatement> statements_ GUARDED_BY(mu);  // they go before the session
  std::atomic<int64_t> used_at_;

  Mutex running_mu_;
  uint32_t running_id_ GUARDED_BY(running_mu_) = 0;
  std::shared_ptr<sql::session::SessionStatement> running_ GUARDED_BY(running_mu_);
  std::shared_ptr<const http::Caller> caller_ GUARDED_BY(running_mu_);  // whom it runs for
  bool abandoned_ GUARDED_BY(running_mu_) = false;                      // the log has said so
};

// Avatica's bounds and times by their defaults there.
struct ConnectionBounds {
  size_t connections_max = 1000;
  size_t statements_max = 10'000;  // of one connection
  std::chrono::seconds connection_idle_max{600};
  std::chrono::seconds statement_idle_max{300};
};

// Thread-safe.
class ClientConnections {
 public:
  explicit ClientConnections(const ConnectionBounds& bounds) : bounds_(bounds) {}
  ~ClientConnections() { CloseAll(); }

  const ConnectionBounds& bounds() const { return bounds_; }
  // AlreadyExists; ResourceExhausted: there are as many as there may be. 'open' makes the session.
  Status Add(const ConnectionName& name,
             const std::function<Result<std::unique_ptr<sql::session::Session>>()>& open);
  // Null: there is none. Counts as a use.
  std::shared_ptr<ClientConnection> Find(const ConnectionName& name);
  // The same without being a use. Never waits for a call that runs.
  std::shared_ptr<ClientConnection> Peek(const ConnectionName& name) const;
  // Ends what runs on it first. Nothing when there is none.
  void Close(const ConnectionName& name);
  // Closes connections and statements that nobody uses, and ends statements whose clients have
  // left; call now and then.
  void CloseIdle();
  // Ends what runs, and takes no further connections.
  void CloseAll();
  size_t size() const;

 private:
  // AlreadyExists, ResourceExhausted, as Add.
  Status CheckRoom(const ConnectionName& name) const REQUIRES(mu_);
  void EndAll(const std::vector<std::shared_ptr<ClientConnection>>& connections);

  const ConnectionBounds bounds_;
  mutable Mutex mu_;
  bool closed_ GUARDED_BY(mu_) = false;
  std::map<ConnectionName, std::shared_ptr<ClientConnection>> connections_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::phoenix

#endif  // BENNU_SRC_SERVER_PHOENIX_CONNECTIONS_H_
