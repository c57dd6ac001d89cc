#include "bennu/database.h"

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

engine::EngineOptions ToEngineOptions(const DatabaseOptions& options) {
  engine::EngineOptions engine_options;
  engine_options.read_only = options.read_only;
  engine_options.create_if_missing = options.create_if_missing;
  engine_options.block_cache_bytes = options.block_cache_bytes;
  engine_options.memstore_total_bytes = options.memstore_bytes;
  engine_options.query_threads = options.threads;
  engine_options.background_compaction = options.background_compaction;
  engine_options.wal_sync =
      options.write_sync == WriteSync::kFsync ? engine::WalSync::kFsync : engine::WalSync::kOs;
  return engine_options;
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 const DatabaseOptions& options) {
  ASSIGN_OR_RETURN(auto connection, engine::OpenStore(path, ToEngineOptions(options)));
  ASSIGN_OR_RETURN(auto sql,
                   sql::session::SqlStore::Open(connection.get(), sql::exec::PrepareQuery));
  return std::unique_ptr<Database>(
      std::make_unique<EngineDatabase>(std::move(connection), std::move(sql)));
}

}  // namespace bennu
