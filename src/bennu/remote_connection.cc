// SqlConnection over a query server.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bennu/sql_client.h"
#include "src/base/status_macros.h"
#include "src/bennu/datum.h"
#include "src/bennu/result_set.h"
#include "src/bennu/thin_options.h"
#include "src/sql/types/sql_errors.h"
#include "src/thin_client/thin_connection.h"
#include "src/thin_client/url.h"

namespace bennu {

namespace {

std::unique_ptr<ResultSet> ResultOf(thin_client::ThinResult told) {
  sql::session::StatementResult result;
  result.update_count = told.update_count;
  result.columns = std::move(told.columns);
  result.rows = std::move(told.rows);
  return std::make_unique<front::ChunkResultSet>(std::move(result));
}

class RemotePreparedStatement : public PreparedStatement {
 public:
  explicit RemotePreparedStatement(std::unique_ptr<thin_client::ThinStatement> statement)
      : statement_(std::move(statement)),
        values_(statement_->parameter_types().size()),
        bound_(values_.size(), false) {}

  size_t parameter_count() const override { return values_.size(); }
  std::vector<std::string> parameter_types() const override {
    std::vector<std::string> names;
    for (const sql::DataType& type : statement_->parameter_types()) {
      names.push_back(type.id == sql::TypeId::kNull ? "" : sql::TypeToString(type));
    }
    return names;
  }
  Result<std::vector<ColumnInfo>> Columns() const override {
    return *front::ColumnInfosOf(
        std::make_shared<const std::vector<sql::exec::ResultColumn>>(statement_->columns()));
  }
  Status Bind(size_t index, Datum value) override {
    if (index >= values_.size()) {
      return InvalidArgument("there is no parameter " + std::to_string(index) +
                             ": the statement has " + std::to_string(values_.size()) +
                             ", counted from 0");
    }
    bound_[index] = false;
    RETURN_IF_ERROR(front::AssignValue(value, &values_[index]));
    bound_[index] = true;
    return Status::Ok();
  }
  Result<std::unique_ptr<ResultSet>> Execute() override {
    const auto unbound = std::find(bound_.begin(), bound_.end(), false);
    if (unbound != bound_.end()) {
      return sql::MakeSqlError(
          2004, "Parameter " + std::to_string(unbound - bound_.begin() + 1) + " is unbound");
    }
    ASSIGN_OR_RETURN(thin_client::ThinResult result, statement_->Execute(values_));
    return ResultOf(std::move(result));
  }
  void Cancel() override { statement_->Cancel(); }
  void SetQueryTimeout(int64_t millis) override { statement_->set_timeout_millis(millis); }

 private:
  const std::unique_ptr<thin_client::ThinStatement> statement_;
  std::vector<sql::Value> values_;
  std::vector<bool> bound_;
};

class RemoteSqlConnection : public SqlConnection {
 public:
  explicit RemoteSqlConnection(std::unique_ptr<thin_client::ThinConnection> connection)
      : connection_(std::move(connection)) {}

  Result<std::unique_ptr<ResultSet>> Execute(std::string_view sql) override {
    ASSIGN_OR_RETURN(thin_client::ThinResult result, connection_->Execute(sql));
    return ResultOf(std::move(result));
  }
  Result<std::unique_ptr<PreparedStatement>> Prepare(std::string_view sql) override {
    ASSIGN_OR_RETURN(auto statement, connection_->Prepare(sql));
    return std::unique_ptr<PreparedStatement>(
        std::make_unique<RemotePreparedStatement>(std::move(statement)));
  }
  bool autocommit() const override { return connection_->autocommit(); }
  Status SetAutocommit(bool on) override { return connection_->SetAutocommit(on); }
  Status Commit() override { return connection_->Commit(); }
  Status Rollback() override { return connection_->Rollback(); }
  bool HasUncommitted() const override { return connection_->HasUncommitted(); }
  void Cancel() override { connection_->Cancel(); }
  std::optional<StatementInfo> RunningStatement() override {
    const auto running = connection_->Running();
    if (!running.has_value()) return std::nullopt;
    StatementInfo info;
    info.id = running->id;
    info.text = running->text;
    info.start_millis = running->start_millis;
    info.rows_read = running->rows_read;
    info.rows_returned = running->rows_returned;
    info.morsels = running->parts;
    info.morsels_done = running->parts_done;
    info.memory_bytes = running->memory_bytes;
    return info;
  }
  void SetQueryTimeout(int64_t millis) override { connection_->set_timeout_millis(millis); }

 private:
  const std::unique_ptr<thin_client::ThinConnection> connection_;
};

}  // namespace

Result<thin_client::ThinOptions> front::ThinOptionsOf(const std::string& url,
                                                      const SqlClientOptions& options) {
  thin_client::ThinOptions thin;
  ASSIGN_OR_RETURN(thin.url, thin_client::ParseUrl(url));
  thin.http.connect_timeout = std::chrono::milliseconds(options.connect_timeout_millis);
  thin.http.user = options.user.empty() ? thin.url.user : options.user;
  thin.http.password = options.user.empty() ? thin.url.password : options.password;
  if (thin.url.tls) {
    TlsOptions tls;
    tls.truststore.location = options.truststore;
    tls.truststore.password = options.truststore_password;
    tls.truststore.type = options.truststore_type;
    ASSIGN_OR_RETURN(thin.http.tls, MakeClientTls(tls));
  }
  thin.properties = options.properties;
  const ConnectOptions& connection = options.connection;
  if (connection.current_scn.has_value()) {
    thin.properties["CurrentSCN"] = std::to_string(*connection.current_scn);
  }
  if (!connection.tenant.empty()) thin.properties["TenantId"] = connection.tenant;
  if (connection.query_timeout_millis.has_value()) {
    thin.properties["phoenix.query.timeoutMs"] = std::to_string(*connection.query_timeout_millis);
  }
  if (connection.consistency.has_value()) {
    const bool timeline = *connection.consistency == Consistency::kTimeline;
    thin.properties["Consistency"] = timeline ? "TIMELINE" : "STRONG";
  }
  thin.read_only = connection.read_only;
  return thin;
}

Result<std::unique_ptr<SqlConnection>> SqlClient::Connect(const std::string& url,
                                                          const SqlClientOptions& options) {
  ASSIGN_OR_RETURN(const thin_client::ThinOptions thin, front::ThinOptionsOf(url, options));
  ASSIGN_OR_RETURN(auto opened, thin_client::ThinConnection::Open(thin));
  return std::unique_ptr<SqlConnection>(std::make_unique<RemoteSqlConnection>(std::move(opened)));
}

}  // namespace bennu
