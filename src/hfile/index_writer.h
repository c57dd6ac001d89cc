// Builds the data index of a file while it is written: leaf blocks inline, then at the end
// intermediate levels as needed and the root.
//
//   1. Every data block adds an entry to the open leaf. A leaf that reached its size is written
//      after the data block, and its first key goes to the root.
//   2. At the end the open leaf is written too; but if none was before, its entries become the
//   root:
//      a single level.
//   3. While the root is too big and has enough entries, they are written as blocks of an
//      intermediate level, whose first keys make a new root.
// Source: HFileBlockIndex.BlockIndexWriter of HBase 2.5. One thread at a time.
#ifndef BENNU_SRC_HFILE_INDEX_WRITER_H_
#define BENNU_SRC_HFILE_INDEX_WRITER_H_

#include <cstdint>

#include "bennu/status.h"
#include "src/hfile/block_writer.h"
#include "src/hfile/index.h"

namespace bennu::hfile {

class IndexWriter {
 public:
  // 'blocks' must outlive this.
  IndexWriter(BlockWriter* blocks, size_t chunk_size_bytes, size_t chunk_entries_min);

  void AddDataBlock(ByteView separator, const BlockWriter::Place& place);
  // Writes the open leaf if it is due.
  Status WriteInline(bool closing);
  // Writes intermediate levels and the root; returns the root's place.
  Result<BlockWriter::Place> Finish();

  size_t root_entry_count() const { return root_.entry_count(); }
  uint32_t levels() const { return levels_; }
  uint64_t uncompressed_size() const { return uncompressed_size_; }  // payloads of index blocks

 private:
  Status WriteIntermediateLevel();
  Status WriteIntermediateBlock(IndexChunk* chunk, IndexChunk* parent);

  BlockWriter* const blocks_;
  const size_t chunk_size_bytes_;
  const size_t chunk_entries_min_;
  IndexChunk leaf_;
  IndexChunk root_;
  int64_t data_block_count_ = 0;
  uint32_t levels_ = 1;
  uint64_t uncompressed_size_ = 0;
  Bytes payload_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_INDEX_WRITER_H_
