#include "src/hfile/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"

namespace bennu::hfile {

namespace {

// How much of the file is asked for ahead of a long walk, at a time: twice as much each time.
constexpr uint64_t kReadAheadBytesFirst = 256 << 10;
constexpr uint64_t kReadAheadBytesMax = 2 << 20;
// So many blocks read one after the other are the beginning of a long walk.
constexpr uint32_t kReadsBeforeReadAhead = 3;
// Who wants the rows of more than so many pieces wants the whole block.
constexpr uint32_t kPiecesWalkedMax = 5;

// What AppendFirstOnRow makes, for the one search of a cursor that mostly makes no other: without
// an allocation unless the row is long.
class FirstOnRow {
 public:
  explicit FirstOnRow(ByteView row) : size_(kFlatKeyOverhead + row.size()) {
    if (size_ > sizeof(short_)) {
      cell::AppendFirstOnRow(&long_, row);
      return;
    }
    StoreBE16(short_, static_cast<uint16_t>(row.size()));
    if (!row.empty()) std::memcpy(short_ + 2, row.data(), row.size());
    char* const rest = short_ + 2 + row.size();
    rest[0] = 0;  // no family
    StoreBE64(rest + 1, static_cast<uint64_t>(kLatestTimestamp));
    rest[9] = static_cast<char>(CellType::kMaximum);
  }
  FirstOnRow(const FirstOnRow&) = delete;
  FirstOnRow& operator=(const FirstOnRow&) = delete;
  ByteView key() const { return ByteView(long_.empty() ? short_ : long_.data(), size_); }

 private:
  char short_[96];
  Bytes long_;
  const size_t size_;
};

}  // namespace

Cursor::Cursor(std::shared_ptr<const Reader> reader, const CursorOptions& options)
    : reader_(std::move(reader)), options_(options) {}

int Cursor::CompareKeys(ByteView left, ByteView right) const {
  return reader_->meta_order() ? cell::CompareMetaFlatKeys(left, right)
                               : cell::CompareFlatKeys(left, right);
}

Status Cursor::OutOfOrder(uint64_t offset) const {
  return Corruption(
      fmt::format("HFile {} at offset {}: the index lists the data blocks next to this one out of "
                  "order",
                  reader_->path(), offset));
}

// Leaves the cursor nowhere and passes 'status' on.
Status Cursor::Clear(Status status) {
  block_ = nullptr;
  columns_ = nullptr;
  outline_ = nullptr;
  index_ = 0;
  path_.clear();
  return status;
}

// ---- the path through the index

Result<bool> Cursor::Descend(ByteView flat_key) {
  path_.clear();
  path_.reserve(reader_->trailer().index_levels);
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
  if ((Valid() || columns_ != nullptr) && path_.size() == reader_->trailer().index_levels) {
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

// ---- blocks

Status Cursor::Take(Result<std::shared_ptr<const Block>> block, bool was_cached) {
  if (!block.ok()) return Clear(std::move(block).status());
  block_ = std::move(block).value();
  ++(was_cached ? blocks_cached_ : blocks_read_);
  return Status();
}

// Called before the block of 'entry' is read from the file.
void Cursor::ReadAhead(const IndexBlock::Entry& entry) {
  if (entry.offset != last_read_end_) {
    reads_in_a_row_ = 0;
    read_ahead_bytes_ = 0;
    read_ahead_end_ = 0;
  }
  last_read_end_ = entry.offset + entry.on_disk_size;
  if (++reads_in_a_row_ < kReadsBeforeReadAhead && !options_.sequential) return;
  if (last_read_end_ + read_ahead_bytes_ / 2 < read_ahead_end_) return;
  read_ahead_bytes_ = std::clamp(read_ahead_bytes_ * 2, kReadAheadBytesFirst, kReadAheadBytesMax);
  const uint64_t start = std::max(last_read_end_, read_ahead_end_);
  reader_->ReadAhead(start, read_ahead_bytes_);
  read_ahead_end_ = start + read_ahead_bytes_;
}

Status Cursor::LoadCurrent(Reader::Keep keep) {
  const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
  if (block_ != nullptr && outline_ == nullptr && block_offset_ == entry.offset) return Status();
  outline_ = nullptr;
  block_offset_ = entry.offset;
  unkept_ = false;
  auto cached = reader_->CachedDataBlock(entry.offset);
  if (!cached.ok() || *cached != nullptr) return Take(std::move(cached), /*was_cached=*/true);
  if (ahead_ != nullptr && ahead_->file_offset() == entry.offset) {
    block_ = std::move(ahead_);
    ahead_ = nullptr;
    unkept_ = true;
    return Status();
  }
  ReadAhead(entry);
  unkept_ = keep == Reader::Keep::kBesideColumns;
  return Take(reader_->LoadDataBlock(entry.offset, entry.on_disk_size, keep), false);
}

Status Cursor::LoadFor(ByteView row) {
  if (options_.sequential || !options_.cache_blocks || reader_->meta_order()) return LoadCurrent();
  const IndexBlock::Entry& entry = path_.back().block->entry(path_.back().position);
  if (block_ != nullptr && block_offset_ == entry.offset) {
    if (outline_ == nullptr) return Status();
    const uint32_t piece = outline_->PieceOf(row);
    return piece == piece_ ? Status() : LoadPiece(entry.offset, outline_, piece);
  }
  auto cached = reader_->CachedDataBlock(entry.offset);
  if (!cached.ok() || *cached != nullptr) {
    outline_ = nullptr;
    block_offset_ = entry.offset;
    return Take(std::move(cached), /*was_cached=*/true);
  }
  auto outline = reader_->CachedOutline(entry.offset);
  if (!outline.ok()) return Clear(std::move(outline).status());
  if (*outline != nullptr) {
    const uint32_t piece = (*outline)->PieceOf(row);
    return LoadPiece(entry.offset, std::move(outline).value(), piece);
  }
  outline_ = nullptr;
  block_offset_ = entry.offset;
  ReadAhead(entry);
  return Take(reader_->LoadDataBlock(entry.offset, entry.on_disk_size, Reader::Keep::kOutline),
              /*was_cached=*/false);
}

Status Cursor::LoadPiece(uint64_t block_offset, std::shared_ptr<const BlockOutline> outline,
                         uint32_t piece) {
  block_offset_ = block_offset;
  outline_ = std::move(outline);
  piece_ = piece;
  bool was_cached = false;
  auto block = reader_->ReadPiece(block_offset, outline_->piece(piece), &was_cached);
  return Take(std::move(block), was_cached);
}

Status Cursor::NextPiece() {
  if (++pieces_walked_ < kPiecesWalkedMax) {
    index_ = 0;
    return LoadPiece(block_offset_, outline_, piece_ + 1);
  }
  const uint32_t begin = outline_->piece(piece_ + 1).begin;
  RETURN_IF_ERROR(LoadCurrent());
  index_ = block_->CellFrom(begin);
  return Status();
}

bool Cursor::last_row_goes_on() const {
  if (!last_row_may_go_on()) return false;
  // Every cell that follows is at or after the key that the index has for the next block.
  for (auto level = path_.rbegin(); level != path_.rend(); ++level) {
    if (level->position + 1 >= level->block->entry_count()) continue;
    const char* const key = level->block->entry(level->position + 1).key;
    return ByteView(key + 2, LoadBE16(key)) == block_->RowAt(block_->cell_count() - 1);
  }
  return false;
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
  pieces_walked_ = 0;
  RETURN_IF_ERROR(LoadFor(ByteView(flat_key.data() + 2, LoadBE16(flat_key.data()))));
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
  if (Valid() && !reader_->meta_order() && !block_->EndsBefore(row)) {
    const uint32_t found = block_->RowLowerBound(row);
    // The first row may have begun in the block before, and what is not here is in another.
    if (found > 0 && found < block_->row_count()) {
      index_ = block_->RowStart(found);
      return Status();
    }
  }
  return SeekTo(FirstOnRow(row).key());
}

Status Cursor::NextBlock() {
  if (!last_row_may_go_on()) return NextPiece();
  const uint64_t before = block_offset_;
  Result<bool> more = Step(/*forward=*/true);
  if (!more.ok()) return Clear(std::move(more).status());
  if (!*more) return Clear(Status());
  // Behind a piece the walk goes on with the next block's first.
  const bool by_piece = outline_ != nullptr && ++pieces_walked_ < kPiecesWalkedMax;
  RETURN_IF_ERROR(by_piece ? LoadFor(/*row=*/ByteView()) : LoadCurrent());
  index_ = 0;
  // Offsets ascend, so a damaged index cannot make a walk endless.
  if (block_offset_ > before) return Status();
  return Clear(OutOfOrder(before));
}

Status Cursor::NextRow() {
  const std::shared_ptr<const Block> pin = block_;
  const ByteView row = pin->RowAt(index_);
  index_ = block_->NextRowStart(index_);
  if (index_ < block_->cell_count()) return Status();
  if (last_row_goes_on()) {
    scratch_.clear();
    cell::AppendLastOnRow(&scratch_, row);
    return SeekTo(scratch_);
  }
  RETURN_IF_ERROR(NextBlock());
  if (!Valid() || block_->RowAt(0) != row) return Status();
  return NextRow();
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
  const uint64_t after = block_offset_;
  Result<bool> more = Step(/*forward=*/false);
  if (!more.ok()) return Clear(std::move(more).status());
  if (!*more) return Clear(Status());
  RETURN_IF_ERROR(LoadCurrent());
  index_ = block_->cell_count() - 1;
  if (block_offset_ < after) return Status();
  return Clear(OutOfOrder(after));
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
