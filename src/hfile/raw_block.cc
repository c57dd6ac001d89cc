#include "src/hfile/raw_block.h"

#include <fmt/format.h>

#include <utility>

#include "src/base/status_macros.h"
#include "src/hfile/codec.h"

namespace bennu::hfile {

Result<RawBlock> DecodeRawBlock(std::unique_ptr<char[]> bytes, size_t size, uint64_t offset,
                                Compression compression, bool verify) {
  const ByteView block(bytes.get(), size);
  RawBlock raw;
  ASSIGN_OR_RETURN(raw.header, ParseBlockHeader(block));
  if (raw.header.on_disk_size() != size) {
    return Corruption(
        fmt::format("block of {} bytes where {} were expected", raw.header.on_disk_size(), size));
  }
  if (verify) RETURN_IF_ERROR(VerifyChecksums(raw.header, block));
  const ByteView stored =
      block.substr(kBlockHeaderSize, raw.header.data_size_with_header - kBlockHeaderSize);
  const size_t payload_size = raw.header.uncompressed_size;
  raw.offset = offset;
  if (compression == Compression::kNone) {
    if (stored.size() != payload_size) {
      return Corruption(fmt::format("block holds {} bytes where its header says {}", stored.size(),
                                    payload_size));
    }
    raw.payload = stored;
    raw.buffer = std::move(bytes);
    return raw;
  }
  if (payload_size > UncompressedSizeMax(compression, stored.size())) {
    return Corruption(fmt::format("{} bytes cannot hold the {} that the block header says",
                                  stored.size(), payload_size));
  }
  raw.buffer = std::unique_ptr<char[]>(new char[payload_size == 0 ? 1 : payload_size]);
  RETURN_IF_ERROR(Decompress(compression, stored, raw.buffer.get(), payload_size));
  raw.payload = ByteView(raw.buffer.get(), payload_size);
  return raw;
}

Status EncodeRawBlock(ByteView payload, Compression compression, BlockHeader* header, Bytes* out) {
  const size_t start = out->size();
  out->resize(start + kBlockHeaderSize);
  RETURN_IF_ERROR(Compress(compression, payload, out));
  const size_t data_size = out->size() - start;
  const size_t checksum_bytes =
      kChecksumSize * ChecksumCount(data_size, header->bytes_per_checksum);
  if (payload.size() > INT32_MAX || data_size + checksum_bytes > INT32_MAX) {
    return ResourceExhausted(fmt::format(
        "a block of {} bytes is beyond what an HFile can hold (2 GiB); write smaller cells",
        payload.size()));
  }
  header->uncompressed_size = static_cast<uint32_t>(payload.size());
  header->data_size_with_header = static_cast<uint32_t>(data_size);
  header->on_disk_size_without_header =
      static_cast<uint32_t>(data_size + checksum_bytes - kBlockHeaderSize);
  StoreBlockHeader(*header, out->data() + start);
  // Checksums go to the end of the buffer that they are computed from: make room first.
  out->reserve(out->size() + checksum_bytes);
  AppendChecksums(ByteView(out->data() + start, data_size), header->checksum_type,
                  header->bytes_per_checksum, out);
  return Status();
}

}  // namespace bennu::hfile
