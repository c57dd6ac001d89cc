#include "src/server/console/workbench.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/server/console/plan_json.h"
#include "src/server/net/clock.h"
#include "src/sql/parse/completion.h"
#include "src/sql/session/session.h"
#include "src/sql/types/text.h"

namespace bennu::server::console {

namespace {

using sql::session::Session;
using sql::session::SessionStatement;
using sql::session::StatementResult;

double MillisSince(std::chrono::nanoseconds begin) {
  return static_cast<double>((net::MonotonicNow() - begin).count()) / kNanosPerMilli;
}

Json ColumnsOf(const sql::exec::SharedColumns& columns) {
  Json list = Json::array();
  for (const sql::exec::ResultColumn& column : *columns) {
    list.push_back({{"name", column.label},
                    {"type", sql::TypeToString(column.type)},
                    {"number", sql::IsNumeric(column.type.id)}});
  }
  return list;
}

}  // namespace

// One session. Only the call that holds it works on it, but for Cancel.
class Workbench::WorkSession {
 public:
  WorkSession(std::string id, std::string user, std::unique_ptr<Session> session)
      : id_(std::move(id)),
        user_(std::move(user)),
        used_at_(net::MonotonicNow().count()),
        session_(std::move(session)) {}

  const std::string& id() const { return id_; }
  const std::string& user() const { return user_; }
  bool TryHold() { return !held_.exchange(true, std::memory_order_acquire); }
  void LetGo() {
    Touch();
    held_.store(false, std::memory_order_release);
  }
  bool is_held() const { return held_.load(std::memory_order_acquire); }
  void Touch() { used_at_.store(net::MonotonicNow().count()); }
  std::chrono::nanoseconds used_at() const { return std::chrono::nanoseconds(used_at_.load()); }

  // ---- for who holds it
  // Errors are those of the statement.
  Status Run(const std::string& sql, int64_t rows, Caller caller, Json* answer) {
    Drop();
    Result<std::unique_ptr<SessionStatement>> prepared = session_->Prepare(sql);
    if (!prepared.ok()) return std::move(prepared).status();
    statement_ = std::move(prepared).value();
    SetRunning(statement_, std::move(caller));
    const Status status = Execute(rows, answer);
    SetRunning(nullptr, nullptr);
    if (!status.ok()) Drop();
    return status;
  }

  Status Next(int64_t rows, Caller caller, Json* answer) {
    SetRunning(statement_, std::move(caller));
    const Status status = ReadPage(rows, answer);
    SetRunning(nullptr, nullptr);
    if (!status.ok()) Drop();
    return status;
  }

  Result<sql::parse::TableColumns> TablesAndColumns() {
    sql::parse::CatalogColumns catalog;
    auto result = session_->Execute(sql::parse::kTableColumnsQuery);
    if (!result.ok()) return std::move(catalog).Take();  // nothing was defined yet
    sql::DataChunk chunk;
    while (true) {
      RETURN_IF_ERROR(result->rows->Next(&chunk));
      if (chunk.size == 0) return std::move(catalog).Take();
      for (size_t row = 0; row < chunk.size; ++row) {
        const auto text = [&](size_t column) -> std::string_view {
          const sql::Vector& vector = chunk.columns[column];
          return vector.IsNull(row) ? std::string_view() : vector.At<std::string_view>(row);
        };
        const sql::Vector& link = chunk.columns[4];
        catalog.Add(text(0), text(1), text(2), text(3),
                    link.IsNull(row) ? 0 : link.At<int64_t>(row));
      }
    }
  }

  void End() {
    Drop();
    session_ = nullptr;
  }
  bool ended() const { return session_ == nullptr; }

  // ---- for anybody
  // False: nothing runs.
  bool Cancel() {
    MutexLock lock(&running_mu_);
    if (running_ == nullptr) return false;
    running_->Cancel();
    return true;
  }
  // What runs for a page that was closed. A statement that is about to begin does not see it, so
  // it is said again until the statement has ended.
  void CancelAbandoned() {
    MutexLock lock(&running_mu_);
    if (running_ != nullptr && caller_ != nullptr && caller_->has_left()) running_->Cancel();
  }

 private:
  void SetRunning(std::shared_ptr<SessionStatement> statement, Caller caller) {
    MutexLock lock(&running_mu_);
    running_ = std::move(statement);
    caller_ = std::move(caller);
  }

  // The rows go before what they come from.
  void Drop() {
    result_ = StatementResult();
    chunk_ = sql::DataChunk();
    row_ = 0;
    statement_ = nullptr;
  }

  Status Execute(int64_t rows, Json* answer) {
    ASSIGN_OR_RETURN(result_, statement_->Execute());
    row_ = 0;
    chunk_.size = 0;
    if (result_.update_count >= 0) (*answer)["update_count"] = result_.update_count;
    if (result_.plan != nullptr) (*answer)["plan"] = ToJson(*result_.plan);
    if (result_.rows == nullptr) return Status::Ok();
    (*answer)["columns"] = ColumnsOf(result_.columns);
    return ReadPage(rows, answer);
  }

  Status ReadPage(int64_t rows, Json* answer) {
    sql::TextStyle style;
    style.iso_dates = false;
    style.escape_text = false;
    style.quote_binary = false;
    Json page = Json::array();
    size_t bytes = 0;
    while (result_.rows != nullptr && page.size() < static_cast<size_t>(rows) &&
           bytes < kPageBytesMax) {
      if (row_ >= chunk_.size) {
        RETURN_IF_ERROR(result_.rows->Next(&chunk_));
        row_ = 0;
        // What the rows hold is given back before anybody asks again.
        if (chunk_.size == 0) result_.rows = nullptr;
        continue;
      }
      Json row = Json::array();
      for (const sql::Vector& column : chunk_.columns) {
        if (column.IsNull(row_)) {
          row.push_back(nullptr);
          continue;
        }
        std::string text;
        sql::AppendText(column, row_, style, &text);
        bytes += text.size();
        row.push_back(std::move(text));
      }
      page.push_back(std::move(row));
      ++row_;
    }
    (*answer)["rows"] = std::move(page);
    (*answer)["done"] = result_.rows == nullptr;
    return Status::Ok();
  }

  const std::string id_;
  const std::string user_;
  std::atomic<bool> held_{false};
  std::atomic<int64_t> used_at_;

  // Of who holds it.
  std::unique_ptr<Session> session_;  // null once it has ended
  std::shared_ptr<SessionStatement> statement_;
  StatementResult result_;
  sql::DataChunk chunk_;
  size_t row_ = 0;

  Mutex running_mu_;
  std::shared_ptr<SessionStatement> running_ GUARDED_BY(running_mu_);
  Caller caller_ GUARDED_BY(running_mu_);  // whom it runs for
};

class Workbench::Hold {
 public:
  Hold(std::shared_ptr<WorkSession> session, std::atomic<size_t>* running)
      : session_(std::move(session)), running_(running) {}
  ~Hold() {
    if (session_ == nullptr) return;
    session_->LetGo();
    running_->fetch_sub(1);
  }
  Hold(Hold&& other) noexcept
      : session_(std::exchange(other.session_, nullptr)), running_(other.running_) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  Hold& operator=(Hold&&) = delete;

  WorkSession* operator->() const { return session_.get(); }

 private:
  std::shared_ptr<WorkSession> session_;
  std::atomic<size_t>* running_;
};

Workbench::Workbench(front::SqlHost* sql, const WorkbenchBounds& bounds)
    : sql_(sql), bounds_(bounds) {}

Workbench::~Workbench() { Stop(); }

Result<std::unique_ptr<Session>> Workbench::OpenSession() {
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, sql_->Sql());
  return Session::Open(sql, sql_->session_options());
}

Result<std::shared_ptr<Workbench::WorkSession>> Workbench::Open(const std::string& user) {
  MutexLock lock(&mu_);
  if (stopped_) return FailedPrecondition("the server is stopping");
  if (sessions_.size() >= bounds_.sessions_max) {
    return ResourceExhausted(
        fmt::format("{} pages have a session already, as many as there may be; those that nobody "
                    "uses are closed after {} s",
                    sessions_.size(), bounds_.idle_max.count()));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, OpenSession());
  Env* const env = Env::Default();
  std::string id = fmt::format("{:016x}{:016x}", env->RandomU64(), env->RandomU64());
  auto opened = std::make_shared<WorkSession>(id, user, std::move(session));
  sessions_[std::move(id)] = opened;
  return opened;
}

Result<std::shared_ptr<Workbench::WorkSession>> Workbench::Find(const std::string& user,
                                                                const Json& body) {
  ASSIGN_OR_RETURN(const std::string id, TextOf(body, "session"));
  MutexLock lock(&mu_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second->user() != user) {
    return NotFound("there is no such session: it was closed, or nobody used it for a while");
  }
  found->second->Touch();
  return found->second;
}

Result<Workbench::Hold> Workbench::Take(std::shared_ptr<WorkSession> session) {
  if (running_.fetch_add(1) >= bounds_.running_max) {
    running_.fetch_sub(1);
    return ResourceExhausted(fmt::format(
        "{} statements of pages run already, as many as may run at a time", bounds_.running_max));
  }
  if (!session->TryHold()) {
    running_.fetch_sub(1);
    return FailedPrecondition("the session runs a statement; cancel it, or wait for its end");
  }
  Hold hold(std::move(session), &running_);
  if (hold->ended()) return NotFound("the session was closed");
  return hold;
}

Result<Json> Workbench::Run(const std::string& user, const Json& body, Caller caller) {
  ASSIGN_OR_RETURN(const std::string sql, TextOf(body, "sql"));
  ASSIGN_OR_RETURN(const std::string id, OptionalTextOf(body, "session"));
  ASSIGN_OR_RETURN(const int64_t rows, NumberOf(body, "rows", kPageRows, 1, kPageRowsMax));
  if (sql.size() > kStatementBytesMax) {
    return InvalidArgument(
        fmt::format("the statement has {} bytes, and may have {}", sql.size(), kStatementBytesMax));
  }
  ASSIGN_OR_RETURN(const auto session, id.empty() ? Open(user) : Find(user, body));
  ASSIGN_OR_RETURN(const Hold hold, Take(session));
  Json answer = {{"session", hold->id()}};
  const auto begin = net::MonotonicNow();
  const Status status = hold->Run(sql, rows, std::move(caller), &answer);
  if (!status.ok())
    answer = Json{{"session", hold->id()}, {"error", ErrorJson(status, sql)["error"]}};
  answer["elapsed_ms"] = MillisSince(begin);
  return answer;
}

Result<Json> Workbench::Next(const std::string& user, const Json& body, Caller caller) {
  ASSIGN_OR_RETURN(const int64_t rows, NumberOf(body, "rows", kPageRows, 1, kPageRowsMax));
  ASSIGN_OR_RETURN(const auto session, Find(user, body));
  ASSIGN_OR_RETURN(const Hold hold, Take(session));
  Json answer = Json::object();
  const auto begin = net::MonotonicNow();
  const Status status = hold->Next(rows, std::move(caller), &answer);
  if (!status.ok()) answer = ErrorJson(status);
  answer["elapsed_ms"] = MillisSince(begin);
  return answer;
}

Result<Json> Workbench::Cancel(const std::string& user, const Json& body) {
  ASSIGN_OR_RETURN(const auto session, Find(user, body));
  return Json{{"cancelled", session->Cancel()}};
}

Result<Json> Workbench::Close(const std::string& user, const Json& body) {
  ASSIGN_OR_RETURN(const auto session, Find(user, body));
  {
    MutexLock lock(&mu_);
    sessions_.erase(session->id());
  }
  // A statement that runs ends soon; its session goes with the last who holds it.
  session->Cancel();
  return Json::object();
}

Result<Json> Workbench::Complete(const Json& body) {
  ASSIGN_OR_RETURN(const std::string before, OptionalTextOf(body, "before"));
  ASSIGN_OR_RETURN(const std::string word, OptionalTextOf(body, "word"));
  ASSIGN_OR_RETURN(const std::string after, OptionalTextOf(body, "after"));
  if (before.size() + after.size() > kStatementBytesMax) {
    return InvalidArgument("'before' and 'after' are too long");
  }
  // A session of its own, since the page's may be running something.
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, OpenSession());
  WorkSession own("", "", std::move(session));
  ASSIGN_OR_RETURN(const sql::parse::TableColumns tables, own.TablesAndColumns());
  return Json{{"words", sql::parse::CompleteStatement(tables, before, word, after)}};
}

void Workbench::CloseIdle() {
  const auto now = net::MonotonicNow();
  std::vector<std::shared_ptr<WorkSession>> idle;
  MutexLock lock(&mu_);
  for (auto entry = sessions_.begin(); entry != sessions_.end();) {
    const bool is_idle =
        now - entry->second->used_at() >= bounds_.idle_max && !entry->second->is_held();
    entry->second->CancelAbandoned();
    if (is_idle) idle.push_back(std::move(entry->second));
    entry = is_idle ? sessions_.erase(entry) : std::next(entry);
  }
}

void Workbench::Stop() {
  constexpr uint64_t kLookMicros = 1000;
  std::map<std::string, std::shared_ptr<WorkSession>, std::less<>> all;
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    all.swap(sessions_);
  }
  for (const auto& [id, session] : all) {
    // Whoever works on it gives it back when its statement has ended.
    while (!session->TryHold()) {
      session->Cancel();
      Env::Default()->SleepMicros(kLookMicros);
    }
    session->End();
    session->LetGo();
  }
}

size_t Workbench::size() const {
  MutexLock lock(&mu_);
  return sessions_.size();
}

}  // namespace bennu::server::console
