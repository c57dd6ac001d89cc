// A store in a directory of its own behind a server, and a client of that server.
#ifndef BENNU_TESTS_SUPPORT_SERVED_STORE_H_
#define BENNU_TESTS_SUPPORT_SERVED_STORE_H_

#include <memory>
#include <string>

#include "bennu/table.h"
#include "src/engine/open.h"
#include "src/server/server.h"

namespace bennu::testing {

// Ends the process where a store cannot be opened or reached. Not thread-safe; its connection is.
class ServedStore {
 public:
  explicit ServedStore(engine::EngineOptions options);
  ~ServedStore();
  ServedStore(const ServedStore&) = delete;
  ServedStore& operator=(const ServedStore&) = delete;

  // The client's, as long as the store is not reopened.
  Connection* connection() { return connection_.get(); }
  server::Server* server() { return server_.get(); }  // as long as the store is not reopened
  // Stops the server and starts another, at other ports.
  void Reopen();

 private:
  void Open();

  const engine::EngineOptions options_;
  std::string path_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace bennu::testing

#endif  // BENNU_TESTS_SUPPORT_SERVED_STORE_H_
