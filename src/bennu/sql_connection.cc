#include "src/bennu/sql_connection.h"

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/bennu/datum.h"
#include "src/bennu/result_set.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::front {

StatementInfo InfoOf(const sql::session::RunningStatement& running) {
  const sql::exec::RunControl::Progress& progress = running.progress;
  return {running.id,           running.text,          running.tenant,
          running.start_millis, progress.rows_read,    progress.rows_returned,
          progress.morsels,     progress.morsels_done, progress.memory_bytes};
}

std::optional<StatementInfo> SessionConnection::RunningStatement() {
  const auto running = session_->Running();
  if (!running.has_value()) return std::nullopt;
  return InfoOf(*running);
}

Result<std::unique_ptr<ResultSet>> SessionConnection::Execute(std::string_view sql) {
  ASSIGN_OR_RETURN(auto result, session_->Execute(sql));
  return std::unique_ptr<ResultSet>(std::make_unique<ChunkResultSet>(std::move(result)));
}

Result<std::unique_ptr<PreparedStatement>> SessionConnection::Prepare(std::string_view sql) {
  ASSIGN_OR_RETURN(auto statement, session_->Prepare(sql));
  return std::unique_ptr<PreparedStatement>(
      std::make_unique<SessionPreparedStatement>(std::move(statement)));
}

SessionPreparedStatement::SessionPreparedStatement(
    std::unique_ptr<sql::session::SessionStatement> statement)
    : statement_(std::move(statement)),
      wanted_(statement_->parameter_types()),
      values_(statement_->parameter_count()),
      bound_(statement_->parameter_count(), false) {}

std::vector<std::string> SessionPreparedStatement::parameter_types() const {
  std::vector<std::string> names;
  for (const sql::DataType& type : statement_->parameter_types()) {
    names.push_back(type.id == sql::TypeId::kNull ? "" : sql::TypeToString(type));
  }
  return names;
}

Result<std::vector<ColumnInfo>> SessionPreparedStatement::Columns() const {
  ASSIGN_OR_RETURN(auto columns, statement_->Columns());
  const auto shared =
      std::make_shared<const std::vector<sql::exec::ResultColumn>>(std::move(columns));
  return *ColumnInfosOf(shared);
}

Status SessionPreparedStatement::Bind(size_t index, Datum value) {
  if (index >= values_.size()) {
    return InvalidArgument("there is no parameter " + std::to_string(index) +
                           ": the statement has " + std::to_string(values_.size()) +
                           ", counted from 0");
  }
  // A run after an error must not use the value before.
  bound_[index] = false;
  RETURN_IF_ERROR(AssignValue(value, &values_[index]));
  // A type is assigned to itself and compared with itself, whatever the value.
  if (index >= wanted_.size() || values_[index].type().id != wanted_[index].id) {
    RETURN_IF_ERROR(statement_->CheckParameter(index, values_[index]));
  }
  bound_[index] = true;
  return Status();
}

Result<std::unique_ptr<ResultSet>> SessionPreparedStatement::Execute() {
  const auto unbound = std::find(bound_.begin(), bound_.end(), false);
  if (unbound != bound_.end()) {
    return sql::MakeSqlError(
        2004, "Parameter " + std::to_string(unbound - bound_.begin() + 1) + " is unbound");
  }
  ASSIGN_OR_RETURN(auto result, statement_->Execute(values_));
  if (column_infos_ == nullptr || columns_ != result.columns) {
    columns_ = result.columns;
    column_infos_ = ColumnInfosOf(columns_);
  }
  return std::unique_ptr<ResultSet>(
      std::make_unique<ChunkResultSet>(std::move(result), column_infos_));
}

}  // namespace bennu::front
