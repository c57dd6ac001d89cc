// Cells to the payload of a data block, in the five encodings (layouts: data_block.h).
#ifndef BENNU_SRC_HFILE_BLOCK_ENCODER_H_
#define BENNU_SRC_HFILE_BLOCK_ENCODER_H_

#include <cstdint>
#include <vector>

#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "src/hfile/data_block.h"
#include "src/hfile/tag_dictionary.h"

namespace bennu::hfile {

// One block after another: Start, Add…, Finish. One thread at a time.
class BlockEncoder {
 public:
  BlockEncoder(DataBlockEncoding encoding, const DataBlockFormat& format);

  void Start();
  // Cells in order; DIFF and FAST_DIFF need the same family in all of them.
  void Add(const Cell& cell);
  // The payload, valid until the next Start.
  const Bytes& Finish();

  BlockType block_type() const {
    return encoding_ == DataBlockEncoding::kNone ? BlockType::kData : BlockType::kEncodedData;
  }
  uint32_t cell_count() const { return cell_count_; }
  // Bytes as encoding NONE would take them, and bytes as encoded so far (with the row index,
  // without what stands before the cells): what HBase compares with the block size.
  size_t unencoded_size() const { return unencoded_size_; }
  size_t encoded_size() const {
    return out_.size() - cells_start_ + row_offsets_.size() * sizeof(uint32_t);
  }

 private:
  void AddPlain(const Cell& cell);
  void AddPrefix(const Cell& cell);
  void AddDiff(const Cell& cell);
  void AddFastDiff(const Cell& cell);
  void AppendColumnAfter(const Cell& cell, uint32_t common);
  void AppendTags(ByteView tags);
  void Remember(const Cell& cell);

  const DataBlockEncoding encoding_;
  const DataBlockFormat format_;
  Bytes out_;
  size_t cells_start_ = 0;
  uint32_t cell_count_ = 0;
  size_t unencoded_size_ = 0;
  // The cell before; the bytes are copies.
  Bytes previous_key_;
  Bytes previous_value_;
  std::vector<uint32_t> row_offsets_;  // ROW_INDEX_V1
  TagDictionary dictionary_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_BLOCK_ENCODER_H_
