// How a cursor walks from the columns of a block to those of the next, past the blocks themselves.
#include <utility>

#include "src/base/check.h"
#include "src/base/coding.h"
#include "src/cell/flat_key.h"
#include "src/hfile/cursor.h"

namespace bennu::hfile {

Result<std::shared_ptr<const ColumnBlock>> Cursor::CachedColumns() const {
  return reader_->CachedColumns(block_offset_);
}

// Only when it may begin with cells of 'row': its key in the index is not after its first cell, and
// after all cells before.
Result<std::shared_ptr<const Block>> Cursor::PeekBlock(ByteView row) {
  std::shared_ptr<const Block> none;
  std::vector<Level> path = path_;
  Result<bool> more = Step(/*forward=*/true);
  path_.swap(path);
  if (!more.ok()) return std::move(more).status();
  if (!*more) return none;
  const IndexBlock& leaf = *path.back().block;
  const ByteView key = leaf.key(path.back().position);
  if (ByteView(key.data() + 2, LoadBE16(key.data())) != row) return none;
  const IndexBlock::Entry& entry = leaf.entry(path.back().position);
  ASSIGN_OR_RETURN(std::shared_ptr<const Block> block, reader_->CachedDataBlock(entry.offset));
  if (block != nullptr) return block;
  if (ahead_ == nullptr || ahead_->file_offset() != entry.offset) {
    ASSIGN_OR_RETURN(
        ahead_, reader_->LoadDataBlock(entry.offset, entry.on_disk_size, Reader::Keep::kNothing));
    ++blocks_read_;
  }
  return ahead_;
}

Result<std::shared_ptr<const ColumnBlock>> Cursor::MakeColumns() {
  BENNU_DCHECK(block_ != nullptr && outline_ == nullptr);
  const ByteView last_row = block_->RowAt(block_->cell_count() - 1);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Block> next, PeekBlock(last_row));
  return reader_->KeepColumns(block_offset_, ColumnBlock::Make(*block_, next.get()));
}

void Cursor::EnterColumns(std::shared_ptr<const ColumnBlock> columns, uint32_t row) {
  columns_ = std::move(columns);
  column_row_ = row;
  if (outline_ == nullptr) return;
  outline_ = nullptr;
  block_ = nullptr;
}

Status Cursor::NextBlockOfColumns() {
  const std::shared_ptr<const ColumnBlock> before = std::move(columns_);
  columns_ = nullptr;
  const uint64_t offset_before = block_offset_;
  Result<bool> more = Step(/*forward=*/true);
  if (!more.ok()) return Clear(std::move(more).status());
  if (!*more) return Clear(Status());
  const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
  if (entry.offset <= offset_before) return Clear(OutOfOrder(offset_before));
  auto cached = reader_->CachedColumns(entry.offset);
  if (!cached.ok()) return Clear(std::move(cached).status());
  const ByteView last_row = before->last_row();
  if (*cached != nullptr && (*cached)->simple()) {
    const uint32_t row = (*cached)->RowAt(0) == last_row ? 1 : 0;
    if (row < (*cached)->row_count()) {
      ++blocks_cached_;
      block_ = nullptr;
      block_offset_ = entry.offset;
      EnterColumns(std::move(cached).value(), row);
      return Status();
    }
  }
  // Perhaps only its columns will be kept.
  RETURN_IF_ERROR(LoadCurrent(*cached == nullptr ? Reader::Keep::kNothing : Reader::Keep::kBlock));
  index_ = 0;
  if (block_->RowAt(0) != last_row) return Status();
  return NextRow();
}

Status Cursor::SeekToRowOfColumns(ByteView row) {
  if (columns_->last_row() >= row) {
    column_row_ = columns_->RowLowerBound(row, column_row_);
    return Status();
  }
  const uint64_t offset_before = block_offset_;
  scratch_.clear();
  cell::AppendFirstOnRow(&scratch_, row);
  Result<bool> found = FindLeafEntry(scratch_);
  if (!found.ok()) return Clear(std::move(found).status());
  const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
  if (!*found || entry.offset < offset_before) return Clear(OutOfOrder(offset_before));
  if (entry.offset > offset_before) {
    auto cached = reader_->CachedColumns(entry.offset);
    if (!cached.ok()) return Clear(std::move(cached).status());
    if (*cached == nullptr || !(*cached)->simple()) {
      ForgetColumns();
      return SeekToRow(row);
    }
    ++blocks_cached_;
    block_ = nullptr;
    block_offset_ = entry.offset;
    // The block's key in the index is not after 'row', so that a row which begins in the block
    // before it is.
    const uint32_t first = (*cached)->RowLowerBound(row);
    EnterColumns(std::move(cached).value(), first);
    if (first < columns_->row_count()) return Status();
  }
  return NextBlockOfColumns();
}

void Cursor::KeepBlock() {
  if (!unkept_ || block_ == nullptr || outline_ != nullptr) return;
  unkept_ = false;
  reader_->KeepBlock(block_offset_, block_);
}

Status Cursor::LeaveColumns() {
  if (columns_ == nullptr) return Status();
  const std::shared_ptr<const ColumnBlock> columns = std::move(columns_);
  columns_ = nullptr;
  if (block_ == nullptr) RETURN_IF_ERROR(LoadCurrent());
  index_ = block_->RowStart(column_row_);
  return Status();
}

void Cursor::ForgetColumns() {
  columns_ = nullptr;
  if (block_ == nullptr) path_.clear();
}

}  // namespace bennu::hfile
