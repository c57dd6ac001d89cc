#include "src/sql/session/sequences.h"

#include <algorithm>
#include <utility>

#include "src/api/known_tables.h"
#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/session/row_condition.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/value.h"

namespace bennu::sql::session {
namespace {

using catalog::kCatalogFamily;
using catalog::TableKey;

constexpr std::string_view kEmptyColumn = "_0";
// What a store that is closed waits for at most until its sequences are in order.
constexpr uint64_t kReturnNanosMax = 5'000'000'000;
constexpr size_t kNamedMax = 5;  // sequences, in one line of the log

Bytes RowKey(const TableKey& key) {
  return catalog::EncodeCatalogKey({key.tenant, key.schema, key.name, {}, {}});
}

Status SequenceError(int code, const TableKey& key) {
  return MakeSqlError(code, "tableName=" + catalog::FullTableName(key.schema, key.name));
}

// a + b * c, clamped; true when it does not fit.
bool Overflows(int64_t a, int64_t b, int64_t c, int64_t* sum) {
  int64_t product = 0;
  return __builtin_mul_overflow(b, c, &product) || __builtin_add_overflow(a, product, sum);
}

// Would this many steps leave the sequence's bounds?
bool ReachesLimit(int64_t current, int64_t min, int64_t max, int64_t increment, int64_t steps) {
  int64_t next = 0;
  if (Overflows(current, increment, steps, &next)) return true;
  return increment > 0 ? next > max : next < min;
}

// As Java adds: what does not fit wraps around.
int64_t Advance(int64_t current, int64_t increment, int64_t steps) {
  return static_cast<int64_t>(static_cast<uint64_t>(current) +
                              static_cast<uint64_t>(increment) * static_cast<uint64_t>(steps));
}

void PutNumber(std::string_view column, int64_t number, int64_t timestamp, MutationBatch* batch) {
  Bytes encoded;
  // A BIGINT always fits.
  (void)Encode(Value::Bigint(number), {TypeId::kBigint}, SortOrder::kAsc, &encoded);
  batch->Put(kCatalogFamily, column, encoded, timestamp);
}

void PutFlag(std::string_view column, bool flag, int64_t timestamp, MutationBatch* batch) {
  Bytes encoded;
  (void)Encode(Value::Bool(flag), {TypeId::kBoolean}, SortOrder::kAsc, &encoded);
  batch->Put(kCatalogFamily, column, encoded, timestamp);
}

Result<int64_t> WholeNumber(const parse::ExprPtr& expr, int code, const TableKey& key,
                            const catalog::ConstantEvaluator& evaluate) {
  const auto value = evaluate(*expr);
  if (!value.ok() || value->is_null() || !IsIntegral(value->type().id)) {
    return SequenceError(code, key);
  }
  return value->int64();
}

}  // namespace

Result<SequenceDefinition> ReadSequenceDefinition(const parse::CreateSequence& statement,
                                                  const catalog::ConstantEvaluator& evaluate) {
  SequenceDefinition definition;
  const TableKey key{"", statement.name.qualifier.text, statement.name.name.text};
  const auto read = [&](const parse::ExprPtr& expr, int code, int64_t* out) -> Status {
    if (expr == nullptr) return Status::Ok();
    ASSIGN_OR_RETURN(*out, WholeNumber(expr, code, key, evaluate));
    return Status::Ok();
  };
  RETURN_IF_ERROR(read(statement.increment, 1203, &definition.increment));
  if (definition.increment == 0) return SequenceError(1214, key);
  RETURN_IF_ERROR(read(statement.max_value, 1209, &definition.max_value));
  RETURN_IF_ERROR(read(statement.min_value, 1208, &definition.min_value));
  if (definition.min_value > definition.max_value) return SequenceError(1210, key);
  if (statement.min_value != nullptr || statement.max_value != nullptr) {
    definition.start = definition.increment > 0 ? definition.min_value : definition.max_value;
  }
  RETURN_IF_ERROR(read(statement.start, 1202, &definition.start));
  if (definition.start < definition.min_value || definition.start > definition.max_value) {
    return SequenceError(1211, key);
  }
  RETURN_IF_ERROR(read(statement.cache, 1204, &definition.cache_size));
  if (definition.cache_size < 0) return SequenceError(1204, key);
  definition.cache_size = std::max<int64_t>(definition.cache_size, 1);
  definition.cycle = statement.cycle;
  return definition;
}

// ---------------------------------------------------------------- the table

Result<std::shared_ptr<Table>> Sequences::Open() {
  ASSIGN_OR_RETURN(const auto meta, catalog_->GetTable(catalog::kSystemSchema, "SEQUENCE"));
  table_ = meta->physical;
  return api::OpenKnownTable(connection_, meta->physical);
}

Result<Sequences::Row> Sequences::Read(Table* table, const TableKey& key) {
  Get get;
  get.row = RowKey(key);
  ASSIGN_OR_RETURN(const ::bennu::Row found, table->GetRow(get));
  if (found.empty()) return SequenceError(1201, key);
  Row row;
  for (const Cell& cell : found.cells) {
    const ByteView name = cell.qualifier();
    if (name == "CYCLE_FLAG" || name == "LIMIT_REACHED_FLAG") {
      (name == "CYCLE_FLAG" ? row.cycle : row.limit_reached) = cell.value_view() == "\x01";
      continue;
    }
    int64_t* number = nullptr;
    if (name == "CURRENT_VALUE") {
      number = &row.current;
      row.timestamp = cell.timestamp();
    }
    if (name == "INCREMENT_BY") number = &row.increment;
    if (name == "CACHE_SIZE") number = &row.cache_size;
    if (name == "MIN_VALUE") number = &row.min_value;
    if (name == "MAX_VALUE") number = &row.max_value;
    if (number == nullptr) continue;
    const auto value = Decode(cell.value_view(), {TypeId::kBigint}, SortOrder::kAsc);
    if (!value.ok() || value->is_null()) {
      return Corruption("SYSTEM.SEQUENCE: " + std::string(name) + " of " +
                        catalog::FullTableName(key.schema, key.name) + " is no BIGINT");
    }
    *number = value->int64();
  }
  return row;
}

Result<bool> Sequences::Write(Table* table, const TableKey& key, const Row& was, const Row& row) {
  MutationBatch batch;
  const Bytes row_key = RowKey(key);
  batch.StartRow(row_key);
  PutNumber("CURRENT_VALUE", row.current, row.timestamp, &batch);
  PutFlag("LIMIT_REACHED_FLAG", row.limit_reached, row.timestamp, &batch);
  Table::Condition unchanged;
  unchanged.row = row_key;
  unchanged.family = kCatalogFamily;
  unchanged.qualifier = "CURRENT_VALUE";
  RETURN_IF_ERROR(
      Encode(Value::Bigint(was.current), {TypeId::kBigint}, SortOrder::kAsc, &unchanged.value));
  // A sequence that was dropped and made anew has another time.
  unchanged.time_range = {was.timestamp, was.timestamp + 1};
  return table->CheckAndWrite(unchanged, &batch);
}

// ---------------------------------------------------------------- definitions

Status Sequences::Create(const TableKey& key, const SequenceDefinition& definition) {
  MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const auto table, Open());
  last_ms_ = std::max(last_ms_ + 1, connection_->NowMillis());
  MutationBatch batch;
  batch.StartRow(RowKey(key));
  batch.Put(kCatalogFamily, kEmptyColumn, "", last_ms_);
  PutNumber("CURRENT_VALUE", definition.start, last_ms_, &batch);
  PutNumber("START_WITH", definition.start, last_ms_, &batch);
  PutNumber("INCREMENT_BY", definition.increment, last_ms_, &batch);
  PutNumber("CACHE_SIZE", definition.cache_size, last_ms_, &batch);
  PutNumber("MIN_VALUE", definition.min_value, last_ms_, &batch);
  PutNumber("MAX_VALUE", definition.max_value, last_ms_, &batch);
  PutFlag("CYCLE_FLAG", definition.cycle, last_ms_, &batch);
  PutFlag("LIMIT_REACHED_FLAG", false, last_ms_, &batch);
  batches_.erase(key);
  Table::Condition is_new;
  is_new.row = RowKey(key);
  is_new.family = kCatalogFamily;
  is_new.qualifier = "CURRENT_VALUE";
  is_new.expect_absent = true;
  ASSIGN_OR_RETURN(const bool created, table->CheckAndWrite(is_new, &batch));
  return created ? Status::Ok() : SequenceError(1200, key);
}

Status Sequences::Drop(const TableKey& key) {
  MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const auto table, Open());
  RETURN_IF_ERROR(Read(table.get(), key).status());
  last_ms_ = std::max(last_ms_ + 1, connection_->NowMillis());
  batches_.erase(key);
  MutationBatch batch;
  batch.StartRow(RowKey(key));
  batch.DeleteFamily(kCatalogFamily, last_ms_);
  return table->Write(&batch);
}

// ---------------------------------------------------------------- values

Status Sequences::LimitError(const TableKey& key, bool increasing) {
  return SequenceError(increasing ? 1212 : 1213, key);
}

// Several values at once come all or not at all, and never around the end of a cycle.
Status Sequences::CheckBulk(const TableKey& key, const Row& row, int64_t count) {
  if (count <= 1) return Status::Ok();
  if (row.cycle) return SequenceError(1216, key);
  if (ReachesLimit(row.current, row.min_value, row.max_value, row.increment, count)) {
    return LimitError(key, row.increment > 0);
  }
  return Status::Ok();
}

// Of a sequence that nobody has used yet, several values of a cycle are refused when they are
// taken, as there.
Status Sequences::Validate(const TableKey& key, int64_t count) {
  MutexLock lock(&mu_);
  if (const auto it = batches_.find(key); it != batches_.end()) {
    return CheckBulk(key, it->second.row, count);
  }
  ASSIGN_OR_RETURN(const auto table, Open());
  ASSIGN_OR_RETURN(const Row row, Read(table.get(), key));
  return row.cycle ? Status::Ok() : CheckBulk(key, row, count);
}

Result<int64_t> Sequences::Next(const TableKey& key, int64_t count) {
  MutexLock lock(&mu_);
  const auto it = batches_.find(key);
  if (it == batches_.end()) return Reserve(key, count);
  Batch& batch = it->second;
  if (batch.row.current == batch.end) return Reserve(key, count);
  RETURN_IF_ERROR(CheckBulk(key, batch.row, count));
  if (count > 1) {
    int64_t last = 0;
    const bool fits = !Overflows(batch.row.current, batch.row.increment, count, &last) &&
                      (batch.row.increment > 0 ? last <= batch.end : last >= batch.end);
    if (!fits) return Reserve(key, count);
  }
  if (batch.limit_reached) {
    if (batch.row.cycle) return Reserve(key, count);
    return LimitError(key, batch.row.increment > 0);
  }
  return Give(&batch, count);
}

int64_t Sequences::Give(Batch* batch, int64_t count) {
  Row& row = batch->row;
  const int64_t value = row.current;
  if (Overflows(value, row.increment, count, &row.current)) {
    row.current = value;
    batch->limit_reached = true;
  }
  const bool over = row.increment > 0 ? row.current > row.max_value : row.current < row.min_value;
  batch->limit_reached = batch->limit_reached || over;
  return value;
}

Result<int64_t> Sequences::Reserve(const TableKey& key, int64_t count) {
  ASSIGN_OR_RETURN(const auto table, Open());
  for (int tries = 0; tries < kDecisionsMax; ++tries) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, TryReserve(table.get(), key, count));
    if (value.has_value()) return *value;
  }
  return Status(StatusCode::kAborted,
                "sequence " + catalog::FullTableName(key.schema, key.name) +
                    ": others reserved values before each attempt to reserve some");
}

Result<std::optional<int64_t>> Sequences::TryReserve(Table* table, const TableKey& key,
                                                     int64_t count) {
  ASSIGN_OR_RETURN(Row row, Read(table, key));
  const Row was = row;
  const bool increasing = row.increment > 0;
  RETURN_IF_ERROR(CheckBulk(key, row, count));
  if (row.limit_reached) {
    if (!row.cycle) return LimitError(key, increasing);
    row.current = increasing ? row.min_value : row.max_value;
  }
  const int64_t steps = count > 1 ? count : row.cache_size;
  Batch batch;
  batch.row = row;
  row.limit_reached = ReachesLimit(row.current, row.min_value, row.max_value, row.increment, steps);
  row.current = Advance(row.current, row.increment, steps);
  ASSIGN_OR_RETURN(const bool reserved, Write(table, key, was, row));
  if (!reserved) return std::optional<int64_t>();
  batch.end = row.current;
  const int64_t value = Give(&batch, count);
  batches_[key] = batch;
  return std::optional<int64_t>(value);
}

Result<int64_t> Sequences::Current(const TableKey& key) {
  MutexLock lock(&mu_);
  const auto it = batches_.find(key);
  if (it == batches_.end()) return SequenceError(1206, key);
  return it->second.row.current - it->second.row.increment;
}

Status Sequences::Return(Table* table, const TableKey& key, const Batch& batch) {
  auto row = Read(table, key);
  if (IsSqlError(row.status(), 1201)) return Status::Ok();
  RETURN_IF_ERROR(row.status());
  if (row->current != batch.end || row->timestamp != batch.row.timestamp) return Status::Ok();
  Row back = *row;
  back.current = batch.row.current;
  back.limit_reached = batch.limit_reached;
  return Write(table, key, *row, back).status();
}

void Sequences::ReturnUnused(const Reconnect& reconnect) {
  MutexLock lock(&mu_);
  std::erase_if(batches_,
                [](const auto& entry) { return entry.second.row.current == entry.second.end; });
  if (batches_.empty()) return;
  const uint64_t end = Env::Default()->MonotonicNanos() + kReturnNanosMax;
  std::shared_ptr<Table> table;
  const auto open = [&, name = *table_]() -> Status {
    ASSIGN_OR_RETURN(Connection* const connection, reconnect());
    // The catalog would ask by the connection that waits for long.
    ASSIGN_OR_RETURN(table, api::OpenKnownTable(connection, name));
    return Status::Ok();
  };
  Status status = open();
  while (status.ok() && !batches_.empty()) {
    const auto& [key, batch] = *batches_.begin();
    if (Env::Default()->MonotonicNanos() >= end) {
      status = Status(StatusCode::kTimedOut, "this takes more than five seconds");
    } else {
      status = Return(table.get(), key, batch);
    }
    if (status.ok()) batches_.erase(batches_.begin());
  }
  if (batches_.empty()) return;
  std::string names;
  size_t named = 0;
  for (const auto& [key, batch] : batches_) {
    if (named == kNamedMax) break;
    names += (named++ == 0 ? "" : ", ") + catalog::FullTableName(key.schema, key.name);
  }
  LogWarning(
      "values that were reserved of {} sequences ({}{}) and not used cannot be given back, and are "
      "skipped: {}",
      batches_.size(), names, named < batches_.size() ? ", …" : "", status.ToString());
  batches_.clear();
}

}  // namespace bennu::sql::session
