// A block's bytes on disk to its header and uncompressed payload, and back.
#ifndef BENNU_SRC_HFILE_RAW_BLOCK_H_
#define BENNU_SRC_HFILE_RAW_BLOCK_H_

#include <memory>

#include "bennu/status.h"
#include "src/hfile/format.h"

namespace bennu::hfile {

// Takes 'size' bytes of a whole block, checks the checksums if 'verify', and uncompresses.
// Corruption without the file's name, which the caller adds.
Result<RawBlock> DecodeRawBlock(std::unique_ptr<char[]> bytes, size_t size, uint64_t offset,
                                Compression compression, bool verify);

// Appends a whole block: header, compressed payload, checksums. Sets the sizes in *header; the rest
// of it is the caller's.
Status EncodeRawBlock(ByteView payload, Compression compression, BlockHeader* header, Bytes* out);

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_RAW_BLOCK_H_
