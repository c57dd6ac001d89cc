#include "tests/crash/indexed_store.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/bennu/sql_connection.h"
#include "src/sql/session/session.h"

namespace bennu::indexed {

const std::vector<std::string> kDefinitions = {
    "CREATE TABLE it (k INTEGER NOT NULL, l VARCHAR NOT NULL, v INTEGER, w VARCHAR, n DECIMAL(8, "
    "2), CONSTRAINT pk PRIMARY KEY (k, l DESC))",
    "CREATE INDEX it_c ON it (v) INCLUDE (n)",
    "CREATE INDEX it_f ON it (UPPER(w), v + k)",
    "CREATE LOCAL INDEX it_l ON it (n, w)",
    "CREATE UNCOVERED INDEX it_u ON it (w DESC)",
    "CREATE INDEX it_p ON it (w) INCLUDE (v) WHERE v > 20",
};

Status Store::Open() {
  if (store_ != nullptr) return Status::Ok();
  DatabaseOptions options;
  options.memory_bytes = size_t{64} << 20;
  options.write_sync = write_sync_;
  options.threads = 2;
  ASSIGN_OR_RETURN(front::StoreOptions store, front::StoreOptionsOf(options));
  store.engine.env = env_;
  store.engine.memstore_flush_bytes = 256 << 10;
  store.engine.wal_roll_bytes = 512 << 10;
  store.engine.wal_files_max = 4;
  store.engine.background_split = false;
  ASSIGN_OR_RETURN(store_, front::OpenedStore::Open(directory_, store));
  return Status::Ok();
}

Status Store::Close() {
  if (store_ == nullptr) return Status::Ok();
  const Status status = store_->Close();
  store_.reset();
  return status;
}

Result<std::unique_ptr<SqlConnection>> Store::Connect() {
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, store_->Sql());
  ASSIGN_OR_RETURN(auto session,
                   sql::session::Session::Open(sql, store_->sql_host()->session_options()));
  return std::unique_ptr<SqlConnection>(
      std::make_unique<front::SessionConnection>(std::move(session)));
}

Result<std::vector<std::string>> Store::Execute(SqlConnection* connection, std::string_view sql) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ResultSet> result, connection->Execute(sql));
  std::vector<std::string> rows;
  while (!result->columns().empty()) {
    ASSIGN_OR_RETURN(const bool more, result->Next());
    if (!more) break;
    std::string row;
    for (size_t i = 0; i < result->columns().size(); ++i) {
      row += (i == 0 ? "" : "|") + result->GetText(i);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::vector<std::string>> Store::Execute(std::string_view sql) {
  ASSIGN_OR_RETURN(const std::unique_ptr<SqlConnection> connection, Connect());
  return Execute(connection.get(), sql);
}

Result<std::string> Store::DifferencesOfIndexes() {
  std::string differences;
  ASSIGN_OR_RETURN(const auto indexes,
                   Execute("SELECT table_name FROM SYSTEM.CATALOG WHERE table_type = 'i' AND "
                           "data_table_name = 'IT' AND index_state = 'a'"));
  for (const std::string& index : indexes) {
    ASSIGN_OR_RETURN(const auto found, Execute("CHECK INDEX " + index + " ON it"));
    for (const std::string& difference : found) differences += index + ": " + difference + "\n";
  }
  return differences;
}

}  // namespace bennu::indexed
