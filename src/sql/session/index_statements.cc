#include "src/sql/session/index_statements.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/api/store_tools.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/bind/table_expressions.h"
#include "src/sql/catalog/index_builder.h"
#include "src/sql/catalog/index_columns.h"
#include "src/sql/catalog/indexes_over.h"
#include "src/sql/expr/nullability.h"
#include "src/sql/index/index_check.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/parse/parser.h"
#include "src/sql/session/going_index.h"
#include "src/sql/session/present_moment.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {
namespace {

using catalog::IndexState;
using catalog::TableMeta;

Result<catalog::IndexedExpression> BindIndexed(const parse::Expr& expr, const TableMeta& table) {
  if (bind::HasAggregate(expr)) return MakeSqlError(520, "", expr.position);
  if (bind::DependsOnMoment(expr)) {
    const bool has_column = bind::FindColumnIn(expr) != nullptr;
    return MakeSqlError(has_column || expr.function_name == "RAND" ? 521 : 522, "", expr.position);
  }
  bind::TableExpressions expressions(std::make_shared<const TableMeta>(table));
  ASSIGN_OR_RETURN(const bind::ExprPtr bound, expressions.Bind(expr));
  if (!bound->deterministic) return MakeSqlError(521, "", expr.position);
  if (expressions.slots().empty()) return MakeSqlError(522, "", expr.position);
  if (expr.kind == parse::ExprKind::kFunction && expr.function_name == "JSON_QUERY") {
    return MakeSqlError(541, "", expr.position, "index a value of it, as with JSON_VALUE");
  }
  catalog::IndexedExpression result;
  result.type = bound->type;
  if (bound->kind == BoundKind::kSlot) {
    result.column = static_cast<int32_t>(expressions.slots()[bound->slot].column);
    const catalog::ColumnMeta& column = table.columns[static_cast<size_t>(result.column)];
    // The same in all rows of the view.
    if (!column.view_constant.empty()) return MakeSqlError(522, "", expr.position);
    result.nullable = column.nullable || !column.is_key();
  } else if (IsFixedWidth(bound->type.id) && bound->type.id != TypeId::kChar &&
             bound->type.id != TypeId::kBinary) {
    result.nullable = IsNullable(*bound);
  }
  return result;
}

bool HasSubquery(const parse::Expr& expr) {
  if (expr.kind == parse::ExprKind::kInSubquery || expr.kind == parse::ExprKind::kExists ||
      expr.kind == parse::ExprKind::kSubquery) {
    return true;
  }
  return std::any_of(expr.children.begin(), expr.children.end(), [](const parse::ExprPtr& child) {
    return child != nullptr && HasSubquery(*child);
  });
}

Status CheckIndexWhere(const parse::Expr& where, const TableMeta& table) {
  if (HasSubquery(where)) return MakeSqlError(303, "", where.position);
  if (bind::HasAggregate(where) || bind::DependsOnMoment(where)) {
    return MakeSqlError(304, "", where.position);
  }
  bind::TableExpressions expressions(std::make_shared<const TableMeta>(table));
  return expressions.BindCondition(where).status();
}

constexpr size_t kDifferencesListed = 1000;

std::string_view KindName(index::IndexDifference::Kind kind) {
  switch (kind) {
    case index::IndexDifference::Kind::kMissing: return "MISSING IN INDEX";
    case index::IndexDifference::Kind::kDifferent: return "DIFFERENT IN INDEX";
    case index::IndexDifference::Kind::kOrphan: return "NOT IN TABLE";
  }
  return "";
}

}  // namespace

std::string_view StateName(IndexState state) {
  switch (state) {
    case IndexState::kBuilding: return "BUILDING";
    case IndexState::kUsable: return "USABLE";
    case IndexState::kUnusable: return "UNUSABLE";
    case IndexState::kActive: return "ACTIVE";
    case IndexState::kInactive: return "INACTIVE";
    case IndexState::kDisabled: return "DISABLE";
    case IndexState::kRebuild: return "REBUILD";
    case IndexState::kPendingActive: return "PENDING_ACTIVE";
    case IndexState::kPendingDisable: return "PENDING_DISABLE";
    case IndexState::kCreateDisable: return "CREATE_DISABLE";
    case IndexState::kNone: break;
  }
  return "";
}

void SetIndexBinding(catalog::DdlContext* context) {
  context->bind_indexed = BindIndexed;
  context->check_index_where = CheckIndexWhere;
}

Result<std::shared_ptr<const TableMeta>> IndexStatements::TableOf(
    const parse::QualifiedName& name) {
  const std::string& schema =
      name.qualifier.empty() ? context_.default_schema : name.qualifier.text;
  return store_->catalog()->GetTable(schema, name.name.text, name.position(), context_.timestamp,
                                     context_.tenant);
}

// Of an index that another statement, or the background, is building.
Status IndexStatements::IsBeingBuilt(const std::string& index) {
  return MakeUncodedSqlError("index " + index + " is being built already", -1,
                             "SHOW STATEMENTS shows how far it is");
}

Result<int64_t> IndexStatements::Create(const parse::CreateIndex& statement) {
  RETURN_IF_ERROR(CheckPresent("CREATE INDEX", context_, statement.name.position()));
  if (store_->indexes() == nullptr) {
    return MakeUncodedSqlError("this store cannot keep an index in step with its table",
                               statement.name.position());
  }
  if (const auto table = TableOf(statement.table); table.ok()) {
    index::IndexWork work;
    work.is_local = statement.local;
    work.shares_table = statement.local || (*table)->shares_index_table();
    work.in_background = statement.async;
    RETURN_IF_ERROR(
        WithPosition(store_->indexes()->CheckWork(**table, work), statement.name.position()));
  }
  const std::string& schema =
      statement.table.qualifier.empty() ? context_.default_schema : statement.table.qualifier.text;
  const catalog::TableKey key{context_.tenant, schema, statement.name.name.text};
  const IndexBuilds::Claim claim(store_->index_builds(), key);
  if (!claim.mine()) return IsBeingBuilt(catalog::FullTableName(schema, key.name));
  IndexAndTable index;
  ASSIGN_OR_RETURN(index.index, store_->catalog()->CreateIndex(statement, context_));
  if (index.index == nullptr) return int64_t{0};  // IF NOT EXISTS
  ASSIGN_OR_RETURN(index.table, TableOf(statement.table));
  if (statement.async) {
    RETURN_IF_ERROR(store_->indexes()->Changed(*index.table));
    if (store_->index_builds() != nullptr) {
      store_->index_builds()->Wake();
    } else {
      LogInfo("index {} is kept up from now on, and not built yet: REBUILD builds it",
              index.index->FullName());
    }
    return int64_t{0};
  }
  const auto filled = Fill(index, Start::kAsNew);
  if (!filled.ok()) {
    const Status dropped = DropOne(index, /*is_claimed=*/true);
    if (!dropped.ok()) return dropped.Annotate(filled.status().ToString());
  }
  return filled;
}

// The index is kept up before it is filled, so that no write is missed.
Result<int64_t> IndexStatements::Fill(const IndexAndTable& index, Start start) {
  RETURN_IF_ERROR(store_->indexes()->Changed(*index.table));
  IndexBuildMeter::Build build(
      store_->index_build_meter(),
      store_->BeginningBuild(*index.table, *index.index, /*in_background=*/false));
  const auto progress = [&](size_t done) {
    control_->AddRowsRead(done);
    build.AddRows(done);
    return control_->Check();
  };
  index::IndexKeeper* const indexes = store_->indexes();
  const auto filled = start == Start::kMend ? indexes->Mend(index.table, index.index, progress)
                      : start == Start::kAnew
                          ? indexes->BuildAnew(index.table, index.index, progress)
                          : indexes->Build(index.table, index.index, progress);
  build.End(filled.status());
  ASSIGN_OR_RETURN(const int64_t rows, filled);
  RETURN_IF_ERROR(
      store_->catalog()->SetIndexState(*index.index, IndexState::kActive, context_).status());
  RETURN_IF_ERROR(store_->indexes()->StateChanged(index.table->physical));
  return rows;
}

bool IndexStatements::IsStoreOfThisProcess() const {
  return store_->indexes() != nullptr && store_->cluster_indexes() == nullptr &&
         StoreTools::Changes(store_->connection()) != nullptr;
}

namespace {

Status CheckExists(Admin* admin, const TableMeta& index) {
  ASSIGN_OR_RETURN(const bool exists, admin->TableExists(index.physical));
  if (exists) return Status::Ok();
  return NotFound("the table " + index.physical.ToString() + " of index " + index.FullName() +
                  " is gone; run DROP INDEX, and CREATE INDEX again");
}

}  // namespace

Status IndexStatements::Enable(const TableMeta& index) {
  if (index.is_local_index()) return Status::Ok();  // beside the table's rows
  Admin* const admin = store_->connection()->admin();
  RETURN_IF_ERROR(CheckExists(admin, index));
  ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(index.physical));
  return enabled || index.shares_its_table() ? Status::Ok() : admin->EnableTable(index.physical);
}

Status IndexStatements::Empty(const TableMeta& index) {
  // Others have rows beside it.
  if (index.shares_its_table()) return store_->catalog()->EraseIndexRows(index);
  Admin* const admin = store_->connection()->admin();
  RETURN_IF_ERROR(CheckExists(admin, index));
  ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(index.physical));
  if (enabled) RETURN_IF_ERROR(admin->DisableTable(index.physical));
  const Status emptied = admin->TruncateTable(index.physical, /*preserve_splits=*/true);
  // A store that is not as it was says so itself.
  if (!emptied.ok()) static_cast<void>(admin->EnableTable(index.physical));
  return emptied;
}

// Rows that the table does not have go, too. While its HBase table is emptied nobody may write the
// index, and so it is not kept up then. In a store of this process it is one that is being built
// from before that on, so that what a crash cuts short is done anew. Over a cluster it is disabled
// until it is empty; one that is mended in place is kept up all the time.
Result<int64_t> IndexStatements::Rebuild(const IndexAndTable& index, bool later) {
  RETURN_IF_ERROR(CheckRebuild(index, later));
  const IndexBuilds::Claim claim(store_->index_builds(), index.index->key());
  if (!claim.mine()) return IsBeingBuilt(index.index->FullName());
  const bool mends = store_->indexes()->MendsInPlace(*index.index);
  const bool anew = IsStoreOfThisProcess();
  if (anew) {
    RETURN_IF_ERROR(Enable(*index.index));
  } else if (!mends) {
    RETURN_IF_ERROR(SetState(index, IndexState::kDisabled));
    RETURN_IF_ERROR(Empty(*index.index));
  }
  IndexAndTable building = index;
  ASSIGN_OR_RETURN(building.index,
                   store_->catalog()->SetIndexState(*index.index, IndexState::kBuilding, context_));
  if (!later) {
    auto filled = Fill(building, mends ? Start::kMend : anew ? Start::kAnew : Start::kAsNew);
    // Nobody wants it to go on. Over a cluster another process may, and it is kept up as it is.
    const bool stopped =
        filled.status().code() == StatusCode::kCancelled || IsSqlError(filled.status(), 6000);
    if (stopped && store_->cluster_indexes() == nullptr) {
      const Status disabled = SetState(building, IndexState::kDisabled);
      if (!disabled.ok()) return disabled.Annotate(filled.status().ToString());
    }
    return filled;
  }
  RETURN_IF_ERROR(store_->indexes()->Changed(*index.table));
  if (store_->index_builds() != nullptr) store_->index_builds()->Wake();
  return int64_t{0};
}

Status IndexStatements::CheckRebuild(const IndexAndTable& index, bool later) {
  index::IndexWork work;
  work.kind = index::IndexWork::Kind::kRebuild;
  work.is_local = index.index->is_local_index();
  work.shares_table = index.index->shares_its_table();
  work.in_background = later;
  return store_->indexes()->CheckWork(*index.table, work);
}

Status IndexStatements::SetState(const IndexAndTable& index, IndexState state) {
  index::IndexWork work;
  work.kind = index::IndexWork::Kind::kChange;
  RETURN_IF_ERROR(store_->indexes()->CheckWork(*index.table, work));
  RETURN_IF_ERROR(store_->catalog()->SetIndexState(*index.index, state, context_).status());
  if (state != IndexState::kDisabled && index.index->is_kept_up()) {
    return store_->indexes()->StateChanged(index.table->physical);
  }
  return store_->indexes()->Changed(*index.table);
}

// Rows among those of others go one by one: in a store of this process before the definition, so
// that a crash leaves none behind.
Status IndexStatements::DropOne(const IndexAndTable& index, bool is_claimed) {
  catalog::Catalog* const catalog = store_->catalog();
  const bool shares = index.index->shares_its_table();
  if (!IsStoreOfThisProcess()) {
    if (store_->indexes() != nullptr) RETURN_IF_ERROR(SetState(index, IndexState::kDisabled));
    RETURN_IF_ERROR(catalog->DropIndex(*index.table, *index.index, context_));
    return shares ? catalog->EraseIndexRows(*index.index) : Status::Ok();
  }
  ASSIGN_OR_RETURN(const auto going, GoingIndex::Begin(store_, index, context_, is_claimed));
  if (shares) RETURN_IF_ERROR(catalog->EraseIndexRows(*index.index));
  RETURN_IF_ERROR(catalog->DropIndex(*index.table, *index.index, context_));
  going->SetGone();
  return Status::Ok();
}

std::string IndexStatements::RemedyIn(IndexState state) const {
  if (state != IndexState::kBuilding) return "its rows are out of date: REBUILD it";
  return store_->index_builds() == nullptr
             ? "wait until it is built, or REBUILD it where nobody is building it"
             : "it is being built: SHOW STATEMENTS shows how far it is";
}

Result<int64_t> IndexStatements::Alter(const parse::AlterIndex& statement) {
  RETURN_IF_ERROR(CheckPresent("ALTER INDEX", context_, statement.name.position));
  const auto found = store_->catalog()->FindIndex(statement.table, statement.name, context_);
  if (!found.ok()) {
    if (statement.if_exists && IsSqlError(found.status(), 1042)) return int64_t{0};
    return found.status();
  }
  if (store_->indexes() == nullptr) {
    return MakeUncodedSqlError("this store cannot keep an index in step with its table",
                               statement.name.position);
  }
  const IndexState current = found->index->index_state;
  const auto change_to = [&](IndexState state) -> Result<int64_t> {
    if (current == IndexState::kDisabled || current == IndexState::kBuilding) {
      return MakeSqlError(1028,
                          " currentState=" + std::string(StateName(current)) +
                              ". requestedState=" + std::string(StateName(state)) +
                              " tableName=" + found->index->FullName(),
                          statement.name.position, RemedyIn(current));
    }
    RETURN_IF_ERROR(SetState(*found, state));
    return int64_t{0};
  };
  switch (statement.action) {
    case parse::IndexAction::kUsable: return change_to(IndexState::kUsable);
    case parse::IndexAction::kUnusable: return change_to(IndexState::kUnusable);
    case parse::IndexAction::kActive: return change_to(IndexState::kActive);
    case parse::IndexAction::kDisable:
      RETURN_IF_ERROR(SetState(*found, IndexState::kDisabled));
      return int64_t{0};
    case parse::IndexAction::kRebuild: return Rebuild(*found, statement.async);
    // Every index is always in step with its table.
    case parse::IndexAction::kConsistencyStrong: return int64_t{0};
    case parse::IndexAction::kConsistencyEventual: break;
  }
  return catalog::ConsistencyUnsupported("EVENTUAL", statement.name.position);
}

Status IndexStatements::Drop(const parse::Drop& statement) {
  RETURN_IF_ERROR(CheckPresent("DROP INDEX", context_, statement.name.position()));
  const auto found = store_->catalog()->FindIndex(statement.table, statement.name.name, context_);
  if (!found.ok()) {
    const bool missing = IsSqlError(found.status(), 1042);
    return statement.if_exists && missing ? Status::Ok() : found.status();
  }
  return DropOne(*found, /*is_claimed=*/false);
}

Result<std::vector<std::vector<Value>>> IndexStatements::Check(const parse::CheckIndex& statement) {
  RETURN_IF_ERROR(CheckPresent("CHECK INDEX", context_, statement.name.position));
  ASSIGN_OR_RETURN(const IndexAndTable found,
                   store_->catalog()->FindIndex(statement.table, statement.name, context_));
  if (statement.repair && store_->indexes() == nullptr) {
    return MakeUncodedSqlError("this store cannot keep an index in step with its table",
                               statement.name.position);
  }
  if (statement.repair) RETURN_IF_ERROR(CheckRebuild(found, /*later=*/false));
  ASSIGN_OR_RETURN(const index::IndexCheck check,
                   index::CheckIndex(store_->connection(), found.table, found.index,
                                     kDifferencesListed, [this](size_t rows) {
                                       control_->AddRowsRead(rows);
                                       return control_->Check();
                                     }));
  std::vector<std::vector<Value>> rows;
  const auto bytes = [](const Bytes& row) {
    return row.empty() ? Value::Null({TypeId::kVarbinary}) : Value::Varbinary(row);
  };
  for (const index::IndexDifference& difference : check.first) {
    rows.push_back({Value::Varchar(std::string(KindName(difference.kind))),
                    bytes(difference.table_row), bytes(difference.index_row)});
  }
  const auto more = check.differences - static_cast<int64_t>(check.first.size());
  if (more > 0) {
    rows.push_back({Value::Varchar("AND " + std::to_string(more) + " MORE"), bytes({}), bytes({})});
  }
  if (statement.repair && check.differences > 0) {
    RETURN_IF_ERROR(Rebuild(found, /*later=*/false).status());
  }
  return rows;
}

Status IndexStatements::AlterTable(const parse::AlterTable& statement) {
  RETURN_IF_ERROR(CheckUnchangedSince(statement.is_view ? "ALTER VIEW" : "ALTER TABLE",
                                      statement.name, store_->catalog(), context_));
  RETURN_IF_ERROR(DropIndexesOfDropped(statement).status());
  ASSIGN_OR_RETURN(const auto building, IndexesBeingBuilt(statement));
  Status altered = store_->catalog()->AlterTable(statement, context_);
  // Refused for an index that was made in between, as a rule; then that goes as well.
  while (IsSqlError(altered, 301)) {
    ASSIGN_OR_RETURN(const bool again, DropIndexesOfDropped(statement));
    if (!again) break;
    altered = store_->catalog()->AlterTable(statement, context_);
  }
  RETURN_IF_ERROR(altered);
  RETURN_IF_ERROR(AfterAlterTable(statement));
  ASSIGN_OR_RETURN(const auto to_build, IndexesBeingBuilt(statement));
  for (const auto& [key, index] : to_build) {
    if (building.contains(key)) continue;
    const Status built = Rebuild(index, /*later=*/false).status();
    if (built.ok()) continue;
    return built.Annotate("the table is altered, and index " + index.index->FullName() +
                          " has yet to be built anew by ALTER INDEX … REBUILD");
  }
  return Status::Ok();
}

Result<std::map<catalog::TableKey, catalog::Catalog::IndexAndTable>>
IndexStatements::IndexesBeingBuilt(const parse::AlterTable& statement) {
  std::map<catalog::TableKey, IndexAndTable> found;
  if (store_->indexes() == nullptr) return found;
  const auto table = TableOf(statement.name);
  if (!table.ok()) return found;  // which is said by ALTER TABLE
  ASSIGN_OR_RETURN(const auto indexes, catalog::IndexesOver(store_->catalog(), *table));
  for (const IndexAndTable& one : indexes) {
    if (one.index->index_state == IndexState::kBuilding) found[one.index->key()] = one;
  }
  return found;
}

Result<bool> IndexStatements::DropIndexesOfDropped(const parse::AlterTable& statement) {
  if (statement.action != parse::AlterTableAction::kDropColumns) return false;
  const auto table = TableOf(statement.name);
  // What is refused is said by ALTER TABLE, and no index goes for it.
  if (!table.ok() || (*table)->tenant != context_.tenant) return false;
  ASSIGN_OR_RETURN(std::vector<TablePtr> indexed, store_->catalog()->IndexedViews(**table));
  if (!(*table)->indexes.empty()) indexed.push_back(*table);
  if (indexed.empty()) return false;
  const auto names = store_->catalog()->NamesToDrop(**table, statement, context_);
  if (!names.ok()) return false;
  bool any = false;
  for (const TablePtr& each : indexed) {
    ASSIGN_OR_RETURN(const bool some, DropIndexesOf(each, *names));
    any |= some;
  }
  return any;
}

Result<bool> IndexStatements::DropIndexesOf(
    const TablePtr& table, const std::vector<std::pair<std::string, std::string>>& columns) {
  if (table->indexes.empty()) return false;
  bool any = false;
  ASSIGN_OR_RETURN(const auto indexes, store_->catalog()->IndexesOf(*table));
  for (const TablePtr& index : indexes) {
    const bool goes = std::any_of(columns.begin(), columns.end(), [&](const auto& name) {
      const int32_t column = table->IndexOf(name.first, name.second);
      return column >= 0 &&
             catalog::IsIndexMadeOf(*index, *table, table->columns[static_cast<size_t>(column)]);
    });
    if (!goes) continue;
    RETURN_IF_ERROR(DropOne({index, table}, /*is_claimed=*/false));
    any = true;
  }
  return any;
}

Status IndexStatements::AfterAlterTable(const parse::AlterTable& statement) {
  if (store_->indexes() == nullptr) return Status::Ok();
  const auto table = TableOf(statement.name);
  if (!table.ok()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto views, store_->catalog()->IndexedViews(**table));
  if ((*table)->indexes.empty() && views.empty()) return Status::Ok();
  return store_->indexes()->Changed(**table);
}

// The table of HBase below a mapped view stays and is written, but not any more to indexes that are
// tables of their own.
Status IndexStatements::BeforeDropView(const parse::Drop& statement) {
  if (statement.kind != parse::ObjectKind::kView || store_->indexes() == nullptr) {
    return Status::Ok();
  }
  const auto view = TableOf(statement.name);
  const bool is_mapped =
      view.ok() && (*view)->is_view() && (*view)->view_type == catalog::ViewType::kMapped;
  if (!is_mapped || (*view)->tenant != context_.tenant) return Status::Ok();
  ASSIGN_OR_RETURN(const auto indexes, store_->catalog()->IndexesOf(**view));
  for (const TablePtr& index : indexes) {
    RETURN_IF_ERROR(DropOne({index, *view}, /*is_claimed=*/false));
  }
  return Status::Ok();
}

// The table below stays and is written, but not any more to the indexes that go with the view.
// Their rows go before their definitions, so that a crash leaves none behind.
Status IndexStatements::DropView(const parse::Drop& statement) {
  catalog::Catalog* const catalog = store_->catalog();
  ASSIGN_OR_RETURN(const auto indexes, catalog->IndexesGoneWithView(statement, context_));
  std::vector<std::unique_ptr<GoingIndex>> all_going;
  for (const IndexAndTable& index : indexes) {
    ASSIGN_OR_RETURN(auto going, GoingIndex::Begin(store_, index, context_, /*is_claimed=*/false));
    all_going.push_back(std::move(going));
    if (index.index->shares_its_table()) RETURN_IF_ERROR(catalog->EraseIndexRows(*index.index));
  }
  std::vector<TablePtr> left;
  RETURN_IF_ERROR(catalog->DropTable(statement, context_, &left));
  for (const auto& going : all_going) going->SetGone();
  // One that was made in between.
  std::erase_if(left, [&](const TablePtr& index) {
    return std::any_of(indexes.begin(), indexes.end(), [&](const IndexAndTable& known) {
      return known.index->key() == index->key();
    });
  });
  return EraseLeft(left);
}

Status IndexStatements::EraseLeft(const std::vector<TablePtr>& left) {
  for (const TablePtr& index : left) {
    if (store_->indexes() != nullptr) {
      const TableName base = index->is_local_index()
                                 ? index->physical
                                 : catalog::BaseOfViewIndexTable(index->physical);
      RETURN_IF_ERROR(store_->indexes()->Changed(base));
    }
    RETURN_IF_ERROR(store_->catalog()->EraseIndexRows(*index));
  }
  return Status::Ok();
}

Status IndexStatements::DropTable(const parse::Drop& statement) {
  const bool is_view = statement.kind == parse::ObjectKind::kView;
  RETURN_IF_ERROR(CheckUnchangedSince(is_view ? "DROP VIEW" : "DROP TABLE", statement.name,
                                      store_->catalog(), context_));
  if (is_view && IsStoreOfThisProcess()) return DropView(statement);
  RETURN_IF_ERROR(BeforeDropView(statement));
  std::vector<TablePtr> left;
  RETURN_IF_ERROR(store_->catalog()->DropTable(statement, context_, &left));
  return EraseLeft(left);
}

}  // namespace bennu::sql::session
