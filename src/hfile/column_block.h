// ColumnBlock: the rows of a data block, or of several that follow each other, column by column,
// kept in the block cache beside the blocks or instead of them; what scans of many rows read. A
// fifth of the block's size, since keys are there once a row, and columns that are the same in all
// rows once.
//
// Only blocks whose every row reads the same for each reader to whom all cells are visible have
// one that is simple(): puts only, without tags, one version of a column in a row. What readers may
// see is told by the bounds of sequence ids and timestamps.
//
// Of one block row i is row i of the block. The last row is whole, with what the next block has of
// it. The first row is as it is in the block: it may go on there from the block before; who walks
// forward knows. Immutable, so thread-safe.
#ifndef BENNU_SRC_HFILE_COLUMN_BLOCK_H_
#define BENNU_SRC_HFILE_COLUMN_BLOCK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/cell/column_rows.h"
#include "src/hfile/block.h"

namespace bennu::hfile {

class ColumnBlock final : public CachedBlock {
 public:
  static constexpr Kind kKind = Kind::kColumns;

  using Blocks = std::vector<std::shared_ptr<const Block>>;
  // 'blocks': in the file's order, one at least. 'next': the block that follows them when the last
  // row may go on in it, else null. Never returns null; if a block is not simple the object only
  // says so.
  static std::shared_ptr<const ColumnBlock> Make(const Blocks& blocks, const Block* next);

  uint32_t block_count() const { return block_count_; }
  uint64_t last_offset() const { return last_offset_; }  // in the file, of the last of the blocks
  bool simple() const { return simple_; }
  // The rest only if simple.
  const ColumnRows& rows() const { return rows_; }
  uint32_t row_count() const { return rows_.row_count; }
  ByteView RowAt(uint32_t row) const { return rows_.KeyAt(row); }
  ByteView last_row() const { return RowAt(rows_.row_count - 1); }
  // Number of the first row at or after 'row', row_count() if none is. None before number 'from'
  // is; the nearer the answer is to it, the quicker.
  uint32_t RowLowerBound(ByteView row, uint32_t from = 0) const {
    return rows_.LowerBound(row, from, rows_.row_count);
  }
  int64_t min_timestamp() const { return min_timestamp_; }
  int64_t max_timestamp() const { return max_timestamp_; }
  uint64_t max_sequence_id() const { return max_sequence_id_; }
  uint64_t cell_count() const { return cell_count_; }
  // Of rows [begin, end).
  uint64_t CellsIn(uint32_t begin, uint32_t end) const {
    return CellsBefore(end) - CellsBefore(begin);
  }
  uint64_t cell_bytes() const { return cell_bytes_; }  // of all cells, serialized

  size_t memory_bytes() const override;

 private:
  friend class ColumnMaker;
  // Every so many rows it is known how many cells stand before.
  static constexpr uint32_t kRowsCounted = 64;

  ColumnBlock() : CachedBlock(kKind) {}
  uint64_t CellsBefore(uint32_t row) const;

  uint32_t block_count_ = 0;
  uint64_t last_offset_ = 0;
  bool simple_ = false;
  ColumnRows rows_;  // views of memory_
  std::unique_ptr<char[]> memory_;
  size_t memory_size_ = 0;
  int64_t min_timestamp_ = 0;
  int64_t max_timestamp_ = 0;
  uint64_t max_sequence_id_ = 0;
  uint64_t cell_count_ = 0;
  uint64_t cell_bytes_ = 0;
  std::vector<uint32_t> cells_before_;  // rows 0, kRowsCounted, 2 * kRowsCounted …
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_COLUMN_BLOCK_H_
