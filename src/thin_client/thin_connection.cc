#include "src/thin_client/thin_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <type_traits>
#include <utility>

#include "src/avatica/messages.h"
#include "src/avatica/row_reader.h"
#include "src/avatica/types.h"
#include "src/base/ascii.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "src/sql/types/sql_errors.h"
#include "src/thin_client/server_error.h"

namespace bennu::thin_client {

namespace {

namespace pb = avatica::pb;
using sql::DataType;
using sql::Value;
using sql::exec::ResultColumn;

constexpr int32_t kFrameRows = 2000;
constexpr std::string_view kRequests = "org.apache.calcite.avatica.proto.Requests$";
constexpr std::string_view kResponses = "org.apache.calcite.avatica.proto.Responses$";
constexpr std::chrono::seconds kCancelTimeout{10};

template <typename Message>
std::string ShortName(const Message& message) {
  const std::string name = message.GetTypeName();
  return name.substr(name.rfind('.') + 1);
}

std::string NewConnectionId() {
  Env* const env = Env::Default();
  return fmt::format("bennu-{:016x}{:016x}", env->RandomU64(), env->RandomU64());
}

// Whether the statement tells how many rows it has changed; a server has 0 for others, too.
bool CountsRows(std::string_view sql) {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (!sql.empty()) {
    if (kBlanks.find(sql[0]) != std::string_view::npos) {
      sql.remove_prefix(1);
    } else if (sql.starts_with("--") || sql.starts_with("//")) {
      sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    } else if (sql.starts_with("/*")) {
      const size_t end = sql.find("*/");
      sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + 2);
    } else {
      break;
    }
  }
  const std::string word = Upper(sql.substr(0, sql.find_first_of(" \t\r\n(/")));
  return word == "UPSERT" || word == "DELETE";
}

Result<sql::exec::SharedColumns> ColumnsOf(const pb::Signature& signature) {
  std::vector<ResultColumn> columns;
  for (const pb::ColumnMetaData& column : signature.columns()) {
    ASSIGN_OR_RETURN(const DataType type, avatica::TypeOf(column));
    columns.push_back({column.label(), type, column.nullable() != 0});
  }
  return std::make_shared<const std::vector<ResultColumn>>(std::move(columns));
}

Status Damaged(std::string_view what) {
  return Corruption(fmt::format("the server sent a damaged answer: {}", what));
}

// Calls to a server over one socket. One thread at a time.
class Caller {
 public:
  Caller(const Url& url, const HttpOptions& options) : http_(url, options) {}

  // Unset 'timeout': no bound.
  template <typename Response, typename Request>
  Result<Response> Call(const Request& request, std::optional<std::chrono::milliseconds> timeout) {
    pb::WireMessage wire;
    wire.set_name(std::string(kRequests) + ShortName(request));
    request.SerializeToString(wire.mutable_wrapped_message());
    ASSIGN_OR_RETURN(const HttpAnswer answer, http_.Post(wire.SerializeAsString(), timeout));
    pb::WireMessage told;
    if (!told.ParseFromString(answer.body) || told.name().empty()) return NoMessage(answer);
    Response response;
    if (told.name() == std::string(kResponses) + ShortName(response)) {
      if (!response.ParseFromString(told.wrapped_message())) return Damaged(told.name());
      return response;
    }
    pb::ErrorResponse error;
    if (told.name() == std::string(kResponses) + ShortName(error) &&
        error.ParseFromString(told.wrapped_message())) {
      return ErrorOf(error);
    }
    return Damaged(told.name());
  }

 private:
  HttpClient http_;
};

// Asks a server how far a statement is, over a socket of its own. Thread-safe.
class ProgressAsker {
 public:
  ProgressAsker(const Url& url, HttpOptions options) : http_(url, InHaste(std::move(options))) {}

  // Nothing: no statement runs, or the server does not tell.
  std::optional<avatica::RunningStatement> Ask(const std::string& connection_id) {
    MutexLock lock(&mu_);
    const uint64_t now = Env::Default()->MonotonicNanos();
    if (now < next_nanos_) return told_;
    const auto answer =
        http_.Get(avatica::kRunningPath, avatica::kConnectionHeader, connection_id, kTimeout);
    constexpr unsigned kOk = 200;
    const bool told =
        answer.ok() && answer->status == kOk && avatica::ParseRunning(answer->body, &told_);
    if (!told) told_.reset();
    const uint64_t pause = told ? kAgainNanos : answer.ok() ? kWithoutNanos : kAfterFailureNanos;
    next_nanos_ = Env::Default()->MonotonicNanos() + pause;
    return told_;
  }

 private:
  // Whoever shows progress waits for it when the statement has ended.
  static constexpr std::chrono::milliseconds kTimeout{500};
  static constexpr uint64_t kAgainNanos = 500'000'000;
  static constexpr uint64_t kAfterFailureNanos = 5'000'000'000;
  // A server that does not have the call is not to be bothered.
  static constexpr uint64_t kWithoutNanos = 60'000'000'000;

  static HttpOptions InHaste(HttpOptions options) {
    options.connect_timeout = kTimeout;
    return options;
  }

  Mutex mu_;
  HttpClient http_ GUARDED_BY(mu_);
  uint64_t next_nanos_ GUARDED_BY(mu_) = 0;
  std::optional<avatica::RunningStatement> told_ GUARDED_BY(mu_);
};

// A statement of the server's; several results can be read at a time, each on one of its own.
struct RemoteStatement {
  uint32_t id = 0;
  bool prepared = false;
};

class RemoteConnection final : public ThinConnection {
 public:
  explicit RemoteConnection(const ThinOptions& options)
      : options_(options),
        caller_(options.url, options.http),
        progress_(options.url, options.http),
        id_(NewConnectionId()) {
    autocommit_ = options.autocommit;
  }
  ~RemoteConnection() override {
    if (!open_) return;
    pb::CloseConnectionRequest close;
    close.set_connection_id(id_);
    const auto closed =
        caller_.Call<pb::CloseConnectionResponse>(close, std::chrono::milliseconds(kCancelTimeout));
  }

  // Opens it, at first or because the server has forgotten it.
  Status Open() {
    open_ = false;
    free_.clear();
    pb::OpenConnectionRequest request;
    request.set_connection_id(id_);
    for (const auto& [name, value] : options_.properties) (*request.mutable_info())[name] = value;
    RETURN_IF_ERROR(caller_.Call<pb::OpenConnectionResponse>(request, {}).status());
    open_ = true;
    return Sync();
  }

  Result<ThinResult> Execute(std::string_view sql) override {
    pb::PrepareAndExecuteRequest request;
    request.set_sql(std::string(sql));
    request.set_max_rows_total(-1);
    request.set_first_frame_max_size(kFrameRows);
    ASSIGN_OR_RETURN(auto response, OnConnection<pb::ExecuteResponse>(
                                        [&]() -> Status {
                                          ASSIGN_OR_RETURN(const uint32_t id, TakeStatement());
                                          request.set_connection_id(id_);
                                          request.set_statement_id(id);
                                          return Status::Ok();
                                        },
                                        request, [&] { return request.statement_id(); }));
    return Finish(response, {request.statement_id(), false}, sql);
  }

  Result<std::unique_ptr<ThinStatement>> Prepare(std::string_view sql) override;

  bool autocommit() const override { return autocommit_; }
  Status SetAutocommit(bool on) override {
    autocommit_ = on;
    RETURN_IF_ERROR(Sync());
    if (on) uncommitted_ = false;
    return Status::Ok();
  }
  Status Commit() override {
    pb::CommitRequest request;
    request.set_connection_id(id_);
    RETURN_IF_ERROR(Keep(caller_.Call<pb::CommitResponse>(request, {}).status()));
    uncommitted_ = false;
    return Status::Ok();
  }
  Status Rollback() override {
    pb::RollbackRequest request;
    request.set_connection_id(id_);
    RETURN_IF_ERROR(Keep(caller_.Call<pb::RollbackResponse>(request, {}).status()));
    uncommitted_ = false;
    return Status::Ok();
  }
  bool HasUncommitted() const override { return uncommitted_; }
  void Cancel() override { CancelStatement(running_.load()); }
  std::optional<avatica::RunningStatement> Running() override {
    if (running_.load() == 0) return std::nullopt;
    return progress_.Ask(id_);
  }
  void set_timeout_millis(int64_t millis) override { timeout_millis_ = millis; }

  // ---- for statements and rows

  // Runs a request such that Cancel finds it, once more when the server has forgotten the
  // connection or the statement meanwhile. 'fill' puts connection and statement into the request;
  // 'statement' tells which it is.
  template <typename Response, typename Request, typename Fill, typename StatementOf>
  Result<Response> OnConnection(const Fill& fill, const Request& request,
                                const StatementOf& statement) {
    for (int attempt = 0;; ++attempt) {
      RETURN_IF_ERROR(Reopened([&] { return fill(); }));
      running_.store(statement());
      auto response = Timed<Response>(request, statement());
      running_.store(0);
      const bool lost = IsNoSuchConnection(response.status());
      if (attempt == 0 && lost && !uncommitted_) {
        RETURN_IF_ERROR(Open());
        Forget();
        continue;
      }
      if (lost) return Keep(response.status());
      RETURN_IF_ERROR(response.status());
      if (!response->missing_statement()) return response;
      if (attempt > 0) return Damaged("a statement that was just made is missing");
      free_.clear();
      Forget();
    }
  }

  // The timeout of the connection, or of a statement with its own.
  template <typename Response, typename Request>
  Result<Response> Timed(const Request& request, uint32_t statement) {
    std::optional<std::chrono::milliseconds> timeout;
    if (timeout_millis_ > 0) timeout = std::chrono::milliseconds(timeout_millis_);
    auto response = caller_.Call<Response>(request, timeout);
    if (response.status().code() != StatusCode::kTimedOut || !timeout.has_value()) return response;
    CancelStatement(statement);
    return sql::MakeSqlError(6000,
                             fmt::format("the statement took longer than {} ms", timeout->count()));
  }

  Result<uint32_t> TakeStatement() {
    if (!free_.empty()) {
      const uint32_t id = free_.back();
      free_.pop_back();
      return id;
    }
    pb::CreateStatementRequest request;
    request.set_connection_id(id_);
    ASSIGN_OR_RETURN(const auto response, caller_.Call<pb::CreateStatementResponse>(request, {}));
    return response.statement_id();
  }
  void ReturnStatement(uint32_t id) { free_.push_back(id); }
  void CloseStatement(uint32_t id) {
    if (!open_) return;
    pb::CloseStatementRequest request;
    request.set_connection_id(id_);
    request.set_statement_id(id);
    const auto closed = caller_.Call<pb::CloseStatementResponse>(
        request, std::chrono::milliseconds(kCancelTimeout));
  }
  // Over a socket of its own, because this connection's waits for the answer.
  void CancelStatement(uint32_t id) {
    if (id == 0) return;
    MutexLock lock(&cancel_mu_);
    Caller caller(options_.url, options_.http);
    pb::CloseStatementRequest request;
    request.set_connection_id(id_);
    request.set_statement_id(id);
    const auto closed =
        caller.Call<pb::CloseStatementResponse>(request, std::chrono::milliseconds(kCancelTimeout));
  }

  Result<pb::FetchResponse> Fetch(uint32_t statement, uint64_t offset) {
    pb::FetchRequest request;
    request.set_connection_id(id_);
    request.set_statement_id(statement);
    request.set_offset(offset);
    request.set_frame_max_size(kFrameRows);
    running_.store(statement);
    auto response = Timed<pb::FetchResponse>(request, statement);
    running_.store(0);
    RETURN_IF_ERROR(response.status());
    if (response->missing_statement() || response->missing_results()) {
      return FailedPrecondition(
          "the server has closed the result, because nobody read it for too long; run the query "
          "again");
    }
    return response;
  }

  // What a statement's answer means.
  Result<ThinResult> Finish(const pb::ExecuteResponse& response, RemoteStatement statement,
                            std::string_view sql);

  void NoteChange() { uncommitted_ = uncommitted_ || !autocommit_; }

  // Makes the statement's id anew before the next attempt.
  void Forget() { ++generation_; }
  uint64_t generation() const { return generation_; }
  const std::string& id() const { return id_; }
  Caller* caller() { return &caller_; }

  // Tries once more after opening the connection again, where the server has forgotten it.
  template <typename Body>
  Status Reopened(const Body& body) {
    const Status status = body();
    if (!IsNoSuchConnection(status) || uncommitted_) return Keep(status);
    RETURN_IF_ERROR(Open());
    Forget();
    return body();
  }

 private:
  Status Sync() {
    pb::ConnectionSyncRequest request;
    request.set_connection_id(id_);
    pb::ConnectionProperties* const properties = request.mutable_conn_props();
    properties->set_has_auto_commit(true);
    properties->set_auto_commit(autocommit_);
    properties->set_has_read_only(true);
    properties->set_read_only(options_.read_only);
    return caller_.Call<pb::ConnectionSyncResponse>(request, {}).status();
  }

  // The same error, with what it means for changes that were not committed.
  Status Keep(const Status& status) {
    if (!IsNoSuchConnection(status) || !uncommitted_) return status;
    uncommitted_ = false;
    return FailedPrecondition(
        "the server has closed the connection, because nobody used it for too long; changes that "
        "were not committed are lost");
  }

  const ThinOptions options_;
  Caller caller_;
  ProgressAsker progress_;
  const std::string id_;
  bool open_ = false;
  bool autocommit_ = true;
  bool uncommitted_ = false;
  int64_t timeout_millis_ = 0;
  uint64_t generation_ = 0;     // of statements that the server still knows
  std::vector<uint32_t> free_;  // statements of the server's that nobody uses
  std::atomic<uint32_t> running_{0};
  Mutex cancel_mu_;
};

class RemoteRows final : public sql::exec::RowStream {
 public:
  RemoteRows(RemoteConnection* connection, RemoteStatement statement,
             const sql::exec::SharedColumns& columns, pb::Frame frame)
      : connection_(connection),
        generation_(connection->generation()),
        statement_(statement),
        frame_(std::move(frame)) {
    for (const ResultColumn& column : *columns) types_.push_back(column.type);
  }
  ~RemoteRows() override {
    if (statement_.prepared || generation_ != connection_->generation()) return;
    if (frame_.done()) {
      connection_->ReturnStatement(statement_.id);
    } else {
      connection_->CloseStatement(statement_.id);  // the server still has rows for it
    }
  }

  Status Next(sql::DataChunk* chunk) override {
    chunk->Initialize(types_);
    const auto row_count = [this] { return static_cast<size_t>(frame_.rows_size()); };
    while (chunk->size == 0) {
      for (; row_ < row_count() && chunk->size < sql::VectorSize(); ++row_) {
        RETURN_IF_ERROR(avatica::ReadRow(frame_.rows(static_cast<int>(row_)), chunk));
      }
      if (chunk->size > 0 || frame_.done()) break;
      offset_ += row_count();
      ASSIGN_OR_RETURN(pb::FetchResponse response, connection_->Fetch(statement_.id, offset_));
      if (response.frame().rows_size() == 0 && !response.frame().done()) {
        return Damaged("a frame without rows that is not the last");
      }
      frame_.Swap(response.mutable_frame());
      row_ = 0;
    }
    returned_ += chunk->size;
    return Status::Ok();
  }

  Metrics metrics() const override {
    Metrics metrics;
    metrics.rows_returned = returned_;
    return metrics;
  }

 private:
  RemoteConnection* const connection_;
  const uint64_t generation_;
  const RemoteStatement statement_;
  std::vector<DataType> types_;
  pb::Frame frame_;
  size_t row_ = 0;       // of the frame
  uint64_t offset_ = 0;  // of the frame's first row
  uint64_t returned_ = 0;
};

class RemotePrepared final : public ThinStatement {
 public:
  RemotePrepared(RemoteConnection* connection, std::string sql)
      : connection_(connection), sql_(std::move(sql)) {}
  ~RemotePrepared() override {
    if (id_ != 0 && generation_ == connection_->generation()) connection_->CloseStatement(id_);
  }

  // On the server, whose connection may have been opened again.
  Status Prepare() {
    pb::PrepareRequest request;
    request.set_connection_id(connection_->id());
    request.set_sql(sql_);
    request.set_max_rows_total(-1);
    ASSIGN_OR_RETURN(const auto response,
                     connection_->caller()->Call<pb::PrepareResponse>(request, {}));
    const pb::Signature& signature = response.statement().signature();
    ASSIGN_OR_RETURN(const auto columns, ColumnsOf(signature));
    columns_ = *columns;
    parameter_types_.clear();
    for (const pb::AvaticaParameter& parameter : signature.parameters()) {
      parameter_types_.push_back(avatica::TypeOf(parameter));
    }
    id_ = response.statement().id();
    generation_ = connection_->generation();
    return Status::Ok();
  }

  const std::vector<DataType>& parameter_types() const override { return parameter_types_; }
  const std::vector<ResultColumn>& columns() const override { return columns_; }

  Result<ThinResult> Execute(std::span<const Value> values) override {
    pb::ExecuteRequest request;
    request.set_first_frame_max_size(kFrameRows);
    request.set_has_parameter_values(true);
    for (const Value& value : values) {
      ASSIGN_OR_RETURN(*request.add_parameter_values(), avatica::FromValue(value));
    }
    if (timeout_millis_.has_value()) connection_->set_timeout_millis(*timeout_millis_);
    ASSIGN_OR_RETURN(const auto response,
                     connection_->OnConnection<pb::ExecuteResponse>(
                         [&]() -> Status {
                           RETURN_IF_ERROR(PrepareAgainIfLost());
                           request.mutable_statement_handle()->set_connection_id(connection_->id());
                           request.mutable_statement_handle()->set_id(id_);
                           return Status::Ok();
                         },
                         request, [&] { return id_; }));
    return connection_->Finish(response, {id_, true}, sql_);
  }
  Status ExecuteBatch(std::span<const std::vector<Value>> rows) override {
    pb::ExecuteBatchRequest request;
    for (const std::vector<Value>& row : rows) {
      pb::UpdateBatch* const update = request.add_updates();
      for (const Value& value : row) {
        ASSIGN_OR_RETURN(*update->add_parameter_values(), avatica::FromValue(value));
      }
    }
    if (timeout_millis_.has_value()) connection_->set_timeout_millis(*timeout_millis_);
    RETURN_IF_ERROR(connection_
                        ->OnConnection<pb::ExecuteBatchResponse>(
                            [&]() -> Status {
                              RETURN_IF_ERROR(PrepareAgainIfLost());
                              request.set_connection_id(connection_->id());
                              request.set_statement_id(id_);
                              return Status::Ok();
                            },
                            request, [&] { return id_; })
                        .status());
    connection_->NoteChange();
    return Status::Ok();
  }
  void Cancel() override { connection_->Cancel(); }
  void set_timeout_millis(int64_t millis) override { timeout_millis_ = millis; }

 private:
  Status PrepareAgainIfLost() {
    const bool lost = id_ == 0 || generation_ != connection_->generation();
    return lost ? Prepare() : Status::Ok();
  }

  RemoteConnection* const connection_;
  const std::string sql_;
  std::optional<int64_t> timeout_millis_;
  uint32_t id_ = 0;
  uint64_t generation_ = 0;
  std::vector<DataType> parameter_types_;
  std::vector<ResultColumn> columns_;
};

Result<ThinResult> RemoteConnection::Finish(const pb::ExecuteResponse& response,
                                            RemoteStatement statement, std::string_view sql) {
  if (response.results_size() == 0) return Damaged("a statement without a result");
  const pb::ResultSetResponse& told = response.results(0);
  ThinResult result;
  if (told.update_count() != avatica::kHasRows) {
    if (!statement.prepared) ReturnStatement(statement.id);
    if (CountsRows(sql)) {
      result.update_count = static_cast<int64_t>(told.update_count());
      NoteChange();
    } else {
      uncommitted_ = false;  // a definition gives up what is pending
    }
    return result;
  }
  ASSIGN_OR_RETURN(result.columns, ColumnsOf(told.signature()));
  // RETURNING: how many rows were changed comes as a second result.
  if (CountsRows(sql)) {
    NoteChange();
    if (response.results_size() > 1) {
      result.update_count = static_cast<int64_t>(response.results(1).update_count());
    }
  }
  result.rows = std::make_unique<RemoteRows>(this, statement, result.columns, told.first_frame());
  return result;
}

Result<std::unique_ptr<ThinStatement>> RemoteConnection::Prepare(std::string_view sql) {
  auto statement = std::make_unique<RemotePrepared>(this, std::string(sql));
  RETURN_IF_ERROR(Reopened([&] { return statement->Prepare(); }));
  return std::unique_ptr<ThinStatement>(std::move(statement));
}

}  // namespace

Result<std::unique_ptr<ThinConnection>> ThinConnection::Open(const ThinOptions& options) {
  auto connection = std::make_unique<RemoteConnection>(options);
  RETURN_IF_ERROR(connection->Open());
  return std::unique_ptr<ThinConnection>(std::move(connection));
}

}  // namespace bennu::thin_client
