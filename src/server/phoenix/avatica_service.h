// AvaticaService: what Phoenix's query server answers, over the SQL of this process.
// Source: phoenix-avatica spec.
#ifndef BENNU_SRC_SERVER_PHOENIX_AVATICA_SERVICE_H_
#define BENNU_SRC_SERVER_PHOENIX_AVATICA_SERVICE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/avatica/messages.h"
#include "src/bennu/sql_host.h"
#include "src/server/http/caller.h"
#include "src/server/phoenix/connections.h"
#include "src/sql/session/statements.h"

namespace bennu::server::phoenix {

// Rows of the first frame for clients that do not say how many; the bound that they ask for else is
// theirs, and kFrameBytesMax. As in Avatica.
inline constexpr uint64_t kFirstFrameRows = 100;

struct Answer {
  unsigned http_status = 200;
  std::string body;
  std::string refusal = {};  // why it was no message that could be answered; empty: it was one
};

// Thread-safe. Calls wait for statements, so they are for threads that may wait.
class AvaticaService {
 public:
  // 'sql' must outlive this. 'address': "host:port", which answers name.
  AvaticaService(front::SqlHost* sql, std::string address, const ConnectionBounds& bounds)
      : sql_(sql), address_(std::move(address)), connections_(bounds) {}

  // Answers the body of a request of 'user' (empty: of anybody) in the form that it has. What runs
  // for it ends soon after 'caller' has left (null: nobody leaves).
  Answer Handle(ByteView body, const std::string& user,
                std::shared_ptr<const http::Caller> caller = nullptr);
  // An answer for a call that could not be done.
  Answer Refuse(const Status& status, avatica::Form form) const;

  // What the user's connection runs now. NotFound: there is no such connection. Does not wait.
  Result<std::optional<sql::session::RunningStatement>> Running(const ConnectionName& name) const;

  // To be called about once a second.
  void CloseIdle() { connections_.CloseIdle(); }
  // Ends statements that run and closes all connections; calls find none afterwards.
  void Stop() { connections_.CloseAll(); }
  size_t connection_count() const { return connections_.size(); }

 private:
  class CallOnConnection;

  Result<std::unique_ptr<sql::session::Session>> OpenSession(
      const avatica::pb::OpenConnectionRequest& request);
  uint32_t NextId() { return next_statement_id_.fetch_add(1, std::memory_order_relaxed); }

  Result<avatica::Response> Call(const avatica::pb::OpenConnectionRequest& request,
                                 const std::string& user);
  Result<avatica::Response> Call(const avatica::pb::CloseConnectionRequest& request,
                                 const std::string& user);

  front::SqlHost* const sql_;
  const std::string address_;
  ClientConnections connections_;
  std::atomic<uint32_t> next_statement_id_{1};
};

}  // namespace bennu::server::phoenix

#endif  // BENNU_SRC_SERVER_PHOENIX_AVATICA_SERVICE_H_
