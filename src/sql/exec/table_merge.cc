#include "src/sql/exec/table_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/exec/row_decoder.h"
#include "src/sql/exec/row_fetcher.h"
#include "src/sql/exec/table_key_maker.h"
#include "src/sql/plan/index_definition.h"

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

class TableMergeOperator : public Operator {
 public:
  TableMergeOperator(ExecContext* context, std::unique_ptr<Operator> child,
                     const plan::IndexedTable* indexed, const KeySchema* index_key,
                     size_t slot_count, int64_t row_limit, Step* step)
      : child_(std::move(child)),
        slot_count_(slot_count),
        step_(step),
        key_maker_(index_key, &indexed->table->key_schema, &indexed->table_key),
        fetcher_(context, indexed->data, ColumnsOf(*indexed)),
        decoder_(&indexed->table->key_schema, indexed->columns, VectorSize(),
                 {indexed->table->empty_family, indexed->table->empty_qualifier}),
        rows_at_once_(std::min(kFirstRows, VectorSize())),
        rows_left_(row_limit) {
    if (indexed->definition != nullptr) encoder_.emplace(indexed->definition, /*builds=*/false);
  }

  Status Next(DataChunk* chunk) override {
    do {
      chunk->size = 0;
      if (rows_left_ == 0) return Status::Ok();
      if (begin_ == input_.size) {
        begin_ = 0;
        RETURN_IF_ERROR(child_->Next(&input_));
        if (input_.size == 0) return Status::Ok();
      }
      RETURN_IF_ERROR(LookUp(chunk));
    } while (chunk->size == 0);
    if (rows_left_ > 0) rows_left_ -= static_cast<int64_t>(chunk->size);
    return Status::Ok();
  }

 private:
  // Looks up the next rows of the input; the chunk gets those that the table has.
  Status LookUp(DataChunk* chunk) {
    const StepTimer timer(step_);
    size_t count = std::min(input_.size - begin_, rows_at_once_);
    if (rows_left_ >= 0) count = std::min(count, static_cast<size_t>(rows_left_));
    rows_at_once_ = std::min(rows_at_once_ * kGrowth, VectorSize());
    keys_.resize(count);
    const Vector& index_rows = input_.columns[slot_count_];
    for (size_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(key_maker_.Make(index_rows.At<ByteView>(begin_ + i), &keys_[i]));
    }
    RETURN_IF_ERROR(fetcher_.Fetch(keys_));
    if (step_ != nullptr) step_->AddRows(count);
    if (encoder_.has_value()) RETURN_IF_ERROR(EncodeRows());
    found_.Clear();
    for (size_t i = 0; i < count; ++i) {
      const std::span<const Cell> row = fetcher_.row(i);
      if (row.empty()) continue;
      if (encoder_.has_value() &&
          (!entries_[i].present || entries_[i].key != index_rows.At<ByteView>(begin_ + i))) {
        continue;
      }
      found_.Append(static_cast<uint32_t>(begin_ + i));
      decoder_.AddRow(row.data(), row.size());
    }
    begin_ += count;
    if (found_.size() == 0) return Status::Ok();
    GatherChunk(input_, found_, chunk);
    chunk->columns.resize(slot_count_);
    return decoder_.Finish(chunk);
  }

  // What the fetched rows have in the index.
  Status EncodeRows() {
    rows_.clear();
    for (size_t i = 0; i < keys_.size(); ++i) rows_.push_back({keys_[i], fetcher_.row(i)});
    return encoder_->Encode(rows_, &entries_);
  }

  const std::unique_ptr<Operator> child_;
  const size_t slot_count_;
  Step* const step_;
  TableKeyMaker key_maker_;
  RowFetcher fetcher_;
  RowDecoder decoder_;
  size_t rows_at_once_;
  int64_t rows_left_;  // negative: no limit
  DataChunk input_;
  size_t begin_ = 0;  // of what is not looked up yet
  std::vector<Bytes> keys_;
  std::optional<IndexEncoder> encoder_;  // of an uncovered index
  std::vector<TableRow> rows_;
  std::vector<IndexEntry> entries_;
  SelectionVector found_;
};

class TableKeysOperator : public Operator {
 public:
  TableKeysOperator(std::unique_ptr<Operator> child, const plan::IndexedTable* indexed,
                    const KeySchema* index_key)
      : child_(std::move(child)),
        slot_(static_cast<size_t>(indexed->key_slot)),
        key_maker_(index_key, &indexed->table->key_schema, &indexed->table_key) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(child_->Next(chunk));
    if (chunk->size == 0) return Status::Ok();
    Vector& column = chunk->columns[slot_];
    keys_.Initialize(column.type(), std::max(column.capacity(), chunk->size));
    keys_.Reset();
    for (size_t i = 0; i < chunk->size; ++i) {
      RETURN_IF_ERROR(key_maker_.Make(column.At<ByteView>(i), &key_));
      keys_.SetBytes(i, key_);
    }
    std::swap(keys_, column);
    return Status::Ok();
  }

 private:
  const std::unique_ptr<Operator> child_;
  const size_t slot_;
  TableKeyMaker key_maker_;
  Bytes key_;
  Vector keys_;
};

}  // namespace

void ReadKeysForMerge(TableScanSpec* spec) {
  ScanColumn key;
  key.source = ScanColumn::Source::kRowKey;
  key.type = {TypeId::kVarbinary};
  key.output = static_cast<uint32_t>(spec->slot_count++);
  spec->columns.push_back(std::move(key));
}

std::unique_ptr<Operator> MakeTableMerge(ExecContext* context, std::unique_ptr<Operator> child,
                                         const plan::IndexedTable* indexed,
                                         const KeySchema* index_key, size_t slot_count,
                                         int64_t row_limit, Step* step) {
  return std::make_unique<TableMergeOperator>(context, std::move(child), indexed, index_key,
                                              slot_count, row_limit, step);
}

std::unique_ptr<Operator> MakeTableKeys(std::unique_ptr<Operator> child,
                                        const plan::IndexedTable* indexed,
                                        const KeySchema* index_key) {
  return std::make_unique<TableKeysOperator>(std::move(child), indexed, index_key);
}

}  // namespace bennu::sql::exec
