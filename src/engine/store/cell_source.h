// CellSource: one sorted run of cells that a store scanner merges: a memstore or an HFile.
//
// Stands on a cell or is at its end. Moves row by row; what it hands out points into a memstore
// (kept by the scanner's view) or into a block, which is pinned in the PinSet that is passed along.
// One thread at a time. Not virtual: the two kinds are told apart by a branch that is always the
// same.
#ifndef BENNU_SRC_ENGINE_STORE_CELL_SOURCE_H_
#define BENNU_SRC_ENGINE_STORE_CELL_SOURCE_H_

#include <memory>
#include <optional>
#include <vector>

#include "bennu/cell.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/engine/memstore/memstore.h"
#include "src/engine/store/store_file.h"
#include "src/hfile/cursor.h"

namespace bennu::engine {

// A place between the cells of a row: behind those with a key up to this one and, of that very key,
// with such a sequence id or a newer one.
struct RowBound {
  ByteView key;  // empty: behind the row
  uint64_t sequence_id = 0;

  bool set() const { return !key.empty(); }
  bool Covers(ByteView cell_key, uint64_t cell_sequence_id) const {
    if (!set()) return true;
    const int order = cell::CompareFlatKeysWithinRow(cell_key, key);
    return order != 0 ? order < 0 : cell_sequence_id >= sequence_id;
  }
  void Lower(ByteView cell_key, uint64_t cell_sequence_id) {
    if (!Covers(cell_key, cell_sequence_id)) return;
    key = cell_key;
    sequence_id = cell_sequence_id;
  }
};

// Blocks that cells already handed out point into.
class PinSet {
 public:
  void Add(const std::shared_ptr<const hfile::Block>& block) {
    if (!pins_.empty() && pins_.back() == block) return;  // nearly always the last one again
    bytes_ += block->memory_bytes();
    pins_.push_back(block);
  }
  size_t count() const { return pins_.size(); }
  // Lets go of all but the first 'count'.
  void Truncate(size_t count) {
    for (; pins_.size() > count; pins_.pop_back()) bytes_ -= pins_.back()->memory_bytes();
  }
  // Lets go of the first 'count'.
  void DropFirst(size_t count) {
    for (size_t i = 0; i < count; ++i) bytes_ -= pins_[i]->memory_bytes();
    pins_.erase(pins_.begin(), pins_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  void Clear() {
    pins_.clear();
    bytes_ = 0;
  }
  size_t bytes() const { return bytes_; }

 private:
  std::vector<std::shared_ptr<const hfile::Block>> pins_;
  size_t bytes_ = 0;
};

class CellSource {
 public:
  // 'memstore' must outlive this.
  // 'priority': among equal cells that of the lowest source wins.
  CellSource(const MemStore* memstore, uint32_t priority)
      : memory_(std::in_place, memstore), priority_(priority) {}
  // 'sequence_id': what the cells have whatever the file says (StoreFile::cell_sequence_id).
  CellSource(std::shared_ptr<const hfile::Reader> reader, const hfile::CursorOptions& options,
             uint32_t priority, std::optional<uint64_t> sequence_id)
      : cursor_(std::in_place, std::move(reader), options),
        priority_(priority),
        sequence_id_(sequence_id) {}

  bool Valid() const { return valid_; }
  // The row it stands on; valid until it moves.
  ByteView row() const { return row_; }
  bool is_file() const { return cursor_.has_value(); }
  uint32_t priority() const { return priority_; }

  // ---- forward
  Status SeekToFirst();
  Status SeekToRow(ByteView row);  // the first row at or after 'row'
  // Appends the cells of the row it stands on (from where it stands) and moves to the next row.
  Status TakeRow(std::vector<Cell>* cells, PinSet* pins);
  Status SkipRow();

  // ---- forward within a row, which may be long. 'row' is the row it stood on when the row was
  // begun; such a source may stand behind the last cell of a block that it has not left yet.
  // Whether the row has cells in further blocks (a file's).
  bool RowLeavesBlock();
  // As TakeRow, if the row is at hand: not in further blocks, not of many cells in a memstore.
  // False: nothing was taken.
  Result<bool> TakeRowAtHand(std::vector<Cell>* cells, PinSet* pins);
  // Takes back the last TakeRowAtHand of a memstore.
  void GoBack();
  // Whether it stands on a cell of the row, for which it may enter the next block.
  Result<bool> IsIn(ByteView row);
  // To the first cell at or after 'flat_key', unless it stands behind that, or has left the key's
  // row.
  Status SeekForward(ByteView flat_key);
  // How many cells of the row are in the current block from here on; a memstore may have as many.
  uint64_t cells_at_hand();
  // Looks at the cells of the row that are at hand, up to *bound. Lowers *bound to the last of them
  // when more may follow. It must stand in the row; files come before memstores.
  void LookAhead(RowBound* bound);
  // Appends those up to 'bound', after LookAhead of all sources, and moves behind them.
  Status TakeUpTo(const RowBound& bound, std::vector<Cell>* cells, PinSet* pins);

  // Whether the row it stands on has a cell with such a sequence id or an older one. A row that
  // goes on in the next block of a file counts as one that has.
  bool ShowsRow(uint64_t read_point) const;

  // ---- backward: each stands on the first cell of a row
  Status SeekToLastRow();
  Status SeekToRowBefore(ByteView row);

  // ---- files only, for loops over whole blocks
  const std::shared_ptr<const hfile::Block>& block() const { return cursor_->block_pin(); }
  // The cells' sequence ids are not those of the block.
  bool overrides_sequence_ids() const { return sequence_id_.has_value(); }
  uint32_t block_index() const { return cursor_->index(); }
  // Moves to cell 'index' of the current block, which must begin a row.
  void SetBlockIndex(uint32_t index) {
    cursor_->set_index(index);
    row_ = cursor_->block()->RowAt(index);
    row_end_ = 0;
  }
  Status NextBlock() {
    RETURN_IF_ERROR(cursor_->NextBlock());
    Settle();
    return Status();
  }

  // ---- files only, for whole blocks by column
  // Stands on its row in columns of its block, by itself or with those that follow, if they are of
  // use. 'usable' tells of columns whether they can be taken as they are, 'fits' whether the scan
  // reads rows up to this one, which is asked before columns are made. False: the block is to be
  // walked by cells.
  template <typename Usable, typename Fits>
  Result<bool> StandOnColumns(bool may_make, Usable usable, Fits fits) {
    if (cursor_->block_offset() == by_cells_) return false;
    if (cursor_->columns() != nullptr) {
      if (usable(*cursor_->columns())) return true;
      WalkByCells();
      return false;
    }
    may_make = may_make && !cursor_->in_piece();
    ASSIGN_OR_RETURN(auto columns, cursor_->CachedColumnGroup());
    ByteView last_row;
    // A scan that has not come far may not go far.
    const bool makes_group = columns == nullptr && may_make && blocks_as_columns_ > 0 &&
                             cursor_->BeginsColumnGroup(&last_row) && fits(last_row);
    if (makes_group) {
      ASSIGN_OR_RETURN(columns, cursor_->MakeColumnGroup());
    }
    if (columns == nullptr || !columns->simple() || !usable(*columns)) {
      ASSIGN_OR_RETURN(columns, cursor_->CachedColumns());
      if (columns == nullptr && may_make) {
        const hfile::Block& block = *cursor_->block();
        if (fits(block.RowAt(block.cell_count() - 1))) {
          ASSIGN_OR_RETURN(columns, cursor_->MakeColumns());
        }
      }
    }
    if (columns == nullptr || !columns->simple() || !usable(*columns)) {
      WalkByCells();
      return false;
    }
    const uint32_t row = columns->RowLowerBound(row_);
    cursor_->EnterColumns(std::move(columns), row);
    Settle();
    return true;
  }
  // The columns of the block that it stands in are of no use, to the block's end.
  void WalkByCells() {
    // What can be said of a piece does not hold for the whole block.
    if (cursor_->in_piece()) return;
    by_cells_ = cursor_->block_offset();
    cursor_->KeepBlock();
  }
  const std::shared_ptr<const hfile::ColumnBlock>& columns() const {
    return cursor_->columns_pin();
  }
  uint32_t column_row() const { return cursor_->column_row(); }
  // Of the rows of the columns, as readers are to take them.
  uint64_t newest_sequence_id() const {
    return sequence_id_.value_or(columns()->max_sequence_id());
  }
  // Moves to row 'row' of the columns, or to the first that begins behind their blocks.
  Status SetColumnRow(uint32_t row) {
    const uint64_t last_block = columns()->last_offset();
    if (counted_block_ != last_block) blocks_as_columns_ += columns()->block_count();
    counted_block_ = last_block;
    cursor_->set_column_row(row);
    if (row == columns()->row_count()) RETURN_IF_ERROR(cursor_->NextBlockOfColumns());
    Settle();
    return Status();
  }
  // Back to cells; block() and block_index() are right then.
  Status LeaveColumns() {
    if (cursor_->columns() == nullptr) return Status();
    RETURN_IF_ERROR(cursor_->LeaveColumns());
    Settle();
    return Status();
  }

  uint64_t blocks_as_columns() const { return blocks_as_columns_; }

  void AddMetrics(Scanner::Metrics* metrics) const;

 private:
  void Settle();
  // The end of the row in the current block.
  uint32_t RowEnd() {
    if (row_end_ == 0) row_end_ = cursor_->block()->NextRowStart(cursor_->index());
    return row_end_;
  }
  uint64_t SequenceIdAt(const hfile::Block& block, uint32_t index) const {
    if (sequence_id_.has_value()) return *sequence_id_;
    return block.sequence_ids() != nullptr ? block.sequence_ids()[index] : 0;
  }
  Status TakeFromMemory(const RowBound& bound, std::vector<Cell>* cells);
  void AppendCell(const hfile::Block& block, uint32_t index, std::vector<Cell>* cells) const {
    cells->push_back(block.CellAt(index));
    if (sequence_id_.has_value()) cells->back().sequence_id = *sequence_id_;
  }
  Status SettleAfter(Status status) {
    if (status.ok()) Settle();
    return status;
  }

  std::optional<MemStore::Iterator> memory_;
  std::optional<hfile::Cursor> cursor_;
  const uint32_t priority_;
  const std::optional<uint64_t> sequence_id_;
  uint64_t by_cells_ = UINT64_MAX;  // offset of a block whose columns are of no use
  uint64_t blocks_as_columns_ = 0;
  uint64_t counted_block_ = UINT64_MAX;  // last_offset() of the last columns counted
  bool valid_ = false;
  bool behind_block_ = false;  // the block's last cell was taken, the next block is not entered yet
  uint32_t row_end_ = 0;       // in the block; 0: not looked up
  ByteView row_;
  Bytes scratch_;  // a search key being built
  // Of a memstore, in a row that is read with TakeRowAtHand or in parts.
  std::optional<MemStore::Iterator> before_;  // where it stood
  std::vector<Cell> ahead_;                   // cells from there on; it stands behind them
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_CELL_SOURCE_H_
