#include "src/server/phoenix/avatica_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "src/avatica/types.h"
#include "src/base/status_macros.h"
#include "src/server/net/clock.h"
#include "src/server/phoenix/errors.h"
#include "src/server/phoenix/metadata.h"

namespace bennu::server::phoenix {

namespace {

namespace pb = avatica::pb;
using avatica::Form;
using avatica::Response;
using sql::Value;
using sql::session::SessionOptions;
using sql::session::SessionStatement;
using sql::session::StatementResult;

constexpr unsigned kServerError = 500;  // of HTTP, for every call that fails
constexpr uint32_t kReadCommitted = 2;
// Isolation that wants transactions, which tables here have not.
constexpr uint32_t kRepeatableRead = 4;

Result<int64_t> NumberOf(const std::string& name, const std::string& text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr != end || text.empty()) {
    return InvalidArgument(fmt::format("the property {} must be a number, not '{}'", name, text));
  }
  return number;
}

bool IsTrue(const std::string& text) { return text == "true" || text == "TRUE" || text == "True"; }

// Properties of Phoenix's connections by their names; others are ignored, as there.
Status ApplyProperties(const google::protobuf::Map<std::string, std::string>& info,
                       SessionOptions* options, std::string* schema) {
  for (const auto& [name, value] : info) {
    if (name == "TenantId") {
      options->tenant = value;
    } else if (name == "CurrentSCN") {
      ASSIGN_OR_RETURN(options->scn, NumberOf(name, value));
    } else if (name == "AutoCommit" || name == "phoenix.connection.autoCommit") {
      options->autocommit = IsTrue(value);
    } else if (name == "Consistency" || name == "phoenix.connection.consistency") {
      const auto consistency = sql::session::ConsistencyOf(value);
      if (!consistency.has_value()) {
        return InvalidArgument(
            fmt::format("the property {} must be 'strong' or 'timeline', not '{}'", name, value));
      }
      options->consistency = *consistency;
    } else if (name == "phoenix.query.timeoutMs") {
      ASSIGN_OR_RETURN(options->query_timeout_millis, NumberOf(name, value));
    } else if (name == "readOnly") {
      options->read_only = IsTrue(value);
    } else if (name == "schema" || name == "phoenix.connection.schema") {
      *schema = value;
    }
  }
  return Status::Ok();
}

// JDBC's maximum of rows, where 0 means none; older clients have it in another field.
std::optional<uint64_t> RowsMax(int64_t rows_total, uint64_t row_count) {
  if (rows_total > 0) return static_cast<uint64_t>(rows_total);
  const auto older = static_cast<int64_t>(row_count);
  if (rows_total == 0 && older > 0) return row_count;
  return std::nullopt;
}

std::optional<uint64_t> FirstFrameRows(int32_t asked) {
  return asked > 0 ? static_cast<uint64_t>(asked) : kFirstFrameRows;
}

pb::Signature DescribeResult(const sql::exec::SharedColumns& columns) {
  pb::Signature signature;
  signature.mutable_cursor_factory()->set_style(pb::CursorFactory::LIST);
  if (columns == nullptr) return signature;
  for (size_t i = 0; i < columns->size(); ++i) {
    const sql::exec::ResultColumn& column = (*columns)[i];
    *signature.add_columns() =
        avatica::DescribeColumn(i, column.label, column.type, column.nullable, column.origin);
  }
  return signature;
}

// Whether the request's connection is in a field of its own.
template <typename Message>
const std::string& ConnectionIdOf(const Message& message) {
  if constexpr (std::is_same_v<Message, pb::ExecuteRequest>) {
    return message.statement_handle().connection_id();
  } else {
    return message.connection_id();
  }
}

}  // namespace

// A call on a connection, whose lock is held as long as it runs.
class AvaticaService::CallOnConnection {
 public:
  CallOnConnection(AvaticaService* service, ClientConnection* connection, Form form,
                   std::shared_ptr<const http::Caller> caller)
      : service_(service), connection_(connection), form_(form), caller_(std::move(caller)) {}

  // Nothing when the connection has ended.
  template <typename Message>
  std::optional<Result<Response>> Run(const Message& message) {
    MutexLock lock(&connection_->mu);
    if (connection_->ended()) return std::nullopt;
    // It waited for another call on the connection, and nobody waits for it any longer.
    if (HasLeft()) return Status(StatusCode::kCancelled, "the client has left");
    const auto now = net::MonotonicNow();
    connection_->CloseOlderThan(now - service_->connections_.bounds().statement_idle_max);
    connection_->Touch(now);
    return Call(message);
  }

 private:
  Result<Response> Call(const pb::ConnectionSyncRequest& request) REQUIRES(connection_->mu) {
    const pb::ConnectionProperties& wanted = request.conn_props();
    sql::session::Session* const session = connection_->session();
    if (wanted.transaction_isolation() >= kRepeatableRead) {
      return sql::MakeSqlError(1084, "");
    }
    if (wanted.has_auto_commit() && wanted.auto_commit() != session->autocommit()) {
      RETURN_IF_ERROR(session->SetAutocommit(wanted.auto_commit()));
    }
    if (wanted.has_read_only()) session->set_read_only(wanted.read_only());
    if (!wanted.schema().empty()) session->set_default_schema(wanted.schema());
    pb::ConnectionSyncResponse response;
    pb::ConnectionProperties* const now = response.mutable_conn_props();
    now->set_has_auto_commit(true);
    now->set_auto_commit(session->autocommit());
    now->set_has_read_only(true);
    now->set_read_only(session->read_only());
    now->set_transaction_isolation(kReadCommitted);
    now->set_catalog(session->tenant());
    now->set_schema(session->default_schema());
    return Finish(std::move(response));
  }

  Result<Response> Call(const pb::DatabasePropertyRequest&) { return Finish(DatabaseProperties()); }

  Result<Response> Call(const pb::CreateStatementRequest&) REQUIRES(connection_->mu) {
    ASSIGN_OR_RETURN(const uint32_t id, NewStatement());
    pb::CreateStatementResponse response;
    response.set_connection_id(connection_->id());
    response.set_statement_id(id);
    return Finish(std::move(response));
  }

  Result<Response> Call(const pb::CloseStatementRequest& request) REQUIRES(connection_->mu) {
    connection_->Close(request.statement_id());
    return Finish(pb::CloseStatementResponse());
  }

  Result<Response> Call(const pb::PrepareAndExecuteRequest& request) REQUIRES(connection_->mu) {
    pb::ExecuteResponse response;
    ClientStatement* const statement = connection_->Find(request.statement_id());
    if (statement == nullptr) {
      response.set_missing_statement(true);
      return Finish(std::move(response));
    }
    Reset(statement);
    statement->sql.clear();
    statement->rows_max = RowsMax(request.max_rows_total(), request.max_row_count());
    ASSIGN_OR_RETURN(auto prepared, connection_->session()->Prepare(request.sql()));
    statement->running = std::move(prepared);
    return RunFor(request.statement_id(), statement, {}, request.first_frame_max_size(),
                  std::move(response));
  }

  Result<Response> Call(const pb::PrepareRequest& request) REQUIRES(connection_->mu) {
    ASSIGN_OR_RETURN(auto prepared, connection_->session()->Prepare(request.sql()));
    ASSIGN_OR_RETURN(auto columns, prepared->Columns());
    ASSIGN_OR_RETURN(const uint32_t id, NewStatement());
    ClientStatement* const statement = connection_->Find(id);
    statement->sql = request.sql();
    statement->rows_max = RowsMax(request.max_rows_total(), request.max_row_count());
    pb::PrepareResponse response;
    response.mutable_statement()->set_connection_id(connection_->id());
    response.mutable_statement()->set_id(id);
    pb::Signature* const signature = response.mutable_statement()->mutable_signature();
    *signature = DescribeResult(
        std::make_shared<const std::vector<sql::exec::ResultColumn>>(std::move(columns)));
    signature->set_sql(request.sql());
    const auto types = prepared->parameter_types();
    for (size_t i = 0; i < types.size(); ++i) {
      *signature->add_parameters() = avatica::DescribeParameter(i, types[i]);
    }
    statement->running = std::move(prepared);
    return Finish(std::move(response));
  }

  Result<Response> Call(const pb::ExecuteRequest& request) REQUIRES(connection_->mu) {
    pb::ExecuteResponse response;
    const uint32_t id = request.statement_handle().id();
    ClientStatement* const statement = connection_->Find(id);
    if (statement == nullptr) {
      response.set_missing_statement(true);
      return Finish(std::move(response));
    }
    // A result that a client had made again took its place.
    if (statement->running == nullptr) {
      Reset(statement);
      const std::string& sql = request.statement_handle().signature().sql();
      ASSIGN_OR_RETURN(auto prepared, connection_->session()->Prepare(sql));
      statement->running = std::move(prepared);
      statement->sql = sql;
    }
    statement->result.reset();
    ASSIGN_OR_RETURN(const std::vector<Value> values,
                     ValuesOf(request.parameter_values(), *statement->running));
    const int32_t frame = request.first_frame_max_size() != 0
                              ? request.first_frame_max_size()
                              : static_cast<int32_t>(std::min<uint64_t>(
                                    request.deprecated_first_frame_max_size(), INT32_MAX));
    auto made = RunFor(id, statement, values, frame, std::move(response));
    if (made.ok()) {  // Avatica says so of every result of a prepared statement
      std::get<pb::ExecuteResponse>(*made).mutable_results(0)->set_own_statement(true);
    }
    return made;
  }

  Result<Response> Call(const pb::FetchRequest& request) REQUIRES(connection_->mu) {
    pb::FetchResponse response;
    ClientStatement* const statement = connection_->Find(request.statement_id());
    response.set_missing_statement(statement == nullptr);
    // Rows that were sent already are not there any longer; a client that did not get them has the
    // statement run again.
    if (statement == nullptr || !statement->result.has_value() ||
        request.offset() < statement->result->offset()) {
      response.set_missing_results(true);
      return Finish(std::move(response));
    }
    RETURN_IF_ERROR(Running(request.statement_id(), statement, [&]() -> Status {
      RETURN_IF_ERROR(statement->result->SkipTo(request.offset()));
      std::optional<uint64_t> rows;
      if (request.frame_max_size() > 0) {
        rows = static_cast<uint64_t>(request.frame_max_size());
      } else if (request.frame_max_size() == 0 && request.fetch_max_row_count() > 0) {
        rows = request.fetch_max_row_count();
      }
      ASSIGN_OR_RETURN(*response.mutable_frame(), statement->result->Next(rows, form_));
      return Status::Ok();
    }));
    return Finish(std::move(response));
  }

  Result<Response> Call(const pb::PrepareAndExecuteBatchRequest& request)
      REQUIRES(connection_->mu) {
    pb::ExecuteBatchResponse response = BatchResponse(request.statement_id());
    ClientStatement* const statement = connection_->Find(request.statement_id());
    if (statement == nullptr) {
      response.set_missing_statement(true);
      return Finish(std::move(response));
    }
    RETURN_IF_ERROR(AsOne([&]() REQUIRES(connection_->mu) -> Status {
      for (const std::string& sql : request.sql_commands()) {
        Reset(statement);
        ASSIGN_OR_RETURN(auto prepared, connection_->session()->Prepare(sql));
        statement->running = std::move(prepared);
        ASSIGN_OR_RETURN(const uint64_t count, RunChange(request.statement_id(), statement, {}));
        response.add_update_counts(count);
      }
      return Status::Ok();
    }));
    return Finish(std::move(response));
  }

  Result<Response> Call(const pb::ExecuteBatchRequest& request) REQUIRES(connection_->mu) {
    pb::ExecuteBatchResponse response = BatchResponse(request.statement_id());
    ClientStatement* const statement = connection_->Find(request.statement_id());
    if (statement == nullptr || statement->running == nullptr) {
      response.set_missing_statement(true);
      return Finish(std::move(response));
    }
    statement->result.reset();
    RETURN_IF_ERROR(AsOne([&]() REQUIRES(connection_->mu) -> Status {
      for (const pb::UpdateBatch& update : request.updates()) {
        ASSIGN_OR_RETURN(const std::vector<Value> values,
                         ValuesOf(update.parameter_values(), *statement->running));
        ASSIGN_OR_RETURN(const uint64_t count,
                         RunChange(request.statement_id(), statement, values));
        response.add_update_counts(count);
      }
      return Status::Ok();
    }));
    return Finish(std::move(response));
  }

  // Makes the result of a statement that a client has lost, or that only comes in this way.
  Result<Response> Call(const pb::SyncResultsRequest& request) REQUIRES(connection_->mu) {
    pb::SyncResultsResponse response;
    ClientStatement* const statement = connection_->Find(request.statement_id());
    if (statement == nullptr) {
      response.set_missing_statement(true);
      return Finish(std::move(response));
    }
    Reset(statement);
    const pb::QueryState& state = request.state();
    if (state.type() == pb::QueryState::METADATA) {
      ASSIGN_OR_RETURN(StatementResult result,
                       AnswerMetadata(state.op(), ArgumentsOf(state), connection_->session()));
      statement->result.emplace(std::move(result), std::nullopt);
      RETURN_IF_ERROR(statement->result->SkipTo(request.offset()));
    } else {
      ASSIGN_OR_RETURN(auto prepared, connection_->session()->Prepare(state.sql()));
      statement->running = std::move(prepared);
      RETURN_IF_ERROR(Running(request.statement_id(), statement, [&]() -> Status {
        ASSIGN_OR_RETURN(StatementResult result, statement->running->Execute());
        if (result.rows == nullptr) return Status::Ok();
        statement->result.emplace(std::move(result), statement->rows_max);
        return statement->result->SkipTo(request.offset());
      }));
    }
    response.set_more_results(statement->result.has_value());
    return Finish(std::move(response));
  }

  Result<Response> Call(const pb::CommitRequest&) REQUIRES(connection_->mu) {
    RETURN_IF_ERROR(connection_->session()->Commit());
    return Response(pb::CommitResponse());
  }

  Result<Response> Call(const pb::RollbackRequest&) REQUIRES(connection_->mu) {
    RETURN_IF_ERROR(connection_->session()->Rollback());
    return Response(pb::RollbackResponse());
  }

  Result<Response> Call(const pb::CatalogsRequest&) REQUIRES(connection_->mu) {
    return Metadata(pb::GET_CATALOGS, {});
  }
  Result<Response> Call(const pb::TableTypesRequest&) REQUIRES(connection_->mu) {
    return Metadata(pb::GET_TABLE_TYPES, {});
  }
  Result<Response> Call(const pb::TypeInfoRequest&) REQUIRES(connection_->mu) {
    return Metadata(pb::GET_TYPE_INFO, {});
  }
  Result<Response> Call(const pb::SchemasRequest& request) REQUIRES(connection_->mu) {
    MetadataArguments arguments;
    arguments.catalog = Given(request.has_catalog(), request.catalog());
    arguments.schema = Given(request.has_schema_pattern(), request.schema_pattern());
    return Metadata(pb::GET_SCHEMAS, arguments);
  }
  Result<Response> Call(const pb::TablesRequest& request) REQUIRES(connection_->mu) {
    MetadataArguments arguments;
    arguments.catalog = Given(request.has_catalog(), request.catalog());
    arguments.schema = Given(request.has_schema_pattern(), request.schema_pattern());
    arguments.table = Given(request.has_table_name_pattern(), request.table_name_pattern());
    if (request.type_list_size() > 0) {
      arguments.types.emplace(request.type_list().begin(), request.type_list().end());
    }
    return Metadata(pb::GET_TABLES, arguments);
  }
  Result<Response> Call(const pb::ColumnsRequest& request) REQUIRES(connection_->mu) {
    MetadataArguments arguments;
    arguments.catalog = Given(request.has_catalog(), request.catalog());
    arguments.schema = Given(request.has_schema_pattern(), request.schema_pattern());
    arguments.table = Given(request.has_table_name_pattern(), request.table_name_pattern());
    arguments.column = Given(request.has_column_name_pattern(), request.column_name_pattern());
    return Metadata(pb::GET_COLUMNS, arguments);
  }

  // Older clients do not say that they give an argument.
  static Pattern Given(bool given, const std::string& text) {
    return given || !text.empty() ? Pattern(text) : std::nullopt;
  }

  template <typename Message>
  Result<Response> Finish(Message message) {
    message.mutable_metadata()->set_server_address(service_->address_);
    return Response(std::move(message));
  }

  pb::ExecuteBatchResponse BatchResponse(uint32_t id) {
    pb::ExecuteBatchResponse response;
    response.set_connection_id(connection_->id());
    response.set_statement_id(id);
    return response;
  }

  Result<uint32_t> NewStatement() REQUIRES(connection_->mu) {
    const size_t statements_max = service_->connections_.bounds().statements_max;
    if (connection_->statement_count() >= statements_max) {
      return ResourceExhausted(fmt::format(
          "the connection has {} statements already, as many as avatica.statementcache.maxcapacity "
          "allows; close those that are not used any longer",
          statements_max));
    }
    const uint32_t id = service_->NextId();
    connection_->Add(id);
    return id;
  }

  // The result goes before what it comes from.
  static void Reset(ClientStatement* statement) {
    statement->result.reset();
    statement->running.reset();
  }

  static Result<std::vector<Value>> ValuesOf(
      const google::protobuf::RepeatedPtrField<pb::TypedValue>& told,
      const SessionStatement& statement) {
    const auto types = statement.parameter_types();
    std::vector<Value> values;
    values.reserve(static_cast<size_t>(told.size()));
    for (const pb::TypedValue& value : told) {
      const size_t i = values.size();
      auto made = avatica::ToValue(value, i < types.size() ? types[i] : sql::DataType());
      if (!made.ok()) {
        if (made.status().sql_error() == nullptr) {
          return made.status().Annotate(fmt::format("parameter {}", i + 1));
        }
        return sql::MakeSqlError(2004, fmt::format("Parameter {} is unbound", i + 1));
      }
      values.push_back(std::move(made).value());
    }
    return values;
  }

  // Runs 'body' such that others can end the statement.
  template <typename Body>
  Status Running(uint32_t id, ClientStatement* statement, const Body& body)
      REQUIRES(connection_->mu) {
    connection_->SetRunning(id, statement->running, caller_);
    const Status status = body();
    connection_->ClearRunning();
    // Nobody fetches the rest; what the rows hold is given back.
    if (HasLeft()) statement->result.reset();
    return status;
  }

  Result<Response> RunFor(uint32_t id, ClientStatement* statement, const std::vector<Value>& values,
                          int32_t frame_rows, pb::ExecuteResponse response)
      REQUIRES(connection_->mu) {
    pb::ResultSetResponse* const result = response.add_results();
    result->set_connection_id(connection_->id());
    result->set_statement_id(id);
    result->mutable_metadata()->set_server_address(service_->address_);
    RETURN_IF_ERROR(Running(id, statement, [&]() -> Status {
      ASSIGN_OR_RETURN(StatementResult made, statement->running->Execute(values));
      if (made.rows == nullptr) {
        result->set_update_count(static_cast<uint64_t>(std::max<int64_t>(made.update_count, 0)));
        return Status::Ok();
      }
      result->set_own_statement(true);
      result->set_update_count(avatica::kHasRows);
      const int64_t changed = made.update_count;
      statement->result.emplace(std::move(made), statement->rows_max);
      *result->mutable_signature() = DescribeResult(statement->result->columns());
      ASSIGN_OR_RETURN(*result->mutable_first_frame(),
                       statement->result->Next(FirstFrameRows(frame_rows), form_));
      // RETURNING: the rows come first, because clients look at one result alone.
      if (changed >= 0) {
        pb::ResultSetResponse* const count = response.add_results();
        count->set_connection_id(connection_->id());
        count->set_statement_id(id);
        count->set_update_count(static_cast<uint64_t>(changed));
      }
      return Status::Ok();
    }));
    return Finish(std::move(response));
  }

  // For a statement of a batch. Rows of RETURNING are dropped; a query is refused.
  Result<uint64_t> RunChange(uint32_t id, ClientStatement* statement,
                             const std::vector<Value>& values) REQUIRES(connection_->mu) {
    uint64_t count = 0;
    RETURN_IF_ERROR(Running(id, statement, [&]() -> Status {
      ASSIGN_OR_RETURN(const StatementResult made, statement->running->Execute(values));
      if (made.rows != nullptr && made.update_count < 0) return sql::MakeSqlError(1151, "");
      count = static_cast<uint64_t>(std::max<int64_t>(made.update_count, 0));
      return Status::Ok();
    }));
    return count;
  }

  // With autocommit a batch is committed once, at its end, and not at all when it fails; without,
  // what was done stays pending.
  template <typename Body>
  Status AsOne(const Body& body) REQUIRES(connection_->mu) {
    sql::session::Session* const session = connection_->session();
    if (!session->autocommit()) return body();
    RETURN_IF_ERROR(session->SetAutocommit(false));
    Status status = body();
    if (!status.ok()) {
      const Status rolled_back = session->Rollback();
      const Status restored = session->SetAutocommit(true);
      return status;
    }
    return session->SetAutocommit(true);  // commits
  }

  Result<Response> Metadata(pb::MetaDataOperation operation, const MetadataArguments& arguments)
      REQUIRES(connection_->mu) {
    ASSIGN_OR_RETURN(StatementResult made,
                     AnswerMetadata(operation, arguments, connection_->session()));
    ASSIGN_OR_RETURN(const uint32_t id, NewStatement());
    ClientStatement* const statement = connection_->Find(id);
    statement->result.emplace(std::move(made), std::nullopt);
    pb::ResultSetResponse response;
    response.set_connection_id(connection_->id());
    response.set_statement_id(id);
    response.set_own_statement(true);
    response.set_update_count(avatica::kHasRows);
    *response.mutable_signature() = DescribeResult(statement->result->columns());
    // Clients of such results take what the first frame has; only a large one is cut.
    ASSIGN_OR_RETURN(*response.mutable_first_frame(), statement->result->Next({}, form_));
    return Finish(std::move(response));
  }

  bool HasLeft() const { return caller_ != nullptr && caller_->has_left(); }

  AvaticaService* const service_;
  ClientConnection* const connection_;
  const Form form_;
  const std::shared_ptr<const http::Caller> caller_;
};

Result<std::unique_ptr<sql::session::Session>> AvaticaService::OpenSession(
    const pb::OpenConnectionRequest& request) {
  SessionOptions options = sql_->session_options();
  options.autocommit = false;  // as Phoenix's connections begin
  std::string schema;
  RETURN_IF_ERROR(ApplyProperties(request.info(), &options, &schema));
  ASSIGN_OR_RETURN(sql::session::SqlStore* const store, sql_->Sql());
  ASSIGN_OR_RETURN(auto session, sql::session::Session::Open(store, options));
  session->set_default_schema(schema);
  return session;
}

Result<Response> AvaticaService::Call(const pb::OpenConnectionRequest& request,
                                      const std::string& user) {
  RETURN_IF_ERROR(
      connections_.Add({user, request.connection_id()}, [&] { return OpenSession(request); }));
  pb::OpenConnectionResponse response;
  response.mutable_metadata()->set_server_address(address_);
  return Response(std::move(response));
}

Result<Response> AvaticaService::Call(const pb::CloseConnectionRequest& request,
                                      const std::string& user) {
  connections_.Close({user, request.connection_id()});
  pb::CloseConnectionResponse response;
  response.mutable_metadata()->set_server_address(address_);
  return Response(std::move(response));
}

Answer AvaticaService::Refuse(const Status& status, Form form) const {
  return {kServerError, avatica::WriteResponse(Response(ErrorOf(status, address_)), form)};
}

Result<std::optional<sql::session::RunningStatement>> AvaticaService::Running(
    const ConnectionName& name) const {
  const auto connection = connections_.Peek(name);
  if (connection == nullptr) return NotFound("there is no such connection");
  return connection->Running();
}

Answer AvaticaService::Handle(ByteView body, const std::string& user,
                              std::shared_ptr<const http::Caller> caller) {
  const Form form = avatica::FormOf(body);
  const auto request = avatica::ParseRequest(body, form);
  if (!request.ok()) {
    Answer refused = Refuse(request.status(), form);
    refused.refusal = request.status().message();
    return refused;
  }
  return std::visit(
      [&](const auto& message) -> Answer {
        using Message = std::decay_t<decltype(message)>;
        Result<Response> response = Internal("not answered");
        if constexpr (std::is_same_v<Message, pb::OpenConnectionRequest> ||
                      std::is_same_v<Message, pb::CloseConnectionRequest>) {
          response = Call(message, user);
        } else {
          const std::string& id = ConnectionIdOf(message);
          const auto connection = connections_.Find({user, id});
          // What runs on the statement ends, and with it the wait for the connection.
          if constexpr (std::is_same_v<Message, pb::CloseStatementRequest>) {
            if (connection != nullptr) connection->CancelRunning(message.statement_id());
          }
          const auto missing = [&] {
            return Answer{kServerError,
                          avatica::WriteResponse(Response(NoSuchConnection(id, address_)), form)};
          };
          if (connection == nullptr) return missing();
          auto answered = CallOnConnection(this, connection.get(), form, caller).Run(message);
          if (!answered.has_value()) return missing();
          response = *std::move(answered);
        }
        if (!response.ok()) return Refuse(response.status(), form);
        return {200, avatica::WriteResponse(*response, form)};
      },
      *request);
}

}  // namespace bennu::server::phoenix
