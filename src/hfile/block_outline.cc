#include "src/hfile/block_outline.h"

#include <algorithm>

#include "src/base/crc32.h"

namespace bennu::hfile {

namespace {

constexpr uint32_t kPieceBytes = 4096;
constexpr uint32_t kLengthsSize = 8;  // in front of each key

// The shortest start of 'right' that is after 'left'; left < right.
ByteView Separator(ByteView left, ByteView right) {
  const size_t common_max = std::min(left.size(), right.size());
  size_t common = 0;
  while (common < common_max && left[common] == right[common]) ++common;
  return right.substr(0, common + 1);
}

}  // namespace

std::shared_ptr<const BlockOutline> BlockOutline::Make(const Block& block) {
  const uint32_t end = block.cells_end();
  if (end == 0) return nullptr;
  const auto row_begin = [&](uint32_t row) {
    return block.entries()[block.RowStart(row)].key_offset - kLengthsSize;
  };
  std::shared_ptr<BlockOutline> outline(new BlockOutline);
  const auto close_piece = [&](uint32_t begin, uint32_t piece_end) {
    const uint32_t size = piece_end - begin;
    outline->pieces_.push_back({begin, size, Crc32c(ByteView(block.data() + begin, size))});
  };
  outline->separator_ends_.assign(2, 0);
  uint32_t begin = row_begin(0);
  for (uint32_t row = 1; row < block.row_count(); ++row) {
    const uint32_t at = row_begin(row);
    if (at - begin < kPieceBytes || end - at < kPieceBytes / 2) continue;
    close_piece(begin, at);
    outline->separators_.append(
        Separator(block.RowAt(block.RowStart(row - 1)), block.RowAt(block.RowStart(row))));
    outline->separator_ends_.push_back(static_cast<uint32_t>(outline->separators_.size()));
    begin = at;
  }
  if (outline->pieces_.empty()) return nullptr;
  close_piece(begin, end);
  return outline;
}

uint32_t BlockOutline::PieceOf(ByteView row) const {
  uint32_t low = 1;
  uint32_t high = piece_count();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (separator(middle) <= row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

size_t BlockOutline::memory_bytes() const {
  return sizeof(*this) + pieces_.capacity() * sizeof(Piece) + separators_.capacity() +
         separator_ends_.capacity() * sizeof(uint32_t);
}

}  // namespace bennu::hfile
