// StaticRows: a result that is made before it is read, for SHOW, EXPLAIN and segments.
#ifndef BENNU_SRC_SQL_EXEC_STATIC_ROWS_H_
#define BENNU_SRC_SQL_EXEC_STATIC_ROWS_H_

#include <memory>
#include <utility>
#include <vector>

#include "src/sql/exec/query.h"
#include "src/sql/types/value.h"

namespace bennu::sql::exec {

class StaticRows : public RowStream {
 public:
  // Each row has a value for each column, of its type or NULL.
  StaticRows(std::vector<DataType> types, std::vector<std::vector<Value>> rows)
      : types_(std::move(types)), rows_(std::move(rows)) {}

  Status Next(DataChunk* chunk) override {
    chunk->Initialize(types_);
    while (next_ < rows_.size() && chunk->size < VectorSize()) {
      for (size_t i = 0; i < types_.size(); ++i) {
        chunk->columns[i].SetValue(chunk->size, rows_[next_][i]);
      }
      ++chunk->size;
      ++next_;
    }
    return Status::Ok();
  }

  Metrics metrics() const override {
    Metrics metrics;
    metrics.rows_returned = next_;
    return metrics;
  }

 private:
  const std::vector<DataType> types_;
  const std::vector<std::vector<Value>> rows_;
  size_t next_ = 0;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_STATIC_ROWS_H_
