#include "src/sql/session/on_duplicate_key.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/assign.h"
#include "src/sql/bind/column_default.h"
#include "src/sql/session/constant.h"
#include "src/sql/session/returning.h"
#include "src/sql/session/row_condition.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;
using parse::Expr;
using parse::ExprKind;

// Turns the columns of an expression into parameters, so that it can be evaluated for any row
// without a scan: N + 1 becomes CAST(? AS INTEGER) + 1.
class ColumnReplacer {
 public:
  ColumnReplacer(const TableMeta& table, int32_t bind_count)
      : table_(table), next_bind_(bind_count + 1) {}

  Status Replace(parse::ExprPtr* expr) {
    if ((*expr)->kind == ExprKind::kColumn) return ReplaceColumn(expr);
    for (parse::ExprPtr& child : (*expr)->children) {
      if (child != nullptr) RETURN_IF_ERROR(Replace(&child));
    }
    return Status::Ok();
  }
  // The columns in the order of their parameters.
  const std::vector<uint32_t>& columns() const { return columns_; }

 private:
  Status ReplaceColumn(parse::ExprPtr* expr) {
    const Expr& old = **expr;
    parse::QualifiedName name;
    name.name = old.column;
    if (old.table.text != table_.name) name.qualifier = old.table;
    ASSIGN_OR_RETURN(const uint32_t column, bind::FindColumn(table_, name));
    const DataType& type = table_.columns[column].type;
    const auto [bind, added] = bind_of_.try_emplace(column, next_bind_);
    if (added) {
      columns_.push_back(column);
      ++next_bind_;
    }
    auto parameter = std::make_unique<Expr>(ExprKind::kBind, old.position);
    parameter->bind_index = bind->second;
    auto cast = std::make_unique<Expr>(ExprKind::kCast, old.position);
    cast->cast_type.is_array = IsArray(type.id);
    cast->cast_type.name = TypeName(IsArray(type.id) ? ArrayElement(type.id) : type.id);
    cast->cast_type.length = type.max_length.value_or(-1);
    cast->cast_type.scale = type.scale.value_or(-1);
    cast->cast_type.position = old.position;
    cast->children.push_back(std::move(parameter));
    *expr = std::move(cast);
    return Status::Ok();
  }

  const TableMeta& table_;
  int32_t next_bind_;
  std::map<uint32_t, int32_t> bind_of_;
  std::vector<uint32_t> columns_;
};

// The statement's part that meets a row. Shared with what is deferred to the commit, which may come
// after the statement is gone. One thread at a time.
class AtomicUpdate {
 public:
  AtomicUpdate(parse::OnDuplicateKey kind, std::shared_ptr<const TableMeta> table,
               std::shared_ptr<Table> storage, std::unique_ptr<RowReturner> returner,
               const ChangeContext& context)
      : kind_(kind),
        table_(std::move(table)),
        storage_(std::move(storage)),
        store_(context.store),
        returner_(std::move(returner)),
        context_(context) {}

  SqlStore* store() const { return store_; }
  const RowReturner* returner() const { return returner_.get(); }
  // Of the parameters that have none yet.
  void AddParameterTypes(std::vector<DataType>* types) const {
    if (values_ != nullptr) AddTypes(values_->parameter_types(), types);
  }
  // The rows that 'inserts' has for the table; a row that it names twice is there once, with the
  // last word.
  MutationBatch* RowsOf(PendingWrites* inserts) const {
    MutationBatch* const rows = &inserts->ForTable(*table_, storage_)->batch;
    if (rows->row_count() > 1) MergeRows(rows);
    return rows;
  }

  Status Compile(const std::vector<bind::BoundAssignment>& assignments) {
    if (assignments.empty()) return Status::Ok();
    touched_families_.insert(table_->empty_family);
    ColumnReplacer replacer(*table_, context_.bind_count);
    parse::ExprList values;
    for (const bind::BoundAssignment& assignment : assignments) {
      assigned_.push_back(assignment.column);
      positions_.push_back(assignment.value->position);
      touched_families_.insert(table_->columns[assignment.column].family);
      parse::ExprPtr value = assignment.value->Clone();
      RETURN_IF_ERROR(replacer.Replace(&value));
      values.push_back(std::move(value));
    }
    read_ = replacer.columns();
    ASSIGN_OR_RETURN(values_, PrepareRow(std::move(values), *store_, context_.prepare));
    for (size_t i = 0; i < assigned_.size(); ++i) {
      RETURN_IF_ERROR(WithPosition(
          bind::CheckAssignable(values_->columns()[i].type, table_->columns[assigned_[i]]),
          positions_[i]));
    }
    return Status::Ok();
  }

  // Returns how many rows were changed.
  Result<int64_t> Run(const ChangeRun& run, const MutationBatch& rows) const {
    int64_t count = 0;
    for (const MutationBatch::Row& row : rows.rows()) {
      ASSIGN_OR_RETURN(const bool changed, RunRow(run, rows, row));
      count += changed ? 1 : 0;
    }
    return count;
  }

 private:
  Result<bool> RunRow(const ChangeRun& run, const MutationBatch& rows,
                      const MutationBatch::Row& row) const {
    const ByteView key = rows.row_key(row);
    // Statements of this process wait for each other here, and not by trying again and again.
    MutexLock lock(store_->RowLock(key));
    bool changed = false;
    for (int tries = 1; !changed; ++tries) {
      ASSIGN_OR_RETURN(const Decision decision, Decide(run, rows, row));
      if (decision.writes == nullptr) break;
      ASSIGN_OR_RETURN(changed, run.writes->WriteIf(decision.condition, decision.writes));
      if (!changed && tries == kDecisionsMax) {
        return Status(
            StatusCode::kAborted,
            "table " + table_->FullName() +
                ": other writers changed the row before each attempt of ON DUPLICATE KEY");
      }
    }
    if (returner_ != nullptr && run.returned != nullptr && rows.row_count() == 1) {
      ASSIGN_OR_RETURN(*run.returned, returner_->Read(key, run.query));
    }
    return changed;
  }

  struct Decision {
    TableWrites* writes = nullptr;  // null: the row stays as it is
    Table::Condition condition;     // under which they are right
  };

  Result<Decision> Decide(const ChangeRun& run, const MutationBatch& rows,
                          const MutationBatch::Row& row) const {
    const ByteView key = rows.row_key(row);
    Get get;
    get.row = Bytes(key);
    ASSIGN_OR_RETURN(const Row current, storage_->GetRow(get));
    const bool exists = current.Find(table_->empty_family, table_->empty_qualifier) != nullptr;
    if (exists ? kind_ == parse::OnDuplicateKey::kIgnore
               : kind_ == parse::OnDuplicateKey::kUpdateOnly) {
      return Decision{};
    }
    Decision decision;
    decision.writes = run.writes->ForTable(*table_, storage_);
    if (exists) {
      RETURN_IF_ERROR(AppendUpdate(run, key, current, decision.writes));
    } else {
      AppendInsert(rows, row, decision.writes);
    }
    std::vector<ColumnName> columns = {{table_->empty_family, table_->empty_qualifier}};
    for (const uint32_t column : read_) {
      const ColumnMeta& meta = table_->columns[column];
      if (!meta.is_key()) columns.emplace_back(meta.family, meta.qualifier);
    }
    decision.condition = Unchanged(key, current, columns);
    return decision;
  }

  // A NULL that the statement names is stored, though the row was not there before.
  static void AppendInsert(const MutationBatch& rows, const MutationBatch::Row& row,
                           TableWrites* writes) {
    writes->batch.StartRow(rows.row_key(row));
    writes->has_puts = true;
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      Cell cell;
      offset = CellAt(rows.buffer(), offset, &cell);
      const CellType type = IsDelete(cell.type()) ? CellType::kPut : cell.type();
      writes->batch.AddCell(cell.family(), cell.qualifier(), cell.timestamp(), type,
                            cell.value_view());
    }
  }

  // All expressions see the row as it was.
  Status AppendUpdate(const ChangeRun& run, ByteView key, const Row& current,
                      TableWrites* writes) const {
    std::vector<Value> params(run.params.begin(),
                              run.params.begin() + static_cast<size_t>(context_.bind_count));
    for (const uint32_t column : read_) {
      ASSIGN_OR_RETURN(Value value, ValueOf(table_->columns[column], key, current));
      params.push_back(std::move(value));
    }
    ASSIGN_OR_RETURN(const std::vector<Value> values, FetchRow(*values_, params, run.query));
    std::vector<Bytes> encoded(assigned_.size());
    for (size_t i = 0; i < assigned_.size(); ++i) {
      RETURN_IF_ERROR(
          WithPosition(bind::EncodeAssigned(values[i], table_->columns[assigned_[i]], &encoded[i]),
                       positions_[i]));
    }
    writes->batch.StartRow(key);
    for (const std::string& family : touched_families_) {
      writes->batch.Put(family, table_->empty_qualifier, table_->empty_value);
    }
    writes->has_puts = true;
    for (size_t i = 0; i < assigned_.size(); ++i) {
      const ColumnMeta& column = table_->columns[assigned_[i]];
      if (!encoded[i].empty() || table_->store_nulls || !column.default_text.empty()) {
        writes->batch.Put(column.family, column.qualifier, encoded[i]);
      } else {
        writes->batch.DeleteColumn(column.family, column.qualifier);
        writes->has_deletes = true;
      }
    }
    return Status::Ok();
  }

  Result<Value> ValueOf(const ColumnMeta& column, ByteView key, const Row& current) const {
    if (column.is_key()) {
      return Decode(table_->key_schema.ColumnView(key, static_cast<size_t>(column.key_position)),
                    column.type, column.sort_order);
    }
    const Cell* const cell = current.Find(column.family, column.qualifier);
    if (cell != nullptr) return Decode(cell->value_view(), column.type, column.sort_order);
    if (column.default_text.empty()) return Value::Null(column.type);
    return bind::DefaultOf(column, context_.prepare.now_millis);
  }

  const parse::OnDuplicateKey kind_;
  const std::shared_ptr<const TableMeta> table_;
  const std::shared_ptr<Table> storage_;
  SqlStore* const store_;
  const std::unique_ptr<RowReturner> returner_;  // null: nothing is returned
  const ChangeContext context_;
  std::vector<uint32_t> assigned_;  // columns, one for each value of values_
  std::vector<int64_t> positions_;  // of the values, in the statement
  // Each gets an empty column with an update, as in Phoenix.
  std::set<std::string> touched_families_;
  std::vector<uint32_t> read_;  // columns whose values follow the statement's own parameters
  std::unique_ptr<exec::PreparedQuery> values_;  // null without assignments
};

class OnDuplicateKeyChange : public Change {
 public:
  OnDuplicateKeyChange(std::shared_ptr<AtomicUpdate> update, std::unique_ptr<Change> inserts)
      : update_(std::move(update)), inserts_(std::move(inserts)) {}

  Result<int64_t> Run(const ChangeRun& run) override {
    PendingWrites inserts(update_->store()->write_clock(), update_->store()->cluster_indexes());
    ChangeRun insert_run = run;
    insert_run.writes = &inserts;
    RETURN_IF_ERROR(inserts_->Run(insert_run).status());
    MutationBatch* const rows = update_->RowsOf(&inserts);
    if (run.autocommit) return update_->Run(run, *rows);
    const size_t count = rows->row_count();
    Defer(run, std::move(*rows));
    return static_cast<int64_t>(count);
  }

  Result<std::vector<exec::PlanLine>> Explain(std::span<const Value> params) override {
    return inserts_->Explain(params);
  }
  std::vector<DataType> parameter_types() const override {
    std::vector<DataType> types = inserts_->parameter_types();
    update_->AddParameterTypes(&types);
    return types;
  }
  Status CheckParameter(size_t index, const Value& value) const override {
    return inserts_->CheckParameter(index, value);
  }
  Result<std::vector<exec::ResultColumn>> ReturnedColumns() const override {
    return update_->returner() == nullptr ? Change::ReturnedColumns()
                                          : update_->returner()->Columns();
  }
  std::vector<bool> compared_parameters() const override { return inserts_->compared_parameters(); }

 private:
  // Without autocommit the row is met at the commit.
  void Defer(const ChangeRun& run, MutationBatch rows) {
    const size_t count = rows.row_count();
    auto kept = std::make_shared<const MutationBatch>(std::move(rows));
    const std::vector<Value> params(run.params.begin(), run.params.end());
    ChangeRun later = run;
    later.params = {};
    later.returned = nullptr;
    run.writes->Defer(count, [update = update_, kept, params, later]() -> Status {
      PendingWrites writes(update->store()->write_clock(), update->store()->cluster_indexes());
      ChangeRun now = later;
      now.params = params;
      now.writes = &writes;
      return update->Run(now, *kept).status();
    });
  }

  const std::shared_ptr<AtomicUpdate> update_;
  const std::unique_ptr<Change> inserts_;
};

}  // namespace

Result<std::unique_ptr<Change>> MakeOnDuplicateKey(const bind::BoundUpsert& bound,
                                                   std::shared_ptr<Table> storage,
                                                   std::unique_ptr<Change> inserts,
                                                   const ChangeContext& context) {
  std::unique_ptr<RowReturner> returner;
  if (bound.returning) returner = std::make_unique<RowReturner>(bound.target.table, context);
  auto update = std::make_shared<AtomicUpdate>(bound.on_duplicate, bound.target.table,
                                               std::move(storage), std::move(returner), context);
  RETURN_IF_ERROR(update->Compile(bound.assignments));
  return std::unique_ptr<Change>(
      std::make_unique<OnDuplicateKeyChange>(std::move(update), std::move(inserts)));
}

}  // namespace bennu::sql::session
