#include "src/engine/store/cell_source.h"

#include <algorithm>
#include <limits>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"

namespace bennu::engine {

namespace {

constexpr uint64_t kNewestSequence = std::numeric_limits<uint64_t>::max();
// Of a memstore's row, what is taken at a time.
constexpr size_t kCellsAtHand = 128;
// A few steps are cheaper than a search.
constexpr int kStepsMax = 8;

}  // namespace

void CellSource::Settle() {
  behind_block_ = false;
  row_end_ = 0;
  if (memory_.has_value()) {
    valid_ = memory_->Valid();
    if (valid_) row_ = memory_->cell().row();
  } else if (cursor_->columns() != nullptr) {
    valid_ = true;
    row_ = cursor_->columns()->RowAt(cursor_->column_row());
  } else {
    valid_ = cursor_->Valid();
    if (valid_) row_ = cursor_->block()->RowAt(cursor_->index());
  }
}

Status CellSource::SeekToFirst() {
  if (cursor_.has_value()) return SettleAfter(cursor_->SeekToFirst());
  memory_->SeekToFirst();
  Settle();
  return Status();
}

Status CellSource::SeekToRow(ByteView row) {
  if (cursor_.has_value()) {
    if (cursor_->columns() != nullptr) return SettleAfter(cursor_->SeekToRowOfColumns(row));
    // Read for columns that nobody makes now, it would be read again by the next scan.
    cursor_->KeepBlock();
    return SettleAfter(cursor_->SeekToRow(row));
  }
  scratch_.clear();
  cell::AppendFirstOnRow(&scratch_, row);
  memory_->Seek(scratch_, kNewestSequence);
  Settle();
  return Status();
}

Status CellSource::TakeRow(std::vector<Cell>* cells, PinSet* pins) {
  if (memory_.has_value()) {
    const ByteView row = row_;  // arena bytes: they stay
    do {
      cells->push_back(memory_->cell());
      memory_->Next();
    } while (memory_->Valid() && memory_->cell().row() == row);
    Settle();
    return Status();
  }
  RETURN_IF_ERROR(LeaveColumns());
  while (true) {
    const std::shared_ptr<const hfile::Block> block = cursor_->block_pin();
    pins->Add(block);
    const ByteView row = row_;
    const uint32_t end = RowEnd();
    for (uint32_t i = cursor_->index(); i < end; ++i) AppendCell(*block, i, cells);
    if (end < block->cell_count()) {
      SetBlockIndex(end);
      return Status();
    }
    RETURN_IF_ERROR(NextBlock());
    if (!valid_ || row_ != row) return Status();  // else the row goes on in this block
  }
}

Status CellSource::SkipRow() {
  if (cursor_.has_value()) RETURN_IF_ERROR(LeaveColumns());
  if (behind_block_) {
    scratch_.clear();
    cell::AppendLastOnRow(&scratch_, row_);
    return SettleAfter(cursor_->SeekTo(scratch_));
  }
  if (cursor_.has_value()) return SettleAfter(cursor_->NextRow());
  const ByteView row = row_;
  for (int step = 0; step < kStepsMax; ++step) {
    memory_->Next();
    if (!memory_->Valid() || memory_->cell().row() != row) {
      Settle();
      return Status();
    }
  }
  scratch_.clear();
  cell::AppendLastOnRow(&scratch_, row);
  memory_->Seek(scratch_, kNewestSequence);
  Settle();
  return Status();
}

// ---- within a row

bool CellSource::RowLeavesBlock() {
  return is_file() && RowEnd() == cursor_->block()->cell_count() && cursor_->last_row_goes_on();
}

Result<bool> CellSource::TakeRowAtHand(std::vector<Cell>* cells, PinSet* pins) {
  if (is_file()) {
    if (RowLeavesBlock()) return false;
    RETURN_IF_ERROR(TakeRow(cells, pins));
    return true;
  }
  before_ = memory_;
  const size_t first = cells->size();
  const ByteView row = row_;
  do {
    if (cells->size() - first == kCellsAtHand) {
      cells->resize(first);
      GoBack();
      return false;
    }
    cells->push_back(memory_->cell());
    memory_->Next();
  } while (memory_->Valid() && memory_->cell().row() == row);
  Settle();
  return true;
}

void CellSource::GoBack() {
  memory_ = before_;
  Settle();
}

Result<bool> CellSource::IsIn(ByteView row) {
  if (behind_block_) RETURN_IF_ERROR(NextBlock());
  return valid_ && row_ == row;
}

Status CellSource::SeekForward(ByteView flat_key) {
  // It may have left the row.
  const ByteView wanted(flat_key.data() + 2, LoadBE16(flat_key.data()));
  if (!behind_block_ && (!valid_ || row_ != wanted)) return Status();
  if (is_file()) {
    // The last cell before the place where it stands, or the one there.
    const hfile::Block& block = *cursor_->block();
    const uint32_t at = behind_block_ ? block.cell_count() - 1 : cursor_->index();
    if (cell::CompareFlatKeysWithinRow(block.KeyAt(at), flat_key) >= 0) return Status();
    return SettleAfter(cursor_->SeekTo(flat_key));
  }
  const ByteView row = row_;
  for (int step = 0; step < kStepsMax; ++step) {
    if (cell::CompareFlatKeysWithinRow(memory_->cell().flat_key(), flat_key) >= 0) {
      Settle();
      return Status();
    }
    memory_->Next();
    if (!memory_->Valid() || memory_->cell().row() != row) {
      Settle();
      return Status();
    }
  }
  if (cell::CompareFlatKeysWithinRow(memory_->cell().flat_key(), flat_key) < 0) {
    memory_->Seek(flat_key, kNewestSequence);
  }
  Settle();
  return Status();
}

uint64_t CellSource::cells_at_hand() {
  return is_file() ? RowEnd() - cursor_->index() : kCellsAtHand;
}

void CellSource::LookAhead(RowBound* bound) {
  if (is_file()) {
    if (!RowLeavesBlock()) return;
    const hfile::Block& block = *cursor_->block();
    bound->Lower(block.KeyAt(RowEnd() - 1), SequenceIdAt(block, RowEnd() - 1));
    return;
  }
  before_ = memory_;
  ahead_.clear();
  const ByteView row = row_;
  do {
    const Cell& cell = memory_->cell();
    if (!bound->Covers(cell.flat_key(), cell.sequence_id)) return;
    if (ahead_.size() == kCellsAtHand) {
      bound->Lower(ahead_.back().flat_key(), ahead_.back().sequence_id);
      return;
    }
    ahead_.push_back(cell);
    memory_->Next();
  } while (memory_->Valid() && memory_->cell().row() == row);
}

Status CellSource::TakeUpTo(const RowBound& bound, std::vector<Cell>* cells, PinSet* pins) {
  if (!is_file()) return TakeFromMemory(bound, cells);
  const hfile::Block& block = *cursor_->block();
  const uint32_t row_end = RowEnd();
  uint32_t end = row_end;
  if (!bound.Covers(block.KeyAt(end - 1), SequenceIdAt(block, end - 1))) {
    end = std::max(block.LowerBound(bound.key), cursor_->index());
    while (end < row_end && bound.Covers(block.KeyAt(end), SequenceIdAt(block, end))) ++end;
  }
  if (end == cursor_->index()) return Status();
  pins->Add(cursor_->block_pin());
  for (uint32_t i = cursor_->index(); i < end; ++i) AppendCell(block, i, cells);
  if (end < block.cell_count()) {
    SetBlockIndex(end);
  } else {
    behind_block_ = true;
  }
  return Status();
}

Status CellSource::TakeFromMemory(const RowBound& bound, std::vector<Cell>* cells) {
  size_t taken = ahead_.size();
  while (taken > 0 && !bound.Covers(ahead_[taken - 1].flat_key(), ahead_[taken - 1].sequence_id)) {
    --taken;
  }
  cells->insert(cells->end(), ahead_.begin(), ahead_.begin() + static_cast<ptrdiff_t>(taken));
  if (taken < ahead_.size()) {
    // Not by counting: cells may have come in between.
    for (memory_ = before_; memory_->cell().key != ahead_[taken].key;) memory_->Next();
  }
  ahead_.clear();
  Settle();
  return Status();
}

bool CellSource::ShowsRow(uint64_t read_point) const {
  if (memory_.has_value()) {
    for (MemStore::Iterator i = *memory_; i.Valid() && i.cell().row() == row_; i.Next()) {
      if (i.cell().sequence_id <= read_point) return true;
    }
    return false;
  }
  if (sequence_id_.has_value()) return *sequence_id_ <= read_point;
  const hfile::Block& block = *cursor_->block();
  const uint32_t end = block.NextRowStart(cursor_->index());
  for (uint32_t i = cursor_->index(); i < end; ++i) {
    if (block.CellAt(i).sequence_id <= read_point) return true;
  }
  return end == block.cell_count() && cursor_->last_row_may_go_on();
}

void CellSource::AddMetrics(Scanner::Metrics* metrics) const {
  if (!cursor_.has_value()) return;
  metrics->blocks_read += cursor_->blocks_read();
  metrics->blocks_cached += cursor_->blocks_cached();
}

Status CellSource::SeekToLastRow() {
  if (cursor_.has_value()) {
    RETURN_IF_ERROR(cursor_->SeekToLast());
    Settle();
    if (!valid_) return Status();
    const Bytes last(row_);
    return SeekToRow(last);
  }
  // No row is longer than this one, and none has bytes above it.
  const Bytes past_all(kMaxRowLength, '\xff');
  return SeekToRowBefore(past_all);
}

Status CellSource::SeekToRowBefore(ByteView row) {
  if (cursor_.has_value()) return SettleAfter(cursor_->SeekToRowBefore(row));
  scratch_.clear();
  cell::AppendFirstOnRow(&scratch_, row);
  memory_->SeekBefore(scratch_, kNewestSequence);
  Settle();
  if (!valid_) return Status();
  return SeekToRow(row_);  // from the row's last cell to its first
}

}  // namespace bennu::engine
