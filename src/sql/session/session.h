// Session: one Phoenix connection. Takes statements, keeps changes until they are committed.
//
//   ASSIGN_OR_RETURN(auto session, Session::Open(&store, {}));
//   ASSIGN_OR_RETURN(auto result, session->Execute("UPSERT INTO T VALUES (1, 'a')"));
//
// Reads do not see what is pending, as in Phoenix. A definition (CREATE, ALTER, DROP) gives pending
// changes up. A statement that fails under autocommit leaves nothing pending.
// One thread at a time, but Cancel may be called from any. Source: phoenix-sql.md sections 3 and 7.
#ifndef BENNU_SRC_SQL_SESSION_SESSION_H_
#define BENNU_SRC_SQL_SESSION_SESSION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/cell.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/base/status_macros.h"
#include "src/sql/exec/plan_tree.h"
#include "src/sql/exec/query.h"
#include "src/sql/exec/sequence_source.h"
#include "src/sql/parse/ast.h"
#include "src/sql/session/change.h"
#include "src/sql/session/cursors.h"
#include "src/sql/session/pending_writes.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/session/statements.h"
#include "src/sql/session/tracing.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/value.h"

namespace bennu::sql::session {

// phoenix.query.timeoutMs, as Phoenix has it.
inline constexpr int64_t kQueryTimeoutMillis = 600'000;

struct SessionOptions {
  bool autocommit = true;
  bool read_only = false;          // 518 for everything that writes
  int64_t scn = kLatestTimestamp;  // CurrentSCN: reads see what is older, writes get this time
  std::string tenant;              // TenantId; empty: a global connection
  // Of queries (phoenix.connection.consistency); what changes rows reads from primaries alone.
  Consistency consistency = Consistency::kStrong;
  int64_t query_timeout_millis = kQueryTimeoutMillis;  // 0: none
  // phoenix.max.lookback.age.seconds: 538 for what reads as of an earlier moment; 0: none.
  int64_t max_lookback_millis = 0;
};

// What a statement gave. The session may run further statements while rows are read; a prepared
// statement may not be run again before its rows are gone.
struct StatementResult {
  int64_t update_count = -1;              // of UPSERT and DELETE, else -1
  exec::SharedColumns columns;            // null: none
  std::shared_ptr<const void> statement;  // what the rows come from; goes after them
  std::unique_ptr<exec::RowStream> rows;  // null for statements without rows
  // EXPLAIN ANALYZE: what the run did, which the rows say in words. Null for others.
  std::shared_ptr<const exec::PlanTree> plan;
};

// What Phoenix's properties and ALTER SESSION call it, in letters of any case. Nothing: it is no
// such name.
std::optional<Consistency> ConsistencyOf(std::string_view text);

class Session;

// A statement that was parsed, and as far as it can be planned, once. Belongs to its session's
// thread and must not outlive the session.
class SessionStatement {
 public:
  ~SessionStatement();

  size_t parameter_count() const { return static_cast<size_t>(statement_.bind_count); }
  // What can be known without a run. Types that the parameters should have, kNull where that is not
  // known.
  std::vector<DataType> parameter_types() const;
  // Columns of the rows that a run gives; none for statements without rows. UPSERT and DELETE: what
  // RETURNING gives under autocommit. FETCH: none before the cursor is declared.
  Result<std::vector<exec::ResultColumn>> Columns() const;
  // 203: no run can succeed with this value for the parameter, whatever the others are, because it
  // is assigned to a column of another kind or compared with something of another kind. Other
  // values that are wrong are found by the run.
  Status CheckParameter(size_t index, const Value& value) const;
  // 2004: fewer parameters than parameter_count().
  Result<StatementResult> Execute(std::span<const Value> params = {});
  // Stops the last execution, if it still runs. Any thread.
  void Cancel();
  // The last execution, if it still runs. Any thread.
  std::optional<RunningStatement> Running() const;
  // Of the executions that follow, instead of the session's; 0: none.
  void set_timeout_millis(int64_t millis) { timeout_millis_ = millis; }

 private:
  friend class Session;
  SessionStatement(Session* session, std::string text);

  // Makes query_ or change_ for the catalog as it is now, when there is none or an older one.
  Status Prepare();
  Status PrepareAnew();
  // Makes fitted_query_ or fitted_change_ for values that do not fit parameter_types_.
  Status PrepareFor(std::span<const Value> params);
  // Makes one of both, for all runs or for that with 'params'.
  Status Make(std::span<const Value> params, std::unique_ptr<exec::PreparedQuery>* query,
              std::unique_ptr<Change>* change);

  Session* const session_;
  const std::shared_ptr<const std::string> text_;
  std::optional<int64_t> timeout_millis_;
  std::atomic<int64_t> last_id_{0};  // of the last execution, read by Cancel
  parse::Statement statement_;
  bool reads_ = false;  // what CurrentSCN may be too old for
  uint64_t catalog_version_ = 0;
  std::set<catalog::TableKey> names_;  // that were looked up for it then
  // Of EXPLAIN and DECLARE CURSOR what they are about; gone after a run of them.
  std::unique_ptr<exec::PreparedQuery> query_;
  std::unique_ptr<Change> change_;
  std::vector<DataType> parameter_types_;  // of what is planned; empty for other statements
  std::vector<bool> compared_parameters_;  // of what reads; empty for other statements
  // For the last run alone, when its values wanted that.
  std::unique_ptr<exec::PreparedQuery> fitted_query_;
  std::unique_ptr<Change> fitted_change_;
};

// The sequences that a session's statements can name: those of its tenant, and for their next value
// the global one where the tenant has none of that name. The current value is that of an own one
// alone, as in Phoenix. Not for several threads at once.
class SessionSequences : public exec::SequenceSource {
 public:
  SessionSequences(Sequences* sequences, std::string tenant)
      : sequences_(sequences), tenant_(std::move(tenant)) {}

  Status Validate(const std::string& schema, const std::string& name, int64_t count) override {
    const Status own = sequences_->Validate({tenant_, schema, name}, count);
    if (tenant_.empty() || !IsSqlError(own, 1201)) return own;
    return sequences_->Validate({"", schema, name}, count);
  }
  Result<int64_t> Next(const std::string& schema, const std::string& name, int64_t count) override {
    Result<int64_t> own = sequences_->Next({tenant_, schema, name}, count);
    if (tenant_.empty() || own.ok() || !IsSqlError(own.status(), 1201)) return own;
    return sequences_->Next({"", schema, name}, count);
  }
  Result<int64_t> Current(const std::string& schema, const std::string& name) override {
    return sequences_->Current({tenant_, schema, name});
  }

 private:
  Sequences* const sequences_;
  const std::string tenant_;
};

class Session {
 public:
  // 'store' must outlive this.
  static Result<std::unique_ptr<Session>> Open(SqlStore* store, const SessionOptions& options);

  // Parses and runs one statement.
  Result<StatementResult> Execute(std::string_view sql, std::span<const Value> params = {});
  // Errors of the text, and of names and types for UPSERT, DELETE and SELECT, also in EXPLAIN and
  // DECLARE CURSOR.
  Result<std::unique_ptr<SessionStatement>> Prepare(std::string_view sql);

  bool autocommit() const { return options_.autocommit; }
  Status SetAutocommit(bool on);  // turning it on commits what is pending
  Status Commit();
  Status Rollback();
  bool HasUncommitted() const { return !pending_.empty(); }

  // Stops what runs; it returns Cancelled. Any thread.
  void Cancel() { slots_.Cancel(); }
  // The statement that began last among those that run. Any thread.
  std::optional<RunningStatement> Running() { return slots_.Newest(); }
  // Of statements that begin from now on; 0: none. They fail with 6000 then.
  void set_query_timeout_millis(int64_t millis) { options_.query_timeout_millis = millis; }

  const std::string& default_schema() const { return default_schema_; }
  // As JDBC's setSchema does it: whether there is such a schema is seen when a statement names a
  // table. Empty: none.
  void set_default_schema(const std::string& schema) { default_schema_ = schema; }
  const std::string& tenant() const { return options_.tenant; }
  bool read_only() const { return options_.read_only; }
  void set_read_only(bool read_only) { options_.read_only = read_only; }
  SqlStore* store() const { return store_; }

 private:
  friend class SessionStatement;

  Session(SqlStore* store, const SessionOptions& options);

  Result<StatementResult> Run(SessionStatement* statement, std::span<const Value> params);
  // The same of a statement whose names were looked up for this very run.
  Result<StatementResult> RunPrepared(SessionStatement* statement, std::span<const Value> params);
  Result<StatementResult> Dispatch(SessionStatement* statement, std::span<const Value> params);
  Result<StatementResult> ShowStatements() const;
  Status CancelStatement(const parse::CancelStatement& cancel);
  Result<StatementResult> RunQuery(const exec::PreparedQuery& query, std::span<const Value> params);
  Result<StatementResult> RunChange(Change* change, std::span<const Value> params,
                                    exec::Analysis* analysis = nullptr);
  Result<StatementResult> RunOther(const parse::Statement& statement, const std::string& text);
  // 'query', 'change': what is explained; both null: a statement without a plan.
  Result<StatementResult> RunExplain(const parse::Explain& explain,
                                     const exec::PreparedQuery* query, Change* change,
                                     std::span<const Value> params);
  Result<StatementResult> AnalyzeQuery(const exec::PreparedQuery& query,
                                       std::span<const Value> params);
  Result<StatementResult> AnalyzeChange(Change* change, std::span<const Value> params);
  Result<StatementResult> RunCursor(const parse::Statement& statement, const std::string& text);
  Status RunDefinition(const parse::Statement& statement);
  Status CreateView(const parse::CreateView& create);
  Status Permit(const parse::Permission& permission);
  // TRACE, and what Phoenix does with jars.
  Result<StatementResult> RunUtility(const parse::Utility& utility);
  Status UpdateStatistics(const parse::UpdateStatistics& update);
  Status CreateSequence(const parse::CreateSequence& create);
  Status DropSequence(const parse::Drop& drop);
  Status RunDrop(const parse::Drop& drop, const catalog::DdlContext& context);
  Status UseSchema(const parse::UseSchema& use);
  Status AlterSession(const parse::AlterSession& alter);

  // 'params': of the one run that is prepared for; none: of any.
  exec::PrepareContext MakePrepareContext(std::span<const Value> params = {}) const;
  ChangeContext MakeChangeContext(int32_t bind_count, std::span<const Value> params = {}) const;
  exec::RunOptions MakeRunOptions();
  catalog::DdlContext MakeDdlContext() const;
  Status CheckWritable() const;
  Status CheckScn() const;
  // 538 for a statement that reads further back than the max look-back goes. 'prepared': how its
  // preparation ended; that a table is undefined (1012) comes first, as in Phoenix.
  Status CheckLookback(bool reads, const Status& prepared) const;

  SqlStore* const store_;
  SessionOptions options_;
  std::string default_schema_;
  Tracing tracing_;
  PendingWrites pending_;
  Cursors cursors_;
  SessionSequences sequences_;
  SessionSlots slots_;
  std::shared_ptr<StatementSlot> slot_;  // of what was run last
  int64_t now_millis_ = 0;               // when it began
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_SESSION_H_
