#include "src/sql/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/phoenix_upgrade.h"
#include "src/sql/catalog/statistics.h"
#include "src/sql/catalog/view.h"
#include "src/sql/exec/analysis.h"
#include "src/sql/exec/static_rows.h"
#include "src/sql/parse/parser.h"
#include "src/sql/session/constant.h"
#include "src/sql/session/index_statements.h"
#include "src/sql/session/show.h"
#include "src/sql/session/statement_columns.h"
#include "src/sql/session/tracked_rows.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {
namespace {

// phoenix.mutate.maxSize and maxSizeBytes: what may be pending without autocommit.
constexpr size_t kPendingRowsMax = 500'000;
constexpr size_t kPendingBytesMax = 104'857'600;

Status NotThere(std::string_view feature, int64_t position = -1) {
  return MakeUncodedSqlError(fmt::format("{} not supported yet", feature), position);
}

Value Estimate(int64_t value) {
  return value < 0 ? Value::Null({TypeId::kBigint}) : Value::Bigint(value);
}

StatementResult ResultOf(std::vector<exec::ResultColumn> columns,
                         std::vector<std::vector<Value>> rows) {
  StatementResult result;
  std::vector<DataType> types;
  for (const exec::ResultColumn& column : columns) types.push_back(column.type);
  result.columns = std::make_shared<const std::vector<exec::ResultColumn>>(std::move(columns));
  result.rows = std::make_unique<exec::StaticRows>(std::move(types), std::move(rows));
  return result;
}

StatementResult ExplainResult(const std::vector<exec::PlanLine>& lines) {
  std::vector<std::vector<Value>> rows;
  for (const exec::PlanLine& line : lines) {
    rows.push_back({Value::Varchar(line.text), Estimate(line.bytes), Estimate(line.rows),
                    Estimate(line.info_millis)});
  }
  return ResultOf(ExplainColumns(), std::move(rows));
}

bool IsTracing(const parse::Statement& statement) {
  const auto* utility = std::get_if<parse::Utility>(&statement.node);
  return utility != nullptr && (utility->kind == parse::UtilityKind::kTraceOn ||
                                utility->kind == parse::UtilityKind::kTraceOff);
}

// What EXPLAIN says of a statement without a plan; empty for those that Phoenix refuses there.
std::string_view DefinitionName(const parse::Statement& statement) {
  if (std::holds_alternative<parse::UpdateStatistics>(statement.node)) return "UPDATE STATISTICS";
  if (std::holds_alternative<parse::Explain>(statement.node)) return "EXPLAIN PLAN";
  if (std::holds_alternative<parse::CreateSchema>(statement.node)) return "CREATE SCHEMA";
  if (std::holds_alternative<parse::UseSchema>(statement.node)) return "USE SCHEMA";
  if (std::holds_alternative<parse::AlterSession>(statement.node)) return "ALTER SESSION";
  if (std::holds_alternative<parse::DeclareCursor>(statement.node)) return "DECLARE CURSOR";
  if (std::holds_alternative<parse::OpenCursor>(statement.node)) return "OPEN CURSOR";
  if (std::holds_alternative<parse::CloseCursor>(statement.node)) return "CLOSE CURSOR";
  if (const auto* alter = std::get_if<parse::AlterTable>(&statement.node)) {
    return alter->action == parse::AlterTableAction::kDropColumns ? "ALTER TABLE DROP COLUMN"
                                                                  : "ALTER TABLE ADD COLUMN";
  }
  if (std::holds_alternative<parse::CreateTable>(statement.node)) return "CREATE TABLE";
  if (std::holds_alternative<parse::CreateView>(statement.node)) return "CREATE TABLE";
  if (std::holds_alternative<parse::CreateIndex>(statement.node)) return "CREATE INDEX";
  if (std::holds_alternative<parse::CreateSequence>(statement.node)) return "CREATE SEQUENCE";
  if (std::holds_alternative<parse::AlterIndex>(statement.node)) return "ALTER INDEX";
  if (const auto* drop = std::get_if<parse::Drop>(&statement.node)) {
    switch (drop->kind) {
      case parse::ObjectKind::kTable:
      case parse::ObjectKind::kView: return "DROP TABLE";
      case parse::ObjectKind::kIndex: return "DROP INDEX";
      case parse::ObjectKind::kSequence: return "DROP SEQUENCE";
      case parse::ObjectKind::kSchema: return "DROP SCHEMA";
      default: return "";
    }
  }
  // Taking a right away is named like giving it, as by Phoenix.
  if (std::holds_alternative<parse::Permission>(statement.node)) return "GRANT PERMISSION";
  if (const auto* utility = std::get_if<parse::Utility>(&statement.node)) {
    if (utility->kind == parse::UtilityKind::kExecuteUpgrade) return "EXECUTE UPGRADE";
  }
  return "";
}

bool IsDefinition(const parse::Statement& statement) {
  return std::holds_alternative<parse::CreateTable>(statement.node) ||
         std::holds_alternative<parse::CreateView>(statement.node) ||
         std::holds_alternative<parse::AlterTable>(statement.node) ||
         std::holds_alternative<parse::CreateIndex>(statement.node) ||
         std::holds_alternative<parse::AlterIndex>(statement.node) ||
         std::holds_alternative<parse::Drop>(statement.node);
}

// A name as it was written, for messages.
std::string_view NameIn(std::string_view text, const parse::Name& name) {
  if (name.quoted || name.position < 0) return name.text;
  return text.substr(static_cast<size_t>(name.position), name.text.size());
}

// Of a cursor that was declared.
bool IsCursorStatement(const parse::Statement& statement) {
  return std::holds_alternative<parse::OpenCursor>(statement.node) ||
         std::holds_alternative<parse::FetchCursor>(statement.node) ||
         std::holds_alternative<parse::CloseCursor>(statement.node);
}

bool IsChange(const parse::Statement& statement) {
  return std::holds_alternative<parse::Upsert>(statement.node) ||
         std::holds_alternative<parse::Delete>(statement.node);
}

// The query that is planned for a statement: itself, or that of a cursor or of an EXPLAIN. Null:
// there is none.
const parse::Select* QueryOf(const parse::Statement& statement) {
  if (const auto* declare = std::get_if<parse::DeclareCursor>(&statement.node)) {
    return declare->select.get();
  }
  const auto* explain = std::get_if<parse::Explain>(&statement.node);
  return std::get_if<parse::Select>(explain == nullptr ? &statement.node
                                                       : &explain->statement->node);
}

// The UPSERT or DELETE that is made ready for a statement: itself, or that of an EXPLAIN.
const parse::Statement* ChangeOf(const parse::Statement& statement) {
  const auto* explain = std::get_if<parse::Explain>(&statement.node);
  const parse::Statement& itself = explain == nullptr ? statement : *explain->statement;
  return IsChange(itself) ? &itself : nullptr;
}

// Phoenix plans a query for it; an UPSERT of values needs none.
bool Reads(const parse::Statement& statement) {
  if (QueryOf(statement) != nullptr) return true;
  const parse::Statement* const change = ChangeOf(statement);
  if (change == nullptr) return false;
  const auto* upsert = std::get_if<parse::Upsert>(&change->node);
  return upsert == nullptr || upsert->rows.empty();
}

// 'statement': one for which IsChange, which must outlive the change.
Result<std::unique_ptr<Change>> MakeChange(const parse::Statement& statement,
                                           const ChangeContext& context) {
  if (const auto* upsert = std::get_if<parse::Upsert>(&statement.node)) {
    return MakeUpsert(*upsert, context);
  }
  return MakeDelete(std::get<parse::Delete>(statement.node), context);
}

template <typename... Lambdas>
struct Overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <typename... Lambdas>
Overloaded(Lambdas...) -> Overloaded<Lambdas...>;

}  // namespace

// ---------------------------------------------------------------- statements

SessionStatement::SessionStatement(Session* session, std::string text)
    : session_(session), text_(std::make_shared<const std::string>(std::move(text))) {}

SessionStatement::~SessionStatement() = default;

Status SessionStatement::Prepare() {
  if (QueryOf(statement_) == nullptr && ChangeOf(statement_) == nullptr) return Status::Ok();
  const bool is_new = query_ == nullptr && change_ == nullptr;
  if (!is_new) RETURN_IF_ERROR(session_->store_->catalog()->LookAgain(names_));
  Status prepared;
  if (is_new || session_->store_->catalog()->version() != catalog_version_) {
    prepared = PrepareAnew();
  }
  RETURN_IF_ERROR(session_->CheckLookback(reads_, prepared));
  return prepared;
}

Status SessionStatement::PrepareAnew() {
  const uint64_t version = session_->store_->catalog()->version();
  {
    catalog::NameRecorder recorder;
    const Status made = Make({}, &query_, &change_);
    names_ = recorder.Take();
    RETURN_IF_ERROR(made);
  }
  catalog_version_ = version;
  parameter_types_ = query_ != nullptr ? query_->parameter_types() : change_->parameter_types();
  parameter_types_.resize(parameter_count());
  if (reads_) {
    compared_parameters_ =
        query_ != nullptr ? query_->compared_parameters() : change_->compared_parameters();
  }
  return Status::Ok();
}

Status SessionStatement::PrepareFor(std::span<const Value> params) {
  return Make(params, &fitted_query_, &fitted_change_);
}

Status SessionStatement::Make(std::span<const Value> params,
                              std::unique_ptr<exec::PreparedQuery>* query,
                              std::unique_ptr<Change>* change) {
  if (const parse::Select* const select = QueryOf(statement_)) {
    ASSIGN_OR_RETURN(
        *query, session_->store_->prepare_query()(*select, session_->MakePrepareContext(params)));
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(*change, MakeChange(*ChangeOf(statement_),
                                       session_->MakeChangeContext(statement_.bind_count, params)));
  return Status::Ok();
}

std::vector<DataType> SessionStatement::parameter_types() const {
  std::vector<DataType> types = parameter_types_;
  types.resize(parameter_count());
  return types;
}

Result<std::vector<exec::ResultColumn>> SessionStatement::Columns() const {
  if (std::holds_alternative<parse::Explain>(statement_.node)) return ExplainColumns();
  if (std::holds_alternative<parse::Select>(statement_.node)) return query_->columns();
  if (change_ != nullptr) return change_->ReturnedColumns();
  if (const auto* show = std::get_if<parse::Show>(&statement_.node)) return ShowColumns(show->kind);
  if (IsTracing(statement_)) return TraceColumns();
  if (std::holds_alternative<parse::CheckIndex>(statement_.node)) return CheckIndexColumns();
  if (const auto* fetch = std::get_if<parse::FetchCursor>(&statement_.node)) {
    return session_->cursors_.ColumnsOf(fetch->name.text);
  }
  return std::vector<exec::ResultColumn>();
}

Status SessionStatement::CheckParameter(size_t index, const Value& value) const {
  if (query_ == nullptr && change_ == nullptr) return Status::Ok();
  // The column may be of another type by now, which the run finds out.
  if (session_->store_->catalog()->version() != catalog_version_) return Status::Ok();
  return query_ != nullptr ? query_->CheckParameter(index, value)
                           : change_->CheckParameter(index, value);
}

Result<StatementResult> SessionStatement::Execute(std::span<const Value> params) {
  return session_->Run(this, params);
}

void SessionStatement::Cancel() { session_->slots_.Cancel(last_id_); }

std::optional<RunningStatement> SessionStatement::Running() const {
  return session_->slots_.Find(last_id_);
}

// ---------------------------------------------------------------- the session

Session::Session(SqlStore* store, const SessionOptions& options)
    : store_(store),
      options_(options),
      pending_(store->write_clock(), store->cluster_indexes()),
      sequences_(store->sequences(), options.tenant),
      slots_(store->statements(), options.tenant),
      slot_(slots_.Free()) {}

Result<std::unique_ptr<Session>> Session::Open(SqlStore* store, const SessionOptions& options) {
  return std::unique_ptr<Session>(new Session(store, options));
}

Result<std::unique_ptr<SessionStatement>> Session::Prepare(std::string_view sql) {
  RETURN_IF_ERROR(CheckScn());
  store_->catalog()->BeginStatement();
  std::unique_ptr<SessionStatement> statement(new SessionStatement(this, std::string(sql)));
  ASSIGN_OR_RETURN(statement->statement_, parse::ParseStatement(sql));
  statement->reads_ = Reads(statement->statement_);
  RETURN_IF_ERROR(statement->Prepare());
  return statement;
}

Result<StatementResult> Session::Execute(std::string_view sql, std::span<const Value> params) {
  auto statement = Prepare(sql);
  if (!statement.ok()) {
    if (options_.autocommit) pending_.Rollback();
    return std::move(statement).status();
  }
  ASSIGN_OR_RETURN(StatementResult result, RunPrepared(statement->get(), params));
  if (result.rows != nullptr) {
    result.statement = std::shared_ptr<const SessionStatement>(std::move(statement).value());
  }
  return result;
}

Result<StatementResult> Session::Run(SessionStatement* statement, std::span<const Value> params) {
  // Changes of one commit go by the definitions that the first of them found.
  if (pending_.empty()) store_->catalog()->BeginStatement();
  return RunPrepared(statement, params);
}

Result<StatementResult> Session::RunPrepared(SessionStatement* statement,
                                             std::span<const Value> params) {
  now_millis_ = store_->connection()->NowMillis();
  const int64_t timeout = statement->timeout_millis_.value_or(options_.query_timeout_millis);
  int64_t id = slot_->Begin(statement->text_, now_millis_, timeout);
  if (id == 0) {  // the rows of an earlier one are still read
    slot_ = slots_.Free();
    id = slot_->Begin(statement->text_, now_millis_, timeout);
  }
  statement->last_id_ = id;
  auto result = Dispatch(statement, params);
  if (result.ok() && result->rows != nullptr) {
    result->rows = std::make_unique<TrackedRows>(std::move(result->rows), slot_, id);
  } else {
    slot_->End(id);
  }
  return result;
}

Result<StatementResult> Session::Dispatch(SessionStatement* statement,
                                          std::span<const Value> params) {
  if (params.size() < statement->parameter_count()) {
    return MakeSqlError(2004, fmt::format("Parameter {} is unbound", params.size() + 1));
  }
  RETURN_IF_ERROR(statement->Prepare());
  const bool fit = !statement->reads_ || bind::AllFit(params, statement->parameter_types_,
                                                      statement->compared_parameters_);
  if (!fit) RETURN_IF_ERROR(statement->PrepareFor(params));
  auto& query = fit ? statement->query_ : statement->fitted_query_;
  auto& change = fit ? statement->change_ : statement->fitted_change_;
  const parse::Statement& tree = statement->statement_;
  if (const auto* explain = std::get_if<parse::Explain>(&tree.node)) {
    auto result = RunExplain(*explain, query.get(), change.get(), params);
    // The next run says what would be done then.
    statement->query_ = nullptr;
    statement->change_ = nullptr;
    return result;
  }
  if (const auto* declare = std::get_if<parse::DeclareCursor>(&tree.node)) {
    RETURN_IF_ERROR(cursors_.Declare(declare->name.text, NameIn(*statement->text_, declare->name),
                                     std::move(query), {params.begin(), params.end()}));
    return StatementResult{};
  }
  if (query != nullptr) return RunQuery(*query, params);
  if (change != nullptr) return RunChange(change.get(), params);
  return RunOther(tree, *statement->text_);
}

Result<StatementResult> Session::RunQuery(const exec::PreparedQuery& query,
                                          std::span<const Value> params) {
  StatementResult result;
  ASSIGN_OR_RETURN(result.rows, query.Open(params, MakeRunOptions()));
  result.columns = query.shared_columns();
  return result;
}

Result<StatementResult> Session::RunChange(Change* change, std::span<const Value> params,
                                           exec::Analysis* analysis) {
  RETURN_IF_ERROR(CheckWritable());
  ChangeRun run;
  run.params = params;
  run.writes = &pending_;
  run.autocommit = options_.autocommit;
  run.query = MakeRunOptions();
  // What is written must not follow from what is not so any more.
  run.query.consistency = Consistency::kStrong;
  run.query.analysis = analysis;
  std::optional<ReturnedRow> returned;
  run.returned = &returned;
  run.now_ms = run.query.now_millis;
  const auto count = change->Run(run);
  Status status = count.status();
  if (status.ok() && options_.autocommit) status = pending_.Commit();
  if (!status.ok()) {
    if (options_.autocommit) pending_.Rollback();
    return status;
  }
  if (!options_.autocommit) {
    const bool too_many = pending_.row_count() > kPendingRowsMax;
    if (too_many || pending_.size_bytes() > kPendingBytesMax) {
      pending_.Rollback();
      return MakeSqlError(too_many ? 729 : 730, "", -1, "commit more often");
    }
  }
  StatementResult result;
  if (returned.has_value()) {
    std::vector<std::vector<Value>> rows;
    rows.push_back(std::move(returned->row));
    result = ResultOf(std::move(returned->columns), std::move(rows));
  }
  result.update_count = *count;
  return result;
}

// ---------------------------------------------------------------- other statements

Result<StatementResult> Session::RunOther(const parse::Statement& statement,
                                          const std::string& text) {
  if (const auto* show = std::get_if<parse::Show>(&statement.node)) {
    if (show->kind == parse::ShowKind::kStatements) return ShowStatements();
    return Show(*show, default_schema_, options_.tenant, store_->catalog());
  }
  if (const auto* use = std::get_if<parse::UseSchema>(&statement.node)) {
    RETURN_IF_ERROR(UseSchema(*use));
    return StatementResult{};
  }
  if (const auto* cancel = std::get_if<parse::CancelStatement>(&statement.node)) {
    RETURN_IF_ERROR(CancelStatement(*cancel));
    return StatementResult{};
  }
  if (const auto* check = std::get_if<parse::CheckIndex>(&statement.node)) {
    if (check->repair) RETURN_IF_ERROR(CheckWritable());
    const catalog::DdlContext context = MakeDdlContext();
    ASSIGN_OR_RETURN(auto rows, IndexStatements(store_, context, slot_->control()).Check(*check));
    return ResultOf(CheckIndexColumns(), std::move(rows));
  }
  if (const auto* alter = std::get_if<parse::AlterSession>(&statement.node)) {
    RETURN_IF_ERROR(AlterSession(*alter));
    return StatementResult{};
  }
  if (const auto* utility = std::get_if<parse::Utility>(&statement.node)) {
    return RunUtility(*utility);
  }
  if (IsCursorStatement(statement)) return RunCursor(statement, text);
  // What is wrong with a CREATE TABLE is said even where it could not run.
  if (!std::holds_alternative<parse::CreateTable>(statement.node)) {
    RETURN_IF_ERROR(CheckWritable());
  }
  if (IsDefinition(statement)) pending_.Rollback();
  RETURN_IF_ERROR(RunDefinition(statement));
  return StatementResult{};
}

Result<StatementResult> Session::RunCursor(const parse::Statement& statement,
                                           const std::string& text) {
  const auto shown = [&text](const parse::Name& name) { return NameIn(text, name); };
  if (const auto* open = std::get_if<parse::OpenCursor>(&statement.node)) {
    // What is written from now on is not for the cursor.
    exec::RunOptions options = MakeRunOptions();
    options.snapshot = store_->connection()->TakeSnapshot();
    const bool holds_rows = !store_->connection()->capabilities().snapshots;
    RETURN_IF_ERROR(cursors_.Open(open->name.text, shown(open->name), options, holds_rows));
  } else if (const auto* close = std::get_if<parse::CloseCursor>(&statement.node)) {
    cursors_.Close(close->name.text);
  } else {
    const auto& fetch = std::get<parse::FetchCursor>(statement.node);
    ASSIGN_OR_RETURN(Cursors::Rows rows,
                     cursors_.Fetch(fetch.name.text, shown(fetch.name), fetch.count));
    return ResultOf(std::move(rows.columns), std::move(rows.rows));
  }
  return StatementResult{};
}

Result<StatementResult> Session::ShowStatements() const {
  const int64_t now = store_->connection()->NowMillis();
  const auto number = [](auto count) { return Value::Bigint(static_cast<int64_t>(count)); };
  std::vector<std::vector<Value>> rows;
  for (const RunningStatement& running : store_->statements()->List(options_.tenant)) {
    const exec::RunControl::Progress& progress = running.progress;
    rows.push_back(
        {Value::Bigint(running.id),
         running.tenant.empty() ? Value::Null({TypeId::kVarchar}) : Value::Varchar(running.tenant),
         Value::Int({TypeId::kDate}, running.start_millis),
         Value::Bigint(now - running.start_millis), number(progress.rows_read),
         number(progress.rows_returned), number(progress.morsels_done), number(progress.morsels),
         number(progress.memory_bytes), Value::Varchar(running.text)});
  }
  return ResultOf(ShowColumns(parse::ShowKind::kStatements), std::move(rows));
}

Status Session::CancelStatement(const parse::CancelStatement& cancel) {
  if (store_->statements()->Cancel(cancel.id, options_.tenant)) return Status::Ok();
  return MakeUncodedSqlError(fmt::format("There is no running statement {}.", cancel.id),
                             cancel.position, "SHOW STATEMENTS lists them");
}

Status Session::RunDefinition(const parse::Statement& statement) {
  catalog::Catalog* const catalog = store_->catalog();
  const catalog::DdlContext context = MakeDdlContext();
  IndexStatements indexes(store_, context, slot_->control());
  // Features to come still say first when their table is not there.
  const auto refuse_for_table = [&](const parse::QualifiedName& table,
                                    std::string_view feature) -> Status {
    const std::string& schema = table.qualifier.empty() ? default_schema_ : table.qualifier.text;
    RETURN_IF_ERROR(
        catalog->GetTable(schema, table.name.text, table.position(), options_.scn, options_.tenant)
            .status());
    return NotThere(feature, table.position());
  };
  return std::visit(
      Overloaded{
          [&](const parse::CreateTable& create) { return catalog->CreateTable(create, context); },
          [&](const parse::AlterTable& alter) { return indexes.AlterTable(alter); },
          [&](const parse::Drop& drop) { return RunDrop(drop, context); },
          [&](const parse::CreateSchema& create) { return catalog->CreateSchema(create, context); },
          [&](const parse::UpdateStatistics& update) { return UpdateStatistics(update); },
          [&](const parse::CreateIndex& create) { return indexes.Create(create).status(); },
          [&](const parse::CreateCdc& create) {
            return refuse_for_table(create.table, "change data capture is");
          },
          [&](const parse::AlterIndex& alter) { return indexes.Alter(alter).status(); },
          [&](const parse::CreateView& create) { return CreateView(create); },
          [&](const parse::CreateSequence& create) { return CreateSequence(create); },
          [](const parse::CreateFunction&) {
            return MakeSqlError(
                6003, "User defined functions are Java classes, which Bennu does not run.");
          },
          [&](const parse::Permission& permission) { return Permit(permission); },
          [](const auto&) { return Internal("a statement of another kind came here"); }},
      statement.node);
}

Result<StatementResult> Session::RunUtility(const parse::Utility& utility) {
  switch (utility.kind) {
    case parse::UtilityKind::kTraceOn:
    case parse::UtilityKind::kTraceOff: {
      ASSIGN_OR_RETURN(const std::optional<int64_t> id, tracing_.Run(utility));
      std::vector<std::vector<Value>> rows;
      if (id.has_value()) rows.push_back({Value::Bigint(*id)});
      return ResultOf(TraceColumns(), std::move(rows));
    }
    case parse::UtilityKind::kAddJars:
    case parse::UtilityKind::kDeleteJar:
      for (const std::string& jar : utility.arguments) {
        if (!jar.ends_with(".jar"))
          return MakeUncodedSqlError(jar + " is not a valid jar file path.");
      }
      // None is ever there, and none that is not there is an error.
      if (utility.kind == parse::UtilityKind::kDeleteJar) {
        StatementResult none;
        none.update_count = 0;
        return none;
      }
      return NotThere("jars are");
    case parse::UtilityKind::kListJars: return NotThere("jars are");
    case parse::UtilityKind::kExecuteUpgrade: {
      // A catalog made by another version is used as it is.
      if (!store_->connection()->capabilities().remote) break;
      ASSIGN_OR_RETURN(const size_t tables,
                       catalog::AddPhoenixClasses(store_->connection(), store_->catalog()));
      if (tables == 0) break;
      StatementResult upgraded;
      upgraded.update_count = static_cast<int64_t>(tables);
      return upgraded;
    }
  }
  return MakeSqlError(2012, "");
}

// As from a server without security, whose answer Phoenix passes on: first what is not there.
Status Session::Permit(const parse::Permission& permission) {
  catalog::Catalog* const catalog = store_->catalog();
  if (!permission.schema.empty()) {
    const bool mapped = catalog->features().map_namespaces;
    if (!mapped) {
      return MakeSqlError(722, "schemaName=" + permission.schema.text, permission.schema.position);
    }
    RETURN_IF_ERROR(catalog->CheckSchema(permission.schema.text, permission.schema.position));
  } else if (!permission.table.name.empty()) {
    const std::string& schema =
        permission.table.qualifier.empty() ? default_schema_ : permission.table.qualifier.text;
    RETURN_IF_ERROR(catalog
                        ->GetTable(schema, permission.table.name.text, permission.table.position(),
                                   options_.scn, options_.tenant)
                        .status());
  }
  return MakeSqlError(
      101, "There is no access control: everybody who can open the store may do everything.", -1,
      "the permissions of the directory's files say who can");
}

Status Session::UpdateStatistics(const parse::UpdateStatistics& update) {
  const std::string& schema =
      update.table.qualifier.empty() ? default_schema_ : update.table.qualifier.text;
  ASSIGN_OR_RETURN(const auto table, store_->catalog()->GetTable(schema, update.table.name.text,
                                                                 update.table.position(),
                                                                 options_.scn, options_.tenant));
  RETURN_IF_ERROR(CheckWritable());
  catalog::GuidePostWidth width;
  for (const parse::Property& property : update.properties) {
    const bool is_width = property.name == "phoenix.stats.guidepost.width";
    if (!is_width && property.name != "phoenix.stats.guidepost.per.region") continue;
    ASSIGN_OR_RETURN(const Value value, MakeDdlContext().evaluate(*property.value));
    ASSIGN_OR_RETURN(const Value number, Coerce(value, {TypeId::kBigint}));
    if (number.is_null()) continue;
    (is_width ? width.bytes : width.per_region) = number.int64();
  }
  const catalog::StatisticsOptions& options = store_->catalog()->features().statistics;
  Connection* const connection = store_->catalog()->connection();
  if (update.scope != parse::StatisticsScope::kIndex) {
    RETURN_IF_ERROR(catalog::UpdateStatistics(connection, *table, width, options));
  }
  if (update.scope == parse::StatisticsScope::kColumns) return Status::Ok();
  // Indexes of views lie in one table.
  std::set<TableName> done;
  ASSIGN_OR_RETURN(const auto indexes, store_->catalog()->IndexesOf(*table, options_.scn));
  for (const auto& index : indexes) {
    if (index->is_local_index() || !index->is_usable_index()) continue;
    if (!done.insert(index->physical).second) continue;
    RETURN_IF_ERROR(catalog::UpdateStatistics(connection, *index, width, options));
  }
  return Status::Ok();
}

// The condition must be one that a query over the parent could have.
Status Session::CreateView(const parse::CreateView& create) {
  if (create.where != nullptr && !catalog::IsConstantCondition(*create.where)) {
    parse::Select select;
    select.items.push_back(
        parse::SelectItem{std::make_unique<parse::Expr>(parse::ExprKind::kStar, -1), {}});
    auto from = std::make_unique<parse::TableRef>();
    from->name = create.base;
    from->position = create.base.position();
    select.from.push_back(std::move(from));
    select.where = create.where->Clone();
    const auto query = store_->prepare_query()(select, MakePrepareContext());
    // Phoenix lets an aggregate pass.
    if (!query.ok() && !IsSqlError(query.status(), 1017)) return query.status();
  }
  return store_->catalog()->CreateView(create, MakeDdlContext());
}

Status Session::CreateSequence(const parse::CreateSequence& create) {
  const std::string& schema =
      create.name.qualifier.empty() ? default_schema_ : create.name.qualifier.text;
  RETURN_IF_ERROR(store_->catalog()->CheckSchema(schema, create.name.position()));
  ASSIGN_OR_RETURN(const SequenceDefinition definition,
                   ReadSequenceDefinition(create, MakeDdlContext().evaluate));
  const Status created =
      store_->sequences()->Create({options_.tenant, schema, create.name.name.text}, definition);
  return create.if_not_exists && IsSqlError(created, 1200) ? Status::Ok() : created;
}

Status Session::DropSequence(const parse::Drop& drop) {
  const std::string& schema =
      drop.name.qualifier.empty() ? default_schema_ : drop.name.qualifier.text;
  const Status dropped = store_->sequences()->Drop({options_.tenant, schema, drop.name.name.text});
  return drop.if_exists && IsSqlError(dropped, 1201) ? Status::Ok() : dropped;
}

Status Session::RunDrop(const parse::Drop& drop, const catalog::DdlContext& context) {
  const std::string full_name = drop.name.ToString();
  const auto missing = [&](int code, const std::string& detail) -> Status {
    if (drop.if_exists) return Status::Ok();
    return MakeSqlError(code, detail, drop.name.position());
  };
  switch (drop.kind) {
    case parse::ObjectKind::kTable:
    case parse::ObjectKind::kView:
      return IndexStatements(store_, context, slot_->control()).DropTable(drop);
    case parse::ObjectKind::kSchema: return store_->catalog()->DropSchema(drop, context);
    case parse::ObjectKind::kSequence: return DropSequence(drop);
    case parse::ObjectKind::kFunction: return missing(6001, "functionName=[" + full_name + "]");
    case parse::ObjectKind::kIndex:
      return IndexStatements(store_, context, slot_->control()).Drop(drop);
    case parse::ObjectKind::kCdc: {
      const std::string& schema =
          drop.table.qualifier.empty() ? default_schema_ : drop.table.qualifier.text;
      const auto table = store_->catalog()->GetTable(schema, drop.table.name.text,
                                                     drop.table.position(), options_.scn);
      if (!table.ok()) {
        return drop.if_exists && IsSqlError(table.status(), 1012) ? Status::Ok() : table.status();
      }
      return missing(1042, "tableName=" + full_name);
    }
  }
  return Internal("an unknown kind of DROP");
}

// Without namespace mapping there are no schemas to use, only names with a dot.
Status Session::UseSchema(const parse::UseSchema& use) {
  if (use.name.empty() || use.name.text == "DEFAULT") {
    default_schema_.clear();
    return Status::Ok();
  }
  if (!store_->catalog()->features().map_namespaces) {
    return MakeSqlError(722, "schemaName=" + use.name.text, use.name.position);
  }
  RETURN_IF_ERROR(store_->catalog()->CheckSchema(use.name.text, use.name.position));
  default_schema_ = use.name.text;
  return Status::Ok();
}

std::optional<Consistency> ConsistencyOf(std::string_view text) {
  const std::string upper = Upper(text);
  if (upper == "TIMELINE") return Consistency::kTimeline;
  if (upper == "STRONG") return Consistency::kStrong;
  return {};
}

Status Session::AlterSession(const parse::AlterSession& alter) {
  for (const parse::Property& property : alter.properties) {
    if (property.name != "CONSISTENCY") {
      return MakeUncodedSqlError(property.name + " is not a property of sessions",
                                 property.position, "CONSISTENCY is one");
    }
    ASSIGN_OR_RETURN(const std::string text, catalog::TextOf(property));
    const auto consistency = ConsistencyOf(text);
    if (!consistency.has_value()) {
      return MakeUncodedSqlError("CONSISTENCY is '" + text + "'", property.position,
                                 "it can be 'STRONG' or 'TIMELINE'");
    }
    options_.consistency = *consistency;
  }
  return Status::Ok();
}

Result<StatementResult> Session::RunExplain(const parse::Explain& explain,
                                            const exec::PreparedQuery* query, Change* change,
                                            std::span<const Value> params) {
  if (query != nullptr) {
    if (explain.analyze) return AnalyzeQuery(*query, params);
    ASSIGN_OR_RETURN(const auto lines, query->Explain(params));
    return ExplainResult(lines);
  }
  if (change != nullptr) {
    if (explain.analyze) return AnalyzeChange(change, params);
    ASSIGN_OR_RETURN(const auto lines, change->Explain(params));
    return ExplainResult(lines);
  }
  if (explain.analyze) {
    return NotThere("EXPLAIN ANALYZE of anything but SELECT, UPSERT and DELETE is");
  }
  if (IsTracing(*explain.statement)) return ExplainResult({});
  const std::string_view name = DefinitionName(*explain.statement);
  if (name.empty()) return NotThere("EXPLAIN of this statement is");
  return ExplainResult({exec::PlanLine{std::string(name), 0, 0, 0}});
}

Result<StatementResult> Session::AnalyzeQuery(const exec::PreparedQuery& query,
                                              std::span<const Value> params) {
  exec::Analysis analysis;
  exec::RunOptions options = MakeRunOptions();
  options.analysis = &analysis;
  ASSIGN_OR_RETURN(std::unique_ptr<exec::RowStream> rows, query.Open(params, options));
  DataChunk chunk;
  do {
    RETURN_IF_ERROR(rows->Next(&chunk));
  } while (chunk.size > 0);
  rows = nullptr;  // makes the plan
  ASSIGN_OR_RETURN(const std::vector<exec::PlanLine> lines, analysis.plan());
  StatementResult result = ExplainResult(lines);
  result.plan = std::make_shared<const exec::PlanTree>(analysis.tree());
  return result;
}

Result<StatementResult> Session::AnalyzeChange(Change* change, std::span<const Value> params) {
  ASSIGN_OR_RETURN(std::vector<exec::PlanLine> lines, change->Explain(params));
  exec::Analysis analysis;
  exec::Step step;
  {
    const exec::StepTimer timer(&step);
    ASSIGN_OR_RETURN(const StatementResult result, RunChange(change, params, &analysis));
    step.AddRows(static_cast<uint64_t>(result.update_count));
  }
  // The first line is the change's own, the rest its query's.
  lines.resize(std::min<size_t>(lines.size(), 1));
  exec::PlanTree tree = analysis.tree();
  exec::PlanTreeNode write;
  write.name = "Write";
  write.detail = lines.empty() ? "" : lines[0].text;
  write.did = {step.rows(), step.nanos(), step.memory_bytes()};
  write.children = std::move(tree.roots);
  tree.roots = {std::move(write)};
  if (!lines.empty()) lines[0].text += exec::StepSuffix(&step);
  ASSIGN_OR_RETURN(const std::vector<exec::PlanLine> query, analysis.plan());
  lines.insert(lines.end(), query.begin(), query.end());
  StatementResult result = ExplainResult(lines);
  result.plan = std::make_shared<const exec::PlanTree>(std::move(tree));
  return result;
}

// ---------------------------------------------------------------- commit and surroundings

Status Session::SetAutocommit(bool on) {
  if (on && !options_.autocommit) RETURN_IF_ERROR(Commit());
  options_.autocommit = on;
  return Status::Ok();
}

Status Session::Commit() { return pending_.Commit(); }

Status Session::Rollback() {
  pending_.Rollback();
  return Status::Ok();
}

exec::PrepareContext Session::MakePrepareContext(std::span<const Value> params) const {
  exec::PrepareContext context;
  context.connection = store_->connection();
  context.catalog = store_->catalog();
  context.default_schema = default_schema_;
  context.tenant = options_.tenant;
  context.as_of = options_.scn;
  context.now_millis = store_->connection()->NowMillis();
  context.consistency = options_.consistency;
  context.parameters = params;
  return context;
}

ChangeContext Session::MakeChangeContext(int32_t bind_count, std::span<const Value> params) const {
  ChangeContext context;
  context.store = store_;
  context.default_schema = default_schema_;
  context.tenant = options_.tenant;
  context.scn = options_.scn;
  context.bind_count = bind_count;
  context.prepare = MakePrepareContext(params);
  context.prepare.consistency = Consistency::kStrong;
  return context;
}

exec::RunOptions Session::MakeRunOptions() {
  exec::RunOptions options;
  options.consistency = options_.consistency;
  if (options_.scn != kLatestTimestamp) {
    options.time_range.max = options_.scn;
    options.time_range.markers_max = options_.scn;  // later deletes have not happened yet
  }
  options.control = slot_->control();
  options.memory_bytes_max = store_->query_memory_bytes();
  options.memory_pool = store_->memory_pool();
  options.spill = store_->spill();
  options.sequences = &sequences_;
  options.now_millis = now_millis_;
  return options;
}

catalog::DdlContext Session::MakeDdlContext() const {
  catalog::DdlContext context;
  context.features = store_->catalog()->features();
  context.default_schema = default_schema_;
  context.tenant = options_.tenant;
  context.timestamp = options_.scn;
  context.read_only = options_.read_only;
  context.evaluate = [this](const parse::Expr& expr) {
    return EvaluateConstant(expr, *store_, MakePrepareContext());
  };
  context.next_value = [this](const catalog::TableKey& sequence) {
    return store_->sequences()->Next(sequence, 1);
  };
  SetIndexBinding(&context);
  return context;
}

Status Session::CheckWritable() const {
  return options_.read_only ? MakeSqlError(518, "") : Status::Ok();
}

Status Session::CheckScn() const { return options_.scn < 0 ? MakeSqlError(532, "") : Status::Ok(); }

Status Session::CheckLookback(bool reads, const Status& prepared) const {
  if (!reads || options_.max_lookback_millis == 0 || IsSqlError(prepared, 1012))
    return Status::Ok();
  const int64_t horizon = store_->connection()->NowMillis() - options_.max_lookback_millis;
  return options_.scn < horizon ? MakeSqlError(538, "") : Status::Ok();
}

}  // namespace bennu::sql::session
