// BlockOutline: where the rows of a data block are on disk, so that a look-up reads a few kilobytes
// of it instead of the whole.
//
// A block of 64 KiB that is not in the cache costs more to read and to check than what is wanted of
// it. When a look-up has to read such a block and the cache is full, not the block goes into the
// cache but its outline, some 300 bytes. The next look-up reads one piece of the block, a run of
// whole rows, which is cached as a block is. A piece's checksum is the outline's own, taken when
// the checksums of the file were compared.
//
// Only for blocks whose cells stand on disk as in memory: not compressed, encoding NONE or
// ROW_INDEX_V1. Immutable, so thread-safe. Who uses it: Reader and Cursor.
#ifndef BENNU_SRC_HFILE_BLOCK_OUTLINE_H_
#define BENNU_SRC_HFILE_BLOCK_OUTLINE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "src/hfile/block.h"

namespace bennu::hfile {

class BlockOutline final : public CachedBlock {
 public:
  static constexpr Kind kKind = Kind::kOutline;

  // Null when the block has too few rows to be cut, or is of a kind that cannot be.
  static std::shared_ptr<const BlockOutline> Make(const Block& block);

  struct Piece {
    uint32_t begin;  // counts from the block's first byte on disk
    uint32_t size;
    uint32_t checksum;  // CRC-32C
  };
  uint32_t piece_count() const { return static_cast<uint32_t>(pieces_.size()); }
  const Piece& piece(uint32_t index) const { return pieces_[index]; }
  // The piece to look into for 'row'. What is there is before the row if the next piece begins with
  // the first row at or after it.
  uint32_t PieceOf(ByteView row) const;

  size_t memory_bytes() const override;

 private:
  BlockOutline() : CachedBlock(kKind) {}
  ByteView separator(uint32_t index) const {
    return ByteView(separators_)
        .substr(separator_ends_[index], separator_ends_[index + 1] - separator_ends_[index]);
  }

  std::vector<Piece> pieces_;
  // For each piece but the first, bytes after the last row before it and not after its first row.
  Bytes separators_;
  std::vector<uint32_t> separator_ends_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_BLOCK_OUTLINE_H_
