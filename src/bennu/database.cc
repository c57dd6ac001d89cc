#include "bennu/database.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/bennu/opened_cluster.h"
#include "src/bennu/opened_store.h"
#include "src/bennu/sql_connection.h"
#include "src/client/cluster_url.h"
#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"

namespace bennu {

namespace {

// SQL over 'Opened', which holds a store of this process or a connection to a cluster.
template <typename Opened>
class OpenedDatabase : public Database {
 public:
  // 'sql' is of its SqlHost.
  OpenedDatabase(std::unique_ptr<Opened> opened, sql::session::SqlStore* sql)
      : opened_(std::move(opened)), sql_(sql) {}

  Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& options) override {
    sql::session::SessionOptions session_options = opened_->sql_host()->session_options();
    session_options.scn = options.current_scn.value_or(session_options.scn);
    session_options.read_only = options.read_only;
    if (!options.tenant.empty()) session_options.tenant = options.tenant;
    session_options.consistency = options.consistency.value_or(session_options.consistency);
    session_options.query_timeout_millis =
        options.query_timeout_millis.value_or(session_options.query_timeout_millis);
    ASSIGN_OR_RETURN(auto session, sql::session::Session::Open(sql_, session_options));
    return std::unique_ptr<SqlConnection>(
        std::make_unique<front::SessionConnection>(std::move(session)));
  }
  std::vector<StatementInfo> RunningStatements() const override {
    std::vector<StatementInfo> statements;
    for (const sql::session::RunningStatement& running : sql_->statements()->List("")) {
      statements.push_back(front::InfoOf(running));
    }
    return statements;
  }
  Status CancelStatement(int64_t id) override {
    if (sql_->statements()->Cancel(id, "")) return Status::Ok();
    return NotFound("there is no running statement " + std::to_string(id));
  }
  Connection* store() override { return opened_->sql_host()->connection(); }

 private:
  const std::unique_ptr<Opened> opened_;
  sql::session::SqlStore* const sql_;
};

template <typename Opened>
Result<std::unique_ptr<Database>> OpenAs(const std::string& path, const DatabaseOptions& options) {
  ASSIGN_OR_RETURN(auto opened, Opened::Open(path, options));
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, opened->sql_host()->Sql());
  return std::unique_ptr<Database>(
      std::make_unique<OpenedDatabase<Opened>>(std::move(opened), sql));
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 const DatabaseOptions& options) {
  return client::LooksLikeCluster(path) ? OpenAs<front::OpenedCluster>(path, options)
                                        : OpenAs<front::OpenedStore>(path, options);
}

}  // namespace bennu
