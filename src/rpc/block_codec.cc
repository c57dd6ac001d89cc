#include "src/rpc/block_codec.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>

#include "src/hfile/codec.h"

namespace bennu::rpc {

namespace {

struct NamedCompression {
  std::string_view name;
  BlockCompression compression;
};
constexpr std::array<NamedCompression, 4> kCompressions = {{
    {"org.apache.hadoop.io.compress.DefaultCodec", BlockCompression::kZlib},
    {"org.apache.hadoop.io.compress.GzipCodec", BlockCompression::kGzip},
    {"org.apache.hadoop.io.compress.SnappyCodec", BlockCompression::kSnappy},
    {"org.apache.hadoop.io.compress.Lz4Codec", BlockCompression::kLz4},
}};

// HFiles' codecs are Hadoop's, too; theirs takes both of zlib's formats when it reads.
Compression OfFiles(BlockCompression compression) {
  switch (compression) {
    case BlockCompression::kNone: return Compression::kNone;
    case BlockCompression::kZlib:
    case BlockCompression::kGzip: return Compression::kGz;
    case BlockCompression::kSnappy: return Compression::kSnappy;
    case BlockCompression::kLz4: return Compression::kLz4;
  }
  return Compression::kNone;
}

Status CompressZlib(ByteView block, Bytes* out) {
  const size_t begin = out->size();
  uLongf length = compressBound(block.size());
  out->resize(begin + length);
  if (compress(reinterpret_cast<Bytef*>(out->data() + begin), &length,
               reinterpret_cast<const Bytef*>(block.data()), block.size()) != Z_OK) {
    return Internal("zlib refused to compress a cell block");
  }
  out->resize(begin + length);
  return Status::Ok();
}

}  // namespace

Result<BlockCompression> BlockCompressionOfClass(std::string_view java_class) {
  if (java_class.empty()) return BlockCompression::kNone;
  for (const NamedCompression& named : kCompressions) {
    if (named.name == java_class) return named.compression;
  }
  return NotSupported(fmt::format("the cell block compressor {}", java_class));
}

Status CompressBlock(BlockCompression compression, ByteView block, Bytes* out) {
  if (block.empty()) return Status::Ok();
  if (compression == BlockCompression::kZlib) return CompressZlib(block, out);
  return hfile::Compress(OfFiles(compression), block, out);
}

Status DecompressBlock(BlockCompression compression, ByteView block, size_t size_max, Bytes* out) {
  if (block.empty()) return Status::Ok();
  return hfile::DecompressUnsized(OfFiles(compression), block, size_max, out);
}

}  // namespace bennu::rpc
