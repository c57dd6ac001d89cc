// Console: the page at "/" of the server's HTTP port, and the JSON API behind it.
//
// GET reads the server's state. POST runs SQL, cancels and computes, and wants the token, which the
// page finds in itself: a page of another site can send requests here but not read this one.
// docs/console.md describes each call.
#ifndef BENNU_SRC_SERVER_CONSOLE_CONSOLE_H_
#define BENNU_SRC_SERVER_CONSOLE_CONSOLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/bennu/sql_host.h"
#include "src/server/console/json.h"
#include "src/server/console/statement_log.h"
#include "src/server/console/view.h"
#include "src/server/console/workbench.h"
#include "src/server/http/message.h"

namespace bennu::server::console {

// Thread-safe. Calls wait for SQL, so they are for threads that may wait.
class Console {
 public:
  // Observes the statements of 'sql', which must outlive it, as long as it lives; other sessions of
  // SQL end before it.
  Console(front::SqlHost* sql, std::unique_ptr<View> view, const WorkbenchBounds& bounds = {});
  ~Console();  // Stop

  // Whether "/" is asked for by somebody who takes HTML, as browsers do.
  static bool IsPageAsked(const http::Request& request);
  // "/", "/console/…" and "/api/v1/…"; 404 for others.
  http::Response Handle(const http::Request& request);

  const std::string& token() const { return token_; }
  hbase::HistogramCounts statement_micros() const { return statements_.micros(); }
  // Closes sessions of pages that are gone; call now and then.
  void CloseIdle() { workbench_.CloseIdle(); }
  // Ends statements that run. Before SQL is closed.
  void Stop();

 private:
  http::Response ShowIndex() const;
  static http::Response ShowFile(const http::Request& request);
  http::Response CallApi(const http::Request& request);
  Result<Json> Read(std::string_view call);
  Result<Json> Do(std::string_view call, const http::Request& request, const Json& body);
  Result<Json> DescribeRowKey(const Json& body);
  Result<Json> CancelStatement(const Json& body);

  front::SqlHost* const sql_;
  const std::unique_ptr<View> view_;
  const std::string token_;
  StatementLog statements_;
  std::atomic<uint64_t> rows_read_{0};  // as shown last
  std::atomic<uint64_t> rows_returned_{0};
  Workbench workbench_;
};

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_CONSOLE_H_
