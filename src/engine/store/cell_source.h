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
#include "src/engine/memstore/memstore.h"
#include "src/engine/store/store_file.h"
#include "src/hfile/cursor.h"

namespace bennu::engine {

// Blocks that cells already handed out point into.
class PinSet {
 public:
  void Add(const std::shared_ptr<const hfile::Block>& block) {
    if (!pins_.empty() && pins_.back() == block) return;  // nearly always the last one again
    bytes_ += block->memory_bytes();
    pins_.push_back(block);
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
  }
  Status NextBlock() {
    RETURN_IF_ERROR(cursor_->NextBlock());
    Settle();
    return Status();
  }

  void AddMetrics(Scanner::Metrics* metrics) const;

 private:
  void Settle();
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
  bool valid_ = false;
  ByteView row_;
  Bytes scratch_;  // a search key being built
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_CELL_SOURCE_H_
