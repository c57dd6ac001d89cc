// Block: a data block as the cache holds it and scanners walk it: decoded, whatever its encoding on
// disk was; or a piece of one (BlockOutline).
//
//   data     the cells one after another, each `flat key, value`, and in files with tags `short
//   tags
//            length, tags`; what was stored plainly as it stands on disk, with lengths in front
//   entries  where each cell's key is and how long key and value are, in file order
//   rows     the index of the first cell of each row
//   prefixes of the rows, for searches (but in hbase:meta)
//
// A cell costs an array access to find, the next row too. Who uses it: Cursor hands blocks to the
// scanners of the engine, which hold them by shared_ptr for as long as cells point into them.
// Immutable, so thread-safe.
#ifndef BENNU_SRC_HFILE_BLOCK_H_
#define BENNU_SRC_HFILE_BLOCK_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "src/base/coding.h"
#include "src/hfile/row_prefixes.h"

namespace bennu::hfile {

// What the block cache holds. Derived: Block, IndexBlock, BloomChunk, BlockOutline,
// ColumnBlock.
class CachedBlock {
 public:
  enum class Kind : uint8_t { kData, kIndex, kBloom, kOutline, kColumns };

  explicit CachedBlock(Kind kind) : kind_(kind) {}
  virtual ~CachedBlock() = default;
  Kind kind() const { return kind_; }
  // Bytes of memory to charge for this object.
  virtual size_t memory_bytes() const = 0;

 private:
  const Kind kind_;
};

class Block final : public CachedBlock {
 public:
  static constexpr Kind kKind = Kind::kData;

  struct Entry {
    uint32_t key_offset;  // of the flat key, from data()
    uint32_t key_length;
    uint32_t value_length;  // the value follows the key
  };

  // Takes ownership of everything. 'rows' has row_count indexes and one more, cell_count.
  // 'sequence_ids' is null when all are zero. 'cell_count' is at least 1.
  struct Parts {
    std::unique_ptr<char[]> data;
    size_t data_size = 0;
    std::unique_ptr<Entry[]> entries;
    std::unique_ptr<uint32_t[]> rows;
    std::unique_ptr<uint64_t[]> sequence_ids;
    uint32_t cell_count = 0;
    uint32_t row_count = 0;
    bool has_tags = false;
    bool meta_order = false;    // rows are ordered as those of hbase:meta
    uint64_t file_offset = 0;   // of the block on disk, or of the piece of one
    uint32_t on_disk_size = 0;  // header and checksums included
    // Where in 'data' the cells end if 'data' is the block as it is on disk, else 0.
    uint32_t cells_end = 0;
  };
  explicit Block(Parts parts);

  uint32_t cell_count() const { return parts_.cell_count; }
  uint32_t row_count() const { return parts_.row_count; }
  const Entry* entries() const { return parts_.entries.get(); }
  const char* data() const { return parts_.data.get(); }
  // Null when every cell's sequence id is zero.
  const uint64_t* sequence_ids() const { return parts_.sequence_ids.get(); }
  bool has_tags() const { return parts_.has_tags; }
  uint64_t file_offset() const { return parts_.file_offset; }
  uint32_t on_disk_size() const { return parts_.on_disk_size; }
  uint32_t cells_end() const { return parts_.cells_end; }  // see Parts

  // The view points into this block. 'index' < cell_count().
  Cell CellAt(uint32_t index) const {
    const Entry& entry = parts_.entries[index];
    Cell cell;
    cell.key = parts_.data.get() + entry.key_offset;
    cell.key_length = entry.key_length;
    cell.value = cell.key + entry.key_length;
    cell.value_length = entry.value_length;
    if (parts_.has_tags) {
      cell.tags = cell.value + entry.value_length + 2;
      cell.tags_length = LoadBE16(cell.value + entry.value_length);
    }
    if (parts_.sequence_ids != nullptr) cell.sequence_id = parts_.sequence_ids[index];
    return cell;
  }
  ByteView KeyAt(uint32_t index) const {
    const Entry& entry = parts_.entries[index];
    return ByteView(parts_.data.get() + entry.key_offset, entry.key_length);
  }
  ByteView RowAt(uint32_t index) const {
    const char* key = parts_.data.get() + parts_.entries[index].key_offset;
    return ByteView(key + 2, LoadBE16(key));
  }

  // Index of the first cell of row 'row'; RowStart(row_count()) is cell_count().
  uint32_t RowStart(uint32_t row) const { return parts_.rows[row]; }
  const uint32_t* row_starts() const { return parts_.rows.get(); }  // row_count() + 1 of them
  // Number of the row that cell 'index' belongs to; a search, short where rows are alike.
  uint32_t RowOf(uint32_t index) const;
  // Index of the first cell after the row of cell 'index'; cell_count() when it is the last row
  // here (the row may go on in the next block).
  uint32_t NextRowStart(uint32_t index) const { return parts_.rows[RowOf(index) + 1]; }

  // Index of the first cell whose key begins at 'key_offset' of data() or after it.
  uint32_t CellFrom(uint32_t key_offset) const;
  // Index of the first cell whose key is at or after 'flat_key', cell_count() if none is. Among
  // equal keys (different sequence ids) the first.
  uint32_t LowerBound(ByteView flat_key) const;
  // Whether the last row is known to come before 'row' without a search: a cheap first question.
  // Not for hbase:meta.
  bool EndsBefore(ByteView row) const { return prefixes_.built() && prefixes_.EndBefore(row); }
  // Number of the first row at or after 'row', row_count() if none is.
  uint32_t RowLowerBound(ByteView row) const;

  size_t memory_bytes() const override;

 private:
  const Parts parts_;
  RowPrefixes prefixes_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_BLOCK_H_
