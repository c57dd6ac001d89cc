#include "src/engine/store/cell_source.h"

#include <limits>

#include "src/cell/flat_key.h"

namespace bennu::engine {

namespace {

constexpr uint64_t kNewestSequence = std::numeric_limits<uint64_t>::max();

}  // namespace

void CellSource::Settle() {
  if (memory_.has_value()) {
    valid_ = memory_->Valid();
    if (valid_) row_ = memory_->cell().row();
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
  if (cursor_.has_value()) return SettleAfter(cursor_->SeekToRow(row));
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
  while (true) {
    const std::shared_ptr<const hfile::Block> block = cursor_->block_pin();
    pins->Add(block);
    const ByteView row = row_;
    const uint32_t end = block->NextRowStart(cursor_->index());
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
  if (cursor_.has_value()) return SettleAfter(cursor_->NextRow());
  // A few steps are cheaper than a search; a row with more cells is jumped over.
  constexpr int kStepsMax = 8;
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
