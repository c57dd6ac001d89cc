#include "src/sql/exec/table_merger.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"

namespace bennu::sql::exec {
namespace {

// The first look-ups are of few rows, since a LIMIT above may want no more; then they grow.
constexpr size_t kFirstRows = 128;
constexpr size_t kGrowth = 4;

std::map<Bytes, std::set<Bytes>> ColumnsOf(const plan::IndexedTable& indexed) {
  std::map<Bytes, std::set<Bytes>> columns;
  for (const ScanColumn& column : indexed.columns) {
    columns[column.family].insert(column.qualifier);
  }
  // The row is there by what the index was made of, so that index and table agree.
  for (const auto& [family, qualifiers] : indexed.index_columns) {
    std::set<Bytes>& all = columns[family];
    all.insert(qualifiers.begin(), qualifiers.end());
    if (qualifiers.empty()) all.clear();
  }
  return columns;
}

}  // namespace

TableMerger::TableMerger(const plan::IndexedTable* indexed, const KeySchema* index_key,
                         size_t slot_count, bind::ExprPtr filter)
    : slot_count_(slot_count),
      filter_(std::move(filter)),
      key_maker_(index_key, &indexed->table->key_schema, &indexed->table_key),
      fetcher_(indexed->data, ColumnsOf(*indexed)),
      decoder_(&indexed->table->key_schema, indexed->columns, VectorSize(),
               {indexed->table->empty_family, indexed->table->empty_qualifier}) {
  if (indexed->definition != nullptr) encoder_.emplace(indexed->definition, /*builds=*/false);
}

void TableMerger::Begin(ExecContext* context, int64_t row_limit, Step* step) {
  fetcher_.Begin(context);
  if (filter_ != nullptr) evaluator_.emplace(context);
  step_ = step;
  rows_at_once_ = std::min(kFirstRows, VectorSize());
  rows_left_ = row_limit;
  chosen_.Clear();
  next_ = 0;
}

void TableMerger::End() { fetcher_.End(); }

Status TableMerger::Next(Operator* scan, DataChunk* chunk) {
  do {
    chunk->size = 0;
    if (rows_left_ == 0) return Status::Ok();
    while (next_ == chosen_.size()) {
      RETURN_IF_ERROR(scan->Next(&input_));
      if (input_.size == 0) return Status::Ok();
      RETURN_IF_ERROR(Choose());
    }
    RETURN_IF_ERROR(LookUp(chunk));
  } while (chunk->size == 0);
  if (rows_left_ > 0) rows_left_ -= static_cast<int64_t>(chunk->size);
  return Status::Ok();
}

Status TableMerger::Choose() {
  next_ = 0;
  if (evaluator_.has_value()) return evaluator_->Filter(*filter_, input_, &chosen_);
  chosen_.rows.resize(input_.size);
  std::iota(chosen_.rows.begin(), chosen_.rows.end(), 0);
  return Status::Ok();
}

Status TableMerger::LookUp(DataChunk* chunk) {
  const StepTimer timer(step_);
  size_t count = std::min(chosen_.size() - next_, rows_at_once_);
  if (rows_left_ >= 0) count = std::min(count, static_cast<size_t>(rows_left_));
  rows_at_once_ = std::min(rows_at_once_ * kGrowth, VectorSize());
  const Vector& index_rows = input_.columns[slot_count_];
  const auto index_row = [&](size_t i) { return index_rows.At<ByteView>(chosen_[next_ + i]); };
  keys_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(key_maker_.Make(index_row(i), &keys_[i]));
  }
  RETURN_IF_ERROR(fetcher_.Fetch(keys_));
  if (step_ != nullptr) step_->AddRows(count);
  if (encoder_.has_value()) RETURN_IF_ERROR(EncodeRows());
  found_.Clear();
  for (size_t i = 0; i < count; ++i) {
    const std::span<const Cell> row = fetcher_.row(i);
    if (row.empty()) continue;
    if (encoder_.has_value() && (!entries_[i].present || entries_[i].key != index_row(i))) continue;
    found_.Append(chosen_[next_ + i]);
    decoder_.AddRow(row.data(), row.size());
  }
  next_ += count;
  if (found_.size() == 0) return Status::Ok();
  GatherChunk(input_, found_, chunk, slot_count_);
  return decoder_.Finish(chunk);
}

Status TableMerger::EncodeRows() {
  rows_.clear();
  for (size_t i = 0; i < keys_.size(); ++i) rows_.push_back({keys_[i], fetcher_.row(i)});
  return encoder_->Encode(rows_, &entries_);
}

}  // namespace bennu::sql::exec
