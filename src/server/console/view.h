// View: what the console shows of where the tables are, as JSON. docs/console.md describes each
// answer.
#ifndef BENNU_SRC_SERVER_CONSOLE_VIEW_H_
#define BENNU_SRC_SERVER_CONSOLE_VIEW_H_

#include <cstddef>
#include <string>

#include "bennu/status.h"
#include "src/server/console/json.h"

namespace bennu::server::console {

// Thread-safe. Calls may wait.
class View {
 public:
  virtual ~View() = default;

  // 'sessions': of SQL, of pages.
  virtual Result<Json> Overview(size_t sessions) = 0;
  // All but what SQL's statements took.
  virtual Result<Json> Metrics() = 0;
  virtual Result<Json> Tables() = 0;
  // One table by HBase's name, with its regions, and the sizes of its families. NotFound.
  virtual Result<Json> Describe(const std::string& table) = 0;
  // What is done in the background; an empty object when that is somebody else's to tell.
  virtual Json Maintenance() = 0;
  // An array of slow calls of HBase's clients; null when there are no such clients.
  virtual Json SlowCalls() = 0;
};

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_VIEW_H_
