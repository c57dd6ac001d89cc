// Cell blocks that are compressed as a whole, by what Hadoop's compression codecs write.
// Source: hbase-rpc spec section 2.1.
#ifndef BENNU_SRC_RPC_BLOCK_CODEC_H_
#define BENNU_SRC_RPC_BLOCK_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::rpc {

enum class BlockCompression : uint8_t { kNone, kZlib, kGzip, kSnappy, kLz4 };

// Of the Java class that a connection header names; none for an empty name. NotSupported: no such
// codec.
Result<BlockCompression> BlockCompressionOfClass(std::string_view java_class);

// Appends the block as the connection wants it. An empty block stays empty.
Status CompressBlock(BlockCompression compression, ByteView block, Bytes* out);
// Appends what the client compressed. Corruption: it did not, or it is more than 'size_max' bytes.
// Untrusted bytes.
Status DecompressBlock(BlockCompression compression, ByteView block, size_t size_max, Bytes* out);

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_BLOCK_CODEC_H_
