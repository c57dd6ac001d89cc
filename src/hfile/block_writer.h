// Appends blocks to a file and keeps what each next one needs: the offset of the block of the same
// type before it, and the sums that the trailer tells. One thread at a time.
#ifndef BENNU_SRC_HFILE_BLOCK_WRITER_H_
#define BENNU_SRC_HFILE_BLOCK_WRITER_H_

#include <array>
#include <cstdint>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/base/write_back.h"
#include "src/hfile/format.h"

namespace bennu::hfile {

class BlockWriter {
 public:
  struct Place {
    uint64_t offset = 0;
    uint32_t on_disk_size = 0;  // header and checksums included
  };

  // 'file' must outlive this.
  BlockWriter(WritableFile* file, Compression compression, ChecksumType checksum,
              uint32_t bytes_per_checksum);

  Result<Place> Write(BlockType type, ByteView payload);

  uint64_t position() const { return position_; }
  // Bytes of header and payload of all blocks, before compression.
  uint64_t total_uncompressed() const { return total_uncompressed_; }

 private:
  WritableFile* const file_;
  WriteBack write_back_;
  const Compression compression_;
  const ChecksumType checksum_;
  const uint32_t bytes_per_checksum_;
  uint64_t position_ = 0;
  uint64_t total_uncompressed_ = 0;
  std::array<int64_t, kBlockTypeCount> previous_offsets_;
  Bytes buffer_;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_BLOCK_WRITER_H_
