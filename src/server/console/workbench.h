// Workbench: the SQL sessions of pages that are open in browsers. A page names its session in each
// call; a session has one result at a time, which is read a page of rows at a time.
#ifndef BENNU_SRC_SERVER_CONSOLE_WORKBENCH_H_
#define BENNU_SRC_SERVER_CONSOLE_WORKBENCH_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/bennu/sql_host.h"
#include "src/server/console/json.h"
#include "src/server/http/caller.h"

namespace bennu::server::console {

struct WorkbenchBounds {
  size_t sessions_max = 32;
  size_t running_max = 8;  // statements at a time, so that threads are left for other calls
  std::chrono::seconds idle_max{600};
};

// Thread-safe. Calls wait for statements, so they are for threads that may wait.
class Workbench {
 public:
  static constexpr int64_t kPageRows = 1000;
  static constexpr int64_t kPageRowsMax = 10'000;
  // A page of rows ends with the row by which it has so many bytes of text.
  static constexpr size_t kPageBytesMax = 4u << 20;
  // Of a statement's text.
  static constexpr size_t kStatementBytesMax = 1u << 20;

  using Caller = std::shared_ptr<const http::Caller>;

  // 'sql' must outlive this.
  explicit Workbench(front::SqlHost* sql, const WorkbenchBounds& bounds = {});
  ~Workbench();

  // Each takes the request's body and gives the answer's. A session belongs to the user who opened
  // it (empty: anybody); others do not find it. A statement that fails is an answer, with
  // "error"; the Status is for requests that are wrong, or come at the wrong time.

  // {"sql", "session", "rows"} → {"session", "columns", "rows", "done", "update_count", "plan",
  // "elapsed_ms"}. Without a session one is opened. What runs ends soon after 'caller' has left
  // (null: nobody leaves).
  Result<Json> Run(const std::string& user, const Json& body, Caller caller = nullptr);
  // {"session", "rows"} → {"rows", "done", "elapsed_ms"}
  Result<Json> Next(const std::string& user, const Json& body, Caller caller = nullptr);
  // {"session"} → {"cancelled"}: ends what runs there.
  Result<Json> Cancel(const std::string& user, const Json& body);
  // {"session"} → {}: ends what runs there, and forgets the session.
  Result<Json> Close(const std::string& user, const Json& body);
  // {"before", "word", "after"} → {"words"}
  Result<Json> Complete(const Json& body);

  // Closes sessions that nobody uses, and ends what runs for pages that were closed. To be called
  // about once a second.
  void CloseIdle();
  // Ends what runs and closes all sessions; calls find none afterwards.
  void Stop();
  size_t size() const;

 private:
  class WorkSession;
  // A call's hold on a session: nobody else works on it meanwhile.
  class Hold;

  Result<std::shared_ptr<WorkSession>> Open(const std::string& user);
  Result<std::shared_ptr<WorkSession>> Find(const std::string& user, const Json& body);
  // A session for a call that waits for SQL, until the Hold ends.
  Result<Hold> Take(std::shared_ptr<WorkSession> session);
  Result<std::unique_ptr<sql::session::Session>> OpenSession();

  front::SqlHost* const sql_;
  const WorkbenchBounds bounds_;
  mutable Mutex mu_;
  bool stopped_ GUARDED_BY(mu_) = false;
  std::atomic<size_t> running_{0};
  std::map<std::string, std::shared_ptr<WorkSession>, std::less<>> sessions_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_WORKBENCH_H_
