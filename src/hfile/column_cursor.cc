// How a cursor walks from the columns of a block to those of the next, past the blocks themselves.
#include <algorithm>
#include <utility>

#include "src/base/check.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/hfile/cursor.h"

namespace bennu::hfile {

namespace {

ByteView RowOfKey(ByteView flat_key) {
  return ByteView(flat_key.data() + 2, LoadBE16(flat_key.data()));
}

}  // namespace

std::pair<uint32_t, uint32_t> Cursor::ColumnGroup() const {
  const Level& leaf = path_.back();
  const uint32_t blocks = std::max<uint32_t>(reader_->column_group_blocks(), 1);
  const uint32_t begin = leaf.position - leaf.position % blocks;
  return {begin, std::min(begin + blocks, leaf.block->entry_count())};
}

Result<std::shared_ptr<const ColumnBlock>> Cursor::CachedColumns() const {
  return reader_->CachedColumns(block_offset_);
}

Result<std::shared_ptr<const ColumnBlock>> Cursor::CachedColumnGroup() const {
  const auto [begin, end] = ColumnGroup();
  if (end - begin < 2) return std::shared_ptr<const ColumnBlock>();
  return reader_->CachedColumnGroup(path_.back().block->entry(begin).offset);
}

Result<std::shared_ptr<const ColumnBlock>> Cursor::AnyCachedColumns() const {
  ASSIGN_OR_RETURN(auto group, CachedColumnGroup());
  if (group != nullptr && group->simple()) return group;
  return reader_->CachedColumns(path_.back().block->entry(path_.back().position).offset);
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
  if (RowOfKey(key) != row) return none;
  const IndexBlock::Entry& entry = leaf.entry(path.back().position);
  ASSIGN_OR_RETURN(std::shared_ptr<const Block> block, reader_->CachedDataBlock(entry.offset));
  if (block != nullptr) return block;
  if (ahead_ == nullptr || ahead_->file_offset() != entry.offset) {
    ASSIGN_OR_RETURN(ahead_,
                     reader_->LoadDataBlock(entry.offset, entry.on_disk_size, KeepBesideColumns()));
    ++blocks_read_;
  }
  return ahead_;
}

Result<std::shared_ptr<const ColumnBlock>> Cursor::MakeColumns() {
  BENNU_DCHECK(block_ != nullptr && outline_ == nullptr);
  const ByteView last_row = block_->RowAt(block_->cell_count() - 1);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Block> next, PeekBlock(last_row));
  return reader_->KeepColumns(block_offset_, ColumnBlock::Make({block_}, next.get()));
}

bool Cursor::BeginsColumnGroup(ByteView* last_row) const {
  const auto [begin, end] = ColumnGroup();
  if (end - begin < 2 || path_.back().position != begin) return false;
  uint32_t next = end;
  for (auto level = path_.rbegin(); level != path_.rend(); ++level) {
    if (level != path_.rbegin()) next = level->position + 1;
    if (next == level->block->entry_count()) continue;
    *last_row = RowOfKey(level->block->key(next));
    return true;
  }
  *last_row = RowOfKey(reader_->last_key());
  return true;
}

Result<std::shared_ptr<const ColumnBlock>> Cursor::MakeColumnGroup() {
  BENNU_DCHECK(block_ != nullptr && outline_ == nullptr);
  const auto [begin, end] = ColumnGroup();
  ColumnBlock::Blocks blocks = {block_};
  while (blocks.size() < end - begin) {
    const IndexBlock::Entry& entry =
        path_.back().block->entry(begin + static_cast<uint32_t>(blocks.size()));
    ASSIGN_OR_RETURN(std::shared_ptr<const Block> block, reader_->CachedDataBlock(entry.offset));
    ++(block != nullptr ? blocks_cached_ : blocks_read_);
    if (block == nullptr) {
      ReadAhead(entry);
      ASSIGN_OR_RETURN(
          block, reader_->LoadDataBlock(entry.offset, entry.on_disk_size, KeepBesideColumns()));
    }
    blocks.push_back(std::move(block));
  }
  const Block& last = *blocks.back();
  path_.back().position = end - 1;
  auto next = PeekBlock(last.RowAt(last.cell_count() - 1));
  path_.back().position = begin;
  if (!next.ok()) return std::move(next).status();
  return reader_->KeepColumnGroup(block_offset_, ColumnBlock::Make(blocks, next->get()));
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
  const uint64_t offset_before = before->last_offset();
  Level& leaf = path_.back();
  while (leaf.block->entry(leaf.position).offset < offset_before &&
         leaf.position + 1 < leaf.block->entry_count()) {
    ++leaf.position;
  }
  Result<bool> more = Step(/*forward=*/true);
  if (!more.ok()) return Clear(std::move(more).status());
  if (!*more) return Clear(Status());
  const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
  if (entry.offset <= offset_before) return Clear(OutOfOrder(offset_before));
  auto cached = AnyCachedColumns();
  if (!cached.ok()) return Clear(std::move(cached).status());
  const ByteView last_row = before->last_row();
  if (*cached != nullptr && (*cached)->simple()) {
    uint32_t row = (*cached)->RowLowerBound(last_row);
    row += row < (*cached)->row_count() && (*cached)->RowAt(row) == last_row ? 1 : 0;
    if (row < (*cached)->row_count()) {
      EnterCachedColumns(std::move(cached).value(), row);
      return Status();
    }
  }
  // Perhaps only its columns will be kept.
  RETURN_IF_ERROR(LoadCurrent(*cached == nullptr ? KeepBesideColumns() : Reader::Keep::kBlock));
  index_ = 0;
  if (block_->RowAt(0) != last_row) return Status();
  return NextRow();
}

void Cursor::EnterCachedColumns(std::shared_ptr<const ColumnBlock> columns, uint32_t row) {
  blocks_cached_ += columns->block_count();
  block_ = nullptr;
  outline_ = nullptr;
  block_offset_ = path_.back().block->entry(path_.back().position).offset;
  EnterColumns(std::move(columns), row);
}

Status Cursor::SeekToRowOfColumns(ByteView row) {
  if (columns_->last_row() >= row) {
    column_row_ = columns_->RowLowerBound(row, column_row_);
    return Status();
  }
  const uint64_t offset_before = columns_->last_offset();
  scratch_.clear();
  cell::AppendFirstOnRow(&scratch_, row);
  Result<bool> found = FindLeafEntry(scratch_);
  if (!found.ok()) return Clear(std::move(found).status());
  const uint64_t offset =
      *found ? path_.back().block->entry(path_.back().position).offset : uint64_t{0};
  if (offset < offset_before) return Clear(OutOfOrder(offset_before));
  if (offset > offset_before) {
    auto cached = AnyCachedColumns();
    if (!cached.ok()) return Clear(std::move(cached).status());
    if (*cached == nullptr || !(*cached)->simple()) {
      ForgetColumns();
      return SeekToRow(row);
    }
    // The block's key in the index is not after 'row', so that a row which begins in the block
    // before it is.
    const uint32_t first = (*cached)->RowLowerBound(row);
    EnterCachedColumns(std::move(cached).value(), first);
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
  if (columns->block_count() > 1) return SeekToRow(columns->RowAt(column_row_));
  if (block_ == nullptr) RETURN_IF_ERROR(LoadCurrent());
  index_ = block_->RowStart(column_row_);
  return Status();
}

void Cursor::ForgetColumns() {
  columns_ = nullptr;
  if (block_ == nullptr) path_.clear();
}

}  // namespace bennu::hfile
