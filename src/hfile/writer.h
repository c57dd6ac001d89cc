// Writer: makes one HFile (v3) that HBase reads too.
//
// Cells go in by Append, in comparator order. Data blocks are closed at their size with the inline
// index and bloom chunks after them, as HBase's HFileWriterImpl and StoreFileWriter do, and Finish
// writes the rest: meta, indexes, file info, bloom metadata, trailer; then syncs. A writer that is
// destroyed before Finish leaves an unfinished file behind that no reader opens; who made it
// removes it. One thread at a time.
#ifndef BENNU_SRC_HFILE_WRITER_H_
#define BENNU_SRC_HFILE_WRITER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/hfile/format.h"

namespace bennu::hfile {

struct WriterOptions {
  size_t block_size_bytes = 65536;  // BLOCKSIZE, of unencoded cells
  DataBlockEncoding encoding = DataBlockEncoding::kNone;
  Compression compression = Compression::kNone;  // NONE, GZ, SNAPPY, LZ4 or ZSTD
  ChecksumType checksum = ChecksumType::kCrc32c;
  uint32_t bytes_per_checksum = 16384;
  bool include_mvcc = true;    // keep the cells' sequence ids
  bool include_tags = false;   // keep the cells' tags; without it tags are dropped
  bool compress_tags = false;  // dictionary of tags; only with PREFIX, DIFF and FAST_DIFF
  bool meta_order = false;     // the file of hbase:meta
  BloomType bloom = BloomType::kNone;
  int32_t bloom_prefix_length = 0;         // for ROWPREFIX_FIXED_LENGTH
  size_t bloom_chunk_size_bytes = 131072;  // io.storefile.bloom.block.size
  double bloom_error_rate = 0.01;          // io.storefile.bloom.error.rate
  bool delete_family_bloom = true;         // ignored with ROWCOL, which answers that itself
  size_t index_chunk_size_bytes = 131072;  // hfile.index.block.max.size
  size_t index_chunk_entries_min = 16;     // hfile.index.block.min.entries
  // Adds what the store writes: TIMERANGE, EARLIEST_PUT_TS, DELETE_FAMILY_COUNT, HISTORICAL,
  // MAX_SEQ_ID_KEY, MAJOR_COMPACTION_KEY, COMPACTION_EVENT_KEY.
  bool store_file = true;
  int64_t create_time_ms = -1;  // below zero: now
};

// What a store says of its file, at Finish (StoreFileWriter.appendMetadata).
struct StoreFileFacts {
  uint64_t max_sequence_id = 0;  // orders the store's files
  bool major_compaction = false;
  std::vector<std::string> compacted_files;  // names that this file replaces
};

struct FileFacts {
  std::string path;
  uint64_t size_bytes = 0;
  uint64_t entry_count = 0;
  Bytes first_key;  // flat keys; empty when there are no cells
  Bytes last_key;
  Bytes first_row;
  Bytes last_row;
  int64_t min_timestamp = kLatestTimestamp;  // as TIMERANGE; min > max when there are no cells
  int64_t max_timestamp = -1;
  int64_t earliest_put_timestamp = kLatestTimestamp;
  uint64_t max_cell_sequence_id = 0;
  uint64_t delete_family_count = 0;
};

class Writer {
 public:
  // Creates 'path', which must not exist. 'env' must outlive the writer. InvalidArgument: options
  // that cannot be. NotSupported: a compression that Bennu does not write.
  static Result<std::unique_ptr<Writer>> Create(Env* env, const std::string& path,
                                                const WriterOptions& options);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // InvalidArgument: the key comes before the last one's, or is malformed. Copies what it needs.
  Status Append(const Cell& cell);

  // Adds an entry to the file info. InvalidArgument: a key that starts with "hfile." or is there
  // already.
  Status AppendFileInfo(ByteView key, ByteView value);
  // Adds a meta block, written at Finish.
  void AppendMetaBlock(ByteView name, ByteView content);

  // Completes, syncs and closes the file. Nothing may be called afterwards. The directory entry is
  // the caller's to sync (it usually renames first).
  Result<FileFacts> Finish(const StoreFileFacts& facts = {});

  uint64_t entry_count() const;
  uint64_t bytes_written() const;  // in the file so far
  // bytes_written and about what the open block will take: where to roll over to a new file.
  uint64_t estimated_size() const;

 private:
  class Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_WRITER_H_
