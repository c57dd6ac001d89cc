#include "src/hfile/block_writer.h"

#include "src/base/status_macros.h"
#include "src/hfile/raw_block.h"

namespace bennu::hfile {

BlockWriter::BlockWriter(WritableFile* file, Compression compression, ChecksumType checksum,
                         uint32_t bytes_per_checksum)
    : file_(file),
      write_back_(file),
      compression_(compression),
      checksum_(checksum),
      bytes_per_checksum_(bytes_per_checksum) {
  previous_offsets_.fill(-1);
}

Result<BlockWriter::Place> BlockWriter::Write(BlockType type, ByteView payload) {
  // Encoded and plain data blocks count as one type; a file has only one of them anyway.
  int64_t& previous = previous_offsets_[static_cast<size_t>(
      type == BlockType::kEncodedData ? BlockType::kData : type)];
  BlockHeader header;
  header.type = type;
  header.previous_offset = previous;
  header.checksum_type = checksum_;
  header.bytes_per_checksum = bytes_per_checksum_;
  buffer_.clear();
  RETURN_IF_ERROR(EncodeRawBlock(payload, compression_, &header, &buffer_));
  RETURN_IF_ERROR(file_->Append(buffer_));
  write_back_.NoteAppended();
  const Place place{position_, header.on_disk_size()};
  previous = static_cast<int64_t>(position_);
  position_ += buffer_.size();
  total_uncompressed_ += kBlockHeaderSize + payload.size();
  return place;
}

}  // namespace bennu::hfile
