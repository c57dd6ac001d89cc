#include "src/sql/exec/table_merge.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/table_key_maker.h"
#include "src/sql/exec/table_merger.h"

namespace bennu::sql::exec {
namespace {

class TableMergeOperator : public Operator {
 public:
  TableMergeOperator(ExecContext* context, std::unique_ptr<Operator> child,
                     const plan::IndexedTable* indexed, const KeySchema* index_key,
                     size_t slot_count, bind::ExprPtr filter, int64_t row_limit, Step* step)
      : child_(std::move(child)), merger_(indexed, index_key, slot_count, std::move(filter)) {
    merger_.Begin(context, row_limit, step);
  }

  Status Next(DataChunk* chunk) override { return merger_.Next(child_.get(), chunk); }

 private:
  const std::unique_ptr<Operator> child_;
  TableMerger merger_;
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
                                         bind::ExprPtr filter, int64_t row_limit, Step* step) {
  return std::make_unique<TableMergeOperator>(context, std::move(child), indexed, index_key,
                                              slot_count, std::move(filter), row_limit, step);
}

std::unique_ptr<Operator> MakeTableKeys(std::unique_ptr<Operator> child,
                                        const plan::IndexedTable* indexed,
                                        const KeySchema* index_key) {
  return std::make_unique<TableKeysOperator>(std::move(child), indexed, index_key);
}

}  // namespace bennu::sql::exec
