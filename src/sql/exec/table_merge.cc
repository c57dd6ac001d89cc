#include "src/sql/exec/table_merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/exec/row_decoder.h"
#include "src/sql/exec/row_fetcher.h"
#include "src/sql/exec/table_key_maker.h"

namespace bennu::sql::exec {
namespace {

// The first look-ups are of few rows, since a LIMIT above may want no more; then they grow.
constexpr size_t kFirstRows = 128;
constexpr size_t kGrowth = 4;

std::map<Bytes, std::set<Bytes>> ColumnsOf(const plan::TableMerge& merge) {
  std::map<Bytes, std::set<Bytes>> columns;
  for (const ScanColumn& column : merge.columns) {
    columns[column.family].insert(column.qualifier);
  }
  // A row exists by its empty cell, whatever else is in it.
  columns[merge.table->empty_family].insert(merge.table->empty_qualifier);
  return columns;
}

class TableMergeOperator : public Operator {
 public:
  TableMergeOperator(ExecContext* context, std::unique_ptr<Operator> child,
                     const plan::TableMerge* merge, const KeySchema* index_key, size_t slot_count,
                     int64_t row_limit, Step* step)
      : child_(std::move(child)),
        slot_count_(slot_count),
        step_(step),
        key_maker_(index_key, &merge->table->key_schema, &merge->key_places),
        fetcher_(context, merge->data, ColumnsOf(*merge)),
        decoder_(&merge->table->key_schema, merge->columns, VectorSize(),
                 {merge->table->empty_family, merge->table->empty_qualifier}),
        rows_at_once_(std::min(kFirstRows, VectorSize())),
        rows_left_(row_limit) {}

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
    found_.Clear();
    for (size_t i = 0; i < count; ++i) {
      const std::span<const Cell> row = fetcher_.row(i);
      if (row.empty()) continue;
      found_.Append(static_cast<uint32_t>(begin_ + i));
      decoder_.AddRow(row.data(), row.size());
    }
    begin_ += count;
    if (found_.size() == 0) return Status::Ok();
    GatherChunk(input_, found_, chunk);
    chunk->columns.resize(slot_count_);
    return decoder_.Finish(chunk);
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
  SelectionVector found_;
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
                                         const plan::TableMerge* merge, const KeySchema* index_key,
                                         size_t slot_count, int64_t row_limit, Step* step) {
  return std::make_unique<TableMergeOperator>(context, std::move(child), merge, index_key,
                                              slot_count, row_limit, step);
}

}  // namespace bennu::sql::exec
