#include "src/hfile/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"

namespace bennu::hfile {

namespace {

// How much of the file a sequential cursor asks for ahead of itself, at a time.
constexpr uint64_t kReadAheadBytes = 1 << 20;

Status OutOfOrder(const Reader& reader, uint64_t offset) {
  return Corruption(
      fmt::format("HFile {} at offset {}: the index lists the data blocks next to this one out of "
                  "order",
                  reader.path(), offset));
}

}  // namespace

Cursor::Cursor(std::shared_ptr<const Reader> reader, const CursorOptions& options)
    : reader_(std::move(reader)), options_(options) {}

int Cursor::CompareKeys(ByteView left, ByteView right) const {
  return reader_->meta_order() ? cell::CompareMetaFlatKeys(left, right)
                               : cell::CompareFlatKeys(left, right);
}

// Leaves the cursor nowhere and passes 'status' on.
Status Cursor::Clear(Status status) {
  block_ = nullptr;
  index_ = 0;
  path_.clear();
  return status;
}

// ---- the path through the index

Result<bool> Cursor::Descend(ByteView flat_key) {
  path_.clear();
  const bool meta_order = reader_->meta_order();
  std::shared_ptr<const IndexBlock> block(reader_, &reader_->root_index());
  while (true) {
    const int64_t position = block->FloorCell(flat_key, meta_order);
    if (position < 0) {
      if (path_.empty()) return false;
      return Corruption(
          fmt::format("HFile {} at offset {}: the first key of the index block is after the one "
                      "that its parent has for it",
                      reader_->path(), block->raw().offset));
    }
    path_.push_back({std::move(block), static_cast<uint32_t>(position)});
    if (path_.size() == reader_->trailer().index_levels) return true;
    const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
    ASSIGN_OR_RETURN(block, reader_->ReadIndexBlock(entry.offset, entry.on_disk_size));
  }
}

Status Cursor::DescendEdge(bool last) {
  while (path_.size() < reader_->trailer().index_levels) {
    const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
    ASSIGN_OR_RETURN(std::shared_ptr<const IndexBlock> child,
                     reader_->ReadIndexBlock(entry.offset, entry.on_disk_size));
    const uint32_t position = last ? child->entry_count() - 1 : 0;
    path_.push_back({std::move(child), position});
  }
  return Status();
}

Result<bool> Cursor::Step(bool forward) {
  while (!path_.empty()) {
    Level& level = path_.back();
    const bool at_edge =
        forward ? level.position + 1 >= level.block->entry_count() : level.position == 0;
    if (at_edge) {
      path_.pop_back();
      continue;
    }
    level.position = forward ? level.position + 1 : level.position - 1;
    RETURN_IF_ERROR(DescendEdge(/*last=*/!forward));
    return true;
  }
  return false;
}

Result<bool> Cursor::FindLeafEntry(ByteView flat_key) {
  if (Valid() && path_.size() == reader_->trailer().index_levels) {
    Level& leaf = path_.back();
    const uint32_t last = leaf.block->entry_count() - 1;
    // The last entry's block may end before the key, and another leaf go on: only a key before it
    // is surely in this leaf.
    if (CompareKeys(leaf.block->key(last), flat_key) > 0) {
      const int64_t position = leaf.block->FloorCell(flat_key, reader_->meta_order());
      if (position >= 0) {
        leaf.position = static_cast<uint32_t>(position);
        return true;
      }
    }
  }
  return Descend(flat_key);
}

Status Cursor::LoadCurrent() {
  const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
  if (block_ != nullptr && block_->file_offset() == entry.offset) return Status();
  if (options_.sequential && entry.offset + kReadAheadBytes / 2 >= read_ahead_end_) {
    const uint64_t start = std::max(entry.offset, read_ahead_end_);
    reader_->ReadAhead(start, kReadAheadBytes);
    read_ahead_end_ = start + kReadAheadBytes;
  }
  auto block = reader_->ReadDataBlock(entry.offset, entry.on_disk_size, options_.cache_blocks);
  if (!block.ok()) return Clear(std::move(block).status());
  block_ = std::move(block).value();
  ++blocks_loaded_;
  return Status();
}

// ---- forward

Status Cursor::SeekToFirst() {
  path_.clear();
  if (reader_->empty()) return Clear(Status());
  path_.push_back({std::shared_ptr<const IndexBlock>(reader_, &reader_->root_index()), 0});
  if (Status status = DescendEdge(/*last=*/false); !status.ok()) return Clear(std::move(status));
  index_ = 0;
  return LoadCurrent();
}

Status Cursor::SeekInPath(ByteView flat_key) {
  RETURN_IF_ERROR(LoadCurrent());
  index_ = block_->LowerBound(flat_key);
  if (index_ < block_->cell_count()) return Status();
  return NextBlock();
}

Status Cursor::SeekTo(ByteView flat_key) {
  if (Valid() && CompareKeys(flat_key, block_->KeyAt(block_->cell_count() - 1)) <= 0 &&
      CompareKeys(block_->KeyAt(0), flat_key) < 0) {
    index_ = block_->LowerBound(flat_key);
    return Status();
  }
  Result<bool> found = FindLeafEntry(flat_key);
  if (!found.ok()) return Clear(std::move(found).status());
  return *found ? SeekInPath(flat_key) : SeekToFirst();
}

Status Cursor::SeekToRow(ByteView row) {
  if (Valid() && !reader_->meta_order() && block_->RowAt(0) < row &&
      row <= block_->RowAt(block_->cell_count() - 1)) {
    index_ = block_->RowStart(block_->RowLowerBound(row));
    return Status();
  }
  scratch_.clear();
  cell::AppendFirstOnRow(&scratch_, row);
  return SeekTo(scratch_);
}

Status Cursor::NextBlock() {
  const uint64_t before = block_->file_offset();
  Result<bool> more = Step(/*forward=*/true);
  if (!more.ok()) return Clear(std::move(more).status());
  if (!*more) return Clear(Status());
  RETURN_IF_ERROR(LoadCurrent());
  index_ = 0;
  // Offsets ascend, so a damaged index can not make a walk endless.
  if (block_->file_offset() > before) return Status();
  return Clear(OutOfOrder(*reader_, before));
}

Status Cursor::NextRow() {
  const std::shared_ptr<const Block> pin = block_;
  const ByteView row = pin->RowAt(index_);
  index_ = block_->NextRowStart(index_);
  while (index_ == block_->cell_count()) {
    RETURN_IF_ERROR(NextBlock());
    if (!Valid() || block_->RowAt(0) != row) return Status();
    index_ = block_->RowStart(1);
  }
  return Status();
}

// ---- backward

Status Cursor::SeekToLast() {
  path_.clear();
  if (reader_->empty()) return Clear(Status());
  const IndexBlock& root = reader_->root_index();
  path_.push_back({std::shared_ptr<const IndexBlock>(reader_, &root), root.entry_count() - 1});
  if (Status status = DescendEdge(/*last=*/true); !status.ok()) return Clear(std::move(status));
  RETURN_IF_ERROR(LoadCurrent());
  index_ = block_->cell_count() - 1;
  return Status();
}

Status Cursor::SeekBefore(ByteView flat_key) {
  Result<bool> found = FindLeafEntry(flat_key);
  if (!found.ok()) return Clear(std::move(found).status());
  if (!*found) return Clear(Status());
  RETURN_IF_ERROR(LoadCurrent());
  const uint32_t at = block_->LowerBound(flat_key);
  if (at > 0) {
    index_ = at - 1;
    return Status();
  }
  const uint64_t after = block_->file_offset();
  Result<bool> more = Step(/*forward=*/false);
  if (!more.ok()) return Clear(std::move(more).status());
  if (!*more) return Clear(Status());
  RETURN_IF_ERROR(LoadCurrent());
  index_ = block_->cell_count() - 1;
  if (block_->file_offset() < after) return Status();
  return Clear(OutOfOrder(*reader_, after));
}

Status Cursor::ToRowStart() {
  const uint32_t row = block_->RowOf(index_);
  if (row > 0) {
    index_ = block_->RowStart(row);
    return Status();
  }
  const Bytes name(block_->RowAt(index_));
  return SeekToRow(name);
}

Status Cursor::SeekToRowBefore(ByteView row) {
  scratch_.clear();
  cell::AppendFirstOnRow(&scratch_, row);
  RETURN_IF_ERROR(SeekBefore(scratch_));
  return Valid() ? ToRowStart() : Status();
}

Status Cursor::PreviousRow() {
  const Bytes row(block_->RowAt(index_));
  return SeekToRowBefore(row);
}

}  // namespace bennu::hfile
