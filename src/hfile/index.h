// Index blocks: (block offset, size, separator key) entries, in memory and as bytes.
//
// Non-root payload (leaf, intermediate)                  (HBase 2.5 HFileBlockIndex)
//   int n; int start[n + 1], of each entry from the end of this table; n entries of
//   `long offset, int on-disk size, key bytes`
// Root payload
//   n entries of `long offset, int on-disk size, vint key length, key`; the trailer knows n; above
//   more levels 16 bytes of mid-key metadata: `long leaf offset, int leaf size, int entry in leaf`
#ifndef BENNU_SRC_HFILE_INDEX_H_
#define BENNU_SRC_HFILE_INDEX_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/hfile/block.h"
#include "src/hfile/format.h"
#include "src/hfile/row_prefixes.h"

namespace bennu::hfile {

// Parsed and checked. Immutable.
class IndexBlock final : public CachedBlock {
 public:
  static constexpr Kind kKind = Kind::kIndex;
  IndexBlock() : CachedBlock(kKind) {}

  struct Entry {
    uint64_t offset;        // of the block pointed to
    uint32_t on_disk_size;  // header and checksums included
    uint32_t key_length;
    const char* key;
  };

  // Takes the block's buffer. Corruption: entries out of bounds, or pointing outside 'file_size'.
  static Result<std::shared_ptr<const IndexBlock>> ParseNonRoot(RawBlock block, uint64_t file_size);
  static Result<std::shared_ptr<const IndexBlock>> ParseRoot(RawBlock block, uint32_t entry_count,
                                                             uint64_t file_size);

  uint32_t entry_count() const { return static_cast<uint32_t>(entries_.size()); }
  const Entry& entry(uint32_t index) const { return entries_[index]; }
  ByteView key(uint32_t index) const {
    return ByteView(entries_[index].key, entries_[index].key_length);
  }
  // What follows the entries of a root block: mid-key metadata, or nothing.
  ByteView tail() const { return tail_; }
  const RawBlock& raw() const { return raw_; }

  // Corruption: a key is no flat key. Must hold before FloorCell is called on a root block.
  Status CheckCellKeys() const;

  // Index of the last entry whose key is at or before 'flat_key', -1 if none is. Keys are flat keys
  // in cell order.
  int64_t FloorCell(ByteView flat_key, bool meta_order) const;
  // The same for plain bytes (bloom chunk keys, meta block names).
  int64_t FloorBytes(ByteView bytes) const;
  // The same for rows in the order of hbase:meta's.
  int64_t FloorMetaRow(ByteView row) const;

  size_t memory_bytes() const override;

 private:
  friend Result<std::shared_ptr<const IndexBlock>> ParseBloomIndex(RawBlock block, size_t start,
                                                                   uint32_t entry_count,
                                                                   uint64_t file_size);
  Status ParseRootEntries(size_t start, uint32_t entry_count, uint64_t file_size);
  Status CheckTarget(const Entry& entry, uint64_t file_size) const;

  RawBlock raw_;
  std::vector<Entry> entries_;
  RowPrefixes prefixes_;  // of non-root blocks, which may have thousands of entries
  ByteView tail_;
};

// Root-format entries that begin at 'start' of the payload (bloom metadata).
Result<std::shared_ptr<const IndexBlock>> ParseBloomIndex(RawBlock block, size_t start,
                                                          uint32_t entry_count, uint64_t file_size);

// Entries on their way to a file.
class IndexChunk {
 public:
  // 'sub_entries' is how many leaf entries there are below this entry and all before it; -1: not
  // counted.
  void Add(ByteView key, uint64_t offset, uint32_t on_disk_size, int64_t sub_entries = -1);
  void Clear();

  size_t entry_count() const { return offsets_.size(); }
  uint64_t offset(size_t index) const { return offsets_[index]; }
  uint32_t on_disk_size(size_t index) const { return sizes_[index]; }
  const Bytes& key(size_t index) const { return keys_[index]; }

  size_t root_size() const { return root_size_; }  // bytes that AppendRoot appends
  size_t non_root_size() const;                    // bytes that AppendNonRoot appends
  void AppendRoot(Bytes* out) const;
  void AppendNonRoot(Bytes* out) const;
  // The 16 bytes that point at the middle leaf entry. Needs counted sub entries.
  void AppendMidKeyMetadata(Bytes* out) const;

 private:
  std::vector<Bytes> keys_;
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> sizes_;
  std::vector<int64_t> sub_entries_;
  size_t root_size_ = 0;
  size_t key_bytes_ = 0;
};

// A flat key k with left < k <= right, as short as HBase makes it; 'left' empty: right itself.
// (HFileWriterImpl.getMidpoint; files of hbase:meta always take right.)
void AppendSeparator(ByteView left, ByteView right, bool meta_order, Bytes* out);

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_INDEX_H_
