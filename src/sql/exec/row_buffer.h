// RowBuffer: rows that an operator keeps (sorts, build sides of joins), with bytes of their own.
// Rows are numbered from 0 in the order in which they were added. One writer; then many readers.
#ifndef BENNU_SRC_SQL_EXEC_ROW_BUFFER_H_
#define BENNU_SRC_SQL_EXEC_ROW_BUFFER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/sql/types/type.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

class RowBuffer {
 public:
  // 'columns': which columns of the chunks are kept, and of which types.
  RowBuffer(std::vector<uint32_t> columns, std::vector<DataType> types);

  // Copies rows of the chunk: those in rows[0, count), or the first 'count' when rows is null.
  void Append(const DataChunk& chunk, const uint32_t* rows, size_t count);
  // Row i of the chunk's kept columns becomes row rows[i]; kNoRow gives NULLs. Bytes are views of
  // this buffer. The columns are initialized and reset here; other columns and the chunk's size are
  // left alone.
  static constexpr uint32_t kNoRow = UINT32_MAX;
  void Gather(const uint32_t* rows, size_t count, DataChunk* chunk) const;

  const std::vector<uint32_t>& columns() const { return columns_; }
  size_t size() const { return size_; }
  size_t memory_bytes() const { return memory_bytes_; }
  void Clear();

 private:
  static constexpr size_t kBlockRows = 2048;
  static constexpr size_t kBlockShift = 11;

  const std::vector<uint32_t> columns_;
  const std::vector<DataType> types_;
  std::vector<std::vector<Vector>> blocks_;  // each: one vector for each kept column
  size_t size_ = 0;
  size_t memory_bytes_ = 0;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_ROW_BUFFER_H_
