// Reader: one HFile (v3), open for reading.
//
// Opening reads the trailer and the load-on-open section (root indexes, file info, bloom metadata);
// everything else is read when asked for and goes through the block cache. The reader answers
// questions about the file and whether it may hold a row; cells come from a Cursor (cursor.h).
// Thread rule: immutable after Open but for counters; thread-safe. Held by shared_ptr, so that a
// scanner keeps a compacted file readable until it is done.
// Source: hbase-hfile spec; HFileReaderImpl and StoreFileReader of HBase 2.5.
#ifndef BENNU_SRC_HFILE_READER_H_
#define BENNU_SRC_HFILE_READER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/hfile/block.h"
#include "src/hfile/block_cache.h"
#include "src/hfile/block_outline.h"
#include "src/hfile/bloom.h"
#include "src/hfile/column_block.h"
#include "src/hfile/data_block.h"
#include "src/hfile/format.h"
#include "src/hfile/index.h"

namespace bennu::hfile {

struct ReaderOptions {
  bool verify_checksums = true;
  bool in_memory = false;  // IN_MEMORY: its blocks stay in the cache longer than others'
  bool map_file = false;   // read through a mapping of the file (src/base/mapped_file.h)
};

// Counters of one reader or cursor. Written relaxed; a reader of them sees some recent values.
struct ReadCounters {
  std::atomic<uint64_t> blocks_read{0};  // from the file, any type
  std::atomic<uint64_t> bytes_read{0};
  std::atomic<uint64_t> blocks_from_cache{0};
  std::atomic<uint64_t> bloom_negatives{0};  // probes that a bloom filter answered "no"
};

class Reader {
 public:
  // 'cache' may be null (nothing is kept); else it and 'env' must outlive the reader.
  // NotFound, IoError: the file cannot be read. Corruption: too short, wrong magic, unknown
  // version or comparator, a checksum, a structure; NotSupported: encrypted, or compressed with
  // LZO, BZIP2, LZMA or BROTLI. Messages name file and offset.
  static Result<std::shared_ptr<const Reader>> Open(Env* env, const std::string& path,
                                                    BlockCache* cache,
                                                    const ReaderOptions& options = {});
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // ---- facts, known since Open
  const std::string& path() const { return file_->path(); }
  uint64_t file_size() const { return file_->size(); }
  const Trailer& trailer() const { return trailer_; }
  uint64_t entry_count() const { return trailer_.entry_count; }
  bool empty() const { return trailer_.entry_count == 0; }
  const std::map<Bytes, Bytes>& file_info() const { return file_info_; }
  // The value of a file info key, or nothing. Points into this reader.
  std::optional<ByteView> Info(ByteView key) const;

  DataBlockEncoding encoding() const { return encoding_; }
  bool includes_mvcc() const { return includes_mvcc_; }
  bool includes_tags() const { return includes_tags_; }
  bool compresses_tags() const { return compresses_tags_; }
  bool meta_order() const { return trailer_.meta_order; }

  // Flat key of the last cell; empty for an empty file.
  ByteView last_key() const { return last_key_; }
  ByteView last_row() const;
  // Flat key of the first cell (the index keeps the first block's real key). Empty for an empty
  // file.
  ByteView first_key() const;
  ByteView first_row() const;

  uint64_t max_sequence_id() const { return max_sequence_id_; }  // MAX_SEQ_ID_KEY; 0 when absent
  uint64_t max_cell_sequence_id() const { return max_cell_sequence_id_; }  // MAX_MEMSTORE_TS_KEY
  bool is_major_compaction() const { return major_compaction_; }
  bool is_bulk_loaded() const { return bulk_loaded_; }  // BULKLOAD_TIMESTAMP is there
  uint64_t delete_family_count() const { return delete_family_count_; }
  int64_t earliest_put_timestamp() const { return earliest_put_timestamp_; }
  // Timestamps of all cells lie in [min, max]. Absent when the file does not say, then any may
  // occur. In an empty file min > max.
  struct TimeRange {
    int64_t min;
    int64_t max;
  };
  std::optional<TimeRange> time_range() const { return time_range_; }
  BloomType bloom_type() const { return bloom_type_; }
  int32_t bloom_prefix_length() const { return bloom_prefix_length_; }
  // Names of files that went into this one (COMPACTION_EVENT_KEY).
  Result<std::vector<std::string>> CompactedFiles() const;

  // ---- may it hold …? False is certain, true a maybe. True when there is no fitting filter. An
  // error is that of reading a bloom chunk.
  // Any cell of the row (ROW, ROWPREFIX_FIXED_LENGTH, or true).
  Result<bool> MayContainRow(ByteView row) const;
  // A cell of the column (ROWCOL; with a ROW or prefix filter answers for the row). Does not look
  // for family delete markers: see MayContainDeleteFamily.
  Result<bool> MayContainRowCol(ByteView row, ByteView qualifier) const;
  // Any row that starts with the prefix (ROWPREFIX_FIXED_LENGTH and a long enough prefix, or true).
  Result<bool> MayContainRowPrefix(ByteView prefix) const;
  // A DeleteFamily or DeleteFamilyVersion marker of the row.
  Result<bool> MayContainDeleteFamily(ByteView row) const;

  // Raw probes, for tests and inspection: key as spec section 8 has it.
  const BloomFilter* general_bloom() const { return general_bloom_.get(); }
  const BloomFilter* delete_family_bloom() const { return delete_family_bloom_.get(); }
  Result<bool> ProbeBloom(const BloomFilter& bloom, ByteView key) const;

  // ---- the index
  // Flat key about in the middle of the file, where a region would split. NotFound: empty file.
  Result<Bytes> MidKey() const;
  // Visits the index entries of all data blocks in order until 'visit' returns false. The key is a
  // separator: after every cell of the block before, at or before the block's first cell.
  Status ForEachBlock(
      const std::function<bool(ByteView key, uint64_t offset, uint32_t on_disk_size)>& visit) const;
  // Returns at most 'count' - 1 rows, ascending and distinct, that cut [start_row, stop_row) into
  // parts of about equally many data blocks; empty bounds are open. None of them equals start_row.
  // For cutting scans into morsels.
  Result<std::vector<Bytes>> SplitRows(size_t count, ByteView start_row, ByteView stop_row) const;

  // ---- blocks; used by Cursor and inspection
  const IndexBlock& root_index() const { return *root_index_; }
  const IndexBlock& meta_index() const { return *meta_index_; }
  // 'cache_blocks' false: a cached block is used, but none is added.
  Result<std::shared_ptr<const Block>> ReadDataBlock(uint64_t offset, uint32_t on_disk_size,
                                                     bool cache_blocks) const;
  // The same in steps. From the cache, null when it is not there.
  Result<std::shared_ptr<const Block>> CachedDataBlock(uint64_t offset) const;
  Result<std::shared_ptr<const BlockOutline>> CachedOutline(uint64_t offset) const;
  // From the file. kOutline: its outline goes into the cache, the block only if there is room.
  // kBesideColumns: the block, which is read for its columns, only while half of the cache is free,
  // since what it takes the columns of others may want.
  enum class Keep { kNothing, kBlock, kOutline, kBesideColumns };
  Result<std::shared_ptr<const Block>> LoadDataBlock(uint64_t offset, uint32_t on_disk_size,
                                                     Keep keep) const;
  // The columns of the block at 'offset', also those that only say that it is not simple; null when
  // the cache has none.
  Result<std::shared_ptr<const ColumnBlock>> CachedColumns(uint64_t offset) const;
  // Puts them there; returns those, or what another thread put there first.
  std::shared_ptr<const ColumnBlock> KeepColumns(uint64_t offset,
                                                 std::shared_ptr<const ColumnBlock> columns) const;
  // The same of several blocks together: those of a leaf index from an entry on whose number is a
  // multiple of column_group_blocks(), 'offset' is the first one's. That is 0 until the columns of
  // any block were made, and then stays.
  uint32_t column_group_blocks() const {
    return column_group_blocks_.load(std::memory_order_relaxed);
  }
  Result<std::shared_ptr<const ColumnBlock>> CachedColumnGroup(uint64_t offset) const;
  std::shared_ptr<const ColumnBlock> KeepColumnGroup(
      uint64_t offset, std::shared_ptr<const ColumnBlock> columns) const;
  void KeepBlock(uint64_t offset, std::shared_ptr<const Block> block) const;
  // A piece of the block at 'offset', which 'outline' is of; kept in the cache. *was_cached: it was
  // there.
  Result<std::shared_ptr<const Block>> ReadPiece(uint64_t offset, const BlockOutline::Piece& piece,
                                                 bool* was_cached) const;
  Result<std::shared_ptr<const IndexBlock>> ReadIndexBlock(uint64_t offset,
                                                           uint32_t on_disk_size) const;
  // Header and uncompressed payload of any block, checksums verified, past the cache.
  // 'on_disk_size' 0: unknown, taken from the header.
  Result<RawBlock> ReadRawBlock(uint64_t offset, uint32_t on_disk_size) const;
  // Content of a meta block. NotFound: no such block.
  Result<Bytes> ReadMetaBlock(ByteView name) const;
  // Brings every bloom chunk into the cache.
  Status CacheBlooms() const;
  uint64_t cache_capacity_bytes() const { return cache_ == nullptr ? 0 : cache_->capacity_bytes(); }
  void ReadAhead(uint64_t offset, uint64_t length) const { file_->ReadAhead(offset, length); }

  // Drops the file's blocks from the cache, and says how many. Thread-safe.
  size_t DropCachedBlocks() const;

  // ReaderOptions::in_memory from now on; what came into the cache otherwise leaves it.
  // Thread-safe.
  void SetInMemory(bool in_memory) const;

  const ReadCounters& counters() const { return counters_; }

 private:
  Reader(std::unique_ptr<RandomAccessFile> file, BlockCache* cache, const ReaderOptions& options);

  Status Load();
  Status LoadTrailer();
  void ChooseColumnGroups(const ColumnBlock& columns) const;
  // Reads the root index at *offset and moves *offset past it. 'tail_size' is how many bytes follow
  // its entries.
  Result<std::shared_ptr<const IndexBlock>> LoadRootIndex(uint64_t* offset, uint32_t entry_count,
                                                          size_t tail_size) const;
  Status LoadFileInfo(ByteView payload);
  Status LoadBlooms(uint64_t offset, uint64_t end);
  Status InterpretInfo();
  Result<RawBlock> ReadLoadOnOpenBlock(uint64_t* offset) const;
  Result<std::shared_ptr<const BloomChunk>> ReadBloomChunk(uint64_t offset,
                                                           uint32_t on_disk_size) const;
  DataBlockFormat data_block_format() const;
  // What the cache has under 'offset'; null when it is not there.
  template <typename T>
  Result<std::shared_ptr<const T>> Lookup(uint64_t offset) const;
  // Puts it there; another thread may have been quicker.
  template <typename T>
  std::shared_ptr<const T> Insert(uint64_t offset, std::shared_ptr<const T> block) const;
  // The block at 'offset' from the cache, or by 'make' and kept.
  template <typename T, typename Make>
  Result<std::shared_ptr<const T>> Cached(uint64_t offset, Make make) const;
  Status At(const Status& status, uint64_t offset) const;

  const std::unique_ptr<RandomAccessFile> file_;
  BlockCache* const cache_;  // may be null; must outlive this
  const ReaderOptions options_;
  mutable std::atomic<bool> in_memory_;  // a hint to the cache
  mutable std::atomic<uint32_t> column_group_blocks_{0};
  const uint64_t file_id_;

  Trailer trailer_;
  std::map<Bytes, Bytes> file_info_;
  std::shared_ptr<const IndexBlock> root_index_;
  std::shared_ptr<const IndexBlock> meta_index_;
  std::unique_ptr<BloomFilter> general_bloom_;
  std::unique_ptr<BloomFilter> delete_family_bloom_;

  DataBlockEncoding encoding_ = DataBlockEncoding::kNone;
  bool includes_mvcc_ = false;
  bool includes_tags_ = false;
  bool compresses_tags_ = false;
  bool major_compaction_ = false;
  bool bulk_loaded_ = false;
  Bytes last_key_;
  uint64_t max_sequence_id_ = 0;
  uint64_t max_cell_sequence_id_ = 0;
  uint64_t delete_family_count_ = 0;
  int64_t earliest_put_timestamp_ = kLatestTimestamp;
  std::optional<TimeRange> time_range_;
  BloomType bloom_type_ = BloomType::kNone;
  int32_t bloom_prefix_length_ = 0;
  mutable ReadCounters counters_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_READER_H_
