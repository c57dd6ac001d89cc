#include "bennu/database.h"

#include <utility>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/bennu/engine_options.h"
#include "src/bennu/phoenix_properties.h"
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
                 std::unique_ptr<sql::session::SqlStore> sql,
                 sql::session::SessionOptions session_options)
      : connection_(std::move(connection)),
        sql_(std::move(sql)),
        session_options_(std::move(session_options)) {}

  Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& options) override {
    sql::session::SessionOptions session_options = session_options_;
    session_options.scn = options.current_scn.value_or(kLatestTimestamp);
    session_options.read_only = options.read_only;
    session_options.tenant = options.tenant;
    session_options.query_timeout_millis =
        options.query_timeout_millis.value_or(session_options_.query_timeout_millis);
    ASSIGN_OR_RETURN(auto session, sql::session::Session::Open(sql_.get(), session_options));
    return std::unique_ptr<SqlConnection>(
        std::make_unique<front::SessionConnection>(std::move(session)));
  }
  std::vector<StatementInfo> RunningStatements() const override {
    std::vector<StatementInfo> statements;
    for (const sql::session::RunningStatement& running : sql_->statements()->List("")) {
      const sql::exec::RunControl::Progress& progress = running.progress;
      statements.push_back({running.id, running.text, running.tenant, running.start_millis,
                            progress.rows_read, progress.rows_returned, progress.morsels,
                            progress.morsels_done, progress.memory_bytes});
    }
    return statements;
  }
  Status CancelStatement(int64_t id) override {
    if (sql_->statements()->Cancel(id, "")) return Status::Ok();
    return NotFound("there is no running statement " + std::to_string(id));
  }
  Connection* store() override { return connection_.get(); }

 private:
  // In this order: SQL goes before the store that it stands on.
  const std::unique_ptr<Connection> connection_;
  const std::unique_ptr<sql::session::SqlStore> sql_;
  const sql::session::SessionOptions session_options_;
};

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 const DatabaseOptions& options) {
  const front::MemoryPlan memory = front::PlanMemory(options);
  ASSIGN_OR_RETURN(sql::session::SessionOptions session_options,
                   front::SessionOptionsOf(options.configuration));
  ASSIGN_OR_RETURN(const sql::catalog::Features features, front::FeaturesOf(options.configuration));
  ASSIGN_OR_RETURN(const engine::EngineOptions engine_options,
                   front::EngineOptionsOf(options, memory));
  ASSIGN_OR_RETURN(auto connection, engine::OpenEngine(path, engine_options));
  ASSIGN_OR_RETURN(
      auto sql, sql::session::SqlStore::Open(connection.get(), sql::exec::PrepareQuery, features));
  sql->set_query_memory_bytes(memory.query_bytes);
  sql->set_all_queries_memory_bytes(memory.queries_bytes);
  // Beside a process that holds the directory nothing is written into it.
  if (!options.read_only) {
    sql->set_spill_directory(connection->env(), JoinPath(path, ".tmp/bennu-spill"));
  }
  return std::unique_ptr<Database>(std::make_unique<EngineDatabase>(
      std::move(connection), std::move(sql), std::move(session_options)));
}

}  // namespace bennu
