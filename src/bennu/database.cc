#include "bennu/database.h"

#include "src/bennu/engine_options.h"
#include "src/bennu/sql_connection.h"
#include "src/engine/open.h"
#include "src/sql/exec/query.h"
#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"

namespace bennu {

namespace {

class EngineDatabase : public Database {
 public:
  EngineDatabase(std::unique_ptr<Connection> connection,
                 std::unique_ptr<sql::session::SqlStore> sql)
      : connection_(std::move(connection)), sql_(std::move(sql)) {}

  Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& options) override {
    sql::session::SessionOptions session_options;
    session_options.scn = options.current_scn.value_or(kLatestTimestamp);
    session_options.read_only = options.read_only;
    session_options.tenant = options.tenant;
    ASSIGN_OR_RETURN(auto session, sql::session::Session::Open(sql_.get(), session_options));
    return std::unique_ptr<SqlConnection>(
        std::make_unique<front::SessionConnection>(std::move(session)));
  }
  Connection* store() override { return connection_.get(); }

 private:
  // In this order: SQL goes before the store that it stands on.
  const std::unique_ptr<Connection> connection_;
  const std::unique_ptr<sql::session::SqlStore> sql_;
};

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 const DatabaseOptions& options) {
  const front::MemoryPlan memory = front::PlanMemory(options);
  ASSIGN_OR_RETURN(auto connection,
                   engine::OpenStore(path, front::EngineOptionsOf(options, memory)));
  ASSIGN_OR_RETURN(auto sql,
                   sql::session::SqlStore::Open(connection.get(), sql::exec::PrepareQuery));
  sql->set_query_memory_bytes(memory.query_bytes);
  return std::unique_ptr<Database>(
      std::make_unique<EngineDatabase>(std::move(connection), std::move(sql)));
}

}  // namespace bennu
