// RowDecoder: rows of pinned cells to column vectors, without allocating.
//
// Cells of a row come in HBase's order, and so do the wanted columns: a walk over both at once
// finds the values by comparing each cell with the next wanted column, which it almost always is.
// The values' views are collected for a chunk's worth of rows and then decoded column by column.
//
//   for each row: decoder.AddRow(cells, count);   // at most capacity() rows
//   decoder.Finish(&chunk);
//
// Text and binary of the chunk are views of the cells: valid as long as the cells are pinned.
// One thread at a time.
#ifndef BENNU_SRC_SQL_EXEC_ROW_DECODER_H_
#define BENNU_SRC_SQL_EXEC_ROW_DECODER_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/cell/column_rows.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/plan/scan_column.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

using plan::ScanColumn;

class RowDecoder {
 public:
  // 'schema' must outlive this. 'capacity': rows between two calls of Finish. 'passed': a column
  // that rows have though nobody wants it (the empty one), so that passing it is as quick.
  RowDecoder(const KeySchema* schema, std::vector<ScanColumn> columns,
             size_t capacity = VectorSize(), std::pair<ByteView, ByteView> passed = {});

  size_t row_count() const { return row_count_; }
  size_t capacity() const { return capacity_; }

  // 'cells': all read cells of one row, at least one.
  void AddRow(const Cell* cells, size_t count) {
    if (row_count_ == room_) SetRoom(room_ * kGrowth);
    const uint32_t row = row_count_++;
    const uint32_t row_length = cells->row_length();
    if (keep_keys_) keys_[row] = ByteView(cells->key + 2, row_length);
    if (keep_sizes_) sizes_[row] = SizeOf(cells, count);
    const Wanted* wanted = wanted_.data();
    const Wanted* const wanted_end = wanted + wanted_.size();
    // Before the family's length byte: 2 bytes and the row; after the qualifier: 9 bytes.
    const uint32_t fixed = row_length + 11;
    for (const Cell *cell = cells, *end = cells + count; cell != end && wanted != wanted_end;
         ++cell) {
      const ByteView column(cell->key + 2 + row_length, cell->key_length - fixed);
      if (wanted->Is(column)) {
        Take(*wanted++, row, *cell);
      } else {
        wanted = Catch(wanted, wanted_end, column, row, *cell);
      }
    }
    for (; wanted != wanted_end; ++wanted) wanted->values[row] = ByteView();
  }

  // The rows of a slice, before any by AddRow; it must stay pinned as cells must. No column may
  // want timestamps or sizes.
  void AddSlice(const ColumnSlice& slice);

  // Decodes the added rows into the chunk's columns that this scan fills in; the others are left
  // alone. Errors: 201 for bytes that no encoder makes.
  Status Finish(DataChunk* chunk);

  struct Wanted {
    Bytes column;  // family length byte, family, qualifier
    Bytes family;
    Bytes qualifier;
    uint64_t head = 0;           // the first 8 bytes of 'column'
    uint64_t head_mask = 0;      // those of them that there are
    ByteView* values = nullptr;  // room_ views; data() == nullptr: no such cell

    // Timestamp and type, 9 bytes, follow a cell's column: 8 bytes can always be read.
    bool Is(ByteView other) const {
      if (other.size() != column.size()) return false;
      uint64_t other_head;
      std::memcpy(&other_head, other.data(), sizeof(other_head));
      if (((other_head ^ head) & head_mask) != 0) return false;
      return column.size() <= 8 ||
             std::memcmp(other.data() + 8, column.data() + 8, column.size() - 8) == 0;
    }
    int64_t* timestamps = nullptr;
  };
  // Rows that came as columns.
  struct Part {
    const ColumnRows* rows;
    uint32_t begin;
    uint32_t count;
    const ColumnRows::Column* Find(const Wanted& wanted) const;  // null: no row has it
  };

 private:
  // Most statements read few rows: room for a whole vector is made when it is needed.
  static constexpr size_t kFirstRoom = 32;
  static constexpr size_t kGrowth = 8;
  void SetRoom(size_t rows);

  static void Take(const Wanted& wanted, uint32_t row, const Cell& cell) {
    // A value of no bytes is still a value: explicit NULL, where a default would apply otherwise.
    wanted.values[row] = ByteView(cell.value != nullptr ? cell.value : "", cell.value_length);
    if (wanted.timestamps != nullptr) wanted.timestamps[row] = cell.timestamp();
  }
  static int64_t SizeOf(const Cell* cells, size_t count);
  // The slow half of AddRow: 'column' is not the next wanted one.
  const Wanted* Catch(const Wanted* wanted, const Wanted* end, ByteView column, uint32_t row,
                      const Cell& cell);
  void Want(ByteView family, ByteView qualifier);
  Status DecodeKeys(const ScanColumn& column, Vector* vector);
  bool DecodeParts(const ScanColumn& column, const Wanted& wanted, Vector* vector);
  Status DecodeCells(const ScanColumn& column, const ByteView* values, Vector* vector);
  Status DecodeShortOrLong(const ByteView* values, Vector* vector);

  const KeySchema* schema_;
  const std::vector<ScanColumn> columns_;
  const size_t capacity_;
  size_t room_ = 0;  // rows that there is memory for; at most capacity_
  bool keep_keys_ = false;
  bool keep_sizes_ = false;
  bool keep_timestamps_ = false;
  uint32_t row_count_ = 0;
  uint32_t part_rows_ = 0;  // of them, those of parts_, which come first
  std::vector<Part> parts_;
  std::vector<Wanted> wanted_;            // in HBase's order
  std::vector<size_t> wanted_of_column_;  // by column; -1 for key columns
  std::vector<ByteView> value_storage_;
  std::vector<int64_t> timestamp_storage_;
  std::vector<ByteView> keys_;
  std::vector<int64_t> sizes_;
  std::vector<ByteView> elements_;  // scratch
  Vector stored_;                   // likewise, of a key column that converts
};

// Decodes values[0, count) of one column; empty views are NULL.
Status DecodeColumn(const ByteView* values, size_t count, const DataType& type, SortOrder order,
                    Vector* vector);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_ROW_DECODER_H_
