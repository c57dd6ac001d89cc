// UPSERT VALUES and UPSERT SELECT.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/parse/parser.h"
#include "src/sql/session/assign.h"
#include "src/sql/session/change.h"
#include "src/sql/session/constant.h"
#include "src/sql/session/expired_rows.h"
#include "src/sql/session/on_duplicate_key.h"
#include "src/sql/session/returning.h"
#include "src/sql/session/row_writer.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;
using parse::ExprKind;

constexpr size_t kRowsPerWrite = 1000;  // of UPSERT SELECT under autocommit

// ---------------------------------------------------------------- the table and its columns

// The table and the columns that the statement names, dynamic ones included.
struct Target {
  std::shared_ptr<const TableMeta> table;
  std::shared_ptr<Table> storage;
  std::vector<uint32_t> columns;  // all, in order, when the statement names none
  bool named = false;
};

Result<std::shared_ptr<const TableMeta>> AddDynamicColumns(
    std::shared_ptr<const TableMeta> table, const std::vector<parse::ColumnDef>& definitions) {
  std::vector<ColumnMeta> dynamic;
  for (const parse::ColumnDef& definition : definitions) {
    if (definition.type.name.empty()) continue;
    ASSIGN_OR_RETURN(ColumnMeta column, catalog::BuildColumn(definition, catalog::DdlContext{}));
    dynamic.push_back(std::move(column));
  }
  if (dynamic.empty()) return table;
  ASSIGN_OR_RETURN(TableMeta extended, table->WithDynamicColumns(dynamic));
  return std::make_shared<const TableMeta>(std::move(extended));
}

Result<Target> ResolveTarget(const parse::Upsert& statement, const ChangeContext& context) {
  Target target;
  ASSIGN_OR_RETURN(auto table, TableToChange(statement.table, context));
  ASSIGN_OR_RETURN(target.table, AddDynamicColumns(std::move(table), statement.columns));
  if (context.scn != kLatestTimestamp && target.table->row_timestamp_column >= 0) {
    return MakeSqlError(901, "tableName=" + target.table->FullName());
  }
  ASSIGN_OR_RETURN(target.storage, context.store->connection()->OpenTable(target.table->physical));
  target.named = !statement.columns.empty();
  for (const parse::ColumnDef& definition : statement.columns) {
    const parse::QualifiedName& name = definition.name;
    ASSIGN_OR_RETURN(
        const uint32_t column,
        name.qualifier.empty()
            ? target.table->FindColumn(name.name.text, name.position())
            : target.table->FindColumn(name.qualifier.text, name.name.text, name.position()));
    target.columns.push_back(column);
  }
  for (uint32_t i = 0; !target.named && i < target.table->columns.size(); ++i) {
    if (!target.table->columns[i].hidden) target.columns.push_back(i);
  }
  return target;
}

// Fewer values than columns are fine when the statement names no columns: the first ones are meant.
Status CheckCount(const Target& target, size_t values, int64_t position) {
  const size_t columns = target.columns.size();
  if (values == columns || (!target.named && values < columns)) return Status::Ok();
  return MakeSqlError(1020,
                      "Numbers of columns: " + std::to_string(columns) + ". Number of values: " +
                          std::to_string(values) + " tableName=" + target.table->FullName(),
                      position);
}

// Key columns that get no value get their default, if they have one; other columns get theirs when
// they are read.
Result<RowWriter> MakeWriter(const Target& target, size_t value_count,
                             const ChangeContext& context) {
  std::vector<uint32_t> columns(target.columns.begin(), target.columns.begin() + value_count);
  std::vector<Bytes> key_defaults;
  for (const uint32_t index : target.table->key_columns) {
    const ColumnMeta& column = target.table->columns[index];
    Bytes encoded;
    if (!column.default_text.empty()) {
      ASSIGN_OR_RETURN(const parse::ExprPtr expr, parse::ParseExpression(column.default_text));
      ASSIGN_OR_RETURN(const Value value, EvaluateConstant(*expr, *context.store, context.prepare));
      RETURN_IF_ERROR(EncodeAssigned(value, column, &encoded));
    }
    key_defaults.push_back(std::move(encoded));
  }
  return RowWriter(target.table, std::move(columns), std::move(key_defaults));
}

// The encoded values of one row, in buffers that are reused.
class EncodedRow {
 public:
  explicit EncodedRow(size_t count) : views_(count), ends_(count) {}

  // Where the next value is to be appended; call Take after.
  Bytes* buffer() { return &buffer_; }
  void Clear() {
    buffer_.clear();
    count_ = 0;
  }
  void Take() { ends_[count_++] = buffer_.size(); }
  std::span<const ByteView> Views() {
    size_t begin = 0;
    for (size_t i = 0; i < count_; ++i) {
      views_[i] = ByteView(buffer_).substr(begin, ends_[i] - begin);
      begin = ends_[i];
    }
    return std::span<const ByteView>(views_.data(), count_);
  }

 private:
  Bytes buffer_;
  std::vector<ByteView> views_;
  std::vector<size_t> ends_;
  size_t count_ = 0;
};

// ---------------------------------------------------------------- VALUES

class UpsertValues : public Change {
 public:
  // 'returner' null: nothing is returned.
  UpsertValues(const Target& target, RowWriter writer, size_t value_count, SqlStore* store,
               int64_t scn, std::unique_ptr<RowReturner> returner)
      : storage_(target.storage),
        writer_(std::move(writer)),
        value_count_(value_count),
        store_(store),
        scn_(scn),
        returner_(std::move(returner)),
        row_(value_count) {
    for (size_t i = 0; i < value_count; ++i) encoders_.emplace_back(&ColumnOf(i));
  }

  Status Compile(const std::vector<parse::ExprList>& rows, const ChangeContext& context) {
    parameter_types_.resize(static_cast<size_t>(context.bind_count));
    parameter_columns_.resize(parameter_types_.size());
    expired_ = ExpiredRows::For(writer_.table(), storage_, context);
    parse::ExprList computed;
    for (const parse::ExprList& row : rows) {
      bool sequences = false;
      for (size_t i = 0; i < row.size(); ++i) {
        sequences = sequences || NamesSequence(*row[i]);
        RETURN_IF_ERROR(CompileValue(*row[i], ColumnOf(i), &computed));
      }
      // Each row gets a value of its own.
      if (!sequences) continue;
      RETURN_IF_ERROR(PrepareComputed(std::move(computed), context));
      RETURN_IF_ERROR(CheckSequenceRow());
      computed.clear();
    }
    if (!computed.empty()) RETURN_IF_ERROR(PrepareComputed(std::move(computed), context));
    for (const auto& query : computed_) AddTypes(query->parameter_types(), &parameter_types_);
    return Status::Ok();
  }

  Result<int64_t> Run(const ChangeRun& run) override {
    std::vector<Value> computed;
    for (const auto& query : computed_) {
      ASSIGN_OR_RETURN(std::vector<Value> values, FetchRow(*query, run.params, run.query));
      std::move(values.begin(), values.end(), std::back_inserter(computed));
    }
    TableWrites* const writes = run.writes->ForTable(writer_.table(), storage_);
    const size_t row_count = values_.size() / value_count_;
    if (expired_ != nullptr) {
      TableWrites own;
      own.batch.durability = writes->batch.durability;
      RETURN_IF_ERROR(AppendRows(run, computed, &own));
      RETURN_IF_ERROR(expired_->Remove(own.batch, run));
      writes->Add(own);
    } else if (run.autocommit || row_count == 1) {
      RETURN_IF_ERROR(AppendRows(run, computed, writes));
    } else {
      // A fault in a later row must not leave the earlier ones among what is pending.
      TableWrites own;
      own.batch.durability = writes->batch.durability;
      RETURN_IF_ERROR(AppendRows(run, computed, &own));
      writes->Add(own);
    }
    if (returner_ != nullptr && run.autocommit && row_count == 1) {
      RETURN_IF_ERROR(WriteAndReturn(run, writes));
    }
    return row_count == 1 ? 1 : DistinctRows(writes->batch, row_count);
  }

  Result<std::vector<exec::PlanLine>> Explain(std::span<const Value>) override {
    return std::vector<exec::PlanLine>{{"PUT SINGLE ROW", 0, 0, 0}};
  }
  std::vector<DataType> parameter_types() const override { return parameter_types_; }
  Status CheckParameter(size_t index, const Value& value) const override {
    const ColumnMeta* const column = parameter_columns_[index];
    if (column == nullptr || CheckAssignable(value.type(), *column).ok()) return Status::Ok();
    // A text without characters is NULL in every column.
    Bytes unused;
    if (EncodeAssigned(value, *column, &unused).ok()) return Status::Ok();
    return SqlTypeMismatch("expected: " + TypeToString(column->type) +
                           " but was: " + TypeToString(value.type()) + " at parameter " +
                           std::to_string(index + 1) + " for column " + column->name);
  }
  Result<std::vector<exec::ResultColumn>> ReturnedColumns() const override {
    return returner_ == nullptr ? Change::ReturnedColumns() : returner_->Columns();
  }

 private:
  enum class Kind : uint8_t { kConstant, kParameter, kComputed };
  struct ValuePlan {
    Kind kind = Kind::kConstant;
    uint32_t index = 0;     // into constants_, the parameters or the computed row
    int64_t position = -1;  // of the expression in the statement
  };

  Status WriteAndReturn(const ChangeRun& run, TableWrites* writes) {
    const Bytes key(writes->batch.row_key(writes->batch.rows().back()));
    // Keeps atomic updates out until the row was read.
    MutexLock lock(store_->RowLock(key));
    RETURN_IF_ERROR(run.writes->Write(writes));
    ASSIGN_OR_RETURN(*run.returned, returner_->Read(key, run.query));
    return Status::Ok();
  }

  // A row that the statement names twice counts once.
  static int64_t DistinctRows(const MutationBatch& batch, size_t row_count) {
    std::unordered_set<ByteView> keys;
    for (size_t i = batch.rows().size() - row_count; i < batch.rows().size(); ++i) {
      keys.insert(batch.row_key(batch.rows()[i]));
    }
    return static_cast<int64_t>(keys.size());
  }

  const ColumnMeta& ColumnOf(size_t i) const {
    return writer_.table().columns[writer_.targets()[i]];
  }

  Status PrepareComputed(parse::ExprList computed, const ChangeContext& context) {
    prepared_values_ += computed.size();
    ASSIGN_OR_RETURN(computed_.emplace_back(),
                     PrepareRow(std::move(computed), *context.store, context.prepare));
    return Status::Ok();
  }

  // A value of the last row that can not be one of its column is refused before a sequence goes on
  // for it.
  Status CheckSequenceRow() const {
    const auto& columns = computed_.back()->columns();
    const size_t base = prepared_values_ - columns.size();
    for (size_t i = 0; i < value_count_; ++i) {
      const ValuePlan& value = values_[values_.size() - value_count_ + i];
      if (value.kind != Kind::kComputed) continue;
      RETURN_IF_ERROR(WithPosition(CheckAssignable(columns[value.index - base].type, ColumnOf(i)),
                                   value.position));
    }
    return Status::Ok();
  }

  Status CompileValue(const parse::Expr& expr, const ColumnMeta& column,
                      parse::ExprList* computed) {
    if (const parse::Expr* name = FindColumnIn(expr)) {
      const bool is_column = writer_.table().FindColumn(name->column.text, name->position).ok();
      return MakeSqlError(204, "", name->position,
                          is_column ? "what is computed from the row goes into ON DUPLICATE KEY "
                                      "UPDATE, or UPSERT ... SELECT"
                                    : "a text is written in single quotes");
    }
    if (bind::HasAggregate(expr)) return MakeSqlError(204, "", expr.position);
    if (parse::IsRow(expr)) {
      return MakeSqlError(203, "a row value for " + column.name, expr.position);
    }
    if (expr.kind == ExprKind::kBind) {
      const auto index = static_cast<uint32_t>(expr.bind_index - 1);
      parameter_types_[index] = column.type;
      parameter_columns_[index] = &column;
      values_.push_back(ValuePlan{Kind::kParameter, index});
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const std::optional<Value> literal, LiteralOf(expr));
    if (literal.has_value()) {
      values_.push_back(ValuePlan{Kind::kConstant, static_cast<uint32_t>(constants_.size())});
      return WithPosition(EncodeAssigned(*literal, column, &constants_.emplace_back()),
                          expr.position);
    }
    values_.push_back(ValuePlan{Kind::kComputed,
                                static_cast<uint32_t>(prepared_values_ + computed->size()),
                                expr.position});
    computed->push_back(expr.Clone());
    return Status::Ok();
  }

  Status AppendRows(const ChangeRun& run, const std::vector<Value>& computed, TableWrites* writes) {
    for (size_t first = 0; first < values_.size(); first += value_count_) {
      row_.Clear();
      for (size_t i = 0; i < value_count_; ++i) {
        const ValuePlan& value = values_[first + i];
        switch (value.kind) {
          case Kind::kConstant: row_.buffer()->append(constants_[value.index]); break;
          case Kind::kParameter:
            RETURN_IF_ERROR(encoders_[i].Append(run.params[value.index], row_.buffer()));
            break;
          case Kind::kComputed:
            RETURN_IF_ERROR(WithPosition(
                EncodeAssigned(computed[value.index], ColumnOf(i), row_.buffer()), value.position));
            break;
        }
        row_.Take();
      }
      RETURN_IF_ERROR(writer_.Append(row_.Views(), scn_, run.now_ms, writes));
    }
    return writes->batch.Check();
  }

  const std::shared_ptr<Table> storage_;
  RowWriter writer_;
  const size_t value_count_;
  std::vector<ColumnEncoder> encoders_;  // of the values' columns
  SqlStore* const store_;
  const int64_t scn_;
  const std::unique_ptr<RowReturner> returner_;
  std::vector<ValuePlan> values_;  // row after row
  std::vector<Bytes> constants_;   // encoded
  // One column per computed value; a row with sequences has a query of its own.
  std::vector<std::unique_ptr<exec::PreparedQuery>> computed_;
  size_t prepared_values_ = 0;  // columns of these queries
  std::vector<DataType> parameter_types_;
  std::vector<const ColumnMeta*> parameter_columns_;  // null: it is part of an expression
  std::unique_ptr<ExpiredRows> expired_;              // null: rows do not expire by a condition
  EncodedRow row_;
};

Result<std::unique_ptr<Change>> MakeUpsertValues(const parse::Upsert& statement,
                                                 const Target& target,
                                                 const ChangeContext& context) {
  const size_t value_count = statement.rows[0].size();
  for (const parse::ExprList& row : statement.rows) {
    RETURN_IF_ERROR(CheckCount(target, row.size(), row.empty() ? -1 : row[0]->position));
    if (row.size() != value_count) {
      return MakeSqlError(1020, "all rows must have as many values as the first one");
    }
  }
  ASSIGN_OR_RETURN(RowWriter writer, MakeWriter(target, value_count, context));
  std::unique_ptr<RowReturner> returner;
  const bool plain = statement.on_duplicate == parse::OnDuplicateKey::kNone;
  if (statement.returning && plain) {
    returner = std::make_unique<RowReturner>(target.table, context);
  }
  auto change = std::make_unique<UpsertValues>(target, std::move(writer), value_count,
                                               context.store, context.scn, std::move(returner));
  RETURN_IF_ERROR(change->Compile(statement.rows, context));
  return std::unique_ptr<Change>(std::move(change));
}

// ---------------------------------------------------------------- SELECT

class UpsertSelect : public Change {
 public:
  UpsertSelect(const Target& target, RowWriter writer, std::unique_ptr<exec::PreparedQuery> query,
               const ChangeContext& context)
      : storage_(target.storage),
        writer_(std::move(writer)),
        query_(std::move(query)),
        expired_(ExpiredRows::For(writer_.table(), storage_, context)),
        scn_(context.scn),
        row_(query_->columns().size()) {}

  Result<int64_t> Run(const ChangeRun& run) override {
    ASSIGN_OR_RETURN(const auto rows, query_->Open(run.params, run.query));
    TableWrites* const writes = run.writes->ForTable(writer_.table(), storage_);
    int64_t count = 0;
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(rows->Next(&chunk));
      if (chunk.size == 0) return count;
      for (size_t row = 0; row < chunk.size; ++row) {
        RETURN_IF_ERROR(AppendRow(chunk, row, run.now_ms, writes));
        if (expired_ != nullptr) RETURN_IF_ERROR(expired_->RemoveLast(writes->batch, run));
        if (run.autocommit && writes->batch.row_count() >= kRowsPerWrite) {
          RETURN_IF_ERROR(run.writes->Write(writes));
        }
      }
      count += static_cast<int64_t>(chunk.size);
    }
  }

  Result<std::vector<exec::PlanLine>> Explain(std::span<const Value> params) override {
    ASSIGN_OR_RETURN(std::vector<exec::PlanLine> lines, query_->Explain(params));
    exec::PlanLine first;
    if (!lines.empty()) first = lines.front();
    first.text = "UPSERT SELECT";
    lines.insert(lines.begin(), std::move(first));
    return lines;
  }
  std::vector<DataType> parameter_types() const override { return query_->parameter_types(); }
  std::vector<bool> compared_parameters() const override { return query_->compared_parameters(); }

 private:
  Status AppendRow(const DataChunk& chunk, size_t row, int64_t now_ms, TableWrites* writes) {
    row_.Clear();
    for (size_t i = 0; i < chunk.columns.size(); ++i) {
      const ColumnMeta& column = writer_.table().columns[writer_.targets()[i]];
      RETURN_IF_ERROR(EncodeAssigned(chunk.columns[i], row, column, row_.buffer()));
      row_.Take();
    }
    return writer_.Append(row_.Views(), scn_, now_ms, writes);
  }

  const std::shared_ptr<Table> storage_;
  RowWriter writer_;
  const std::unique_ptr<exec::PreparedQuery> query_;
  const std::unique_ptr<ExpiredRows> expired_;  // null: rows do not expire by a condition
  const int64_t scn_;
  EncodedRow row_;
};

// The only view that a query reads; null when it reads something else.
Result<std::shared_ptr<const TableMeta>> ViewRead(const parse::Select& select,
                                                  const ChangeContext& context) {
  const bool single = select.from.size() == 1 && select.union_all.empty() &&
                      select.from[0]->kind == parse::TableRefKind::kNamed;
  if (!single) return std::shared_ptr<const TableMeta>();
  const parse::QualifiedName& name = select.from[0]->name;
  const std::string& schema = name.qualifier.empty() ? context.default_schema : name.qualifier.text;
  return context.store->catalog()->GetTable(schema, name.name.text, name.position(), context.scn,
                                            context.tenant);
}

// A column that the view read holds to the same constant as the view written to holds 'column'.
bool IsHeldColumn(const parse::Expr& expr, const TableMeta* view, const ColumnMeta& column) {
  if (view == nullptr || expr.kind != ExprKind::kColumn) return false;
  const Result<uint32_t> found = view->FindColumn(expr.column.text);
  return found.ok() && view->columns[*found].view_constant == column.view_constant &&
         view->columns[*found].type == column.type;
}

// A column that the view holds to a constant takes nothing else, and of a column of the query that
// may vary Phoenix does not find out what it gives.
Status CheckViewColumns(const parse::Select& select, const Target& target,
                        const ChangeContext& context) {
  if (!target.table->is_view()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto view, ViewRead(select, context));
  bool star = false;
  for (size_t i = 0; i < select.items.size(); ++i) {
    star = star || select.items[i].expr->kind == ExprKind::kStar;
    if (!star && i >= target.columns.size()) break;
    // All columns of the same view.
    if (star && view != nullptr && view->key() == target.table->key()) break;
    const parse::Expr& item = *select.items[i].expr;
    const bool varies = star || FindColumnIn(item) != nullptr;
    const size_t end = star ? target.columns.size() : i + 1;
    for (size_t c = i; varies && c < end; ++c) {
      const ColumnMeta& column = target.table->columns[target.columns[c]];
      if (!column.view_constant.empty() && !column.hidden &&
          (star || !IsHeldColumn(item, view.get(), column))) {
        return MakeSqlError(1046, "columnName=" + column.name, select.position);
      }
    }
  }
  return Status::Ok();
}

// VALUES may name a column of no key twice, and the last value counts, as in Phoenix; SELECT may
// not.
Status CheckNamedOnce(const Target& target, int64_t position) {
  for (size_t i = 0; target.named && i < target.columns.size(); ++i) {
    const ColumnMeta& column = target.table->columns[target.columns[i]];
    const auto end = target.columns.begin() + static_cast<std::ptrdiff_t>(i);
    if (column.key_position >= 0 ||
        std::find(target.columns.begin(), end, target.columns[i]) == end)
      continue;
    return MakeSqlError(514, "columnName=" + target.table->FullName() + "." + column.name,
                        position);
  }
  return Status::Ok();
}

Result<std::unique_ptr<Change>> MakeUpsertSelect(const parse::Upsert& statement,
                                                 const Target& target,
                                                 const ChangeContext& context) {
  RETURN_IF_ERROR(CheckNamedOnce(target, statement.table.position()));
  RETURN_IF_ERROR(CheckViewColumns(*statement.select, target, context));
  ASSIGN_OR_RETURN(auto query, context.store->prepare_query()(*statement.select, context.prepare));
  const auto& columns = query->columns();
  RETURN_IF_ERROR(CheckCount(target, columns.size(), statement.select->position));
  ASSIGN_OR_RETURN(RowWriter writer, MakeWriter(target, columns.size(), context));
  for (size_t i = 0; i < columns.size(); ++i) {
    RETURN_IF_ERROR(CheckAssignable(columns[i].type, target.table->columns[writer.targets()[i]]));
  }
  return std::unique_ptr<Change>(
      std::make_unique<UpsertSelect>(target, std::move(writer), std::move(query), context));
}

}  // namespace

Status Change::CheckParameter(size_t /*index*/, const Value& /*value*/) const {
  return Status::Ok();
}

Result<std::vector<exec::ResultColumn>> Change::ReturnedColumns() const {
  return std::vector<exec::ResultColumn>();
}

Result<std::unique_ptr<Change>> MakeUpsert(const parse::Upsert& statement,
                                           const ChangeContext& context) {
  ASSIGN_OR_RETURN(const Target target, ResolveTarget(statement, context));
  if (statement.select != nullptr) return MakeUpsertSelect(statement, target, context);
  if (statement.on_duplicate == parse::OnDuplicateKey::kNone) {
    return MakeUpsertValues(statement, target, context);
  }
  RETURN_IF_ERROR(CheckOnDuplicateKey(statement, *target.table, context));
  ASSIGN_OR_RETURN(auto inserts, MakeUpsertValues(statement, target, context));
  return MakeOnDuplicateKey(statement, target.table, target.storage, std::move(inserts), context);
}

}  // namespace bennu::sql::session
