// UPSERT VALUES and UPSERT SELECT.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "src/api/known_tables.h"
#include "src/base/status_macros.h"
#include "src/sql/bind/assign.h"
#include "src/sql/bind/change_binder.h"
#include "src/sql/bind/column_default.h"
#include "src/sql/exec/held_rows.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/plan/write_planner.h"
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

constexpr size_t kRowsPerWrite = 1000;  // of UPSERT SELECT under autocommit

// Key columns that get no value get their default, if they have one; other columns get theirs when
// they are read.
Result<RowWriter> MakeWriter(const bind::BoundTarget& target, size_t value_count,
                             const ChangeContext& context) {
  std::vector<uint32_t> columns(target.columns.begin(), target.columns.begin() + value_count);
  std::vector<Bytes> key_defaults;
  for (const uint32_t index : target.table->key_columns) {
    ASSIGN_OR_RETURN(
        key_defaults.emplace_back(),
        bind::EncodedDefaultOf(target.table->columns[index], context.prepare.now_millis));
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
  UpsertValues(std::shared_ptr<const bind::BoundUpsert> bound, std::shared_ptr<Table> storage,
               RowWriter writer, SqlStore* store, int64_t scn,
               std::unique_ptr<RowReturner> returner)
      : bound_(std::move(bound)),
        storage_(std::move(storage)),
        writer_(std::move(writer)),
        value_count_(bound_->value_count),
        store_(store),
        scn_(scn),
        returner_(std::move(returner)),
        row_(value_count_) {
    for (size_t i = 0; i < value_count_; ++i) encoders_.emplace_back(&ColumnOf(i));
  }

  // Plans what is computed. 203: it is of a type that its column cannot take.
  Status Compile(const ChangeContext& context) {
    expired_ = ExpiredRows::For(writer_.table(), storage_, context);
    for (const std::vector<bind::ComputedValue>& group : bound_->computed) {
      parse::ExprList expressions;
      for (const bind::ComputedValue& computed : group) {
        expressions.push_back(computed.expr->Clone());
      }
      ASSIGN_OR_RETURN(computed_.emplace_back(),
                       PrepareRow(std::move(expressions), *context.store, context.prepare));
      RETURN_IF_ERROR(CheckBesideSequences(group, computed_.back()->columns()));
    }
    SetParameterTypes();
    return Status::Ok();
  }

  Result<int64_t> Run(const ChangeRun& run) override {
    std::vector<Value> computed;
    for (const auto& query : computed_) {
      ASSIGN_OR_RETURN(std::vector<Value> values, FetchRow(*query, run.params, run.query));
      std::move(values.begin(), values.end(), std::back_inserter(computed));
    }
    TableWrites* const writes = run.writes->ForTable(writer_.table(), storage_);
    const size_t row_count = bound_->values.size() / value_count_;
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
    return exec::ExplainWrite(plan::PlanUpsert(*bound_), store_->connection());
  }
  std::vector<DataType> parameter_types() const override { return parameter_types_; }
  Status CheckParameter(size_t index, const Value& value) const override {
    const int32_t place = bound_->parameter_values[index];
    if (place < 0) return Status::Ok();
    const ColumnMeta& column = ColumnOf(static_cast<size_t>(place));
    if (bind::CheckAssignable(value.type(), column).ok()) return Status::Ok();
    // A text without characters is NULL in every column.
    Bytes unused;
    if (bind::EncodeAssigned(value, column, &unused).ok()) return Status::Ok();
    return SqlTypeMismatch("expected: " + TypeToString(column.type) +
                           " but was: " + TypeToString(value.type()) + " at parameter " +
                           std::to_string(index + 1) + " for column " + column.name);
  }
  Result<std::vector<exec::ResultColumn>> ReturnedColumns() const override {
    return returner_ == nullptr ? Change::ReturnedColumns() : returner_->Columns();
  }

 private:
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

  const ColumnMeta& ColumnOf(size_t i) const { return bound_->target.ColumnOf(i); }

  // A value that cannot be one of its column is refused before a sequence goes on for its row.
  Status CheckBesideSequences(const std::vector<bind::ComputedValue>& group,
                              const std::vector<exec::ResultColumn>& columns) const {
    for (size_t i = 0; i < group.size(); ++i) {
      if (!group[i].beside_sequence) continue;
      RETURN_IF_ERROR(WithPosition(bind::CheckAssignable(columns[i].type, ColumnOf(group[i].value)),
                                   group[i].expr->position));
    }
    return Status::Ok();
  }

  void SetParameterTypes() {
    for (const int32_t value : bound_->parameter_values) {
      parameter_types_.push_back(value < 0 ? DataType{}
                                           : ColumnOf(static_cast<size_t>(value)).type);
    }
    for (const auto& query : computed_) AddTypes(query->parameter_types(), &parameter_types_);
  }

  Status AppendRows(const ChangeRun& run, const std::vector<Value>& computed, TableWrites* writes) {
    for (size_t first = 0; first < bound_->values.size(); first += value_count_) {
      row_.Clear();
      for (size_t i = 0; i < value_count_; ++i) {
        const bind::BoundValue& value = bound_->values[first + i];
        switch (value.kind) {
          case bind::BoundValue::Kind::kConstant:
            row_.buffer()->append(bound_->constants[value.index]);
            break;
          case bind::BoundValue::Kind::kParameter:
            RETURN_IF_ERROR(encoders_[i].Append(run.params[value.index], row_.buffer()));
            break;
          case bind::BoundValue::Kind::kComputed:
            RETURN_IF_ERROR(WithPosition(
                bind::EncodeAssigned(computed[value.index], ColumnOf(i), row_.buffer()),
                value.position));
            break;
        }
        row_.Take();
      }
      RETURN_IF_ERROR(writer_.Append(row_.Views(), scn_, run.now_ms, writes));
    }
    return writes->batch.Check();
  }

  const std::shared_ptr<const bind::BoundUpsert> bound_;
  const std::shared_ptr<Table> storage_;
  RowWriter writer_;
  const size_t value_count_;
  std::vector<bind::ColumnEncoder> encoders_;  // of the values' columns
  SqlStore* const store_;
  const int64_t scn_;
  const std::unique_ptr<RowReturner> returner_;
  // One for each group of computed values.
  std::vector<std::unique_ptr<exec::PreparedQuery>> computed_;
  std::vector<DataType> parameter_types_;
  std::unique_ptr<ExpiredRows> expired_;  // null: rows do not expire by a condition
  EncodedRow row_;
};

Result<std::unique_ptr<Change>> MakeUpsertValues(std::shared_ptr<const bind::BoundUpsert> bound,
                                                 std::shared_ptr<Table> storage,
                                                 const ChangeContext& context) {
  ASSIGN_OR_RETURN(RowWriter writer, MakeWriter(bound->target, bound->value_count, context));
  std::unique_ptr<RowReturner> returner;
  const bool plain = bound->on_duplicate == parse::OnDuplicateKey::kNone;
  if (bound->returning && plain) {
    returner = std::make_unique<RowReturner>(bound->target.table, context);
  }
  auto change =
      std::make_unique<UpsertValues>(std::move(bound), std::move(storage), std::move(writer),
                                     context.store, context.scn, std::move(returner));
  RETURN_IF_ERROR(change->Compile(context));
  return std::unique_ptr<Change>(std::move(change));
}

// ---------------------------------------------------------------- SELECT

class UpsertSelect : public Change {
 public:
  UpsertSelect(std::shared_ptr<Table> storage, RowWriter writer,
               std::unique_ptr<exec::PreparedQuery> query, const ChangeContext& context)
      : storage_(std::move(storage)),
        writer_(std::move(writer)),
        query_(std::move(query)),
        expired_(ExpiredRows::For(writer_.table(), storage_, context)),
        holds_rows_(!context.store->connection()->capabilities().snapshots &&
                    query_->Reads(storage_->name())),
        scn_(context.scn),
        row_(query_->columns().size()) {}

  Result<int64_t> Run(const ChangeRun& run) override {
    ASSIGN_OR_RETURN(auto rows, query_->Open(run.params, run.query));
    if (holds_rows_ && run.autocommit) {
      ASSIGN_OR_RETURN(rows, exec::HoldRows(std::move(rows), query_->types(), run.query));
    }
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
    return query_->Explain(params);
  }
  std::vector<DataType> parameter_types() const override { return query_->parameter_types(); }
  std::vector<bool> compared_parameters() const override { return query_->compared_parameters(); }
  Status CheckParameter(size_t index, const Value& value) const override {
    return query_->CheckParameter(index, value);
  }

 private:
  Status AppendRow(const DataChunk& chunk, size_t row, int64_t now_ms, TableWrites* writes) {
    row_.Clear();
    for (size_t i = 0; i < chunk.columns.size(); ++i) {
      const ColumnMeta& column = writer_.table().columns[writer_.targets()[i]];
      RETURN_IF_ERROR(bind::EncodeAssigned(chunk.columns[i], row, column, row_.buffer()));
      row_.Take();
    }
    return writer_.Append(row_.Views(), scn_, now_ms, writes);
  }

  const std::shared_ptr<Table> storage_;
  RowWriter writer_;
  const std::unique_ptr<exec::PreparedQuery> query_;
  const std::unique_ptr<ExpiredRows> expired_;  // null: rows do not expire by a condition
  // The query could see what is written while it runs, and that again and again.
  const bool holds_rows_;
  const int64_t scn_;
  EncodedRow row_;
};

Result<std::unique_ptr<Change>> MakeUpsertSelect(const bind::BoundUpsert& bound,
                                                 std::shared_ptr<Table> storage,
                                                 const ChangeContext& context) {
  const plan::WriteSpec write = plan::PlanUpsert(bound);
  exec::PrepareContext prepare = context.prepare;
  prepare.write = &write;
  ASSIGN_OR_RETURN(auto query, context.store->prepare_query()(*bound.select, prepare));
  const auto& columns = query->columns();
  RETURN_IF_ERROR(bind::CheckValueCount(bound.target, columns.size(), bound.select->position));
  ASSIGN_OR_RETURN(RowWriter writer, MakeWriter(bound.target, columns.size(), context));
  for (size_t i = 0; i < columns.size(); ++i) {
    RETURN_IF_ERROR(bind::CheckQueryAssignable(columns[i].type, bound.target.ColumnOf(i)));
  }
  return std::unique_ptr<Change>(std::make_unique<UpsertSelect>(
      std::move(storage), std::move(writer), std::move(query), context));
}

}  // namespace

Status Change::CheckParameter(size_t /*index*/, const Value& /*value*/) const {
  return Status::Ok();
}

Result<std::vector<exec::ResultColumn>> Change::ReturnedColumns() const {
  return std::vector<exec::ResultColumn>();
}

bind::BindContext ChangeContext::ForBinder() const {
  bind::BindContext binder;
  binder.catalog = store->catalog();
  binder.default_schema = default_schema;
  binder.as_of = scn;
  binder.tenant = tenant;
  if (index::IndexKeeper* const keeper = store->indexes(); keeper != nullptr) {
    binder.check_indexes = [keeper](const catalog::TableMeta& table) {
      return keeper->CheckWrites(table);
    };
  }
  return binder;
}

Result<std::unique_ptr<Change>> MakeUpsert(const parse::Upsert& statement,
                                           const ChangeContext& context) {
  ASSIGN_OR_RETURN(bind::BoundUpsert bound_upsert,
                   bind::BindUpsert(statement, context.ForBinder(), context.bind_count));
  const auto bound = std::make_shared<const bind::BoundUpsert>(std::move(bound_upsert));
  ASSIGN_OR_RETURN(auto storage,
                   api::OpenKnownTable(context.store->connection(), bound->target.table->physical));
  if (bound->select != nullptr) return MakeUpsertSelect(*bound, std::move(storage), context);
  ASSIGN_OR_RETURN(auto inserts, MakeUpsertValues(bound, storage, context));
  if (bound->on_duplicate == parse::OnDuplicateKey::kNone) return inserts;
  return MakeOnDuplicateKey(*bound, std::move(storage), std::move(inserts), context);
}

}  // namespace bennu::sql::session
