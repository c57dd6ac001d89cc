// Cursor: walks the cells of one HFile in order, a block at a time.
//
// The engine's tight loops work on block() and index() directly and call NextBlock at a block's
// end:
//
//   Cursor cursor(reader);
//   for (status = cursor.SeekTo(key); status.ok() && cursor.Valid(); status = cursor.Next())
//     Use(cursor.cell());
//
// Cells point into the current block; block_pin() keeps them alive past the cursor's next move.
// After a seek the current "block" may be a piece of one, some rows of it (BlockOutline); a walk
// goes on with whole blocks after a few pieces. No virtual call, no allocation per cell. One thread
// only; many cursors may share a reader.
#ifndef BENNU_SRC_HFILE_CURSOR_H_
#define BENNU_SRC_HFILE_CURSOR_H_

#include <memory>
#include <utility>
#include <vector>

#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/hfile/block.h"
#include "src/hfile/index.h"
#include "src/hfile/reader.h"

namespace bennu::hfile {

struct CursorOptions {
  bool cache_blocks = true;  // false for compactions and long scans: blocks read are not kept
  // The file will be walked through: it is read ahead from the first block on. Otherwise a cursor
  // finds out by itself that it is on a long way.
  bool sequential = false;
};

class Cursor {
 public:
  explicit Cursor(std::shared_ptr<const Reader> reader, const CursorOptions& options = {});

  // ---- where it stands
  // False before the first seek, after the end, and after an error.
  bool Valid() const { return block_ != nullptr; }
  const Block* block() const { return block_.get(); }
  uint32_t index() const { return index_; }
  const std::shared_ptr<const Block>& block_pin() const { return block_; }
  // Whether the block's last row may have cells in the block that follows.
  bool last_row_may_go_on() const {
    return outline_ == nullptr || piece_ + 1 == outline_->piece_count();
  }
  // The same, as the index tells it: false when what follows surely begins with another row.
  bool last_row_goes_on() const;
  Cell cell() const { return block_->CellAt(index_); }
  const std::shared_ptr<const Reader>& reader() const { return reader_; }

  // ---- forward. An error leaves the cursor invalid. IoError, Corruption: as Reader's.
  Status SeekToFirst();
  // Stands on the first cell at or after 'flat_key' (in comparator order, sequence ids ignored), or
  // past the end. Cheap when that cell is in the current block or in a block of the same leaf
  // index.
  Status SeekTo(ByteView flat_key);
  // Stands on the first cell of the first row at or after 'row', or past the end.
  Status SeekToRow(ByteView row);
  Status Next() {
    if (++index_ < block_->cell_count()) return Status();
    return NextBlock();
  }
  // Moves to the first cell of the next block.
  Status NextBlock();
  // Moves to the first cell after the current row, even where the row spans blocks.
  Status NextRow();
  // Moves within the current block; 'index' < block()->cell_count().
  void set_index(uint32_t index) { index_ = index; }

  // ---- whole rows by column (column_cursor.cc), of the block that it stands in or of several that
  // belong together, this one among them. While columns() is set the cursor stands on row
  // column_row() of them; nothing but these functions may be called then, and block() may be null.
  const ColumnBlock* columns() const { return columns_.get(); }
  const std::shared_ptr<const ColumnBlock>& columns_pin() const { return columns_; }
  uint32_t column_row() const { return column_row_; }
  // Of the block that it stands in, or in a piece of.
  uint64_t block_offset() const { return block_offset_; }
  bool in_piece() const { return outline_ != nullptr; }
  // The columns of that block from the cache; null when they are not there.
  Result<std::shared_ptr<const ColumnBlock>> CachedColumns() const;
  // Those of the blocks that it belongs to.
  Result<std::shared_ptr<const ColumnBlock>> CachedColumnGroup() const;
  // Makes them of the current block, not of a piece, and keeps them in the cache.
  Result<std::shared_ptr<const ColumnBlock>> MakeColumns();
  // Whether it stands in the first of blocks that belong together. Then *last_row is one at or
  // behind the last of their rows, valid as long as the cursor stays.
  bool BeginsColumnGroup(ByteView* last_row) const;
  // As MakeColumns, of all these blocks.
  Result<std::shared_ptr<const ColumnBlock>> MakeColumnGroup();
  // Stands on row 'row' of columns that have the block's rows and are simple.
  void EnterColumns(std::shared_ptr<const ColumnBlock> columns, uint32_t row);
  void set_column_row(uint32_t row) { column_row_ = row; }
  // Moves to the first row that begins behind the columns' blocks: in columns if the cache has
  // them, else in the next block.
  Status NextBlockOfColumns();
  // The current block will be read by cells, by others too: it is kept in the cache after all.
  void KeepBlock();
  // Stands on the first row at or after 'row', or past the end, if that is behind where it stands:
  // in columns if the cache has those of the row's block, else in the block or a piece of it.
  Status SeekToRowOfColumns(ByteView row);
  // Goes on with the cells of the row.
  Status LeaveColumns();

  // ---- backward, for reversed scans
  Status SeekToLast();
  // Stands on the last cell before 'flat_key', or nowhere (not Valid) when there is none. (HBase's
  // HFileScanner.seekBefore, without the slip of its ROW_INDEX_V1 seeker, which lands on the first
  // cell of the block when the key's row is the block's first.)
  Status SeekBefore(ByteView flat_key);
  // Stands on the first cell of the row before the current one, or nowhere. Rows that span blocks
  // are followed to their first cell.
  Status PreviousRow();
  // Stands on the first cell of the last row before 'row', or nowhere.
  Status SeekToRowBefore(ByteView row);

  // ---- counters since construction
  uint64_t blocks_read() const { return blocks_read_; }      // from the file, pieces among them
  uint64_t blocks_cached() const { return blocks_cached_; }  // found in the cache

 private:
  // One step of the path from the root to the current data block.
  struct Level {
    std::shared_ptr<const IndexBlock> block;
    uint32_t position = 0;
  };

  // Puts the path at the last leaf entry whose key is at or before 'flat_key'; false: none is.
  Result<bool> Descend(ByteView flat_key);
  // Completes the path below its last level, by the first or the last entries.
  Status DescendEdge(bool last);
  // Moves the path to the next or previous leaf entry; false at the end.
  Result<bool> Step(bool forward);
  // Puts the path where a seek to 'flat_key' must look, without leaving the current leaf index if
  // it can be told to hold it. False: the key is before the first index key.
  Result<bool> FindLeafEntry(ByteView flat_key);
  // Of the leaf index at the path's end: the entries of the blocks whose columns belong together
  // with those of the current one are [first, second). Of one block when it stands alone.
  std::pair<uint32_t, uint32_t> ColumnGroup() const;
  // The cached columns of the block that the path points at, by themselves or with others.
  Result<std::shared_ptr<const ColumnBlock>> AnyCachedColumns() const;
  Status SeekInPath(ByteView flat_key);
  // Makes the block that the path points at the current one. 'keep': of a block read from the file.
  Status LoadCurrent(Reader::Keep keep);
  Status LoadCurrent() {
    return LoadCurrent(options_.cache_blocks ? Reader::Keep::kBlock : Reader::Keep::kNothing);
  }
  // Of blocks that are read for their columns.
  Reader::Keep KeepBesideColumns() const {
    return options_.cache_blocks ? Reader::Keep::kBesideColumns : Reader::Keep::kNothing;
  }
  // The block of the leaf entry behind the current one; null at the end.
  Result<std::shared_ptr<const Block>> PeekBlock(ByteView row);
  // Makes that block or the piece of it the current one that may have the first row at or after
  // 'row'. If it has not, what follows begins with that row.
  Status LoadFor(ByteView row);
  Status LoadPiece(uint64_t block_offset, std::shared_ptr<const BlockOutline> outline,
                   uint32_t piece);
  Status NextPiece();
  // Takes 'block' as the current one, or passes the error on.
  Status Take(Result<std::shared_ptr<const Block>> block, bool was_cached);
  void EnterCachedColumns(std::shared_ptr<const ColumnBlock> columns, uint32_t row);
  // Forgets the columns for a seek by cells.
  void ForgetColumns();
  void ReadAhead(const IndexBlock::Entry& entry);
  Status ToRowStart();
  Status Clear(Status status);
  Status OutOfOrder(uint64_t offset) const;  // of the block where that shows
  int CompareKeys(ByteView left, ByteView right) const;

  const std::shared_ptr<const Reader> reader_;
  const CursorOptions options_;
  std::shared_ptr<const Block> block_;
  uint32_t index_ = 0;
  std::vector<Level> path_;                      // path_[0] is the root; the last is the leaf
  uint64_t block_offset_ = 0;                    // of the block that block_ is, or is a piece of
  std::shared_ptr<const BlockOutline> outline_;  // of that block if block_ is a piece, else null
  uint32_t piece_ = 0;
  std::shared_ptr<const ColumnBlock> columns_;
  uint32_t column_row_ = 0;
  // Read already, since a row goes on there; used when the walk comes to it.
  std::shared_ptr<const Block> ahead_;
  bool unkept_ = false;         // block_ was read for its columns and is not in the cache
  uint32_t pieces_walked_ = 0;  // since the last seek
  // Blocks read from the file one after the other, where the last of them ended, and up to where
  // the file was asked for ahead.
  uint32_t reads_in_a_row_ = 0;
  uint64_t last_read_end_ = 0;
  uint64_t read_ahead_end_ = 0;
  uint64_t read_ahead_bytes_ = 0;
  uint64_t blocks_read_ = 0;
  uint64_t blocks_cached_ = 0;
  Bytes scratch_;  // a search key being built
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_CURSOR_H_
