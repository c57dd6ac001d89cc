// SqlConnection and PreparedStatement over a session.
#ifndef BENNU_SRC_BENNU_SQL_CONNECTION_H_
#define BENNU_SRC_BENNU_SQL_CONNECTION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/database.h"
#include "src/sql/session/session.h"

namespace bennu::front {

StatementInfo InfoOf(const sql::session::RunningStatement& running);

class SessionConnection : public SqlConnection {
 public:
  explicit SessionConnection(std::unique_ptr<sql::session::Session> session)
      : session_(std::move(session)) {}

  Result<std::unique_ptr<ResultSet>> Execute(std::string_view sql) override;
  Result<std::unique_ptr<PreparedStatement>> Prepare(std::string_view sql) override;
  bool autocommit() const override { return session_->autocommit(); }
  Status SetAutocommit(bool on) override { return session_->SetAutocommit(on); }
  Status Commit() override { return session_->Commit(); }
  Status Rollback() override { return session_->Rollback(); }
  bool HasUncommitted() const override { return session_->HasUncommitted(); }
  void Cancel() override { session_->Cancel(); }
  std::optional<StatementInfo> RunningStatement() override;
  void SetQueryTimeout(int64_t millis) override { session_->set_query_timeout_millis(millis); }

 private:
  const std::unique_ptr<sql::session::Session> session_;
};

class SessionPreparedStatement : public PreparedStatement {
 public:
  explicit SessionPreparedStatement(std::unique_ptr<sql::session::SessionStatement> statement);

  size_t parameter_count() const override { return values_.size(); }
  std::vector<std::string> parameter_types() const override;
  Result<std::vector<ColumnInfo>> Columns() const override;
  Status Bind(size_t index, Datum value) override;
  Result<std::unique_ptr<ResultSet>> Execute() override;
  void Cancel() override { statement_->Cancel(); }
  void SetQueryTimeout(int64_t millis) override { statement_->set_timeout_millis(millis); }

 private:
  const std::unique_ptr<sql::session::SessionStatement> statement_;
  const std::vector<sql::DataType> wanted_;  // when it was prepared, by parameter
  std::vector<sql::Value> values_;
  std::vector<bool> bound_;
  // Of the last execution, and what was made of them: the next one mostly has the same.
  sql::exec::SharedColumns columns_;
  std::shared_ptr<const std::vector<ColumnInfo>> column_infos_;
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_SQL_CONNECTION_H_
